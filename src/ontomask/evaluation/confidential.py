"""How much of a confidential column the groups of equal records give away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata import Microdata
from ontomask.privacy.confidential import Confidential

__all__ = ["ConfidentialRisk", "measure_confidential"]


@dataclass(frozen=True)
class ConfidentialRisk:
    """Of the worst group: how many values it has, how many equally frequent ones that is worth, how far it is off.

    Attributes
    ----------
    distinct_l, entropy_l
        l-diversity.
    t
        t-closeness: the greatest earth mover's distance between a group's values and the table's.
    ground
        How the distance between two values counts in t.
    """

    distinct_l: int
    entropy_l: float
    t: float
    ground: str


def measure_confidential(
    data: Microdata, groups: NDArray[np.integer], rows: NDArray[np.int64]
) -> dict[str, ConfidentialRisk]:
    """l and t of every confidential column; ``groups[i]`` is the group of record ``rows[i]``."""
    found = {}
    for name in data.confidential:
        column = Confidential.of(data, name)
        diversity, closeness = column.diversity(groups, rows), column.closeness(groups, rows)
        found[name] = ConfidentialRisk(diversity.distinct_l, diversity.entropy_l, closeness.t, column.ground)
    return found
