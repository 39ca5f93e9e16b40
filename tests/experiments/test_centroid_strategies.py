from __future__ import annotations

from pathlib import Path

import centroid_strategies as script
import numpy as np
import pytest

from ontomask.examples import adult_data

PAGE = Path(__file__).parents[2] / "docs" / "experiments" / "centroid_strategies.md"


@pytest.fixture(scope="module")
def found():
    return script.Found.of(adult_data())


def test_clusters_share_out_the_records(found):
    records, parts = found.records, found.parts
    assert (len(records.counts), records.counts.sum()) == (394, 30162)
    assert len(parts) == 7
    tuples = [pair for part in parts for pair in zip(*part.columns, strict=True)]
    assert sorted(tuples) == list(zip(*records.columns, strict=True))
    assert sum(part.counts.sum() for part in parts) == 30162


def test_clusters_are_wards(found):
    # The same by definition: at each step the merger that adds least to the pairwise sum of squares within clusters.
    records = found.records.take(np.arange(0, 394, 20))
    distances = script.record_distances(records.spaces("log_sc"), records.columns, records.columns)
    squares = np.multiply.outer(records.counts, records.counts) * distances**2

    def within(group):
        return squares[np.ix_(group, group)].sum() / 2 / records.counts[group].sum()

    groups = [[i] for i in range(len(records.counts))]
    while len(groups) > script.CLUSTERS:
        a, b = min(
            ((a, b) for i, a in enumerate(groups) for b in groups[i + 1 :]),
            key=lambda pair: within(pair[0] + pair[1]) - within(pair[0]) - within(pair[1]),
        )
        groups = [group for group in groups if group not in (a, b)] + [a + b]
    clusters = {frozenset(zip(*part.columns, strict=True)) for part in script.clusters(records)}
    assert clusters == {frozenset(zip(*records.take(np.array(group)).columns, strict=True)) for group in groups}


def test_conclusions_of_the_thesis(found):
    rows = {name: np.array(values) for name, values in found.rows.items()}
    best, worst = rows["SC, LogSC"], rows["LCSC"]
    for values in rows.values():
        assert (best <= values + 1e-6).all()
        assert (worst >= values - 1e-6).all()
    assert np.allclose(best, rows["SC, Wu–Palmer"])
    assert (rows["SC, path"][1:] > best[1:] + 1).any()


def test_prevailing(found):
    assert found.records.prevailing == found.records.counts.max() / 30162
    assert all(part.prevailing >= found.records.prevailing for part in found.parts)


def test_page_is_what_the_script_writes(found):
    assert script.table(found.rows, found.parts) in PAGE.read_text(encoding="utf-8")
