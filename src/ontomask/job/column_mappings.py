"""The mapping of a column from a file: values and concepts, a FHIR ConceptMap, or a mapping file that people edited."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ontomask.errors import MappingError
from ontomask.hierarchy import read_mapping
from ontomask.mapping import ConceptMapping, Decisions
from ontomask.mapping.decision_file import is_decision_file, read_decisions

__all__ = ["column_mapping", "with_entries"]


def column_mapping(file: str | Path, column: str = "", **options: Any) -> Mapping[str, str]:
    """Read the mapping of a column from a file. Each value must have a concept, unless it is a mapping file."""
    if is_decision_file(Path(file)):
        return read_decisions(file, column)
    found = read_mapping(file, **options)
    if isinstance(found, ConceptMapping):
        return found
    if not found:
        raise MappingError(
            "The file is empty. Give it rows of a value and its concept, or leave it out.", path=file, code="empty"
        )
    without = [number for number, concept in enumerate(found.values(), start=1) if concept is None]
    if without:
        # The message gives a number, since the values are cells of records.
        raise MappingError(
            f"{len(without):,} of {len(found):,} values have no concept; the first is value {without[0]:,}. Give them "
            f"one, or delete the rows and choose a policy for unmapped values.",
            path=file,
            code="no-concept",
        )
    return {value: concept for value, concept in found.items() if concept is not None}


# Mappings that know how each concept was chosen.
_KNOWING = (ConceptMapping, Decisions)


def with_entries(mapping: Mapping[str, str], entries: Mapping[str, str]) -> Mapping[str, str]:
    """A mapping with other concepts for some values."""
    return mapping.with_entries(entries) if isinstance(mapping, _KNOWING) else {**mapping, **entries}
