"""Spark by the DataFrame API alone: on a cluster, over Spark Connect, and on Sail alike.

Workers run `ontomask.base.keyed_hash` on Arrow batches. It is sent to them by value, so they need numpy and pyarrow but
not this package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ontomask.base import keyed_hash
from ontomask.base.keyed_hash import Secret
from ontomask.engines.base import OWN, SUPPRESSED, Dealing, Escape, Released, Sample, Source, check_names
from ontomask.engines.files import is_read_from
from ontomask.engines.keys import check_key, check_unique
from ontomask.engines.spark_server import local_path, running, with_signed_integers
from ontomask.engines.spark_server import quote_name as _name
from ontomask.errors import TableError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SparkSource", "is_spark"]

_OWN = ("tuple", "outcome", "records", "rank", "hash", "number", "")
_TUPLE, _OUTCOME, _COUNT, _RANK, _HASH, _NUMBER, _OTHER = (f"{OWN}{name}" for name in _OWN)
_DIVIDED = -2
_SURELY_FEWER = 0.8
_INTEGERS = ("tinyint", "smallint", "int", "bigint")


def is_spark(table: object) -> bool:
    """Whether something is a Spark DataFrame."""
    return type(table).__module__.startswith("pyspark.sql") and type(table).__name__ == "DataFrame"


class SparkSource(Source):
    """A Spark DataFrame. A column must identify its rows, which have no order."""

    engine: ClassVar[str] = "spark"

    def __init__(self, frame: Any, *, key: str | None, path: str | None = None) -> None:
        if not find_spec("pyarrow"):
            raise TableError(
                "This engine needs pyarrow, which is not installed. Use: pip install 'ontomask[spark]'",
                values=["pyarrow"],
                code="not-installed",
            )
        self._given = None if path is None else local_path(path)
        with running(frame.sparkSession):
            check_names(frame.columns)
            self._frame = with_signed_integers(frame)
            self._types = dict(self._frame.dtypes)
        key = check_key(key, "Spark DataFrame", is_usable=self._types.get(key or "") in ("string", *_INTEGERS))
        self._key = key
        self._check_key()

    def _check_key(self) -> None:
        from pyspark.sql import functions as f

        key = f.col(_name(self._key))
        found = self._frame.agg(f.count(f.lit(1)), f.count(key), f.count_distinct(key))
        with running(self._frame.sparkSession):
            check_unique(self._key, *found.collect()[0])

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._types)

    def count(self, names: Sequence[str]) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """The distinct rows in some columns, sorted, with counts."""
        return _count(self._frame, names)

    def repeats(self, name: str) -> bool:
        """Whether many rows share their cell with another one, by an estimate."""
        from pyspark.sql import functions as f

        found = self._frame.agg(f.count(f.lit(1)), f.approx_count_distinct(f.col(_name(name))))
        with running(self._frame.sparkSession):
            rows, distinct = found.collect()[0]
        return bool(distinct < _SURELY_FEWER * rows)

    def is_input(self, path: Path) -> bool:
        """Whether a path is, is in, or contains a file that the table is read from.

        If the server does not tell its files, everything that exists may be one.
        """
        try:
            found = self._frame.inputFiles()
        except Exception:  # such as Sail
            found = None
        if found is None and self._given is None and path.exists():
            return True
        return is_read_from(path, [Path(str(file).removeprefix("file://")) for file in found or ()], self._given)

    def deal(self, dealing: Dealing) -> Released:
        """The masked table."""
        return _SparkReleased(self, dealing)


class _SparkReleased(Released):
    def __init__(self, source: SparkSource, dealing: Dealing) -> None:
        self._source, self._dealing = source, dealing
        self._spark = source._frame.sparkSession
        self._columns = [name for name in source.columns if name not in dealing.dropped]

    @cached_property
    def _rows(self) -> Any:
        """The rows with their outcomes."""
        import polars as pl
        from pyspark.sql import Window
        from pyspark.sql import functions as f

        source, dealing = self._source, self._dealing
        only = dealing.outcomes[dealing.first[:-1]]
        outcome = np.where(dealing.is_divided, _DIVIDED, only)[dealing.tuples]
        given = dealing.entries.rename({name: f"{_OTHER}{i}" for i, name in enumerate(dealing.keys)})
        given = given.with_columns(pl.Series(_TUPLE, dealing.tuples), pl.Series(_OUTCOME, outcome))
        entries = self._small(given.filter(pl.col(_OUTCOME) != SUPPRESSED))
        types = source._types
        own = [f.col(_name(f"{_OTHER}{i}")).cast(types[n]).alias(f"{_OTHER}{i}") for i, n in enumerate(dealing.keys)]
        entries = f.broadcast(entries.select(*own, f.col(_name(_TUPLE)), f.col(_name(_OUTCOME))))
        same = None
        for i, name in enumerate(dealing.keys):
            equal = f.col(_name(name)).eqNullSafe(f.col(_name(f"{_OTHER}{i}")))
            same = equal if same is None else same & equal
        joined = source._frame.join(entries, on=same, how="inner").drop(
            *(f"{_OTHER}{i}" for i in range(len(dealing.keys)))
        )
        if not dealing.is_divided.any():
            return joined.drop(_TUPLE)
        one = joined.filter(f.col(_name(_OUTCOME)) != _DIVIDED).drop(_TUPLE)
        several = joined.filter(f.col(_name(_OUTCOME)) == _DIVIDED).drop(_OUTCOME)
        hashed = self._hashed(several, dealing.secret)
        within = Window.partitionBy(f.col(_name(_TUPLE))).orderBy(f.col(_name(_HASH)), f.col(_name(source._key)))
        ranked = hashed.withColumn(_RANK, f.row_number().over(within).cast("bigint") - f.lit(1)).drop(_HASH)
        drawn = _map(ranked, _OUTCOME, _finder(dealing), [_TUPLE, _RANK]).drop(_TUPLE, _RANK)
        drawn = drawn.filter(f.col(_name(_OUTCOME)) != SUPPRESSED)
        return drawn if dealing.is_divided.all() else one.unionByName(drawn)

    def _hashed(self, frame: Any, secret: Secret) -> Any:
        """The rows with the hash of their keys, as a signed number in the same order."""
        return _map(frame, _HASH, _hasher(secret), [self._source._key])

    def _small(self, frame: pl.DataFrame) -> Any:
        from pyspark.sql import functions as f

        # Spark knows no types of a table without rows.
        made = self._spark.createDataFrame((frame if len(frame) else frame.clear(1)).to_arrow())
        return made if len(frame) else made.filter(f.lit(False))

    @cached_property
    def _masked(self) -> Any:
        """The rows with released cells. Originals of masked columns are gone."""
        import polars as pl
        from pyspark.sql import functions as f

        cells = self._dealing.released
        names = {name: f"{_OTHER}{i}" for i, name in enumerate(cells.columns)}
        numbered = cells.rename(names).with_columns(pl.Series(_NUMBER, np.arange(len(cells))))
        released = f.broadcast(self._small(numbered))
        joined = self._rows.join(released, on=f.col(_name(_OUTCOME)) == f.col(_name(_NUMBER)), how="inner")
        kept = [self._source._key] if self._source._key not in self._columns else []
        person = [name for name in self._dealing.dropped if name not in kept and name in self._source.columns]
        picked = [f.col(_name(names.get(name, name))).alias(name) for name in [*self._columns, *person, *kept]]
        return joined.select(*picked)

    @property
    def table(self) -> Any:
        """The masked table as a Spark DataFrame, in the order of the keys: dealing sorts rows by their originals."""
        return self._masked.orderBy(_name(self._source._key)).select(*(_name(name) for name in self._columns))

    def joint(
        self, names: Sequence[str], sample: Sample | None = None
    ) -> tuple[pl.DataFrame, NDArray[np.int64], NDArray[np.int64]]:
        """Distinct rows of the original in some columns, with their outcomes and numbers of records."""
        rows = self._rows
        if sample is not None:
            from pyspark.sql import functions as f

            bound = sample.bound - 2**63
            rows = self._hashed(rows, sample.secret).filter(f.col(_name(_HASH)) <= f.lit(bound)).drop(_HASH)
        frame, records = _count(rows, [*names, _OUTCOME])
        return frame.drop(_OUTCOME), frame[_OUTCOME].to_numpy().astype(np.int64), records

    def number_of_pairs(self, names: Sequence[str]) -> int:
        """How many distinct rows `joint` has without a sample."""
        pairs = self._rows.select(*(_name(name) for name in [*names, _OUTCOME])).distinct()
        with running(self._spark):
            return int(pairs.count())

    def group_sizes(self, names: Sequence[str], person: str | None) -> NDArray[np.int64]:
        """The sizes of the groups of rows with equal released cells in some columns: rows, persons, groups."""
        from pyspark.sql import functions as f

        rows = f.count(f.lit(1))
        persons = rows
        if person is not None:
            # All rows without a person count as one person.
            persons = f.count_distinct(f.coalesce(f.trim(f.col(_name(person)).cast("string")), f.lit("")))
        by = (_name(name) for name in names)
        grouped = self._masked.groupBy(*by).agg(rows.alias(_RANK), persons.alias(_NUMBER))
        found, groups = _count(grouped, [_RANK, _NUMBER])
        return np.column_stack([found.to_numpy().astype(np.int64).reshape(-1, 2), groups])

    def write(self, path: Path, secret: Secret | None, escape: Escape | None) -> None:  # noqa: ARG002
        """Write the table into a folder of Parquet files. The server has another working folder."""
        from pyspark.sql import functions as f

        if path.suffix:
            text = "Spark writes folders of Parquet files. Choose a name without an extension."
            raise TableError(text, path=path, parameter="path", code="unknown-format")
        frame, key = self._masked, self._source._key
        order = [f.col(_name(key))]
        if secret is not None:
            frame, order = self._hashed(frame, secret), [f.col(_name(_HASH)), *order]
        with running(self._spark):
            frame.orderBy(*order).select(*(_name(name) for name in self._columns)).write.parquet(str(path.absolute()))

    def count_written(self, path: Path, names: Sequence[str]) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """The distinct rows of a folder that was written, in some columns, with counts."""
        with running(self._spark):
            written = self._spark.read.parquet(str(path.absolute()))
        return _count(written, names)


def _count(frame: Any, names: Sequence[str]) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    import polars as pl
    from pyspark.sql import functions as f

    with running(frame.sparkSession):
        found = frame.groupBy(*(_name(name) for name in names)).agg(f.count(f.lit(1)).alias(_COUNT)).toArrow()
    counted = pl.from_arrow(found)
    assert isinstance(counted, pl.DataFrame)
    counted = counted.sort(list(names), nulls_last=True)
    return counted.drop(_COUNT), counted[_COUNT].to_numpy().astype(np.int64)


def _map(frame: Any, name: str, call: Callable[..., Any], parameters: Sequence[str]) -> Any:
    """The table with one more column of integers, computed from Arrow batches of others.

    Columns have other names meanwhile: Sail reads the names of the schema as types do, without outer blanks and case.
    """
    from pyspark.sql import functions as f
    from pyspark.sql.types import LongType, StructField, StructType

    with running(frame.sparkSession):
        fields, names = frame.schema.fields, frame.columns
    own = [f"c{number}" for number in range(len(names) + 1)]
    schema = StructType([StructField(new, field.dataType) for new, field in zip(own, fields, strict=False)])
    schema = schema.add(own[-1], LongType())
    inputs = [names.index(parameter) for parameter in parameters]

    def on_batches(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            made = call(*(batch.column(number) for number in inputs))
            yield pa.RecordBatch.from_arrays([*batch.columns, pa.array(made, type=pa.int64())], names=own)

    renamed = frame.select(*(f.col(_name(old)).alias(new) for old, new in zip(names, own, strict=False)))
    made = renamed.mapInArrow(on_batches, schema)
    return made.select(*(f.col(new).alias(old) for new, old in zip(own, [*names, name], strict=True)))


def _hasher(secret: Secret) -> Callable[[Any], NDArray[np.int64]]:
    """A function that hashes the keys of an Arrow array."""
    from pyspark import cloudpickle as pickler

    cloudpickle: Any = pickler
    cloudpickle.register_pickle_by_value(keyed_hash)
    hash_arrow = keyed_hash.hash_arrow

    def hash_column(keys: Any) -> Any:
        import numpy as np

        found = hash_arrow(secret, keys)
        # Spark has no unsigned numbers: the smallest becomes the smallest.
        return (found ^ np.uint64(1 << 63)).view(np.int64)

    return hash_column


def _finder(dealing: Dealing) -> Callable[[Any, Any], NDArray[np.int64]]:
    """A function that finds the outcomes of rows in Arrow arrays, which are sent to the workers with it."""
    # What is sent to a server has at most 128 MB.
    parts = (dealing.start, dealing.ends, dealing.outcomes)
    sent = [part.astype(np.int32) if part.max(initial=0) < 2**31 else part for part in parts]
    wide: list[Any] = []

    def find(tuples: Any, ranks: Any) -> Any:
        import numpy as np

        if not wide:
            wide.extend(part.astype(np.int64) for part in sent)
        start, ends, outcomes = wide
        of_tuple, rank = (part.to_numpy(zero_copy_only=False) for part in (tuples, ranks))
        return outcomes[np.searchsorted(ends, start[of_tuple] + rank, side="right")]

    return find
