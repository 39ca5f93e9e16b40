"""Compiled loops of the masking methods, a module a family."""

from __future__ import annotations

__all__: list[str] = []
