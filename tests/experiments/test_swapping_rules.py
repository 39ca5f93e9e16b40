from __future__ import annotations

import polars as pl
import pytest

import ontomask as om
from experiments.shared.findings import Spread
from experiments.shared.perturbation import Measured
from experiments.swapping.swapping_rules import (
    BY_CHANCE,
    DISTRIBUTIONAL,
    FIRST,
    KS,
    PRINTED,
    R_MEASURES,
    RULES,
    SECOND,
    TABLES,
    THIRD,
    WORDS,
    judged,
    original,
)


def _rule(text: str):
    (rule,) = [rule for rule in RULES if rule.text.startswith(text)]
    return rule


def _with(of, changed):
    """The published tables with other figures of some methods at some k, and a spread of 0.01."""
    found = {}
    for case, measured in R_MEASURES.items():
        figures = {key: Spread(spread.mean, 0.01, 3) for key, spread in measured.figures.items()}
        if case in changed:
            figures[of] = Spread(changed[case], 0.01, 3)
        found[case] = Measured(figures, {})
    return found


def test_tables_are_as_published():
    # sdCor is printed beside its change, so that slips of the pen show.
    for table in TABLES.values():
        for k in KS:
            assert table["sdcor", "AB"][k] + table["sdcor_change", "AB"][k] == pytest.approx(0.4595, abs=1e-9)


def test_published_tables_meet_the_rules():
    verdicts = [conclusion.verdict(PRINTED) for conclusion in judged({}, KS[:2], ["because"] * len(RULES))]
    # The paper prints no figures of the baselines that ignore meaning.
    assert verdicts.count("—") == 9
    assert all(verdict.startswith(("found", "—")) for verdict in verdicts)
    assert verdicts[1] == "found (30 of 30)"


def test_significantly_is_beyond_the_spread():
    rule = _rule("Algorithms 2 and 3 have a significantly smaller RMSE")
    assert all(rule.holds(_with(("rmse", "A"), {}), KS))
    near = _with(("rmse", "A"), {(THIRD, 2): 0.4558 - 0.019})
    assert rule.holds(near, KS).count(False) == 1
    assert all(rule.holds(_with(("rmse", "A"), {(THIRD, 2): 0.4558 - 0.021}), KS))


def test_drastically_is_the_smallest_published_lead():
    assert "23 % of the RMSE and 13 % of the change" in WORDS
    rule = _rule("Algorithms 2 and 3 drastically improve the RMSE compared with Algorithm 1")
    assert all(rule.holds(R_MEASURES, KS))
    assert rule.holds(_with(("rmse", "A"), {(THIRD, 100): 0.4657}), KS).count(False) == 1
    sdcor = _rule("Algorithms 2 and 3 drastically improve sdCor compared with Algorithm 1")
    assert sdcor.holds(_with(("sdcor_change", "AB"), {(SECOND, 100): 0.1796}), KS).count(False) == 1


def test_lag_of_the_first_algorithm():
    rule = _rule("Algorithm 1 preserves sdCor poorly")
    assert all(rule.holds(R_MEASURES, KS))
    # It lags behind both others more at k = 5 than at k = 2.
    assert rule.holds(_with(("sdcor_change", "AB"), {(FIRST, 2): 0.1700}), KS).count(False) == 2


def test_swapping_without_meanings():
    measures = {
        **R_MEASURES,
        (BY_CHANCE, None): R_MEASURES[FIRST, 100],
        **{(DISTRIBUTIONAL, k): R_MEASURES[SECOND, k] for k in KS},
    }
    largest = _rule("data swapping has the largest RMSE").holds(measures, KS)
    # The first algorithm at k = 100 has as much.
    assert (len(largest), largest.count(False)) == (48, 2)
    assert not any(_rule("distributional rank swapping competes").holds(measures, KS))
    assert all(_rule("so Algorithm 1 offers little benefit").holds(measures, KS))
    keeps = _rule("but Algorithm 1 preserves sdCor significantly better").holds(measures, KS)
    # Better than chance, where the spread is 0, below k = 100; never better than the second algorithm.
    assert (len(keeps), sum(keeps)) == (12, 5)


def test_what_is_lost_of_the_correlation():
    kept, broken = _rule("Algorithm 3 largely preserves"), _rule("the baselines that ignore meaning destroy")
    assert kept.holds(R_MEASURES, KS) == [True] * 4
    # 0.15 of 0.15 + 0.416 is more than a quarter; k = 100 is no typical range.
    more = _with(("sdcor_change", "AB"), {(THIRD, 20): 0.15, (THIRD, 100): 0.4})
    assert kept.holds(more, KS) == [True, True, True, False]
    chance = Measured({("sdcor", "AB"): Spread(0.08, 0.0, 1), ("sdcor_change", "AB"): Spread(0.3, 0.0, 1)}, {})
    by_frequency = {(DISTRIBUTIONAL, k): R_MEASURES[FIRST, k] for k in KS}
    assert broken.holds({(BY_CHANCE, None): chance, **by_frequency}, KS) == [True, *[False] * 4]


def test_means_and_variances():
    exact = _rule("means and variances are exactly")
    assert exact.holds(_with(("mean_shift", "A"), {(SECOND, 5): 0.1}), KS).count(False) == 1


def test_features_of_the_original():
    taxonomy = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    symptom = om.Nominal(taxonomy)
    frame = pl.DataFrame({"first": ["ache", "ache", "colic"], "second": ["colic", "colic", "ache"]})
    data = om.Microdata(frame, {"first": symptom, "second": symptom})
    found = {(row["measure"], row["columns"]): row["mean"] for row in original("here", data)}
    assert (found["records", ""], found["distinct tuples", ""], found["unique tuples", ""]) == (3, 2, 1)
    assert (found["distinct values", "A"], found["fewest records of a tuple", ""]) == (2, 1)
    assert found["sdcor", "AB"] == pytest.approx(1)
