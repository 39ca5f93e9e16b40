"""The same small tables in memory and in each engine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om

LINKS = [("pain", "symptom"), ("skin", "symptom"), ("fever", "symptom")]
LINKS += [(f"{kind}{i}", kind) for kind in ("pain", "skin", "fever") for i in range(6)]
WORDS = [f"{kind}{i}" for kind in ("pain", "skin", "fever") for i in range(6)]

ENGINES = ["duckdb", "spark"]


SERVER = """
import time
from pysail.spark import SparkConnectServer
server = SparkConnectServer()
server.start()
print(server.listening_address[1], flush=True)
time.sleep(600)
"""


def make_table(records: int = 300, seed: int = 0) -> pl.DataFrame:
    """A table with missing cells in every column but its key, and records of which several belong to one person."""
    rng = np.random.default_rng(seed)

    def missing(values: list[Any], share: float = 0.08) -> list[Any]:
        return [None if gone else value for value, gone in zip(values, rng.random(records) < share, strict=True)]

    weight = np.arange(1, 19) / np.arange(1, 19).sum()
    words = [[WORDS[i] for i in rng.choice(18, records, p=weight)] for _ in range(2)]
    born = [date(1950, 1, 1) + timedelta(days=int(days)) for days in rng.integers(0, 400, records) * 30]
    return pl.DataFrame(
        {
            "record": np.arange(records),
            "who": [f"p{i}" for i in rng.integers(0, records // 3, records)],
            "first": missing(words[0]),
            "second": missing([word.upper() if i % 7 == 0 else word for i, word in enumerate(words[1])]),
            "age": missing(rng.integers(20, 40, records).tolist()),
            "size": missing((rng.integers(0, 30, records) / 4).tolist()),
            "born": missing(born),
            "region": missing([f"r{i}" for i in rng.integers(0, 5, records)]),
            "grade": missing([("low", "mid", "high")[i] for i in rng.integers(0, 3, records)]),
            "year": rng.integers(2000, 2002, records),
            "cost": missing(rng.integers(0, 5, records).tolist()),
        }
    )


@pytest.fixture(scope="session")
def taxonomy() -> om.Taxonomy:
    return om.Taxonomy.from_edges(LINKS)


def _local_spark(builder: Any) -> Any:
    """Spark with Java. Compiling a query takes longer than running it on a few hundred rows."""
    options = {
        "spark.sql.shuffle.partitions": 2,
        "spark.sql.adaptive.enabled": False,
        "spark.sql.codegen.wholeStage": False,
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.ui.enabled": False,
    }
    for name, value in options.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


@pytest.fixture(scope="session")
def spark_server() -> Iterator[str | None]:
    """The address of a server of Sail; none if `make test-spark` asks for PySpark with a JVM."""
    if os.environ.get("ONTOMASK_SPARK") == "local":
        yield None
        return
    # Sail warns in its log that it ignores hints.
    os.environ.setdefault("RUST_LOG", "error")
    from pysail.spark import SparkConnectServer

    server = SparkConnectServer()
    server.start()
    yield f"sc://localhost:{server.listening_address[1]}"
    server.stop()


@pytest.fixture
def server() -> Iterator[str]:
    """The port of a server of Sail in another process."""
    environment = {**os.environ, "RUST_LOG": "error"}
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        yield process.stdout.readline().strip()
        process.kill()


@pytest.fixture(scope="session")
def spark(spark_server: str | None) -> Iterator[Any]:
    """A session of Spark."""
    # The client takes a main module without a file, as in a worker of pytest-xdist, for its own doctests.
    main = sys.modules["__main__"]
    main.__file__ = getattr(main, "__file__", __file__)
    from pyspark.sql import SparkSession

    if spark_server is None:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        session = _local_spark(SparkSession.builder.master("local[2]"))
    else:
        session = SparkSession.builder.remote(spark_server).getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session", params=ENGINES)
def in_engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Put a table with a column ``record`` into the engine, as two files. Spark always needs a key."""
    number = iter(range(10**6))
    session = request.getfixturevalue("spark") if request.param == "spark" else None

    def put(frame: pl.DataFrame, key: str | None = None) -> Any:
        folder: Path = tmp_path_factory.mktemp(f"{request.param}{next(number)}")
        half = len(frame) // 2
        frame[:half].write_parquet(folder / "a.parquet")
        frame[half:].write_parquet(folder / "b.parquet")
        if session is not None:
            return om.scan(session.read.parquet(str(folder)), key=key or "record")
        return om.scan(folder, key=key)

    return put
