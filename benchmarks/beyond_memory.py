"""Tables beyond memory: DuckDB and Sail from Parquet to Parquet, beside their own query over the same file.

The query counts the distinct tuples of the quasi-identifiers, joins each record with its tuple (missing equals missing)
and writes the result, in any order. Masking counts, plans, joins, shuffles, writes and counts what was written. The
data stay out of the repository. ``ONTOMASK_BENCH_RECORDS`` lists the sizes, by default 1,000,000 and 10,000,000;
100,000,000 need 10 GB of disk and a quarter of an hour.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from timing import NO_BAR, Bar, Report, duration, in_new_process, megabytes, peak_memory, times

from engines import QUASI_IDENTIFIERS, write_table

RECORDS = [int(size) for size in os.environ.get("ONTOMASK_BENCH_RECORDS", "1000000,10000000").split(",")]
METHODS = ("Generalisation(k=5)", "Recoding(k=5)", "Microaggregation(k=5)", "PRAM()", "UncorrelatedNoise(alpha=0.3)")
WITH_BAR = METHODS[:3]
# Noise lists every record when it is planned.
MOST_FOR_DRAWS = 10_000_000
# Planning takes as long for fewer records.
LEAST_FOR_BARS = 10_000_000
LIMITS = {"duckdb": 3.0, "sail": 2.5}
_MEMORY = "1000MB"


def query_duckdb(path: Path, out: Path) -> None:
    """Count the tuples, join and write with DuckDB alone."""
    import duckdb

    keys = list(QUASI_IDENTIFIERS)
    connection = duckdb.connect(config={"memory_limit": _MEMORY, "temp_directory": str(out.parent / "spill")})
    connection.execute("SET enable_progress_bar = false").fetchall()
    new = ", ".join(f"{name} AS new_{name}" for name in keys)
    connection.execute(
        f"CREATE TEMP TABLE counted AS SELECT {', '.join(keys)}, {new}, count(*) AS n FROM '{path}' GROUP BY ALL"
    ).fetchall()
    same = " AND ".join(f"s.{name} IS NOT DISTINCT FROM c.{name}" for name in keys)
    cells = ", ".join(f"c.new_{name}" for name in keys)
    rows = f"SELECT {cells}, s.cost FROM '{path}' s JOIN counted c ON {same}"
    connection.execute(f"COPY ({rows}) TO '{out}' (FORMAT parquet)").fetchall()
    connection.close()


def query_spark(frame: Any, out: Path) -> None:
    """The same by the DataFrame API."""
    from pyspark.sql import functions as f

    keys = list(QUASI_IDENTIFIERS)
    counted = frame.groupBy(*keys).count().select(*(f.col(name).alias(f"new_{name}") for name in keys), "count")
    same = None
    for name in keys:
        equal = frame[name].eqNullSafe(counted[f"new_{name}"])
        same = equal if same is None else same & equal
    frame.join(counted, on=same).select(*(f"new_{name}" for name in keys), "cost").write.parquet(str(out))


def mask(source: Any, method: str, out: Path) -> None:
    """Count, plan, mask, verify, shuffle, write, and count what was written."""
    import ontomask as om

    kinds = {
        "diagnosis": om.Nominal(om.load_icd9cm()),
        "occupation": om.Nominal(om.load_wordnet(), domain="person"),
        "region": om.Category(),
        "sex": om.Category(),
    }
    if method.startswith("UncorrelatedNoise"):
        # Noise needs an ontology.
        kinds = {name: kinds[name] for name in ("diagnosis", "occupation")}
    other = [name for name in QUASI_IDENTIFIERS if name not in kinds]
    roles = {"identifiers": ["record"], "confidential": ["cost"], "drop": other, "missing": "root"}
    made = eval(f"om.{method}", {"om": om})
    made.mask(om.Microdata(source, kinds, **roles), seed=2**64).write(out, seed=2**64 + 1)


def measure(engine: str, path: str, folder: str, methods: list[str]) -> dict[str, dict[str, float | None]]:
    """The time on the clock and of the processor of the query and of each method, and the peak of memory."""
    import ontomask as om

    om.load_wordnet(), om.load_icd9cm()
    place, file = Path(folder), Path(path)
    calls: dict[str, Callable[[Path], None]] = {}
    if engine == "duckdb":
        calls["own query"] = lambda out: query_duckdb(file, out)
    else:
        os.environ.setdefault("RUST_LOG", "error")
        # PySpark takes a process without a main file for its own tests.
        sys.modules["__main__"].__file__ = __file__
        from pysail.spark import SparkConnectServer
        from pyspark.sql import SparkSession

        server = SparkConnectServer()
        server.start()
        spark = SparkSession.builder.remote(f"sc://localhost:{server.listening_address[1]}").getOrCreate()
        frame = spark.read.parquet(str(file))
        calls["own query"] = lambda out: query_spark(frame, out)

    def source() -> Any:
        return om.scan(file) if engine == "duckdb" else om.scan(frame, key="record")

    for method in methods:
        calls[method] = lambda out, method=method: mask(source(), method, out)
    suffix = ".parquet" if engine == "duckdb" else ""
    few = place / "few.parquet"
    if engine == "duckdb" and few.exists():
        for number, method in enumerate(methods):
            mask(om.scan(few), method, place / f"compiled{number}.parquet")
    found: dict[str, dict[str, float | None]] = {}
    for number, (name, call) in enumerate(calls.items()):
        before = peak_memory(since_now=True)
        start, busy = time.perf_counter(), time.process_time()
        call(place / f"out{number}{suffix}")
        used = {"seconds": time.perf_counter() - start, "busy": time.process_time() - busy}
        found[name] = {**used, "memory": None if before is None else peak_memory()}
    return found


def main() -> None:
    """Measure and print."""
    report = Report("beyond_memory", "Tables beyond memory")
    report.text(
        "Parquet files of 6 columns: an identifier, 4 quasi-identifiers with about 100,000 distinct tuples (1 % of the "
        "cells are missing), and a number that is kept. The engine's own query counts the tuples, joins each record "
        "with its tuple (missing equals missing) and writes the result. Masking counts, maps diagnoses to ICD-9-CM and "
        "occupations to WordNet, plans, joins, verifies, shuffles, writes and counts what was written; noise masks the "
        "first two columns. Both use all cores and 1 GB for DuckDB. The bar is for the larger of both ratios to the "
        "query. Memory is the peak of the process, with Python, the ontologies and the kernels, and for Sail with the "
        "server. Each figure is of one run."
    )
    for engine in ("duckdb", "sail"):
        rows = []
        for records in RECORDS:
            with tempfile.TemporaryDirectory(dir=os.environ.get("ONTOMASK_BENCH_FOLDER")) as folder:
                path = Path(folder) / "data.parquet"
                write_table(path, records)
                write_table(Path(folder) / "few.parquet", 20_000)
                methods = [name for name in METHODS if name in WITH_BAR or records <= MOST_FOR_DRAWS]
                found, _ = in_new_process(measure, engine, str(path), folder, methods)
            base = found["own query"]
            for name, used in found.items():
                ratios = [used[what] / base[what] for what in ("seconds", "busy")]
                has_bar = name in WITH_BAR and records >= LEAST_FOR_BARS
                bar = Bar(LIMITS[engine], times).cells(max(ratios)) if has_bar else NO_BAR
                cells = [duration(used["seconds"]), duration(used["busy"]), megabytes(used["memory"])]
                rows.append([f"{records:,}", name, *cells, *map(times, ratios), *bar])
        report.text(f"## {'DuckDB' if engine == 'duckdb' else 'Spark on Sail'}")
        report.table(["records", "", "on the clock", "processor", "memory", "clock", "processor", "bar", ""], rows)
    report.close()


if __name__ == "__main__":
    main()
