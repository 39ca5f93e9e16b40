"""The text that concepts are released as, and how it is read back.

A concept is released in the data's own spelling only where that identifies nobody and is true: at least ten people or
records (k, where that is more) have the spelling, and it names this concept itself. Any other concept is released by
its id where the column holds ids, else by its first label. One column does not mix ids and labels: a spelling of the
other style is not released. ``release`` of `Nominal` asks for ids or labels alone, and ``top`` is the text of the root.
A label that would be read back as another concept gets the id behind it: ``bank (bank.n.02)``. So a released table can
be read without a key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.grouping import number_texts
from ontomask.base.text import cell_text
from ontomask.errors import Setting, TableError, Wording
from ontomask.kinds.base import Release
from ontomask.mapping.decisions import ACCEPTED
from ontomask.mapping.id_forms import REPLACED
from ontomask.mapping.mapper import named_concepts
from ontomask.taxonomy.graph import gather
from ontomask.taxonomy.labels import normalise

if TYPE_CHECKING:
    from ontomask.kinds.base import Policies
    from ontomask.kinds.nominal import NominalColumn

__all__ = ["NominalRelease", "check_top", "find_styles", "safe_spellings"]


def safe_spellings(column: NominalColumn, persons: NDArray[np.integer] | None, least: int) -> dict[Any, object]:
    """The most frequent cell that may be released for each concept; concepts without one are left out.

    At least ``least`` persons (records, where persons are not known) must have the spelling: a rarer one could be a
    person's own words. It must also name the concept: see `_names_its_concept`.
    """
    if column.kind.release != "source":
        return {}
    texts = [cell_text(cell) for cell in column.cells]
    (of_cell,) = number_texts(column.cells)
    holders = column.count_holders(of_cell, len(of_cell), persons)
    live = ~(column.kept | column.dropped) & (holders[of_cell] >= least)
    names_itself = _names_its_concept(column)
    other = "label" if column.holds_ids else "id"
    best: dict[Any, int] = {}

    def rank(i: int) -> tuple[int, str]:
        # Of equally frequent spellings the first by text, wherever they are in the table.
        return -int(holders[of_cell[i]]), texts[i] or ""

    for i in np.flatnonzero(live).tolist():
        text, point = texts[i], int(column.point[i])
        if text is None or text not in names_itself or column.styles.get(text) == other:
            continue
        if point not in best or rank(i) < rank(best[point]):
            best[point] = i
    return {point: column.cells[i] for point, i in best.items()}


def _names_its_concept(column: NominalColumn) -> set[str]:
    """The values that name the concept they were mapped to, and nothing narrower.

    A value that was found by its id or label does. A value that the user mapped does if it is a name of that concept,
    or if the mapping says that it is equivalent; not if the mapping says that it is narrower, broader or related. A
    withdrawn id and a value that is only similar to a label do not. A
    code of another source (a cross-reference) does if it is the only such code of the concept. Any other value does if
    no other value means the concept and no value of the data lies below it. Otherwise other records would be released
    under this word, which may be narrower than the concept.
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
            is_name = value.concept in senses if senses else alone or value.relation == "equivalent"
            is_name = is_name and value.relation in ("", "equivalent")
        elif value.rule in (ACCEPTED, REPLACED):
            is_name = False
        elif value.rule in codes_of:
            is_name = alone or codes_of[value.rule][value.concept] == 1
        else:
            is_name = True
        if is_name:
            found.add(value.value)
    return found


def find_styles(column: NominalColumn) -> dict[str, str]:
    """The values that are written as an ``id`` (or an alias of one) or as a ``label``.

    A value that the user mapped has no style. Where ids are not codes, neither has one whose concept has its id among
    its labels.
    """
    styles, domain = {}, column.domain
    codes = domain.annotations.code_ids
    for value in column.mapping.values:
        if value.concept is None or value.rule in ("explicit", "unmapped", ACCEPTED) or value.concept not in domain:
            continue
        if codes or normalise(value.concept) not in map(normalise, domain.labels(value.concept)):
            styles[value.value] = "label" if value.rule in ("label", "stem") else "id"
    return styles


def check_top(column: NominalColumn, top: str, policies: Policies) -> None:
    """Raise an error if the text for the root already means something else in the column."""
    kept = {cell_text(column.cells[i]) for i in np.flatnonzero(column.kept)}
    if policies.is_missing(top) or top in kept or NominalRelease(column, {}).find_concept(top) not in (None, 0):
        raise TableError(
            f"The text for any value of {column.name!r} already means something else there. Choose another: ",
            Setting("columns", column.name, "top"),
            ".",
            column=column.name,
            parameter="top",
            values=[top],
        )


class NominalRelease(Release):
    """Concepts in the data's own spelling, or by code or label."""

    _column: NominalColumn

    def __init__(self, column: NominalColumn, spellings: Mapping[Any, object]) -> None:
        super().__init__(column)
        self._domain = column.domain
        self._spelling = spellings
        self._top = column.kind.top
        self._own = {value.text: int(value.point) for value in column.own.values()}
        self._ids = column.holds_ids
        # Texts that concepts were written as, so that reading them back needs no search.
        self._written: dict[str, int] = {}
        # The first sense of each text that was looked up: many concepts share one label.
        self._senses: dict[str, list[int]] = {}

    @cached_property
    def _read(self) -> dict[str, int]:
        """Every spelling in the data, and the concept it means."""
        column = self._column
        texts = ((cell_text(column.cells[i]), int(column.point[i])) for i in column.live)
        return {text: point for text, point in texts if text is not None}

    @cached_property
    def _normal(self) -> dict[str, int]:
        return {normalise(text): point for text, point in self._read.items() if normalise(text)}

    @cached_property
    def _reserved(self) -> set[str | None]:
        return self._column.reserved

    def cell(self, point: Any) -> object:
        """The data's own spelling; else the id or the label, with the id where the label is ambiguous."""
        point = int(point)
        if point == 0 and self._top is not None:
            return self._top
        for text, code in self._own.items():
            if code == point:
                return text
        if point in self._spelling:
            own = self._spelling[point]
            # Text is released without surrounding blanks, and a code that was read as a float as its digits.
            return cell_text(own) if isinstance(own, str) or self._column.is_released_as_text else own
        name, label = self._domain.ids[point], self._domain.texts.first(point)
        for wording in ("{1}" if self._ids else "{0}", "{0} ({1})", "{1}", "{1} ({1})"):
            text = wording.format(label, name)
            # A label that no other concept has needs no search.
            alone = text if text == label and self._domain.texts.first_is_unique(point) else None
            taken = text in self._reserved or text == self._top
            if not taken and self.find_concept(text, alone, point) == point:
                self._written[text] = point
                return text
        raise TableError(
            f"A concept cannot be released in the column {self._column.name!r}: every text for it already means "
            f"something else there. Map those values to other concepts. ",
            Wording("The concept is in this error's 'values'."),
            column=self._column.name,
            values=[name],
        )

    def find(self, text: str) -> int | None:
        """The concept that a text is read as: the data's own spellings first, then ids, labels, ``label (id)``."""
        if text == self._top:
            return 0
        return self._own[text] if text in self._own else self.find_concept(text)

    def find_concept(self, text: str, alone: str | None = None, owner: int | None = None) -> int | None:
        """As `find` without ``top``; ``alone`` is a label that only the concept ``owner`` has."""
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
