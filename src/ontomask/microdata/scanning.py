"""`scan`: a table that stays where it is, in files larger than memory, a database or a cluster."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from ontomask.base.text import join_some
from ontomask.engines.base import Source
from ontomask.engines.files import find_files
from ontomask.errors import TableError
from ontomask.microdata.files import delimiter_of
from ontomask.microdata.scanned_text import check_rows, read_layout

__all__ = ["ENGINES", "scan"]

ENGINES = ("duckdb", "spark")


def scan(
    table: Any,
    *,
    engine: str | None = None,
    key: str | None = None,
    name: str | None = None,
    remote: str | None = None,
) -> Source:
    """A table whose rows stay where they are. `Microdata` takes it, and `Result.write` writes the masked table.

    Parameters
    ----------
    table
        A Parquet, CSV or TSV file, a folder or a pattern of such files, a DuckDB database, a DuckDB relation, which is
        copied to a temporary file, or a Spark DataFrame, which must give the same rows each time it is computed.
    engine
        ``duckdb`` or ``spark``. By default the engine that the table belongs to, and DuckDB for files.
    key
        The column that identifies each row, with integers or texts. Files and databases in DuckDB do not need it: there
        it is the number of the row. The same key, data and seed give the same result on every engine.
    name
        The table in a database.
    remote
        The address of a Spark server, such as ``sc://localhost:50051``, which reads the files.

    Examples
    --------
    >>> import ontomask as om, polars as pl, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> pl.DataFrame({"age": [30, 31, 50, 52], "cost": [1, 2, 3, 4]}).write_parquet(f"{folder}/part-1.parquet")
    >>> data = om.Microdata(om.scan(f"{folder}/part-*.parquet"), {"age": om.Numeric()}, confidential=["cost"])
    >>> result = om.Microaggregation(k=2).mask(data, seed=1)
    >>> written = result.write(f"{folder}/masked.parquet", seed=2)
    >>> pl.read_parquet(written.path).sort("cost")["age"].to_list()
    [30, 30, 51, 51]
    """
    from ontomask.engines.duckdb import DuckDBSource
    from ontomask.engines.spark import SparkSource, is_spark
    from ontomask.engines.spark_server import read_files

    is_path = isinstance(table, (str, PathLike))
    is_relation = hasattr(table, "to_parquet") and type(table).__module__.startswith(("duckdb", "_duckdb"))
    if not is_path and not is_relation and not is_spark(table):
        raise TableError(
            f"A table to scan must be a path, a DuckDB relation or a Spark DataFrame. Got {type(table).__name__} "
            f"instead. Microdata takes tables in memory as they are.",
            parameter="table",
            code="not-a-table",
        )
    own = "spark" if is_spark(table) or remote is not None else "duckdb"
    engine = own if engine is None else engine
    if engine not in ENGINES or (engine != own and not (is_path and remote is None)):
        raise TableError(
            f"The 'engine' of this table must be {join_some(ENGINES if is_path else [own])}. Got {engine!r} instead.",
            parameter="engine",
            code="unknown-engine",
        )
    unused = {
        "name": (name is not None and (engine == "spark" or not is_path), "for the path of a DuckDB database"),
        "remote": (remote is not None and not is_path, "for the path of files that a Spark server reads"),
    }
    for option, (is_unused, use) in unused.items():
        if is_unused:
            raise TableError(f"The {option!r} is {use}. Leave it out here.", parameter=option, code="unused-option")
    if engine == "spark":
        if not is_path:
            return SparkSource(table, key=key)
        path, delimiter = _at_server(str(table))
        return SparkSource(read_files(path, remote, delimiter), key=key, path=path)
    if not is_path or name is not None:
        return DuckDBSource(str(table) if is_path else table, table=name, key=key)
    files, suffix = find_files(str(table))
    if suffix == ".parquet":
        return DuckDBSource(str(table), key=key)
    layout = read_layout(files)
    try:
        return DuckDBSource(str(table), key=key, layout=layout)
    except TableError as problem:
        if problem.code != "engine-failed":
            raise
    check_rows(files, layout)
    return DuckDBSource(str(table), key=key, layout=layout._replace(is_parallel=False))


def _at_server(path: str) -> tuple[str, str | None]:
    """The path of files that a server reads, and their delimiter; ``None`` for Parquet.

    The server has another working folder. Files that are not seen here have a format only by their name.
    """
    try:
        files, suffix = find_files(path)
    except TableError as problem:
        if problem.code != "no-file":
            raise
        name = path.lower()
        return path, "\t" if ".tsv" in name else "," if ".csv" in name else None
    return str(Path(path).absolute()), None if suffix == ".parquet" else delimiter_of(files[0]) or ","
