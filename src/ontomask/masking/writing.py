"""Write a masked table to a file that can be released: rows in random order, no cells that a spreadsheet would run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ontomask.base.drafts import DraftFolder, keep_former, restore_former
from ontomask.base.keyed_hash import draw_secret
from ontomask.base.notes import Note
from ontomask.base.progress import progress
from ontomask.engines.files import is_table_folder
from ontomask.errors import MaskingError, Setting
from ontomask.masking.seeds import generator, is_weak, order_generator, weak_seed_note
from ontomask.microdata import frames
from ontomask.microdata.files import is_delimited, save_table
from ontomask.microdata.formulas import ESCAPE, Formulas
from ontomask.microdata.masked import MaskedTuples

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
        it to measure the file: ``evaluate(data, read_table(path), rows=written.rows)``. Empty if an engine wrote it.
    notes
        Remarks on the file.
    records
        The number of records in the file.
    """

    path: Path
    rows: NDArray[np.int64]
    notes: tuple[Note, ...]
    records: int

    def __repr__(self) -> str:
        # Logs must not show which row is whose.
        return f"<Written: {self.records:,} records in {self.path}>"


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
    if isinstance(result.data, MaskedTuples):
        return write_in_engine(result, Path(path), order=order, seed=seed, formulas=formulas, **options)
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
    return Written(path, rows, tuple(notes), len(rows))


@progress("Writing the masked table")
def write_in_engine(
    result: Result,
    path: Path,
    *,
    order: Order,
    seed: int | np.random.Generator | None,
    formulas: Formulas,
    overwrite: bool,
    **options: Any,
) -> Written:
    """Let the engine write the masked table, count the groups in what it wrote, and only then give it its name."""
    data: MaskedTuples = result.data
    _check_target(data, path, overwrite=overwrite, options=options)
    secret = None
    if order == "shuffled":
        is_seed = seed is not None and not isinstance(seed, np.random.Generator)
        secret = draw_secret(order_generator(int(seed)) if is_seed else generator(seed))  # type: ignore[arg-type]
    escape = ESCAPE if formulas == "escape" else None
    folder = DraftFolder.create(path.parent)
    try:
        draft = folder.path / path.name
        data.frame.write(draft, secret, escape)
        names = [escape.name(name) if escape is not None and is_delimited(path) else name for name in data.columns]
        with progress("Counting groups in what was written"):
            _, written = data.frame.count_written(draft, names)
        expected = np.bincount(data.record_groups, weights=data.records).astype(np.int64)
        if not np.array_equal(np.sort(written), np.sort(expected[expected > 0])):
            raise MaskingError(
                f"The engine wrote {int(written.sum()):,} records in {len(written):,} groups, and the plan has "
                f"{len(data):,} in {int((expected > 0).sum()):,}. Nothing was kept. The table may have changed while "
                f"it was masked: mask it again.",
                code="table-changed",
            )
        _replace(path, draft, folder.path / "before")
    finally:
        folder.remove()
    notes = [_SHUFFLED if order == "shuffled" else _IN_ORDER]
    if is_weak(seed):
        notes.append(weak_seed_note())
    return Written(path, np.empty(0, dtype=np.int64), tuple(notes), len(data))


def _replace(path: Path, draft: Path, before: Path) -> None:
    """Give a draft its name. What had the name is kept, and has it again if that fails."""
    former = before if path.exists() else None
    try:
        if former is not None:
            keep_former(path, former, draft)
        draft.replace(path)
    except BaseException:
        restore_former(path, former)
        raise


def _check_target(data: MaskedTuples, path: Path, *, overwrite: bool, options: Mapping[str, Any]) -> None:
    """Refuse a path that is no new table, and options of delimited files that engines do not have."""
    if data.source is not None and data.source.is_input(path):
        text = "The original is read from here, or may be: not every table tells its files. Choose a new name."
        raise MaskingError(text, parameter="path", code="over-input", path=path)
    if not path.parent.is_dir():
        raise MaskingError(f"The folder {path.parent} does not exist. Create it first.", path=path, code="no-folder")
    if path.exists() and not overwrite:
        text = "It exists already. Choose another path, or replace it with "
        raise MaskingError(text, Setting("output", "overwrite", values=[True]), ".", path=path, code="exists")
    if path.is_dir() and not is_table_folder(path):
        text = "This folder holds other files than those of a table, and they would be removed. Choose another path."
        raise MaskingError(text, path=path, parameter="path", code="not-a-table")
    if path.suffix.lower() not in ("", ".parquet", ".csv", ".tsv"):
        text = "An engine writes .parquet, .csv and .tsv files, and folders of Parquet files. Choose another name."
        raise MaskingError(text, path=path, parameter="path", code="unknown-format")
    usual = {"delimiter": None, "encoding": "utf-8", "decimal": ".", "numbers": ()}
    for name, value in options.items():
        if value != usual.get(name, value) and not (name == "numbers" and not value):
            text = f"An engine writes comma-separated UTF-8 with decimal points. Leave out '{name}', or write Parquet."
            raise MaskingError(text, parameter=name, code="engine-cannot")


_SHUFFLED = Note.of("rows-shuffled", "The rows were written in random order, so positions identify nobody.")
_IN_ORDER = Note.of(
    "rows-in-order",
    "The rows were written in the order of the original, so everybody who knows that order finds a person's record.",
)
