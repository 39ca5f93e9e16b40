"""What numeric and ordinal columns share: points on a line, missing cells, and intervals that count as their middle."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ontomask.base.arrays import IntArray
from ontomask.base.notes import Note
from ontomask.base.text import cell_text
from ontomask.errors import Setting, TableError
from ontomask.kinds.base import ANYTHING, Column, Kind, Labels, MaskedReader, Policies, Release, no_value
from ontomask.operators.line import lower_median

__all__ = ["OrderedColumn", "OrderedKind", "OrderedReader"]


class OrderedKind(Kind):
    """A kind whose cells are either missing or points on a line."""

    def _encode(self, name: str, cells: Sequence[object], code: IntArray, policies: Policies) -> Column:
        texts = [None if policies.is_missing(cell) else cell_text(cell) for cell in cells]
        missing = np.array([text is None for text in texts])
        if missing.all():
            raise no_value(name)
        records = int(np.bincount(code, minlength=len(cells))[missing].sum())
        if records and policies.missing == "error":
            raise TableError(
                f"The column {name!r} has {records:,} missing cells. Choose what to do with them: ",
                Setting("policies", "missing", values=["keep", "drop"]),
                ".",
                column=name,
            )
        nothing = np.zeros(len(cells), dtype=bool)
        kept = missing if policies.missing == "keep" else nothing
        dropped = missing if policies.missing == "drop" else nothing
        return self._encode_texts(name, texts, cells=tuple(cells), code=code, kept=kept, dropped=dropped)

    @abstractmethod
    def _encode_texts(self, name: str, texts: Sequence[str | None], **parts: Any) -> Column:
        """Build the column from the texts of its cells (``None`` for a missing one) and its other parts."""

    def _check_texts(self, name: str, texts: Sequence[str | None], *hint: object) -> None:
        """Raise an error with a hint if the column cannot hold some of the texts."""
        wrong = self.mismatches(text for text in texts if text is not None)
        if wrong:
            raise TableError(
                f"{len(wrong):,} distinct values of the column {name!r} are {self.mismatch}. ",
                *hint,
                " 'ontomask map' lists them for a job; in Python they are in this error's 'values'.",
                column=name,
                values=wrong,
            )


class OrderedColumn(Column):
    """A column whose points lie on a line."""

    def masked_reader(self, release: Release, mapping: Mapping[str, str], labels: Labels) -> MaskedReader:
        """A reader of this column's text in a masked table."""
        return OrderedReader(self, release, mapping, labels)

    def middle(self, text: str) -> Any:  # noqa: ARG002
        """The middle of an interval that the text describes; ``None`` if it describes none."""
        return None


class OrderedReader(MaskedReader):
    """Texts to points on a line; an interval, or a label of a hierarchy, counts as its middle."""

    def __init__(self, column: OrderedColumn, release: Release, mapping: Mapping[str, str], labels: Labels) -> None:
        self._column, self._release, self._mapping, self._labels = column, release, mapping, labels
        self._middles = self._suppressed = 0

    def read(self, text: str | None) -> Any:
        """The point; ``None`` for a suppressed cell."""
        if text is None or text == ANYTHING:
            self._suppressed += 1
            return None
        text = self._mapping.get(text, text)
        point = self._middle_of_values(self._labels.get(text, ()))
        if point is not None:
            return point
        point = self._release.find(text)
        if point is not None:
            return point
        point = self._column.middle(text)
        if point is None:
            raise LookupError(text)
        self._middles += 1
        return point

    def _middle_of_values(self, values: Iterable[str]) -> Any:
        found = [point for value in values if (point := self._release.find(value)) is not None]
        if not found:
            return None
        self._middles += 1
        points = np.unique(np.array(found, dtype=self._column.point.dtype))
        return lower_median(points, np.ones(len(points), dtype=np.int64))

    def notes(self) -> list[Note]:
        """How many intervals were read as their middle, and whether cells are suppressed."""
        notes, name = [], self._column.name
        if self._middles:
            text = "{number:,} intervals of {column!r} count as their middle."
            notes.append(Note.of("intervals-read", text, number=self._middles, column=name))
        if self._suppressed:
            text = "Suppressed cells of {column!r} count as different from every value."
            notes.append(Note.of("cells-suppressed", text, column=name))
        return notes
