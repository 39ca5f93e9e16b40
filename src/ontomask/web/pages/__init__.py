"""The six steps: each module shows one and does what its forms ask. All logic is in `ontomask.job`."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

from ontomask.web.pages import compare, meaning, protect, release, roles, table

__all__ = ["PAGES"]

PAGES: Mapping[str, ModuleType] = {
    "table": table,
    "roles": roles,
    "meaning": meaning,
    "protect": protect,
    "compare": compare,
    "release": release,
}
