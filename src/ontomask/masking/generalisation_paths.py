"""The ways up of a column's values: what each may be generalised to, over its ontology or over a hierarchy.

A hierarchy decides which values become alike. What is released is always a concept of the column's domain, so that
the output can be read back and compared: the concept that the user's ``mapping=`` gives for a label, or one that has
the label as its id or name, if it subsumes all values below the label; else the least common subsumer of these, values
that the data lack included where the domain has them. So every released cell is true. The top is the domain's root.
Where the labels themselves are wanted, the hierarchy is the ontology: ``Nominal(hierarchy.to_taxonomy())``.
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

__all__ = ["Ways", "check_hierarchy"]


@dataclass(frozen=True, eq=False, repr=False)
class Ways:
    """What the values of one column may become.

    Attributes
    ----------
    name
        The column.
    graph
        What the values climb in: concepts or labels, the root first.
    node
        The node of each distinct value of the column; kept cells have none.
    point
        For each node the concept of the domain that it is released as.
    levels
        For each level (row) what each value is released as: level 0 are the values themselves.
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
        """Whether values that are alike on a level are alike on all levels above it."""
        pairs = (np.unique(self.levels[low : low + 2].T, axis=0)[:, 0] for low in range(self.height))
        return all(len(np.unique(lower)) == len(lower) for lower in pairs)

    @classmethod
    def over_ontology(cls, table: FrequencyTable, j: int) -> Ways:
        """The is-a links of the column's own domain.

        Levels cut the domain by depth: on level l stands, for each value that lies deeper, its subsumer l links above
        the deepest value. Of several parents a value takes the deepest, the first of equals: so it passes through
        every depth above it, once.
        """
        column, points = _nominal(table, j)
        whole = column.domain.graph
        graph, order = whole.restrict(whole.ancestors(points))
        local = np.zeros(len(whole), dtype=np.int32)
        local[order] = np.arange(len(order), dtype=np.int32)
        above = _deepest_parents(graph)
        levels = [local[points]]
        for depth in range(int(graph.depth[levels[0]].max()) - 1, -1, -1):
            levels.append(np.where(graph.depth[levels[-1]] > depth, above[levels[-1]], levels[-1]))
        return cls(column.name, graph, local[points], order, order[np.stack(levels)])

    @classmethod
    def over_hierarchy(cls, table: FrequencyTable, j: int, hierarchy: Hierarchy) -> Ways:
        """The labels of a hierarchy, whose leaves are the column's values as they are spelt."""
        column, points = _nominal(table, j)
        leaves = _leaves(table, j, hierarchy)
        taxonomy = hierarchy.to_taxonomy()
        graph, order = taxonomy.graph.restrict(taxonomy.graph.ancestors(taxonomy.codes(leaves)))
        place = {taxonomy.ids[code]: node for node, code in enumerate(order.tolist())}
        node = np.array([place[leaf] for leaf in leaves], dtype=np.int32)
        released = np.zeros(len(graph), dtype=np.int32)
        released[node] = points
        unnamed = []
        for label, values in _inner_labels(column, hierarchy, dict(zip(leaves, points.tolist(), strict=True))).items():
            if place.get(label, 0) > 0:
                named = _named(column, label, values)
                released[place[label]] = column.domain.graph.lcs(values) if named is None else named
                unnamed += [label] if named is None else []
        levels = np.stack([released[[place[label] for label in hierarchy.levels(leaf)]] for leaf in leaves], axis=1)
        levels[0] = points
        return cls(column.name, graph, node, released, levels, tuple(unnamed))

    @classmethod
    def to_the_root(cls, table: FrequencyTable, j: int) -> Ways:
        """One step, from each value to the domain's root: what suppressing a cell comes to."""
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
    """For each concept its deepest parent, the first of equals; the root's is itself."""
    out = np.zeros(len(graph), dtype=np.int32)
    for c in range(1, len(graph)):
        parents = graph.parents(c)
        out[c] = parents[np.argmax(graph.depth[parents])]
    return out


def _leaves(table: FrequencyTable, j: int, hierarchy: Hierarchy) -> list[str]:
    """For each value of a column a leaf of its own: one of its spellings, the commonest first, or its concept's id."""
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
            f"{hierarchy!r} for the column {column.name!r} lacks {len(missing):,} of its {len(points):,} values. Add a "
            f"row for each. 'ontomask map' lists them for a job, and this error's 'values' in Python.",
            column=column.name,
            values=texts,
        )
    return [found[value] for value in range(len(points))]


def _inner_labels(column: NominalColumn, hierarchy: Hierarchy, present: Mapping[str, int]) -> dict[str, list[int]]:
    """Each label that stands above values, with the points of these; leaves that mean nothing here are left out."""
    below: dict[str, list[int]] = {label: [] for row in hierarchy.rows for label in row if label != row[0]}
    for leaf in hierarchy.leaves:
        point = present[leaf] if leaf in present else next(_senses(column, leaf), None)
        if point is not None:
            for label in below.keys() & hierarchy.levels(leaf):
                below[label].append(point)
    return below


def _named(column: NominalColumn, label: str, values: Sequence[int]) -> int | None:
    """The concept that a label names and that subsumes all its values, the user's choice first; ``None`` if none does.

    A concept that some value is no kind of would make a released cell false.
    """
    common = set(column.domain.graph.common_subsumers(values)) if values else set()
    return next((point for point in _senses(column, label) if point in common), None)


def _senses(column: NominalColumn, text: str) -> Iterator[int]:
    """Concepts of the domain that a text means: as the user says, by id, by name."""
    given = _given(column, text)
    if given is not None:
        yield given
    if text in column.domain:
        yield column.domain.code(text)
    yield from column.domain.texts.find(text)


def _given(column: NominalColumn, text: str) -> int | None:
    """The concept that the user's mapping gives for a text, if the domain has it."""
    kind = column.kind
    target = (kind.mapping or {}).get(text)
    if target is None:
        return None
    concept = resolve(kind.taxonomy, target, domain=column.domain.root).concept
    return column.domain.code(concept) if concept in column.domain else None
