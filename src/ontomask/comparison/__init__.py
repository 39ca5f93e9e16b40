"""Many methods, parameters and seeds side by side, and advice on which to take."""

from __future__ import annotations

__all__: list[str] = []
