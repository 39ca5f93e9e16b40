"""Microaggregation: time and memory on Adult, with anonypy's Mondrian in the same run, and on diabetes130."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recoding import BARS, GROWTH, KS, TABLES, diabetes130
from timing import NO_BAR, Bar, Report, best_of_each, duration, in_new_process, megabytes, peak_memory, times

if TYPE_CHECKING:
    import ontomask as om

VARIANTS = ("refined", "sa_mdav", "sa_mdav_static", "mdav")


def methods(k: int) -> dict[str, Any]:
    """Every variant and configuration, by name."""
    from ontomask.masking import RELATED, Microaggregation

    found: dict[str, Any] = {variant: Microaggregation(k, variant=variant) for variant in VARIANTS}
    found["sa_mdav, ω in both"] = Microaggregation(k, variant="sa_mdav", weigh_closest=True)
    found["sa_mdav, no ω"] = Microaggregation(k, variant="sa_mdav", weigh_distant=False)
    found["sa_mdav, below k"] = Microaggregation(k, variant="sa_mdav", join="below_k")
    return found | {f"related: {name}": Microaggregation(k, **options) for name, options in RELATED.items()}


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
    report = Report("microaggregation", "Microaggregation")
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
    """Every method on Adult's two columns, and the peer."""
    from ontomask.examples import adult_data

    data = adult_data()
    report.text(
        f"Adult's occupation and native-country, {len(data):,} records, {len(data.table)} distinct tuples: the whole "
        f"of `mask`, from the loaded table to the released one with k counted on it."
    )
    rows, refined = [], {}
    for name in methods(2):
        calls: dict[str, Callable[[], object]] = {
            str(k): lambda k=k, name=name: methods(k)[name].mask(data, seed=0) for k in KS
        }
        for call in calls.values():
            call()
        best = best_of_each(calls)
        if name == "refined":
            refined = best
        slowest = max(best.values())
        each = [duration(best[str(k)]) for k in KS]
        rows.append([name, *each, duration(slowest), *Bar(0.1, duration).cells(slowest)])
    report.table(["method", *(f"k = {k}" for k in KS), "slowest", "bar", ""], rows)
    report.text(
        "anonypy's Mondrian on the same two columns, from the loaded frame to the generalised rows; a group is "
        "released as the list of all its values, so tuples left say how coarse the outputs are."
    )
    report.table(
        ["k", "anonypy", "refined", "ratio", "tuples left by anonypy", "by refined"], against_anonypy(data, refined)
    )


def against_anonypy(data: om.Microdata, refined: dict[str, float]) -> list[list[str]]:
    """The peer's times beside ours."""
    import ontomask as om

    try:
        import anonypy
    except ImportError:
        return [["", "not measured: anonypy is not installed", "", "", "", ""]]
    import pandas as pd

    names = list(data.quasi_identifiers)
    adult = om.load_adult()
    frame = pd.DataFrame({name: pd.Categorical(adult[name]) for name in names}).assign(
        secret=pd.Categorical(adult["salary-class"])
    )
    rows = []
    for k in KS:
        mondrian: dict[str, Callable[[], object]] = {
            "": lambda k=k: anonypy.Preserver(frame, names, "secret").anonymize_k_anonymity(k=k)
        }
        seconds = best_of_each(mondrian)[""]
        released = pd.DataFrame(anonypy.Preserver(frame, names, "secret").anonymize_k_anonymity(k=k))
        theirs = len({tuple(map(str, row)) for row in released[names].to_numpy()})
        ours = len(om.Microaggregation(k).mask(data).data.table)
        mine = refined[str(k)]
        rows.append([f"{k}", duration(seconds), duration(mine), times(seconds / mine), f"{theirs:,}", f"{ours:,}"])
    return rows


def on_large_tables(report: Report, file: str) -> None:
    """diabetes130 at k = 5."""
    report.text(
        "diabetes130 at k = 5, each in a process of its own: time of the second run, memory that the process holds at "
        "its peak and how much of that came on top of the loaded table."
    )
    rows = []
    for table, columns in TABLES.items():
        for method in methods(5) if len(columns) == 2 else VARIANTS:
            found, _ = in_new_process(on_diabetes130, file, list(columns), method, 1.0)
            seconds, memory = BARS.get(table, (None, None))
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
    for method in VARIANTS:
        before: dict[str, float] | None = None
        for share in GROWTH:
            found, _ = in_new_process(on_diabetes130, file, list(TABLES["three diagnoses"]), method, share)
            grown = ("", "") if before is None else tuple(times(found[x] / before[x]) for x in ("tuples", "seconds"))
            rows.append([method, f"{found['tuples']:,.0f}", grown[0], duration(found["seconds"]), grown[1]])
            before = found
    report.table(["method", "tuples", "growth", "time", "growth of time"], rows)


if __name__ == "__main__":
    main()
