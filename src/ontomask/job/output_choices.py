"""How the masked table can be written, in words, and the changes that choose it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, get_args

from ontomask.errors import JobError
from ontomask.job.editing import REMOVE, Changes
from ontomask.job.settings import OutputSettings
from ontomask.masking.writing import Order
from ontomask.microdata.files import extension_of
from ontomask.microdata.formulas import Formulas

__all__ = ["FORMAT_WORDS", "FORMULA_WORDS", "ORDER_WORDS", "change_output", "format_of"]

FORMAT_WORDS: Mapping[str, str] = {
    ".csv": "CSV",
    ".tsv": "TSV, divided by tabs",
    ".parquet": "Parquet",
    ".xlsx": "Excel",
    ".sav": "SPSS",
    ".dta": "Stata",
}
ORDER_WORDS: Mapping[str, str] = {
    "shuffled": "shuffled, so that a row's place says nothing",
    "as_is": "as in your table; whoever has it finds each person by the place of the row",
}
FORMULA_WORDS: Mapping[str, str] = {
    "escape": "made harmless, for spreadsheets",
    "as_is": "left as they are, for programs",
}


def format_of(output: OutputSettings) -> str:
    """The extension of the masked table."""
    return extension_of(PurePath(output.masked))  # type: ignore[arg-type]


def change_output(output: OutputSettings, extension: str, order: str, formulas: str) -> Changes:
    """The changes that write the masked table in another format or order. The names of files stay, but for the end."""
    problems = []
    for key, given, known in (
        ("masked", extension, (*FORMAT_WORDS, format_of(output))),
        ("order", order, get_args(Order)),
        ("formulas", formulas, get_args(Formulas)),
    ):
        if given not in known:
            problems.append((f"output.{key}", "There is no such choice. Load the page again."))
    if problems:
        raise JobError("", problems, code="bad-form")
    usual = OutputSettings(masked=output.masked)
    changes: dict[tuple[str, ...], Any] = {
        ("output", "order"): REMOVE if order == usual.order else order,
        ("output", "formulas"): REMOVE if formulas == usual.formulas else formulas,
    }
    if extension != format_of(output):
        changes["output", "masked"] = output.masked[: -len(format_of(output))] + extension
        # A delimiter belongs to its format.
        changes["output", "delimiter"] = REMOVE
    return changes
