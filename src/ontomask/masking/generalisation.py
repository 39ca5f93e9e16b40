"""Generalisation by ontologies, ranges or hierarchies, value by value or a whole column at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np

from ontomask.base.notes import Cells, Note
from ontomask.base.text import join_some
from ontomask.errors import MaskingError, Setting, Wording
from ontomask.hierarchy import Hierarchy, read_hierarchy
from ontomask.kinds import Column
from ontomask.masking.anonymous import PromisesK
from ontomask.masking.description import FILES, PUBLIC, About, Rule, one_of, share
from ontomask.masking.full_domain import Lattice
from ontomask.masking.generalisation_costs import OBJECTIVES as LOCAL_OBJECTIVES
from ontomask.masking.generalisation_costs import Objective as LocalObjective
from ontomask.masking.generalisation_paths import GeneralisationPaths, check_hierarchy, check_labels
from ontomask.masking.level_costs import OBJECTIVES as LEVEL_OBJECTIVES
from ontomask.masking.level_costs import Objective as LevelObjective
from ontomask.masking.local_generalisation import Steps, group_by_cost, merge_best_first
from ontomask.masking.rare_kept import RareKept
from ontomask.masking.results import Planned
from ontomask.masking.sizes import allowed, share_for
from ontomask.microdata import Microdata

__all__ = ["Generalisation"]

_OBJECTIVES = tuple(dict.fromkeys((*LOCAL_OBJECTIVES, *LEVEL_OBJECTIVES)))
_NOT_ALL = (
    "There are {combinations:,} combinations of levels, too many to try them all. The best that was found has "
    "{objective} {found:.4g}; no other has less than {bound:.4g}."
)


def _note_unnamed(path: GeneralisationPaths, column: Column) -> Note:
    """A note on labels that are not released as what they say."""
    labels = Cells(path.name, path.unnamed)
    if column.is_ordered:
        text = (
            "Some labels of the hierarchy of {column!r} describe no range that contains their values: {labels}. They "
            "are released as the narrowest range of their values."
        )
        return Note.of("labels-without-range", text, column=path.name, labels=labels)
    text = (
        "Some labels of the hierarchy of {column!r} name no concept that subsumes their values: {labels}. They are "
        "released as the least common subsumer of their values."
    )
    return Note.of("labels-without-concept", text, column=path.name, labels=labels)


def _read(hierarchies: Mapping[str, Any]) -> dict[str, Hierarchy]:
    """Hierarchies by column. Those given as files are read."""
    return {name: read_hierarchy(h) if isinstance(h, (str, Path)) else h for name, h in hierarchies.items()}


_HIERARCHIES = Rule(
    Wording("a dictionary from column to hierarchy or file", "a table from columns to hierarchy files"),
    lambda value: isinstance(value, Mapping) and all(isinstance(h, (Hierarchy, str, Path)) for h in value.values()),
    _read,
)
_LEVELS = Rule(
    Wording("a dictionary from column to level", "a table from columns to levels"),
    lambda value: isinstance(value, Mapping),
    dict,
)


@dataclass(frozen=True, repr=False)
class Generalisation(PromisesK):
    """Replace values by more general ones, until each combination is shared by k records.

    Parameters
    ----------
    k
        The least number of records that share a released tuple; of persons, if the data have a ``person`` column.
    hierarchies
        By column a hierarchy, or a file for `ontomask.read_hierarchy`. Columns without one use their own ontology,
        intervals, calendar units or ranges of categories. A hierarchy decides which values become equal. In a nominal
        column, a label is released as the concept that it names (by ``mapping=``, by id or by name) if this subsumes
        the label's values, else as their least common subsumer; the top is released as the domain's root. To release
        the labels themselves, use the hierarchy as the ontology: ``Nominal(hierarchy.to_taxonomy())``. In other
        columns, a label such as ``20-30`` is released as the range that it describes if this contains the label's
        values, else as their narrowest range; the top is released as ``*``.
    mode
        ``local``: each group of records is generalised as little as it needs, to its least common subsumer in each
        column; see ``variant``. ``full_domain``: all values of a column are generalised to one level. Of all
        combinations of levels that reach k, the one that costs least by the ``objective`` is used. The search is exact
        for up to 1,000,000 combinations. Beyond that, a note tells the value that was found, and a lower bound for all
        combinations.
    suppression
        The share of records that may be left out instead, from 0 to 1. In the objective, a record left out loses 1; for
        discernibility, it counts as equal to all records. The share is a limit: records are left out only if the
        objective falls. With ``best_first`` the objective is ``balanced``.
    levels
        For ``full_domain``, fixed levels by column; the others are searched for. In a hierarchy level 0 has the values.
        In an ontology, level l is l links above the column's deepest value: deeper values become their subsumer there,
        along their deepest parents (the first of equals); others stay. For other kinds, each level has wider ranges,
        and the highest is ``*``.
    variant
        For ``local``. ``least_cost``: a search for groups that lose least (`ontomask.masking.least_cost`). Values that
        k records share stay as they are, unless all records together lose less otherwise. ``best_first``: the smallest
        group is merged with the one that needs the fewest generalisation steps (Martínez 2012, 8.4.2). It is the
        yardstick of the experiments.
    objective
        What to minimise. For ``least_cost``, what a cell loses: ``ncp``, the normalised certainty penalty, (leaves
        below the released value − 1) / (all leaves − 1) or the width of a range; ``semantic_loss``, the distance of
        the column; or ``balanced`` (the default), the mean of both. For ``full_domain``, a figure of
        `ontomask.evaluate`: ``semantic_loss`` (the default), the mean distance between original and released records;
        ``L``, the same with squared distances, so that large moves weigh more; ``ncp``, the penalty of LM, which counts
        the column's own values instead of leaves, as the quality model "loss" of ARX does; or ``discernibility``, the
        sum of squared group sizes. The result's ``details`` have the ``objective`` and its value, ``loss``.
    steps
        For ``best_first``: a step counts once for all ``values`` of a group that take it, or for each of the
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
    >>> ages = om.Microdata(pd.DataFrame({"age": [30, 33, 48, 61]}), {"age": om.Numeric(intervals=[0, 40, 80])})
    >>> Generalisation(k=2).mask(ages).frame["age"].tolist()
    ['0-39', '0-39', '40-79', '40-79']
    """

    about: ClassVar[About] = About(
        what="Values are replaced by more general ones, step by step, until at least k records share each combination.",
        why="Released values are true but less exact: nothing false is said about anybody. Because values can only "
        "move upwards, a group of values that are far apart becomes a concept or a range that says little.",
        summary="**true** but less precise: *250.83* becomes *250*, and 37 becomes *30-39*",
        guarantees=("k-anonymity",),
    )

    _: KW_ONLY
    hierarchies: Mapping[str, Hierarchy | str | Path] | None = field(
        default=None, hash=False, metadata=_HIERARCHIES.metadata | FILES
    )
    mode: Literal["local", "full_domain"] = field(default="local", metadata=one_of(("local", "full_domain")))
    suppression: float = field(default=0.0, metadata=share())
    levels: Mapping[str, int] | None = field(default=None, hash=False, metadata=_LEVELS.metadata | PUBLIC)
    variant: Literal["least_cost", "best_first"] = field(
        default="least_cost", metadata=one_of(("least_cost", "best_first"))
    )
    objective: LocalObjective | LevelObjective | None = field(default=None, metadata=one_of(_OBJECTIVES))
    steps: Steps = field(default="values", metadata=one_of(("values", "records")))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.levels is not None and self.mode != "full_domain":
            mode = Setting("method", "mode", values=["full_domain"])
            raise self._wrong("levels", "is not for this mode. Leave it out, or use ", mode, ".")
        for name, default in (("steps", "values"), ("variant", "least_cost")):
            if getattr(self, name) != default and self.mode != "local":
                mode = Setting("method", "mode", values=["local"])
                raise self._wrong(name, "is not for this mode. Leave it out, or use ", mode, ".")
        unused = (
            ("steps", "values", "best_first") if self.variant == "least_cost" else ("objective", None, "least_cost")
        )
        if getattr(self, unused[0]) != unused[1]:
            variant = Setting("method", "variant", values=[unused[2]])
            raise self._wrong(unused[0], "is not for this variant. Leave it out, or use ", variant, ".")
        offered = LOCAL_OBJECTIVES if self.mode == "local" else LEVEL_OBJECTIVES
        if self.objective is not None and self.objective not in offered:
            choices = ", ".join(map(repr, offered))
            raise self._wrong("objective", f"must be one of {choices} in this mode. Got {self.objective!r} instead.")

    def check(self, data: Microdata) -> None:
        """Refuse hierarchies that lack values, or that are for columns that the data do not have."""
        super().check(data)
        for parameter, given in (("hierarchies", self.hierarchies), ("levels", self.levels)):
            absent = [name for name in given or {} if name not in data.quasi_identifiers]
            if absent:
                known = join_some(data.quasi_identifiers, 30)
                raise self._wrong(parameter, f"must name quasi-identifiers ({known}). Got {join_some(absent)} instead.")
        for j, name in enumerate(data.quasi_identifiers):
            hierarchy = (self.hierarchies or {}).get(name)
            if isinstance(hierarchy, Hierarchy):
                check_hierarchy(data.table, j, hierarchy)
            else:
                check_labels(data.quasi_identifiers[name])

    @property
    def masks_persons(self) -> bool:
        """Only groups of persons share all their records. One level for a column says nothing about persons."""
        return self.mode == "local"

    @property
    def is_truthful(self) -> bool:
        """Yes: values become less precise."""
        return True

    @property
    def recodes_values(self) -> bool:
        """Yes, if all values of a column are generalised to one level."""
        return self.mode == "full_domain"

    def _for_slots(self, slots: Mapping[str, Sequence[str]]) -> Self:
        given = self.hierarchies or {}
        hierarchies = {slot: given[name] for name in given for slot in slots[name]}
        return replace(super()._for_slots(slots), hierarchies=hierarchies or None)

    def _check_rare(self, rare: RareKept) -> None:
        records = len(rare.data)
        if self.mode == "local":
            super()._check_rare(rare)
        elif rare.records > allowed(self.suppression, records):
            more = Setting("method", "suppression", values=[share_for(rare.records, records)])
            raise rare.error(" Or let the method leave them out: ", more, ".")

    def _plan(self, data: Microdata, rng: np.random.Generator) -> Planned:
        paths = [self._paths(data, j, name) for j, name in enumerate(data.quasi_identifiers)]
        if self.mode == "local":
            options: Mapping[str, Any] = {
                "paths": {path.name: path for path in paths},
                "suppression": self.suppression,
                "require": self.require,
            }
            if self.variant == "least_cost":
                planned = group_by_cost(
                    data, self.k, rng, objective=cast(LocalObjective, self.objective or "balanced"), **options
                )
            else:
                planned = merge_best_first(data, self.k, rng, steps=self.steps, **options)
        else:
            planned = self._full_domain(data, paths)
        notes = (_note_unnamed(path, data.quasi_identifiers[path.name]) for path in paths if path.unnamed)
        return replace(planned, notes=(*planned.notes, *notes))

    def _paths(self, data: Microdata, j: int, name: str) -> GeneralisationPaths:
        hierarchy = (self.hierarchies or {}).get(name)
        if hierarchy is None:
            return GeneralisationPaths.of_kind(data.table, j)
        assert isinstance(hierarchy, Hierarchy)
        return GeneralisationPaths.over_hierarchy(data.table, j, hierarchy)

    def _full_domain(self, data: Microdata, paths: list[GeneralisationPaths]) -> Planned:
        spare = allowed(self.suppression, len(data))
        objective = cast(LevelObjective, self.objective or "semantic_loss")
        lattice = Lattice(data, paths, self.k, spare, self._fixed(paths), objective)
        found = lattice.best()
        facts = {"combinations": len(lattice), "objective": objective, "found": found.cost, "bound": found.bound}
        notes = [] if found.is_optimal else [Note.of("not-all-levels-tried", _NOT_ALL, **facts)]
        details: dict[str, Any] = {
            "groups": found.released_groups,
            "suppressed": found.left_out,
            "levels": {path.name: level for path, level in zip(paths, found.levels, strict=True)},
            "objective": objective,
            "loss": found.cost,
            "bound": found.bound,
            "combinations": len(lattice),
            "checked": lattice.checked,
            "is_optimal": found.is_optimal,
        }
        return Planned(lattice.plan(found, self._promise(data)), tuple(notes), details)

    def _fixed(self, paths: list[GeneralisationPaths]) -> dict[int, int]:
        """The given levels by index of the column."""
        fixed = {}
        for j, path in enumerate(paths):
            level = (self.levels or {}).get(path.name)
            if level is None:
                continue
            if isinstance(level, bool) or not isinstance(level, (int, np.integer)) or not 0 <= level <= path.height:
                raise MaskingError(
                    f"The level of {path.name!r} must be an int from 0 (the values) to {path.height} (the top). Got "
                    f"{level!r} instead.",
                    column=path.name,
                    parameter="levels",
                )
            fixed[j] = int(level)
        return fixed
