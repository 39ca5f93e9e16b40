"""Masking methods: each decides what becomes of every tuple or record, and says what that guarantees."""

from __future__ import annotations

from ontomask.masking.base import Guarantee, Method, Requirement, Result

__all__ = ["Guarantee", "Method", "Requirement", "Result"]
