from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "experiments" / "centroid_strategies.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("centroid_strategies", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def run(script):
    records = script.read_records()
    parts = script.clusters(records)
    return records, parts, script.measure(records, parts)


def test_clusters_share_out_the_records(run):
    records, parts, _ = run
    assert (len(records.counts), records.counts.sum()) == (394, 30162)
    assert len(parts) == 7
    tuples = [pair for part in parts for pair in zip(*part.columns, strict=True)]
    assert sorted(tuples) == list(zip(*records.columns, strict=True))
    assert sum(part.counts.sum() for part in parts) == 30162


def test_clusters_are_wards(script, run):
    # The same by definition: at each step the merger that adds least to the pairwise sum of squares within clusters.
    records = run[0].take(np.arange(0, 394, 20))
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
    found = {frozenset(zip(*part.columns, strict=True)) for part in script.clusters(records)}
    assert found == {frozenset(zip(*records.take(np.array(group)).columns, strict=True)) for group in groups}


def test_conclusions_of_the_thesis(run):
    rows = {name: np.array(values) for name, values in run[2].items()}
    best, worst = rows["SC, LogSC"], rows["LCSC"]
    for values in rows.values():
        assert (best <= values + 1e-6).all()
        assert (worst >= values - 1e-6).all()
    assert np.allclose(best, rows["SC, Wu–Palmer"])
    assert (rows["SC, path"][1:] > best[1:] + 1).any()


def test_page_is_what_the_script_writes(script, run):
    assert script.PAGE.read_text(encoding="utf-8") == script.report(*run) + "\n"
