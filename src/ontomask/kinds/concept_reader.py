"""Texts of a masked column as concepts: ours, labels of a hierarchy, and what other tools write for several values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ontomask.base.notes import Cells, Note
from ontomask.base.text import cell_text, read_number
from ontomask.errors import MappingError
from ontomask.kinds.base import ANYTHING, Labels, MaskedReader, Release
from ontomask.kinds.foreign import split_set, star_pattern
from ontomask.kinds.intervals import read_bounds
from ontomask.mapping.mapper import resolve

if TYPE_CHECKING:
    from ontomask.kinds.nominal import NominalColumn

__all__ = ["ConceptReader"]


class ConceptReader(MaskedReader):
    """Texts to concepts of the domain; a concept wider than the domain counts as its root."""

    def __init__(self, column: NominalColumn, release: Release, mapping: Mapping[str, str], labels: Labels) -> None:
        self._column, self._release, self._mapping, self._labels = column, release, mapping, labels
        self._above = column.kind.taxonomy.subsumers(column.domain.root)
        self._wider: list[str] = []
        self.listed: dict[str, Sequence[int]] = {}

    def read(self, text: str | None) -> int:
        """The concept's code."""
        if text is None or (text == ANYTHING and self._release.find(text) is None):
            return 0
        if text in self._mapping:
            return self._concept(self._mapping[text], text)
        # The labels of the hierarchy that was released take precedence over the ontology.
        values = [self._release.find(value) for value in self._labels.get(text, ())]
        known = {self._column.domain.ids[value] for value in values if value is not None}
        if known:
            return self._column.domain.code(self._column.domain.lcs(*known))
        point: int | None = self._release.find(text)
        if point is not None:
            return point
        # The column's own mapping may name a value that no original record has.
        own = self._column.kind.mapping or {}
        try:
            return self._concept(own.get(text, text), text)
        except (MappingError, LookupError):
            listed = self._list(text)
        if not listed:
            raise LookupError(text)
        self.listed[text] = listed
        domain = self._column.domain
        return domain.code(domain.lcs(*(domain.ids[point] for point in listed)))

    def _list(self, text: str) -> list[int]:
        """The values that a text of another tool stands for: a list, a code with stars, an interval of numbers."""
        values = {cell_text(self._column.cells[i]) or "": int(self._column.point[i]) for i in self._column.live}
        bounds, pattern = read_bounds(text), star_pattern(text)
        if bounds is not None:
            numbers = ((read_number(value), point) for value, point in values.items())
            within = {point for number, point in numbers if number is not None and bounds.holds(number)}
            if within:
                return sorted(within)
        if pattern is not None:
            return sorted({point for value, point in values.items() if pattern.fullmatch(value)})
        for parts in split_set(text):
            found = [self._release.find(part) for part in parts]
            if None not in found:
                return sorted(set(found))
        return []

    def _concept(self, name: str, text: str) -> int:
        domain = self._column.domain
        concept = resolve(self._column.kind.taxonomy, name, domain=domain.root).concept
        if concept in domain:
            return domain.code(concept)
        if concept not in self._above:
            raise LookupError(text)
        self._wider.append(text)
        return 0

    def notes(self) -> list[Note]:
        """Which values are wider than the domain, and how many texts list values."""
        name, notes = self._column.name, []
        if self.listed:
            text = "{number:,} masked texts of {column!r} list values. Each counts as their common subsumer. LM and "
            text += "NCP count the values."
            notes.append(Note.of("lists-read", text, number=len(self.listed), column=name))
        if not self._wider:
            return notes
        return [
            *notes,
            Note.of(
                "wider-than-domain",
                "{number:,} masked values of {column!r} are wider than its domain and count as {root}: {values}.",
                number=len(self._wider),
                column=name,
                root=Cells(name, [self._column.domain.root]),
                values=Cells(name, self._wider),
            ),
        ]
