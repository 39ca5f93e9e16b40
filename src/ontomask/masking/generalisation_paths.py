"""What the values of a column can be generalised to: by its kind, or along a hierarchy.

A hierarchy decides which values become equal. What is released is always a point of the column, so that the output can
be read back and compared, and every released cell is true.

- Of a nominal column it is a concept. A label names the concept that the user's ``mapping=`` gives for it, or one that
  has the label as its id or name. If this concept subsumes all values below the label, it is released. Otherwise it is
  the least common subsumer of these values. The top is released as the domain's root. To release the labels themselves,
  use the hierarchy as the ontology: ``Nominal(hierarchy.to_taxonomy())``.
- Of numbers, dates and ordered categories it is a range. A label such as ``20-30`` is released as the range that it
  describes, if this contains all values below the label. Otherwise it is the narrowest range that does. The top is
  released as any value, unless it describes a range.

Values of the hierarchy that the data lack count as well.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.text import cell_text, join_some
from ontomask.distance.information import summed_below
from ontomask.errors import LISTED, MaskingError, Setting
from ontomask.hierarchy import Hierarchy
from ontomask.hierarchy.range_labels import false_ranges
from ontomask.kinds import Column, Generalisations, NominalColumn, OrderedColumn, nominal_columns
from ontomask.mapping.mapper import resolve
from ontomask.microdata import FrequencyTable
from ontomask.operators.ranges import ANY
from ontomask.operators.space import Points
from ontomask.taxonomy import Taxonomy

__all__ = ["GeneralisationPaths", "check_hierarchy", "check_labels"]


@dataclass(frozen=True, eq=False, repr=False)
class GeneralisationPaths(Generalisations):
    """What the values of one column can be generalised to.

    Attributes
    ----------
    name
        The column.
    unnamed
        Labels of a hierarchy that are released as another concept or range than they say.
    leaves
        The leaves of a hierarchy below each node; ``None`` without a hierarchy.
    """

    name: str
    unnamed: tuple[str, ...] = ()
    leaves: NDArray[np.float64] | None = None

    @classmethod
    def of_kind(cls, table: FrequencyTable, j: int) -> GeneralisationPaths:
        """The generalisations of the column's own kind."""
        column, points = _column(table, j)
        # Without points, every cell of this part of the table is kept.
        found = column.generalisations(points) if len(points) else Generalisations.only_top(column.anything)
        return cls(found.graph, found.node, found.point, found.levels, column.name)

    @classmethod
    def over_hierarchy(cls, table: FrequencyTable, j: int, hierarchy: Hierarchy) -> GeneralisationPaths:
        """Paths along the labels of a hierarchy, whose leaves are the column's values as they are spelt."""
        column, every = _column(table, j)
        found = _leaves(table, j, hierarchy)
        leaves, points = [leaf for leaf in found if leaf is not None], every[[leaf is not None for leaf in found]]
        taxonomy = hierarchy.to_taxonomy()
        graph, order = taxonomy.graph.restrict(taxonomy.graph.ancestors(taxonomy.codes(leaves)))
        node_of = {taxonomy.ids[code]: node for node, code in enumerate(order.tolist())}
        node = np.array([node_of[leaf] for leaf in leaves], dtype=np.int32)
        labels = _Labels.of(column)
        released = np.full(len(graph), column.anything)
        released[node] = points
        unnamed = []
        present = dict(zip(leaves, points.tolist(), strict=True))
        for label, values in _inner_labels(labels, taxonomy, hierarchy, present).items():
            if label in node_of:
                released[node_of[label]], is_named = labels.point(label, values, is_top=node_of[label] == 0)
                unnamed += [] if is_named else [label]
        levels = np.stack([released[[node_of[label] for label in hierarchy.levels(leaf)]] for leaf in leaves], axis=1)
        levels[0] = points
        is_leaf = np.isin(taxonomy.ids, hierarchy.leaves).astype(np.float64)
        leaves_below = summed_below(taxonomy, is_leaf)[order]
        made = cls(graph, node, released, levels, column.name, tuple(unnamed), leaves_below)
        return made if len(leaves) == len(found) else made._with_values_below_top(column.anything, found, every)

    def _with_values_below_top(self, top: Any, leaves: Sequence[str | None], points: Points) -> GeneralisationPaths:
        """The paths of all values: those without a leaf are the top, or become it in one step."""
        known = np.array([leaf is not None for leaf in leaves])
        graph, released, leaves_below = self.graph, self.point.copy(), self.leaves
        node = np.zeros(len(points), dtype=np.int32)
        node[known] = self.node
        levels = np.full((len(self.levels), len(points)), top)
        levels[:, known], levels[0] = self.levels, points
        released[0], levels[-1] = top, top
        for i in np.flatnonzero(~known & (points != top)).tolist():
            graph, new = graph.with_child_of_root()
            node[node >= new] += 1
            node[i] = new
            released = np.insert(released, new, points[i])
            assert leaves_below is not None
            leaves_below = np.insert(leaves_below, new, 1.0)
            leaves_below[0] += 1
        return replace(self, graph=graph, node=node, point=released, levels=levels, leaves=leaves_below)


def check_labels(column: Column) -> None:
    """Refuse a nominal column or categories whose ontology or groups have labels that exclude some of their values."""
    domain = column.space.domain
    if domain is None:
        return
    texts = {str(column.key(column.point[i])): int(column.point[i]) for i in column.live}
    false = false_ranges(texts, lambda text: [domain.ids[c] for c in sorted(domain.graph.distances_up(texts[text]))])
    if false:
        raise MaskingError(
            f"{len(false):,} labels above the values of {column.name!r} describe ranges that exclude some of these "
            f"values: {join_some(false)}. They would be released for values that are not in them. Correct the labels, "
            f"for example with with_true_ranges(hierarchy), or declare the column as numbers and use the hierarchy in ",
            Setting("method", "hierarchies"),
            ".",
            column=column.name,
            parameter="hierarchies",
            values=false,
        )


def check_hierarchy(table: FrequencyTable, j: int, hierarchy: Hierarchy) -> None:
    """Refuse a hierarchy that lacks values of the column."""
    _leaves(table, j, hierarchy)


def _column(table: FrequencyTable, j: int) -> tuple[Column, Points]:
    """A column and the points of its values."""
    values = table.values[j]
    return table.columns[j], values.point[~values.kept]


def _leaves(table: FrequencyTable, j: int, hierarchy: Hierarchy) -> list[str | None]:
    """For each value of a column its leaf: its most frequent spelling in the hierarchy, or another name of it.

    Values of missing or unmapped cells need none, and neither does the root if only the policies made it a value.
    """
    column, points = _column(table, j)
    known = set(hierarchy.leaves)
    found: dict[int, str] = {}
    for cell in np.argsort(-column.counts, kind="stable").tolist():
        text = cell_text(column.cells[cell])
        if text in known and column.counts[cell]:
            found.setdefault(int(table.values[j].of_cell[cell]), text)
    value_of = {point: value for value, point in enumerate(points.tolist())}
    for leaf, point in _Labels.of(column).other_names(known.difference(found.values())):
        if point in value_of:
            found.setdefault(value_of[point], leaf)
    free = {value.point for value in column.own.values()}
    mapped = {text for nominal in nominal_columns([column]) for text in nominal.mapping.concepts}
    tops = np.flatnonzero(column.point == column.anything).tolist()
    if not any(column.counts[i] and cell_text(column.cells[i]) in mapped for i in tops):
        free.add(column.anything)
    missing = [value for value, point in enumerate(points.tolist()) if value not in found and point not in free]
    if missing:
        texts = [str(cell_text(column.cells[table.values[j].cell[value]])) for value in missing]
        raise MaskingError(
            f"The hierarchy of {column.name!r} ({len(hierarchy.leaves):,} leaves) lacks {len(missing):,} of the "
            f"column's {len(points):,} values. Add a row for each. ",
            LISTED,
            column=column.name,
            values=texts,
            parameter="hierarchies",
        )
    return [found.get(value) for value in range(len(points))]


def _inner_labels(
    labels: _Labels, taxonomy: Taxonomy, hierarchy: Hierarchy, present: Mapping[str, Any]
) -> dict[str, list[Any]]:
    """Each label above the leaves, with the points of its leaves. Leaves without a meaning here are ignored.

    If a label has several parents, its leaves are below all of them, even if a row names only one parent. Groups climb
    in the graph of all rows, so what is released for a label must be true of every leaf from which it can be reached.
    """
    below: dict[str, list[Any]] = {label: [] for row in hierarchy.rows for label in row if label != row[0]}
    for leaf in hierarchy.leaves:
        point = present[leaf] if leaf in present else labels.value(leaf)
        if point is not None:
            for label in below.keys() & taxonomy.subsumers(leaf):
                below[label].append(point)
    return below


class _Labels(ABC):
    """What the labels of a hierarchy mean in a column."""

    @classmethod
    def of(cls, column: Column) -> _Labels:
        """The labels of a column."""
        if isinstance(column, NominalColumn):
            return _ConceptLabels(column)
        if isinstance(column, OrderedColumn):
            return _RangeLabels(column)
        raise MaskingError(
            f"The column {column.name!r} holds {column.kind.values_in_words}, and no hierarchy can be used for them. "
            f"Leave it out.",
            column=column.name,
            parameter="hierarchies",
        )

    @abstractmethod
    def value(self, leaf: str) -> Any:
        """The point that a leaf means; ``None`` if it means none."""

    @abstractmethod
    def other_names(self, leaves: Iterable[str]) -> Iterator[tuple[str, Any]]:
        """Leaves that do not occur in the data but name a value, with its point."""

    @abstractmethod
    def point(self, label: str, values: Sequence[Any], *, is_top: bool) -> tuple[Any, bool]:
        """The point that a label is released as, given the points below it, and whether the label names it."""


class _ConceptLabels(_Labels):
    """Labels that stand for concepts."""

    def __init__(self, column: NominalColumn) -> None:
        self._column = column

    def value(self, leaf: str) -> int | None:
        """The first sense of the leaf."""
        return next(self._senses(leaf), None)

    def other_names(self, leaves: Iterable[str]) -> Iterator[tuple[str, int]]:
        """Ids of concepts."""
        domain = self._column.domain
        return ((leaf, domain.code(leaf)) for leaf in leaves if leaf in domain)

    def point(self, label: str, values: Sequence[int], *, is_top: bool) -> tuple[int, bool]:
        """The concept that the label names if it subsumes the values, the user's choice first; else their LCS.

        A concept that does not subsume a value would make a released cell false.
        """
        graph = self._column.domain.graph
        if is_top or not values:
            return 0, True
        common = set(graph.common_subsumers(values))
        named = next((point for point in self._senses(label) if point in common), None)
        return (graph.lcs(values), False) if named is None else (named, True)

    def _senses(self, text: str) -> Iterator[int]:
        """The concepts of the domain that a text can mean: by the user's mapping, by id, by name."""
        given, domain = self._given(text), self._column.domain
        if given is not None:
            yield given
        if text in domain:
            yield domain.code(text)
        yield from domain.texts.find(text)

    def _given(self, text: str) -> int | None:
        """The concept that the user's mapping gives for a text, if it is in the domain."""
        kind, domain = self._column.kind, self._column.domain
        target = (kind.mapping or {}).get(text)
        if target is None:
            return None
        concept = resolve(kind.taxonomy, target, domain=domain.root).concept
        return domain.code(concept) if concept in domain else None


class _RangeLabels(_Labels):
    """Labels that stand for ranges of numbers, dates or ordered categories."""

    def __init__(self, column: OrderedColumn) -> None:
        self._release = column.release({})

    def value(self, leaf: str) -> Any:
        """The exact value that the leaf is."""
        point = self._release.find(leaf)
        return None if point is None or np.imag(point) else point

    def other_names(self, leaves: Iterable[str]) -> Iterator[tuple[str, Any]]:
        """Other spellings of values, such as 37 for 37.0."""
        return ((leaf, point) for leaf in sorted(leaves) if (point := self.value(leaf)) is not None)

    def point(self, label: str, values: Sequence[Any], *, is_top: bool) -> tuple[complex, bool]:
        """The range that the label describes if it contains the values, else the narrowest that does."""
        if not values:
            return ANY, True
        point, is_named = self._release.find_label(label, np.array(values))
        return (ANY, True) if is_top and not is_named else (point, is_named)
