"""Many quasi-identifiers: a made census of 199,000 records, masked, evaluated with all intruders, and reported."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from census import QUASI_IDENTIFIERS, RECORDS, census, census_data
from timing import NO_BAR, Bar, Report, duration, in_new_process, megabytes, peak_memory

COLUMNS = (8, len(QUASI_IDENTIFIERS))
# Processor seconds of masking, evaluation and report together, for all columns.
LIMIT = 30.0


def run(columns: int, records: int) -> dict[str, float]:
    """Processor seconds of each step, and the loss."""
    import ontomask as om
    from ontomask.report.building import build_report

    # A first small run loads the kernels.
    small = census_data(census(12_000), columns)
    om.evaluate(small, om.Microaggregation(k=5).mask(small, seed=0))
    data = census_data(census(records), columns)
    times = [time.process_time()]
    result = om.Microaggregation(k=5).mask(data, seed=0)
    times.append(time.process_time())
    score = om.evaluate(data, result)
    times.append(time.process_time())
    with tempfile.TemporaryDirectory() as folder:
        build_report(data, result, score).save(Path(folder) / "report.html")
    times.append(time.process_time())
    steps = dict(zip(("mask", "evaluate", "report"), np.diff(times).tolist(), strict=True))
    figures = {"tuples": len(data.table), "loss": score.loss_percent, "linked": score.srl}
    return {**steps, **figures, "memory": peak_memory()}


def main() -> None:
    """Measure and print."""
    report = Report("wide_tables", "Many quasi-identifiers")
    report.text(f"Microaggregation with k = 5 of {RECORDS:,} made census records. Processor time, kernels loaded.")
    rows = []
    for columns in COLUMNS:
        found, _ = in_new_process(run, columns, RECORDS)
        total = found["mask"] + found["evaluate"] + found["report"]
        bar = Bar(LIMIT, duration).cells(total) if columns == COLUMNS[-1] else NO_BAR
        steps = [duration(found[name]) for name in ("mask", "evaluate", "report")]
        figures = [f"{found['tuples']:,}", f"{found['loss']:.1f} %", f"{found['linked']:.1f} %"]
        rows.append([str(columns), *figures, *steps, duration(total), megabytes(found["memory"]), *bar])
    head = ["columns", "distinct tuples", "L", "SRL", "mask", "evaluate", "report", "together", "memory", "bar", ""]
    report.table(head, rows)
    report.close()


if __name__ == "__main__":
    main()
