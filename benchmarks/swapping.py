"""Swapping: how long it takes on large tables, and how that grows with their records and with their distinct tuples."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import log2

import numpy as np
import polars as pl
from jobs import WORDS
from sources import NO_DIABETES130, diabetes130_file
from timing import NO_BAR, Bar, Report, best_of_each, duration, times

import ontomask as om
from ontomask.base.threads import count_cores, limit_threads
from ontomask.examples import adult_data, diabetes130_data
from ontomask.masking import Method
from ontomask.masking.rank_swapping import DataSwapping, DistributionalRankSwapping, RankSwapping

K = 20
METHODS: dict[str, Callable[[int], Method]] = {
    "Algorithm 1": lambda k: RankSwapping(k, algorithm=1),
    "Algorithm 2": lambda k: RankSwapping(k, algorithm=2),
    "Algorithm 3": lambda k: RankSwapping(k, algorithm=3),
    "Algorithm 1, unswapped": lambda k: RankSwapping(k, algorithm=1, interval="unswapped"),
    "Algorithm 2, unswapped": lambda k: RankSwapping(k, algorithm=2, interval="unswapped"),
    "Algorithm 3, unswapped": lambda k: RankSwapping(k, algorithm=3, interval="unswapped"),
    "distributional": DistributionalRankSwapping,
    "data swapping": lambda _: DataSwapping(),
}
RECORDS = (125_000, 250_000, 500_000, 1_000_000)
MILLION, AGES = 1_000_000, 77
TUPLES = (2_500, 5_000, 10_000, 20_000, 40_000)


def main() -> None:
    """Measure and print."""
    report = Report("swapping", "Swapping")
    report.text(
        "Times are those of `mask`: from the encoded table with its distinct tuples to the released one. "
        "*Unswapped*: the interval consists of the k nearest records whose value is unswapped."
    )
    large_tables(report)
    different_records(report)
    growth(
        report,
        f"Doubling the records: 2,000 distinct pairs, k = {K}; processor time, and its average growth per doubling.",
        {n: random_pairs(n, 2_000) for n in RECORDS},
        # Twice the records, twice the time; a tenth more for what the machine does besides.
        Bar(2.2, times),
    )
    growth(
        report,
        f"Doubling the distinct pairs: 100,000 records, k = {K}. Work that visits all tuples for each record doubles.",
        {p: random_pairs(100_000, p) for p in TUPLES},
        None,
    )
    report.close()


def random_pairs(records: int, tuples: int) -> om.Microdata:
    """Pairs of ICD-9-CM codes: a few common, most rare, each at least once."""
    icd9 = om.load_icd9cm()
    rng = np.random.default_rng(0)
    leaves = np.flatnonzero(np.diff(icd9.graph.child_start) == 0)
    # As many values as let pairs repeat: in diabetes130 18,308 pairs have 715 and 743.
    values = rng.choice(leaves, (2, min(800, int(4 * tuples**0.5))))
    often = 1 / np.arange(1, values.shape[1] + 1)
    pairs: dict[tuple[int, int], None] = {}
    while len(pairs) < tuples:
        drawn = [rng.choice(column, 4 * tuples, p=often / often.sum()).tolist() for column in values]
        pairs |= dict.fromkeys(zip(*drawn, strict=True))
    codes = np.array(list(pairs)[:tuples])
    often = 1 / np.arange(1, tuples + 1)
    drawn_tuples = np.concatenate([np.arange(tuples), rng.choice(tuples, records - tuples, p=often / often.sum())])
    ids = np.array(icd9.ids, dtype=object)[codes[drawn_tuples]]
    attribute = om.Nominal(icd9, domain=icd9.root)
    return om.Microdata(pl.DataFrame({"a": ids[:, 0], "b": ids[:, 1]}), {"a": attribute, "b": attribute})


def large_tables(report: Report) -> None:
    """Algorithm 3 on the tables that have a bar, and beside them all methods."""
    tables: list[tuple[str, om.Microdata, float | None]] = [("Adult", adult_data(), None)]
    file = diabetes130_file()
    if file is not None:
        tables.append(("diabetes130, two diagnoses", diabetes130_data(file, "diag_1", "diag_2"), 10.0))
        tables.append(("diabetes130, three diagnoses", diabetes130_data(file), 40.0))
    else:
        report.text(NO_DIABETES130)
    tables.append(("random pairs", random_pairs(1_000_000, 2_000), 12.0))
    rows = []
    for name, data, limit in tables:
        for method, make in METHODS.items():
            for k in (5, 100):
                seconds = measured(make(k), data)
                bar = Bar(limit, duration).cells(seconds) if limit and method == "Algorithm 3" else NO_BAR
                rows.append([name, f"{len(data):,}", f"{len(data.table):,}", method, f"{k}", duration(seconds), *bar])
    report.table(["table", "records", "tuples", "method", "k", "measured", "bar", ""], rows)


def different_records(report: Report) -> None:
    """A million records of which no two are equal: nearly every record is compared with others."""
    report.text(
        f"{MILLION:,} records that all differ, k = 5: diagnoses (900 codes, a few common), occupations and ages, drawn "
        f"without putting back. The time on the clock of `mask`, with one thread and with {count_cores()}."
    )
    data = different_data(MILLION)
    small = different_data(3_000)
    rows = []
    for algorithm in (1, 2, 3):
        method = RankSwapping(5, algorithm=algorithm)
        # A first small run loads the kernels.
        method.mask(small, seed=0)
        seconds = []
        for threads in (1, count_cores()):
            limit_threads(threads)
            begun = time.perf_counter()
            method.mask(data, seed=0)
            seconds.append(time.perf_counter() - begun)
        bar = Bar(20.0, duration).cells(seconds[1]) if algorithm == 3 else NO_BAR
        rows.append([f"Algorithm {algorithm}", *map(duration, seconds), *bar])
    limit_threads(None)
    report.table(["method", "one thread", "all threads", "bar", ""], rows)


def different_data(records: int) -> om.Microdata:
    """Distinct triples of a diagnosis, an occupation and an age, the frequent diagnoses first."""
    icd9, wordnet = om.load_icd9cm(), om.load_wordnet()
    rng = np.random.default_rng(0)
    codes = np.array([code for code in icd9.ids if code.replace(".", "").isdigit()][:900])
    others = len(WORDS) * AGES
    # The largest of log(weight) plus Gumbel noise are a weighted sample without replacement.
    keys = np.repeat(-np.log(np.arange(1, len(codes) + 1)), others) + rng.gumbel(size=len(codes) * others)
    drawn = rng.permutation(np.argpartition(-keys, records)[:records])
    frame = pl.DataFrame(
        {
            "diagnosis": codes[drawn // others],
            "occupation": np.array(WORDS)[drawn // AGES % len(WORDS)],
            "age": 18 + drawn % AGES,
        }
    )
    kinds = {"diagnosis": om.Nominal(icd9), "occupation": om.Nominal(wordnet, domain="person"), "age": om.Numeric()}
    return om.Microdata(frame, kinds)


def growth(report: Report, text: str, tables: dict[int, om.Microdata], bar: Bar | None) -> None:
    """Every method on tables of growing size."""
    report.text(text)
    doublings = log2(max(tables) / min(tables))
    rows: list[Sequence[str]] = []
    for method, make in METHODS.items():
        each = [measured(make(K), data, time.process_time) for data in tables.values()]
        ratio = (each[-1] / each[0]) ** (1 / doublings)
        cells = bar.cells(ratio) if bar else NO_BAR
        rows.append([method, *(duration(seconds) for seconds in each), times(ratio), *cells])
    report.table(["method", *(f"{size:,}" for size in tables), "growth", "bar", ""], rows)


def measured(method: Method, data: om.Microdata, clock: Callable[[], float] = time.perf_counter) -> float:
    """The shorter time of two."""
    return best_of_each({"": lambda: method.mask(data, seed=0)}, seconds=0, least=2, clock=clock)[""]


if __name__ == "__main__":
    main()
