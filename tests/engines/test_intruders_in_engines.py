"""Intruders, evaluation, reports, comparison and advice give the same figures on every engine as in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import ontomask as om
from engines.conftest import make_table
from ontomask.comparison.advice import advise
from ontomask.evaluation import counted_rows
from ontomask.evaluation.attacks import in_engine as known_rows
from ontomask.evaluation.attacks import parts
from ontomask.report import build_report

from support.families import EXAMPLES, PUBLIC, all_examples

NOT_PUBLIC = [name for name in EXAMPLES if name not in PUBLIC]


def check_same(ours, theirs, at="") -> None:
    """Plain data with the same texts, and with the same numbers but for rounding errors."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        assert ours.keys() == theirs.keys(), at
        for name, value in ours.items():
            check_same(value, theirs[name], f"{at}.{name}")
    elif isinstance(ours, (list, tuple)) and isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs), at
        for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            check_same(a, b, f"{at}[{i}]")
    elif isinstance(ours, float) or isinstance(theirs, float):
        assert theirs == pytest.approx(ours, abs=1e-9, nan_ok=True), at
    else:
        assert ours == theirs, at


def without_sentences(found):
    """Figures alone: a rounding error can change the last digit of a figure in a sentence."""
    if isinstance(found, dict):
        return {name: without_sentences(value) for name, value in found.items() if name != "sentence"}
    return [without_sentences(value) for value in found] if isinstance(found, list) else found


def risks(found) -> list[tuple[float, int]]:
    """How many records have which risk."""
    records = np.ones(len(found.record_risk())) if found.records is None else found.records
    values, at = np.unique(np.round(found.record_risk(), 9), return_inverse=True)
    return list(zip(values.tolist(), np.bincount(at, weights=records).astype(int).tolist(), strict=True))


def check_attacks(method, memory, engine) -> bool:
    """Compare what intruders find; whether the method masks the table."""
    try:
        ours = om.attack(memory, method.mask(memory, seed=7), runs=8)
    except om.MaskingError:
        return False
    theirs = om.attack(engine, method.mask(engine, seed=7), runs=8)
    check_same(without_sentences(ours.to_dict()), without_sentences(theirs.to_dict()))
    assert risks(theirs) == risks(ours)
    for one, other in ((ours.quasi_identifiers, theirs.quasi_identifiers), (ours.all_columns, theirs.all_columns)):
        assert (one.k, one.uniques, one.kept) == (other.k, other.uniques, other.kept)
    for name in ("ranks", "downcoding"):
        one, other = getattr(ours, name), getattr(theirs, name)
        assert (one is None) == (other is None)
    for one, other in zip(ours.minimality, theirs.minimality, strict=True):
        for name in ("merged", "suspected", "certain", "sure", "likely", "gain", "persons"):
            assert getattr(other, name) == pytest.approx(getattr(one, name), abs=1e-9)
    return True


@pytest.fixture(scope="module")
def words(in_engine, taxonomy):
    """By policy and person, the table of two columns of words in memory and in the engine."""
    frame = make_table().select("record", "who", "first", "second", "year", "cost", "region")
    kinds = {name: om.Nominal(taxonomy, domain=taxonomy.root) for name in ("first", "second")}
    source, made = in_engine(frame), {}
    for person in (None, "who"):
        for policy in ("root", "keep", "drop", "category"):
            roles = {"identifiers": ["record", *([] if person else ["who"])], "person": person}
            roles |= {"other": ["year", "region"], "confidential": ["cost"], "missing": policy, "rare_kept": "drop"}
            made[policy, person] = om.Microdata(frame, kinds, **roles), om.Microdata(source, kinds, **roles)
    return made


@pytest.mark.parametrize("name", NOT_PUBLIC)
def test_intruders_find_the_same_for_every_method(words, name):
    assert all(check_attacks(method, *words["root", None]) for method in EXAMPLES[name])


@pytest.mark.parametrize("person", [None, "who"])
@pytest.mark.parametrize("policy", ["root", "keep", "drop", "category"])
@pytest.mark.parametrize(
    "method", [om.Generalisation(k=3), om.PRAM(), om.RankSwapping(k=5), om.UncorrelatedNoise(alpha=0.3)], ids=str
)
def test_intruders_find_the_same_under_every_policy(words, method, policy, person):
    assert check_attacks(method, *words[policy, person])


@pytest.mark.parametrize("method", [om.PRAM(), om.Microaggregation(k=3), om.RankSwapping(k=5)], ids=str)
def test_intruders_attack_each_stratum(words, method):
    assert check_attacks(replace(method, by=["year"]), *words["root", None])


@pytest.mark.parametrize("person", [None, "who"])
@pytest.mark.parametrize("l", [2, 3])
def test_minimality_is_the_same(words, person, l):  # noqa: E741
    method = om.Microaggregation(k=3, require=[om.Diversity("cost", l)])
    memory, engine = words["root", person]
    assert check_attacks(method, memory, engine)
    assert om.attack(engine, method.mask(engine, seed=7)).minimality


@pytest.mark.parametrize("person", [None, "who"])
def test_methods_for_public_domains(in_engine, taxonomy, person):
    frame = make_table().select("record", "who", "first", "second", "year").drop_nulls()
    frame = frame.with_columns(pl.Series("record", np.arange(len(frame))))
    kinds = {name: om.Nominal(taxonomy, domain="symptom") for name in ("first", "second")}
    roles = {"identifiers": ["record", *([] if person else ["who"])], "person": person, "other": ["year"]}
    memory, engine = (om.Microdata(table, kinds, **roles) for table in (frame, in_engine(frame)))
    most = int(frame["who"].value_counts()["count"].max())
    for method in [method for name in PUBLIC for method in EXAMPLES[name]]:
        assert check_attacks(replace(method, records_per_person=most) if person else method, memory, engine)


def test_large_tables_are_attacked_in_parts(words, monkeypatch):
    """Equal records are divided among the parts, and the figures are upper bounds as in memory."""
    monkeypatch.setattr(parts, "_MOST", 1e3)
    monkeypatch.setattr(parts, "_LEAST", 40)
    memory, engine = words["root", None]
    for method in (om.PRAM(), om.RankSwapping(k=5)):
        whole = om.attack(memory, method.mask(memory, seed=7), runs=8).method
        ours, theirs = (om.attack(data, method.mask(data, seed=7), runs=8).method for data in (memory, engine))
        assert ours.parts == theirs.parts > 1
        assert theirs.basis == "bound"
        assert theirs.linked > whole.linked - 1
        # Only the division differs.
        assert theirs.linked == pytest.approx(ours.linked, abs=15)
        assert theirs.confident[0.5][0] == pytest.approx(ours.confident[0.5][0], abs=20)


def evaluated(memory, engine, method):
    results = [(data, method.mask(data, seed=7)) for data in (memory, engine)]
    return [(data, result, om.evaluate(data, result)) for data, result in results]


@pytest.mark.parametrize("person", [None, "who"])
@pytest.mark.parametrize("policy", ["root", "keep", "drop", "category"])
@pytest.mark.parametrize("method", [om.Generalisation(k=3), om.PRAM()], ids=str)
def test_every_figure_of_an_evaluation_and_a_report_is_the_same(words, method, policy, person):
    (memory, ours, before), (engine, theirs, after) = evaluated(*words[policy, person], method)
    check_same(before.to_dict(), after.to_dict())
    assert after.absent == {}
    reports = [build_report(memory, ours, before), build_report(engine, theirs, after)]
    check_same(reports[0].to_dict(), reports[1].to_dict())


@pytest.mark.parametrize("person", [None, "who"])
def test_the_report_has_every_kind_of_column(in_engine, taxonomy, person):
    frame = make_table().with_columns(ills=pl.lit("pain0;skin1"))
    kinds = {
        "age": om.Numeric(),
        "size": om.Numeric(scale="iqr"),
        "born": om.Date(),
        "region": om.Category(),
        "grade": om.Ordinal(["low", "mid", "high"]),
        "first": om.Nominal(taxonomy),
    }
    roles = {"identifiers": ["record", *([] if person else ["who"])], "person": person}
    roles |= {"confidential": {"cost": om.Numeric()}, "other": ["year"], "drop": ["second", "ills"]}
    for policy in ("root", "category"):
        tables = [om.Microdata(table, kinds, missing=policy, **roles) for table in (frame, in_engine(frame))]
        (memory, ours, before), (engine, theirs, after) = evaluated(*tables, om.Generalisation(k=4))
        check_same(
            build_report(memory, ours, before).to_dict(),
            build_report(engine, theirs, after).to_dict(),
        )


def test_sets_and_linked_columns(in_engine, taxonomy):
    rng = np.random.default_rng(1)
    few = ["pain0", "pain1", "skin2", "fever3"]
    codes = ["47906", "47907", "46201", None]
    at = rng.integers(0, 4, 200)
    frame = pl.DataFrame(
        {
            "record": np.arange(200),
            "ills": [";".join(sorted({few[i], few[j]})) for i, j in rng.integers(0, 4, (200, 2))],
            "code": [codes[i] for i in at],
            "town": [None if codes[i] is None else f"town of {codes[i]}" for i in at],
            "job": [("cook", "clerk", "nurse")[i] for i in at % 3],
            "branch": [("food", "office", "health")[i] for i in at % 3],
        }
    )
    kinds = {"ills": om.ConceptSet(taxonomy), "code": om.Prefix([2, 3]), "job": om.Category(under="branch")}
    roles = {"identifiers": ["record"], "linked": [["code", "town"]], "other": ["branch"], "missing": "keep"}
    memory, engine = (om.Microdata(table, kinds, **roles) for table in (frame, in_engine(frame)))
    for method in (om.Generalisation(k=3), om.PRAM(stay=0.5)):
        assert check_attacks(method, memory, engine)
        (_, ours, before), (_, theirs, after) = evaluated(memory, engine, method)
        check_same(build_report(memory, ours, before).to_dict(), build_report(engine, theirs, after).to_dict())


def test_nothing_is_released(words):
    memory, engine = words["root", None]
    method = om.Suppression(k=300)
    results = [method.mask(data, seed=1) for data in (memory, engine)]
    assert [len(result.data) for result in results] == [0, 0]
    scores = [om.evaluate(data, result) for data, result in zip((memory, engine), results, strict=True)]
    check_same(*(score.to_dict() for score in scores))


def test_too_many_different_rows_are_sampled(words, monkeypatch):
    """k and uniques stay those of all records; linkage by kept columns is an upper bound with its standard error."""
    memory, engine = words["root", None]
    for method in (om.PRAM(), om.Generalisation(k=5), om.Microaggregation(k=3, require=[om.Diversity("cost", 2)])):
        ours, result = om.attack(memory, method.mask(memory, seed=7), runs=8), method.mask(engine, seed=7)
        monkeypatch.setattr(counted_rows, "_MOST", 10)
        monkeypatch.setattr(counted_rows, "_SAMPLED", 150)
        theirs = [om.attack(engine, result, runs=8, seed=seed) for seed in (1, 1, 2)]
        score = om.evaluate(engine, result, clusters=3)
        report = build_report(engine, result, score)
        monkeypatch.undo()
        check_same(theirs[0].to_dict(), theirs[1].to_dict())
        assert theirs[0].all_columns.sampled != theirs[2].all_columns.sampled
        for found in theirs:
            known = found.all_columns
            assert (known.k, known.uniques) == (ours.all_columns.k, ours.all_columns.uniques)
            for name, share in ours.all_columns.shares.items():
                assert known.shares[name].k_alone == share.k_alone
                assert known.shares[name].uniques_without == share.uniques_without
            assert 100 < known.sampled == found.records.sum() < 200
            assert 0 < known.error < 10
            assert known.linked > ours.all_columns.linked - 3 * known.error
            assert found.quasi_identifiers.linked == pytest.approx(ours.quasi_identifiers.linked)
            assert len(found.record_risk()) == len(found.records)
            assert (found.record_risk() >= known.risk).all()
        first, second = ours.to_dict()["method"], om.attack(engine, result, runs=8).to_dict()["method"]
        check_same(first, second)
        for one, other in zip(ours.minimality, theirs[0].minimality, strict=True):
            assert other.sure == pytest.approx(one.sure)
        assert score.loss_percent == pytest.approx(om.evaluate(memory, method.mask(memory, seed=7)).loss_percent)
        assert ("confidential" in score.absent) == (not method.require)
        assert sum(band.records for band in report.exposure.bands) == pytest.approx(300, abs=5)


def test_confidential_values_alone_can_make_too_many_rows(in_engine, taxonomy, monkeypatch):
    frame = make_table().select("record", "first", "cost")
    roles = {"identifiers": ["record"], "confidential": ["cost"], "missing": "root"}
    kinds = {"first": om.Nominal(taxonomy)}
    memory, engine = (om.Microdata(table, kinds, **roles) for table in (frame, in_engine(frame)))
    method = om.Generalisation(k=5)
    ours, result = om.attack(memory, method.mask(memory, seed=7)), method.mask(engine, seed=7)
    monkeypatch.setattr(counted_rows, "_MOST", 10)
    monkeypatch.setattr(counted_rows, "_SAMPLED", 150)
    theirs = om.attack(engine, result)
    assert theirs.all_columns.linked == theirs.quasi_identifiers.linked == pytest.approx(ours.all_columns.linked)
    assert (theirs.all_columns.k, theirs.all_columns.uniques) == (ours.all_columns.k, ours.all_columns.uniques)
    assert theirs.all_columns.sampled == 0
    assert len(theirs.record_risk()) == len(theirs.records)
    assert theirs.homogeneity[0].quasi_identifiers >= ours.homogeneity[0].quasi_identifiers


def test_data_mining_takes_single_records(words, monkeypatch):
    """Where distances tie, clusters depend on the order of the records, so figures differ a little from memory."""
    _, engine = words["root", None]
    result = om.Generalisation(k=3).mask(engine, seed=7)
    score = om.evaluate(engine, result, clusters=3)
    assert score.clustering.records == 300
    assert om.evaluate(engine, result, clusters=3).clustering.distance == score.clustering.distance
    monkeypatch.setattr(known_rows, "_MINED", 100)
    assert om.evaluate(engine, result, clusters=2).clustering.records == 100


def test_limits_on_intruders(words):
    memory, engine = words["root", None]
    for required in (om.LinkedAtMost(0.5), om.LinkedAtMost(100), om.AllColumnsK(2)):
        method, codes = om.Generalisation(k=3, require=[required]), []
        for data in (memory, engine):
            try:
                codes.append(method.mask(data, seed=7).guarantee.also)
            except om.MaskingError as error:
                codes.append(error.code)
        assert codes[0] == codes[1]


def test_comparison_advice_and_costs_are_the_same(words):
    for person in (None, "who"):
        memory, engine = words["root", person]
        methods = [om.Generalisation(k=3), om.PRAM(), om.Recoding(k=1000)]
        found = [om.compare(data, methods, seeds=2, jobs=1) for data in (memory, engine)]
        rows = [[{**row, "seconds": 0.0} for row in one.rows] for one in found]
        check_same(*rows)
        given = {"guarantee": True, "k": 3}
        ours, theirs = (
            advise(data, comparison=one, **given) for data, one in zip((memory, engine), found, strict=True)
        )
        assert str(ours) == str(theirs)
        costs = [om.column_costs(data, om.Microaggregation(k=3)) for data in (memory, engine)]
        check_same(*(one.ratios for one in costs))
        sampled = om.column_costs(engine, om.Microaggregation(k=3), sample=100)
        assert sampled.is_estimate
        assert set(sampled.ratios) == {"first", "second"}
    with pytest.raises(om.MaskingError) as raised:
        om.compare(engine, methods, jobs=2)
    assert (raised.value.parameter, raised.value.code) == ("jobs", "engine-cannot")


def test_every_example_is_attacked_somewhere():
    assert {type(method).__name__ for method in all_examples()} == {*NOT_PUBLIC, *PUBLIC}
