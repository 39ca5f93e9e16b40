"""A Spark server: read files there, stop it when the user stops a run, and show its failures without cells."""

from __future__ import annotations

import atexit
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from ontomask.engines.files import BLANKS
from ontomask.errors import TableError

__all__ = ["local_path", "quote_name", "read_files", "running", "with_signed_integers"]

_SECONDS = 5
_FORM = "The address of a Spark server has the form sc://host:15002."
_SESSIONS: dict[str, Any] = {}
# Sail reads unsigned integers, which Spark does not have. Spark with Java reads them as these types.
_SIGNED = {
    "unsigned tinyint": "smallint",
    "unsigned smallint": "int",
    "unsigned int": "bigint",
    "unsigned bigint": "decimal(20,0)",
}
_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_ADVICE = {
    "INVALID_CONNECT_URL": _FORM,
    "SparkConnectGrpcException": "Check the address of the server and that it runs.",
    "UnsupportedOperationException": (
        "It cannot read a type of these columns, such as categories (dictionaries), times of the day, or timestamps "
        "with nanoseconds. Convert them before."
    ),
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
    # It is for users of pandas, and would be repeated in each query.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
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
        if type(error).__module__.split(".")[0] not in ("pyspark", "grpc", "py4j", "pyarrow"):
            raise
        kind = type(error).__name__
        with suppress(Exception):
            kind = error.getCondition() or kind  # type: ignore[attr-defined]
        text = f"Spark could not finish ({kind}). {_ADVICE.get(kind, _USUAL_ADVICE)}"
        raise TableError(text, values=[kind], code="engine-failed") from None


def local_path(path: str) -> str:
    """Turn a URL such as file:///data/parts into a path. Other texts stay as they are.

    >>> local_path("file:///data/parts"), local_path("s3://data/parts")
    ('/data/parts', 's3://data/parts')
    """
    return re.sub("^file:/+", "/", path)


def with_signed_integers(frame: Any) -> Any:
    """A DataFrame without unsigned integers: their largest cells would be lost."""
    from pyspark.sql import functions as f

    integers = [name for name, kind in frame.dtypes if kind in _INTEGERS]
    if not integers:
        return frame
    kinds = frame.select(*(f.typeof(f.col(quote_name(name))).alias(f"c{i}") for i, name in enumerate(integers)))
    found = dict(zip(integers, *map(list, kinds.limit(1).collect()), strict=False))
    signed = {name: _SIGNED[kind] for name, kind in found.items() if kind in _SIGNED}
    cells = {name: f.col(quote_name(name)) for name in frame.columns}
    return (
        frame.select(*(cells[n].cast(signed[n]).alias(n) if n in signed else cells[n] for n in cells))
        if signed
        else frame
    )


def _session(remote: str | None) -> Any:
    """A session of the server; one for each, because Spark would go on with the first."""
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    if remote is None:
        return builder.getOrCreate()
    _check_reachable(remote)
    if remote not in _SESSIONS or _SESSIONS[remote].is_stopped:
        _SESSIONS[remote] = builder.remote(remote).create()
        # PySpark asks the server to clear its cache at exit. If the server is gone, that takes minutes.
        atexit.register(_SESSIONS[remote].client.close)
    return _SESSIONS[remote]


def _check_reachable(remote: str) -> None:
    """Connect, and see at once whether that works: the client of Spark would try for ten minutes."""
    with suppress(ValueError):  # such as a port out of range
        address = urlsplit(remote)
        if address.scheme == "sc" and address.hostname and address.port != 0:
            return _connect(remote)
    raise TableError(_FORM, parameter="remote", values=[remote], code="no-server")


def _connect(remote: str) -> None:
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
    from pyspark.sql import functions as f

    path = local_path(path)
    with _own_errors():
        spark = _session(remote)
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
    return frame.select(*(f.nullif(cell, f.lit("")).alias(name.strip(BLANKS)) for name, cell in trimmed.items()))
