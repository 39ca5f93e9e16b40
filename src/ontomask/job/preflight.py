"""Before a job runs: is every value mapped, is anything missing, is everything confirmed?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ontomask.errors import OntomaskError
from ontomask.job.problems import dotted
from ontomask.job.sources import Sources, cell_counts
from ontomask.mapping import MappingReport, map_values
from ontomask.mapping.words import cell_text
from ontomask.microdata import Nominal, Ordinal
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
    """

    mapping: MappingReport
    problems: tuple[str, ...]

    @property
    def ready(self) -> bool:
        """Nothing stands in the way."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "ready": self.ready,
            "problems": list(self.problems),
            "columns": json.loads(self.mapping.to_json()),
        }


def preflight(sources: Sources, guesses: tuple[str, ...], *, strict: bool = False) -> Preflight:
    """Map a job's columns without masking anything.

    This is the one place that names values of the table: who is to mend a mapping has to know which they are.

    Parameters
    ----------
    sources
        The job's inputs.
    guesses
        What nobody has confirmed.
    strict
        Whether a word taken in its first sense by default is a problem, too.
    """
    policies = sources.settings.policies
    found = []
    problems = []
    for name, attribute in sources.attributes.items():
        if isinstance(attribute, Ordinal):
            problems += _strange_categories(sources, name, attribute)
        if not isinstance(attribute, Nominal):
            continue
        column = map_values(
            cell_counts(sources.frame, name),
            attribute.taxonomy,
            attribute.mapping,
            domain=attribute.domain,
            column=name,
            missing_tokens=policies.missing_tokens,
        )
        found.append(column)
        key = dotted("columns", name)
        if column.unmapped and policies.unmapped == "error":
            problems.append(f"{key}: {len(column.unmapped):,} of {len(column.values):,} values have no concept.")
        if column.missing and policies.missing == "error":
            problems.append(f"{key}: {column.missing:,} cells are missing.")
        if strict and column.ambiguous:
            problems.append(f"{key}: {len(column.ambiguous):,} values were taken in their first sense.")
    if not problems:
        # What else could stop the run: numbers that are none, categories that are not listed, distances.
        try:
            _ = sources.data
        except OntomaskError as problem:
            problems.append(str(problem))
    problems += [f"{key}: is a guess that nobody has confirmed." for key in guesses]
    return Preflight(MappingReport(tuple(found)), tuple(problems))


def _strange_categories(sources: Sources, name: str, attribute: Ordinal) -> list[str]:
    """The values of an ordered column that it does not list, which the error about them does not name."""
    known = {*attribute.categories, *sources.settings.policies.missing_tokens}
    texts = [cell_text(cell) for cell in cell_counts(sources.frame, name)]
    strange = [text for text in texts if text is not None and text not in known]
    return [f"{dotted('columns', name)}: not among its categories: {some(strange, 12)}."] if strange else []
