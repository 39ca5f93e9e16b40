"""Step 1: the table, and how its file is written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ontomask.errors import JobError
from ontomask.job.date_formats import change_date_format, date_columns
from ontomask.job.editing import REMOVE
from ontomask.job.input_files import expanded, unreadable
from ontomask.job.settings import InputSettings
from ontomask.job.table_reading import DELIMITERS, ENCODINGS, found_delimiter, preview, recognise_reading
from ontomask.microdata.decimals import THOUSANDS
from ontomask.microdata.files import extension_of, is_delimited
from ontomask.web.forms import Form
from ontomask.web.workspaces import Workspace

__all__ = ["ACTIONS", "examine", "show"]

_MARKS = {",": "comma", ".": "point", " ": "space", "'": "apostrophe"}


def examine(workspace: Workspace, path: Any, reading: Mapping[str, Any] | None = None) -> None:
    """Begin to examine a table."""
    workspace.choices["tried"] = path, reading
    workspace.start("examine", "Examining the table", lambda: workspace.bench.open_table(path, reading))


def show(workspace: Workspace) -> dict[str, Any]:
    """What the page shows."""
    bench = workspace.bench
    if not bench.is_open:
        return {"preview": None, "paths": workspace.paths, "given": None, **_tried(workspace)}
    return {
        "preview": preview(bench.job.sources.frame),
        "marked": bench.draft.marked,
        "no_header": bench.draft.no_header,
        "dates": date_columns(bench.settings, bench.draft),
        **_how_written(bench.table, bench.settings.input),
    }


def _tried(workspace: Workspace) -> dict[str, Any]:
    """How a file was read that could not be opened, so that a person can correct it."""
    path, reading = workspace.choices.get("tried", (None, None))
    if path is None or workspace.bench.has_job or not path.is_file() or not is_delimited(path):
        return {}
    given = InputSettings.model_construct(path=path.name, **(recognise_reading(path) if reading is None else reading))
    return {"marked": (), "no_header": False, **_how_written(path, given)}


def _how_written(path: Path, given: InputSettings) -> dict[str, Any]:
    return {
        "given": given,
        "is_text": is_delimited(path),
        "is_excel": extension_of(path) == ".xlsx",
        "delimiter": found_delimiter(path, given.delimiter),
        "delimiters": DELIMITERS,
        "encodings": ENCODINGS if given.encoding in ENCODINGS else {**ENCODINGS, given.encoding: given.encoding},
        "marks": {mark: _MARKS.get(mark, mark) for mark in THOUSANDS},
    }


def _open(workspace: Workspace, form: Form) -> None:
    """Open the table by its path: another one, or that of a job whose table could not be read."""
    path = expanded(form["path"])
    problem = unreadable(path) if workspace.paths else "This server opens no files by their path. Upload it."
    if problem:
        raise JobError("", [("path", problem)], code="not-read")
    if workspace.bench.lacks_table:
        workspace.start("examine", "Examining the table", lambda: workspace.bench.attach_table(path.resolve()))
    else:
        examine(workspace, path.resolve())


def _read_again(workspace: Workspace, form: Form) -> None:
    """Read the file in another way. The columns may change, so the roles are guessed again."""
    path = workspace.bench.table if workspace.bench.has_job else workspace.choices["tried"][0]
    reading: dict[str, Any] = {} if form.has("header") else {"header": False}
    if is_delimited(path):
        # Also the usual mark, so that it is not guessed again.
        reading["decimal"] = form["decimal"]
        reading |= {"encoding": form["encoding"]} if form["encoding"] != "utf-8" else {}
        reading |= {"delimiter": form["delimiter"]} if form.get("delimiter") else {}
        reading |= {"thousands": form["thousands"]} if form.get("thousands") else {}
    if form.get("sheet"):
        reading["sheet"] = form["sheet"]
    examine(workspace, path, reading)


def _dates(workspace: Workspace, form: Form) -> None:
    """Say how the dates of a column are written."""
    bench = workspace.bench
    found = date_columns(bench.settings, bench.draft)
    column = found[form.position("column", len(found))]
    if form["formats"]:
        formats = form["formats"].splitlines()
        bench.edit_columns(change_date_format(bench.editor.content, bench.draft, column.name, formats))


def _confirm(workspace: Workspace, form: Form) -> str:  # noqa: ARG001 (as all actions are called)
    bench = workspace.bench
    if "confirmed" in bench.editor.content["input"]:
        bench.edit({("input", "confirmed"): REMOVE})
    return "roles"


ACTIONS = {"open": _open, "read": _read_again, "dates": _dates, "confirm": _confirm}
