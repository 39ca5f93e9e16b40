"""Recoding and resampling: time and memory on Adult and, where its folder is given, on diabetes130."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timing import NO_BAR, Bar, Report, best_of_each, duration, in_new_process, megabytes, peak_memory, times

if TYPE_CHECKING:
    import ontomask as om

KS = (2, 5, 16, 64, 128)
GROWTH = (0.125, 0.25, 0.5, 1.0)
TABLES = {
    "two diagnoses": ("diag_1", "diag_2"),
    "three diagnoses": ("diag_1", "diag_2", "diag_3"),
    "three diagnoses, age, race, gender": ("diag_1", "diag_2", "diag_3", "age", "race", "gender"),
}
BARS = {"two diagnoses": (3.0, None), "three diagnoses": (20.0, 600e6)}


def methods(k: int) -> dict[str, Any]:
    """One of each kind, by name."""
    from ontomask.masking.recoding import CRITERIA, Recoding
    from ontomask.masking.resampling import SETTINGS, HeerResampling, Resampling

    found: dict[str, Any] = {f"recoding, {criterion}": Recoding(k, criterion=criterion) for criterion in CRITERIA}
    found["recoding, at once"] = Recoding(k, sequential=False)
    found["recoding, in turn"] = Recoding(k, sequential=True)
    found["recoding, ω"] = Recoding(k, weighted=True)
    found |= {f"resampling, setting {number}": Resampling(k, **options) for number, options in SETTINGS.items()}
    found["resampling, ties at random"] = Resampling(k, ties="random")
    found["resampling, each sample's own reference"] = Resampling(k, reference="sample")
    found["Heer's resampling, 5 samples"] = HeerResampling(5)
    return found


def diabetes130(file: str, columns: tuple[str, ...], share: float = 1.0) -> om.Microdata:
    """Some columns of diabetes130, or those of the first records of it."""
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


def on_diabetes130(file: str, columns: list[str], method: str, share: float) -> dict[str, float]:
    """Time and memory of one method at k = 5 in a process of its own, the second run."""
    data = diabetes130(file, tuple(columns), share)
    tuples = len(data.table)
    methods(5)[method].mask(data, seed=0)
    held = peak_memory(since_now=True) or 0
    start = time.perf_counter()
    methods(5)[method].mask(data, seed=1)
    seconds = time.perf_counter() - start
    return {"tuples": tuples, "seconds": seconds, "held": held, "peak": peak_memory() or 0}


def main() -> None:
    """Measure and print."""
    report = Report("recoding", "Recoding and resampling")
    on_adult(report)
    folder = os.environ.get("ONTOMASK_DATA")
    file = Path(folder, "diabetes130.csv.gz") if folder else None
    if file is None or not file.exists():
        report.text("diabetes130 was not measured: give the folder that holds diabetes130.csv.gz.")
    else:
        on_large_tables(report, str(file))
        as_tuples_grow(report, str(file))
    report.close()


def on_adult(report: Report) -> None:
    """Every method on Adult's two columns."""
    from ontomask.examples import adult_data

    data = adult_data()
    report.text(
        f"Adult's occupation and native-country, {len(data):,} records, {len(data.table)} distinct tuples: the whole "
        f"of `mask`, from the loaded table to the released one with k counted on it."
    )
    rows = []
    for name in methods(2):
        calls: dict[str, Callable[[], object]] = {
            str(k): lambda k=k, name=name: methods(k)[name].mask(data, seed=0) for k in KS
        }
        for call in calls.values():
            call()
        best = best_of_each(calls)
        slowest = max(best.values())
        each = [duration(best[str(k)]) for k in KS]
        rows.append([name, *each, duration(slowest), *Bar(0.1, duration).cells(slowest)])
    report.table(["method", *(f"k = {k}" for k in KS), "slowest", "bar", ""], rows)


def on_large_tables(report: Report, file: str) -> None:
    """diabetes130 at k = 5."""
    report.text(
        "diabetes130 at k = 5, each in a process of its own: time of the second run, memory that the process holds at "
        "its peak and how much of that came on top of the loaded table."
    )
    rows = []
    for table, columns in TABLES.items():
        for method in ("recoding, semantic", "recoding, at once", "recoding, in turn", "resampling, setting 4"):
            found, _ = in_new_process(on_diabetes130, file, list(columns), method, 1.0)
            seconds, memory = BARS.get(table, (None, None)) if method.startswith("recoding") else (None, None)
            head = [f"{table} ({found['tuples']:,.0f} tuples)", method]
            on_top = megabytes(found["peak"] - found["held"])
            verdict = Bar(seconds, duration).cells(found["seconds"]) if seconds else NO_BAR
            rows.append([*head, on_top, duration(found["seconds"]), *verdict])
            verdict = Bar(memory, megabytes).cells(found["peak"]) if memory else NO_BAR
            rows.append([*head, on_top, megabytes(found["peak"]), *verdict])
    report.table(["table", "method", "on top", "measured", "bar", ""], rows)


def as_tuples_grow(report: Report, file: str) -> None:
    """How time grows with the number of distinct tuples."""
    report.text("Growth: the first eighth, quarter and half of the records with three diagnoses, and all, at k = 5.")
    rows = []
    for method in ("recoding, at once", "recoding, in turn", "resampling, setting 4"):
        before: dict[str, float] | None = None
        for share in GROWTH:
            found, _ = in_new_process(on_diabetes130, file, list(TABLES["three diagnoses"]), method, share)
            grown = ("", "") if before is None else tuple(times(found[x] / before[x]) for x in ("tuples", "seconds"))
            rows.append([method, f"{found['tuples']:,.0f}", grown[0], duration(found["seconds"]), grown[1]])
            before = found
    report.table(["method", "tuples", "growth", "time", "growth of time"], rows)


if __name__ == "__main__":
    main()
