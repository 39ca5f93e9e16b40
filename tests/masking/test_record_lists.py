from __future__ import annotations

import numpy as np
import polars as pl

import ontomask as om
from ontomask.masking.record_lists import ValueRows, far_mates, value_lists
from ontomask.microdata.tuples import Tuples


def lists_of(frame, weights):
    """The second attributes that divide the lists of numeric columns, and those lists."""
    kinds = {name: om.Numeric(weight=weight) for name, weight in zip(frame.columns, weights, strict=True)}
    data = om.Microdata(frame, kinds)
    tuples = Tuples.of(data.table)
    distances = ValueRows(tuples)
    mates = far_mates(tuples, distances)
    return mates.tolist(), value_lists(tuples, distances, mates)


def test_long_lists_are_divided_by_the_attribute_with_the_widest_distances():
    a, b, c = np.meshgrid(np.arange(3), np.arange(3), np.arange(40), indexing="ij")
    mates, lists = lists_of(pl.DataFrame({"a": a.ravel(), "b": b.ravel(), "c": c.ravel()}), (10, 1, 0.01))
    # A value of a and one of b have 40 tuples in common, a value of a and one of c have 3.
    assert mates == [1, 0, -1]
    assert [len(np.unique(run)) for run in lists.run] == [9, 9, 40]


def test_lists_stay_whole_if_their_runs_would_be_small():
    # Every pair is distinct: each run would have one tuple.
    a, b = np.meshgrid(np.arange(20), np.arange(20), indexing="ij")
    mates, lists = lists_of(pl.DataFrame({"a": a.ravel(), "b": b.ravel()}), (1, 1))
    assert mates == [-1, -1]
    assert [len(np.unique(run)) for run in lists.run] == [20, 20]
