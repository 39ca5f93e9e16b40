"""Kinds of column: one module each, which encodes cells, measures, averages, releases and reads back.

A new kind is a module with a subclass of `Kind` and one of `Column`, and its line in `KINDS`.
"""

from __future__ import annotations

from ontomask.kinds.base import ANYTHING, Column, Kind, Policies, Release
from ontomask.kinds.nominal import Nominal, NominalColumn, nominal_columns
from ontomask.kinds.numeric import Numeric
from ontomask.kinds.ordinal import Ordinal

__all__ = [
    "ANYTHING",
    "KINDS",
    "Column",
    "Kind",
    "Nominal",
    "NominalColumn",
    "Numeric",
    "Ordinal",
    "Policies",
    "Release",
    "nominal_columns",
]

KINDS: dict[str, type[Kind]] = {kind.name: kind for kind in (Nominal, Numeric, Ordinal)}
"""Every kind, by its name in a job file."""
