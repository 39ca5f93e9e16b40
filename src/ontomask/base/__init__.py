"""The bottom layer: array types, text, files, progress, notes and the compiler. Nothing here knows of concepts."""

from __future__ import annotations

__all__: list[str] = []
