"""What numeric, ordinal and date columns share: points on a line, ranges of them, and missing cells."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray, Records
from ontomask.base.grouping import count_codes
from ontomask.base.notes import Note
from ontomask.base.text import cell_text
from ontomask.errors import LISTED, Setting, TableError
from ontomask.kinds.base import (
    ANYTHING,
    Column,
    Kind,
    Labels,
    MaskedReader,
    OwnValue,
    Policies,
    Release,
    no_value,
)
from ontomask.kinds.foreign import Span, split_interval, split_set
from ontomask.kinds.generalisations import Generalisations
from ontomask.kinds.own_values import own_text
from ontomask.kinds.policies import OWN_VALUES
from ontomask.operators.line import NumericSpace
from ontomask.operators.ranges import (
    ANY,
    as_complex,
    ends_of,
    is_off_line,
    is_range,
    make_points,
    make_ranges,
    own_point,
)
from ontomask.operators.space import Points

__all__ = ["OrderedColumn", "OrderedKind", "OrderedReader", "OrderedRelease"]


class OrderedKind(Kind):
    """A kind whose cells are either missing or points on a line."""

    def _encode(
        self, name: str, cells: Sequence[object], code: IntArray, policies: Policies, records: Records
    ) -> Column:
        texts = [None if policies.is_missing(cell) else cell_text(cell) for cell in cells]
        missing = np.array([text is None for text in texts])
        wrong = set() if policies.unmapped == "error" else set(self.mismatches(t for t in texts if t is not None))
        unmapped = np.array([text in wrong for text in texts])
        texts = [None if text in wrong else text for text in texts]
        if (missing | unmapped).all():
            raise no_value(name)
        gone = int(count_codes(code, len(cells), records)[missing].sum())
        if gone and policies.missing == "error":
            raise TableError(
                f"The column {name!r} has {gone:,} missing cells. Choose what to do with them: ",
                Setting("policies", "missing", values=["keep", "drop", "root", "category"]),
                ".",
                column=name,
            )
        kept = missing & (policies.missing == "keep") | unmapped & (policies.unmapped in ("keep", "root"))
        dropped = missing & (policies.missing == "drop") | unmapped & (policies.unmapped == "drop")
        column = self._encode_texts(
            name, texts, cells=tuple(cells), code=code, records=records, kept=kept, dropped=dropped
        )
        if self.top is not None and (
            policies.is_missing(self.top) or column.release({}).find_value(self.top) is not None
        ):
            raise TableError(
                f"The text for any value of {name!r} already means something else there. Choose another: ",
                Setting("columns", name, "top"),
                ".",
                column=name,
                parameter="top",
                values=[self.top],
            )
        return column

    @abstractmethod
    def _encode_texts(self, name: str, texts: Sequence[str | None], **parts: Any) -> OrderedColumn:
        """Build the column from the texts of its cells (``None`` for a missing one) and its other parts."""

    def _check_texts(self, name: str, texts: Sequence[str | None], *hint: object) -> None:
        """Raise an error with a hint if the column cannot hold some of the texts."""
        wrong = self.mismatches(text for text in texts if text is not None)
        if wrong:
            raise TableError(
                f"{len(wrong):,} distinct values of the column {name!r} are {self.mismatch}. ",
                *hint,
                " ",
                LISTED,
                column=name,
                values=wrong,
            )


class OrderedColumn(Column):
    """A column whose points lie on a line.

    ``exact_type`` is the type of exact values. In a column with ranges, or with points off the line, all are complex.
    """

    is_ordered = True
    exact_type: ClassVar[type[np.generic]] = np.float64

    @property
    def live(self) -> list[int]:
        """The distinct cells that have a point on the line and occur."""
        return [i for i in super().live if not np.isinf(np.imag(self.point[i]))]

    @cached_property
    def values(self) -> Points:
        """The distinct values on the line, ascending."""
        return np.unique(self.point[self.live].real).astype(self.exact_type)

    @property
    def has_off_line(self) -> bool:
        """Whether some cells are off the line: missing ones that are the root or a value of their own."""
        return bool(is_off_line(self.point[~self.kept]).any())

    @property
    def anything(self) -> complex:
        """`ANY`."""
        return ANY

    def with_own_value(self, which: str, cells: NDArray[np.bool_], policies: Policies) -> Self:
        """The column in which some kept cells are a point off the line."""
        own = OwnValue(own_text(self, which, cells, policies), own_point(OWN_VALUES.index(which) + 1))
        point = np.where(cells, own.point, self.point)
        return replace(self, point=point, kept=self.kept & ~cells, own={**self.own, which: own})

    def generalisations(self, points: Points) -> Generalisations:
        """Wider and wider ranges, up to `ANY`."""
        off = is_off_line(points)
        wider = []
        for ranges in self._ranges(points[~off].real.astype(self.exact_type)):
            level = np.full(len(points), ANY)
            level[~off] = ranges
            wider.append(level)
        return Generalisations.of_levels(np.stack([as_complex(points), *wider, np.full(len(points), ANY)]))

    def key(self, point: Any) -> str | float:
        """The value or range in the form of the kind; a mark and a name for a point off the line."""
        if np.isinf(np.imag(point)):
            return next(key for key, off in self._off_line_keys.items() if off == point)
        return self.line_key(point)

    @cached_property
    def _off_line_keys(self) -> dict[str, complex]:
        """The keys of points off the line. None of them is a category."""
        names = {"": ANY} | {which: own_point(number) for number, which in enumerate(OWN_VALUES, start=1)}
        mark = ANYTHING
        while any(f"{mark}{name}" in self.categories for name in names):
            mark += ANYTHING
        return {f"{mark}{name}": point for name, point in names.items()}

    def points_of_keys(self, keys: Sequence[Any]) -> Points:
        """Points from the form that files keep."""
        off = self._off_line_keys
        found = [off[key] if key in off else self.line_point(key) for key in keys]
        if None in found:
            raise ValueError
        return make_points(found, np.dtype(self.exact_type))

    def line_key(self, point: Any) -> str | float:
        """The value or range in the form that files keep."""
        raise NotImplementedError(f"{type(self).__name__} needs line_key, or its own key.")

    def line_point(self, key: Any) -> Any:
        """The value or range of a key; ``None`` if it has none."""
        raise NotImplementedError(f"{type(self).__name__} needs line_point, or its own points_of_keys.")

    @property
    @abstractmethod
    def outer_ends(self) -> tuple[float, float]:
        """Ends of a range around all values that says nothing about the smallest and the largest of them."""

    def neighbour(self, value: float, *, up: bool) -> float:
        """The next or the previous value."""
        return value + 1 if up else value - 1

    def _ranges(self, points: Points) -> list[Points]:  # noqa: ARG002
        """For each level, the narrowest first, the range of each point. Wider ranges contain the narrower ones."""
        return []

    @property
    @abstractmethod
    def space(self) -> NumericSpace:
        """Distances along the line."""

    @abstractmethod
    def release(self, spellings: Mapping[Any, object]) -> OrderedRelease:
        """How points become text."""

    def masked_reader(self, release: Release, mapping: Mapping[str, str], labels: Labels) -> MaskedReader:
        """A reader of this column's text in a masked table."""
        return OrderedReader(self, release, mapping, labels)


class OrderedRelease(Release):
    """Exact values and ranges as text. A column with ranges is released as text as a whole."""

    _column: OrderedColumn

    @cached_property
    def _own(self) -> dict[str, complex]:
        return {value.text: value.point for value in self._column.own.values()}

    @property
    def _taken(self) -> set[str | None]:
        """Texts that mean something else."""
        return {*self._column.reserved, *self._own}

    @cached_property
    def top(self) -> str:
        """The text for any value."""
        text, taken = self._column.kind.top or ANYTHING, self._taken
        while text in taken:
            text += ANYTHING
        return text

    @abstractmethod
    def exact_cell(self, value: Any) -> object:
        """The cell of an exact value."""

    def exact_text(self, value: Any) -> str:
        """The text of an exact value in a column that has ranges."""
        return cell_text(self.exact_cell(value)) or ""

    @abstractmethod
    def range_text(self, point: complex) -> str:
        """The text of a range."""

    @abstractmethod
    def find_value(self, text: str) -> Any:
        """The exact value or the range that a text means; ``None`` if it means none."""

    def find_foreign(self, text: str) -> Any:
        """What a text of another tool means: an interval, or the narrowest range of a list of values; or ``None``."""
        for span in split_interval(text):
            ends = self._ends_of_span(span)
            if ends is not None:
                return complex(make_ranges(*ends))
        return self._range_of_list(text)

    def _ends_of_span(self, span: Span) -> tuple[float, float] | None:
        """The first and the last value of an interval; ``None`` if an end is not a value, or nothing is between."""
        outer, ends = self._column.outer_ends, []
        for is_high, (text, inside) in enumerate(((span.low, span.low_inside), (span.high, span.high_inside))):
            if text is None:
                ends.append(outer[is_high])
                continue
            point = self.find_value(text)
            if point is None:
                return None
            first, last = (float(end[0]) for end in ends_of(np.array([point])))
            if is_high:
                ends.append(last if inside else self._column.neighbour(first, up=False))
            else:
                ends.append(first if inside else self._column.neighbour(last, up=True))
        return (ends[0], ends[1]) if ends[0] <= ends[1] else None

    def _range_of_list(self, text: str) -> Any:
        for parts in split_set(text):
            found = [self.find_value(part) for part in parts]
            if None not in found:
                low, high = ends_of(as_complex(np.array(found)))
                return complex(make_ranges(low.min(), high.max()))
        return None

    def cell(self, point: Any) -> object:
        """The cell of an exact value, or the text of a range or of a point off the line."""
        if np.isinf(np.imag(point)):
            return next((text for text, own in self._own.items() if own == point), self.top)
        return self.range_text(point) if np.imag(point) else self.exact_cell(np.real(point))

    def cells(self, points: Points) -> list[object]:
        """The cells that all points of a column are released as: all are texts if some are ranges."""
        if not is_range(points).any():
            return [self.exact_cell(value) for value in points.real.tolist()]
        return [str(self.cell(p)) if p.imag else self.exact_text(p.real) for p in points.tolist()]

    def find(self, text: str) -> Any:
        """The exact value or the range that a text means, or the point off the line."""
        if text == self.top:
            return ANY
        return self._own[text] if text in self._own else self.find_value(text)

    def released(self, points: Points) -> Points:
        """The points as they are read back after release."""
        return self.points(self.cells(points))

    def find_label(self, label: str, values: Points) -> tuple[complex, bool]:
        """The range that a label of a hierarchy stands for, and whether the label itself says so.

        A label that can be read as a range of all its values means that range. Any other label, and one that excludes
        some of its values, stands for the narrowest range of its values. It is widened where it would show the smallest
        or the largest value of the column.
        """
        point = ANY if label == ANYTHING else self.find(label)
        low, high = float(values.real.min()), float(values.real.max())
        if point is not None:
            (first,), (last,) = ends_of(as_complex(np.array([point])))
            if first <= low and high <= last:
                return complex(point), True
        space, outer = self._column.space, self._column.outer_ends
        low = min(low, outer[0]) if low == space.low else low
        high = max(high, outer[1]) if high == space.high else high
        return complex(make_ranges(low, high)), False


class OrderedReader(MaskedReader):
    """Texts to points on a line and ranges of them; a label of a hierarchy means a range of its values."""

    def __init__(self, column: OrderedColumn, release: Release, mapping: Mapping[str, str], labels: Labels) -> None:
        assert isinstance(release, OrderedRelease)
        self._column, self._release, self._mapping, self._labels = column, release, mapping, labels
        self._ranges = self._suppressed = 0

    def read(self, text: str | None) -> Any:
        """The point, which may be a range; `ANY` for a suppressed cell."""
        meant = None if text is None else self._mapping.get(text, text)
        point = ANY if meant is None or meant == ANYTHING else self._read(meant)
        if point == ANY:
            self._suppressed += 1
        elif np.imag(point) and not np.isinf(np.imag(point)):
            self._ranges += 1
        return point

    def _read(self, text: str) -> Any:
        below = [point for value in self._labels.get(text, ()) if (point := self._release.find(value)) is not None]
        values = np.array(below)
        if below and not is_range(values).any():
            return self._release.find_label(text, values)[0]
        point = self._release.find(text)
        if point is None:
            point = self._release.find_foreign(text)
        if point is None:
            raise LookupError(text)
        return point if np.imag(point) else np.real(point)

    def notes(self) -> list[Note]:
        """How many ranges were read, and whether cells are suppressed."""
        notes, name = [], self._column.name
        if self._ranges:
            text = "{number:,} intervals of {column!r} are measured by their middle."
            notes.append(Note.of("intervals-read", text, number=self._ranges, column=name))
        if self._suppressed:
            text = "Suppressed cells of {column!r} count as different from every value."
            notes.append(Note.of("cells-suppressed", text, column=name))
        return notes
