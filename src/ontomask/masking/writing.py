"""Write a masked table to a file that can be released: rows in random order, no cells that a spreadsheet would run."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ontomask.base.notes import Note
from ontomask.errors import MaskingError, Setting
from ontomask.masking.seeds import generator, is_weak, order_generator, weak_seed_note
from ontomask.microdata import frames
from ontomask.microdata.files import is_delimited, save_table
from ontomask.microdata.formulas import Formulas

if TYPE_CHECKING:
    from ontomask.masking.results import Result

__all__ = ["Order", "Written", "row_order", "write_result"]

Order = Literal["shuffled", "as_is"]


@dataclass(frozen=True, eq=False, repr=False)
class Written:
    """A masked table in a file.

    Attributes
    ----------
    path
        The file.
    rows
        For each row of the file the position of its record in the original. Keep it private. `ontomask.evaluate` needs
        it to measure the file: ``evaluate(data, read_table(path), rows=written.rows)``.
    notes
        Remarks on the file.
    """

    path: Path
    rows: NDArray[np.int64]
    notes: tuple[Note, ...]

    def __repr__(self) -> str:
        # Logs must not show which row is whose.
        return f"<Written: {len(self.rows):,} records in {self.path}>"


def row_order(records: int, seed: int | np.random.Generator | None) -> NDArray[np.int64]:
    """A random order of rows: row i of the file is record ``order[i]``. It depends on the seed only."""
    rng = generator(seed)
    if seed is not None and not isinstance(seed, np.random.Generator):
        rng = order_generator(seed)
    return rng.permutation(records)


def write_result(
    result: Result,
    path: str | PathLike[str],
    *,
    order: Order,
    seed: int | np.random.Generator | None,
    formulas: Formulas,
    **options: Any,
) -> Written:
    """Write a result; see `Result.write`. ``options`` are those of `ontomask.write_table`."""
    if order not in get_args(Order):
        message = f"The 'order' must be one of {', '.join(get_args(Order))}. Got {order!r} instead."
        raise MaskingError(message, parameter="order")
    if order == "as_is" and seed is not None:
        as_is = Setting("output", "order", values=["as_is"])
        raise MaskingError(
            "A 'seed' shuffles rows, and ",
            as_is,
            " does not. Leave one of them out.",
            parameter="seed",
            code="not-shuffled",
        )
    path, frame, rows = Path(path), result.frame, result.data.rows
    if order == "shuffled":
        shuffled = row_order(len(rows), seed)
        frame, rows = frames.tidy_categories(frames.take_rows(frame, shuffled)), rows[shuffled]
    escaped = save_table(frame, path, formulas=formulas if is_delimited(path) else "as_is", **options)
    notes = [_SHUFFLED if order == "shuffled" else _IN_ORDER]
    if escaped:
        text = "{cells:,} cells or column names that a spreadsheet would run as formulas got an apostrophe in front."
        notes.append(Note.of("formulas-escaped", text, cells=escaped))
    if is_weak(seed):
        notes.append(weak_seed_note())
    return Written(path, rows, tuple(notes))


_SHUFFLED = Note.of("rows-shuffled", "The rows were written in random order, so positions identify nobody.")
_IN_ORDER = Note.of(
    "rows-in-order",
    "The rows were written in the order of the original, so everybody who knows that order finds a person's record.",
)
