"""DuckDB: files larger than memory, folders of Parquet or CSV files, relations, tables of a database. All by SQL."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ontomask.base.compiled_hash import hash_integers
from ontomask.base.keyed_hash import Secret, hash_arrow
from ontomask.engines.base import OWN, SUPPRESSED, Dealing, Escape, Released, Sample, Source, check_names
from ontomask.engines.duckdb_connection import Connection
from ontomask.engines.duckdb_files import delimited_rows, parquet_rows, read_delimited
from ontomask.engines.files import Layout, find_files, is_read_from
from ontomask.engines.keys import check_key, check_size, check_unique
from ontomask.engines.sql import file_to_read as _file
from ontomask.engines.sql import list_names as _listed
from ontomask.engines.sql import quote_name as _quote
from ontomask.engines.sql import quote_text as _text
from ontomask.errors import TableError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["DuckDBSource"]

# Our own columns.
_KEY, _TUPLE, _OUTCOME, _COUNT = (f"{OWN}{name}" for name in ("key", "tuple", "outcome", "records"))
_DIVIDED = -2
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT")
# An estimate of the number of distinct cells is a few percent off.
_SURELY_FEWER = 0.8


class DuckDBSource(Source):
    """A table that DuckDB reads: files, a table of a database, or a relation, which is copied to a temporary file."""

    engine: ClassVar[str] = "duckdb"

    def __init__(
        self, given: Any, *, table: str | None = None, key: str | None = None, layout: Layout | None = None
    ) -> None:
        self._sql = Connection()
        self._files: list[Path] = []
        self._given: str | None = None
        self._view, has_order = self._sql.name("source"), True
        if not isinstance(given, (str, Path)):
            self._copy(given)
            has_order = False
        elif table is not None:
            self._attach(Path(given), table)
        else:
            self._read(str(given), layout)
        found = self._sql.run(f"DESCRIBE SELECT * FROM {self._view}")
        # DuckDB gives the second of two equal names another one.
        check_names([name for name, *_ in found if name != _KEY])
        is_enum = re.compile(r"ENUM\(.*\)", re.DOTALL).fullmatch
        self._types = {name: "VARCHAR" if is_enum(kind) else kind for name, kind, *_ in found if name != _KEY}
        self._rows = self._rows_by(key, has_order=has_order)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._types)

    def _read(self, path: str, layout: Layout | None) -> None:
        self._files, self._given = find_files(path)[0], path
        if layout is None:
            cells, row, read = parquet_rows(self._sql, self._files)
        else:
            cells, row, read = delimited_rows(self._sql, self._files, layout)
        self._sql.run(f"CREATE TEMP VIEW {self._view} AS SELECT {cells}, {row} AS {_quote(_KEY)} FROM {read}")

    def _attach(self, path: Path, table: str) -> None:
        database = self._sql.name("database")
        self._files = [path]
        self._sql.run(f"ATTACH {_text(path)} AS {database} (READ_ONLY)")
        rows = f"{database}.{_quote(table)}"
        names = {name.lower() for name, *_ in self._sql.run(f"DESCRIBE SELECT * FROM {rows}")}
        row = "row_number() OVER () - 1" if "rowid" in names else "rowid"
        self._sql.run(f"CREATE TEMP VIEW {self._view} AS SELECT *, {row} AS {_quote(_KEY)} FROM {rows}")

    def _copy(self, relation: Any) -> None:
        """Copy a relation to a temporary file: nothing is added to the user's connection."""
        file = self._sql.folder / "relation.parquet"
        check_names(relation.columns)
        relation.to_parquet(str(file))
        self._sql.run(f"CREATE TEMP VIEW {self._view} AS SELECT * FROM read_parquet({_file(file)})")

    def _rows_by(self, key: str | None, *, has_order: bool) -> str:
        """The rows with their keys, as SQL."""
        cells = [
            f"CAST({_quote(name)} AS VARCHAR) AS {_quote(name)}" if kind == "VARCHAR" else _quote(name)
            for name, kind in self._types.items()
        ]
        if key is None and has_order:
            return f"(SELECT {', '.join(cells)}, {_quote(_KEY)} FROM {self._view})"
        kind = self._types.get(key or "")
        key = check_key(key, "relation", is_usable=kind in ("VARCHAR", *_INTEGERS))
        column = _quote(key)
        query = f"SELECT count(*), count({column}), count(DISTINCT {column}) FROM {self._view}"
        check_unique(key, *self._sql.run(query)[0])
        if kind != "VARCHAR":
            check_size(key, self._sql.run(f"SELECT min({column}), max({column}) FROM {self._view}")[0])
        kind = "VARCHAR" if kind == "VARCHAR" else "BIGINT"
        return f"(SELECT {', '.join(cells)}, CAST({_quote(key)} AS {kind}) AS {_quote(_KEY)} FROM {self._view})"

    @cached_property
    def _key_type(self) -> str:
        return str(self._sql.run(f"DESCRIBE SELECT {_quote(_KEY)} FROM {self._rows}")[0][1])

    def count(self, names: Sequence[str]) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """The distinct rows in some columns, sorted, with counts."""
        frame = self._sql.frame(
            f"SELECT {_listed(names)}, count(*) AS {_quote(_COUNT)} FROM {self._rows} GROUP BY ALL ORDER BY ALL"
        )
        return frame.drop(_COUNT), frame[_COUNT].to_numpy().astype(np.int64)

    def repeats(self, name: str) -> bool:
        """Whether many rows share their cell with another one, by an estimate."""
        query = f"SELECT count(*), approx_count_distinct({_quote(name)}) FROM {self._view}"
        rows, distinct = self._sql.run(query)[0]
        return bool(distinct < _SURELY_FEWER * rows)

    def is_input(self, path: Path) -> bool:
        """Whether a path is, is in, or contains a file that the table is read from.

        A relation does not tell its files, so everything that exists may be one.
        """
        if not self._files:
            return path.exists()
        return is_read_from(path, self._files, self._given)

    def deal(self, dealing: Dealing) -> Released:
        """The masked table."""
        return _DuckDBReleased(self, dealing)


class _DuckDBReleased(Released):
    def __init__(self, source: DuckDBSource, dealing: Dealing) -> None:
        import polars as pl

        self._source, self._sql, self._dealing = source, source._sql, dealing
        only = dealing.outcomes[dealing.first[:-1]]
        outcome = np.where(dealing.is_divided, _DIVIDED, only)[dealing.tuples]
        frame = dealing.entries.with_columns(pl.Series(_TUPLE, dealing.tuples), pl.Series(_OUTCOME, outcome))
        entries = self._sql.table("entries", frame.filter(pl.col(_OUTCOME) != SUPPRESSED), source._types)
        same = " AND ".join(f"s.{_quote(name)} IS NOT DISTINCT FROM e.{_quote(name)}" for name in dealing.keys)
        cells = _listed([*source.columns, _KEY])
        rows = f"SELECT s.*, e.{_quote(_TUPLE)}, e.{_quote(_OUTCOME)} FROM {source._rows} s JOIN {entries} e ON {same}"
        self._rows = f"SELECT {cells}, {_quote(_OUTCOME)} FROM ({rows})"
        if dealing.is_divided.any():
            # Numbering sorted rows takes half the time of ranking them within each tuple.
            find_outcomes = dealing.divided_outcomes()
            find = self._sql.function(
                "find", lambda of, at: _find_arrow(find_outcomes, of, at), ["BIGINT"] * 2, "BIGINT"
            )
            one = f"{self._rows} WHERE {_quote(_OUTCOME)} <> {_DIVIDED}"
            order = f"{_quote(_TUPLE)}, {self._hash(dealing.secret)}, {_quote(_KEY)}"
            several = f"SELECT * FROM ({rows}) WHERE {_quote(_OUTCOME)} = {_DIVIDED} ORDER BY {order}"
            found = f"{find}({_quote(_TUPLE)}, row_number() OVER () - 1) AS {_quote(_OUTCOME)}"
            several = f"SELECT {cells}, {found} FROM ({several})"
            drawn = f"SELECT * FROM ({several}) WHERE {_quote(_OUTCOME)} <> {SUPPRESSED}"
            self._rows = drawn if dealing.is_divided.all() else f"{one} UNION ALL BY NAME {drawn}"
        number = pl.Series(_OUTCOME, np.arange(len(dealing.released)))
        # A sort carries the numbers of texts, not the texts: it takes half the time.
        self._texts = [s.name for s in dealing.released if s.dtype == pl.String and s.null_count() < len(s)]
        types = {name: self._sql.texts(dealing.released[name]) for name in self._texts}
        released = self._sql.table("released", dealing.released.with_columns(number), types)
        self._columns = [name for name in source.columns if name not in dealing.dropped]
        cells = ", ".join(self._cell(name) for name in self._columns)
        self._from = f"FROM ({self._rows}) r JOIN {released} o USING ({_quote(_OUTCOME)})"
        self._cells = f"SELECT {cells} {self._from}"

    def _spelt(self, rows: str) -> str:
        """The rows, in the same order, with texts in the place of their numbers."""
        cells = [
            f"CAST({_quote(name)} AS VARCHAR) AS {_quote(name)}" if name in self._texts else _quote(name)
            for name in self._columns
        ]
        return f"SELECT {', '.join(cells)} FROM ({rows})"

    def _hash(self, secret: Secret) -> str:
        """The hash of the row's key, as SQL."""
        kind = self._source._key_type
        call = self._sql.function("hash_key", lambda keys: _hash_arrow(secret, keys), [kind], "UBIGINT")
        return f"{call}({_quote(_KEY)})"

    @property
    def table(self) -> Any:
        """The masked table as an Arrow table, in the order of the keys: dealing sorts rows by their originals."""
        return self._sql.arrow(self._spelt(f"{self._cells} ORDER BY {_quote(_KEY)}"))

    def joint(
        self, names: Sequence[str], sample: Sample | None = None
    ) -> tuple[pl.DataFrame, NDArray[np.int64], NDArray[np.int64]]:
        """Distinct rows of the original in some columns, with their outcomes and numbers of records."""
        columns, rows = _listed([*names, _OUTCOME]), f"({self._rows})"
        if sample is not None:
            rows += f" WHERE {self._hash(sample.secret)} <= {sample.bound}::UBIGINT"
        order = f"GROUP BY ALL ORDER BY {columns}"
        frame = self._sql.frame(f"SELECT {columns}, count(*) AS {_quote(_COUNT)} FROM {rows} {order}")
        outcome, records = (frame[name].to_numpy().astype(np.int64) for name in (_OUTCOME, _COUNT))
        return frame.drop(_OUTCOME, _COUNT), outcome, records

    def number_of_pairs(self, names: Sequence[str]) -> int:
        """How many distinct rows `joint` has without a sample."""
        pairs = f"SELECT DISTINCT {_listed([*names, _OUTCOME])} FROM ({self._rows})"
        return int(self._sql.run(f"SELECT count(*) FROM ({pairs})")[0][0])

    def group_sizes(self, names: Sequence[str], person: str | None) -> NDArray[np.int64]:
        """The sizes of the groups of rows with equal released cells in some columns: rows, persons, groups."""
        columns = ", ".join(self._cell(name) for name in names)
        persons = "count(*)"
        if person is not None:
            # All rows without a person count as one person.
            persons = f"count(DISTINCT coalesce(trim(CAST(r.{_quote(person)} AS VARCHAR)), ''))"
        grouped = f"SELECT count(*) AS n, {persons} AS p {self._from} GROUP BY {columns}"
        found = self._sql.run(f"SELECT n, p, count(*) FROM ({grouped}) GROUP BY n, p ORDER BY n, p")
        return np.array(found, dtype=np.int64).reshape(-1, 3)

    def _cell(self, name: str) -> str:
        """A released cell, as SQL."""
        return f"{'o' if name in self._dealing.released.columns else 'r'}.{_quote(name)}"

    def write(self, path: Path, secret: Secret | None, escape: Escape | None) -> None:
        """Write the table to a new file, or into a folder as Parquet."""
        order = _quote(_KEY) if secret is None else f"{self._hash(secret)}, {_quote(_KEY)}"
        rows = self._spelt(f"{self._cells} ORDER BY {order}")
        if path.suffix.lower() in _DELIMITERS:
            delimiter = _DELIMITERS[path.suffix.lower()]
            if escape is not None:
                rows = self._escaped(rows, escape)
            self._sql.run(f"COPY ({rows}) TO {_text(path)} (FORMAT csv, HEADER true, DELIMITER {_text(delimiter)})")
            return
        file = path if path.suffix.lower() == ".parquet" else path / "part-0.parquet"
        file.parent.mkdir(exist_ok=True)
        self._sql.run(f"COPY ({rows}) TO {_text(file)} (FORMAT parquet)")

    def _escaped(self, rows: str, escape: Escape) -> str:
        """The rows, with cells and names of columns that a spreadsheet would run changed into text."""
        found = self._sql.run(f"DESCRIBE {rows}")
        cells = []
        for name, kind, *_ in found:
            cell = _quote(name)
            if kind == "VARCHAR":
                formula, number = (f"regexp_matches({cell}, {_text(pattern)})" for pattern in escape[:2])
                cell = f"CASE WHEN {formula} AND NOT {number} THEN chr(39) || {cell} ELSE {cell} END"
            cells.append(f"{cell} AS {_quote(escape.name(name))}")
        return f"SELECT {', '.join(cells)} FROM ({rows})"

    def count_written(self, path: Path, names: Sequence[str]) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """The distinct rows of a file or folder that was written, in some columns, with counts."""
        if path.suffix.lower() in _DELIMITERS:
            delimiter = _DELIMITERS[path.suffix.lower()]
            with path.open(encoding="utf-8", newline="") as file:
                header = next(csv.reader(file, delimiter=delimiter))
            layout = Layout(delimiter, header)
            try:
                read = read_delimited(self._sql, [path], layout)
            except TableError:
                read = read_delimited(self._sql, [path], layout._replace(is_parallel=False))
        else:
            part = path if path.suffix.lower() == ".parquet" else path / "part-0.parquet"
            read = f"read_parquet({_file(part)})"
        frame = self._sql.frame(f"SELECT {_listed(names)}, count(*) AS {_quote(_COUNT)} FROM {read} GROUP BY ALL")
        return frame.drop(_COUNT), frame[_COUNT].to_numpy().astype(np.int64)


def _hash_arrow(secret: Secret, keys: Any) -> Any:
    import pyarrow as pa

    is_integer = pa.types.is_integer(keys.type)
    return pa.array(hash_integers(secret, keys.to_numpy()) if is_integer else hash_arrow(secret, keys))


def _find_arrow(find: Callable[..., NDArray[np.int64]], tuples: Any, positions: Any) -> Any:
    import pyarrow as pa

    return pa.array(find(*(part.to_numpy(zero_copy_only=False) for part in (tuples, positions))))
