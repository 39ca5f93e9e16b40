from __future__ import annotations

from math import isnan

import pytest

import ontomask as om
from experiments.grouping.clinical_verdicts import MICROAGGREGATION, RECODING, RESAMPLING, in_turn
from experiments.grouping.semantic_linkage import COARSE, FINE, case, more
from experiments.grouping.trials import Trials, by_k, by_weight, describe, line, measure, shown, steady, straight
from experiments.shared.findings import Spread
from ontomask.examples import adult_data


def trials(**losses_and_risks: tuple[float, float]) -> Trials:
    """Methods at k = 5 with their L and SRL."""
    return Trials(
        {
            (name, 5): {"loss_percent": Spread.of([loss]), "srl": Spread.of([risk])}
            for name, (loss, risk) in losses_and_risks.items()
        }
    )


def test_the_score_weighs_loss_and_risk():
    found = trials(careful=(8.0, 1.0), keen=(2.0, 5.0))
    assert found.score("careful", 5, 0.25) == 0.25 * 8 + 0.75 * 1
    # Both have 0.4 · 8 + 0.6 · 1 = 0.4 · 2 + 0.6 · 5 at a weight of 0.4.
    assert found.best(["careful", "keen"], 5, 0.3, "srl") == "careful"
    assert found.best(["careful", "keen"], 5, 0.5, "srl") == "keen"
    assert "| here, k = 5 | careful | 1.00 " in by_weight({"here": found}, ["careful"], {"here": 5}, "srl")


def test_spreads_are_shown_where_they_can_be_seen():
    assert shown(Spread.of([1.0, 3.0])) == "2.00 ± 1.41"
    assert shown(Spread(1234.5, 0.004, 2)) == "1,234.50"
    assert shown(Spread(1234.5, 0.4, 2), 0) == "1,234"
    assert shown(Spread.of([float("nan")])) == "—"


def test_tables_are_told_as_they_are_there():
    assert describe(["Adult"]) == "Adult's occupation × native-country over WordNet 3.0"
    assert describe(["Adult", "diabetes130"]).endswith(" and diabetes130's first two diagnoses over ICD-9-CM")


def test_lines_and_logarithms():
    assert straight([1, 2, 4, 8], [3, 5, 9, 17])
    assert not straight([1, 2, 4, 8], [0, 1, 2, 3])


def test_bands_are_drawn_where_they_can_be_seen():
    narrow, wide = (line("one", [2, 3], [Spread(1.0, 0.0, 3), Spread(2.0, sd, 3)], 0) for sd in (0.09, 0.11))
    assert (narrow.low, narrow.high) == (None, None)
    assert list(wide.low) == [1.0, 1.89]


def test_what_is_almost_constant():
    assert steady([2.0, 2.9])
    assert not steady([2.0, 3.0])
    assert not steady([2.0, 2.9], 1.1)


def test_methods_are_measured_as_evaluate_does():
    data = adult_data()
    found = measure({0: data, 1: data}, {"one": om.Recoding}, (50, 100))
    score = [om.evaluate(data, om.Recoding(50).mask(data, seed=seed)) for seed in (0, 1)]
    assert found("sse", "one", 50) == pytest.approx((score[0].sse + score[1].sse) / 2)
    assert found("score_rl", "one", 50) == pytest.approx((score[0].score(risk="rl") + score[1].score(risk="rl")) / 2)
    assert found.figures["one", 50]["seconds"].runs == 1
    table = by_k({"Adult": found}, ["one"], "k", 0, [["published", "one", "1", "2"]]).splitlines()
    assert [cell.strip() for cell in table[0].split("|")[1:-1]] == ["", "", "k = 50", "k = 100"]
    assert [cell.strip() for cell in table[2].split("|")[1:-1]] == ["published", "one", "1", "2"]


def test_methods_take_turns_as_the_weight_of_the_loss_grows():
    assert all(in_turn([RESAMPLING, RECODING, RECODING, MICROAGGREGATION]))
    assert in_turn([RESAMPLING, RESAMPLING, MICROAGGREGATION]) == [True, False, False, True, True]


def test_the_coarse_hierarchy_is_the_fine_one_without_its_first_level():
    one = case(adult_data(), (0, 1), 100)
    assert [len(data) for data in one.tables.values()] == [100, 100]
    for column, fine in one.hierarchies[FINE].items():
        coarse = one.hierarchies[COARSE][column]
        assert (fine.height, coarse.height) == (3, 2)
        assert coarse.labels(1) == fine.labels(2)


def test_what_meaning_links_more():
    assert more({(FINE, 5, "log_sc"): Spread.of([3.0]), (FINE, 5, "mrl"): Spread.of([2.0])}, FINE, 5) == 0.5
    assert isnan(more({(FINE, 5, "log_sc"): Spread.of([3.0]), (FINE, 5, "mrl"): Spread.of([0.0])}, FINE, 5))
