"""Concepts and their is-a links."""

from __future__ import annotations

from ontomask.taxonomy.taxonomy import VIRTUAL_ROOT, Annotations, Retired, Taxonomy
from ontomask.taxonomy.validate import Finding, validate

__all__ = ["VIRTUAL_ROOT", "Annotations", "Finding", "Retired", "Taxonomy", "validate"]
