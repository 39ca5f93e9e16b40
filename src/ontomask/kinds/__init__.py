"""Kinds of column: one module each, which encodes cells, measures, averages, releases and reads back.

A new kind is a module with a subclass of `Kind` and one of `Column`, and its line in `KINDS`.
"""

from __future__ import annotations

from collections.abc import Iterable

from ontomask.kinds.base import ANYTHING, Column, Kind, Policies, Release
from ontomask.kinds.category import Category
from ontomask.kinds.concept_set import ConceptSet, ConceptSetColumn
from ontomask.kinds.date import Date, DateColumn
from ontomask.kinds.generalisations import Generalisations
from ontomask.kinds.nominal import Nominal, NominalColumn, nominal_columns
from ontomask.kinds.numeric import Numeric
from ontomask.kinds.ordered import OrderedColumn
from ontomask.kinds.ordinal import Ordinal
from ontomask.kinds.prefix import Prefix

__all__ = [
    "ANYTHING",
    "KINDS",
    "Category",
    "Column",
    "ConceptSet",
    "ConceptSetColumn",
    "Date",
    "DateColumn",
    "Generalisations",
    "Kind",
    "Nominal",
    "NominalColumn",
    "Numeric",
    "OrderedColumn",
    "Ordinal",
    "Policies",
    "Prefix",
    "Release",
    "mapped_columns",
    "nominal_columns",
]

KINDS: dict[str, type[Kind]] = {
    kind.name: kind for kind in (Nominal, ConceptSet, Category, Prefix, Numeric, Ordinal, Date)
}
"""Every kind, by its name in a job file."""


def mapped_columns(columns: Iterable[Column]) -> list[NominalColumn | ConceptSetColumn]:
    """The columns that hold concepts, one or several in a cell."""
    return [column for column in columns if isinstance(column, (NominalColumn, ConceptSetColumn))]
