"""Before a job runs: is every value mapped, is anything missing, is everything confirmed?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ontomask.errors import OntomaskError
from ontomask.job.problems import dotted
from ontomask.job.sources import Sources, cell_counts
from ontomask.mapping import MappingReport, map_values
from ontomask.microdata import Nominal

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
