"""Measurements shared by the benchmarks of k-anonymous methods, on Adult and on diabetes130.

A module that uses them defines ``methods(k)``, which returns its methods by name.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from timing import NO_BAR, Bar, Report, best_of_each, duration, in_new_process, megabytes, peak_memory, times

if TYPE_CHECKING:
    import ontomask as om

__all__ = ["BARS", "KS", "TABLES", "as_tuples_grow", "on_adult", "on_large_tables"]

KS = (2, 5, 16, 64, 128)
GROWTH = (0.125, 0.25, 0.5, 1.0)
TABLES = {
    "two diagnoses": ("diag_1", "diag_2"),
    "three diagnoses": ("diag_1", "diag_2", "diag_3"),
    "three diagnoses, age, race, gender": ("diag_1", "diag_2", "diag_3", "age", "race", "gender"),
}
BARS = {"two diagnoses": (3.0, None), "three diagnoses": (20.0, 600e6)}


def on_adult(report: Report, module: str) -> dict[str, dict[str, float]]:
    """Every method on Adult's two columns; returns the times by method and k."""
    from ontomask.examples import adult_data

    methods = import_module(module).methods
    data = adult_data()
    report.text(
        f"Adult's occupation and native-country, {len(data):,} records, {len(data.table)} distinct tuples. The time of "
        f"`mask`: from the loaded table to the released one, with k verified."
    )
    rows, found = [], {}
    for name in methods(2):
        calls: dict[str, Callable[[], object]] = {
            str(k): lambda k=k, name=name: methods(k)[name].mask(data, seed=0) for k in KS
        }
        for call in calls.values():
            call()
        best = found[name] = best_of_each(calls)
        slowest = max(best.values())
        each = [duration(best[str(k)]) for k in KS]
        rows.append([name, *each, duration(slowest), *Bar(0.1, duration).cells(slowest)])
    report.table(["method", *(f"k = {k}" for k in KS), "slowest", "bar", ""], rows)
    return found


def on_large_tables(
    report: Report, file: str, module: str, choose: Callable[[str], Iterable[tuple[str, bool]]]
) -> None:
    """diabetes130 at k = 5; ``choose`` returns the methods for a table, each with whether the table's bars apply."""
    report.text(
        "diabetes130 at k = 5, each method in a new process: time of the second run, peak memory of the process, and "
        "how much of it was added to the loaded table."
    )
    rows = []
    for table, columns in TABLES.items():
        for method, has_bar in choose(table):
            found, _ = in_new_process(_on_diabetes130, module, file, list(columns), method, 1.0)
            seconds, memory = BARS.get(table, (None, None)) if has_bar else (None, None)
            head = [f"{table} ({found['tuples']:,.0f} tuples)", method]
            on_top = megabytes(found["peak"] - found["held"])
            verdict = Bar(seconds, duration).cells(found["seconds"]) if seconds else NO_BAR
            rows.append([*head, on_top, duration(found["seconds"]), *verdict])
            verdict = Bar(memory, megabytes).cells(found["peak"]) if memory else NO_BAR
            rows.append([*head, on_top, megabytes(found["peak"]), *verdict])
    report.table(["table", "method", "on top", "measured", "bar", ""], rows)


def as_tuples_grow(report: Report, file: str, module: str, methods: Iterable[str]) -> None:
    """How time grows with the number of distinct tuples."""
    report.text("Growth: the first eighth, quarter and half of the records with three diagnoses, and all, at k = 5.")
    rows = []
    for method in methods:
        before: dict[str, float] | None = None
        for share in GROWTH:
            found, _ = in_new_process(_on_diabetes130, module, file, list(TABLES["three diagnoses"]), method, share)
            grown = ("", "") if before is None else tuple(times(found[x] / before[x]) for x in ("tuples", "seconds"))
            rows.append([method, f"{found['tuples']:,.0f}", grown[0], duration(found["seconds"]), grown[1]])
            before = found
    report.table(["method", "tuples", "growth", "time", "growth of time"], rows)


def _on_diabetes130(module: str, file: str, columns: list[str], method: str, share: float) -> dict[str, float]:
    """Time and memory of one method at k = 5 in a process of its own, the second run."""
    methods = import_module(module).methods
    data = _diabetes130(file, tuple(columns), share)
    tuples = len(data.table)
    methods(5)[method].mask(data, seed=0)
    held = peak_memory(since_now=True) or 0
    start = time.perf_counter()
    methods(5)[method].mask(data, seed=1)
    seconds = time.perf_counter() - start
    return {"tuples": tuples, "seconds": seconds, "held": held, "peak": peak_memory() or 0}


def _diabetes130(file: str, columns: tuple[str, ...], share: float = 1.0) -> om.Microdata:
    """Columns of diabetes130, for the first ``share`` of the records."""
    import polars as pl

    import ontomask as om

    frame = pl.read_csv(file, infer_schema=False)
    diagnoses = [name for name in columns if name.startswith("diag")]
    frame = frame.filter(pl.all_horizontal(pl.col(name) != "?" for name in ("diag_1", "diag_2", "diag_3")))
    frame = frame.select(columns).head(int(share * len(frame)))
    icd9 = om.load_icd9cm()
    attributes: dict[str, Any] = {name: om.Nominal(icd9, domain=icd9.root) for name in diagnoses}
    for name in columns[len(diagnoses) :]:
        values = sorted(set(frame[name]))
        flat = om.Taxonomy.from_edges([(value, f"any {name}") for value in values])
        attributes[name] = om.Ordinal(values) if name == "age" else om.Nominal(flat)
    return om.Microdata(frame, attributes)
