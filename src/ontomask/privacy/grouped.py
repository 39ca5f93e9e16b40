"""`Grouped`: k, l and t of groups, from the distinct tuples of a table or from its records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ontomask.base.grouping import PairCounts
from ontomask.microdata import Microdata
from ontomask.privacy.anonymity import KAnonymity, k_anonymity
from ontomask.privacy.closeness import TCloseness, t_closeness
from ontomask.privacy.confidential import Confidential
from ontomask.privacy.diversity import LDiversity, l_diversity

__all__ = ["ConfidentialRisk", "Grouped"]

# By table and confidential column: its values, and how many records of each tuple have which (0: missing).
_counted: WeakKeyDictionary[Microdata, dict[str, tuple[Confidential, PairCounts]]] = WeakKeyDictionary()


@dataclass(frozen=True)
class ConfidentialRisk:
    """l and t of the worst group, for one confidential column.

    Attributes
    ----------
    distinct_l, entropy_l
        l-diversity.
    t
        t-closeness: the largest earth mover's distance between a group's values and the table's.
    ground
        The ground distance between two values.
    """

    distinct_l: int
    entropy_l: float
    t: float
    ground: str


@dataclass(frozen=True, eq=False)
class Grouped:
    """Groups of records.

    Attributes
    ----------
    data
        The original table.
    groups
        The group of each distinct tuple, −1 for tuples that are in none; with ``rows``, the group of each of these
        records. Groups are numbered 0, 1, 2, … without gaps.
    rows
        Positions of records in the original; ``None`` where ``groups`` are those of tuples.
    records
        With ``rows``, how many records each stands for; ``None``: one.
    """

    data: Microdata
    groups: NDArray[np.integer]
    rows: NDArray[np.integer] | None = None
    records: NDArray[np.int64] | None = None

    def anonymity(self) -> KAnonymity:
        """The size of each group, in persons where the data identify them."""
        if self.rows is not None:
            return k_anonymity(self.groups, self.data.persons_at(self.rows), records=self.records)
        held = self.data.persons_by_tuple
        if held is None:
            inside = self.groups >= 0
            return k_anonymity(self.groups[inside], records=self.data.table.counts[inside])
        groups = self.groups[held.first]
        inside = groups >= 0
        return k_anonymity(groups[inside], held.second[inside], records=held.records[inside])

    def diversity(self, column: str) -> LDiversity:
        """l-diversity of a confidential column."""
        _, groups, codes, records = self._entries(column)
        return l_diversity(groups, codes, records=records)

    def closeness(self, column: str) -> TCloseness:
        """t-closeness of a confidential column, under its own ground distance."""
        values, groups, codes, records = self._entries(column)
        options: dict[str, Any] = {"semantic": {"distances": values.distances}, "ordered": {"size": values.size}}
        return t_closeness(groups, codes, ground=values.ground, records=records, **options.get(values.ground, {}))

    def confidential(self) -> dict[str, ConfidentialRisk]:
        """l and t of every confidential column."""
        found = {}
        for name in self.data.counted_confidential:
            diversity, closeness = self.diversity(name), self.closeness(name)
            found[name] = ConfidentialRisk(diversity.distinct_l, diversity.entropy_l, closeness.t, closeness.ground)
        return found

    def _entries(
        self, column: str
    ) -> tuple[Confidential, NDArray[np.integer], NDArray[np.integer], NDArray[np.int64] | None]:
        """A confidential column; then for each entry its group, its value (−1: missing) and its number of records."""
        if self.rows is not None:
            values = Confidential.of(self.data, column)
            return values, self.groups, values.codes[self.rows], self.records
        known = _counted.setdefault(self.data, {})
        if column not in known:
            values = Confidential.of(self.data, column)
            known[column] = (values, self.data.table.count_with(values.codes + 1))
        values, held = known[column]
        groups = self.groups[held.first]
        inside = groups >= 0
        return values, groups[inside], held.second[inside] - 1, held.records[inside]
