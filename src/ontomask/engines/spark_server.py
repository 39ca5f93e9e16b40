"""A Spark server: read files there, stop it when the user stops a run, and show its failures without cells."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import Any
from uuid import uuid4

from ontomask.engines.files import BLANKS
from ontomask.errors import TableError

__all__ = ["quote_name", "read_files", "running"]

_SECONDS = 5
_ADVICE = {
    "CONNECT_URL_NOT_SET": "Name the address of the server with remote=, such as sc://localhost:15002.",
    "PATH_NOT_FOUND": "Check the path, which the server must see.",
}
_USUAL_ADVICE = (
    "Check that the server runs and can read the table, that all files have the same columns, and that its disks are "
    "not full."
)


def quote_name(name: str) -> str:
    """A column's name as Spark reads it: dots are part of it.

    >>> quote_name("a.b`c")
    '`a.b``c`'
    """
    return "`" + name.replace("`", "``") + "`"


@contextmanager
def running(spark: Any) -> Iterator[None]:
    """While a query runs: Ctrl-C also stops the server, and no error shows cells."""
    tag = f"ontomask-{uuid4()}"
    with _own_errors():
        spark.addTag(tag)
        try:
            yield
        except KeyboardInterrupt:
            with suppress(Exception):  # such as a server that cannot stop
                spark.interruptTag(tag)
            raise
        finally:
            spark.removeTag(tag)


@contextmanager
def _own_errors() -> Iterator[None]:
    """Messages of Spark quote cells, so only the kind of an error is shown."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.split(".")[0] not in ("pyspark", "grpc", "py4j"):
            raise
        kind = type(error).__name__
        with suppress(Exception):
            kind = error.getCondition() or kind  # type: ignore[attr-defined]
        text = f"Spark could not finish ({kind}). {_ADVICE.get(kind, _USUAL_ADVICE)}"
        raise TableError(text, values=[kind], code="engine-failed") from None


def _check_reachable(remote: str | None) -> None:
    """Connect, and see at once whether that works: the client of Spark would try for ten minutes."""
    if remote is None:
        return
    import grpc
    from pyspark.sql.connect.client import DefaultChannelBuilder

    with DefaultChannelBuilder(remote).toChannel() as channel:
        try:
            grpc.channel_ready_future(channel).result(timeout=_SECONDS)
        except grpc.FutureTimeoutError:
            text = f"No Spark server answers at this address for {_SECONDS} s. Check the address and that it runs."
            raise TableError(text, parameter="remote", values=[remote], code="no-server") from None


def read_files(path: str, remote: str | None, delimiter: str | None) -> Any:
    """The DataFrame of files that a Spark server reads: delimited text, or Parquet if there is no delimiter.

    The server must see the path. Folders in a folder are read as well.
    """
    if not find_spec("pyspark"):
        raise TableError(
            "This engine needs PySpark, which is not installed. Use: pip install 'ontomask[spark]'",
            values=["pyspark"],
            code="not-installed",
        )
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as f

    session: Any = SparkSession.builder
    with _own_errors():
        _check_reachable(remote)
        spark = (session if remote is None else session.remote(remote)).getOrCreate()
        if delimiter is None:
            frame = spark.read.parquet(path, recursiveFileLookup=True)
        else:
            # All cells are text, as `ontomask.read_table` reads them. A cell may have several lines.
            quotes = {"quote": '"', "escape": '"', "multiLine": True}
            frame = spark.read.csv(path, header=True, sep=delimiter, recursiveFileLookup=True, **quotes)
        if not frame.columns:
            raise TableError("Spark finds no table here. The server must see the path.", path=path, code="no-file")
    if delimiter is None:
        return frame
    trimmed = {name: f.btrim(f.col(quote_name(name)), f.lit(BLANKS)) for name in frame.columns}
    return frame.select(*(f.nullif(cell, f.lit("")).alias(name) for name, cell in trimmed.items()))
