"""Mask parts of a table separately: strata of kept columns. The plans of the parts become one plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ontomask.base.notes import Note, join_names
from ontomask.base.text import cell_text, join_some
from ontomask.errors import MaskingError, Setting
from ontomask.masking.results import Planned
from ontomask.microdata import Microdata, frames
from ontomask.microdata.joined import JoinedPlan, Outcomes, join_outcomes
from ontomask.microdata.strata_plan import StrataPlan, StratumPlan
from ontomask.microdata.views import with_records

if TYPE_CHECKING:
    from ontomask.masking.base import Method

__all__ = ["Stratum", "check_strata", "combine_details", "combine_notes", "plan_strata", "strata_of_data"]

T = TypeVar("T")

# Counts that have no meaning when they are added up.
_NOT_ADDED = ("levels",)


@dataclass(frozen=True, eq=False, repr=False)
class Stratum:
    """The records that are equal in the columns that divide a table.

    Attributes
    ----------
    rows
        Their positions in the table.
    data
        These records as a table of their own.
    cells
        Their cells in the dividing columns, as one text.
    """

    rows: NDArray[np.int64]
    data: Microdata
    cells: str


def strata_of_data(data: Microdata, by: Sequence[str]) -> Iterator[Stratum]:
    """The strata of a table, one after another, sorted by their cells: the order of the rows does not matter."""
    number = data.strata(by)
    texts = []
    for name in by:
        code, cells = frames.factorise(data.frame, name)
        texts.append((code, [cell_text(cell) or "" for cell in cells]))
    strata = np.split(np.argsort(number, kind="stable"), np.cumsum(np.bincount(number))[:-1])
    named = [(tuple(cells[code[rows[0]]] for code, cells in texts), rows) for rows in strata]
    for own, rows in sorted(named, key=lambda stratum: stratum[0]):
        yield Stratum(rows, with_records(data, rows), ", ".join(own))


def check_strata(method: Method, data: Microdata) -> None:
    """Refuse dividing columns that are not kept, and strata that the method cannot mask by themselves."""
    wrong = [name for name in method.by if name not in data.other]
    if wrong:
        known = join_some(data.other, 30) if data.other else "the data have none"
        raise MaskingError(
            f"{type(method).__name__} masks strata of columns that are kept with the role 'other' ({known}). Got "
            f"{join_some(wrong)} instead.",
            column=wrong[0],
            parameter="by",
        )
    _each(method, strata_of_data(data, method.by), lambda alone, stratum: alone.check(stratum.data))


def plan_strata(method: Method, data: Microdata, rng: np.random.Generator) -> Planned:
    """Plan each stratum by itself."""
    strata = list(strata_of_data(data, method.by))
    planned = _each(method, strata, lambda alone, stratum: alone._plan_all(stratum.data, rng))
    plans = [part.plan for part in planned if not isinstance(part.plan, StrataPlan)]
    promise = {**plans[0].promise, "by": list(method.by)}
    # All strata draw from the same numbers: the keys of their rows differ.
    seed = rng.integers(2**32, size=4).tolist()
    plan: JoinedPlan | StrataPlan
    if data.source is None:
        both = list(zip(plans, strata, strict=True))
        outcomes = [Outcomes.of(p, stratum.data, stratum.rows, np.random.default_rng(seed)) for p, stratum in both]
        plan = join_outcomes(data, outcomes, promise=promise, units=_join_units(data, both))
    else:
        parts = [StratumPlan(p, stratum.data, stratum.rows) for p, stratum in zip(plans, strata, strict=True)]
        plan = StrataPlan.of(data, parts, seed, promise)
    details = {**combine_details([part.details for part in planned]), "strata": len(strata)}
    return Planned(plan, combine_notes([part.notes for part in planned]), details)


def _join_units(data: Microdata, parts: Sequence[tuple[Any, Stratum]]) -> NDArray[np.int32] | None:
    """The pseudonyms of all records. A person has another one in each stratum, so that no stratum tells of others."""
    if not data.pseudonyms:
        return None
    units, first = np.empty(len(data), dtype=np.int32), 0
    for plan, stratum in parts:
        own = plan.units if isinstance(plan, JoinedPlan) and plan.units is not None else stratum.data.persons
        assert own is not None
        units[stratum.rows] = first + own
        first += int(own.max()) + 1
    return units


def _each(method: Method, strata: Iterator[Stratum] | list[Stratum], do: Callable[[Method, Stratum], T]) -> list[T]:
    """Do something with each stratum. If some fail, one error tells how many."""
    done, failed, first = [], [], None
    number = 0
    for stratum in strata:
        number += 1
        try:
            done.append(do(method._for_part(stratum.rows), stratum))
        except MaskingError as error:
            failed.append(stratum)
            first = first or error
    if first is None:
        return done
    records = sum(len(stratum.data) for stratum in failed)
    raise MaskingError(
        f"{len(failed):,} of {number:,} strata by {join_names(method.by)} cannot be masked by themselves; they have "
        f"{records:,} records. The problem of the first: ",
        *first.message,
        " Or join small strata to larger ones, or leave out ",
        Setting("method", "by"),
        ".",
        column=method.by[0],
        values=[stratum.cells for stratum in failed],
        parameter="by",
    ) from first


def combine_details(details: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The figures of all parts together: counts are added up. Figures that cannot be added up are left out."""
    names = dict.fromkeys(name for part in details for name in part if name not in _NOT_ADDED)
    found = {name: _add([part[name] for part in details if name in part]) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def _add(values: Sequence[Any]) -> Any:
    """The sum of counts, or of counts by column; ``None`` for anything else."""
    if all(isinstance(value, (int, np.integer)) and not isinstance(value, bool) for value in values):
        return sum(values)
    if all(isinstance(value, Mapping) for value in values):
        names = dict.fromkeys(name for value in values for name in value)
        added = {name: _add([value[name] for value in values if name in value]) for name in names}
        return None if None in added.values() else added
    return None


def combine_notes(notes: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The notes of all parts. Several notes about the same problem of the same column become one."""
    found: dict[object, list[str]] = {}
    for note in (note for part in notes for note in part):
        same = (note.code, note.values.get("column")) if isinstance(note, Note) else note
        found.setdefault(same, []).append(note)
    return tuple(_joined_note(same, len(notes)) for same in found.values())


def _joined_note(notes: Sequence[str], parts: int) -> str:
    if len(set(notes)) == 1:
        return notes[0]
    text = "{number:,} of {parts:,} parts of the table have such a note. The first: {note}"
    return Note.of("note-of-parts", text, number=len(notes), parts=parts, note=notes[0])
