"""What the values of a column can be generalised to, along its own ontology or along a hierarchy.

A hierarchy decides which values become equal. What is released is always a concept of the column's domain, so that the
output can be read back and compared. For a label this is the concept that the user's ``mapping=`` gives for it, or one
that has the label as its id or name, if that concept subsumes all values below the label. Otherwise it is the least
common subsumer of these values, including values of the domain that the data lack. So every released cell is true. The
top is released as the domain's root. To release the labels themselves, use the hierarchy as the ontology:
``Nominal(hierarchy.to_taxonomy())``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ontomask.base.arrays import IntArray
from ontomask.base.text import cell_text
from ontomask.errors import MaskingError
from ontomask.hierarchy import Hierarchy
from ontomask.kinds import NominalColumn, nominal_columns
from ontomask.mapping.mapper import resolve
from ontomask.microdata import FrequencyTable
from ontomask.taxonomy.graph import Graph

__all__ = ["GeneralisationPaths", "check_hierarchy"]


@dataclass(frozen=True, eq=False, repr=False)
class GeneralisationPaths:
    """What the values of one column can be generalised to.

    Attributes
    ----------
    name
        The column.
    graph
        The concepts or labels above the values, the root first.
    node
        The node of each distinct value of the column, except kept cells.
    point
        For each node the concept of the domain that it is released as.
    levels
        For each level (row) the concept that each value is released as. Level 0 has the values themselves.
    unnamed
        Labels of a hierarchy that are released as the least common subsumer of their values.
    """

    name: str
    graph: Graph
    node: IntArray
    point: IntArray
    levels: IntArray
    unnamed: tuple[str, ...] = ()

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.levels) - 1

    @property
    def is_nested(self) -> bool:
        """Whether values that are equal on a level are equal on all levels above it."""
        pairs = (np.unique(self.levels[low : low + 2].T, axis=0)[:, 0] for low in range(self.height))
        return all(len(np.unique(lower)) == len(lower) for lower in pairs)

    @classmethod
    def over_ontology(cls, table: FrequencyTable, j: int) -> GeneralisationPaths:
        """Paths along the is-a links of the column's own domain.

        Levels cut the domain by depth: level l replaces each deeper value by its subsumer l links above the deepest
        value. A value with several parents follows the deepest parent, the first of equals, so that it passes through
        every depth above it once.
        """
        column, points = _nominal(table, j)
        domain = column.domain.graph
        graph, order = domain.restrict(domain.ancestors(points))
        local = np.zeros(len(domain), dtype=np.int32)
        local[order] = np.arange(len(order), dtype=np.int32)
        above = _deepest_parents(graph)
        levels = [local[points]]
        for depth in range(int(graph.depth[levels[0]].max()) - 1, -1, -1):
            levels.append(np.where(graph.depth[levels[-1]] > depth, above[levels[-1]], levels[-1]))
        return cls(column.name, graph, local[points], order, order[np.stack(levels)])

    @classmethod
    def over_hierarchy(cls, table: FrequencyTable, j: int, hierarchy: Hierarchy) -> GeneralisationPaths:
        """Paths along the labels of a hierarchy, whose leaves are the column's values as they are spelt."""
        column, points = _nominal(table, j)
        leaves = _leaves(table, j, hierarchy)
        taxonomy = hierarchy.to_taxonomy()
        graph, order = taxonomy.graph.restrict(taxonomy.graph.ancestors(taxonomy.codes(leaves)))
        node_of = {taxonomy.ids[code]: node for node, code in enumerate(order.tolist())}
        node = np.array([node_of[leaf] for leaf in leaves], dtype=np.int32)
        released = np.zeros(len(graph), dtype=np.int32)
        released[node] = points
        unnamed = []
        for label, values in _inner_labels(column, hierarchy, dict(zip(leaves, points.tolist(), strict=True))).items():
            if node_of.get(label, 0) > 0:
                named = _named(column, label, values)
                released[node_of[label]] = column.domain.graph.lcs(values) if named is None else named
                unnamed += [label] if named is None else []
        levels = np.stack([released[[node_of[label] for label in hierarchy.levels(leaf)]] for leaf in leaves], axis=1)
        levels[0] = points
        return cls(column.name, graph, node, released, levels, tuple(unnamed))

    @classmethod
    def to_the_root(cls, table: FrequencyTable, j: int) -> GeneralisationPaths:
        """One step from each value to the domain's root, which is what suppressing a cell does."""
        column, points = _nominal(table, j)
        others = points[points > 0]
        size = len(others) + 1
        start = np.concatenate([[0], np.arange(size)]).astype(np.int32)
        depth = np.ones(size, dtype=np.int32)
        depth[0] = 0
        graph = Graph(start, np.zeros(len(others), dtype=np.int32), depth)
        point = np.concatenate([[0], others]).astype(np.int32)
        node = np.searchsorted(point, points).astype(np.int32)
        return cls(column.name, graph, node, point, np.stack([points, np.zeros_like(points)]))


def check_hierarchy(table: FrequencyTable, j: int, hierarchy: Hierarchy) -> None:
    """Refuse a hierarchy that lacks values of the column."""
    _leaves(table, j, hierarchy)


def _nominal(table: FrequencyTable, j: int) -> tuple[NominalColumn, IntArray]:
    """A nominal column and the points of its values."""
    (column,), values = nominal_columns([table.columns[j]]), table.values[j]
    return column, values.point[~values.kept]


def _deepest_parents(graph: Graph) -> IntArray:
    """For each concept its deepest parent, the first of equals; for the root itself."""
    out = np.zeros(len(graph), dtype=np.int32)
    for c in range(1, len(graph)):
        parents = graph.parents(c)
        out[c] = parents[np.argmax(graph.depth[parents])]
    return out


def _leaves(table: FrequencyTable, j: int, hierarchy: Hierarchy) -> list[str]:
    """For each value of a column its leaf: its most frequent spelling in the hierarchy, or its concept's id."""
    column, points = _nominal(table, j)
    known = set(hierarchy.leaves)
    found: dict[int, str] = {}
    for cell in np.argsort(-column.counts, kind="stable").tolist():
        text = cell_text(column.cells[cell])
        if text in known and column.counts[cell]:
            found.setdefault(int(table.values[j].of_cell[cell]), text)
    by_id = {column.key(point): value for value, point in enumerate(points.tolist())}
    for name in known.intersection(by_id).difference(found.values()):
        found.setdefault(by_id[name], name)
    missing = [value for value in range(len(points)) if value not in found]
    if missing:
        texts = [str(cell_text(column.cells[table.values[j].cell[value]])) for value in missing]
        raise MaskingError(
            f"The hierarchy of {column.name!r} ({len(hierarchy.leaves):,} leaves) lacks {len(missing):,} of the "
            f"column's {len(points):,} values. Add a row for each. For a job, 'ontomask map' lists them; in Python, "
            f"this error's 'values' do.",
            column=column.name,
            values=texts,
            parameter="hierarchies",
        )
    return [found[value] for value in range(len(points))]


def _inner_labels(column: NominalColumn, hierarchy: Hierarchy, present: Mapping[str, int]) -> dict[str, list[int]]:
    """Each label above the leaves, with the points of its leaves. Leaves without a concept here are ignored."""
    below: dict[str, list[int]] = {label: [] for row in hierarchy.rows for label in row if label != row[0]}
    for leaf in hierarchy.leaves:
        point = present[leaf] if leaf in present else next(_senses(column, leaf), None)
        if point is not None:
            for label in below.keys() & hierarchy.levels(leaf):
                below[label].append(point)
    return below


def _named(column: NominalColumn, label: str, values: Sequence[int]) -> int | None:
    """The concept that a label names if it subsumes all the label's values, the user's choice first; else ``None``.

    A concept that does not subsume a value would make a released cell false.
    """
    common = set(column.domain.graph.common_subsumers(values)) if values else set()
    return next((point for point in _senses(column, label) if point in common), None)


def _senses(column: NominalColumn, text: str) -> Iterator[int]:
    """The concepts of the domain that a text can mean: by the user's mapping, by id, by name."""
    given = _given(column, text)
    if given is not None:
        yield given
    if text in column.domain:
        yield column.domain.code(text)
    yield from column.domain.texts.find(text)


def _given(column: NominalColumn, text: str) -> int | None:
    """The concept that the user's mapping gives for a text, if it is in the domain."""
    kind = column.kind
    target = (kind.mapping or {}).get(text)
    if target is None:
        return None
    concept = resolve(kind.taxonomy, target, domain=column.domain.root).concept
    return column.domain.code(concept) if concept in column.domain else None
