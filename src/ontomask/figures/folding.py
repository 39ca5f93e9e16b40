"""Folding a large tree: which nodes are drawn, and how many hide behind each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ontomask.errors import FigureError

__all__ = ["Branch", "children_of", "fold"]


@dataclass
class Branch:
    """A drawn node.

    ``node`` is its number, or -1 for the row that stands for brothers and sisters that are not drawn; ``hidden`` is
    how many nodes it stands for besides itself.
    """

    node: int
    depth: int
    hidden: int = 0
    children: list[Branch] = field(default_factory=list)


def children_of(parents: Sequence[int]) -> tuple[int, list[list[int]]]:
    """The root and the children of every node, in their order; refused if the parents make no tree."""
    count = len(parents)
    children: list[list[int]] = [[] for _ in range(count)]
    roots = []
    for node, parent in enumerate(parents):
        if not -1 <= parent < count:
            raise FigureError(f"The parent of a node must be the number of a node, or -1 for the root. Got {parent}.")
        if parent == -1:
            roots.append(node)
        else:
            children[parent].append(node)
    if len(roots) != 1:
        raise FigureError(f"A tree must have one root, whose parent is -1. Got {len(roots):,} instead.")
    if len(_downwards(roots[0], children)) != count:
        raise FigureError("The parents of a tree must lead to the root. Got nodes that go round in a circle.")
    return roots[0], children


def _downwards(root: int, children: Sequence[Sequence[int]]) -> list[int]:
    """All nodes under the root, parents before children."""
    order = [root]
    for node in order:
        order.extend(children[node])
    return order


def fold(root: int, children: Sequence[Sequence[int]], *, most_rows: int, most_children: int) -> Branch:
    """The part of a tree that fits into so many rows.

    The tree is opened level by level, so that nodes of one level are treated alike: each shows the same number of
    children at most, as many as there is room for, and a row for the rest; where there is not even room for two of
    each, that level stays closed.

    >>> top = fold(0, [[1, 2, 3, 4], [], [], [], []], most_rows=3, most_children=10)
    >>> [(branch.node, branch.hidden) for branch in top.children]
    [(1, 0), (2, 0), (-1, 2)]
    """
    below = [0] * len(children)
    for node in reversed(_downwards(root, children)):
        below[node] = sum(below[child] + 1 for child in children[node])
    top = Branch(root, 0)
    level, rows = [top], 1
    while level:
        inner = [branch for branch in level if children[branch.node]]
        sizes = [len(children[branch.node]) for branch in inner]
        room = most_rows - rows
        shown = next((most for most in range(most_children, 1, -1) if _more_rows(sizes, most) <= room), 0)
        for branch in inner:
            here = children[branch.node]
            kept = _kept(len(here), shown) if shown else 0
            branch.children = [Branch(child, branch.depth + 1) for child in here[:kept]]
            rest = sum(below[child] + 1 for child in here[kept:])
            if rest and kept:
                branch.children.append(Branch(-1, branch.depth + 1, rest))
            elif rest:
                branch.hidden = rest
        rows += _more_rows(sizes, shown) if shown else 0
        level = [child for branch in inner for child in branch.children if child.node >= 0] if shown else []
    return top


def _kept(size: int, most: int) -> int:
    """How many of the children are drawn: all if that takes no more rows than some and a row for the rest."""
    return size if size <= most + 1 else most


def _more_rows(sizes: Sequence[int], most: int) -> int:
    """Rows that are added by opening nodes with that many children; the first child takes the row of its parent."""
    return sum(min(size, most + 1) - 1 for size in sizes)
