"""Value generalisation hierarchies: what each value becomes, level by level."""

from __future__ import annotations

from ontomask.hierarchy.building import BuiltHierarchy, build_hierarchy
from ontomask.hierarchy.checks import check_hierarchy
from ontomask.hierarchy.comparing import HierarchyComparison, compare_hierarchies
from ontomask.hierarchy.drawing import draw_hierarchy
from ontomask.hierarchy.findings import HierarchyFinding
from ontomask.hierarchy.hierarchy import Hierarchy
from ontomask.hierarchy.mapping_file import read_mapping
from ontomask.hierarchy.reading import read_hierarchy
from ontomask.hierarchy.score import HierarchyScore
from ontomask.hierarchy.scoring import score_hierarchy

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
]
