"""Compiled sweeps over the is-a graph, by what they compute."""

from __future__ import annotations

__all__: list[str] = []
