"""Columns with several concepts in one cell, such as ``HP:0001250;HP:0004322``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray, Records
from ontomask.base.grouping import count_codes
from ontomask.base.text import cell_text
from ontomask.distance import Distance
from ontomask.errors import TableError
from ontomask.kinds.base import Column, Labels, MaskedReader, Policies, Release
from ontomask.kinds.generalisations import Generalisations
from ontomask.kinds.nominal import Nominal, NominalColumn, check_not_mixed
from ontomask.kinds.set_spelling import ConceptSetReader, ConceptSetRelease, split_cell
from ontomask.mapping import ColumnMapping
from ontomask.mapping.report import SetMapping
from ontomask.operators.set_list import Members, SetList
from ontomask.operators.set_measures import set_measure
from ontomask.operators.set_space import ConceptSetSpace
from ontomask.operators.space import Points
from ontomask.taxonomy import Taxonomy
from ontomask.taxonomy.graph import gather

__all__ = ["ConceptSet", "ConceptSetColumn"]


@dataclass(frozen=True, eq=False, repr=False)
class ConceptSet(Nominal):
    """A column whose cells hold several concepts of a taxonomy, in any order.

    Cells are split at the separator. Blanks around an element and repeated elements are ignored. Elements are mapped to
    concepts as the values of a `Nominal` column are. An element that subsumes another one of its cell stays. A cell
    without any element is missing: there is no empty set.

    If an element has no concept, the policy for unmapped values says what to do: ``drop`` the record, ``keep`` the
    whole cell unchanged, or let the element be the ``root``.

    Sets are released as the ids or the labels of their concepts, sorted and joined by the separator.

    Parameters
    ----------
    taxonomy, distance, mapping, domain, scope, weight
        As in `Nominal`, for the elements. A distance must be at most 1.
    separator
        The text between two elements of a cell: one without letters, digits and blanks that no id contains.
    measure
        The distance between two sets. ``average_best_match``: the mean distance of all elements of both sets to the
        nearest element of the other set (Wang 2007). It is no metric. ``matching``: the cost of the cheapest matching
        of the elements, as a share (Ramon and Bruynooghe 2001). It is a metric if the distance is one, but takes much
        longer.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("pain", "symptom"), ("rash", "symptom")])
    >>> frame = pd.DataFrame({"symptoms": ["ache; rash", "rash;colic;rash", "rash", "pain"]})
    >>> data = om.Microdata(frame, {"symptoms": om.ConceptSet(t)})
    >>> om.Microaggregation(k=2).mask(data).guarantee.k
    2
    """

    name: ClassVar[str] = "concept_set"
    values_in_words: ClassVar[str] = "sets of concepts"
    mismatch: ClassVar[str] = "sets with an element that has no concept"

    separator: str = field(default=";", kw_only=True)
    measure: str = field(default="average_best_match", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        mark = self.separator.strip() if isinstance(self.separator, str) else ""
        if not mark or any(c.isalnum() or c.isspace() for c in mark):
            raise TableError(
                "The 'separator' of ConceptSet must be a text such as ';', without letters, digits and blanks. "
                f"Got {self.separator!r} instead.",
                parameter="separator",
            )
        set_measure(self.measure)
        if self.top is not None and mark in self.top:
            raise TableError(
                f"The 'top' of ConceptSet must not contain the separator {mark!r}. Got {self.top!r} instead.",
                parameter="top",
            )
        if isinstance(self.distance, Mapping) and self.distance.get("raw"):
            raise TableError(
                "The 'distance' of ConceptSet must be at most 1, and a raw one counts links. Leave out 'raw'.",
                parameter="distance",
            )

    def __repr__(self) -> str:
        # Keys of the mapping are values of the column: they must not show in tracebacks and logs.
        shown = {f.name: getattr(self, f.name) for f in fields(self)}
        shown["mapping"] = f"<{len(self.mapping):,} values>" if self.mapping else None
        return f"ConceptSet({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def split(self, text: str | None, missing_tokens: Sequence[str] = ()) -> tuple[str, ...]:
        """The distinct elements of a cell, in order of appearance; none for a missing cell."""
        return tuple(part for part in split_cell(text, self.separator) if part not in missing_tokens)

    def map(self, counts: Mapping[Any, int], column: str, missing_tokens: Sequence[str]) -> SetMapping:
        """How the elements of cells with counts map to concepts."""
        is_code = self.taxonomy.annotations.code_ids
        texts = [cell_text(cell, code_column=is_code, column=column) for cell in counts]
        cells = [() if text in missing_tokens else self.split(text, missing_tokens) for text in texts]
        records: Counter[str] = Counter()
        missing = 0
        for elements, count in zip(cells, counts.values(), strict=True):
            records.update(dict.fromkeys(elements, count))
            missing += 0 if elements else count
        mapped = super().map({**records, **({"": missing} if missing else {})}, column, ())
        return _of_cells(mapped, cells, counts.values())

    def mismatches(self, texts: Iterable[str]) -> list[str]:
        """The texts with an element that has no concept."""
        cells = {text: self.split(text) for text in texts}
        unknown = {value.value for value in self.map(dict.fromkeys(cells, 1), "", ()).unmapped}
        return [text for text, elements in cells.items() if not unknown.isdisjoint(elements)]

    def _encode(  # type: ignore[override]
        self, name: str, cells: Sequence[object], code: IntArray, policies: Policies, records: Records
    ) -> ConceptSetColumn:
        check_not_mixed(name, cells)
        is_code, tokens = self.taxonomy.annotations.code_ids, policies.missing_tokens
        texts = [cell_text(cell, code_column=is_code, column=name) for cell in cells]
        found = [() if text in tokens else self.split(text, tokens) for text in texts]
        # A missing cell counts as one missing element.
        parts: list[Sequence[str | None]] = [cell or (None,) for cell in found]
        number = {element: i for i, element in enumerate(dict.fromkeys(part for cell in parts for part in cell))}
        start = np.concatenate([[0], np.cumsum([len(cell) for cell in parts])])
        index = np.array([number[part] for cell in parts for part in cell], dtype=np.int32)
        of_element = None if records is None else np.repeat(records, np.diff(start)[code])
        elements = super()._encode(name, list(number), gather(start, index, code), policies, of_element)
        self._check_separator(elements.domain)
        counts = count_codes(code, len(cells), records).tolist()
        elements = replace(elements, mapping=_of_cells(elements.mapping, found, counts))
        kept, dropped = (
            np.logical_or.reduceat(flags[index], start[:-1]) for flags in (elements.kept, elements.dropped)
        )
        point = elements.point[index]
        live = np.flatnonzero(~(kept | dropped)).tolist()
        sets = {i: tuple(sorted(set(point[start[i] : start[i + 1]].tolist()))) for i in live}
        known = SetList()
        numbers = {one: known.add(one) for one in sorted(set(sets.values()))}
        return ConceptSetColumn(
            name,
            self,
            tuple(self._without_spelling(*given) for given in zip(cells, found, kept.tolist(), strict=True)),
            code,
            np.array([numbers[sets[i]] if i in sets else -1 for i in range(len(cells))], dtype=np.int32),
            kept,
            dropped,
            elements,
            known,
            np.repeat(np.arange(len(code), dtype=np.int32), np.diff(start)[code]),
            records=records,
        )

    def _without_spelling(self, cell: object, elements: Sequence[str], kept: bool) -> object:
        """A cell as it may be released unchanged: the order of elements, blanks and repetitions could identify it."""
        if not elements:
            return None
        return self.separator.join(sorted(elements)) if kept else cell

    def _check_separator(self, domain: Taxonomy) -> None:
        mark = self.separator.strip()
        within = next((name for name in domain.ids if mark in name), None)
        if within is not None:
            raise TableError(
                f"The separator {mark!r} is a part of ids of the taxonomy, such as {within!r}. Choose another one.",
                parameter="separator",
            )


def _of_cells(mapped: ColumnMapping, cells: Iterable[Sequence[str]], records: Iterable[int]) -> SetMapping:
    """The mapping of elements with the number of records that have any, and of those in which all have a concept."""
    known, everything, complete = mapped.concepts, 0, 0
    for elements, count in zip(cells, records, strict=True):
        everything += count if elements else 0
        complete += count if elements and all(element in known for element in elements) else 0
    parts = {f.name: getattr(mapped, f.name) for f in fields(ColumnMapping)}
    return SetMapping(**parts, cells=everything, complete_cells=complete)


@dataclass(frozen=True, eq=False, repr=False)
class ConceptSetColumn(Column):
    """Sets of concepts: a point is the number of a set in ``sets``.

    Attributes
    ----------
    elements
        The elements of all cells as a nominal column, with one entry for each record and element.
    sets
        The column's own list of sets, to which masking adds new ones.
    record_of_element
        The record of each entry of ``elements``.
    """

    kind: ConceptSet
    elements: NominalColumn
    sets: SetList
    record_of_element: IntArray

    holds_sets = True

    @cached_property
    def space(self) -> ConceptSetSpace:
        """Sets under the column's measure and distance."""
        return ConceptSetSpace(self.sets, self.elements.space, set_measure(self.kind.measure), self.kind.weight)

    @property
    def mapping(self) -> ColumnMapping:
        """How the elements were mapped."""
        return self.elements.mapping

    @property
    def domain(self) -> Taxonomy:
        """The taxonomy of the elements."""
        return self.elements.domain

    @property
    def distance(self) -> Distance:
        """The distance between elements."""
        return self.elements.distance

    @property
    def anything(self) -> int:
        """The set of the root alone."""
        return self.sets.add([0])

    def generalisations(self, points: Points) -> Generalisations:
        """Sets in which every element becomes its subsumer at the same depth: see `Generalisations.over_graph`."""
        members = self.sets.take(points)
        found = []
        for codes in Generalisations.over_graph(self.domain.graph, members.codes).levels:
            elements = codes[members.index]
            ends = zip(members.start[:-1].tolist(), members.start[1:].tolist(), strict=True)
            found.append([self.sets.add(elements[low:high]) for low, high in ends])
        return Generalisations.of_levels(np.array(found, dtype=np.int32))

    def key(self, point: Any) -> str:
        """The ids of the concepts, joined by the separator."""
        ids = sorted(self.domain.ids[code] for code in self.sets[int(point)])
        return self.kind.separator.join(ids)

    def points_of_keys(self, keys: Sequence[Any]) -> NDArray[Any]:
        """Numbers of sets from ids."""
        found = [self.sets.add(self.domain.codes(self.kind.split(key))) for key in keys]
        return np.array(found, dtype=np.int32)

    def release(self, spellings: Mapping[Any, object]) -> ConceptSetRelease:  # noqa: ARG002
        """Sets by the codes or labels of their concepts."""
        return ConceptSetRelease(self)

    def masked_reader(self, release: Release, mapping: Mapping[str, str], labels: Labels) -> MaskedReader:
        """A reader of this column's text in a masked table."""
        assert isinstance(release, ConceptSetRelease)
        return ConceptSetReader(self, release, mapping, labels)

    def names(self, key: Any) -> tuple[str, ...]:
        """The ids of the concepts."""
        return self.kind.split(key)

    def meanings(self, text: str) -> Iterator[int]:
        """The set of the concepts that the elements of a text name, if the column knows it."""
        senses = [list(self.elements.meanings(part)) for part in self.kind.split(text)]
        known = self.sets.find(sense[0] for sense in senses) if senses and all(senses) else None
        return iter(() if known is None else (known,))

    @property
    def is_released_as_text(self) -> bool:
        """Single codes that were read as numbers become text, because several joined ones are no number."""
        return any(cell is not None and not isinstance(cell, str) for cell in self.cells)

    def has_same_domain(self, other: Column) -> bool:
        """Whether the other column has the same concepts, and the same numbers for sets."""
        if not isinstance(other, ConceptSetColumn):
            return False
        return self.elements.has_same_domain(other.elements) and self.sets.agrees_with(other.sets)

    def under(self, distance: Any, scope: Any) -> ConceptSetColumn:
        """The column under another distance or scope; ``None`` keeps its own."""
        elements = self.elements.under(distance, scope)
        assert isinstance(elements.kind, ConceptSet)
        return replace(self, kind=elements.kind, elements=elements)

    def describe_distance(self, may_name: Callable[[str], bool]) -> str:
        """The measure of sets and the distance of their elements."""
        return f"{self.kind.measure} by {self.elements.describe_distance(may_name)}"

    def by_element(self) -> tuple[NominalColumn, NDArray[np.int64]]:
        """The elements of all records as a nominal column, and the record of each entry.

        A kept cell is one kept element.
        """
        kept = self.kept
        members: Members = self.sets.take(np.where(kept, 0, self.point) if len(self.sets) else self.point[:0])
        start = np.concatenate([[0], np.cumsum(np.where(kept, 1, members.sizes))])
        index = np.full(int(start[-1]), len(members.codes), dtype=np.int32)
        index[np.repeat(~kept, np.diff(start))] = members.index[np.repeat(~kept, members.sizes)]
        column = self.elements.with_cells(
            [*(self.domain.ids[code] for code in members.codes.tolist()), None],
            gather(start, index, self.code),
            np.append(members.codes, -1).astype(np.int32),
            np.append(np.zeros(len(members.codes), dtype=bool), True),
        )
        entry = np.repeat(np.arange(len(self.code)), np.diff(start)[self.code])
        return replace(column, records=None if self.records is None else self.records[entry]), entry
