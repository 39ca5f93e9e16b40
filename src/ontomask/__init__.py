"""Mask nominal personal data by what the values mean."""

from __future__ import annotations

from ontomask.distance import Distance, distance, information_content, read_counts
from ontomask.errors import (
    DistanceError,
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
from ontomask.taxonomy.readers.icd10 import load_icd10cm
from ontomask.taxonomy.readers.saved import save_taxonomy

__all__ = [
    "ColumnMapping",
    "Distance",
    "DistanceError",
    "MappingError",
    "MappingReport",
    "MissingExtraError",
    "OntomaskError",
    "ReadError",
    "Taxonomy",
    "TaxonomyError",
    "UnknownConceptError",
    "UnknownFormatError",
    "distance",
    "information_content",
    "load_adult",
    "load_icd9cm",
    "load_icd10cm",
    "load_wordnet",
    "map_values",
    "read_counts",
    "read_taxonomy",
    "save_taxonomy",
    "validate",
]
