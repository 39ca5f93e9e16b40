"""Figures that depend on what was drawn are rounded in everything that is shared, so that they do not show the seed."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

import ontomask as om
from ontomask.base.text import rounded
from ontomask.masking.noise import UncorrelatedNoise
from ontomask.report import build_report

TAXONOMY = om.Taxonomy.from_edges(
    [(f"c{i}", f"b{i % 5}") for i in range(25)]
    + [(f"b{i}", f"a{i % 2}") for i in range(5)]
    + [("a0", "r"), ("a1", "r")]
)
# Figures that the released table shows anyway, or that were set before masking.
PUBLIC = re.compile(
    r"table\.(records|released|suppressed|dropped|persons)|.*\.distinct$|guarantee\.(k|sizes\..*)|mapping\.|distributions\."
    r"|exposure\.rows\.\d+\.row$|comparison\.methods\.\d+\.(runs|failed|columns)"
)


def microdata(n=4000):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: [f"c{i}" for i in rng.integers(0, 25, n)] for name in ("first", "then")})
    frame["cost"] = rng.integers(0, 50, n)
    return om.Microdata(frame, {c: om.Nominal(TAXONOMY) for c in ("first", "then")}, confidential=["cost"])


def numbers(content, path=""):
    """Every number in a document, with where it stands."""
    if isinstance(content, dict):
        for key, value in content.items():
            yield from numbers(value, f"{path}.{key}" if path else key)
    elif isinstance(content, list):
        for i, value in enumerate(content):
            yield from numbers(value, f"{path}.{i}")
    elif isinstance(content, (int, float)) and not isinstance(content, bool):
        yield path, content


def report_of(data, method, seed, **options):
    result = method.mask(data, seed=seed)
    return build_report(data, result, om.evaluate(data, result), **options)


METHODS = [
    UncorrelatedNoise(0.5),
    om.CorrelatedNoise(0.5),
    om.RankSwapping(k=7),
    om.Microaggregation(k=11),
    om.PRAM(stay=0.3),
]


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_no_shared_figure_has_more_than_three_digits(method):
    data = microdata()
    compared = om.compare(data, [om.PRAM(stay=0.3)], seeds=2, jobs=1)
    report = report_of(data, method, 2**80, comparison=compared, exposed=True)
    document = json.loads(report.to_json())
    assert all(
        value == rounded(value) or PUBLIC.match(path) or measure_of(document, path) in ("k", "suppressed", "distinct l")
        for path, value in numbers(document)
    ), [(path, value) for path, value in numbers(document) if value != rounded(value) and not PUBLIC.match(path)]
    # In sentences of every form: numbers with a fraction have three digits, those of axes and positions aside.
    for line in report.to_text().splitlines():
        for found in re.findall(r"\d+\.\d+", line.split("made with")[0]):
            assert len(found.replace(".", "").lstrip("0").rstrip("0")) <= 3, line


def measure_of(document, path):
    index = re.match(r"measures\.(\d+)\.", path)
    return document["measures"][int(index[1])]["name"] if index else None


def test_shared_figures_do_not_tell_seeds_apart():
    data, method = microdata(), UncorrelatedNoise(0.5)
    exact, shared = [], []
    for seed in range(60):
        result = method.mask(data, seed=seed)
        exact.append(result.details["columns"]["first"]["target_rmse"])
        shared.append(rounded(exact[-1]))
    # The figure of the draw finds the seed; in the report it leaves many.
    assert len(set(exact)) == 60
    assert len(set(shared)) < 20


def test_reports_do_not_say_that_a_seed_was_weak():
    data, method = microdata(200), om.PRAM(stay=0.3)
    result = method.mask(data, seed=5)
    assert [note.code for note in result.notes if hasattr(note, "code")] == ["weak-seed"]
    report = build_report(data, result, om.evaluate(data, result))
    assert report.notes == ()
    for form in (report.to_html(), report.to_json(), report.to_text()):
        assert "2⁶⁴" not in form
    # Who has the objects keeps every digit.
    score = om.evaluate(data, result)
    assert score.to_dict()["measures"][0]["value"] == score.semantic_loss != rounded(score.semantic_loss)


def test_rounding():
    assert [rounded(x) for x in (0, -12345, 0.00123456, 999.9, 2.0)] == [0, -12300, 0.00123, 1000.0, 2.0]
    assert isinstance(rounded(12345), int)
    assert np.isnan(rounded(float("nan")))
    assert rounded(float("inf")) == float("inf")


def test_counts_in_what_swapping_says_of_itself_are_rounded():
    told = om.RankSwapping(k=7, interval="unswapped").mask(microdata(), seed=2**64).guarantee.text.values
    assert all(told[name] == rounded(told[name]) for name in ("matches", "right"))
