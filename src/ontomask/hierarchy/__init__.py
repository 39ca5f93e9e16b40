"""Value generalisation hierarchies (VGHs): read, write, check, score, compare, build and draw them."""

from __future__ import annotations

from ontomask.hierarchy.building import BuiltHierarchy, build_hierarchy
from ontomask.hierarchy.checks import HierarchyFinding, check_hierarchy
from ontomask.hierarchy.comparison import HierarchyComparison, compare_hierarchies
from ontomask.hierarchy.drawing import draw_hierarchy
from ontomask.hierarchy.hierarchy import Hierarchy
from ontomask.hierarchy.range_labels import with_true_ranges
from ontomask.hierarchy.reading import read_hierarchy, read_mapping
from ontomask.hierarchy.scoring import HierarchyScore, score_hierarchy

__all__ = [
    "BuiltHierarchy",
    "Hierarchy",
    "HierarchyComparison",
    "HierarchyFinding",
    "HierarchyScore",
    "build_hierarchy",
    "check_hierarchy",
    "compare_hierarchies",
    "draw_hierarchy",
    "read_hierarchy",
    "read_mapping",
    "score_hierarchy",
    "with_true_ranges",
]
