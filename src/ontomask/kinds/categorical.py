"""What kinds without an ontology share: values that are concepts themselves, with groups above them.

The values, their groups and a top make a small taxonomy. So everything that works for concepts works for categories:
methods, evaluation, attacks, reports.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray, Records
from ontomask.base.grouping import count_codes, number_texts
from ontomask.base.notes import Note
from ontomask.base.text import cell_text, read_number
from ontomask.errors import Setting
from ontomask.kinds.base import ANYTHING, RARE, Column, Kind, Policies
from ontomask.kinds.category_mapping import CategoryMapping
from ontomask.kinds.groups import make_taxonomy
from ontomask.kinds.nominal import Nominal, NominalColumn, check_not_mixed
from ontomask.kinds.public import PublicDomain, not_public
from ontomask.kinds.spelling import NominalRelease
from ontomask.taxonomy import Taxonomy

__all__ = ["CategoricalKind", "CategoryColumn", "CategoryConcepts", "note_rare_categories"]

# A concept's id is on one line, and files cannot hold lone surrogates.
_UNFIT = re.compile("[\n\ud800-\udfff]")


class CategoricalKind(Kind):
    """A kind whose values are concepts themselves.

    The distance of two values is the height of the lowest group that holds both, relative to that of the top
    (`ontomask.Height`). It is 1 for values without a common group, as for the two ends of a range of numbers, so that
    weights mean the same.
    """

    values_in_words: ClassVar[str] = "categories"
    mismatch: ClassVar[str] = "the text for any value, or not on one line"

    @property
    def declared(self) -> frozenset[str]:
        """The values that the user listed. They are nobody's own words."""
        return frozenset()

    @property
    def listed(self) -> tuple[str, ...] | None:
        """All values that the column can have, if the user listed them."""
        return None

    @abstractmethod
    def groups_of(self, counts: Mapping[str, int]) -> Mapping[str, str]:
        """The group above each value and above each group, given the values and their numbers of records."""

    def mismatches(self, texts: Iterable[str]) -> list[str]:
        """The texts that cannot be values."""
        known = None if self.listed is None else {*self.listed, *self.declared}
        return [
            text
            for text in texts
            if text == (self.top or ANYTHING) or _UNFIT.search(text) or (known is not None and text not in known)
        ]

    def map(self, counts: Mapping[Any, int], column: str, missing_tokens: Sequence[str]) -> CategoryMapping:
        """The values of each group, and those without a group."""
        texts, missing = _count_texts(counts.items(), missing_tokens)
        values, above = self._values_and_groups(texts)
        root = self.top or ANYTHING
        return CategoryMapping.of(column, texts, missing, is_known=values.__contains__, above=above, root=root)

    def _values_and_groups(self, texts: Mapping[str, int]) -> tuple[dict[str, int], dict[str, str]]:
        """The texts that can be values, and the group above each value and group; a group called like the top is it."""
        wrong, top = set(self.mismatches(texts)), self.top or ANYTHING
        values = {text: count for text, count in texts.items() if text not in wrong}
        return values, {low: high for low, high in self.groups_of(values).items() if top not in (low, high)}

    def _encode(
        self, name: str, cells: Sequence[object], code: IntArray, policies: Policies, records: Records
    ) -> Column:
        check_not_mixed(name, cells)
        counts = count_codes(code, len(cells), records).tolist()
        texts, _ = _count_texts(zip(cells, counts, strict=True), policies.missing_tokens)
        values, above = self._values_and_groups(texts)
        anything = self.top or ANYTHING
        concepts = CategoryConcepts(
            make_taxonomy(values if self.listed is None else self.listed, above, anything),
            "height",
            weight=self.weight,
            top=self.top,
            anything=anything,
            above=above,
            declared=self.declared,
            listed=self.listed,
        )
        return concepts._encode(name, cells, code, policies, records)


def _count_texts(cells: Iterable[tuple[Any, int]], missing_tokens: Sequence[str]) -> tuple[Counter[str], int]:
    """The records of each text, and the number of missing cells."""
    texts: Counter[str] = Counter()
    missing = 0
    for cell, count in cells:
        text = cell_text(cell)
        if text is None or text in missing_tokens:
            missing += count
        else:
            texts[text] += count
    return texts, missing


@dataclass(frozen=True, eq=False)
class CategoryConcepts(Nominal):
    """The categories of one column as a nominal kind, with the taxonomy that is made when the column is encoded.

    ``anything`` is the top, ``above`` the group of each value and group, and ``declared`` what the user listed.
    ``listed`` are all values that the column can have, if the user said so.
    """

    name: ClassVar[str] = "category"
    values_in_words: ClassVar[str] = CategoricalKind.values_in_words
    mismatch: ClassVar[str] = "not among its values and groups"

    anything: str = ANYTHING
    above: Mapping[str, str] = field(default_factory=dict)
    declared: frozenset[str] = frozenset()
    listed: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        # The taxonomy holds values of the column: they must not show in tracebacks and logs.
        return f"<{len(self.taxonomy):,} categories and groups>"

    def map(self, counts: Mapping[Any, int], column: str, missing_tokens: Sequence[str]) -> CategoryMapping:
        """Each value as the concept that it is."""
        texts, missing = _count_texts(counts.items(), missing_tokens)

        def is_known(text: str) -> bool:
            return text in self.taxonomy and text != self.anything

        root = self.taxonomy.root
        return CategoryMapping.of(column, texts, missing, is_known=is_known, above=self.above, root=root)

    def _domain_of(self, concepts: Sequence[str], has_others: bool) -> Taxonomy:
        """All groups up to the top, if there are other cells: a group that all values share may be false for them."""
        public = self.listed is not None
        return self.taxonomy if has_others or public else super()._domain_of(concepts, has_others)

    def _column(self, *parts: Any, records: Records) -> CategoryColumn:
        return CategoryColumn(*parts, records=records)


@dataclass(frozen=True, eq=False, repr=False)
class CategoryColumn(NominalColumn):
    """Categories: a point is a code in the taxonomy of the values and their groups."""

    kind: CategoryConcepts

    def safe_spellings(self, persons: NDArray[np.integer] | None, least: int) -> dict[Any, object]:  # noqa: ARG002
        """The cell of each value: a category has no other name."""
        return {int(self.point[i]): self.cells[i] for i in reversed(self.value_cells)}

    def public_domain(self, distance: Any) -> PublicDomain:  # noqa: ARG002
        """The values that the user listed, not their groups. The distance is a part of the kind."""
        if self.kind.listed is None:
            listed = Setting("columns", self.name, "values")
            raise not_public(
                self,
                "Its categories are those that occur. List all values that it can have, without looking at the data: ",
                listed,
                " of Category.",
                parameter="values",
            )
        return self._concept_domain(self, np.sort(self.domain.codes(self.kind.listed)))

    def without_data(self) -> CategoryColumn:
        """The column as the user described it. Whether its cells are numbers is a part of the table's schema."""
        column = super().without_data()
        assert isinstance(column, CategoryColumn)
        column.__dict__["holds_numbers"] = self.holds_numbers
        return column

    @property
    def value_cells(self) -> list[int]:
        """The distinct cells that are values: not those that became the top, nor a value for other cells."""
        others = {value.point for value in self.own.values()}
        live = [i for i in self.live if int(self.point[i]) not in others]
        return [i for i in live if cell_text(self.cells[i]) == self.key(self.point[i])]

    def release(self, spellings: Mapping[Any, object]) -> CategoryRelease:
        """Values as they are in the data, groups by their names."""
        return CategoryRelease(self, spellings)

    @property
    def is_released_as_text(self) -> bool:
        """Numbers stay numbers unless a group or the top is released."""
        return False

    @cached_property
    def holds_numbers(self) -> bool:
        """Whether cells are numbers."""
        return any(isinstance(cell, (int, float)) and not isinstance(cell, bool) for cell in self.cells)

    def under(self, distance: Any, scope: Any) -> Self:  # noqa: ARG002
        """The column itself: its distance is a part of the kind."""
        return self

    def describe_distance(self, may_name: Callable[[str], bool]) -> str:  # noqa: ARG002
        """The distance in a few words."""
        return "height of the common group" if self.domain.graph.max_depth > 1 else "0 if equal, else 1"


class CategoryRelease(NominalRelease):
    """Categories as they are in the data, and groups by their names."""

    _column: CategoryColumn

    def cell(self, point: Any) -> object:
        """As for concepts. A category that the data do not have is a number if the column holds numbers."""
        cell = super().cell(point)
        if not isinstance(cell, str) or not self._column.holds_numbers or int(point) in self._spelling:
            return cell
        number = read_number(cell)
        return cell if number is None else int(number) if number.is_integer() else number

    def find(self, text: str) -> int | None:
        """The category or group of a text; a number may be written with other decimals, such as 1.0 for 1."""
        found = super().find(text)
        if found is None and self._column.holds_numbers:
            digits = cell_text(read_number(text))
            found = None if digits is None else super().find(digits)
        return found


def note_rare_categories(column: Column, persons: NDArray[np.integer] | None) -> list[Note]:
    """A note on values of a column of categories that few have and that the user has not listed."""
    if not isinstance(column, CategoryColumn):
        return []
    (of_cell,) = number_texts(column.cells)
    held = column.count_holders(of_cell, len(of_cell), persons)[of_cell]
    texts = {cell_text(column.cells[i]) for i in column.value_cells if held[i] < RARE}
    rare = len(texts - column.kind.declared)
    if not rare:
        return []
    text = (
        "Values of {column!r} that fewer than {rare} records (or persons) have: {number:,}. A method that does not "
        "guarantee k-anonymity can release their texts as they are. If you use one, check that none is a person's own "
        "words, or put rare values into groups."
    )
    return [Note.of("rare-categories", text, number=rare, column=column.name, rare=RARE)]
