"""Downcoding (Cohen 2022): minimal generalisation reveals more than its groups.

Local generalisation releases a group as the least common subsumer of its members, and as nothing wider. An intruder who
knows this and the values of the column knows that the members of a group are not all in one *branch* below the released
concept or range. A branch is what it is divided into on the next level, if the column has values there. Concepts that
share values are one branch, and the concept itself is a branch if it is a value. Records of a group are
interchangeable, so the number of members in each branch gives a narrower table.

Two figures result. *Certain*: if there are exactly two branches, both narrower, each has a member of every group.
*Guessed*: the intruder puts all members of a group into the branch that is most frequent in the whole column; with
minimality, one of them goes into the second most frequent. Both guesses are compared with the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.progress import progress
from ontomask.evaluation.pairing import Pairing
from ontomask.masking import Method
from ontomask.masking.generalisation import Generalisation
from ontomask.taxonomy.graph import Graph

__all__ = ["Downcoding", "downcode"]


@dataclass(frozen=True)
class Downcoding:
    """The generalised cells that can be narrowed down.

    Attributes
    ----------
    cells
        Released cells whose concept or range has at least two branches.
    certain
        Cells whose branch is certain, in percent of these cells.
    guessed, base
        Cells whose branch is guessed correctly with and without the knowledge that generalisation is minimal, in
        percent of these cells.
    """

    cells: int
    certain: float
    guessed: float
    base: float


@progress("Narrowing generalised cells")
def downcode(pairing: Pairing, method: Method | None) -> Downcoding | None:
    """Narrow down the cells of local generalisation without hierarchies; ``None`` for other methods.

    Full-domain generalisation is minimal for whole columns only, which reveals nothing about single groups.
    """
    if not isinstance(method, Generalisation) or method.mode != "local" or not len(pairing.a):
        return None
    climbing = [j for j, name in enumerate(pairing.names) if name not in (method.hierarchies or {})]
    totals = sum((_narrow(pairing, j) for j in climbing), start=np.zeros(4, dtype=np.int64))
    cells, *parts = totals.tolist()
    certain, guessed, base = (100 * part / cells if cells else 0.0 for part in parts)
    return Downcoding(cells, certain, guessed, base)


def _narrow(pairing: Pairing, j: int) -> NDArray[np.int64]:
    """For column j: generalised cells, certain cells, cells guessed correctly with minimality, and without it."""
    points = pairing.points[j]
    left, right = pairing.original.indices[pairing.a, j], pairing.masked.indices[pairing.b, j]
    often = np.bincount(pairing.original.indices[:, j], weights=pairing.original.counts, minlength=len(points))
    often = often[: len(points)].astype(np.int64)
    values = np.flatnonzero(often)
    totals = np.zeros(4, dtype=np.int64)
    if not len(values):
        return totals
    above = pairing.columns[j].generalisations(points[values])
    node_of = {point: node for node, point in reversed(list(enumerate(above.point.tolist())))}
    # A cell that may be any value is the top; a kept cell is the same on both sides.
    generalised = left < len(points)
    for at in np.unique(right[generalised]).tolist():
        node = node_of.get(points[at].item()) if at < len(points) else 0
        if node is None:
            continue
        branch = _branches(above.graph, node, above.node)
        frequency = np.bincount(branch[branch >= 0], weights=often[values[branch >= 0]])
        if len(frequency) < 2:
            continue
        branch_of = np.full(max(len(points), int(left.max()) + 1), -1)  # kept cells are in no branch
        branch_of[values] = branch
        mine = (right == at) & generalised
        inside = branch_of[left[mine]]
        group = np.unique(pairing.b[mine], return_inverse=True)[1]
        # The number of members of each group in each branch.
        truth = np.zeros((int(group.max()) + 1, len(frequency)), dtype=np.int64)
        np.add.at(truth, (group[inside >= 0], inside[inside >= 0]), pairing.counts[mine][inside >= 0])
        totals += _count(truth, frequency, itself=bool((above.node == node).any()))
    return totals


def _count(truth: NDArray[np.int64], frequency: NDArray[Any], *, itself: bool) -> NDArray[np.int64]:
    size = truth.sum(axis=1)
    first, second = np.argsort(-frequency, kind="stable")[:2]
    base = truth[:, first]
    guessed = np.minimum(truth[:, first], size - 1) + np.minimum(truth[:, second], 1)
    has_two = len(frequency) == 2 and not itself
    certain = 2 * int((truth > 0).all(axis=1).sum()) if has_two else 0
    return np.array([size.sum(), certain, guessed.sum(), base.sum()])


def _branches(graph: Graph, node: int, values: IntArray) -> NDArray[np.int64]:
    """The branch below a node of each value, given the values' nodes; −1 if the value is not below it."""
    branch = np.full(len(values), -1, dtype=np.int64)
    number = 0
    for child in graph.children(node).tolist():
        below = np.isin(values, [child, *graph.descendants(child).tolist()])
        if not below.any():
            continue
        # Children that share a value are one branch.
        shared = np.unique(branch[below])
        for other in shared[shared >= 0].tolist():
            branch[branch == other] = number
        branch[below] = number
        number += 1
    branch[values == node] = number
    present = np.unique(branch[branch >= 0])
    return np.where(branch >= 0, np.searchsorted(present, branch), -1)
