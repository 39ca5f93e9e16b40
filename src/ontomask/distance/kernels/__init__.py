"""Compiled sweeps over the is-a graph."""

from __future__ import annotations

__all__: list[str] = []
