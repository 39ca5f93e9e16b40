"""Try the method of a job: mask and measure, and show some rows before and after. Nothing is written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ontomask.base.progress import progress
from ontomask.evaluation import Evaluation
from ontomask.job.job import Job
from ontomask.job.table_reading import rows_at
from ontomask.microdata import frames
from ontomask.report import Report

__all__ = ["Trial", "try_job"]

_ROWS = 10


@dataclass(frozen=True, eq=False)
class Trial:
    """A method tried on the table: nothing is written.

    Attributes
    ----------
    score, report
        What was measured.
    columns, before, after
        Some rows as they were and as they would be released; none if the rows stay in an engine. They are records of
        persons: show them to the owner only.
    """

    score: Evaluation
    report: Report
    columns: tuple[str, ...]
    before: tuple[tuple[str, ...], ...]
    after: tuple[tuple[str, ...], ...]


@progress("Trying the method")
def try_job(job: Job) -> Trial:
    """Mask and measure. The rows shown are spread evenly over the table."""
    data, result = job.data, job.mask()
    score = job.evaluate(result)
    report = job.build_report(data, result, score)
    if data.source is not None:
        return Trial(score, report, (), (), ())
    released = frames.columns(result.frame)
    count = len(result.data)
    at = np.unique(np.linspace(0, max(0, count - 1), min(_ROWS, count)).astype(np.int64))
    columns = tuple(name for name in frames.columns(data.frame) if name in released)
    before, after = rows_at(data.frame, result.data.rows[at], columns), rows_at(result.frame, at, columns)
    return Trial(score, report, columns, before, after)
