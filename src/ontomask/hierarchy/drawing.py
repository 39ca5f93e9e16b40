"""A hierarchy as a picture: a tree, coloured by what its generalisations lose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ontomask.distance.ties import TIE
from ontomask.errors import HierarchyError
from ontomask.figures import Figure, Tree
from ontomask.hierarchy.hierarchy import Hierarchy
from ontomask.hierarchy.score import HierarchyScore
from ontomask.taxonomy.taxonomy import VIRTUAL_ROOT

__all__ = ["draw_hierarchy"]


def draw_hierarchy(hierarchy: Hierarchy, score: HierarchyScore | None = None, *, title: str | None = None) -> Figure:
    """Draw a hierarchy as a tree from its top on the left to the values on the right.

    With a score a node is coloured by TransGSL, the most that any value below it loses when it becomes that node, and
    a link by the most that the values below it lose on the way through it; white stands for a node without a concept.

    Parameters
    ----------
    hierarchy
        What is drawn. A label that a value keeps over several levels is one node.
    score
        Of the same hierarchy: see `ontomask.score_hierarchy`.
    title
        By default the hierarchy's name.

    Examples
    --------
    >>> h = Hierarchy.from_rows([("Spain", "Europe", "*"), ("Malta", "Europe", "*"), ("Japan", "Asia", "*")])
    >>> draw_hierarchy(h).description
    'Tree of 6 nodes under *, 6 of them drawn.'
    """
    if not isinstance(hierarchy, Hierarchy):
        raise HierarchyError(f"The hierarchy must be a Hierarchy. Got {type(hierarchy).__name__} instead.")
    if score is not None:
        _check(score, hierarchy)
    lost = np.full((len(hierarchy.leaves), hierarchy.height), np.nan) if score is None else score.loss
    labels, parents, values, links = [VIRTUAL_ROOT], [-1], [np.nan], [np.nan]
    numbers: dict[tuple[int, str], int] = {}
    for row, leaf in enumerate(hierarchy.leaves):
        above, above_loss = 0, np.nan
        way = [*zip(hierarchy.levels(leaf)[1:], lost[row].tolist(), strict=True)][::-1]
        for label, loss in [*way, (leaf, np.nan if score is None else 0.0)]:
            if label == labels[above]:
                continue
            node = numbers.setdefault((above, label), len(labels))
            if node == len(labels):
                labels.append(label)
                parents.append(above)
                values.append(np.nan)
                links.append(np.nan)
            values[node] = float(np.fmax(values[node], loss))
            links[node] = float(np.fmax(links[node], above_loss))
            above, above_loss = node, loss
    if parents.count(0) == 1:
        labels, parents, values, links = labels[1:], [parent - 1 for parent in parents[1:]], values[1:], links[1:]
    tree = Tree(labels, parents, title=hierarchy.name if title is None else title)
    if score is not None:
        tree = replace(tree, values=values, links=links, value_title=f"loss ({score.distance.name})")
    return tree.figure()


def _check(score: HierarchyScore, hierarchy: Hierarchy) -> None:
    """Refuse what colours no node of the hierarchy."""
    if not isinstance(score, HierarchyScore):
        raise HierarchyError(f"The score must be a HierarchyScore. Got {type(score).__name__} instead.")
    if score.hierarchy != hierarchy:
        raise HierarchyError("The score is that of another hierarchy. Score the one that is drawn.")
    if np.nanmax(score.loss, initial=0.0) > 1 + TIE:
        raise HierarchyError(
            f"The colours of a tree stand for losses from 0 to 1. Those of {score.distance.name!r} as it was given go "
            "beyond: score with a distance from 0 to 1."
        )
