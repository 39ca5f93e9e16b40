"""What can be done with values that have no arithmetic: averages, dispersion, dependence, order and loss."""

from __future__ import annotations

from ontomask.operators.centroid import centroid
from ontomask.operators.dependence import distance_correlation, distance_covariance, distance_variance
from ontomask.operators.dispersion import semantic_mean, semantic_variance
from ontomask.operators.order import sort_values

__all__ = [
    "centroid",
    "distance_correlation",
    "distance_covariance",
    "distance_variance",
    "semantic_mean",
    "semantic_variance",
    "sort_values",
]
