"""Generalisation over an ontology or a hierarchy, value by value or a column at a time: what users have today."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ontomask.base.notes import Cells, Note
from ontomask.base.text import join_some
from ontomask.errors import MaskingError
from ontomask.hierarchy import Hierarchy, read_hierarchy
from ontomask.masking.base import Planned
from ontomask.masking.full_domain import Lattice
from ontomask.masking.generalisation_paths import Ways, check_hierarchy
from ontomask.masking.local_generalisation import BestFirst, Climb, Steps
from ontomask.masking.parameters import nominal_only, one_of, share
from ontomask.masking.sizes import allowed
from ontomask.microdata import Microdata

__all__ = ["Generalisation"]

_FROM_THE_TOP = "too many to look at all: levels were found downwards from the top, and others may lose less"


@dataclass(frozen=True, repr=False)
class Generalisation(BestFirst):
    """Replace values by what they are a kind of, until every combination is shared by k records (T 8.4.2).

    Parameters
    ----------
    k
        The least number of records (of persons, where the data tell them apart) that share a released tuple.
    hierarchies
        By column a hierarchy, or the file that `ontomask.read_hierarchy` reads it from. Columns without one climb in
        their own ontology. A hierarchy decides which values become alike; released is the concept of the column's
        domain that a label names (by ``mapping=``, by id or by name) if it subsumes the label's values, else the least
        common subsumer of these, and the domain's root for the top. For the labels themselves, make the hierarchy the
        ontology: ``Nominal(hierarchy.to_taxonomy())``.
    mode
        ``local``: the rarest group is merged with the one that needs the fewest generalisation steps, both climbing to
        their least common subsumer in each column. ``full_domain``: all values of a column go to one level; of all
        combinations of levels that do, the one with the least semantic loss is taken. Up to 100,000 combinations it is
        found for certain; beyond that, downwards from the top as long as the loss falls, and a note says so.
    suppression
        The share of records that may be left out instead, from 0 to 1. ``local``: merging ends when no more are in
        groups below k (of records that keep the same cells as they stand, that share); ``full_domain``: they count
        with distance 1 in the loss.
    levels
        For ``full_domain``, levels that are given by column; the others are searched for. In a hierarchy level 0 are
        the values. In an ontology level l stands l links above the column's deepest value: values that lie deeper
        become their subsumer there, along their deepest parents (of equals the first); others stay.
    steps
        For ``local``, whether a step counts once for all ``values`` of a group that take it, or for every one of the
        ``records``.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> edges = [("ache", "pain"), ("colic", "pain"), ("pain", "symptom"), ("rash", "symptom")]
    >>> frame = pd.DataFrame({"symptom": ["ache", "colic", "rash", "rash"]})
    >>> data = om.Microdata(frame, {"symptom": om.Nominal(om.Taxonomy.from_edges(edges))})
    >>> result = Generalisation(k=2).mask(data)
    >>> result.frame["symptom"].tolist(), result.guarantee.k
    (['pain', 'pain', 'rash', 'rash'], 2)
    >>> result = Generalisation(k=2, mode="full_domain").mask(data)
    >>> result.frame["symptom"].tolist(), result.details["levels"]
    (['pain', 'pain', 'rash', 'rash'], {'symptom': 1})
    """

    _: KW_ONLY
    hierarchies: Mapping[str, Hierarchy | str | Path] | None = field(default=None, hash=False)
    mode: Literal["local", "full_domain"] = "local"
    suppression: float = 0.0
    levels: Mapping[str, int] | None = field(default=None, hash=False)
    steps: Steps = "values"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self, "mode", self.mode, ("local", "full_domain"))
        one_of(self, "steps", self.steps, ("values", "records"))
        share(self, "suppression", self.suppression)
        if self.hierarchies is not None:
            object.__setattr__(self, "hierarchies", _read(self.hierarchies))
        if self.levels is not None:
            if self.mode != "full_domain":
                raise MaskingError(
                    "'levels' are given for mode='full_domain': use that. In mode='local' each value has its own."
                )
            if not isinstance(self.levels, Mapping):
                raise MaskingError(
                    f"The 'levels' parameter of Generalisation must be a dictionary from column to level. "
                    f"Got {self.levels!r} instead."
                )
            object.__setattr__(self, "levels", dict(self.levels))
        if self.steps != "values" and self.mode != "local":
            raise MaskingError("'steps' are counted in mode='local'; mode='full_domain' goes by semantic loss.")

    def check(self, data: Microdata) -> None:
        """Refuse columns without is-a links, and hierarchies that lack values or are for columns that are not there."""
        super().check(data)
        nominal_only(
            self,
            data,
            "numbers and ordered categories are no kinds of each other. Give such a column a hierarchy as its "
            "ontology: Nominal(read_hierarchy(path).to_taxonomy())",
        )
        for what, given in (("hierarchies", self.hierarchies), ("levels", self.levels)):
            absent = [name for name in given or {} if name not in data.quasi_identifiers]
            if absent:
                raise MaskingError(
                    f"The {what!r} parameter of Generalisation names {join_some(absent)}, and must name "
                    f"quasi-identifiers: {join_some(data.quasi_identifiers, 30)}."
                )

        for j, name in enumerate(data.quasi_identifiers):
            hierarchy = (self.hierarchies or {}).get(name)
            if isinstance(hierarchy, Hierarchy):
                check_hierarchy(data.table, j, hierarchy)

    def _plan(self, data: Microdata, rng: np.random.Generator) -> Planned:
        ways = [self._ways(data, j, name) for j, name in enumerate(data.quasi_identifiers)]
        if self.mode == "local":
            climb = Climb({way.name: way for way in ways}, self.steps, self.suppression)
            planned = self._merged(data, rng, climb)
        else:
            planned = self._full_domain(data, ways)
        text = (
            "labels of the hierarchy of {column!r} that name no concept above their values are released as the least "
            "common subsumer of these: {labels}."
        )
        notes = (
            Note.of("labels-without-concept", text, column=way.name, labels=Cells(way.name, way.unnamed))
            for way in ways
            if way.unnamed
        )
        return replace(planned, notes=(*planned.notes, *notes))

    def _ways(self, data: Microdata, j: int, name: str) -> Ways:
        hierarchy = (self.hierarchies or {}).get(name)
        if hierarchy is None:
            return Ways.over_ontology(data.table, j)
        assert isinstance(hierarchy, Hierarchy)
        return Ways.over_hierarchy(data.table, j, hierarchy)

    def _full_domain(self, data: Microdata, ways: list[Ways]) -> Planned:
        lattice = Lattice(data, ways, self.k, allowed(self.suppression, len(data)), self._fixed(ways))
        found = lattice.best()
        text = f"{_FROM_THE_TOP} ({{combinations:,}} combinations of levels)."
        notes = [] if lattice.is_small else [Note.of("not-all-levels-tried", text, combinations=len(lattice))]
        details: dict[str, Any] = {
            "groups": found.released_groups,
            "suppressed": found.left_out,
            "levels": {way.name: level for way, level in zip(ways, found.levels, strict=True)},
            "loss": found.loss,
            "combinations": len(lattice),
            "checked": lattice.checked,
            "is_optimal": lattice.is_small,
        }
        promise = {"k": self.k, "unit": "records" if data.persons is None else "persons"}
        return Planned(lattice.plan(found, promise), tuple(notes), details)

    def _fixed(self, ways: list[Ways]) -> dict[int, int]:
        """The given levels by place of the column."""
        fixed = {}
        for j, way in enumerate(ways):
            level = (self.levels or {}).get(way.name)
            if level is None:
                continue
            if isinstance(level, bool) or not isinstance(level, (int, np.integer)) or not 0 <= level <= way.height:
                raise MaskingError(
                    f"the level of {way.name!r} must be one from 0 (the values) to {way.height} (the top). Got "
                    f"{level!r} instead."
                )
            fixed[j] = int(level)
        return fixed


def _read(hierarchies: object) -> dict[str, Hierarchy]:
    """Hierarchies by column, those given as files read."""
    if not isinstance(hierarchies, Mapping):
        raise MaskingError(
            f"The 'hierarchies' parameter of Generalisation must be a dictionary from column to hierarchy or file. "
            f"Got {type(hierarchies).__name__} instead."
        )
    found = {name: read_hierarchy(h) if isinstance(h, (str, Path)) else h for name, h in hierarchies.items()}
    wrong = [name for name, hierarchy in found.items() if not isinstance(hierarchy, Hierarchy)]
    if wrong:
        raise MaskingError(
            f"The hierarchy of {join_some(wrong)} must be a Hierarchy or a file. "
            f"Got {type(found[wrong[0]]).__name__} instead."
        )
    return found
