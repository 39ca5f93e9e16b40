"""Compiled loops of the masking methods, one module per family."""

from __future__ import annotations

__all__: list[str] = []
