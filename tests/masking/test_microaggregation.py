from __future__ import annotations

import os
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import MaskingError, OntomaskError
from ontomask.masking import cluster_index as index_module
from ontomask.masking import neighbours, refinement, temporary
from ontomask.masking.cluster_index import cluster_index
from ontomask.masking.kernels import running_centroid
from ontomask.masking.mdav import clusters_around_extremes
from ontomask.masking.microaggregation import RELATED, Microaggregation
from ontomask.microdata.tuples import Tuples

from support import literal_microaggregation as literal
from support import literal_neighbours
from support.errors import raises
from support.grounds import Ground, parts, parts_of
from support.tables import microdata, personal_microdata, records_of

VARIANTS = ("refined", "sa_mdav", "sa_mdav_static", "mdav")


@st.composite
def cases(draw, **options):
    missing = draw(st.sampled_from(["error", "error", "root", "category"]))
    data = draw(microdata(least=2, missing=missing, **options))
    return data, draw(st.integers(2, len(data)))


# Against the literal versions


@given(cases(), st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_adaptive_clusters_are_those_of_algorithm_4(case, static, weigh_distant, weigh_closest, apart):
    data, k = case
    tuples = Tuples.of(data.table)
    ground = Ground(tuples)
    options = {"static": static, "weigh_distant": weigh_distant, "weigh_closest": weigh_closest, "apart": apart}
    found = clusters_around_extremes(cluster_index(tuples), k, **options)
    assert parts_of(found) == parts(literal.sa_mdav(ground, ground.records, k, **options))


@given(cases(), st.sampled_from(["semantic", "mode", "equality and mode"]))
def test_fixed_clusters_are_those_of_algorithm_3(case, how):
    data, k = case
    tuples = Tuples.of(data.table)
    strategy, equality = how.split(" and ")[-1], "equality" in how
    ground = Ground(tuples, strategy, equality=equality)
    found = clusters_around_extremes(cluster_index(tuples, strategy=strategy, equality=equality), k, fixed=True)
    assert parts_of(found) == parts(literal.mdav(ground, ground.records, k))


@given(cases(), st.sampled_from(["lcs", "semantic"]))
def test_clusters_around_least_common_subsumers(case, strategy):
    data, k = case
    tuples = Tuples.of(data.table)
    ground = Ground(tuples, strategy)
    field = cluster_index(tuples, strategy=strategy)
    assert parts_of(clusters_around_extremes(field, k, fixed=True)) == parts(literal.mdav(ground, ground.records, k))
    assert parts_of(clusters_around_extremes(field, k)) == parts(literal.sa_mdav(ground, ground.records, k))


@given(cases())
def test_bounded_clusters(case):
    data, k = case
    tuples = Tuples.of(data.table)
    ground = Ground(tuples)
    found = clusters_around_extremes(cluster_index(tuples), k, bounded=True, weigh_distant=True)
    assert parts_of(found) == parts(literal.bounded(ground, ground.records, k))
    sizes = np.bincount(found.cluster_of, weights=found.records)
    assert k <= sizes.min() <= sizes.max() <= 2 * k - 1


@given(cases(mixed=False), st.sampled_from([0.0, 0.0, 0.013, 0.21]))
@settings(max_examples=80)
def test_local_search(case, price):
    data, k = case
    tuples = Tuples.of(data.table)
    search = literal.Search(Ground(tuples), tuples.counts.tolist(), range(len(tuples)), k, price=price)
    ours = refinement.LocalSearch(cluster_index(tuples), np.arange(len(tuples)), k)
    ours.price = price

    def agree():
        assert parts([search.members(a) for a in search.numbers()]) == parts(
            [np.flatnonzero(ours.cluster == a).tolist() for a in np.unique(ours.cluster)]
        )
        assert ours.squares == pytest.approx(search.squares(), abs=1e-9)
        assert ours.cost == pytest.approx(search.cost(), abs=1e-9)
        assert min(search.size(a) for a in search.numbers()) >= k

    ours.join()
    search.join()
    agree()
    for _ in range(2):
        assert ours.reassign() == search.reassign()
        agree()
        assert ours.dissolve() == search.dissolve()
        agree()
        assert ours.split() == search.split()
        agree()


@given(cases(mixed=False), st.integers(1, 4), st.data())
@settings(max_examples=60)
def test_local_search_among_neighbours(case, number, draw):
    data, k = case
    tuples = Tuples.of(data.table)
    others = st.lists(st.integers(0, len(tuples) - 1), max_size=number, unique=True)
    near = draw.draw(st.lists(others, min_size=len(tuples), max_size=len(tuples)))
    near = [[u for u in one if u != t] for t, one in enumerate(near)]
    lists = np.array([one + [-1] * (number - len(one)) for one in near], dtype=np.int32)
    search = literal.Search(Ground(tuples), tuples.counts.tolist(), range(len(tuples)), k, near)
    ours = refinement.LocalSearch(cluster_index(tuples), np.arange(len(tuples)), k, lists)

    def agree():
        assert parts([search.members(a) for a in search.numbers()]) == parts(
            [np.flatnonzero(ours.cluster == a).tolist() for a in np.unique(ours.cluster)]
        )
        assert ours.squares == pytest.approx(search.squares(), abs=1e-9)
        assert min(search.size(a) for a in search.numbers()) >= k

    ours.join()
    search.join()
    agree()
    for step in ("reassign", "dissolve", "split", "exchange") * 2:
        assert getattr(ours, step)() == getattr(search, step)()
        agree()


@given(cases(), st.integers(2, 5), st.integers(1, 4), st.integers(1, 2))
@settings(max_examples=60)
def test_neighbours(case, part, most, divisions):
    data, _ = case
    tuples = Tuples.of(data.table)
    index = cluster_index(tuples)

    def distance(t, u):
        return int(running_centroid.to_point(index, t, index.node[u], index.coordinate[u]))

    with pytest.MonkeyPatch.context() as patch:
        sizes = {"_NEIGHBOURS": most, "_PART": part, "_DIVISIONS": divisions, "_FOLLOWED": 2}
        for name, value in sizes.items():
            patch.setattr(neighbours, name, value)
        found = neighbours.find_neighbours(index)
    options = {"most": most, "part": part, "divisions": divisions, "followed": 2}
    expected = literal_neighbours.neighbours(len(tuples), distance, np.random.default_rng(0), **options)
    assert [[u for u in one if u >= 0] for one in found.tolist()] == expected


def test_a_wide_table_is_searched_among_neighbours(monkeypatch):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(400, 5)).round(2), columns=list("abcde"))
    data = om.Microdata(frame, dict.fromkeys(frame, om.Numeric()))
    exact = om.evaluate(data, Microaggregation(5).mask(data, seed=0), attacks=False)
    monkeypatch.setattr(refinement, "_WIDE", (5, 400))
    near = om.evaluate(data, Microaggregation(5).mask(data, seed=0), attacks=False)
    assert exact.k >= 5 <= near.k
    assert exact.sse != near.sse < 1.05 * exact.sse


@given(cases(), st.sampled_from([0, 1000]), st.sampled_from([0.0, 0.05]))
@settings(max_examples=60)
def test_rounds_go_on_while_they_are_worth_it(case, few, price):
    data, k = case
    tuples = Tuples.of(data.table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(refinement, "_FEW", few)
        found, rounds = refinement.refined_clusters(cluster_index(tuples), k, price)
    ground = Ground(tuples)
    start = range(len(tuples))
    if not few:
        clusters = literal.sa_mdav(ground, ground.records, k, weigh_distant=True, apart=True)
        start = [next(c for c, members in enumerate(clusters) if t in members) for t in range(len(tuples))]
    search = literal.Search(ground, tuples.counts.tolist(), start, k)
    if few:
        search.join()
    search.price = price * search.squares_of(range(len(tuples)))
    best, cost, taken = list(search.cluster), search.cost(), 0
    while taken < 10:
        taken += 1
        changes = search.reassign() + search.dissolve() + search.split()
        gain = cost - search.cost()
        if gain > 0:
            best, cost = list(search.cluster), search.cost()
        if not changes or gain <= 0.02 * (cost + gain):
            break
    assert rounds == taken
    assert parts_of(found) == parts(
        [[t for t, c in enumerate(best) for _ in range(ground.tuples.counts[t]) if c == a] for a in set(best)]
    )


# What is released


@pytest.mark.parametrize("variant", VARIANTS)
@given(st.data())
@settings(max_examples=40)
def test_any_data_any_k(variant, draw):
    data, k = draw.draw(cases())
    result = Microaggregation(k, variant=variant).mask(data, seed=0)
    names = list(data.quasi_identifiers)
    after = records_of(result.frame, names)
    assert len(after) == len(data)
    assert min(Counter(after).values()) == result.guarantee.k >= k
    assert records_of(Microaggregation(k, variant=variant).mask(data, seed=0).frame, names) == after
    for name in names:
        if name.startswith("numeric") and data.policies[name].missing == "error":
            assert data.frame[name].min() <= result.frame[name].min() <= result.frame[name].max()
            assert result.frame[name].max() <= data.frame[name].max()


@pytest.mark.parametrize("centroid", ["semantic", "mode", "lcs"])
@pytest.mark.parametrize("variant", VARIANTS)
@given(st.data())
@settings(max_examples=25)
def test_clusters_are_released_as_their_centroids(variant, centroid, draw):
    data, k = draw.draw(cases(mixed=centroid == "lcs"))
    method = Microaggregation(k, variant=variant, centroid=centroid)
    tuples = Tuples.of(data.table)
    groups = method._group(tuples, np.random.default_rng(0))
    start = np.arange(len(tuples) + 1) if groups.start is None else groups.start
    records = tuples.counts if groups.records is None else groups.records
    members: dict[int, list[int]] = {}
    for t in range(len(tuples)):
        for entry in range(start[t], start[t + 1]):
            members.setdefault(int(groups.group[entry]), []).extend([t] * int(records[entry]))
    ground = Ground(tuples, centroid)
    for number, inside in members.items():
        assert len(inside) >= k
        assert tuple(points[number].item() for points in groups.points) == ground.centroid(inside)


# Options


def symptoms(**options):
    taxonomy = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("pain", "symptom"), ("rash", "symptom")])
    frame = pd.DataFrame(
        {
            "symptom": ["ache", "ache", "colic", "colic", "rash", "rash"],
            "age": [30, 31, 30, 33, 50, 53],
            "ward": ["a", "a", "a", "b", "b", "b"],
            "who": [1, 1, 2, 3, 4, 5],
        }
    )
    options = {"confidential": ["ward"], "other": ["who"], **options}
    return om.Microdata(frame, {"symptom": om.Nominal(taxonomy), "age": om.Numeric()}, **options)


def test_related_works_are_configurations():
    assert set(RELATED) == {"domingo_ferrer_torra", "abril", "bounded"}
    taxonomy = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("pain", "symptom"), ("rash", "symptom")])
    frame = pd.DataFrame({"symptom": ["ache", "ache", "colic", "rash", "rash", "rash"]})
    data = om.Microdata(frame, {"symptom": om.Nominal(taxonomy)})

    def released(name):
        return Microaggregation(3, **RELATED[name]).mask(data, seed=0).frame["symptom"].tolist()

    # To equality a colic is no nearer to aches than a rash is, and what is most frequent stands for all.
    assert Counter(released("domingo_ferrer_torra")) == {"ache": 3, "rash": 3}
    # By meaning rashes are apart, and pain is what aches and colics have in common.
    assert released("abril") == ["pain"] * 3 + ["rash"] * 3
    assert released("bounded") == ["ache"] * 3 + ["rash"] * 3


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"k": 1}, "k"),
        ({"k": 2.5}, "k"),
        ({"variant": "MDAV"}, "variant"),
        ({"join": "some"}, "join"),
        ({"comparison": "text"}, "comparison"),
        ({"centroid": "mean"}, "centroid"),
        ({"variant": "sa_mdav", "weigh_distant": 0}, "weigh_distant"),
        ({"variant": "sa_mdav", "weigh_closest": "yes"}, "weigh_closest"),
        ({"variant": "sa_mdav", "bounded": "no"}, "bounded"),
        ({"weigh_distant": False}, "weigh_distant"),
        ({"variant": "mdav", "bounded": True}, "bounded"),
        ({"variant": "mdav", "join": "below_k"}, "join"),
        ({"variant": "sa_mdav", "bounded": True, "join": "below_k"}, "bounded"),
        ({"prefer": "utility"}, "prefer"),
        ({"variant": "mdav", "prefer": "risk"}, "prefer"),
    ],
)
def test_parameters_are_checked(options, parameter):
    with raises(MaskingError, parameter=parameter):
        Microaggregation(**{"k": 2, **options})


def test_less_risk_costs_more_loss():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(18, 90, 400), "size": rng.integers(150, 200, 400)})
    data = om.Microdata(frame, {"age": om.Numeric(), "size": om.Numeric()})
    results = [Microaggregation(3, prefer=prefer).mask(data, seed=0) for prefer in ("loss", "balance", "risk")]
    assert results[0].frame.equals(Microaggregation(3).mask(data, seed=0).frame)
    assert all(result.guarantee.k >= 3 for result in results)
    found = [om.evaluate(data, result) for result in results]
    for less, more in pairwise(found):
        assert less.loss_percent < more.loss_percent
        assert (less.rl, less.srl, less.linked_by_method) > (more.rl, more.srl, more.linked_by_method)
        assert less.srl > more.srl
        assert less.linked_by_method > more.linked_by_method


def test_balance_lowers_the_score_of_equal_weights():
    data = om.Microdata(pd.DataFrame({"x": [*range(60), *range(200, 260)]}), {"x": om.Numeric()})
    scores = {}
    for prefer in ("loss", "balance", "risk"):
        result = Microaggregation(2, prefer=prefer).mask(data, seed=0)
        scores[prefer] = om.evaluate(data, result).loss_percent + 100 * len(result.data.table) / len(data)
    assert scores["balance"] == min(scores.values()) < scores["loss"]


def test_data_are_checked():
    with pytest.raises(MaskingError) as caught:
        Microaggregation(7).mask(symptoms())
    assert caught.value.parameter == "k"


def test_least_common_subsumers_of_numbers_are_ranges():
    result = Microaggregation(2, centroid="lcs").mask(symptoms())
    assert result.frame["age"].tolist() == ["30-31", "30-31", "30-33", "30-33", "50-53", "50-53"]
    assert result.frame["symptom"].tolist() == ["ache", "ache", "colic", "colic", "rash", "rash"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_fewer_distinct_tuples_than_clusters(variant):
    data = om.Microdata(pd.DataFrame({"age": [30] * 9 + [40]}), {"age": om.Numeric()})
    result = Microaggregation(3, variant=variant).mask(data, seed=0)
    assert result.guarantee.k >= 3
    equal = om.Microdata(pd.DataFrame({"age": [30] * 10}), {"age": om.Numeric()})
    assert Microaggregation(3, variant=variant).mask(equal, seed=0).frame["age"].tolist() == [30] * 10


def test_weighting_changes_what_is_built():
    rng = np.random.default_rng(0)
    data = om.Microdata(pd.DataFrame({"age": rng.geometric(0.1, 300)}), {"age": om.Numeric()})
    found = {
        (a, b): tuple(
            Microaggregation(9, variant="sa_mdav", weigh_distant=a, weigh_closest=b).mask(data).frame["age"].tolist()
        )
        for a in (False, True)
        for b in (False, True)
    }
    assert len(set(found.values())) == 4
    default = Microaggregation(9, variant="sa_mdav").mask(data).frame["age"].tolist()
    assert tuple(default) == found[True, False]


@given(cases())
@settings(max_examples=40)
def test_distances_in_a_file_are_those_in_memory(case):
    data, k = case
    tuples = Tuples.of(data.table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(temporary, "_IN_MEMORY", 0)
        patch.setattr(index_module, "_AT_ONCE", 3)
        on_disk = clusters_around_extremes(cluster_index(tuples), k)
    assert parts_of(on_disk) == parts_of(clusters_around_extremes(cluster_index(tuples), k))


# What is asked besides k: groups are merged


@given(personal_microdata(), st.integers(2, 4), st.sampled_from(["persons", "diversity", "closeness"]))
@settings(max_examples=80)
def test_groups_that_fall_short_are_merged_with_their_nearest(data, k, need):
    who, ward = data.frame["who"].tolist(), data.frame["ward"].tolist()
    share = {value: ward.count(value) / len(ward) for value in "abc"}

    def lacks_persons(rows):
        return len({who[row] for row in rows}) < k

    def falls_short(rows):
        inside = [ward[row] for row in rows]
        if need == "diversity":
            return len(set(inside)) < 2
        # With equal ground distances the earth mover's distance is the total variation (Li et al. 2007).
        far = sum(abs(inside.count(value) / len(inside) - share[value]) for value in "abc") / 2
        return need == "closeness" and far > 0.2 + 1e-9

    require = {"diversity": [om.Diversity("ward", 2)], "closeness": [om.Closeness("ward", 0.2)]}.get(need, [])
    method = Microaggregation(k, variant="sa_mdav", require=require)
    if len(set(who)) < k or (need == "diversity" and len(set(ward)) < 2):
        with pytest.raises(MaskingError):
            method.mask(data)
        return
    tuples = Tuples.of(data.table)
    ground, of_row = Ground(tuples), data.table.inverse.tolist()
    rows_of = {t: [row for row, at in enumerate(of_row) if at == t] for t in range(len(tuples))}
    start = clusters_around_extremes(cluster_index(tuples), k, weigh_distant=True).cluster_of.tolist()
    inside = [[t for t, c in enumerate(start) if c == a] for a in range(max(start) + 1)]
    suspects = list(range(len(inside)))
    rng = np.random.default_rng(7)
    while True:
        rows = [[row for t in group for row in rows_of[t]] for group in inside]
        points = [ground.centroid([t for t in group for _ in rows_of[t]]) for group in inside]
        hidden = [g for g in suspects if falls_short(rows[g])]
        short = [g for g in suspects if g in hidden or lacks_persons(rows[g])]
        if not short:
            break
        assert len(inside) > 1, "all records together comply"
        if hidden:
            # As many as fall short in their confidential values are merged without need.
            rest = [g for g in range(len(inside)) if g not in short]
            short = sorted([*short, *rng.choice(rest, min(len(hidden), len(rest)), replace=False).tolist()])
        waiting, merged = set(), {g: [g] for g in range(len(inside))}
        for g in short:
            if g not in waiting:
                others = [b for b in range(len(inside)) if b != g]
                other = literal.first_least(others, lambda b, g=g, points=points: ground.distance(points[g], points[b]))
                waiting |= {g, other}
                a, b = sorted(next(a for a, each in merged.items() if x in each) for x in (g, other))
                if a != b:
                    merged[a] = sorted(merged[a] + merged.pop(b))
        kept = sorted(merged)
        suspects = [kept.index(a) for a in kept if len(merged[a]) > 1]
        inside = [sorted(t for g in merged[a] for t in inside[g]) for a in kept]
    everything = np.arange(len(tuples), dtype=np.int32), list(range(len(tuples.points)))
    found = method._find(data, *everything, np.random.default_rng(7))
    assert [np.flatnonzero(found.group == a).tolist() for a in range(len(inside))] == inside
    assert list(zip(*(column.tolist() for column in found.points), strict=True)) == points
    result = method.mask(data)
    assert result.guarantee.unit == "persons"
    assert result.guarantee.k >= k


def test_semantic_closeness_asks_for_less_than_equality():
    # Groups of aches and of colics differ in every value, hardly in meaning.
    taxonomy = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain"), ("pain", "symptom"), ("rash", "symptom")])
    frame = pd.DataFrame({"age": [30, 30, 31, 31] * 5, "symptom": ["ache", "ache", "colic", "colic"] * 5})
    require = [om.Closeness("symptom", 0.3)]
    ages = {"age": om.Numeric()}
    meant = om.Microdata(frame, ages, confidential={"symptom": om.Nominal(taxonomy)})
    told = om.Microdata(frame, ages, confidential=["symptom"])
    assert Microaggregation(2, require=require).mask(meant).frame["age"].nunique() == 2
    assert Microaggregation(2, require=require).mask(told).frame["age"].nunique() == 1


def test_entropy_diversity():
    # Three of one and one of another are harder to guess than one value, not as hard as two.
    frame = pd.DataFrame({"age": [30, 30, 31, 31, 50, 50, 51, 51], "ward": list("aaabbabb")})
    data = om.Microdata(frame, {"age": om.Numeric()}, confidential=["ward"])
    for bound, groups in ((1.7, 2), (1.9, 1)):
        result = Microaggregation(4, require=[om.Diversity("ward", bound, kind="entropy")]).mask(data)
        assert result.frame["age"].nunique() == groups


@pytest.mark.parametrize(
    ("make", "parameter"),
    [
        (lambda: om.Diversity("ward", 1), "l"),
        (lambda: om.Diversity("ward", 2.5), "l"),
        (lambda: om.Diversity("ward", True), "l"),
        (lambda: om.Diversity("ward", float("nan"), "entropy"), "l"),
        (lambda: om.Diversity("ward", 1, "entropy"), "l"),
        (lambda: om.Diversity("ward", float("inf")), "l"),
        (lambda: om.Diversity("ward", float("inf"), "entropy"), "l"),
        (lambda: om.Diversity("ward", 2, "recursive"), "kind"),
        (lambda: om.Closeness("ward", -0.1), "t"),
        (lambda: om.Closeness("ward", float("nan")), "t"),
        (lambda: om.Closeness("ward", True), "t"),
    ],
)
def test_requirements_are_checked(make, parameter):
    with raises(MaskingError, parameter=parameter):
        make()


def test_requirements_that_cannot_hold():
    with pytest.raises(OntomaskError) as error:
        Microaggregation(2, require=[om.Diversity("salary", 2)]).mask(symptoms())
    assert error.value.column == "salary"
    with pytest.raises(MaskingError) as caught:
        Microaggregation(2, require=[om.Diversity("ward", 3)]).mask(symptoms())
    assert caught.value.parameter == "require"
    frame = pd.DataFrame({"age": [30, 31, 32, 33], "ward": list("aaab")})
    data = om.Microdata(frame, {"age": om.Numeric()}, confidential=["ward"])
    with pytest.raises(MaskingError) as caught:
        Microaggregation(2, require=[om.Diversity("ward", 2, kind="entropy")]).mask(data)
    assert caught.value.parameter == "require"


def test_closeness_needs_distances_up_to_1():
    taxonomy = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    frame = pd.DataFrame({"age": [30, 31, 32, 33], "symptom": ["ache", "ache", "colic", "colic"]})
    links = om.Nominal(taxonomy, {"name": "path", "raw": True})
    data = om.Microdata(frame, {"age": om.Numeric()}, confidential={"symptom": links})
    with pytest.raises(MaskingError) as caught:
        Microaggregation(2, require=[om.Closeness("symptom", 0.2)]).mask(data)
    assert caught.value.parameter == "require"


def test_where_tuples_are_divided_requirements_are_checked_only():
    frame = pd.DataFrame({"age": [30, 30, 30, 40, 40, 40], "ward": list("aaabbb")})
    data = om.Microdata(frame, {"age": om.Numeric()}, confidential=["ward"])
    with pytest.raises(MaskingError) as caught:
        Microaggregation(2, variant="mdav", require=[om.Diversity("ward", 2)]).mask(data, seed=0)
    assert caught.value.parameter == "require"


def test_other_methods_check_requirements():
    frame = pd.DataFrame({"age": [30, 30, 40, 40], "ward": list("aabb")})
    data = om.Microdata(frame, {"age": om.Numeric()}, confidential=["ward"])
    with raises(MaskingError, parameter="require", code="groups-too-small"):
        om.Recoding(2, require=[om.Diversity("ward", 2)]).mask(data, seed=0)


_DIAGNOSES = Path(os.environ.get("ONTOMASK_DATA", ".")) / "diabetes130.csv.gz"


@pytest.mark.skipif(not _DIAGNOSES.exists(), reason="needs the table of diagnoses (ONTOMASK_DATA)")
def test_diagnoses_of_persons():
    from ontomask.examples import diabetes130_data

    data = diabetes130_data(_DIAGNOSES, "diag_1", "diag_2", person=True)
    result = Microaggregation(5).mask(data)
    assert (result.guarantee.unit, len(result.data)) == ("persons", len(data))
    assert result.guarantee.k >= 5
    assert result.details["merged"] > 0


def test_a_note_says_that_ranges_show_rare_values():
    frame = pd.DataFrame({"age": [*[30] * 12, *[34] * 12, 8713, 41, 42, 43], "town": ["x"] * 28})
    data = om.Microdata(frame, {"age": om.Numeric(), "town": om.Category()})
    (note,) = om.Microaggregation(4, centroid="lcs").mask(data).notes
    assert (note.code, note.values["column"], note.values["number"]) == ("range-ends-rare", "age", 2)
    assert "8713" not in note
    assert "range-ends-rare" not in {note.code for note in om.Generalisation(4).mask(data).notes}
