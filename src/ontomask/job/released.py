"""Read a masked table from a file again. A job's own output is in random order: its private file tells which."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ontomask.errors import PlanError, TableError
from ontomask.job.private import Private, digest, order_seed
from ontomask.job.sources import Sources
from ontomask.masking.writing import row_order
from ontomask.microdata import frames
from ontomask.microdata.formulas import Formulas

__all__ = ["read_released", "was_written_by"]


def read_released(
    sources: Sources, masked: Path, output: Path, beside: Path, *, private: Path | None, ordered: bool
) -> Any:
    """A masked table, the job's own in the order of the original.

    Parameters
    ----------
    sources
        How the job reads and writes tables.
    masked
        The file.
    output, beside
        The files that the job writes: its masked table and its private file.
    private
        The private file of the run that wrote the table, if it is not ``beside``.
    ordered
        Whether the order matters.
    """
    given = sources.settings.output
    known = _load(beside) if private is None else Private.load(private)
    if known is not None and masked.is_file() and known.output.get("masked") == digest(masked):
        formulas: Formulas = "escape" if known.output["formulas"] == "escape" else "as_is"
        frame = sources.read_masked(masked, given.delimiter, formulas)
        if not ordered or known.output["order"] == "as_is":
            return frame
        order = row_order(frames.length(frame), order_seed(known.seed, known.files))
        return frames.take_rows(frame, np.argsort(order))
    if private is not None:
        raise PlanError(f"{private}: is not the private file of the run that wrote {masked}. Give the one that is.")
    own = masked.exists() and output.exists() and masked.samefile(output)
    # Version 0.1 wrote rows in the order of the original, and cells as they are.
    if not own or (known is not None and not known.output):
        return sources.read_masked(masked, given.delimiter if own else None, "as_is")
    if ordered and given.order == "shuffled":
        raise TableError(
            f"{masked}: its rows are in random order, and {beside} does not tell which: it is missing, cannot be read, "
            f"or is of another run. Give the private file of the run that wrote the table (--private FILE, private= in "
            f"Python), or a column that identifies a record in both tables (--key, key=)."
        )
    return sources.read_masked(masked, given.delimiter, given.formulas)


def was_written_by(masked: Path, private: Path, job: str) -> bool:
    """Whether the run of a private file wrote a masked table, from a job file with this digest."""
    known = _load(private)
    return (
        known is not None
        and masked.is_file()
        and known.files.get("the job") == job
        and known.output.get("masked") == digest(masked)
    )


def _load(path: Path) -> Private | None:
    """A private file that may be missing, or that only another user can read."""
    try:
        return Private.load(path)
    except PlanError:
        return None
