"""Example data that comes with the package."""

from __future__ import annotations

from ontomask.examples.adult import load_adult

__all__ = ["load_adult"]
