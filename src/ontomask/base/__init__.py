"""The bottom layer: array types, text, files, progress, notes and the compiler. It knows nothing about concepts."""

from __future__ import annotations

__all__: list[str] = []
