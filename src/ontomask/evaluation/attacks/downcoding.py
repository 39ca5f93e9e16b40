"""Downcoding (Cohen 2022): minimal generalisation gives away more than its groups.

Local generalisation releases a group as the least common subsumer of its members, and not as anything wider. Whoever
knows that, and which values the column has, knows that the members of a group do not all lie in one *branch* below the
released concept: a child of the concept with the column's values below it (children that share values are one branch;
the concept itself, where it is a value, is another). Records of a group are interchangeable, so that a narrower table
is known as soon as it is known how many members lie in which branch.

Two figures. *Certain*: where a concept has exactly two branches, both narrower, each has a member of every group.
*Guessed*: the intruder puts all members of a group into the branch that is most frequent in the whole column; with
minimality he puts one of them into the second most frequent. Both guesses are compared with the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.evaluation.pairing import Pairing
from ontomask.masking import Generalisation, Method
from ontomask.taxonomy import Taxonomy

__all__ = ["Downcoding", "downcode"]


@dataclass(frozen=True)
class Downcoding:
    """How many generalised cells can be narrowed down.

    Attributes
    ----------
    cells
        Released cells whose concept has at least two branches.
    certain
        Cells of which the branch is certain, in percent of these.
    guessed, base
        Cells whose branch is guessed right with the knowledge that generalisation is minimal, and without it, in
        percent of these.
    """

    cells: int
    certain: float
    guessed: float
    base: float


def downcode(pairing: Pairing, method: Method | None) -> Downcoding | None:
    """Narrow down what local generalisation over the ontology released; ``None`` for other methods.

    Full-domain generalisation is minimal for whole columns only, which says nothing about single groups.
    """
    if not isinstance(method, Generalisation) or method.mode != "local" or not len(pairing.a):
        return None
    climbing = [j for j, name in enumerate(pairing.names) if name not in (method.hierarchies or {})]
    totals = sum((_narrow(pairing, j) for j in climbing), start=np.zeros(4, dtype=np.int64))
    cells, *parts = totals.tolist()
    certain, guessed, base = (100 * part / cells if cells else 0.0 for part in parts)
    return Downcoding(cells, certain, guessed, base)


def _narrow(pairing: Pairing, j: int) -> NDArray[np.int64]:
    """Of column j: generalised cells, certain ones, ones guessed right with minimality and without."""
    domain, points = pairing.spaces[j].domain, pairing.points[j]
    assert domain is not None, "Generalisation over the ontology masks nominal columns only"
    left, right = pairing.original.places[pairing.a, j], pairing.masked.places[pairing.b, j]
    often = np.bincount(pairing.original.places[:, j], weights=pairing.original.counts, minlength=len(points))
    often = often[: len(points)].astype(np.int64)
    values = np.flatnonzero(often)
    totals = np.zeros(4, dtype=np.int64)
    for place in np.unique(right[right < len(points)]).tolist():
        branch = _branches(domain, int(points[place]), points[values])
        frequency = np.bincount(branch[branch >= 0], weights=often[values[branch >= 0]])
        if len(frequency) < 2:
            continue
        of_place = np.full(len(points), -1)
        of_place[values] = branch
        mine = right == place
        inside = of_place[left[mine]]
        group = np.unique(pairing.b[mine], return_inverse=True)[1]
        # How many members of each group lie in which branch.
        truth = np.zeros((int(group.max()) + 1, len(frequency)), dtype=np.int64)
        np.add.at(truth, (group[inside >= 0], inside[inside >= 0]), pairing.counts[mine][inside >= 0])
        totals += _count(truth, frequency, itself=bool((values == place).any()))
    return totals


def _count(truth: NDArray[np.int64], frequency: NDArray[Any], *, itself: bool) -> NDArray[np.int64]:
    size = truth.sum(axis=1)
    first, second = np.argsort(-frequency, kind="stable")[:2]
    base = truth[:, first]
    guessed = np.minimum(truth[:, first], size - 1) + np.minimum(truth[:, second], 1)
    has_two = len(frequency) == 2 and not itself
    certain = 2 * int((truth > 0).all(axis=1).sum()) if has_two else 0
    return np.array([size.sum(), certain, guessed.sum(), base.sum()])


def _branches(domain: Taxonomy, concept: int, values: NDArray[np.integer]) -> NDArray[np.int64]:
    """The branch below a concept that each of some values lies in; −1 where it does not lie below."""
    graph = domain.graph
    branch = np.full(len(values), -1, dtype=np.int64)
    number = 0
    for child in graph.children(concept).tolist():
        below = np.isin(values, [child, *graph.descendants(child).tolist()])
        if not below.any():
            continue
        # Children that share a value are one branch.
        shared = np.unique(branch[below])
        for other in shared[shared >= 0].tolist():
            branch[branch == other] = number
        branch[below] = number
        number += 1
    branch[values == concept] = number
    present = np.unique(branch[branch >= 0])
    return np.where(branch >= 0, np.searchsorted(present, branch), -1)
