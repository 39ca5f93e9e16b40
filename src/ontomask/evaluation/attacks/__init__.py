"""Intruders: what each of them learns from a release. One intruder per module; `attack` runs them all."""

from __future__ import annotations

__all__: list[str] = []
