"""Arithmetic on points that have distances only: centroid, mean, variance, dependence, order and loss."""

from __future__ import annotations

from ontomask.operators.dependence import distance_correlation, distance_covariance, distance_variance
from ontomask.operators.values import centroid, semantic_mean, semantic_variance, sort_values

__all__ = [
    "centroid",
    "distance_correlation",
    "distance_covariance",
    "distance_variance",
    "semantic_mean",
    "semantic_variance",
    "sort_values",
]
