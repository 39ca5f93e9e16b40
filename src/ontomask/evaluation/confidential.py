"""l-diversity and t-closeness of the confidential columns."""

from __future__ import annotations

from dataclasses import dataclass

from ontomask.privacy.grouped import Grouped

__all__ = ["ConfidentialRisk", "measure_confidential"]


@dataclass(frozen=True)
class ConfidentialRisk:
    """l and t of the worst group.

    Attributes
    ----------
    distinct_l, entropy_l
        l-diversity.
    t
        t-closeness: the greatest earth mover's distance between a group's values and the table's.
    ground
        The ground distance between two values.
    """

    distinct_l: int
    entropy_l: float
    t: float
    ground: str


def measure_confidential(grouped: Grouped) -> dict[str, ConfidentialRisk]:
    """l and t of every confidential column."""
    found = {}
    for name in grouped.data.confidential:
        diversity, closeness = grouped.diversity(name), grouped.closeness(name)
        found[name] = ConfidentialRisk(diversity.distinct_l, diversity.entropy_l, closeness.t, closeness.ground)
    return found
