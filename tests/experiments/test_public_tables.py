from __future__ import annotations

import numpy as np
import pytest

import ontomask as om
from experiments.beyond.means import Gain
from experiments.beyond.swapping import repeated
from experiments.shared.findings import Setting
from experiments.shared.samples import draw, public_tables, under


def test_samples_are_records_of_the_table():
    adult = public_tables(Setting())["Adult"]
    sample = draw(adult, 100, seed=1)
    assert len(sample) == 100
    assert set(sample.frame.rows()) <= set(adult.frame.select(sample.frame.columns).rows())
    assert sample.frame.equals(draw(adult, 100, seed=1).frame)
    assert not sample.frame.equals(draw(adult, 100, seed=2).frame)


def test_the_same_records_under_another_distance():
    sample = draw(public_tables(Setting())["Adult"], 50, seed=0)
    other = under(sample, "path")
    assert other.frame.equals(sample.frame)
    assert {column.distance.name for column in other.quasi_identifiers.values()} == {"path"}


def test_tuples_are_repeated_equally_often():
    data = repeated(public_tables(Setting())["Adult"], copies=5, size=100, seed=0)
    assert data.table.counts.tolist() == [5] * 20


def test_gain_of_the_exact_mean():
    # c is a kind of x and of y, two links from a and from b; whatever lies between these and their LCS is farther.
    links = [("x1", "z"), ("y1", "z"), ("x", "x1"), ("y", "y1"), ("a", "x"), ("b", "y"), ("c", "x"), ("c", "y")]
    d = om.distance("path", om.Taxonomy.from_edges(links))
    assert om.semantic_mean(["a", "b"], d) == "c"
    exact, between, other = d("c", "a") + d("c", "b"), d("a", "z") + d("b", "z"), d("a", "x")
    gain = Gain.of([np.array(["a", "b"]), np.array(["a", "a"]), np.array(["a", "x"])], d)
    # Of the two groups with several values one gains; sums are over both.
    assert gain.better == 1 / 2
    assert gain.greatest == pytest.approx(1 - exact / between)
    assert gain.share == pytest.approx(1 - (exact + other) / (between + other))
    assert Gain.of([np.array(["a", "a"])], d) == Gain(0, 0, 0)
