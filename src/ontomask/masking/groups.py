"""`Groups`: what a k-anonymous method finds for tuples that keep the same cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.operators.space import Points
from ontomask.taxonomy.graph import IntArray

__all__ = ["Groups"]


@dataclass(frozen=True, eq=False)
class Groups:
    """Tuples in groups, and the points that each group is released as.

    Attributes
    ----------
    group
        The group of each tuple (`SUPPRESSED`: its records are left out); where the records of a tuple go to several
        groups, in CSR form with ``start`` and ``records``.
    points
        For each attribute the points of the groups.
    start, records
        Tuple i goes to ``group[start[i]:start[i + 1]]``, so many ``records`` each.
    details
        Figures worth telling.
    """

    group: IntArray
    points: Sequence[Points]
    start: NDArray[np.int64] | None = None
    records: NDArray[np.int64] | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
