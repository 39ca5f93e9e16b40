"""From points to the text that is released, and from that text back to points.

A concept is released in the data's own spelling only where that gives nobody away and is true: at least ten holders
(k, where that is more) have it in this spelling, and the spelling names this concept itself. Any other concept is
released by its id where the column holds codes, else by its first label. A label that would be read back as another
concept gets the id behind it: ``bank (bank.n.02)``. So a released table can be read without a key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ontomask.base.grouping import count_holders, number_texts
from ontomask.base.text import cell_text
from ontomask.errors import TableError
from ontomask.mapping.mapper import named_concepts
from ontomask.microdata.cells import read_number
from ontomask.microdata.columns import Column, NominalColumn, NumericColumn, OrdinalColumn
from ontomask.taxonomy.graph import gather
from ontomask.taxonomy.labels import normalise

__all__ = ["Release", "release_of", "safe_spellings"]


class Release(Protocol):
    """How one column's points are written and read."""

    def cell(self, point: Any) -> object:
        """The cell that a point is released as."""
        ...

    def points(self, cells: Sequence[object]) -> NDArray[Any]:
        """The points of released cells; what cannot be read is an error that lists it."""
        ...


def release_of(column: Column, spellings: Mapping[Any, object]) -> Release:
    """The way a column is released; ``spellings`` are those that `safe_spellings` allows."""
    if isinstance(column, NominalColumn):
        return NominalRelease(column, spellings)
    if isinstance(column, NumericColumn):
        return NumericRelease(column)
    assert isinstance(column, OrdinalColumn)
    return OrdinalRelease(column)


def safe_spellings(column: Column, persons: NDArray[np.integer] | None, least: int) -> dict[Any, object]:
    """By concept the commonest cell that may be released for it; concepts without one are left out.

    A spelling counts by its holders, persons where these are known, and needs ``least`` of them: a rarer one could be
    a person's own words. It must also name the concept: see `_names_its_concept`.
    """
    if not isinstance(column, NominalColumn):
        return {}
    texts = [cell_text(cell) for cell in column.cells]
    (of_cell,) = number_texts(column.cells)
    holders = count_holders(of_cell[column.code], len(of_cell), persons)
    live = ~(column.kept | column.dropped) & (holders[of_cell] >= least)
    names_itself = _names_its_concept(column)
    best: dict[Any, int] = {}
    for i in np.flatnonzero(live).tolist():
        text, point = texts[i], int(column.point[i])
        if text is None or text not in names_itself:
            continue
        if point not in best or holders[of_cell[i]] > holders[of_cell[best[point]]]:
            best[point] = i
    return {point: column.cells[i] for point, i in best.items()}


def _names_its_concept(column: NominalColumn) -> set[str]:
    """The values that name the concept they were mapped to, and nothing narrower.

    A value that was found by its id or label does. One that the user mapped by hand does where it is a name of that
    concept, and a code of another source (a cross-reference) where it is the only such code of the concept. Otherwise
    the word or code stands for the concept as long as no other value means it, however that was found, and no value of
    the data lies below it: else others would be released under this word, which may be narrower than the concept.
    """
    domain = column.domain
    mapped = [v for v in column.mapping.values if v.concept is not None and v.concept in domain]
    values_of = Counter(v.concept for v in mapped)
    graph = domain.graph
    present = np.unique(domain.codes([v.concept for v in mapped if v.concept is not None]))
    wider = set(graph.ancestors(gather(graph.parent_start, graph.parent, present)).tolist())
    aliases = domain.annotations.aliases
    codes_of = {
        kind: Counter(concept for concepts in aliases[kind].values() for concept in concepts)
        for kind in {v.rule for v in mapped} & set(aliases)
    }
    found = set()
    for value in mapped:
        assert value.concept is not None
        alone = values_of[value.concept] == 1 and domain.code(value.concept) not in wider
        if value.rule == "explicit":
            senses = named_concepts(domain, value.value)
            is_name = value.concept in senses if senses else alone
        elif value.rule in codes_of:
            is_name = alone or codes_of[value.rule][value.concept] == 1
        else:
            is_name = True
        if is_name:
            found.add(value.value)
    return found


class NominalRelease:
    """Concepts as the data spell them, or by code or label."""

    def __init__(self, column: NominalColumn, spellings: Mapping[Any, object]) -> None:
        self._column = column
        self._domain = column.domain
        self._spelling = spellings
        rules = column.mapping.rules
        by_code = sum(n for rule, n in rules.items() if rule not in ("explicit", "label", "stem", "unmapped"))
        by_word = rules.get("label", 0) + rules.get("stem", 0)
        self._codes = self._domain.annotations.code_ids and by_code >= by_word
        # Texts that concepts were written as, so that reading them back is no second search.
        self._written: dict[str, int] = {}
        # The first sense of texts that were looked up: many concepts share one label.
        self._senses: dict[str, list[int]] = {}

    @cached_property
    def _read(self) -> dict[str, int]:
        """Every spelling of the data, by its text, and the concept it stands for."""
        column = self._column
        live = ~(column.kept | column.dropped) & (column.counts > 0)
        texts = ((cell_text(column.cells[i]), int(column.point[i])) for i in np.flatnonzero(live))
        return {text: point for text, point in texts if text is not None}

    @cached_property
    def _normal(self) -> dict[str, int]:
        return {normalise(text): point for text, point in self._read.items() if normalise(text)}

    @cached_property
    def _kept(self) -> set[str | None]:
        """Texts that stand in the table as they are: no concept may be released under them."""
        return {cell_text(self._column.cells[i]) for i in np.flatnonzero(self._column.kept)}

    def cell(self, point: Any) -> object:
        """The data's own spelling; else the code, or the label, told apart by the id where need be."""
        point = int(point)
        if point in self._spelling:
            own = self._spelling[point]
            # Text goes out without blanks around it, and a code read as a float as its digits (250.0 is no code).
            return cell_text(own) if isinstance(own, (float, str)) else own
        name, label = self._domain.ids[point], self._domain.texts.first(point)
        for wording in ("{1}" if self._codes else "{0}", "{0} ({1})", "{1}", "{1} ({1})"):
            text = wording.format(label, name)
            # A label that nothing else has needs no search.
            alone = text if text == label and self._domain.texts.first_is_unique(point) else None
            if text not in self._kept and self._find(text, alone, point) == point:
                self._written[text] = point
                return text
        raise TableError(
            f"A concept cannot be released in the column {self._column.name!r}: every text for it already stands for "
            f"something else there. Map those values to other concepts. The concept is in this error's 'values'.",
            column=self._column.name,
            values=[name],
        )

    def points(self, cells: Sequence[object]) -> NDArray[Any]:
        """Concepts of released cells."""
        texts = [cell_text(cell) for cell in cells]
        found = [None if text is None else self.find(text) for text in texts]
        unread = [str(text or "a missing cell") for text, point in zip(texts, found, strict=True) if point is None]
        if unread:
            raise TableError(
                f"The column {self._column.name!r} holds {len(unread):,} values that are neither in the original data "
                f"nor concepts of its domain. Say what they mean in 'mapping'. They are in this error's 'values'.",
                column=self._column.name,
                values=unread,
            )
        return np.array(found, dtype=np.int32)

    def find(self, text: str) -> int | None:
        """The concept that a text is read as: the data's own spellings first, then ids, labels, ``label (id)``."""
        return self._find(text)

    def _find(self, text: str, alone: str | None = None, owner: int | None = None) -> int | None:
        """The same; ``alone`` is a label that only its ``owner`` has."""
        if text in self._read:
            return self._read[text]
        if text in self._written:
            return self._written[text]
        if text in self._domain:
            return self._domain.code(text)
        alias = self._domain.find_alias(text)
        if alias is not None:
            return self._domain.code(alias[1][0])
        normal = normalise(text)
        if normal in self._normal:
            return self._normal[normal]
        if normal and text == alone:
            return owner
        if text not in self._senses:
            self._senses[text] = self._domain.texts.find(text, normal)[:1]
        if self._senses[text]:
            return self._senses[text][0]
        return next((self._domain.code(name) for name in named_concepts(self._domain, text)), None)


class NumericRelease:
    """Numbers, rounded to the decimals that the data have; whole numbers stay whole.

    Where the data hold numbers as text, all are written in one style, the commonest of two: with a fixed number of
    decimals (``2.50``) or without closing zeros (``2.5``). A rare way to write a number would point to its record.
    """

    def __init__(self, column: NumericColumn) -> None:
        self._column = column
        live = np.flatnonzero(~(column.kept | column.dropped) & (column.counts > 0)).tolist()
        self._cells = {float(column.point[i]): column.cells[i] for i in reversed(live)}
        self._is_text = any(isinstance(column.cells[i], str) for i in live)
        self._fixed = self._is_text and self._mostly_fixed(live)

    def _mostly_fixed(self, live: Sequence[int]) -> bool:
        column, votes = self._column, 0
        for i in live:
            fixed, short = (_written(float(column.point[i]), column.decimals, style) for style in (True, False))
            text = cell_text(column.cells[i])
            votes += int(column.counts[i]) * ((text == fixed) - (text == short))
        return votes > 0

    def cell(self, point: Any) -> object:
        """The number, rounded to the data's decimals."""
        decimals = self._column.decimals
        value = float(point)
        if value not in self._cells:
            value = round(value, decimals)
        if self._is_text:
            return _written(value, decimals, self._fixed)
        return self._cells.get(value, int(value) if decimals == 0 else value)

    def points(self, cells: Sequence[object]) -> NDArray[Any]:
        """Numbers of released cells."""
        found = [read_number(cell) for cell in cells]
        wrong = sum(number is None or number != number for number in found)
        if wrong:
            raise TableError(f"the column {self._column.name!r} holds {wrong:,} cells that are no numbers.")
        return np.array(found, dtype=np.float64)


def _written(value: float, decimals: int, fixed: bool) -> str:
    """A number as text, with all decimals or without closing zeros.

    >>> _written(2.5, 2, fixed=True), _written(2.5, 2, fixed=False), _written(3.0, 2, fixed=False)
    ('2.50', '2.5', '3')
    """
    text = format(value + 0.0, f".{decimals}f")  # no sign on a zero
    return text if fixed or "." not in text else text.rstrip("0").rstrip(".")


class OrdinalRelease:
    """Categories as they were declared; categories that are numbers in the data stay numbers."""

    def __init__(self, column: OrdinalColumn) -> None:
        self._column = column
        live = np.flatnonzero(~(column.kept | column.dropped) & (column.counts > 0)).tolist()
        self._numbers = {int(column.point[i]): column.cells[i] for i in live if not isinstance(column.cells[i], str)}

    def cell(self, point: Any) -> object:
        """The category."""
        return self._numbers.get(int(point), self._column.categories[int(point)])

    def points(self, cells: Sequence[object]) -> NDArray[Any]:
        """Places of released categories."""
        place = {category: i for i, category in enumerate(self._column.categories)}
        texts = [cell_text(cell) or "" for cell in cells]
        unread = [text for text in texts if text not in place]
        if unread:
            raise TableError(
                f"The column {self._column.name!r} holds {len(unread):,} values that are no category. Replace them by "
                f"categories; they are in this error's 'values'.",
                column=self._column.name,
                values=unread,
            )
        return np.array([place[text] for text in texts], dtype=np.int32)
