"""`Pairing`: the joint count of original and masked tuples, with the distances that evaluate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray, Records
from ontomask.base.grouping import count_codes, group_rows
from ontomask.base.text import cell_text, join_some
from ontomask.errors import TableError
from ontomask.kinds import Column, ConceptSet, Nominal
from ontomask.microdata import FrequencyTable, Microdata
from ontomask.microdata.masked import MaskedData, MaskedTuples
from ontomask.operators.dependence import CentredDistances
from ontomask.operators.ranges import is_off_line, join_points
from ontomask.operators.space import Points, Space

__all__ = [
    "ANOTHER_TABLE",
    "NEEDS_RECORDS",
    "NOT_COUNTED",
    "DistanceOf",
    "Pairing",
    "RecordPairs",
    "Side",
    "columns_under",
]

DistanceOf = str | Mapping[str, Any]

ANOTHER_TABLE = (
    "The masked data come from another table: their columns, domains or records do not fit. Give the original that was "
    "masked."
)
NOT_COUNTED = (
    "The kept columns make too many different rows. Then the engine counts a confidential column only if it has a kind "
    "or the method has a requirement on it, such as Diversity. Add one of them."
)
NEEDS_RECORDS = (
    "This needs single records, and a plan decides only how many records of each combination become which. Apply the "
    "plan, and evaluate the result."
)


@dataclass(frozen=True, eq=False)
class Side:
    """The distinct tuples of one of the two tables. Both tables use the same indices of values.

    Attributes
    ----------
    indices
        One row per tuple: for each attribute the index of its value among those of both tables.
    counts
        The number of records of each tuple.
    """

    indices: IntArray
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.indices)


class RecordPairs(NamedTuple):
    """Which record is in which pair of tuples.

    Attributes
    ----------
    pair, rows
        For every released record its pair, and its position in the original.
    tuples
        For every original record its tuple.
    records
        How many equal records each original one stands for, if an engine has counted them; ``None``: one. These have
        the same outcome.
    """

    pair: IntArray
    rows: NDArray[np.int64]
    tuples: IntArray
    records: Records = None

    @property
    def released(self) -> Records:
        """How many records each released one stands for; ``None``: one."""
        return None if self.records is None else self.records[self.rows]


@dataclass(frozen=True, eq=False, repr=False)
class Pairing:
    """Pairs of an original and a masked tuple, and how many records have them.

    Attributes
    ----------
    names, spaces
        The attributes under the distances that evaluate.
    points
        For each attribute the distinct points of both tables. Higher indices are cells without a point, and cells that
        may be any value.
    original, masked
        The distinct tuples of both tables.
    a, b, counts
        The distinct pairs of an original and a masked tuple, and the number of records of each.
    suppressed
        The number of records of each original tuple that were not released.
    record_pairs
        Which record is in which pair; ``None`` for a plan, which decides only how many are.
    stands_for
        As in `MaskedData`.
    """

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    spaces: tuple[Space, ...]
    points: tuple[Points, ...]
    original: Side
    masked: Side
    a: IntArray
    b: IntArray
    counts: NDArray[np.int64]
    suppressed: NDArray[np.int64]
    record_pairs: RecordPairs | None = None
    stands_for: Mapping[str, Mapping[int, float]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        data: Microdata,
        masked: MaskedData | MaskedTuples,
        *,
        distance: DistanceOf | Mapping[str, DistanceOf] | None = None,
        scope: Literal["domain", "ontology"] | None = None,
    ) -> Pairing:
        """Pair the tables. ``distance`` is one for all nominal columns, or one per column, by name."""
        if not _fits(data, masked):
            raise TableError(ANOTHER_TABLE, code="other-table")
        columns = columns_under(data, distance, scope)
        before, after = data.table, masked.table
        points, indices_before, indices_after = [], [], []
        for j in range(len(columns)):
            both, left, right = _number_alike(before, after, j)
            points.append(both)
            indices_before.append(left[before.tuples[:, j]])
            indices_after.append(right[after.tuples[:, j]])
        if isinstance(masked, MaskedData):
            a, records = before.inverse[masked.rows], masked.records
        else:
            a, records = masked.original, masked.records
        b = after.inverse
        pair, firsts = _number_pairs(a, b, len(before), len(after))
        released = np.bincount(a, weights=records, minlength=len(before)).astype(np.int64)
        return cls(
            tuple(data.quasi_identifiers),
            columns,
            tuple(column.space for column in columns),
            tuple(points),
            Side(np.stack(indices_before, axis=1).astype(np.int32), before.counts),
            Side(np.stack(indices_after, axis=1).astype(np.int32), after.counts),
            a[firsts],
            b[firsts],
            np.bincount(pair, weights=records, minlength=len(firsts)).astype(np.int64),
            before.counts - released,
            RecordPairs(pair, masked.rows, before.inverse, data.row_records)
            if isinstance(masked, MaskedData)
            else None,
            masked.stands_for if isinstance(masked, MaskedData) else {},
        )

    @property
    def records(self) -> int:
        """The number of records of the original."""
        return int(self.original.counts.sum())

    @property
    def by_record(self) -> RecordPairs:
        """Which record is in which pair. An error for a plan."""
        if self.record_pairs is None:
            raise TableError(NEEDS_RECORDS, code="needs-records")
        return self.record_pairs

    def percent(self, of_pair: NDArray[Any]) -> float:
        """The mean over all original records of a figure of pairs, in percent. Suppressed records count as 0."""
        return 100 * float(of_pair @ self.counts) / self.records

    @cached_property
    def same(self) -> NDArray[np.bool_]:
        """Which pairs have two equal tuples."""
        return (self.original.indices[self.a] == self.masked.indices[self.b]).all(axis=1)

    def size(self, j: int) -> int:
        """The number of distinct values of attribute j in both tables, including cells without a point."""
        highest = max(int(side.indices[:, j].max(initial=-1)) for side in (self.original, self.masked))
        return max(len(self.points[j]), highest + 1)

    @cached_property
    def shares(self) -> tuple[float, ...]:
        """The weights of the attributes, which add up to 1."""
        total = sum(space.weight for space in self.spaces)
        return tuple(space.weight / total for space in self.spaces)

    def value_distances(
        self, j: int, rows: NDArray[np.integer], columns: NDArray[np.integer] | None = None
    ) -> NDArray[np.float64]:
        """Weighted distances from some values of attribute j to others, by default to all.

        A cell without a point is equal only to itself.
        """
        points = self.points[j]
        others = np.arange(self.size(j)) if columns is None else columns
        out = np.not_equal.outer(rows, others).astype(np.float64)
        known, known_others = rows < len(points), others < len(points)
        out[np.ix_(known, known_others)] = self.spaces[j].matrix(points[rows[known]], points[others[known_others]])
        return self.shares[j] * out

    def attribute_distances(self, j: int) -> NDArray[np.float64]:
        """The distance of every pair in attribute j."""
        left, right = self.original.indices[self.a, j], self.masked.indices[self.b, j]
        out = np.where(left == right, 0.0, 1.0)
        known = (left < len(self.points[j])) & (right < len(self.points[j])) & (left != right)
        out[known] = self.spaces[j].pairs(self.points[j][left[known]], self.points[j][right[known]])
        return out

    def distances(self) -> NDArray[np.float64]:
        """The distance of every pair: the weighted mean over attributes."""
        return self.weigh([self.attribute_distances(j) for j in range(len(self.names))])

    def weigh(self, by_attribute: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """The distance of every pair, from its distances in all attributes."""
        return np.sum([share * away for share, away in zip(self.shares, by_attribute, strict=True)], axis=0)

    def points_of(self, side: Side, j: int) -> tuple[Points, NDArray[np.int64]]:
        """The points of one table in attribute j, and the number of records of each."""
        points = self.points[j]
        often = np.bincount(side.indices[:, j], weights=side.counts, minlength=len(points))[: len(points)]
        present = np.flatnonzero(often)
        return points[present], often[present].astype(np.int64)

    def centred(self, side: Side, j: int) -> CentredDistances:
        """The centred distances between the points of one table in attribute j. They are computed once."""
        key = (side is self.original, j)
        if key not in self._centred:
            self._centred[key] = CentredDistances(self.spaces[j], *self.points_of(side, j))
        return self._centred[key]

    @cached_property
    def _centred(self) -> dict[tuple[bool, int], CentredDistances]:
        return {}

    def per_record(self, of_pair: NDArray[Any]) -> NDArray[Any]:
        """A figure of pairs for every original record, in order. Suppressed records get 0."""
        out = np.zeros(len(self.by_record.tuples), dtype=of_pair.dtype)
        out[self.by_record.rows] = of_pair[self.by_record.pair]
        return out

    def part(self, records: NDArray[np.bool_], counted: Records = None) -> tuple[Pairing, NDArray[np.int64]]:
        """The pairing of some original records, and the indices that its original tuples have in this one.

        ``counted`` says how many records each of them stands for in this part; by default as many as here.
        """
        known = self.by_record
        if counted is None and known.records is not None:
            counted = known.records[records]
        tuples, of_original = np.unique(known.tuples[records], return_inverse=True)
        released = records[known.rows]
        rows = (np.cumsum(records) - 1)[known.rows[released]]
        pairs, of_record = np.unique(known.pair[released], return_inverse=True)
        counts = count_codes(of_record, len(pairs), None if counted is None else counted[rows])
        a = np.searchsorted(tuples, self.a[pairs])
        masked, b = np.unique(self.b[pairs], return_inverse=True)
        original = count_codes(of_original, len(tuples), counted)
        suppressed = original - np.bincount(a, weights=counts, minlength=len(tuples)).astype(np.int64)
        of_masked = np.bincount(b, weights=counts, minlength=len(masked)).astype(np.int64)
        part = replace(
            self,
            original=Side(self.original.indices[tuples], original),
            masked=Side(self.masked.indices[masked], of_masked),
            a=a.astype(np.int32),
            b=b.astype(np.int32),
            counts=counts,
            suppressed=suppressed,
            record_pairs=RecordPairs(of_record.astype(np.int32), rows, of_original.astype(np.int32), counted),
        )
        return part, tuples.astype(np.int64)

    def restricted(self, names: tuple[str, ...]) -> Pairing:
        """The same records in some of the attributes only."""
        unknown = [name for name in names if name not in self.names]
        if unknown or not names:
            raise TableError(
                f"The columns that an intruder knows must be quasi-identifiers: {join_some(self.names)}. "
                f"Got {join_some(unknown) if unknown else 'none'} instead.",
                parameter="known",
            )
        at = [self.names.index(name) for name in names]
        sides, numbers = [], []
        for side in (self.original, self.masked):
            sizes = [int(side.indices[:, j].max(initial=0)) + 1 for j in at]
            number, firsts = group_rows([side.indices[:, j] for j in at], sizes)
            counts = np.bincount(number, weights=side.counts, minlength=len(firsts)).astype(np.int64)
            sides.append(Side(np.ascontiguousarray(side.indices[firsts][:, at]), counts))
            numbers.append(number)
        a, b = numbers[0][self.a], numbers[1][self.b]
        pair, firsts = _number_pairs(a, b, len(sides[0]), len(sides[1]))
        suppressed = np.bincount(numbers[0], weights=self.suppressed, minlength=len(sides[0])).astype(np.int64)
        return replace(
            self,
            names=names,
            columns=tuple(self.columns[j] for j in at),
            spaces=tuple(self.spaces[j] for j in at),
            points=tuple(self.points[j] for j in at),
            original=sides[0],
            masked=sides[1],
            a=a[firsts],
            b=b[firsts],
            counts=np.bincount(pair, weights=self.counts, minlength=len(firsts)).astype(np.int64),
            suppressed=suppressed,
            record_pairs=None
            if self.record_pairs is None
            else self.record_pairs._replace(
                pair=pair[self.record_pairs.pair], tuples=numbers[0][self.record_pairs.tuples]
            ),
        )


def _number_pairs(a: IntArray, b: IntArray, before: int, after: int) -> tuple[IntArray, NDArray[np.int64]]:
    """The index of each pair among the distinct ones, and the first entry of each. Both may be empty."""
    return group_rows([a, b], [before, after]) if len(a) else (a, np.empty(0, dtype=np.int64))


def _fits(data: Microdata, masked: MaskedData | MaskedTuples) -> bool:
    """Whether masked data can come from this table: the same columns, domains and number of records."""
    if list(masked.columns) != list(data.quasi_identifiers):
        return False
    if isinstance(masked, MaskedData) and masked.original_records != len(data):
        return False
    return all(ours.has_same_domain(masked.columns[name]) for name, ours in data.quasi_identifiers.items())


def columns_under(
    data: Microdata,
    distance: DistanceOf | Mapping[str, DistanceOf] | None,
    scope: Literal["domain", "ontology"] | None,
) -> tuple[Column, ...]:
    """The quasi-identifiers under the distances that evaluate. An unknown distance is an error."""
    _check_names(distance, data)
    return tuple(_under(column, distance, scope) for column in data.quasi_identifiers.values())


def _under(column: Column, distance: Any, scope: Literal["domain", "ontology"] | None) -> Column:
    """A column under the distance that evaluates."""
    by_name = isinstance(distance, Mapping) and "name" not in distance
    return column.under(distance.get(column.name) if by_name else distance, scope)


def _check_names(distance: Any, data: Microdata) -> None:
    if isinstance(distance, Mapping) and "name" not in distance:
        names = (Nominal.name, ConceptSet.name)
        nominal = [name for name, column in data.quasi_identifiers.items() if column.kind.name in names]
        unknown = [name for name in distance if name not in nominal]
        if unknown:
            raise TableError(
                f"The 'distance' names {join_some(unknown)}. Name quasi-identifiers that hold concepts only.",
                parameter="distance",
            )


def _number_alike(before: FrequencyTable, after: FrequencyTable, j: int) -> tuple[Points, IntArray, IntArray]:
    """The points of both tables in one attribute, and for the values of each table their indices there.

    If the original has no point off the line, suppressed cells count as cells without a point, like kept ones. They are
    at distance 1 from everything else in any case, and distances along a line are faster.
    """
    sides = [(table.columns[j], table.values[j]) for table in (before, after)]
    is_line = not is_off_line(sides[0][1].point).any()
    gaps = [values.kept | (is_off_line(values.point) & is_line) for _, values in sides]
    known = [values.point[~gap] for (_, values), gap in zip(sides, gaps, strict=True)]
    points = join_points(known[0].dtype, np.union1d(*known))
    kept: dict[str | complex | None, int] = {}
    indices = []
    for (column, values), gap in zip(sides, gaps, strict=True):
        index = np.searchsorted(points, values.point).astype(np.int32)
        for v in np.flatnonzero(gap).tolist():
            text = cell_text(column.cells[values.cell[v]]) if values.kept[v] else complex(values.point[v])
            index[v] = kept.setdefault(text, len(points) + len(kept))
        indices.append(index)
    return points, indices[0], indices[1]
