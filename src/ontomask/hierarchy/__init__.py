"""Value generalisation hierarchies: what each value becomes, level by level."""

from __future__ import annotations

from ontomask.hierarchy.hierarchy import Hierarchy
from ontomask.hierarchy.reading import read_hierarchy

__all__ = ["Hierarchy", "read_hierarchy"]
