from __future__ import annotations

from importlib import import_module
from math import exp, isnan, log, nan

import polars as pl
import pytest

import ontomask as om
from experiments.beyond.answer import difference, row
from experiments.beyond.beyond_the_papers import NAME, QUESTIONS, run
from experiments.beyond.distances import _beside_own
from experiments.beyond.frontier import (
    DEPENDENCE,
    FAMILIES,
    LOSS,
    REFERENCE,
    RISK,
    _at_equal_risk,
    _times_reference,
    family,
    level,
    methods,
)
from experiments.beyond.swapping import AS_DRAWN, INTRUDERS, _broken
from experiments.shared.findings import DOCS, Setting, Spread, interpolate, write


def test_a_curve_between_its_points():
    curve = [(4.0, 10.0), (0.0, 0.0), (2.0, 4.0)]
    assert interpolate(curve, 1) == 2
    assert interpolate(curve, 3) == 7
    assert interpolate(curve, 4) == 10
    assert isnan(interpolate(curve, -0.1))
    assert isnan(interpolate(curve, 4.1))


def test_spreads_are_over_all_samples_or_not_known():
    assert isnan(Spread.of([1.0, nan]).mean)
    assert difference(Spread(-0.5, 0.25, 5), 2) == "-0.50 ± 0.25"
    assert difference(Spread.of([nan]), 2) == "—"
    assert row("q", "here", "m", "srl", [1.0, 3.0], k=2) == row("q", "here", "m", "srl", Spread.of([1.0, 3.0]), k=2)


def test_measures_are_averaged_over_the_same_yardsticks():
    found = {
        ("here", "m", masker, judge, "srl"): values
        for masker, judge, values in (
            ("a", "a", [2.0, 4.0]),
            ("a", "b", [3.0, 3.0]),
            ("b", "b", [1.0, 2.0]),
            ("c", "a", [4.0, 4.0]),
            ("c", "b", [1.0, 1.0]),
        )
    }
    # Its own is 1; b is 3 / 1 and 3 / 2 of b's own.
    assert _beside_own(found, "here", "m", "a", ["a", "b"], "srl") == Spread.of([(1 + 3) / 2, (1 + 3 / 2) / 2])
    assert _beside_own(found, "here", "m", "c", ["a", "b"], "srl") == Spread.of([(2 + 1) / 2, (1 + 1 / 2) / 2])


def test_every_method_is_tried_and_named():
    tried = methods(Setting(), 5000)
    assert [family(repr(method)) for method in tried] == [
        name for name, (_, _, levels) in FAMILIES.items() for _ in levels or [None]
    ]
    public = {getattr(om, name) for name in dir(om) if isinstance(getattr(om, name), type)}
    every = {kind for kind in public if issubclass(kind, om.Method)} - {om.Method}
    # Methods with a privacy budget need public domains, and have a page of their own.
    assert {type(method) for method in tried} == every - {om.MetricPrivacy, om.SyntheticRecords}
    assert level("Microaggregation(k=5, variant='sa_mdav')") == "k=5"
    assert level("UncorrelatedNoise(alpha=0.3)") == "α=0.3"
    assert level("DataSwapping()") == ""


def test_a_table_is_left_with_two_groups_at_least():
    assert {m.k for m in methods(Setting(), 100) if isinstance(m, om.Microaggregation)} == {2, 3, 5, 10, 20, 50}
    assert {m.k for m in methods(Setting(quick=True), 100) if isinstance(m, om.Microaggregation)} == {2, 50}


def compared(*rows: tuple[om.Method, float, float]) -> om.Comparison:
    return om.Comparison(
        tuple(
            {"method": repr(method), RISK: risk, LOSS: loss, DEPENDENCE: loss / 100, "error": None}
            for method, risk, loss in rows
        )
    )


def test_losses_are_compared_where_as_many_are_linked():
    one = compared(
        (om.Microaggregation(2), 16.0, 1.0),
        (om.Microaggregation(5), 4.0, 4.0),
        (om.RankSwapping(2), 32.0, 1.0),
        (om.RankSwapping(5), 8.0, 3.0),
        (om.NaiveDistortion(), 0.0, 200.0),
    )
    times = _times_reference([one, one])
    # 8 is halfway between 16 and 4 on a logarithmic scale, and there the loss is halfway between 1 and 4.
    assert times["RankSwapping(k=5)"].mean == pytest.approx(3 / exp((log(1) + log(4)) / 2))
    assert set(times) == {"RankSwapping(k=5)"}
    # And 16 is halfway between 32 and 8.
    equal = _at_equal_risk([one, one])
    assert equal["rank swapping", "k=2"].mean == pytest.approx((0.01 + 0.03) / 2)
    assert set(equal) == {("rank swapping", "k=2"), (REFERENCE, "k=2"), (REFERENCE, "k=5")}


def test_a_method_that_is_beyond_in_one_sample_is_not_compared():
    samples = [
        compared((om.Microaggregation(2), 16.0, 1.0), (om.Microaggregation(5), 4.0, 4.0), (om.PRAM(0.8), risk, 5.0))
        for risk in (8.0, 17.0)
    ]
    assert not _times_reference(samples)
    assert _times_reference(samples[:1])


def test_broken_promises_are_counted():
    spreads = {
        ("here", interval, copies, 2, name): Spread(mean, 0.1, 5)
        for interval in ("records", "unswapped")
        for name in INTRUDERS
        for copies, mean in ((1, 1.05), (5, 1.5), (10, 0.9), (AS_DRAWN, 0.4))
    }
    table = _broken(spreads, ["here"])
    assert table.count("2 of 3 (1); 1.50 (k = 2, 5 copies)") == 4
    assert table.count("0 of 1 (0); 0.40 (k = 2)") == 4


def test_a_quick_page_says_what_it_measured(tmp_path):
    setting = Setting(quick=True)
    findings = run(setting)
    write(NAME, findings, setting, tmp_path)
    page = (tmp_path / f"{NAME}.md").read_text(encoding="utf-8")
    assert page.count("## ") == len(QUESTIONS)
    assert "What we learned" not in page
    for text in ("seeds 0 to 4", "1,000 records", "5,000 records", "diabetes130"):
        assert text not in page
    for part in ("distances", "frontier", "means"):
        assert f"figures/{NAME}_{part}.svg" in page
        assert (tmp_path / "figures" / f"{NAME}_{part}.svg").is_file()
    assert {row["runs"] for row in findings.rows if row["measure"] not in ("milliseconds", "several_parents")} == {2}


def test_the_page_shows_its_results():
    rows = pl.read_csv(DOCS / "results" / f"{NAME}.csv", infer_schema_length=None)
    page = (DOCS / f"{NAME}.md").read_text(encoding="utf-8")
    assert set(rows["question"]) == {
        "choice of distance",
        "measure and noise",
        "frontier",
        "exact mean",
        "rank swapping",
    }
    for part in ("distances", "frontier", "means", "swapping"):
        assert f"**What we learned.** {import_module(f'experiments.beyond.{part}').LEARNED}" in page
    bound = rows.filter(
        question="rank swapping", data="diabetes130", copies=AS_DRAWN, k=50, method="Algorithm 3, published interval"
    )
    both = [bound.filter(measure=name)["mean"].item() for name in INTRUDERS]
    assert f"{both[0]:.2f} ± " in page
    assert f" / {both[1]:.2f} ± " in page


@pytest.mark.parametrize("part", ["", "_distances", "_noise", "_frontier", "_means"])
def test_pictures_are_not_too_large(part):
    assert (DOCS / "figures" / f"{NAME}{part}.svg").stat().st_size < 100_000
