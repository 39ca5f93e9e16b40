"""Files as DuckDB reads them: nothing is guessed, and the cells are those of `ontomask.read_table`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ontomask.engines.base import OWN, check_names
from ontomask.engines.duckdb_connection import Connection
from ontomask.engines.files import BLANKS, Layout
from ontomask.engines.sql import file_to_read, quote_name, quote_text
from ontomask.errors import TableError

__all__ = ["delimited_rows", "parquet_rows", "read_delimited"]

_NAMELESS = f"{OWN}nameless-"
# The longest line, in bytes.
_LINE = 64_000_000


def _list_files(files: Sequence[Path]) -> str:
    return "[" + ", ".join(map(file_to_read, files)) + "]"


def parquet_rows(sql: Connection, files: Sequence[Path]) -> tuple[str, str, str]:
    """How to read Parquet files, as SQL: the cells, the row number, and the source of both."""
    sizes = dict(sql.run(f"SELECT file_name, num_rows FROM parquet_file_metadata({_list_files(files)})"))
    # DuckDB would give the second of two equal names another one.
    names, inside = [], 0
    for name, children in sql.run(f"SELECT name, num_children FROM parquet_schema({file_to_read(files[0])})")[1:]:
        if not inside:
            names.append(name)
        inside += (children or 0) - bool(inside)
    check_names(names)
    if {"filename", "file_row_number"} & {name.casefold() for name in names}:
        # DuckDB would add columns with these names.
        return "*", "row_number() OVER () - 1", f"read_parquet({_list_files(files)}, hive_partitioning = false)"
    row = "file_row_number"
    if len(files) > 1:
        # The files follow each other in the order of their names.
        before, start = 0, []
        for file in files:
            start.append(f"WHEN {quote_text(file)} THEN {before}")
            before += int(sizes[str(file)])
        row = f"file_row_number + CASE filename {' '.join(start)} END"
    options = "file_row_number = true, filename = true, hive_partitioning = false"
    return "* EXCLUDE (file_row_number, filename)", row, f"read_parquet({_list_files(files)}, {options})"


def delimited_rows(sql: Connection, files: Sequence[Path], layout: Layout) -> tuple[str, str, str]:
    """How to read delimited files, as SQL: the cells, the row number, and the source of both."""
    check_names([name for name in layout.names if name])
    names = [name or f"{_NAMELESS}{i}" for i, name in enumerate(layout.names)]
    read = read_delimited(sql, files, layout._replace(names=names))
    cells = {name: f"nullif(trim({quote_name(name)}, {quote_text(BLANKS)}), '')" for name in names}
    while names and names[-1].startswith(_NAMELESS):
        # Delimiters at the ends of lines make a column without name and cells.
        if sql.run(f"SELECT count({cells[names[-1]]}) FROM {read}") != [(0,)]:
            break
        names.pop()
    check_names(layout.names[: len(names)])
    return ", ".join(f"{cells[name]} AS {quote_name(name)}" for name in names), "row_number() OVER () - 1", read


def read_delimited(sql: Connection, files: Sequence[Path], layout: Layout) -> str:
    """Delimited files, as SQL. All cells are texts, as `ontomask.read_table` reads them: 038 is no number.

    All rows are read once, so that a damaged one is found at once.
    """
    columns = ", ".join(f"{quote_text(name)}: 'VARCHAR'" for name in layout.names)
    options = (
        f"auto_detect = false, columns = {{{columns}}}, delim = {quote_text(layout.delimiter)}, quote = '\"', "
        f"escape = '\"', comment = '', header = true, skip = {layout.before}, strict_mode = true, "
        f"null_padding = false, allow_quoted_nulls = false, hive_partitioning = false, "
        f"max_line_size = {_LINE}, buffer_size = {_LINE}, parallel = {layout.is_parallel}"
    )
    read = f"read_csv({_list_files(files)}, {options})"
    try:
        sql.run(f"SELECT count(*) FROM {read}")
    except TableError:
        raise TableError(
            "DuckDB cannot read this delimited text. It needs quotes around whole cells, one kind of line ends, no "
            "line of blanks, and rows below 64 MB. Correct the file, or convert it to Parquet.",
            path=files[0] if len(files) == 1 else None,
            code="engine-failed",
        ) from None
    return read
