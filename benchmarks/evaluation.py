"""Evaluation: semantic record linkage and the whole evaluation on a large table, with pyCANON's k in the same run."""

from __future__ import annotations

import numpy as np
import polars as pl
from sources import diabetes130_file
from timing import Bar, Report, best_of, duration, times

import ontomask as om
from ontomask.evaluation.linkage import link
from ontomask.evaluation.pairing import Pairing
from ontomask.examples import diabetes130_data

METHODS = (
    om.Microaggregation(5),
    om.CorrelatedNoise(0.3),
    om.RankSwapping(5, algorithm=3),
    om.PRAM(stay=0.8),
    om.ProbabilisticDistortion(),
)


def main() -> None:
    """Measure and print."""
    report = Report("evaluation", "Evaluation")
    data, origin = tables()
    report.text(
        f"{origin} *Linking* is RL, MRL and SRL from the paired tables, exact; *all* is `evaluate`, from the masked "
        "frame to every measure except those of intruders who know the method (see attacks.md)."
    )
    linked, whole = [], []
    for columns, table in data.items():
        for method in METHODS:
            masked = method.mask(table, seed=0).data
            pairing = Pairing.of(table, masked)
            seconds = best_of(lambda p=pairing: link(p), seconds=0)
            size = [columns, repr(method), f"{len(pairing.original):,}", f"{len(pairing.masked):,}"]
            bar = Bar(3 if columns == 2 else 15, duration)
            linked.append([*map(str, size), duration(seconds), *bar.cells(seconds)])
            if columns == 3:
                seconds = best_of(lambda t=table, m=masked: om.evaluate(t, m, attacks=False), seconds=0)
                whole.append([repr(method), duration(seconds), *Bar(20, duration).cells(seconds)])
    head = ["columns", "method", "distinct originals", "distinct masked"]
    report.table([*head, "linking", "bar", ""], linked)
    report.table(["method", "all, three columns", "bar", ""], whole)
    report.text(
        "pyCANON reports k, l and t of a table. The table compares its k of the same released columns with ours. It "
        "has no record linkage and ignores meaning."
    )
    report.table(["records", "pyCANON", "ours", "ratio"], against_pycanon(data[3]))
    report.close()


def tables() -> tuple[dict[int, om.Microdata], str]:
    """Two and three diagnoses of diabetes130, or a table made up in its likeness."""
    path = diabetes130_file()
    if path is not None:
        found = {2: diabetes130_data(path, "diag_1", "diag_2"), 3: diabetes130_data(path)}
        return found, f"diabetes130, {len(found[3]):,} complete records, ICD-9-CM."
    icd9 = om.load_icd9cm()
    rng = np.random.default_rng(0)
    codes = rng.choice([c for c in icd9.ids if not icd9.children(c)], 800, replace=False)
    share = 1 / np.arange(1, 801) ** 0.9
    frame = pl.DataFrame({f"d{j}": rng.choice(codes, 100_000, p=share / share.sum()) for j in range(3)})
    kind = om.Nominal(icd9, domain=icd9.root)
    found = {
        2: om.Microdata(frame, {"d0": kind, "d1": kind}, other=["d2"]),
        3: om.Microdata(frame, {f"d{j}": kind for j in range(3)}),
    }
    return found, "Made up: 100,000 records of 800 ICD-9-CM codes by a power law (diabetes130 was not given)."


def against_pycanon(data: om.Microdata) -> list[list[str]]:
    """One row: k of the released columns."""
    released = om.Microaggregation(5).mask(data, seed=0)
    names = list(data.quasi_identifiers)
    try:
        import pandas as pd
        from pycanon import anonymity
    except ImportError:
        return [[f"{len(data):,}", "not measured: pycanon is not installed", "", ""]]
    table = released.frame.select(names).to_dict(as_series=False)
    frame = pd.DataFrame(table)
    theirs = best_of(lambda: anonymity.k_anonymity(frame, names), seconds=0)
    ours = best_of(lambda: om.k_anonymity(om.group_records([released.data.codes(name) for name in names])))
    assert anonymity.k_anonymity(frame, names) == released.guarantee.k
    return [[f"{len(data):,}", duration(theirs), duration(ours), times(theirs / ours)]]


if __name__ == "__main__":
    main()
