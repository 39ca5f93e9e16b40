"""Words to concepts: the mapping rules, and the report on how they mapped each value."""

from __future__ import annotations

from ontomask.mapping.concept_map import ConceptMapping
from ontomask.mapping.decision_file import read_decisions, write_decisions
from ontomask.mapping.decisions import Change, Decided, Decisions
from ontomask.mapping.mapper import map_values
from ontomask.mapping.report import ColumnMapping, Decision, MappingReport, ValueMapping
from ontomask.mapping.suggestions import Suggestion

__all__ = [
    "Change",
    "ColumnMapping",
    "ConceptMapping",
    "Decided",
    "Decision",
    "Decisions",
    "MappingReport",
    "Suggestion",
    "ValueMapping",
    "map_values",
    "read_decisions",
    "write_decisions",
]
