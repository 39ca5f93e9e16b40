"""Mask nominal personal data by what the values mean."""

from __future__ import annotations

from ontomask.distance import Distance, distance, information_content, read_counts
from ontomask.errors import (
    DistanceError,
    HierarchyError,
    MappingError,
    MissingExtraError,
    OntomaskError,
    PlanError,
    PrivacyError,
    ReadError,
    TableError,
    TaxonomyError,
    UnknownConceptError,
    UnknownFormatError,
)
from ontomask.examples import load_adult
from ontomask.hierarchy import Hierarchy, read_hierarchy
from ontomask.mapping import ColumnMapping, MappingReport, map_values
from ontomask.microdata import (
    FrequencyTable,
    Microdata,
    Nominal,
    Numeric,
    Ordinal,
    RecordPlan,
    TuplePlan,
    load_plan,
    read_table,
    save_plan,
    write_table,
)
from ontomask.operators import (
    centroid,
    distance_correlation,
    distance_covariance,
    distance_variance,
    semantic_mean,
    semantic_variance,
    sort_values,
)
from ontomask.privacy import group_records, k_anonymity, l_diversity, t_closeness
from ontomask.taxonomy import Taxonomy, validate
from ontomask.taxonomy.embedded import load_icd9cm, load_wordnet
from ontomask.taxonomy.readers import read_taxonomy
from ontomask.taxonomy.readers.icd10 import load_icd10cm
from ontomask.taxonomy.readers.saved import save_taxonomy

__all__ = [
    "ColumnMapping",
    "Distance",
    "DistanceError",
    "FrequencyTable",
    "Hierarchy",
    "HierarchyError",
    "MappingError",
    "MappingReport",
    "Microdata",
    "MissingExtraError",
    "Nominal",
    "Numeric",
    "OntomaskError",
    "Ordinal",
    "PlanError",
    "PrivacyError",
    "ReadError",
    "RecordPlan",
    "TableError",
    "Taxonomy",
    "TaxonomyError",
    "TuplePlan",
    "UnknownConceptError",
    "UnknownFormatError",
    "centroid",
    "distance",
    "distance_correlation",
    "distance_covariance",
    "distance_variance",
    "group_records",
    "information_content",
    "k_anonymity",
    "l_diversity",
    "load_adult",
    "load_icd9cm",
    "load_icd10cm",
    "load_plan",
    "load_wordnet",
    "map_values",
    "read_counts",
    "read_hierarchy",
    "read_table",
    "read_taxonomy",
    "save_plan",
    "save_taxonomy",
    "semantic_mean",
    "semantic_variance",
    "sort_values",
    "t_closeness",
    "validate",
    "write_table",
]
