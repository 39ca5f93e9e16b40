"""Boxes on the page: the area in which data are drawn, and the margins that its labels need."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Area", "Margins"]


@dataclass(frozen=True)
class Area:
    """A box in pixels; ``x`` and ``y`` are its top left corner."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Margins:
    """Room in pixels around an area."""

    left: float = 0.0
    top: float = 0.0
    right: float = 0.0
    bottom: float = 0.0
