"""Words to concepts: the mapping rules, and the report on how they mapped each value."""

from __future__ import annotations

from ontomask.mapping.concept_map import ConceptMapping
from ontomask.mapping.mapper import map_values
from ontomask.mapping.report import ColumnMapping, Decision, MappingReport, ValueMapping
from ontomask.mapping.words import Suggestion

__all__ = ["ColumnMapping", "ConceptMapping", "Decision", "MappingReport", "Suggestion", "ValueMapping", "map_values"]
