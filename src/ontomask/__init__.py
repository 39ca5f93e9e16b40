"""Mask nominal personal data by what the values mean."""

from __future__ import annotations

from ontomask.errors import (
    MappingError,
    MissingExtraError,
    OntomaskError,
    ReadError,
    TaxonomyError,
    UnknownConceptError,
    UnknownFormatError,
)
from ontomask.taxonomy import Taxonomy, validate
from ontomask.taxonomy.readers import read_taxonomy
from ontomask.taxonomy.readers.saved import save_taxonomy

__all__ = [
    "MappingError",
    "MissingExtraError",
    "OntomaskError",
    "ReadError",
    "Taxonomy",
    "TaxonomyError",
    "UnknownConceptError",
    "UnknownFormatError",
    "read_taxonomy",
    "save_taxonomy",
    "validate",
]
