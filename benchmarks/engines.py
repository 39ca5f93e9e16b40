"""Large tables: the way from file to file, beside the engine's own query over the same file, in one run.

The query reads the file, counts the distinct tuples of the quasi-identifiers, joins each record with its tuple, and
writes the result: what every masking must do at least. Tables in memory come first, then those of `beyond_memory`.
`write_table` makes the data, which stay out of the repository.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from jobs import WORDS, run_job
from timing import NO_BAR, Bar, Report, duration, in_new_process, megabytes, times

QUASI_IDENTIFIERS = ("diagnosis", "occupation", "region", "sex")
# 250 × 20 × 10 × 2 values: about 100,000 distinct tuples, however many records. Some cells are missing.
DIAGNOSES, REGIONS, MISSING = 250, 10, 0.01
BATCH = 1_000_000
SIZES = {1_000_000: 5, 10_000_000: 3}  # records, and how often each is measured
MOST_TIMES = 2.5
JOB = """
input.path = "data.csv"
[policies]
missing = "root"
[columns]
record = {{ role = "identifier" }}
diagnosis = {{ role = "quasi-identifier", kind = "nominal", taxonomy = "icd9cm" }}
occupation = {{ role = "quasi-identifier", kind = "nominal", taxonomy = "wordnet", domain = "person" }}
region = {{ role = "quasi-identifier", kind = "category" }}
sex = {{ role = "quasi-identifier", kind = "category" }}
cost = {{ role = "confidential" }}
[output]
masked = "masked.csv"
overwrite = true
[method]
{method}
"""
METHODS = {"PRAM()": 'name = "PRAM"', "Generalisation(5)": 'name = "Generalisation"\nk = 5'}


def batches(records: int) -> Iterator[Any]:
    """The table as polars frames of a million records, the same for the same number of records."""
    import numpy as np
    import polars as pl

    import ontomask as om

    rng = np.random.default_rng(0)
    codes = [code for code in om.load_icd9cm().ids if code.replace(".", "").isdigit()][:DIAGNOSES]
    regions = [f"region {number}" for number in range(1, REGIONS + 1)]
    values = dict(zip(QUASI_IDENTIFIERS, (codes, WORDS, regions, ["female", "male"]), strict=True))
    for start in range(0, records, BATCH):
        size = min(BATCH, records - start)
        number = pl.int_range(start, start + size, eager=True)
        columns = {"record": "R" + number.cast(pl.String).str.zfill(9)}
        for name, texts in values.items():
            share = np.arange(1, len(texts) + 1) ** -0.5
            drawn = rng.choice(len(texts), size, p=share / share.sum())
            drawn[rng.random(size) < MISSING] = len(texts)
            columns[name] = pl.Series([*texts, None]).gather(drawn)
        columns["cost"] = pl.Series(rng.integers(100, 100_000, size))
        yield pl.DataFrame(columns)


def write_table(path: Path, records: int) -> None:
    """Write the table as CSV or Parquet, batch by batch."""
    if path.suffix == ".csv":
        with path.open("wb") as file:
            for number, frame in enumerate(batches(records)):
                frame.write_csv(file, include_header=number == 0)
        return
    import pyarrow.parquet as pq

    writer = None
    for frame in batches(records):
        table = frame.to_arrow()
        writer = pq.ParquetWriter(path, table.schema) if writer is None else writer
        writer.write_table(table)
    if writer is not None:
        writer.close()


def query_polars(folder: Path) -> None:
    """Read, count the tuples, join and write with polars alone."""
    import polars as pl

    keys = list(QUASI_IDENTIFIERS)
    frame = pl.read_csv(folder / "data.csv", schema_overrides={"record": pl.String, "diagnosis": pl.String})
    counted = frame.group_by(keys).len().with_columns(pl.col(keys).name.prefix("new "))
    joined = frame.join(counted, on=keys, how="left", nulls_equal=True, maintain_order="left")
    joined.select([f"new {name}" for name in keys] + ["cost"]).write_csv(folder / "query.csv")


def mask_in_memory(folder: Path, method: str) -> None:
    """Read, encode, mask, verify, shuffle and write."""
    import ontomask as om

    frame = om.read_table(folder / "data.csv")
    kinds = {
        "diagnosis": om.Nominal(om.load_icd9cm()),
        "occupation": om.Nominal(om.load_wordnet(), domain="person"),
        "region": om.Category(),
        "sex": om.Category(),
    }
    data = om.Microdata(frame, kinds, identifiers=["record"], confidential=["cost"], missing="root")
    made = om.PRAM() if method == "PRAM()" else om.Generalisation(k=5)
    made.mask(data, seed=2**64).write(folder / "masked.csv", seed=2**64 + 1, overwrite=True)


def measure_memory(folder: str, tries: int) -> dict[str, dict[str, float]]:
    """The best time on the clock and of the processor of the query and of each method."""
    import ontomask as om

    calls: dict[str, Callable[[Path], None]] = {"polars' own query": query_polars}
    calls |= {method: (lambda where, method=method: mask_in_memory(where, method)) for method in METHODS}
    om.load_wordnet(), om.load_icd9cm()
    for call in calls.values():
        call(Path(folder) / "few")
    found = {name: dict.fromkeys(("seconds", "busy"), float("inf")) for name in calls}
    for _ in range(tries):
        for name, call in calls.items():
            start, busy = time.perf_counter(), time.process_time()
            call(Path(folder))
            measured = {"seconds": time.perf_counter() - start, "busy": time.process_time() - busy}
            found[name] = {what: min(value, measured[what]) for what, value in found[name].items()}
    return found


def measure_in_memory(report: Report, folder: Path) -> None:
    """Measure tables that fit into memory, as CSV files."""
    rows = []
    for records, tries in SIZES.items():
        write_table(folder / "data.csv", records)
        size = megabytes((folder / "data.csv").stat().st_size)
        # One thread, as for all benchmarks: see run.py.
        found, _ = in_new_process(measure_memory, str(folder), tries, POLARS_MAX_THREADS="1")
        base = found["polars' own query"]
        for name, used in found.items():
            ratios = [used[what] / base[what] for what in ("seconds", "busy")]
            bar = NO_BAR if used is base else Bar(MOST_TIMES, times).cells(ratios[1])
            rows.append([f"{records:,} ({size})", name, *_times(used), *map(times, ratios), *bar])
        for name, settings in METHODS.items():
            for part in (folder / "few", folder):
                (part / "job.toml").write_text(JOB.format(method=settings))
                used, _ = in_new_process(run_job, str(part), POLARS_MAX_THREADS="1")
            ratios = [used[what] / base[what] for what in ("seconds", "busy")]
            rows.append([f"{records:,} ({size})", f"{name} as a job", *_times(used), *map(times, ratios), *NO_BAR])
    report.text("## In memory")
    report.table(["records", "", "on the clock", "processor", "memory", "clock", "processor", "bar", ""], rows)


def _times(used: dict[str, float]) -> list[str]:
    return [duration(used["seconds"]), duration(used["busy"]), megabytes(used["memory"]) if "memory" in used else ""]


def main() -> None:
    """Measure and print."""
    report = Report("engines", "Large tables")
    report.text(
        "CSV files of 6 columns: an identifier, 4 quasi-identifiers with about 100,000 distinct tuples (1 % of the "
        "cells are missing), and a number that is kept. polars' own query reads the file, counts the tuples, joins "
        "each record with its tuple (missing equals missing) and writes the result. Masking reads the file, maps "
        "diagnoses to ICD-9-CM and occupations to WordNet, plans, masks, verifies, shuffles and writes. The bar is for "
        "the ratio of processor times, since other programs change those on the clock. A job is `ontomask mask "
        "job.toml` in a process of its own: it also starts Python, loads the ontologies and hashes the files; memory "
        "is the peak of that process. A run on few records has compiled the kernels before."
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "few").mkdir()
        write_table(folder / "few" / "data.csv", 2_000)
        measure_in_memory(report, folder)
    # It imports this module.
    from beyond_memory import measure_beyond_memory

    measure_beyond_memory(report)
    report.close()


if __name__ == "__main__":
    main()
