"""The intruder who knows the method: hand-worked cases, the literal posterior, laws, and figures on real data."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import MaskingError, TableError
from ontomask.evaluation.attacks import informed, likelihood, parts, reruns
from ontomask.evaluation.attacks.likelihood import Likelihood
from ontomask.evaluation.attacks.posterior import best_guesses
from ontomask.evaluation.pairing import Pairing
from ontomask.examples import adult_data
from ontomask.examples.diabetes130 import diabetes130_data

from support import literal_attacks as literal
from support.errors import raises
from support.scrambling import Scramble
from support.tables import microdata

TREE = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom")])


def symptoms(*values, **roles):
    return om.Microdata(pd.DataFrame({"s": list(values)}), {"s": om.Nominal(TREE, domain="symptom")}, **roles)


def unique_records():
    """Forty records that differ in each of three columns."""
    rng = np.random.default_rng(0)
    concepts = [f"c{i}" for i in range(40)]
    tree = om.Taxonomy.from_edges([(concepts[i], concepts[(i - 1) // 3]) for i in range(1, 40)])
    frame = pd.DataFrame({"a": concepts, "b": rng.permutation(concepts), "c": rng.permutation(concepts)})
    return om.Microdata(frame, {name: om.Nominal(tree, domain="c0") for name in frame})


def know_method(data, masked, method, **options):
    """Attack masked data."""
    return informed.know_method(data, Pairing.of(data, masked), method, **options)


def literal_likelihood(pairing, factors):
    """P(x → y) of all tuples by their numbers, factor by factor."""
    before, after = pairing.original.indices, pairing.masked.indices
    out = np.ones((len(before), len(after)))
    for factor in factors:
        at = list(factor.attributes)
        rows, row_of = factor.bind([pairing.points[j] for j in at], before[:, at], after[:, at]).take(0, len(before))
        out *= rows[row_of]
    return out


def check_against_literal(pairing, best, p):
    """Compare guesses with the definitions, record by record; ``p[x, y]`` are the likelihoods."""
    pair, rows, tuples, _ = pairing.by_record
    originals, released = tuples[rows].tolist(), pairing.b[pair].tolist()
    probability = lambda x, y: float(p[x, y])  # noqa: E731
    linked = literal.bayes_linkage(originals, released, probability)
    recovered, posterior = literal.value_recovery(originals, released, probability)
    assert best.linked[pair] == pytest.approx(linked)
    assert best.recovered[pair] == pytest.approx(recovered)
    assert best.posterior[released] == pytest.approx(posterior)


METHODS = [
    om.UncorrelatedNoise(alpha=1.0),
    om.CorrelatedNoise(alpha=1.0, reference="root"),
    om.PRAM(stay=0.5),
    om.ProbabilisticDistortion(),
    om.DataSwapping(),
]


# Hand-worked


def test_two_values_that_change_places_are_read_back():
    data, method = symptoms("ache", "colic", "ache"), om.NaiveDistortion()
    result = method.mask(data, seed=0)
    found = know_method(data, result.data, method)
    assert result.frame["s"].tolist() == ["colic", "ache", "colic"]
    # Colic can only have been ache: of two rows each is as likely; ache can only have been colic.
    assert found.record_risk().tolist() == [0.5, 1.0, 0.5]
    assert found.linked == pytest.approx(200 / 3)
    assert found.linked_uniques == 100
    assert found.recovered == 100
    assert found.mode == pytest.approx(200 / 3)
    assert found.confident == {0.5: (100, 100), 0.9: (100, 100)}
    assert (found.basis, found.runs, found.error) == ("exact", 0, {"linked": 0, "recovered": 0})


def test_a_release_that_says_nothing_leaves_the_mode():
    data, method = symptoms("ache", "ache", "ache", "colic"), om.ProbabilisticDistortion()
    found = know_method(data, method.mask(data, seed=3).data, method)
    # Every row is as likely for everybody, and the commonest value is the best guess for all.
    assert found.record_risk() == pytest.approx(0.25)
    assert found.recovered == found.mode == 75
    assert found.confident[0.5] == (100, 75)
    assert found.confident[0.9][0] == 0
    assert math.isnan(found.confident[0.9][1])


def test_groups_are_guessed_by_their_commonest_tuple():
    data = symptoms("ache", "ache", "ache", "colic", "rash", "rash")
    method = om.Microaggregation(k=2)
    result = method.mask(data, seed=0)
    found = know_method(data, result.data, method)
    sizes = Counter(result.frame["s"])
    before = Counter(zip(data.frame["s"], result.frame["s"], strict=True))
    most = {y: max(n for (_, z), n in before.items() if z == y) for y in sizes}
    assert found.basis == "groups"
    assert found.linked == pytest.approx(100 * len(sizes) / 6)
    assert found.recovered == pytest.approx(100 * sum(most.values()) / 6)


def test_suppressed_records_are_neither_linked_nor_recovered():
    data = symptoms("ache", "ache", "rash")
    method = om.Suppression(k=2)
    found = know_method(data, method.mask(data).data, method)
    assert found.record_risk().tolist() == [0.5, 0.5, 0.0]
    assert found.linked == pytest.approx(100 / 3)
    assert found.linked_uniques == 0
    assert found.recovered == pytest.approx(200 / 3)
    everything = om.Suppression(k=3)
    found = know_method(data, everything.mask(data).data, everything)
    assert (found.linked, found.recovered) == (0, 0)


def test_nobody_is_unique():
    data, method = symptoms("ache", "ache", "rash", "rash"), om.PRAM()
    assert know_method(data, method.mask(data, seed=0).data, method).linked_uniques is None


# Literal


@settings(max_examples=60)
@given(microdata(mixed=False, kept=True, columns=3, least=2, most=16), st.sampled_from(METHODS), st.integers(0, 99))
def test_guesses_are_those_of_the_literal_posterior(data, method, seed):
    try:
        result = method.mask(data, seed=seed)
    except MaskingError:
        assume(False)
    pairing = Pairing.of(data, result.data)
    factors = method.transitions(data).factors
    best = best_guesses(pairing, Likelihood(pairing, factors))
    p = literal_likelihood(pairing, factors)
    assert best.own == pytest.approx(p[pairing.a, pairing.b])
    check_against_literal(pairing, best, p)


def test_groups_go_on_from_batch_to_batch(monkeypatch):
    rng = np.random.default_rng(2)
    names = ["ache", "colic", "rash", "pain", "symptom"]
    frame = pd.DataFrame({c: rng.choice(names, 60) for c in "abc"})
    data = om.Microdata(frame, {c: om.Nominal(TREE, domain="symptom") for c in "abc"})
    for method in METHODS:
        result = method.mask(data, seed=1)
        pairing = Pairing.of(data, result.data)
        factors = method.transitions(data).factors
        for tuples in (1, 2, 7):
            monkeypatch.setattr(likelihood, "_MOST", tuples)
            best = best_guesses(pairing, Likelihood(pairing, factors))
            check_against_literal(pairing, best, literal_likelihood(pairing, factors))


def literal_counts(again, pairing):
    """The estimate of P(x → y) from counts, as it is defined: seen values, and a little of the column."""
    p, q = len(pairing.original), len(pairing.masked)
    out, seen = np.ones((p, q)), np.zeros((p, q), dtype=bool)
    for j, (tuples, places, counts) in enumerate(again.columns):
        real = len(pairing.points[j])
        often = Counter()
        for x, v, n in zip(tuples.tolist(), places.tolist(), counts.sum(axis=1).tolist(), strict=True):
            often[x, v] += n
        column = [sum(n for (_, v), n in often.items() if v == w) + 1 / real for w in range(real)]
        for x in range(p):
            kept = pairing.original.indices[x, j] >= real
            total = sum(n for (z, _), n in often.items() if z == x) + (not kept)
            for y in range(q):
                v = int(pairing.masked.indices[y, j])
                usual = 0 if kept or v >= real else column[v] / sum(column)
                out[x, y] *= (often[x, v] + usual) / total
                seen[x, y] |= (x, v) in often
    return np.where(seen, out, 0.0)


@settings(max_examples=40)
@given(microdata(kept=True, columns=3, least=6, most=16), st.integers(0, 99))
def test_guesses_from_re_runs_are_those_of_the_literal_posterior(data, seed):
    method = om.RankSwapping(2)
    result = method.mask(data, seed=seed)
    pairing = Pairing.of(data, result.data)
    again = reruns.rerun(data, pairing, method, 5, 0)
    best = best_guesses(pairing, again.likelihoods())
    p = literal_counts(again, pairing)
    assert best.own == pytest.approx(p[pairing.a, pairing.b])
    assume((p[pairing.a, pairing.b] > 0).all())
    check_against_literal(pairing, best, p)


# Estimates


@dataclass(frozen=True, repr=False)
class Unknown(om.ProbabilisticDistortion):
    """A method that does not tell its probabilities."""

    def transitions(self, data):
        return None


@dataclass(frozen=True, repr=False)
class UnknownPram(om.PRAM):
    """The same of another one."""

    def transitions(self, data):
        return None


def test_re_runs_come_close_to_the_truth():
    rng = np.random.default_rng(1)
    names = ["ache", "colic", "rash", "pain"]
    frame = pd.DataFrame({c: rng.choice(names, 300, p=[0.5, 0.3, 0.15, 0.05]) for c in "ab"})
    data = om.Microdata(frame, {c: om.Nominal(TREE, domain="symptom") for c in "ab"})
    result = om.PRAM(stay=0.7).mask(data, seed=1)
    exact = know_method(data, result.data, om.PRAM(stay=0.7))
    found = know_method(data, result.data, UnknownPram(stay=0.7))
    assert (found.basis, found.runs) == ("estimated", 300)
    assert found.recovered == pytest.approx(exact.recovered, abs=max(3 * found.error["recovered"], 1.0))
    assert found.linked == pytest.approx(exact.linked, abs=1.0)


def test_more_runs_have_a_smaller_error():
    data = adult_data()
    method = om.RankSwapping(5, algorithm=1)
    result = method.mask(data, seed=1)
    few, many = (know_method(data, result.data, method, runs=runs).error["recovered"] for runs in (4, 40))
    assert 0 < many < few


def test_the_seed_of_the_masking_is_never_used_again():
    data, seed = symptoms(*["ache", "colic", "rash", "pain"] * 5), 0
    method = Unknown()
    drawn = []

    @dataclass(frozen=True, repr=False)
    class Watched(Unknown):
        def _plan(self, data, rng):
            drawn.append(rng.bit_generator.state["state"]["state"])
            return super()._plan(data, rng)

    result = method.mask(data, seed=seed)
    know_method(data, result.data, Watched(), runs=8, seed=seed)
    masking = np.random.default_rng(seed).bit_generator.state["state"]["state"]
    assert len(set(drawn)) == 8
    assert masking not in drawn


def test_the_same_seed_gives_the_same_figures():
    data = unique_records()
    method = om.RankSwapping(3)
    result = method.mask(data, seed=1)
    one, same, other = (know_method(data, result.data, method, runs=8, seed=seed) for seed in (1, 1, 2))
    assert (one.record_risk() == same.record_risk()).all()
    assert one.error == same.error
    assert (one.record_risk() != other.record_risk()).any()


ANY = [
    Scramble(),
    om.RankSwapping(2),
    om.RankSwapping(2, algorithm=2, interval="unswapped"),
    om.DistributionalRankSwapping(2),
    om.HeerResampling(samples=3),
    om.Recoding(k=2),
    om.Resampling(k=2),
    om.PRAM(),
]


@settings(max_examples=60)
@given(microdata(kept=True, least=4), st.sampled_from(ANY), st.integers(0, 99))
def test_figures_are_shares(data, method, seed):
    try:
        result = method.mask(data, seed=seed)
    except MaskingError:
        assume(False)
    found = know_method(data, result.data, method, runs=4)
    assert 0 <= found.linked <= 100 + 1e-9
    assert 0 <= found.recovered <= 100 + 1e-9
    assert found.record_risk().shape == (len(data),)
    assert found.linked == pytest.approx(100 * found.record_risk().mean())
    assert found.recovered == pytest.approx(100 * found.recovered_records.mean())
    suppressed = np.setdiff1d(np.arange(len(data)), result.data.rows)
    assert not found.record_risk()[suppressed].any()
    for share, precision in found.confident.values():
        assert 0 <= share <= 100
        assert math.isnan(precision) if share == 0 else 0 <= precision <= 100 + 1e-9
    if method.makes_groups:
        assert found.basis == "groups"
        assert found.linked <= 100 / method.k + 1e-9
        assert found.recovered >= found.mode * len(result.data) / len(data) - 100 + 1e-9


def test_kept_cells_may_be_suppressed_in_most_runs():
    frame = pd.DataFrame({"size": ["low"] * 3 + [None] * 10 + ["high"] * 7})
    data = om.Microdata(frame, {"size": om.Ordinal(["low", "high"])}, missing="keep")
    result = Scramble().mask(data, seed=0)
    for seed in range(60):
        assert 0 <= know_method(data, result.data, Scramble(), runs=2, seed=seed).linked <= 100


def test_noise_levels_of_records_are_estimated():
    data = symptoms(*["ache", "colic", "rash", "pain"] * 5)
    method = om.UncorrelatedNoise(alpha=np.linspace(0, 1, 20))
    found = know_method(data, method.mask(data, seed=1).data, method, runs=8)
    assert (found.basis, found.runs) == ("estimated", 8)
    assert found.linked > 0


# Tables that are too large


@pytest.mark.parametrize("method", [om.UncorrelatedNoise(alpha=0.3), UnknownPram(stay=0.5)], ids=str)
def test_large_tables_are_attacked_in_parts_and_never_look_safer(monkeypatch, method):
    rng = np.random.default_rng(4)
    names = ["ache", "colic", "rash", "pain", "symptom"]
    frame = pd.DataFrame({c: rng.choice(names, 1200, p=[0.4, 0.3, 0.15, 0.1, 0.05]) for c in "abc"})
    data = om.Microdata(frame, {c: om.Nominal(TREE, domain="symptom") for c in "abc"})
    result = method.mask(data, seed=1)
    at_once = know_method(data, result.data, method, runs=20)
    monkeypatch.setattr(parts, "_MOST", 1.0)
    monkeypatch.setattr(parts, "_LEAST", 100)
    found, same = (know_method(data, result.data, method, runs=20) for _ in range(2))
    assert (at_once.parts, found.parts, found.basis) == (1, 16, "bound")
    assert found.linked > at_once.linked
    assert found.recovered > at_once.recovered - 1
    assert (found.linked_records > 0).mean() > 0.2
    assert (found.linked_records == same.linked_records).all()
    assert (found.runs, found.error["linked"] > 0) == (at_once.runs, at_once.error["linked"] > 0)
    attacks = om.attack(data, result, runs=20)
    assert attacks.to_dict()["method"]["parts"] == 16
    assert any("16 random parts" in sentence for sentence in attacks.sentences)


def test_parts_are_as_few_as_the_work_allows(monkeypatch):
    data = symptoms(*["ache", "colic", "rash", "pain"] * 300)
    pairing = Pairing.of(data, om.PRAM().mask(data, seed=0).data)
    monkeypatch.setattr(parts, "_LEAST", 1)
    monkeypatch.setattr(parts, "_MOST", 1200 * 300)
    seen = []

    def work(part, tuples):
        assert (part.original.indices == pairing.original.indices[tuples]).all()
        seen.append(part.records)
        return part.records**2

    found = parts.RandomParts(pairing, work, 0)
    assert (found.number, seen) == (4, [1200, 600, 300])
    records = [found.part(i)[0] for i in range(found.number)]
    assert (np.sum(records, axis=0) == 1).all()


@settings(max_examples=30)
@given(microdata(kept=True, columns=2, least=8), st.integers(0, 99))
def test_a_part_is_the_pairing_of_its_records(data, seed):
    masked = Scramble().mask(data, seed=seed).data
    pairing = Pairing.of(data, masked)
    inside = np.random.default_rng(seed).random(len(data)) < 0.5
    assume(inside.any())
    part, tuples = pairing.part(inside)
    assert part.records == inside.sum()
    all_of, of_part = pairing.by_record, part.by_record
    assert (tuples[of_part.tuples] == all_of.tuples[inside]).all()
    assert part.suppressed.sum() == inside.sum() - inside[all_of.rows].sum()
    released = inside[all_of.rows]
    for whole, some in (
        (pairing.original.indices[pairing.a], part.original.indices[part.a]),
        (pairing.masked.indices[pairing.b], part.masked.indices[part.b]),
    ):
        assert (some[of_part.pair] == whole[all_of.pair[released]]).all()
    assert (np.flatnonzero(inside)[of_part.rows] == all_of.rows[released]).all()
    assert part.counts.sum() == part.masked.counts.sum() == released.sum()


# Misuse


def test_another_method_cannot_have_made_the_release():
    data = symptoms("ache", "colic", "rash", "ache")
    unchanged = om.PRAM(stay=0.999).mask(data, seed=0)
    assert unchanged.frame["s"].tolist() == data.frame["s"].tolist()
    with raises(TableError, parameter="method"):
        know_method(data, unchanged.data, om.NaiveDistortion())


def test_parameters_are_checked():
    data, other, method = symptoms("ache", "colic"), symptoms("ache", "colic", "ache"), om.PRAM()
    result, foreign = method.mask(data, seed=0), method.mask(other, seed=0)
    with pytest.raises(TableError):
        om.attack(other, result)
    with pytest.raises(TableError):
        om.attack(data, foreign)
    for runs in (1, 0, True, 2.0):
        with raises(TableError, parameter="runs"):
            know_method(data, result.data, method, runs=runs)


# Real data


def test_noise_on_adult_can_be_read_back(adult):
    method = om.UncorrelatedNoise(alpha=0.3)
    result = method.mask(adult, seed=1)
    found = know_method(adult, result.data, method)
    assert om.evaluate(adult, result).srl == pytest.approx(0.2, abs=0.04)
    assert found.recovered == pytest.approx(73.7, abs=1)
    assert found.mode == pytest.approx(12.4, abs=0.1)
    assert found.confident[0.9] == pytest.approx((47, 98), abs=1)
    # The posterior is calibrated: guesses of nine in ten are right at least as often.
    assert found.confident[0.9][1] >= 90


@pytest.mark.parametrize("reference", ["mean", "root"])
def test_correlated_noise_on_adult_can_be_read_back(adult, reference):
    method = om.CorrelatedNoise(alpha=0.3, reference=reference)
    assert know_method(adult, method.mask(adult, seed=1).data, method).recovered > 70


def test_rank_swapping_is_linked_more_often_than_one_in_k():
    data = unique_records()
    for interval in ("records", "unswapped"):
        method = om.RankSwapping(4, interval=interval)
        found = [know_method(data, method.mask(data, seed=seed).data, method).linked for seed in range(2)]
        assert np.mean(found) > 2 * 100 / 4


@pytest.mark.slow
def test_diagnoses_are_linked_twice_as_often_as_by_meaning(shared_data, tmp_path):
    import polars as pl

    frame = pl.read_csv(shared_data / "diabetes130.csv.gz", infer_schema=False)
    frame.sample(5000, seed=0).write_csv(tmp_path / "sample.csv")
    data = diabetes130_data(tmp_path / "sample.csv")
    method = om.RankSwapping()
    result = method.mask(data, seed=1)
    found = know_method(data, result.data, method, runs=80)
    # Over 160 seeds: 22.8, with a standard deviation of 0.6.
    assert om.evaluate(data, result).srl == pytest.approx(22.8, abs=2)
    assert found.linked == pytest.approx(41, abs=2)
