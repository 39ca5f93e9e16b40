"""A connection to DuckDB with a private folder. Its queries stop with Ctrl-C, and its failures show no cells."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ontomask.base.drafts import DraftFolder
from ontomask.engines.sql import quote_name
from ontomask.errors import TableError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Connection"]

_Rows = TypeVar("_Rows")
# Counting, joining and sorting beyond this goes to temporary files. The process needs some more besides.
_MEMORY = "1000MB"


class Connection:
    """A connection of our own, with a private folder for temporary files."""

    def __init__(self) -> None:
        if not find_spec("duckdb") or not find_spec("pyarrow"):
            raise TableError(
                "This engine needs DuckDB and pyarrow, which are not installed. Use: pip install 'ontomask[duckdb]'",
                values=["duckdb"],
                code="not-installed",
            )
        import duckdb

        # It can hold originals. If this run is killed, a later one removes it.
        drafts = DraftFolder.create(Path(tempfile.gettempdir()))
        self.folder = drafts.path
        self._sql = duckdb.connect(config={"memory_limit": _MEMORY, "temp_directory": str(self.folder)})
        # It would be printed to the standard output.
        self._sql.execute("SET enable_progress_bar = false").fetchall()
        self._number = 0
        functions: list[str] = []
        self._functions = functions
        weakref.finalize(self, _close, self._sql, functions, drafts)

    def name(self, what: str) -> str:
        """A new name."""
        self._number += 1
        return f"{what}_{self._number}"

    def _wait(self, query: Callable[[], _Rows]) -> _Rows:
        """Do something in another thread. Within DuckDB, Ctrl-C could be lost or look like a wrong query."""
        with _own_errors(), ThreadPoolExecutor(1) as pool:
            running = pool.submit(query)
            try:
                # Another thread may get the signal, and this one sees it when it wakes up.
                while not running.done():
                    wait([running], 0.1)
                return running.result()
            finally:
                while not running.done():
                    self._sql.interrupt()
                    wait([running], 0.05)

    def run(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query; its rows."""
        return self._wait(lambda: list(self._sql.execute(query).fetchall()))

    def arrow(self, query: str) -> Any:
        """The result of a query as an Arrow table."""
        return self._wait(lambda: self._sql.sql(query).to_arrow_table())

    def frame(self, query: str) -> pl.DataFrame:
        """The result of a query as a polars table."""
        import polars as pl

        found = pl.from_arrow(self.arrow(query))
        assert isinstance(found, pl.DataFrame)
        return found

    def table(self, what: str, frame: pl.DataFrame, types: dict[str, str]) -> str:
        """Store a small table, with the types of the columns that are compared with others; its name."""
        name, view = self.name(what), self.name("given")
        named = [(quote_name(column), types.get(column)) for column in frame.columns]
        columns = [column if kind is None else f"CAST({column} AS {kind}) AS {column}" for column, kind in named]
        arrow = frame.to_arrow()
        self._wait(lambda: self._sql.register(view, arrow))
        self.run(f"CREATE TEMP TABLE {name} AS SELECT {', '.join(columns)} FROM {view}")
        self._wait(lambda: self._sql.unregister(view))
        return name

    def texts(self, column: pl.Series) -> str:
        """A type that holds the distinct texts of a column as numbers; its name."""
        import polars as pl

        name, listed = self.name("texts"), self.table("listed", pl.DataFrame({"t": column.drop_nulls().unique()}), {})
        self.run(f"CREATE TYPE {name} AS ENUM (SELECT t FROM {listed})")
        return name

    def function(self, what: str, call: Callable[..., Any], parameters: Sequence[str], returns: str) -> str:
        """Make a function of Arrow arrays known to SQL; its name."""
        name = self.name(what)
        connection: Any = self._sql
        self._wait(lambda: connection.create_function(name, call, list(parameters), returns, type="arrow"))
        self._functions.append(name)
        return name


@contextmanager
def _own_errors() -> Iterator[None]:
    """No error shows cells: DuckDB's own messages quote lines of files."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        if isinstance(error, duckdb.OutOfMemoryException):
            advice = "Make room on the disk with temporary files (TMPDIR), or mask parts of the table."
        else:
            advice = "Check that the files can be read, have the same columns, and that the disk is not full."
        text = f"DuckDB could not finish ({type(error).__name__}). {advice}"
        raise TableError(text, values=[type(error).__name__], code="engine-failed") from None


def _close(connection: Any, functions: list[str], drafts: DraftFolder) -> None:
    try:
        # DuckDB complains at exit about functions that are still known.
        for name in functions:
            connection.remove_function(name)
        connection.close()
    finally:
        drafts.remove()
