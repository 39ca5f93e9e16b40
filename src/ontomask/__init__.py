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
from ontomask.examples import load_adult
from ontomask.mapping import ColumnMapping, MappingReport, map_values
from ontomask.taxonomy import Taxonomy, validate
from ontomask.taxonomy.embedded import load_icd9cm, load_wordnet
from ontomask.taxonomy.readers import read_taxonomy
from ontomask.taxonomy.readers.saved import save_taxonomy

__all__ = [
    "ColumnMapping",
    "MappingError",
    "MappingReport",
    "MissingExtraError",
    "OntomaskError",
    "ReadError",
    "Taxonomy",
    "TaxonomyError",
    "UnknownConceptError",
    "UnknownFormatError",
    "load_adult",
    "load_icd9cm",
    "load_wordnet",
    "map_values",
    "read_taxonomy",
    "save_taxonomy",
    "validate",
]
