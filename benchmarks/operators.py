"""Operators: mean, centroid and distance correlation over WordNet, the last against dcor in the same run."""

from __future__ import annotations

import numpy as np
from timing import NO_BAR, Bar, Report, best_of, duration, times

import ontomask as om
from ontomask.operators.concepts import NominalSpace
from ontomask.operators.dependence import CentredDistances, Contingency, correlation

VALUES, OTHERS = 800, 430


def main() -> None:
    """Measure and print."""
    wn = om.load_wordnet()
    rng = np.random.default_rng(0)
    spaces = {name: NominalSpace(wn, om.distance(name, wn)) for name in ("wu_palmer", "log_sc")}
    a_values = np.sort(rng.choice(len(wn), VALUES, replace=False)).astype(np.int32)
    b_values = np.sort(rng.choice(len(wn), OTHERS, replace=False)).astype(np.int32)
    thousand = np.sort(rng.choice(len(wn), 1000, replace=False)).astype(np.int32)

    report = Report("operators", "Operators")
    report.text(
        f"WordNet 3.0 nouns, {len(wn):,} concepts; values with counts. The mean is searched over all concepts, the "
        f"centroid over H(V). Distance correlation starts from encoded records and includes distances: {VALUES} and "
        f"{OTHERS} distinct values."
    )
    rows = []
    for name, space in spaces.items():
        counts = rng.integers(1, 100, VALUES)
        seconds = best_of(lambda s=space, c=counts: s.mean(a_values, c))
        rows.append([name, f"mean of {VALUES} values", duration(seconds), *Bar(0.5, duration).cells(seconds)])
        counts = rng.integers(1, 100, len(thousand))
        seconds = best_of(lambda s=space, c=counts: s.centroid(thousand, c))
        rows.append([name, "centroid of 1,000 values", duration(seconds), *Bar(0.01, duration).cells(seconds)])
        for records in (10_000, 1_000_000):
            a, b = sample(rng, records)
            seconds = best_of(lambda s=space, a=a, b=b: sd_cor(s, a_values, b_values, a, b))
            bar = Bar(0.1, duration).cells(seconds) if records == 1_000_000 else NO_BAR
            rows.append([name, f"sdCor of {records:,} records", duration(seconds), *bar])
    report.table(["distance", "task", "measured", "bar", ""], rows)
    report.text(
        "Compared with dcor, which takes vectors and builds n×n matrices: the same number of records, drawn from as "
        "many distinct vectors of three numbers as we have values."
    )
    report.table(
        ["records", "dcor", "ours", "ratio", "bar", ""], against_dcor(rng, spaces["wu_palmer"], a_values, b_values)
    )
    report.close()


def sample(rng: np.random.Generator, records: int) -> tuple[np.ndarray, np.ndarray]:
    """Two dependent attributes as indices of their distinct values, each value at least once."""
    a = np.concatenate([np.arange(VALUES), rng.integers(0, VALUES, records - VALUES)])
    b = (a * OTHERS // VALUES + rng.integers(0, 50, records)) % OTHERS
    return a.astype(np.int32), b.astype(np.int32)


def sd_cor(space: NominalSpace, a_values: np.ndarray, b_values: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """The distance correlation of two encoded attributes."""
    table = Contingency.of(a, b)
    left = CentredDistances(space, a_values, np.bincount(a, minlength=VALUES))
    right = CentredDistances(space, b_values, np.bincount(b, minlength=OTHERS))
    return correlation(left, right, table).value


def against_dcor(
    rng: np.random.Generator, space: NominalSpace, a_values: np.ndarray, b_values: np.ndarray
) -> list[list[str]]:
    """One row: 10,000 records."""
    try:
        import dcor
    except ImportError:
        return [["10,000", "not measured: dcor is not installed", "", "", *NO_BAR]]
    a, b = sample(rng, 10_000)
    vectors, others = rng.random((VALUES, 3)), rng.random((OTHERS, 3))
    theirs = best_of(lambda: dcor.distance_correlation(vectors[a], others[b]), seconds=0, least=2)
    ours = best_of(lambda: sd_cor(space, a_values, b_values, a, b))
    ratio = theirs / ours
    return [["10,000", duration(theirs), duration(ours), times(ratio), *Bar(500, times, at_least=True).cells(ratio)]]


if __name__ == "__main__":
    main()
