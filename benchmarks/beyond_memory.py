"""Tables beyond memory: DuckDB, Sail and Spark from Parquet to Parquet, beside their own query over the same file.

`engines` runs it. The query counts the distinct tuples of the quasi-identifiers, joins each record with its tuple
(missing equals missing) and writes the result, in any order. Masking counts, plans, joins, shuffles, writes and counts
what was written. The data stay out of the repository. ``ONTOMASK_BENCH_RECORDS`` lists the sizes, by default 1,000,000
and 10,000,000; with 100,000,000 DuckDB needs 10 GB of disk and a quarter of an hour.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
from timing import HERE, NO_BAR, Bar, Report, duration, in_new_process, megabytes, peak_memory, times

from engines import QUASI_IDENTIFIERS, write_table

RECORDS = [int(size) for size in os.environ.get("ONTOMASK_BENCH_RECORDS", "1000000,10000000").split(",")]
METHODS = ("Generalisation(k=5)", "Recoding(k=5)", "Microaggregation(k=5)", "PRAM()", "UncorrelatedNoise(alpha=0.3)")
WITH_BAR = METHODS[:3]
# Noise lists every record when it is planned.
MOST_FOR_DRAWS = 10_000_000
# Planning takes as long for fewer records.
LEAST_FOR_BARS = 10_000_000
LIMITS = {"duckdb": 3.0, "sail": 2.5, "spark": 2.5}
MOST_MEMORY = 2e9
# How many times the growth of the records that of the time may be: linear, and some more for what the machine does.
MOST_GROWTH = 1.2
TITLES = {"duckdb": "DuckDB", "sail": "Spark on Sail", "spark": "PySpark local[2] with Java"}
# Spark takes longer. It is measured with a method that divides no tuple, and with noise, which draws for each record.
METHODS_OF = {"duckdb": METHODS, "sail": (METHODS[0], METHODS[4]), "spark": (METHODS[0], METHODS[4])}
# Only DuckDB is measured with more records.
MOST_FOR_SPARK = 10_000_000
_MEMORY = "1000MB"
_SERVERS: list[Any] = []
# PySpark overwrites the client that Sail needs, and is overwritten by it.
_WITH_JAVA = HERE.parent / ".venv-spark"


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
        spark = _session(engine)
        frame = spark.read.parquet(str(file))
        calls["own query"] = lambda out: query_spark(frame, out)

    def source() -> Any:
        return om.scan(file) if engine == "duckdb" else om.scan(frame, key="record")

    for method in methods:
        calls[method] = lambda out, method=method: mask(source(), method, out)
    suffix = ".parquet" if engine == "duckdb" else ""
    if engine == "duckdb":
        for number, method in enumerate(methods):
            mask(om.scan(place / "few.parquet"), method, place / f"compiled{number}.parquet")
    found: dict[str, dict[str, float | None]] = {}
    for number, (name, call) in enumerate(calls.items()):
        before = peak_memory(since_now=True)
        start, busy = time.perf_counter(), _processor_time()
        call(place / f"out{number}{suffix}")
        used = {"seconds": time.perf_counter() - start, "busy": _processor_time() - busy}
        # Java's memory is what it was given.
        found[name] = {**used, "memory": None if before is None or engine == "spark" else peak_memory()}
    return found


def _session(engine: str) -> Any:
    """A session of Sail, or of PySpark with a Java machine of its own."""
    # PySpark takes a process without a main file for its own tests.
    sys.modules["__main__"].__file__ = __file__
    from pyspark.sql import SparkSession

    if engine == "spark":
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "4g")
        builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
        return builder.config("spark.log.level", "ERROR").getOrCreate()
    os.environ.setdefault("RUST_LOG", "error")
    from pysail.spark import SparkConnectServer

    server = SparkConnectServer()
    server.start()
    # It stops when nobody holds it.
    _SERVERS.append(server)
    return SparkSession.builder.remote(f"sc://localhost:{server.listening_address[1]}").getOrCreate()


def _processor_time() -> float:
    """The processor time of this process and of those that it started, such as Java and its workers."""
    used = time.process_time()
    for child in psutil.Process().children(recursive=True):
        spent = child.cpu_times()
        used += spent.user + spent.system + spent.children_user + spent.children_system
    return used


def _python_with_java() -> Path | None:
    """The Python of the environment of ``make test-spark``, which is made if needed; ``None`` if that fails."""
    made = subprocess.run(["make", "-C", HERE.parent, f"{_WITH_JAVA.name}/.done"], check=False).returncode == 0
    return _WITH_JAVA / "bin" / "python" if made else None


def measure_beyond_memory(report: Report) -> None:
    """Measure each engine and print."""
    report.text(
        "## Beyond memory",
        "The same tables as Parquet files. The engine's own query counts the tuples, joins each record with its tuple "
        "(missing equals missing) and writes the result. Masking counts, plans, joins, verifies, shuffles, writes and "
        "counts what was written; noise masks the first two columns. Both use all cores and 1 GB for DuckDB. The bar "
        "is for the ratio of processor times, since other programs change those on the clock. Memory is the peak of "
        "the process, with Python, the ontologies and the kernels, and for Sail with the server. Each figure is of one "
        "run.",
    )
    for engine, title in TITLES.items():
        python = _python_with_java() if engine == "spark" else Path(sys.executable)
        if python is None:
            report.text(f"### {title}", "Its environment could not be made.")
            continue
        rows, busy = [], {}
        for records in RECORDS:
            if engine == "duckdb" or records <= MOST_FOR_SPARK:
                found, busy[records] = _measure_size(engine, records, python)
                rows += found
        report.text(f"### {title}")
        report.table(["records", "", "on the clock", "processor", "memory", "clock", "processor", "bar", ""], rows)
        if engine == "duckdb" and len(busy) > 1:
            _report_growth(report, busy)


def _report_growth(report: Report, busy: dict[int, dict[str, float]]) -> None:
    few, many = min(busy), max(busy)
    text = f"Processor time with {many:,} records, beside that with {few:,}. Linear growth: {times(many / few)}."
    bar, rows = Bar(MOST_GROWTH * many / few, times), []
    for name in ("own query", *WITH_BAR):
        growth = busy[many][name] / busy[few][name]
        rows.append([name, times(growth), *(NO_BAR if name == "own query" else bar.cells(growth))])
    report.text(text)
    report.table(["", "growth", "bar", ""], rows)


def _measure_size(engine: str, records: int, python: Path) -> tuple[list[list[str]], dict[str, float]]:
    """The rows of the table, and the processor time of each method."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("ONTOMASK_BENCH_FOLDER")) as folder:
        path = Path(folder) / "data.parquet"
        write_table(path, records)
        write_table(Path(folder) / "few.parquet", 20_000)
        methods = [name for name in METHODS_OF[engine] if name in WITH_BAR or records <= MOST_FOR_DRAWS]
        found, _ = in_new_process(measure, engine, str(path), folder, methods, python=python)
    base, rows = found["own query"], []
    for name, used in found.items():
        ratios = [used[what] / base[what] for what in ("seconds", "busy")]
        has_bar = name in WITH_BAR and records >= LEAST_FOR_BARS
        bar = Bar(LIMITS[engine], times).cells(ratios[1]) if has_bar else NO_BAR
        cells = [duration(used["seconds"]), duration(used["busy"]), megabytes(used["memory"])]
        rows.append([f"{records:,}", name, *cells, *map(times, ratios), *bar])
        if has_bar and engine == "duckdb" and used["memory"] is not None:
            bar = Bar(MOST_MEMORY, megabytes).cells(used["memory"])
            rows.append([f"{records:,}", f"{name}: memory", "", "", "", "", megabytes(used["memory"]), *bar])
    return rows, {name: used["busy"] for name, used in found.items()}
