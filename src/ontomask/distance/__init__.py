"""Semantic distances: how far apart two concepts are, in [0, 1].

A new distance is a class with a ``name``, imported below.
"""

from __future__ import annotations

from ontomask.distance.base import MEASURES, Distance, distance
from ontomask.distance.content import JiangConrath, Lin, Resnik
from ontomask.distance.edge import Height, LeacockChodorow, PathLength, WuPalmer
from ontomask.distance.feature import LogSC, Rodriguez, Tversky, XSimilarity
from ontomask.distance.information import information_content, read_counts

__all__ = [
    "MEASURES",
    "Distance",
    "Height",
    "JiangConrath",
    "LeacockChodorow",
    "Lin",
    "LogSC",
    "PathLength",
    "Resnik",
    "Rodriguez",
    "Tversky",
    "WuPalmer",
    "XSimilarity",
    "distance",
    "information_content",
    "read_counts",
]
