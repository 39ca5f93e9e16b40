"""Advice: Rodriguez-Garcia 2017, Table 9; the conclusions of Martínez 2012, section 9.2.3; and measurements."""

from __future__ import annotations

import sys

import pandas as pd
import pytest

import ontomask as om
from ontomask.comparison.compare import MEASURES
from ontomask.errors import MaskingError

from support.errors import raises

SYMPTOMS = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("fever", "symptom")])
DRUGS = om.Taxonomy.from_edges([("aspirin", "drug"), ("codeine", "drug")])


def table(*kinds):
    """Columns of symptoms (s), drugs (d) or numbers (n)."""
    cells = {"s": ["ache", "colic", "fever"], "d": ["aspirin", "codeine", "aspirin"], "n": [1, 2, 3]}
    attributes = {
        "s": om.Nominal(SYMPTOMS, domain="symptom"),
        "d": om.Nominal(DRUGS, domain="drug"),
        "n": om.Numeric(),
    }
    frame = pd.DataFrame({f"{kind}{i}": cells[kind] * 20 for i, kind in enumerate(kinds)})
    return om.Microdata(frame, {f"{kind}{i}": attributes[kind] for i, kind in enumerate(kinds)})


@pytest.mark.parametrize(
    ("columns", "keep", "expected"),
    [
        ("s", "mean", om.UncorrelatedNoise(0.3)),
        ("ss", "mean", om.CorrelatedNoise(0.3, reference="mean")),
        ("ss", "correlation", om.CorrelatedNoise(0.3, reference="pair")),
        ("sd", "mean", om.CorrelatedNoise(0.3, reference="mean")),
        ("sd", "correlation", om.CorrelatedNoise(0.3, reference="root")),
        ("ssd", "mean", om.CorrelatedNoise(0.3, reference="mean")),
        ("sss", "correlation", om.CorrelatedNoise(0.3, reference="root")),
    ],
)
def test_table_9_of_the_noise_framework(columns, keep, expected):
    advice = om.advise(table(*columns), guarantee=False, keep=keep)
    assert repr(advice.method) == repr(expected)
    assert advice.reasons[0].values["source"] == "Rodriguez-Garcia 2017, Table 9"
    doubted = ["root-doubted"] if getattr(expected, "reference", "") == "root" else []
    assert [note.code for note in advice.cautions] == ["no-guarantee", *doubted]
    assert not advice.measured


def test_a_stream_is_masked_by_noise():
    assert isinstance(om.advise(table("s"), guarantee=False, stream=True).method, om.UncorrelatedNoise)
    assert isinstance(
        om.advise(table("s", "s"), guarantee=False, keep="frequencies", stream=True).method, om.CorrelatedNoise
    )


def test_the_root_is_no_reference_where_all_lie_equally_far_from_it():
    kind = om.Nominal(SYMPTOMS, {"name": "wu_palmer", "root_depth": 0}, domain="symptom")
    frame = pd.DataFrame({name: ["ache", "colic", "fever"] for name in "abc"})
    data = om.Microdata(frame, dict.fromkeys("abc", kind))
    advice = om.advise(data, guarantee=False, keep="correlation")
    assert repr(advice.method) == repr(om.CorrelatedNoise(0.3, reference="mean"))


@pytest.mark.parametrize("columns", ["s", "ss", "sn"])
def test_swapping_keeps_frequencies_and_masks_numbers(columns):
    advice = om.advise(table(*columns), guarantee=False, keep="frequencies", k=7)
    assert repr(advice.method) == repr(om.RankSwapping(7, algorithm=3))
    assert [note.code for note in advice.cautions] == ["no-guarantee", "little-changed"]


@pytest.mark.parametrize(
    ("keep", "k", "weight", "expected"),
    [
        ("meaning", 3, 0.5, om.Microaggregation),
        ("meaning", 50, 0.5, om.Microaggregation),
        ("distribution", 5, 0.5, om.Recoding),
        ("distribution", 50, 0.5, om.Recoding),
        # Fig. 40: an even balance
        ("balance", 2, 0.5, om.Recoding),
        ("balance", 5, 0.5, om.Recoding),
        ("balance", 6, 0.5, om.Microaggregation),
        ("balance", 15, 0.5, om.Microaggregation),
        # Fig. 41: k = 7, the weight of the loss from 0 to 1
        ("balance", 7, 0.0, om.Resampling),
        ("balance", 7, 0.2, om.Recoding),
        ("balance", 7, 0.8, om.Microaggregation),
        ("balance", 7, 1.0, om.Microaggregation),
    ],
)
def test_conclusions_of_the_thesis(keep, k, weight, expected):
    advice = om.advise(table("s", "d"), guarantee=True, keep=keep, k=k, weight=weight)
    assert type(advice.method) is expected
    assert advice.method.k == k
    assert "Martínez 2012" in advice.reasons[0].values["source"]


def test_resampling_is_for_tables_too_large_for_the_others(monkeypatch):
    monkeypatch.setattr(sys.modules["ontomask.comparison.advice"], "_TOO_MANY_TUPLES", 2)
    assert isinstance(om.advise(table("s"), guarantee=True).method, om.Resampling)


def measured(rows):
    blank = dict.fromkeys(MEASURES)
    methods = tuple(method for method, *_ in rows)
    found = []
    for method, k, loss, srl, mean in rows:
        figures = {"k": k, "loss_percent": loss, "srl": srl / 2, "worst": srl, "mean_shift": mean}
        found.append(blank | figures | {"method": repr(method), "family": "", "seed": 0, "error": None})
    return om.Comparison(tuple(found), methods)


def test_what_was_measured_decides():
    comparison = measured(
        [
            (om.Recoding(5), 5, 10.0, 3.0, 0.2),
            (om.Microaggregation(5), 5, 4.0, 9.0, 0.1),
            (om.Recoding(2), 2, 1.0, 20.0, 0.0),
        ]
    )
    data = table("s", "d")
    meaning = om.advise(data, guarantee=True, k=5, comparison=comparison)
    assert meaning.method == om.Microaggregation(5)
    assert meaning.measured
    assert meaning.reasons[1].values["method"] == "the same"
    balance = om.advise(data, guarantee=True, keep="balance", k=5, weight=0.8, comparison=comparison)
    assert balance.method == om.Microaggregation(5)  # 0.8·4 + 0.2·9 = 5 against 8.6
    risk = om.advise(data, guarantee=True, keep="balance", k=5, weight=0.1, comparison=comparison)
    assert risk.method == om.Recoding(5)  # 0.1·10 + 0.9·3 = 3.7 against 8.5
    assert om.advise(data, guarantee=True, k=2, comparison=comparison).method == om.Recoding(2)
    advice = om.advise(data, guarantee=True, k=2, comparison=comparison)
    assert (advice.reasons[0].code, advice.reasons[1].code) == ("least-measured", "earlier-results")
    assert advice.reasons[1].values["method"] == "Microaggregation(k=2) instead"


def test_nothing_measured_reaches_k():
    comparison = measured([(om.Recoding(2), 2, 1.0, 1.0, 0.0)])
    advice = om.advise(table("s"), guarantee=True, k=5, comparison=comparison)
    assert not advice.measured
    assert (advice.cautions[-1].code, advice.cautions[-1].values["k"]) == ("none-suited", 5)
    assert "not measured" in str(advice)


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"guarantee": True, "keep": "variance"}, "keep"),
        ({"guarantee": True, "weight": 2}, "weight"),
        ({"guarantee": False, "keep": "truth", "stream": True}, "keep"),
    ],
)
def test_what_cannot_be_advised_is_an_error(options, parameter):
    with raises(MaskingError, parameter=parameter):
        om.advise(table("s"), **options)


@pytest.mark.parametrize("guarantee", [True, False])
def test_true_cells_are_generalised(guarantee):
    advice = om.advise(table("s", "n"), guarantee=guarantee, keep="truth", k=7)
    assert advice.method == om.Generalisation(7)
    assert (advice.reasons[0].code, advice.cautions[0].code) == ("keeps-truth", "truth-is-linked")


def test_true_cells_and_requirements_need_common_subsumers():
    advice = om.advise(diverse(), guarantee=True, keep="truth", k=2, require=REQUIRED)
    assert advice.method == om.Microaggregation(2, require=REQUIRED, centroid="lcs")
    assert advice.method.is_truthful
    assert advice.cautions[0].code == "without-requirements"


def test_only_methods_with_true_cells_are_measured_against_each_other():
    true = om.Suppression(5, mode="cells")
    comparison = measured([(om.Microaggregation(5), 5, 1.0, 1.0, 0.0), (true, 5, 10.0, 3.0, 0.2)])
    advice = om.advise(table("s", "d"), guarantee=True, keep="truth", comparison=comparison)
    assert advice.method is true
    assert advice.reasons[0].values["methods"] == 1


def test_a_stream_with_a_guarantee_is_masked_by_metric_privacy():
    advice = om.advise(table("s", "d"), guarantee=True, stream=True)
    assert advice.method == om.MetricPrivacy()
    assert advice.reasons[0].code == "private-stream"
    assert [caution.code for caution in advice.cautions] == ["not-k-anonymity", "costs-much"]


def test_a_stream_of_numbers_is_masked_by_metric_privacy_on_a_public_grid():
    with raises(MaskingError, column="n1"):
        om.advise(table("s", "n"), guarantee=False, stream=True)
    data = om.Microdata(pd.DataFrame({"n": [1, 2, 3] * 5}), {"n": om.Numeric(grid=[0, 10, 1])})
    advice = om.advise(data, guarantee=False, stream=True)
    assert advice.method == om.MetricPrivacy()
    assert advice.cautions[0].code == "costs-much"


def test_a_stream_with_a_guarantee_is_not_masked_with_a_seed_or_without_a_guarantee():
    noise, seeded, private = om.UncorrelatedNoise(0.3), om.MetricPrivacy(8, unsafe_seed=True), om.MetricPrivacy(2)
    rows = [(noise, 1, 1.0, 1.0, 0.0), (seeded, 1, 2.0, 1.0, 0.0), (private, 1, 10.0, 3.0, 0.2)]
    advice = om.advise(table("s"), guarantee=True, stream=True, comparison=measured(rows))
    assert advice.method is private


def test_what_reached_k_by_chance_guarantees_nothing():
    comparison = measured([(om.PRAM(), 9, 1.0, 1.0, 0.0), (om.Recoding(5), 5, 10.0, 3.0, 0.2)])
    data = table("s", "d")
    assert om.advise(data, guarantee=True, k=5, comparison=comparison).method == om.Recoding(5)
    assert om.advise(data, guarantee=False, comparison=comparison).method is comparison.methods[0]


def test_a_stream_is_not_masked_by_what_needs_the_whole_table():
    noise = om.UncorrelatedNoise(0.3)
    comparison = measured([(om.Recoding(5), 5, 1.0, 1.0, 0.0), (noise, 1, 10.0, 3.0, 0.2)])
    assert om.advise(table("s"), guarantee=False, stream=True, comparison=comparison).method is noise


def test_what_was_not_measured_is_said():
    comparison = measured([(om.Recoding(5), 5, 1.0, 1.0, 0.0)])
    advice = om.advise(table("s"), guarantee=True, keep="correlation", comparison=comparison)
    assert not advice.measured
    assert (advice.cautions[-1].code, advice.cautions[-1].values["measure"]) == (
        "measure-missing",
        MEASURES["sdcor_difference"],
    )


@pytest.mark.parametrize("keep", ["meaning", "balance"])
def test_what_no_paper_measured_of_noise_is_said(keep):
    caution = om.advise(table("s", "d"), guarantee=False, keep=keep).cautions[1]
    assert (caution.code, caution.values["keep"]) == ("not-published", keep)


def test_what_cannot_mask_the_data_is_not_recommended():
    data = om.Microdata(pd.DataFrame({"age": [30, 31, 40, 41]}), {"age": om.Numeric()})
    with pytest.raises(MaskingError) as caught:
        om.advise(data, guarantee=True, keep="meaning", k=9)
    assert caught.value.parameter == "k"
    assert om.advise(data, guarantee=True, keep="meaning", k=4).method.mask(data, seed=0).guarantee.k == 4


def diverse():
    """Symptoms of eight persons, and illnesses of which equal symptoms have one only."""
    frame = pd.DataFrame(
        {"symptom": ["ache", "ache", "colic", "colic"] * 2, "illness": ["flu", "flu", "gout", "gout"] * 2}
    )
    return om.Microdata(frame, {"symptom": om.Nominal(SYMPTOMS, domain="symptom")}, confidential=["illness"])


REQUIRED = [om.Diversity("illness", 2)]


@pytest.mark.parametrize("guarantee", [True, False])
@pytest.mark.parametrize("keep", ["meaning", "distribution", "balance"])
def test_what_is_required_is_seen_to(guarantee, keep):
    advice = om.advise(diverse(), guarantee=guarantee, keep=keep, k=2, require=REQUIRED)
    assert advice.method == om.Microaggregation(2, require=REQUIRED)
    assert advice.reasons[0].code == "enforces-requirements"
    assert advice.reasons[0].values["asked"] == REQUIRED[0].text
    assert advice.method.mask(diverse(), seed=0).guarantee.also
    plain = om.advise(diverse(), guarantee=guarantee, keep=keep, k=2).method
    if not isinstance(plain, om.Microaggregation):
        assert advice.cautions[0].code == "without-requirements"
        assert advice.cautions[0].values["method"] == repr(plain)


def test_what_was_measured_must_have_what_is_required():
    data = diverse()
    methods = [
        om.Microaggregation(2),
        om.Recoding(2, require=REQUIRED),  # leaves the groups as they are, so that it fails
        om.Microaggregation(2, require=REQUIRED),
    ]
    comparison = om.compare(data, methods, seeds=1, jobs=1)
    assert comparison.summary()["failed"].to_list() == [0, 1, 0]
    advice = om.advise(data, guarantee=True, k=2, require=REQUIRED, comparison=comparison)
    assert advice.method is methods[2]
    assert advice.measured
    assert (advice.reasons[0].code, advice.reasons[0].values["methods"]) == ("least-measured", 1)
    alone = om.compare(data, methods[:2], seeds=1, jobs=1)
    unmeasured = om.advise(data, guarantee=True, k=2, require=REQUIRED, comparison=alone)
    assert (unmeasured.method, unmeasured.measured) == (methods[2], False)
    assert unmeasured.cautions[-1].code == "none-suited"


def test_what_only_checks_what_is_required_is_said():
    whole = om.Recoding(8, require=REQUIRED)
    advice = om.advise(
        diverse(), guarantee=True, k=8, require=REQUIRED, comparison=om.compare(diverse(), [whole], seeds=1, jobs=1)
    )
    assert advice.method is whole
    assert advice.cautions[-1].code == "only-verifies"


def test_a_method_that_failed_in_some_run_is_not_recommended():
    failing, sure = om.Recoding(5), om.Microaggregation(5)
    good = measured([(failing, 5, 1.0, 1.0, 0.0), (sure, 5, 10.0, 3.0, 0.2)])
    blank = dict.fromkeys(MEASURES)
    failed = blank | {"method": repr(failing), "family": "", "seed": 1, "error": "no"}
    data = table("s", "d")
    assert om.advise(data, guarantee=True, comparison=good).method is failing
    found = om.Comparison((*good.rows, failed), good.methods)
    assert om.advise(data, guarantee=True, comparison=found).method is sure


@pytest.mark.parametrize(
    ("options", "parameter", "column"),
    [
        ({"guarantee": False, "stream": True, "require": REQUIRED}, "stream", None),
        ({"guarantee": True, "k": 2, "require": "diversity"}, "require", None),
        ({"guarantee": True, "k": 2, "require": [om.Diversity("illness", 3)]}, "require", "illness"),
    ],
)
def test_what_cannot_be_required_is_said(options, parameter, column):
    with raises(MaskingError, parameter=parameter, column=column):
        om.advise(diverse(), **options)


@pytest.mark.parametrize("methods", [[], [om.Microaggregation(5)], [om.Recoding(5)]])
def test_every_advice_warns_of_rows_that_kept_columns_make_unique(methods):
    frame = pd.DataFrame({"n": [1, 2, 3] * 20, "town": [f"t{i}" for i in range(15)] * 2 + ["t0"] * 30})
    frame.loc[:5, "town"] = [f"only {i}" for i in range(6)]
    data = om.Microdata(frame, {"n": om.Numeric()}, other=["town"])
    comparison = om.compare(data, methods, seeds=1, jobs=1) if methods else None
    advice = om.advise(data, guarantee=True, k=5, comparison=comparison)
    assert advice.measured == bool(methods)
    assert "kept-columns-unique" in [caution.code for caution in advice.cautions]
