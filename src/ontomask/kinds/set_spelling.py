"""The text that sets of concepts are released as, and how it is read back.

A set is released as the ids or the labels of its concepts, sorted and joined by the separator. So neither the order nor
the spelling of a cell reveals anything. A label that contains the separator is replaced by the id.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ontomask.base.notes import Note
from ontomask.kinds.base import ANYTHING, Labels, MaskedReader, Release
from ontomask.kinds.spelling import NominalRelease

if TYPE_CHECKING:
    from ontomask.kinds.concept_set import ConceptSetColumn

__all__ = ["ConceptSetReader", "ConceptSetRelease", "split_cell"]


def split_cell(text: str | None, separator: str) -> tuple[str, ...]:
    """The distinct elements of a cell, in order of appearance, without surrounding blanks.

    >>> split_cell(" ache ; rash;;ache", ";"), split_cell(None, ";")
    (('ache', 'rash'), ())
    """
    parts = (part.strip() for part in (text or "").split(separator.strip()))
    return tuple(dict.fromkeys(part for part in parts if part))


class _ElementRelease(NominalRelease):
    """Concepts by id or label, in texts that do not contain the separator."""

    def __init__(self, column: ConceptSetColumn) -> None:
        super().__init__(column.elements, {})
        self._separator = column.kind.separator.strip()

    def find_concept(self, text: str, alone: str | None = None, owner: int | None = None) -> int | None:
        """The concept that a text means; none if the text contains the separator."""
        return None if self._separator in text else super().find_concept(text, alone, owner)


class ConceptSetRelease(Release):
    """Sets as sorted ids or labels of their concepts."""

    _column: ConceptSetColumn

    def __init__(self, column: ConceptSetColumn) -> None:
        super().__init__(column)
        self.elements = _ElementRelease(column)

    def cell(self, point: Any) -> str:
        """The released text of a set."""
        texts = (str(self.elements.cell(code)) for code in self._column.sets[int(point)])
        return self._column.kind.separator.join(sorted(texts))

    def find(self, text: str) -> int | None:
        """The set that a text is read as; ``None`` if one of its elements has no concept."""
        codes = [self.elements.find(part) for part in self._column.kind.split(text)]
        known = [code for code in codes if code is not None]
        return self._column.sets.add(known) if known and len(known) == len(codes) else None


class ConceptSetReader(MaskedReader):
    """Texts to sets of concepts of the domain; a concept wider than the domain counts as its root."""

    def __init__(
        self, column: ConceptSetColumn, release: ConceptSetRelease, mapping: Mapping[str, str], labels: Labels
    ) -> None:
        self._column, self._mapping = column, mapping
        self._elements = column.elements.masked_reader(release.elements, mapping, labels)

    def read(self, text: str | None) -> int:
        """The number of the set. A suppressed cell is the set of the root."""
        if text is None or text == ANYTHING:
            parts: tuple[str | None, ...] = (None,)
        else:
            parts = (text,) if text in self._mapping else self._column.kind.split(text)
        if not parts:
            raise LookupError(text)
        return self._column.sets.add(self._elements.read(part) for part in parts)

    def notes(self) -> list[Note]:
        """Which elements are wider than the domain."""
        return self._elements.notes()
