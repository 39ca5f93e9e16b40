"""Mask nominal personal data by what the values mean.

The public names are loaded at their first use (PEP 562), so that ``import ontomask`` is quick. Types are in
``__init__.pyi``; a test holds both to each other.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

_NAMES = {
    "base.progress": "ProgressStep ProgressWatch show_progress watch_progress",
    "comparison.advice": "Advice advise",
    "comparison.compare": "Comparison compare",
    "distance": (
        "Distance Height JiangConrath LeacockChodorow Lin LogSC PathLength Resnik Rodriguez Tversky WuPalmer "
        "XSimilarity distance information_content read_counts "
    ),
    "errors": (
        "Cancelled DistanceError FigureError HierarchyError JobError MappingError MaskingError MissingExtraError "
        "OntomaskError PlanError PrivacyError ReadError TableError TaxonomyError UnknownConceptError "
        "UnknownFormatError "
    ),
    "evaluation": "Evaluation evaluate",
    "evaluation.attacks.attack": "Attacks attack",
    "evaluation.attacks.composition": "Composition compose",
    "evaluation.attacks.requirements": "AllColumnsK LinkedAtMost",
    "evaluation.column_costs": "ColumnCosts column_costs",
    "examples": "load_adult",
    "hierarchy": (
        "BuiltHierarchy Hierarchy HierarchyComparison HierarchyFinding HierarchyScore build_hierarchy "
        "check_hierarchy compare_hierarchies draw_hierarchy read_hierarchy read_mapping score_hierarchy "
    ),
    "job": "Job JobRun",
    "kinds": "Category ConceptSet Date Nominal Numeric Ordinal Prefix",
    "mapping": "ColumnMapping ConceptMapping Decisions MappingReport map_values read_decisions write_decisions",
    "mapping.links": "read_links xref_links",
    "masking": "Closeness ColumnsK Diversity Guarantee Method Plan Result",
    "masking.metric_privacy": "MetricPrivacyModel",
    "masking.noise": "NoiseModel",
    "masking.registry": (
        "CorrelatedNoise DataSwapping DistributionalRankSwapping Generalisation HeerResampling MetricPrivacy "
        "Microaggregation NaiveDistortion PRAM ProbabilisticDistortion RankSwapping Recoding Resampling Suppression "
        "SyntheticRecords UncorrelatedNoise "
    ),
    "microdata": (
        "FrequencyTable JointCount Microdata RecordPlan TuplePlan load_plan read_table save_plan scan write_table "
    ),
    "operators": (
        "centroid distance_correlation distance_covariance distance_variance semantic_mean semantic_variance "
        "sort_values "
    ),
    "privacy": "group_records k_anonymity l_diversity population_risk t_closeness",
    "report": "Report build_report",
    "taxonomy": "Taxonomy validate",
    "taxonomy.embedded": "load_icd9cm load_wordnet",
    "taxonomy.merging": "Link merge_taxonomies",
    "taxonomy.prefix_codes": "prefix_taxonomy",
    "taxonomy.readers": "read_taxonomy",
    "taxonomy.readers.icd10": "load_icd10cm",
    "taxonomy.readers.saved": "save_taxonomy",
    "taxonomy.value_set": "ValueSet read_value_set",
}
"""Where each public name is defined."""

_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_MODULE_OF)


class _Package(ModuleType):
    """The package itself. A public name, such as ``distance``, hides the module of the same name."""

    def __getattr__(self, name: str) -> Any:
        if name not in _MODULE_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
        super().__setattr__(name, value)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        # Importing ontomask.distance would set the module where the function belongs.
        if not (name in _MODULE_OF and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_MODULE_OF})


sys.modules[__name__].__class__ = _Package
