"""Jobs: one TOML file says what to read, what the columns are, how to mask them and where the results go."""

from __future__ import annotations

from ontomask.job.job import Job
from ontomask.job.run import JobRun

__all__ = ["Job", "JobRun"]
