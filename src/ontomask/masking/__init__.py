"""Masking methods: each decides what becomes of every tuple or record, and says what that guarantees."""

from __future__ import annotations

from ontomask.masking.base import Guarantee, Method, Requirement, Result
from ontomask.masking.baselines import PRAM, NaiveDistortion, ProbabilisticDistortion
from ontomask.masking.generalisation import Generalisation
from ontomask.masking.suppression import Suppression

__all__ = [
    "PRAM",
    "Generalisation",
    "Guarantee",
    "Method",
    "NaiveDistortion",
    "ProbabilisticDistortion",
    "Requirement",
    "Result",
    "Suppression",
]
