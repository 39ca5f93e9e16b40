"""Check a job before it runs: unmapped values, missing cells, unconfirmed guesses."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ontomask.base.text import cell_text, is_comma_number, join_some
from ontomask.errors import MappingError, OntomaskError
from ontomask.job.problems import spell_for_job
from ontomask.job.sources import Sources, cell_counts
from ontomask.job.toml_text import dotted_key
from ontomask.job.validation import undecided
from ontomask.kinds import Kind
from ontomask.mapping import ColumnMapping, MappingReport
from ontomask.masking.whole_rows import kept_column_notes

__all__ = ["Preflight", "preflight"]

_MAP = (
    "Values without a concept: map them in their column (mapping = { 'VALUE' = 'CONCEPT' }). If there are many, give "
    "the column a taxonomy that contains them, such as a CSV file of child and parent, or kind = 'ordinal' with "
    "categories in order. Or set for all columns policies.unmapped = 'root' (they become the root), 'drop' or 'keep'."
)
_FILL = (
    "Missing cells: set policies.missing = 'drop' (the record is left out) or 'keep' (the cell stays missing, and k "
    "counts it as a value)."
)
_CONFIRM = "Guesses: check each, correct it, and write confirmed = true there."


@dataclass(frozen=True)
class Preflight:
    """The result of checking a job.

    Attributes
    ----------
    mapping
        How every value of the nominal columns is mapped.
    problems
        What would stop the run.
    warnings
        What does not stop the run, but should be checked before it.
    next_steps
        How to solve problems that several columns may have.
    """

    mapping: MappingReport
    problems: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()

    @property
    def ready(self) -> bool:
        """Whether the job can run."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "ready": self.ready,
            "problems": list(self.problems),
            "warnings": list(self.warnings),
            "next_steps": list(self.next_steps),
            "columns": json.loads(self.mapping.to_json()),
        }


def preflight(
    sources: Sources, guesses: tuple[str, ...], check_method: Callable[[], None], *, strict: bool = False
) -> Preflight:
    """Map a job's columns without masking anything.

    Unlike other output, the result names values of the table: the user needs them to correct a mapping.

    Parameters
    ----------
    sources
        The job's inputs.
    guesses
        The tables that nobody has confirmed.
    check_method
        A function that raises an error if the method cannot mask the data.
    strict
        Whether a word that was mapped to its first sense by default is also a problem.
    """
    policies = sources.settings.policies
    found = []
    missing_cells = False
    problems = [f"{key}: {text}" for key, text in undecided(sources.settings)]
    for name, attribute in sources.attributes.items():
        key = dotted_key("columns", name)
        column = _map(sources, name, attribute)
        if column is None:
            invalid, missing = _check_cells(sources, name, attribute)
            problems += [f"{key}: {text}" for text in invalid]
            missing_cells |= missing
            continue
        found.append(column)
        if column.unmapped and policies.unmapped == "error":
            problems.append(f"{key}: {len(column.unmapped):,} of {len(column.values):,} values have no concept.")
        if column.missing and policies.missing == "error":
            problems.append(f"{key}: {column.missing:,} cells are missing.")
            missing_cells = True
        if strict and column.ambiguous:
            problems.append(f"{key}: {len(column.ambiguous):,} values were mapped to their first sense.")
        if strict and column.perhaps_missing:
            problems.append(f"{key}: {len(column.perhaps_missing):,} values look like spellings of a missing cell.")
    warnings: tuple[str, ...] = ()
    if not problems:
        # Other problems: columns without any value, invalid distances, and what the method needs.
        try:
            warnings = kept_column_notes(sources.data)
            check_method()
        except OntomaskError as problem:
            listed = f" They are {join_some(problem.values, 12)}." if problem.values else ""
            problems.append(problem.worded(spell_for_job) + listed)
    problems += [f"{key}: Nobody has confirmed this guess." for key in guesses]
    unknown = policies.unmapped == "error" and any(column.unmapped for column in found)
    steps = [step for needed, step in ((unknown, _MAP), (missing_cells, _FILL), (guesses, _CONFIRM)) if needed]
    return Preflight(MappingReport(tuple(found)), tuple(problems), warnings, tuple(steps))


def _map(sources: Sources, name: str, kind: Kind) -> ColumnMapping | None:
    try:
        return kind.map(cell_counts(sources.frame, name), name, sources.settings.policies.missing_tokens)
    except MappingError:
        sources.locate_unknown_concept(name)
        raise


def _check_cells(sources: Sources, name: str, kind: Kind) -> tuple[list[str], bool]:
    """Problems with cells that the column cannot hold, and whether cells are missing that must not be."""
    policies = sources.settings.policies
    problems = []
    texts: list[str] = []
    missing = 0
    for cell, count in cell_counts(sources.frame, name).items():
        text = cell_text(cell)
        if text is None or text in policies.missing_tokens:
            missing += count
        else:
            texts.append(text)
    if invalid := kind.mismatches(texts):
        hint = " If they have decimal commas, set input.decimal = ','." if any(map(is_comma_number, invalid)) else ""
        problems.append(f"These are {kind.mismatch}: {join_some(invalid, 12)}.{hint}")
    missing_cells = bool(missing) and policies.missing == "error"
    if missing_cells:
        problems.append(f"{missing:,} cells are missing.")
    return problems, missing_cells
