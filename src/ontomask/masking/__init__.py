"""Masking methods. Each decides what every tuple or record becomes, and verifies what it guarantees."""

from __future__ import annotations

from ontomask.masking.base import Method
from ontomask.masking.registry import METHODS, known_methods
from ontomask.masking.requirements import Closeness, ColumnsK, Diversity
from ontomask.masking.results import Guarantee, Plan, Requirement, Result

__all__ = [
    "METHODS",
    "Closeness",
    "ColumnsK",
    "Diversity",
    "Guarantee",
    "Method",
    "Plan",
    "Requirement",
    "Result",
    "known_methods",
]
