"""`scan`: a table that stays where it is, in files larger than memory, a database or a cluster."""

from __future__ import annotations

from os import PathLike
from typing import Any

from ontomask.base.text import join_some
from ontomask.engines.base import Source
from ontomask.engines.files import find_files
from ontomask.errors import TableError
from ontomask.microdata.files import delimiter_of

__all__ = ["ENGINES", "scan"]

ENGINES = ("duckdb",)


def scan(table: Any, *, engine: str | None = None, key: str | None = None, name: str | None = None) -> Source:
    """A table whose rows stay where they are. `Microdata` takes it, and `Result.write` writes the masked table.

    Parameters
    ----------
    table
        A Parquet, CSV or TSV file, a folder or a pattern of such files, a DuckDB database, or a DuckDB relation, which
        is copied to a temporary file.
    engine
        ``duckdb``. By default the engine that the table belongs to.
    key
        The column that identifies each row, with integers or texts. Files and databases do not need it: there it is
        the number of the row. The same key, data and seed give the same result.
    name
        The table in a database.

    Examples
    --------
    >>> import ontomask as om, polars as pl, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> pl.DataFrame({"age": [30, 31, 50, 52], "cost": [1, 2, 3, 4]}).write_parquet(f"{folder}/part-1.parquet")
    >>> data = om.Microdata(om.scan(f"{folder}/*.parquet"), {"age": om.Numeric()}, confidential=["cost"])
    >>> result = om.Microaggregation(k=2).mask(data, seed=1)
    >>> written = result.write(f"{folder}/masked.parquet", seed=2)
    >>> pl.read_parquet(written.path).sort("cost")["age"].to_list()
    [30, 30, 51, 51]
    """
    if engine is None:
        engine = "duckdb"
    if engine not in ENGINES:
        raise TableError(
            f"The 'engine' must be one of {join_some(ENGINES)}. Got {engine!r} instead. A table in memory needs none.",
            parameter="engine",
            code="unknown-engine",
        )
    from ontomask.engines.duckdb import DuckDBSource

    if isinstance(table, (str, PathLike)):
        path = str(table)
        if name is not None:
            return DuckDBSource(path, table=name, key=key)
        files, suffix = find_files(path)
        delimiter = "," if suffix == ".parquet" else delimiter_of(files[0]) or ","
        return DuckDBSource(path, key=key, delimiter=delimiter)
    if not hasattr(table, "to_parquet") or not type(table).__module__.startswith(("duckdb", "_duckdb")):
        raise TableError(
            f"A table to scan must be a path or a DuckDB relation. Got {type(table).__name__} instead. Microdata takes "
            f"tables in memory as they are.",
            parameter="table",
            code="not-a-table",
        )
    return DuckDBSource(table, key=key)
