"""A plan is evaluated without rows, and gives what its result gives."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import MaskingError, PlanError, TableError
from ontomask.microdata.plan import SUPPRESSED

from support.families import METHODS, make_words_job, words_data
from support.scrambling import Scramble
from support.tables import microdata, personal_microdata, records_of

every_method = pytest.mark.parametrize("method", METHODS, ids=repr)
SMALL = [
    om.Recoding(2),
    om.Microaggregation(2),
    om.Microaggregation(2, variant="mdav"),
    om.Suppression(2),
    om.PRAM(0.5),
]


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    folder = tmp_path_factory.mktemp("words")
    make_words_job(folder, METHODS[0])
    return words_data(folder)


def figures(score):
    return {(m.name, m.columns): (m.before, m.after, m.value) for m in score.measures}


def check_same(data, plan, seed=3):
    """Every figure of the plan is exactly that of its result, and what is absent has a reason."""
    score, applied = om.evaluate(data, plan), om.evaluate(data, plan.apply(data, seed=seed), attacks=False)
    mine, others = figures(score), figures(applied)
    assert {name: others[name] for name in mine} == mine
    assert {name for name, _ in others} - {name for name, _ in mine} <= {
        name
        for attribute, names in {
            "anonymity": {"k", "uniques", "average prosecutor risk", "highest prosecutor risk"},
            "confidential": {"distinct l", "entropy l", "t"},
            "all_columns": {"all columns k", "all columns uniques", "all columns linked"},
        }.items()
        if attribute in score.absent
        for name in names
    }
    assert (score.rl, score.mrl, score.srl) == (applied.rl, applied.mrl, applied.srl)
    assert score.utility.attributes == applied.utility.attributes
    assert score.attacks is None
    assert score.absent["attacks"]
    assert not applied.absent
    return score


@every_method
def test_a_plan_gives_the_figures_of_its_result(words, method):
    plan = method.plan(words, seed=5)
    score = check_same(words, plan)
    is_divided = len(np.unique(plan.counts().original)) < len(plan.counts())
    assert ("confidential" in score.absent) == is_divided


@every_method
def test_masking_is_planning_and_applying(words, method):
    rng = np.random.default_rng(5)
    applied = method.plan(words, seed=rng).apply(words, seed=rng)
    masked = method.mask(words, seed=5)
    assert applied.frame.equals(masked.frame)
    assert applied.guarantee == masked.guarantee
    assert {note.code for note in masked.notes} - {note.code for note in applied.notes} == {"weak-seed"}


@every_method
def test_joint_counts_have_every_record_once(words, method):
    plan = method.plan(words, seed=1)
    counts = plan.counts()
    assert int(counts.records.sum()) == len(words)
    np.testing.assert_array_equal(
        np.bincount(counts.original, weights=counts.records, minlength=len(words.table)), words.table.counts
    )
    suppressed = int(counts.records[counts.masked == SUPPRESSED].sum())
    assert suppressed == len(words) - len(plan.apply(words, seed=0).data)
    shown = counts.show(len(counts))
    assert {before for before, _, _ in shown} == {before for before, _ in words.table.show(len(words))}


@settings(max_examples=40)
@given(microdata(least=2, kept=True), st.integers(0, 9))
def test_any_plan_gives_the_figures_of_its_result(data, seed):
    check_same(data, Scramble().plan(data, seed=seed))


@settings(max_examples=40)
@given(personal_microdata(), st.sampled_from(SMALL))
def test_persons_and_confidential_values_are_counted_without_rows(data, method):
    try:
        check_same(data, method.plan(data, seed=0))
    except MaskingError:
        return


@pytest.mark.parametrize("method", SMALL, ids=repr)
def test_ordinary_persons_are_not_refused(method):
    """Random tables may be refused by every method."""
    frame = pd.DataFrame({"age": [30, 30, 40, 40] * 3, "ill": list("abac") * 3, "who": [i // 2 for i in range(12)]})
    data = om.Microdata(frame, {"age": om.Numeric()}, confidential=["ill"], person="who")
    check_same(data, method.plan(data, seed=0))


def table():
    frame = pd.DataFrame({"age": [30, 30, 40, 40], "town": ["Ely", "Rye", "Ely", "Ely"], "who": list("aabc")})
    return om.Microdata(frame, {"age": om.Numeric()}, other=["town"], person="who")


def test_what_needs_records_is_absent_with_a_reason():
    data = table()
    plan = om.PRAM(0.5).plan(data, seed=0)
    score = om.evaluate(data, plan)
    assert set(score.absent) == {"attacks", "linkage.risk", "all_columns", "anonymity"}
    for ask in (
        lambda: score.all_columns,
        lambda: score.k,
        lambda: score.linkage.risk,
        lambda: om.evaluate(data, plan, records=[0]),
        lambda: om.evaluate(data, plan, clusters=2),
    ):
        with pytest.raises(TableError):
            ask()
    assert repr(score)
    assert str(score)
    assert "absent" in score.to_dict()


def test_known_columns_limit_the_linkage_of_a_plan():
    data = table()
    plan = om.Microaggregation(2).plan(data)
    assert om.evaluate(data, plan, known=["age"]).srl == om.evaluate(data, plan.apply(data), known=["age"]).srl


def test_saved_plans_are_evaluated(tmp_path):
    data = table()
    plan = om.Microaggregation(2).plan(data)
    om.save_plan(plan, tmp_path / "p.plan")
    read = om.load_plan(tmp_path / "p.plan")
    assert figures(om.evaluate(data, read)) == figures(om.evaluate(data, plan))
    other = om.Microdata(data.frame.iloc[:2], {"age": om.Numeric()}, other=["town"], person="who")
    with pytest.raises(PlanError) as caught:
        om.evaluate(other, read)
    assert caught.value.code == "other-counts"


def test_a_plan_with_other_counts_has_to_be_applied():
    data = table()
    plan = om.Suppression(2).plan(data)
    same_length = om.Microdata(
        data.frame.assign(age=[30, 40, 40, 40]), {"age": om.Numeric()}, other=["town"], person="who"
    )
    with pytest.raises(PlanError) as caught:
        om.evaluate(same_length, plan)
    assert caught.value.code == "other-counts"


def test_plans_apply_to_other_data_with_the_same_tuples():
    frame = pd.DataFrame({"age": [30] * 3 + [40] * 3})
    data = om.Microdata(frame, {"age": om.Numeric()})
    plan = om.Suppression(3).plan(data)
    more = om.Microdata(pd.concat([frame, frame], ignore_index=True), {"age": om.Numeric()})
    assert records_of(plan.apply(more).frame, ["age"]) == records_of(more.frame, ["age"])
    fewer = om.Microdata(frame.iloc[:4], {"age": om.Numeric()})
    with pytest.raises(MaskingError):
        plan.apply(fewer)


def test_results_of_a_plan_for_other_data_are_evaluated_and_attacked():
    frame = pd.DataFrame({"age": [30] * 3 + [40] * 3})
    data = om.Microdata(frame, {"age": om.Numeric()})
    more = om.Microdata(pd.concat([frame, frame], ignore_index=True), {"age": om.Numeric()})
    plan = om.Suppression(3, require=[om.LinkedAtMost(20)]).plan(data)
    result = plan.apply(more)
    assert om.evaluate(more, result).srl == om.evaluate(more, result.frame).srl
    assert om.attack(more, result).worst.percent == pytest.approx(100 / 6)
    assert om.compose(result, result, data=more).k == 6
    for ask in (om.evaluate, om.attack):
        with pytest.raises(TableError):
            ask(data, result)
    with pytest.raises(TableError):
        om.compose(result, result, data=data)


def test_reprs_of_plans_show_no_values():
    data = table()
    plan = om.Microaggregation(2).plan(data)
    assert not any(text in repr(plan) + repr(plan.counts()) for text in ("30", "Ely"))
