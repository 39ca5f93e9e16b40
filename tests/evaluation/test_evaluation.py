"""Utility and risk: hand-worked cases, the literal definitions, and laws."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import MaskingError, TableError
from ontomask.evaluation import blocks
from ontomask.evaluation.measures import DEFINITIONS
from ontomask.evaluation.pairing import Pairing
from ontomask.masking.results import Planned
from ontomask.microdata import TuplePlan
from ontomask.microdata.plan import SUPPRESSED

from support import literal_evaluation as literal
from support.errors import raises
from support.scrambling import Scramble, distance_between, distances_between
from support.tables import microdata, records_of

# symptom <- {pain <- {ache, colic}, fever}; Wu–Palmer counts nodes: ache/colic 1 - 4/6, ache/fever 1 - 2/5
TAXONOMY = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("fever", "symptom")])


def symptoms(*values, **roles):
    kind = om.Nominal(TAXONOMY, domain="symptom")
    return om.Microdata(pd.DataFrame({"symptom": list(values)}), {"symptom": kind}, **roles)


def frame(*values):
    return pd.DataFrame({"symptom": list(values)})


# With little room records are linked along the line of a numeric attribute, or one by one; large tables by blocks.
@given(microdata(least=2, kept=True), st.integers(0, 50), st.sampled_from([0, 9, 40, 2**25]), st.booleans())
@settings(max_examples=150)
def test_linkage_and_losses_are_those_of_the_thesis(data, seed, room, in_blocks):
    names = list(data.quasi_identifiers)
    result = Scramble().mask(data, seed=seed)
    original = records_of(data.frame, names)
    masked = [None] * len(original)
    for row, record in zip(result.data.rows, records_of(result.frame, names), strict=True):
        masked[row] = record
    distance = distance_between(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ontomask.evaluation.linkage.ROOM", room)
        if in_blocks:
            patch.setattr(blocks, "_BLOCK", 2)
            patch.setattr(blocks, "_FEWEST_ATTRIBUTES", 0)
            patch.setattr(blocks, "_FEWEST_TUPLES", 0)
        score = om.evaluate(data, result, attacks=False)
    np.testing.assert_allclose(score.linkage.risk["rl"], literal.rl(original, masked), atol=1e-12)
    np.testing.assert_allclose(score.linkage.risk["mrl"], literal.mrl(original, masked), atol=1e-12)
    np.testing.assert_allclose(score.linkage.risk["srl"], literal.srl(original, masked, distance), atol=1e-12)
    assert score.srl == pytest.approx(100 * np.mean(literal.srl(original, masked, distance)))
    assert score.semantic_loss == pytest.approx(literal.semantic_loss(original, masked, distance))
    assert score.sse == pytest.approx(literal.sse(original, masked, distance))
    weights = [column.space.weight for column in data.quasi_identifiers.values()]
    shares = literal.loss_shares(original, masked, distances_between(data), weights)
    assert [score.utility.attributes[name].loss_share for name in names] == pytest.approx(shares)
    assert score.utility.kl_divergence == pytest.approx(literal.kl_divergence(original, masked))
    assert score.utility.discernibility.before == literal.discernibility(original)
    assert score.utility.discernibility.after == literal.discernibility(masked)
    assert score.srl >= score.mrl - 1e-9


def test_the_row_by_row_linkage_is_the_same(monkeypatch):
    data = symptoms("ache", "colic", "fever", "ache", "pain")
    result = Scramble().mask(data, seed=3)
    expected = om.evaluate(data, result).linkage.risk["srl"]
    monkeypatch.setattr("ontomask.evaluation.linkage.ROOM", 0)
    np.testing.assert_array_equal(om.evaluate(data, result).linkage.risk["srl"], expected)


def test_two_different_records_that_become_one():
    score = om.evaluate(symptoms("ache", "colic"), frame("ache", "ache"))
    assert (score.rl, score.mrl, score.srl) == (50, 25, 50)
    assert score.k == 2
    assert score.semantic_loss == pytest.approx((0 + 1 / 3) / 2)
    assert score.sse == pytest.approx(1 / 9)
    assert score.rmse["symptom"] == pytest.approx(math.sqrt(1 / 9 / 2))
    # the centroid is ache: 0 + 1/3 in all, while pain has 1/5 twice
    assert score.sst == pytest.approx(1 / 9)
    assert score.loss_percent == pytest.approx(100)
    assert score.score(0.25, "mrl") == pytest.approx(0.25 * score.loss_percent + 0.75 * 25)


def test_means_and_variances():
    score = om.evaluate(symptoms("ache", "colic", "fever"), frame("pain", "pain", "symptom"))
    found = score.utility.attributes["symptom"]
    assert found.mean == ("pain", "pain")
    assert found.mean_shift == 0
    # from pain: ache and colic 1/5, fever 1 - 2/4; then pain 0, symptom 1 - 2/3
    assert found.variance.before == pytest.approx((2 / 25 + 1 / 4) / 3)
    assert found.variance.after == pytest.approx((1 / 9) / 3)
    assert found.unchanged == 0


def test_noise_is_measured_against_its_level():
    data = symptoms("ache", "colic", "fever", "ache")
    released = frame("colic", "ache", "fever", "ache")
    score = om.evaluate(data, released, alpha=0.5, noise={"symptom": np.array([0.3, -0.4, 0, 0])})
    found = score.utility.attributes["symptom"]
    assert found.target_rmse == 0.25
    by_name = {m.name: m for m in score.measures}
    assert by_name["variance off target"].value == pytest.approx(
        abs(found.variance.after - 1.5 * found.variance.before)
    )
    assert "variance off target" not in {m.name for m in om.evaluate(data, released).measures}


def test_generalisation_losses_count_the_values_below():
    score = om.evaluate(symptoms("ache", "colic", "fever", "fever"), frame("pain", "pain", "fever", "symptom"))
    found = score.utility.attributes["symptom"]
    # pain stands for two of three values, symptom for all
    assert found.lm == pytest.approx((1 / 2 + 1 / 2 + 0 + 1) / 4)
    assert found.ncp == pytest.approx((2 / 3 + 2 / 3 + 0 + 1) / 4)


def test_kl_divergence_and_vanished_mass_by_hand():
    score = om.evaluate(symptoms("ache", "ache", "colic", "fever"), frame("ache", "ache", "ache", "fever"))
    before, after = [2.5, 1.5, 1.5], [3.5, 0.5, 1.5]
    expected = sum(b / 5.5 * math.log(b / a) for b, a in zip(before, after, strict=True))
    assert score.utility.kl_divergence == pytest.approx(expected)
    assert score.utility.vanished == 1 / 4


def test_nearly_all_unchanged_is_not_called_all():
    words = ["ache"] * 2000 + ["fever"]
    score = om.evaluate(symptoms(*words), frame(*words[:-1], "ache"))
    (found,) = (measure for measure in score.measures if measure.name == "unchanged")
    assert "over 99.9 %" in found.meaning


def test_identical_tables_lose_nothing():
    data = symptoms("ache", "colic", "fever", "ache")
    score = om.evaluate(data, data.frame)
    assert score.semantic_loss == score.sse == score.loss_percent == score.utility.kl_divergence == 0
    assert score.utility.attributes["symptom"].unchanged == 1
    assert score.srl == score.mrl == score.rl == 75


def test_equal_originals_have_nothing_to_lose():
    data = symptoms("ache", "ache")
    assert om.evaluate(data, frame("colic", "colic")).loss_percent == 0
    assert om.evaluate(data, frame("colic", "colic")).sst == 0


@dataclass(frozen=True, repr=False)
class SuppressAll(om.Method):
    def _plan(self, data, rng):
        outcome = np.full(len(data.table), SUPPRESSED)
        return Planned(TuplePlan.of(data.table, outcome=outcome, outcome_tuples=data.table.tuples[:1]))


def test_a_fully_suppressed_table_loses_all_and_gives_nothing_away():
    data = symptoms("ache", "colic", "fever")
    score = om.evaluate(data, SuppressAll().mask(data, seed=0))
    assert score.semantic_loss == 1
    assert score.sse == 3
    assert (score.rl, score.mrl, score.srl, score.k) == (0, 0, 0, 0)
    assert score.utility.suppressed == 3
    assert score.utility.attributes["symptom"].mean == ("pain", None)
    assert json.loads(score.to_json())["measures"]


@given(microdata(least=2), st.integers(0, 20), st.randoms(use_true_random=False))
def test_the_order_of_records_does_not_matter(data, seed, random):
    result = Scramble().mask(data, seed=seed)
    released = result.frame
    if not len(released):
        return
    kept = om.Microdata(data.frame.iloc[result.data.rows].reset_index(drop=True), _attributes(data))
    order = list(range(len(released)))
    random.shuffle(order)
    turned = om.Microdata(kept.frame.iloc[order].reset_index(drop=True), _attributes(data))
    plain = {m.title: m.value for m in om.evaluate(kept, released).measures}
    again = {m.title: m.value for m in om.evaluate(turned, released.iloc[order]).measures}
    assert plain == pytest.approx(again, nan_ok=True)


def _attributes(data):
    return {name: _pinned(column) for name, column in data.quasi_identifiers.items()}


def _pinned(column):
    if isinstance(column.kind, om.Nominal):
        return replace(column.kind, domain=column.domain.root)
    return column.kind


def test_an_intruder_may_know_less():
    kind = om.Nominal(TAXONOMY, domain="symptom")
    original = pd.DataFrame({"now": ["ache", "colic", "fever"], "then": ["ache", "ache", "ache"]})
    data = om.Microdata(original, {"now": kind, "then": kind})
    assert om.evaluate(data, original).srl == 100
    assert om.evaluate(data, original, known=["then"]).srl == pytest.approx(100 / 3)
    assert om.evaluate(data, original, known=["now"]).srl == 100
    released = original.assign(now=["ache", "ache", "fever"])
    whole = om.evaluate(data, released)
    np.testing.assert_allclose(whole.linkage.risk["srl"], [1 / 2, 1 / 2, 1])
    assert om.evaluate(data, released, records=[2]).srl == 100
    assert om.evaluate(data, released, records=[True, False, False]).srl == 50
    assert whole.attacks.exposed(1).tolist() == [2]
    assert om.evaluate(data, released, records=[2]).linkage.risk["srl"].tolist() == [0, 0, 1]
    assert om.evaluate(data, released, known="then").srl == pytest.approx(100 / 3)
    assert any("knows 'then' only" in note for note in om.evaluate(data, released, known=["then"]).notes)
    assert any("the 2 of 3 records" in note for note in om.evaluate(data, released, records=[0, 2, 2]).notes)
    for wrong in ([3], [], [-1], [0.5], [True]):
        with raises(TableError, parameter="records"):
            om.evaluate(data, released, records=wrong)
    with raises(TableError, parameter="known"):
        om.evaluate(data, released, known=["income"])


def test_an_intruder_links_to_no_original_that_he_does_not_know():
    # ache is linked to both originals that read so, unless only one of them is known
    data = symptoms("ache", "ache", "fever")
    assert om.evaluate(data, data.frame).rl == pytest.approx(100 * (1 / 2 + 1 / 2 + 1) / 3)
    found = om.evaluate(data, data.frame, records=[0, 2])
    assert (found.rl, found.mrl, found.srl) == (100, 75, 75)
    assert found.linkage.before == {"rl": 100, "mrl": 75, "srl": 75}


@given(microdata(least=4), st.integers(2, 4), st.integers(0, 20))
def test_of_k_records_alike_no_more_than_one_is_linked(data, k, seed):
    score = om.evaluate(data, om.Recoding(k).mask(data, seed=seed))
    assert score.srl <= 100 * score.anonymity.groups / len(data) + 1e-9
    assert score.anonymity.groups / len(data) <= 1 / k
    assert score.linkage.risk["srl"].max() <= 1 / k + 1e-9


def test_the_distance_that_evaluates_can_be_chosen():
    data = symptoms("ache", "colic")
    released = frame("ache", "ache")
    assert om.evaluate(data, released).distances["symptom"] == "wu_palmer (root_depth=1) under symptom"
    links = om.evaluate(data, released, distance={"name": "wu_palmer", "root_depth": 0})
    assert links.semantic_loss == pytest.approx((1 - 2 / 4) / 2)
    path = om.evaluate(data, released, distance={"symptom": "path"})
    assert path.semantic_loss == pytest.approx((2 / 4) / 2)
    with pytest.raises(TableError) as caught:
        om.evaluate(data, released, distance={"sympton": "path"})
    assert caught.value.parameter == "distance"


def test_the_whole_ontology_can_evaluate():
    kind = om.Nominal(TAXONOMY, domain="pain")
    data = om.Microdata(frame("ache", "colic"), {"symptom": kind})
    # inside pain: 1 - 2/4; in the ontology: 1 - 4/6
    assert om.evaluate(data, frame("ache", "ache")).semantic_loss == pytest.approx((1 / 2) / 2)
    assert om.evaluate(data, frame("ache", "ache"), scope="ontology").semantic_loss == pytest.approx((1 / 3) / 2)


def test_confidential_columns_are_measured():
    original = pd.DataFrame({"symptom": ["ache", "ache", "fever", "fever"], "income": ["low", "high", "low", "low"]})
    data = om.Microdata(original, {"symptom": om.Nominal(TAXONOMY)}, confidential=["income"])
    found = om.evaluate(data, original).confidential["income"]
    assert (found.distinct_l, found.entropy_l, found.t, found.ground) == (1, 1, pytest.approx(1 / 4), "equal")
    ordered = om.Microdata(
        original, {"symptom": om.Nominal(TAXONOMY)}, confidential={"income": om.Ordinal(["low", "mid", "high"])}
    )
    assert om.evaluate(ordered, original).confidential["income"].ground == "ordered"
    semantic = om.Microdata(
        original.assign(income=["ache", "colic", "ache", "ache"]),
        {"symptom": om.Nominal(TAXONOMY)},
        confidential={"income": om.Nominal(TAXONOMY, domain="symptom")},
    )
    assert om.evaluate(semantic, original).confidential["income"].t == pytest.approx(1 / 4 * 1 / 3)


def test_persons_are_counted_where_they_are_told_apart():
    original = pd.DataFrame({"id": ["p", "p", "q"], "symptom": ["ache"] * 3})
    data = om.Microdata(original, {"symptom": om.Nominal(TAXONOMY)}, person="id")
    assert om.evaluate(data, original).k == 2


def test_numbers_and_categories_are_measured():
    original = pd.DataFrame({"age": [20, 30, 40], "pain": ["low", "mid", "high"]})
    data = om.Microdata(original, {"age": om.Numeric(scale="range"), "pain": om.Ordinal(["low", "mid", "high"])})
    released = pd.DataFrame({"age": [30, 30, 30], "pain": ["low", "low", "high"]})
    score = om.evaluate(data, released)
    assert score.utility.attributes["age"].mean == (30.0, 30.0)
    assert score.utility.attributes["age"].variance.before == pytest.approx((1 / 4 + 0 + 1 / 4) / 3)
    assert score.utility.attributes["pain"].mean == ("mid", "low")
    assert score.utility.attributes["pain"].mean_shift == 1 / 2
    assert score.utility.attributes["age"].lm is None
    assert score.sdcor["age", "pain"].before == pytest.approx(1)
    assert score.sdcor["age", "pain"].difference == pytest.approx(1)


def test_every_measure_is_defined_and_told_in_a_sentence():
    data = symptoms("ache", "colic", "fever", "ache")
    score = om.evaluate(data, om.PRAM(stay=0.5).mask(data, seed=0), alpha=0.3, noise={"symptom": np.zeros(4)})
    for measure in score.measures:
        assert measure.definition == DEFINITIONS[measure.name]
        assert measure.meaning.endswith(".")
    table = score.to_frame()
    assert isinstance(table, pl.DataFrame)
    assert len(table) == len(score.measures)
    assert json.loads(score.to_json())["measures"][0]["measure"] == "semantic loss"
    assert "SRL" in str(score)
    assert "<table>" in score._repr_html_()


def test_every_definition_is_of_a_measure():
    cells = ["ache", "colic", "fever", "ache", "fever", "ache"] * 4
    frame = pd.DataFrame({"a": cells, "b": sorted(cells), "ill": list("xyx") * 8, "ward": ["1", "2"] * 12})
    frame["weight"] = [float(i % 3 + 2) for i in range(24)]
    kinds = {name: om.Nominal(TAXONOMY, domain="symptom") for name in ("a", "b")}
    data = om.Microdata(frame, kinds, confidential=["ill"], other=["ward"], weights="weight", average_weights=False)
    diverse = om.Microaggregation(2, require=[om.Diversity("ill", 2)])
    shown = set()
    for method in (om.UncorrelatedNoise(0.3), om.RankSwapping(2), om.Generalisation(2), diverse):
        score = om.evaluate(data, method.mask(data, seed=0), clusters=2, target="ill", seed=0)
        shown |= {measure.name for measure in score.measures}
    assert shown == set(DEFINITIONS)


def test_all_distances_between_pairs_are_those_of_the_attributes():
    data = symptoms("ache", "colic", "fever")
    pairing = Pairing.of(data, om.NaiveDistortion().mask(data, seed=0).data)
    np.testing.assert_allclose(pairing.distances(), pairing.attribute_distances(0))


def test_groups_of_equal_records_before_and_after():
    # three and one before; two and two after
    score = om.evaluate(symptoms("ache", "ache", "ache", "fever"), frame("ache", "ache", "fever", "fever"))
    told = {m.name: (m.before, m.after, m.value) for m in score.measures if m.about == "risk"}
    assert told["k"] == (1, 2, 2)
    assert told["uniques"] == (25, 0, 0)
    assert told["average prosecutor risk"] == (100 * 2 / 4, 100 * 2 / 4, 50)
    assert told["highest prosecutor risk"] == (100, 50, 50)
    # unmasked, three share 1/3 each
    assert told["SRL"][0] == told["MRL"][0] == told["RL"][0] == pytest.approx(100 * (3 * 1 / 3 + 1) / 4)
    assert told["RL"][1] == pytest.approx(100 * (1 / 3 + 1 / 3 + 0 + 1) / 4)
    assert told["MRL"][1] == pytest.approx(100 * (1 / 2 + 1 / 2 + 0 + 1 / 2) / 4)
    assert "50 → 50 %" in str(score)


def test_suppressed_records_count_as_far_away_and_are_linked_to_nobody():
    original = pd.DataFrame({"id": ["p", "q", "r", "s"], "symptom": ["ache", "colic", "fever", "ache"]})
    data = om.Microdata(original, {"symptom": om.Nominal(TAXONOMY, domain="symptom")}, other=["id"])
    score = om.evaluate(data, original.iloc[:3].assign(symptom=["ache", "ache", "fever"]), key="id")
    assert score.semantic_loss == pytest.approx((0 + 1 / 3 + 0 + 1) / 4)
    assert score.sse == pytest.approx(0 + 1 / 9 + 0 + 1)
    assert score.rmse["symptom"] == pytest.approx(math.sqrt((1 / 9 + 1) / 4))
    assert score.utility.discernibility.after == 2**2 + 1 + 4
    assert score.utility.attributes["symptom"].unchanged == 2 / 4
    np.testing.assert_allclose(score.linkage.risk["rl"], [1 / 2, 0, 1, 0])
    np.testing.assert_allclose(score.linkage.risk["mrl"], [1 / 2, 0, 1, 0])
    np.testing.assert_allclose(score.linkage.risk["srl"], [1 / 2, 1 / 2, 1, 0])


def test_distance_covariance_by_hand():
    kind = om.Nominal(TAXONOMY, domain="symptom")
    original = pd.DataFrame({"now": ["ache", "colic"], "then": ["fever", "ache"]})
    data = om.Microdata(original, {"now": kind, "then": kind})
    score = om.evaluate(data, original.assign(then="ache"), alpha=0.5)
    # centred, two values at distance d are -d/2 and d/2: sdCov = (1/2)·sqrt(4 · d/2 · e/2), d = 1/3 and e = 3/5
    expected = math.sqrt(1 / 3 * 3 / 5) / 2
    assert score.sdcov["now", "then"].before == pytest.approx(expected)
    assert score.sdcov["now", "then"].after == 0
    assert score.utility.attributes["now"].distance_variance.before == pytest.approx(1 / 3 / 2)
    assert score.sdcor["now", "then"].before == pytest.approx(1)
    assert score.sdcor["now", "then"].after == 0
    off = next(m for m in score.measures if m.name == "sdCov off target")
    assert off.value == pytest.approx(1.5 * expected)


def test_l_and_t_by_hand():
    original = pd.DataFrame({"symptom": ["ache"] * 3 + ["fever"], "income": ["low", "low", "high", "high"]})
    kinds = {"symptom": om.Nominal(TAXONOMY)}
    levels = om.Ordinal(["low", "mid", "high", "highest"])
    score = om.evaluate(om.Microdata(original, kinds, confidential={"income": levels}), original.assign(symptom="ache"))
    found, before = score.confidential["income"], score.confidential_before["income"]
    assert (found.distinct_l, found.entropy_l, found.t) == (2, pytest.approx(2), 0)
    assert (before.distinct_l, before.entropy_l) == (1, 1)
    # fever has high alone: half of the table's weight lies two of three steps away, although mid does not occur
    assert before.t == pytest.approx(1 / 2 * 2 / 3)


def test_noise_brings_its_level_and_errors():
    data = symptoms(*["ache", "colic", "fever", "pain"] * 3)
    result = om.UncorrelatedNoise(0.4).mask(data, seed=1)
    score = om.evaluate(data, result, attacks=False)
    assert score.alpha == 0.4
    assert score.utility.attributes["symptom"].target_rmse == math.sqrt(np.mean(result.noise["symptom"] ** 2))


def test_one_record():
    score = om.evaluate(symptoms("ache"), frame("*"))
    assert (score.rl, score.mrl, score.srl, score.k, score.loss_percent) == (0, 0, 100, 1, 0)
    assert score.sst == 0


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        ({"alpha": -1}, {"parameter": "alpha"}),
        ({"alpha": math.nan}, {"parameter": "alpha"}),
        ({"noise": {"symptoms": np.zeros(2)}}, {"column": "symptoms", "parameter": "noise"}),
        ({"noise": {"symptom": np.zeros(3)}}, {"column": "symptom", "parameter": "noise"}),
    ],
)
def test_noise_that_does_not_fit_is_refused(options, fields):
    with raises(TableError, **fields):
        om.evaluate(symptoms("ache", "colic"), frame("ache", "ache"), **options)


def test_measures_that_there_are_none_of():
    score = om.evaluate(symptoms("ache", "colic"), frame("ache", "ache"))
    with raises(TableError, parameter="risk"):
        score.score(risk="k")
    with raises(TableError, parameter="weight"):
        score.score(weight=2)
    with pytest.raises(ValueError, match="read-only"):
        score.linkage.risk["srl"][0] = 0


def test_results_of_other_records_or_another_domain_are_refused():
    data = symptoms("ache", "colic", "fever")
    with raises(TableError, code="other-table"):
        om.evaluate(data, om.PRAM().mask(symptoms("ache", "colic"), seed=0))
    narrow = om.Microdata(frame("ache", "colic", "ache"), {"symptom": om.Nominal(TAXONOMY)})
    with raises(TableError, code="other-table"):
        om.evaluate(data, om.PRAM().mask(narrow, seed=0))


def test_blanks_make_neither_other_persons_nor_other_confidential_values():
    frame = pd.DataFrame({"age": [30] * 4, "who": ["a", "a ", "b", "b"], "ill": ["flu", " flu", "flu", "flu"]})
    data = om.Microdata(frame, {"age": om.Numeric()}, person="who", confidential=["ill"])
    score = om.evaluate(data, om.Microaggregation(k=2).mask(data, seed=0))
    assert score.k == 2
    assert score.confidential["ill"].distinct_l == 1
    with pytest.raises(MaskingError):
        om.Microaggregation(k=3).mask(data, seed=0)


def test_no_bound_is_told_that_far_numbers_exceed():
    frame = pd.DataFrame({"wage": [1.0] * 30 + [2.0] * 30 + [1000.0]})
    data = om.Microdata(frame, {"wage": om.Numeric()})
    score = om.evaluate(data, om.Microaggregation(k=61).mask(data, seed=0))
    far = [m for m in score.measures if m.name in ("semantic loss", "RMSE")]
    assert data.quasi_identifiers["wage"].space.matrix([0.0], [1000.0]).max() > 1
    assert far
    assert not any("at most" in m.meaning for m in far)


def test_nearly_all_records_are_not_told_as_all():
    data = om.Microdata(pd.DataFrame({"x": [f"v{number}" for number in range(3000)]}), {"x": om.Category()})
    found = {m.name: m for m in om.evaluate(data, pd.DataFrame({"x": ["v1"] * 3000})).measures}
    assert 99.9 < found["vanished"].value < 100
    assert "over 99.9 %" in found["vanished"].meaning
