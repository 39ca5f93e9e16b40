"""What a cell loses when it is generalised: the objectives of local generalisation.

- ``ncp``: the normalised certainty penalty (Xu et al. 2006), here (leaves below the released node − 1) / (all leaves −
  1). Leaves are those of the hierarchy or of the domain's ontology. Numbers, dates and ordered categories without a
  hierarchy have the width of the range as a share of the column's range. For other kinds, the leaves are the values of
  the column. Full-domain generalisation always counts the values of the column (`ontomask.masking.level_costs`).
- ``semantic_loss``: the distance between the value and what it is released as (Martínez 2012, eq. 5.1).
- ``balanced``: the mean of both.

A record loses the mean over its cells, weighted by the weights of the columns. A cell that is not changed loses
nothing.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ontomask.distance.information import summed_below
from ontomask.kinds import Column
from ontomask.masking.generalisation_paths import GeneralisationPaths
from ontomask.operators.loss import certainty_penalty, range_widths
from ontomask.operators.ranges import is_any, is_off_line
from ontomask.operators.space import Points

__all__ = ["OBJECTIVES", "CellCosts", "Objective"]

Floats = NDArray[np.float64]
Objective = Literal["balanced", "ncp", "semantic_loss"]
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)


class CellCosts:
    """What the values of one column lose when they are generalised.

    Parameters
    ----------
    column, path
        The column, and what its values can be generalised to.
    objective
        How a loss is measured.
    """

    def __init__(self, column: Column, path: GeneralisationPaths, objective: Objective) -> None:
        self._space = column.space
        self._part = {"ncp": 1.0, "semantic_loss": 0.0, "balanced": 0.5}[objective]
        # Several nodes may be released as one point. It costs as much as the most expensive of them.
        self._points, node = np.unique(path.point, return_inverse=True)
        self._penalty = np.zeros(len(self._points))
        np.maximum.at(self._penalty, node, _penalties(column, path))

    def lost(self, values: Points, released: Points) -> Floats:
        """What value i loses when it is released as point i, which can be any node of the paths."""
        lost = np.zeros(len(values))
        if self._part:
            lost += self._part * np.maximum(self.penalty(released) - self.penalty(values), 0)
        if self._part < 1:
            lost += (1 - self._part) * self._space.pairs(values, released)
        return np.where(values == released, 0.0, lost)

    def penalty(self, points: Points) -> Floats:
        """The normalised certainty penalty of points."""
        penalty: Floats = self._penalty[np.searchsorted(self._points, points)]
        return penalty


def _penalties(column: Column, path: GeneralisationPaths) -> Floats:
    """The normalised certainty penalty of each node."""
    if path.leaves is not None:
        leaves: NDArray[np.float64] = path.leaves
    elif column.is_ordered:
        # A value of its own, such as that of missing cells, is exact.
        is_own = is_off_line(path.point) & ~is_any(path.point)
        return np.where(is_own, 0.0, range_widths(column.space, path.point))
    elif (domain := column.space.domain) is not None:
        leaves = summed_below(domain, (np.diff(domain.graph.child_start) == 0).astype(np.float64))[path.point]
    else:
        leaves = np.zeros(len(path.graph))
        for node in path.node.tolist():
            leaves[path.graph.ancestors([node])] += 1
    return certainty_penalty(leaves, float(leaves[0]))
