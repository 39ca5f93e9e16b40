"""The weight of a column: what counts more is changed less, in every method that compares columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import ontomask as om

from support.families import all_examples

EDGES = [("ache", "pain"), ("colic", "pain"), ("lumbago", "ache"), ("migraine", "ache"), ("rash", "symptom")]
EDGES += [("pain", "symptom"), ("inflammation", "symptom"), ("gastritis", "inflammation"), ("colitis", "inflammation")]
TAXONOMY = om.Taxonomy.from_edges(EDGES)
VALUES = ["ache", "colic", "lumbago", "migraine", "gastritis", "colitis", "rash"]
NAMES = ("now", "then")

WEIGHING = [method for method in all_examples() if method.weighs_columns]
OTHERS = [method for method in all_examples() if not method.weighs_columns]


def visits(*weights):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({name: [VALUES[i] for i in rng.integers(0, 7, 80)] for name in NAMES})
    kinds = {n: om.Nominal(TAXONOMY, domain="symptom", weight=w) for n, w in zip(NAMES, weights, strict=True)}
    return om.Microdata(frame, kinds)


def moved(method, *weights):
    """How far values move in each column. Records that are left out count 1 in both."""
    result = method.mask(visits(*weights), seed=1)
    score = om.evaluate(visits(1, 1), result.data, attacks=False)
    lost = score.utility.suppressed / 80
    return [np.sqrt((1 - lost) * score.rmse[name] ** 2 + lost) for name in NAMES]


def codes(result):
    return [note.code for note in result.notes]


@pytest.mark.parametrize("method", WEIGHING, ids=repr)
def test_a_column_that_counts_more_is_changed_less(method):
    first, second = moved(method, 8, 1), moved(method, 1, 8)
    assert first[0] < second[0]
    assert second[1] < first[1]


@pytest.mark.parametrize("method", all_examples(), ids=repr)
def test_only_the_ratio_of_weights_matters(method):
    released = [method.mask(visits(*weights), seed=1).frame for weights in ((1, 1), (2, 2))]
    assert released[0].equals(released[1])


@pytest.mark.parametrize("method", OTHERS, ids=repr)
def test_methods_that_do_not_compare_columns_ignore_weights_and_say_so(method):
    results = [method.mask(visits(*weights), seed=1) for weights in ((8, 1), (1, 8), (1, 1))]
    assert results[0].frame.equals(results[1].frame)
    assert [codes(result).count("weights-ignored") for result in results] == [1, 1, 0]


@pytest.mark.parametrize("method", WEIGHING, ids=repr)
def test_methods_that_compare_columns_say_nothing_of_it(method):
    assert "weights-ignored" not in codes(method.mask(visits(8, 1), seed=1))


def test_measures_count_columns_by_their_weight():
    before = visits(1, 1).frame
    released = before.assign(now=["ache"] * 80)
    losses = [om.evaluate(visits(*weights), released, attacks=False).semantic_loss for weights in ((1, 1), (3, 1))]
    # Only 'now' has changed, and counts 1/2 and 3/4.
    assert losses[1] == pytest.approx(1.5 * losses[0])
    linked = [om.evaluate(visits(*weights), released, attacks=False).srl for weights in ((1, 1), (3, 1))]
    exact = om.evaluate(visits(1, 1), before, attacks=False).srl
    assert max(linked) <= exact


def test_linkage_weighs_columns():
    kinds = [{"a": om.Numeric(weight=w), "b": om.Numeric(weight=1)} for w in (1.0, 10.0)]
    frame = pd.DataFrame({"a": [0.0, 1.0, 10.0], "b": [0.0, 3.0, 10.0]})
    # The first record is released nearer to itself in 'a', and nearer to the second one in 'b'.
    released = pd.DataFrame({"a": [0.0, 0.9, 10.0], "b": [2.0, 0.0, 10.0]})
    risks = [om.evaluate(om.Microdata(frame, kind), released, attacks=False).linkage.risk["srl"][0] for kind in kinds]
    assert risks == [0.0, 1.0]
