"""Generalisation and suppression: whole runs on Adult and on diabetes130, memory, and how time grows with tuples."""

from __future__ import annotations

import time
from itertools import pairwise

from sources import NO_DIABETES130, diabetes130_file
from timing import Bar, Report, best_of, duration, in_new_process, megabytes, peak_memory, times

MOST_MEMORY = 600e6
SHARES = (0.25, 0.5, 1.0)


def methods(k: int) -> dict:
    """Everything that masks, by name."""
    from ontomask.masking.generalisation import Generalisation
    from ontomask.masking.suppression import Suppression

    return {
        "local": Generalisation(k),
        "local, best first": Generalisation(k, variant="best_first"),
        "local, by records": Generalisation(k, variant="best_first", steps="records"),
        "full domain": Generalisation(k, mode="full_domain"),
        "full domain, 5% suppressed": Generalisation(k, mode="full_domain", suppression=0.05),
        "cells": Suppression(k, mode="cells"),
        "records": Suppression(k),
    }


def on_diabetes(path: str, diagnoses: list[str], name: str, share: float) -> dict[str, float]:
    """Seconds of one method at k = 5 on the first records, tuples, and the most memory that the process has held."""
    import polars as pl

    import ontomask as om
    from ontomask.examples import diabetes130_data

    whole = diabetes130_data(path, *diagnoses)
    frame = whole.frame.head(round(share * len(whole))).select(pl.col(diagnoses))
    icd9 = om.load_icd9cm()
    data = om.Microdata(frame, dict.fromkeys(diagnoses, om.Nominal(icd9, domain=icd9.root)))
    tuples = len(data.table)
    method = methods(5)[name]
    # Twice: the first run may have to load compiled code.
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        method.mask(data, seed=0)
        seconds.append(time.perf_counter() - start)
    return {"seconds": min(seconds), "tuples": tuples, "memory": peak_memory() or 0}


def main() -> None:
    """Measure and print."""
    from ontomask.examples import adult_data

    report = Report("generalisation", "Generalisation and suppression")
    report.text("Whole runs: plan, released table, k counted. Adult's occupation × native-country over WordNet.")
    adult = adult_data()
    bar = Bar(0.1, duration)
    rows = []
    for name in methods(2):
        tried = ((k, methods(k)[name]) for k in (2, 5, 20, 128))
        slowest = max((best_of(lambda m=method: m.mask(adult, seed=0), seconds=0.3), k) for k, method in tried)
        rows.append([name, f"slowest at k = {slowest[1]}", duration(slowest[0]), *bar.cells(slowest[0])])
    report.table(["method", "k = 2, 5, 20, 128", "measured", "bar", ""], rows)

    path = diabetes130_file()
    if path is None:
        report.text(NO_DIABETES130)
        report.close()
        return
    report.text("diabetes130 over ICD-9-CM at k = 5, each run in a new process; memory is all that the process held.")
    rows = []
    for diagnoses, most in ((["diag_1", "diag_2"], 3), (["diag_1", "diag_2", "diag_3"], 20)):
        for name in methods(2):
            found, _ = in_new_process(on_diabetes, str(path), diagnoses, name, 1.0)
            what = f"{len(diagnoses)} diagnoses, {found['tuples']:,} tuples"
            seconds, memory = found["seconds"], found["memory"]
            rows.append([name, what, duration(seconds), *Bar(most, duration).cells(seconds)])
            if len(diagnoses) == 3:
                rows.append([name, "memory", megabytes(memory), *Bar(MOST_MEMORY, megabytes).cells(memory)])
    report.table(["method", "data", "measured", "bar", ""], rows)

    report.text("How time grows with the tuples: three diagnoses of the first quarter, half and all of the records.")
    rows = []
    for name in methods(2):
        found = [
            in_new_process(on_diabetes, str(path), ["diag_1", "diag_2", "diag_3"], name, share)[0] for share in SHARES
        ]
        growth = [
            times(later["seconds"] / before["seconds"]) + f" for {times(later['tuples'] / before['tuples'])} tuples"
            for before, later in pairwise(found)
        ]
        rows.append([name, *(f"{f['tuples']:,}: {duration(f['seconds'])}" for f in found), *growth])
    report.table(["method", "a quarter", "half", "all", "half / quarter", "all / half"], rows)
    report.close()


if __name__ == "__main__":
    main()
