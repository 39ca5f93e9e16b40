"""Noise: whole runs on diabetes130 and over WordNet, streams, and how time grows with records and distinct values."""

from __future__ import annotations

import time
from functools import partial

import numpy as np
import polars as pl
from sources import NO_DIABETES130, diabetes130_file
from timing import NO_BAR, Bar, Report, best_of, best_of_each, duration, in_new_process, times

import ontomask as om
from ontomask.masking.base import Method
from ontomask.masking.noise import CorrelatedNoise, UncorrelatedNoise

DIAGNOSES = ("diag_1", "diag_2", "diag_3")


def over_wordnet(records: int, values: int) -> om.Microdata:
    """Records with a given number of distinct values, drawn uniformly from all WordNet nouns."""
    wn = om.load_wordnet()
    rng = np.random.default_rng(0)
    ids = np.array(wn.ids)[np.sort(rng.choice(len(wn), values, replace=False))]
    drawn = np.concatenate([np.arange(values), rng.integers(0, values, records - values)])
    data = om.Microdata(pl.DataFrame({"noun": pl.Series(ids[drawn])}), {"noun": om.Nominal(wn, domain=wn.root)})
    assert len(data.table) == values
    return data


def on_diagnoses(frame: pl.DataFrame, columns: int, records: int | None = None) -> om.Microdata:
    """The first diagnosis columns. ``records``: how many records; the table is repeated if it has fewer."""
    icd9 = om.load_icd9cm()
    picked = frame.select(DIAGNOSES[:columns])
    if records is not None:
        picked = picked[np.resize(np.arange(len(picked)), records).tolist()]
    data = om.Microdata(picked, {name: om.Nominal(icd9, domain=icd9.root) for name in picked.columns})
    assert len(data.table)
    return data


def first_run(records: int, values: int) -> list[float]:
    """Seconds of two runs over WordNet in a new process: the first also looks up how concepts are written."""
    UncorrelatedNoise().mask(over_wordnet(1000, 10), seed=0)
    data = over_wordnet(records, values)
    return [_seconds(UncorrelatedNoise(), data) for _ in range(2)]


def _seconds(method: Method, data: om.Microdata) -> float:
    start = time.perf_counter()
    method.mask(data, seed=0)
    return time.perf_counter() - start


def growth(report: Report, what: str, cases: dict[str, tuple[Method, om.Microdata, om.Microdata]]) -> None:
    """A table of times on some data and on twice as much of it."""
    rows = []
    for name, (method, once, twice) in cases.items():
        calls = {"once": partial(method.mask, once, seed=0), "twice": partial(method.mask, twice, seed=0)}
        seconds = best_of_each(calls, seconds=5, least=4)
        ratio = seconds["twice"] / seconds["once"]
        # Slightly more than twice is accepted, since other work may run on the machine.
        shown = [duration(seconds["once"]), duration(seconds["twice"]), times(ratio)]
        rows.append([name, *shown, *Bar(2.2, times).cells(ratio)])
    report.table([what, "once", "twice", "ratio", "bar", ""], rows)


def main() -> None:
    """Measure and print."""
    report = Report("noise", "Noise")
    report.text("Whole runs: statistics, errors, replacements, the released table. Data are loaded and mapped before.")
    rows = []
    path = diabetes130_file()
    if path is None:
        report.text(NO_DIABETES130)
    else:
        from ontomask.examples import diabetes130_data

        frame = diabetes130_data(path).frame
        three, two = on_diagnoses(frame, 3), on_diagnoses(frame, 2)
        what = f"diabetes130, {len(three):,} records × "
        for name, method, data, most in (
            ("uncorrelated", UncorrelatedNoise(), three, 1.5),
            ("uncorrelated, Laplace", UncorrelatedNoise(distribution="laplace"), three, 1.5),
            ("correlated, mean", CorrelatedNoise(), three, 1.5),
            ("correlated, root", CorrelatedNoise(reference="root"), three, 1.5),
            ("correlated, pair", CorrelatedNoise(reference="pair"), two, 3.0),
        ):
            seconds = best_of(lambda m=method, d=data: m.mask(d, seed=0))
            diagnoses = f"{what}{len(data.quasi_identifiers)} diagnoses"
            rows.append([name, diagnoses, duration(seconds), *Bar(most, duration).cells(seconds)])
        rows += streams(two, frame)
    for values, most in ((2_000, 3.0), (82_000, 30.0)):
        (first, again), _ = in_new_process(first_run, 1_000_000, values)
        nouns = f"WordNet, 1,000,000 records, {values:,} distinct values"
        rows.append(["uncorrelated", nouns, duration(first), *Bar(most, duration).cells(first)])
        rows.append(["uncorrelated, again", nouns, duration(again), *NO_BAR])
    report.table(["noise", "data", "measured", "bar", ""], rows)
    report.text("Twice the records with the same distinct values, and twice the distinct values of the same records.")
    cases = {"uncorrelated, WordNet": (UncorrelatedNoise(), over_wordnet(250_000, 500), over_wordnet(500_000, 500))}
    if path is not None:
        for name, method, columns in (
            ("correlated, mean", CorrelatedNoise(), 3),
            ("correlated, pair", CorrelatedNoise(reference="pair"), 2),
        ):
            cases[name] = (method, *(on_diagnoses(frame, columns, n) for n in (100_000, 200_000)))
    growth(report, "twice the records", cases)
    cases = {"uncorrelated, WordNet": (UncorrelatedNoise(), over_wordnet(250_000, 500), over_wordnet(250_000, 1000))}
    growth(report, "twice the values", cases)
    report.close()


def streams(data: om.Microdata, frame: pl.DataFrame) -> list[list[str]]:
    """Rows on a fitted model: one record at a time, and all of them as a batch."""
    rows = []
    records = frame.select(list(data.quasi_identifiers)).head(100).to_dicts()
    for name, method in (
        ("uncorrelated", UncorrelatedNoise()),
        ("correlated, pair", CorrelatedNoise(reference="pair")),
    ):
        model = method.fit(data)
        each = (
            best_of(lambda m=model: [m.mask_record(record, seed=np.random.default_rng(0)) for record in records]) / 100
        )
        batch = best_of(lambda m=model: m.mask_batch(data.frame, seed=0))
        rows.append([name, "diabetes130, a record of 2 diagnoses (fitted model)", duration(each), *NO_BAR])
        rows.append([name, f"diabetes130, a batch of {len(data):,} records (fitted model)", duration(batch), *NO_BAR])
    return rows


if __name__ == "__main__":
    main()
