"""Before a job runs: is every value mapped, is anything missing, is everything confirmed?"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ontomask.errors import MappingError, OntomaskError
from ontomask.job.fitting import undecided
from ontomask.job.problems import dotted
from ontomask.job.sources import Sources, cell_counts
from ontomask.mapping import ColumnMapping, MappingReport, map_values
from ontomask.mapping.words import cell_text
from ontomask.masking.whole_rows import kept_column_notes
from ontomask.microdata import Nominal, Numeric, Ordinal
from ontomask.microdata.cells import read_number
from ontomask.microdata.decimals import is_comma_number
from ontomask.taxonomy.validate import some

__all__ = ["Preflight", "preflight"]


@dataclass(frozen=True)
class Preflight:
    """What stands between a job and its run.

    Attributes
    ----------
    mapping
        How every value of the nominal columns is mapped.
    problems
        What would stop the run; none where it can go ahead.
    warnings
        What does not stop the run, but should be looked at before it.
    """

    mapping: MappingReport
    problems: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @property
    def ready(self) -> bool:
        """Nothing stands in the way."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "ready": self.ready,
            "problems": list(self.problems),
            "warnings": list(self.warnings),
            "columns": json.loads(self.mapping.to_json()),
        }


def preflight(
    sources: Sources, guesses: tuple[str, ...], check_method: Callable[[], None], *, strict: bool = False
) -> Preflight:
    """Map a job's columns without masking anything.

    This is the one place that names values of the table: who is to mend a mapping has to know which they are.

    Parameters
    ----------
    sources
        The job's inputs.
    guesses
        What nobody has confirmed.
    check_method
        Raises where the method cannot mask the data, such as values that its hierarchies lack.
    strict
        Whether a word taken in its first sense by default is a problem, too.
    """
    policies = sources.settings.policies
    found = []
    problems = [f"{key}: {text}" for key, text in undecided(sources.settings)]
    for name, attribute in sources.attributes.items():
        key = dotted("columns", name)
        if not isinstance(attribute, Nominal):
            problems += [f"{key}: {text}" for text in _strange_cells(sources, name, attribute)]
            continue
        column = _map(sources, name, attribute)
        found.append(column)
        if column.unmapped and policies.unmapped == "error":
            problems.append(f"{key}: {len(column.unmapped):,} of {len(column.values):,} values have no concept.")
        if column.missing and policies.missing == "error":
            problems.append(f"{key}: {column.missing:,} cells are missing.")
        if strict and column.ambiguous:
            problems.append(f"{key}: {len(column.ambiguous):,} values were taken in their first sense.")
        if strict and column.perhaps_missing:
            problems.append(f"{key}: {len(column.perhaps_missing):,} values look like spellings of a missing cell.")
    warnings: tuple[str, ...] = ()
    if not problems:
        # What else could stop the run: columns without any value, distances, and what the method needs.
        try:
            warnings = kept_column_notes(sources.data)
            check_method()
        except OntomaskError as problem:
            listed = f" They are {some(problem.values, 12)}." if problem.values else ""
            problems.append(f"{problem}{listed}")
    problems += [f"{key}: is a guess that nobody has confirmed." for key in guesses]
    return Preflight(MappingReport(tuple(found)), tuple(problems), warnings)


def _map(sources: Sources, name: str, attribute: Nominal) -> ColumnMapping:
    try:
        return map_values(
            cell_counts(sources.frame, name),
            attribute.taxonomy,
            attribute.mapping,
            domain=attribute.domain,
            column=name,
            missing_tokens=sources.settings.policies.missing_tokens,
        )
    except MappingError:
        sources.blame_concepts(name)
        raise


def _strange_cells(sources: Sources, name: str, attribute: Numeric | Ordinal) -> list[str]:
    """Missing cells that may not be, and cells that are no numbers or none of the categories."""
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
    if isinstance(attribute, Ordinal):
        strange = [text for text in texts if text not in attribute.categories]
        what = "not among its categories"
    else:
        strange = [text for text in texts if read_number(text) is None]
        what = "no numbers"
    if strange:
        hint = " With decimal commas? Then say input.decimal = ','." if any(map(is_comma_number, strange)) else ""
        problems.append(f"{what}: {some(strange, 12)}.{hint}")
    if missing and policies.missing == "error":
        problems.append(f"{missing:,} cells are missing.")
    return problems
