"""Masking methods: each decides what becomes of every tuple or record, and says what that guarantees."""

from __future__ import annotations

from ontomask.masking.base import Guarantee, Method, Requirement, Result
from ontomask.masking.baselines import PRAM, NaiveDistortion, ProbabilisticDistortion

__all__ = ["PRAM", "Guarantee", "Method", "NaiveDistortion", "ProbabilisticDistortion", "Requirement", "Result"]
