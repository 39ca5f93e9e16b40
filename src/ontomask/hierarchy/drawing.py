"""Draw a hierarchy as a tree, coloured by the loss of its generalisations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ontomask.distance.ties import TIE
from ontomask.errors import HierarchyError
from ontomask.figures import Figure, Tree
from ontomask.hierarchy.hierarchy import Hierarchy, require_hierarchy
from ontomask.hierarchy.scoring import HierarchyScore
from ontomask.taxonomy.taxonomy import VIRTUAL_ROOT

__all__ = ["draw_hierarchy"]


def draw_hierarchy(hierarchy: Hierarchy, score: HierarchyScore | None = None, *, title: str | None = None) -> Figure:
    """Draw a hierarchy as a tree from the top on the left to the values on the right.

    With a score, colours show the maximum loss (TransGSL) of the values below: of a node, the loss at that node; of a
    link, the loss at its upper end. Nodes without a concept are white.

    Parameters
    ----------
    hierarchy
        The hierarchy to draw. A label that a value keeps over several levels is one node.
    score
        The score of this hierarchy, see `ontomask.score_hierarchy`.
    title
        By default the hierarchy's name.

    Examples
    --------
    >>> h = Hierarchy.from_rows([("Spain", "Europe", "*"), ("Malta", "Europe", "*"), ("Japan", "Asia", "*")])
    >>> draw_hierarchy(h).description
    'Tree of 6 nodes under *, 6 of them drawn.'
    """
    require_hierarchy(hierarchy)
    if score is not None:
        _check_score(score, hierarchy)
    lost = np.full((len(hierarchy.leaves), hierarchy.height), np.nan) if score is None else score.loss
    labels, parents, values, links = [VIRTUAL_ROOT], [-1], [np.nan], [np.nan]
    numbers: dict[tuple[int, str], int] = {}
    for row, leaf in enumerate(hierarchy.leaves):
        above, above_loss = 0, np.nan
        path = [*zip(hierarchy.levels(leaf)[1:], lost[row].tolist(), strict=True)][::-1]
        for label, loss in [*path, (leaf, np.nan if score is None else 0.0)]:
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


def _check_score(score: HierarchyScore, hierarchy: Hierarchy) -> None:
    """Raise unless the score can colour the nodes of the hierarchy."""
    if not isinstance(score, HierarchyScore):
        problem = f"The 'score' must be a HierarchyScore. Got {type(score).__name__} instead."
    elif score.hierarchy != hierarchy:
        problem = "The 'score' belongs to another hierarchy. Score the hierarchy that you draw."
    elif np.nanmax(score.loss, initial=0.0) > 1 + TIE:
        problem = (
            f"The colours of a tree stand for losses from 0 to 1, but {score.distance.name!r} with these options goes "
            f"beyond. Score with a distance from 0 to 1."
        )
    else:
        return
    raise HierarchyError(problem, parameter="score")
