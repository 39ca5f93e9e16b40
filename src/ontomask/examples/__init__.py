"""Example data that comes with the package."""

from __future__ import annotations

from ontomask.examples.adult import adult_data, load_adult
from ontomask.examples.diabetes130 import diabetes130_data

__all__ = ["adult_data", "diabetes130_data", "load_adult"]
