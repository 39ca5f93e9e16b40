"""The files that a job reads, and a table that stays in its engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ontomask.base.grouping import count_codes
from ontomask.engines.base import Source
from ontomask.errors import TableError
from ontomask.job.ontologies import EMBEDDED, listed
from ontomask.job.settings import InputSettings, Settings
from ontomask.microdata import frames, scan

__all__ = ["cell_counts", "choose_engine", "expanded", "input_files", "scan_input", "unreadable"]

# With the engine "auto", larger files stay on the disk.
_LARGE = 2**30


def input_files(settings: Settings, path: Path, beside: Callable[[str], Path]) -> dict[str, Path]:
    """Every file that a job reads, by a description."""
    found = {"the job": path, "the input": beside(settings.input.path)}
    found |= {f"the ontology {n!r}": beside(o.path) for n, o in settings.ontologies.items()}
    for name, column in settings.columns.items():
        if isinstance(column.mapping, str):
            found[f"the mapping of {name!r}"] = beside(column.mapping)
        if column.mapping_file is not None:
            found[f"the mapping of {name!r}"] = beside(column.mapping_file.path)
        if column.value_set is not None:
            found[f"the value set of {name!r}"] = beside(column.value_set.path)
        if isinstance(column.groups, str):
            found[f"the groups of {name!r}"] = beside(column.groups)
        for number, taxonomy in enumerate(listed(column.taxonomy), start=1):
            if taxonomy not in (*settings.ontologies, *EMBEDDED):
                which = f" {number}" if isinstance(column.taxonomy, list) else ""
                found[f"the ontology{which} of {name!r}"] = beside(taxonomy)
        if isinstance(column.links, str) and column.links != "xrefs":
            found[f"the links of {name!r}"] = beside(column.links)
    for name, file in settings.evaluation.hierarchies.items():
        found[f"the hierarchy of the masked {name!r}"] = beside(file)
    for name, mapping in settings.evaluation.mapping.items():
        if isinstance(mapping, str):
            found[f"the mapping of the masked {name!r}"] = beside(mapping)
    return found


def expanded(text: str) -> Path:
    """A path that a person types; ``~`` is the home folder."""
    path = Path(text.strip())
    try:
        return path.expanduser()
    except RuntimeError:  # no such user
        return path


def unreadable(path: Path, *, folders: bool = False) -> str:
    """Why a file that a person names cannot be read; empty if it can. Nothing but its first byte is read."""
    try:
        if path.is_dir():
            return "" if folders else "This is a folder. Give the path of a file."
        if not path.is_file():
            return "There is no such file. Check the path."
        with path.open("rb") as file:
            file.read(1)
    except (OSError, ValueError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else "it is no path"
        return f"It cannot be read: {why}. Check the path and your permissions."
    return ""


def choose_engine(given: InputSettings, path: Path) -> str | None:
    """The engine that keeps the rows of the input; ``None`` for memory."""
    if given.engine != "auto":
        return None if given.engine == "memory" else given.engine
    if given.remote is not None:
        return "spark"
    is_small = path.is_file() and path.stat().st_size < _LARGE and given.table is None
    return None if is_small else "duckdb"


def scan_input(given: InputSettings, path: Path, engine: str) -> Source:
    """The input in its engine. Options of reading that an engine does not have are errors."""
    usual = InputSettings(path=given.path)
    for name in ("delimiter", "encoding", "header", "decimal", "thousands", "sheet"):
        if getattr(given, name) != getattr(usual, name):
            text = f"The engine {engine!r} reads Parquet, and CSV in UTF-8 with a header and decimal points. "
            raise TableError(f"{text}Leave out {name!r}, or use the engine 'memory'.", parameter=name)
    place = given.path if "://" in given.path else str(path)
    return scan(place, engine=engine, key=given.key, name=given.table, remote=given.remote)


def cell_counts(frame: Any, column: str) -> dict[Any, int]:
    """The distinct cells of a column with their number of records."""
    records = None
    if isinstance(frame, Source):
        frame, records = frame.count([column])
    code, cells = frames.factorise(frame, column)
    return dict(zip(cells, count_codes(code, len(cells), records).tolist(), strict=True))
