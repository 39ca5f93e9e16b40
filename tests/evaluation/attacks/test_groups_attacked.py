"""Homogeneity, minimality, downcoding, composition: literal definitions, hand-worked cases, and Adult."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import TableError
from ontomask.evaluation.attacks.columns import ReleasedColumns
from ontomask.evaluation.attacks.downcoding import downcode
from ontomask.evaluation.attacks.homogeneity import find_homogeneous
from ontomask.evaluation.attacks.minimality import exploit_minimality, posterior_of_suspect
from ontomask.evaluation.pairing import Pairing
from ontomask.evaluation.reading import read_masked
from ontomask.examples.adult import adult_data, full_adult_data

from support import literal_intruders as literal
from support.errors import raises
from support.scrambling import Scramble
from support.tables import personal_microdata, records_of

# symptom <- {pain <- {ache, colic}, rash <- {hives, acne, rosacea}}
TREE = om.Taxonomy.from_edges(
    [("pain", "symptom"), ("rash", "symptom"), ("ache", "pain"), ("colic", "pain")]
    + [(leaf, "rash") for leaf in ("hives", "acne", "rosacea")]
)


def ages(values, **roles):
    return om.Microdata(pd.DataFrame({"age": values} | roles.pop("more", {})), {"age": om.Numeric()}, **roles)


@given(personal_microdata(), st.integers(0, 50))
@settings(max_examples=60)
def test_homogeneous_records_are_those_of_the_definition(data, seed):
    masked = Scramble().mask(data, seed=seed).data
    names = list(data.quasi_identifiers)
    found = find_homogeneous(ReleasedColumns(data, masked))
    if not len(masked):
        assert found == ()
        return
    values = data.frame["ward"].to_numpy()[masked.rows].tolist()
    expected = literal.homogeneous(records_of(masked.frame, names), values)
    assert found[0].quasi_identifiers == pytest.approx(100 * np.mean(expected))
    assert found[0].exposed[masked.rows].tolist() == expected


def test_kept_columns_make_groups_homogeneous():
    more = {"town": ["Ely", "Ely", "Rye", "Rye"], "illness": ["flu", "flu", "gout", "gout"]}
    data = ages([30, 31, 32, 33], more=more, confidential=["illness"], other=["town"])
    masked, _ = read_masked(data, data.frame.assign(age=31))
    (found,) = find_homogeneous(ReleasedColumns(data, masked))
    assert (found.quasi_identifiers, found.all_columns) == (0, 100)


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
    st.integers(1, 6),
    st.integers(2, 4),
    st.sampled_from([0.0, 0.25, 1.0]),
)
def test_the_posterior_counts_all_assignments(counts, size, l, chance):  # noqa: E741
    values = [value for value, count in enumerate(counts) for _ in range(count)]
    size = min(size, len(values))
    possible = any(len({values[i] for i in range(start, start + size)}) < l for start in range(len(values) - size + 1))
    if chance == 0 and not possible:
        return
    expected = literal.posterior_of_suspect(values, size, l, chance)
    found = posterior_of_suspect(counts, size, l, chance)
    np.testing.assert_allclose(found, [expected.get(v, 0.0) for v in range(len(counts))], atol=1e-9)


def test_a_merger_for_diversity_alone_would_give_the_value_away():
    # Four flus and a group with two gouts: only the four can be the group that had one value.
    assert posterior_of_suspect([6, 2], 4, 2, 0.0).tolist() == [1, 0]
    # Were groups merged without regard to their values, nothing would be learnt.
    assert posterior_of_suspect([6, 2], 4, 2, 1.0) == pytest.approx([6 / 8, 2 / 8])


@pytest.mark.parametrize("column", ["salary-class", "workclass"])
def test_mergers_without_need_leave_nobody_certain(column, monkeypatch):
    data = adult_data("occupation", "native-country", confidential=[column])
    method = om.Microaggregation(5, require=[om.Diversity(column, 2)])
    result = method.mask(data, seed=0)
    (found,) = exploit_minimality(data, result.data, method)
    assert result.details["merged_without_need"] > 0
    assert found.suspected > 0
    assert (found.certain, found.persons) == (0, 0)
    assert found.likely > 0
    # Without them hundreds would be certain.
    posterior = posterior_of_suspect
    monkeypatch.setattr(
        "ontomask.evaluation.attacks.minimality.posterior_of_suspect", lambda *given: posterior(*given[:3], 0.0)
    )
    (told,) = exploit_minimality(data, result.data, method)
    assert told.persons > 300


def test_an_intruder_who_is_nearly_sure_is_told_of():
    """Of many confidential values, a group drawn at random rarely looks like one that fell short."""
    full = full_adult_data()
    known = {name: full.quasi_identifiers[name].kind for name in ("sex", "age", "education", "native-country")}
    data = om.Microdata(full.frame[[*known, "occupation"]], known, confidential=["occupation"])
    method = om.Microaggregation(5, require=[om.Diversity("occupation", 2)])
    result = method.mask(data, seed=0)
    (found,) = exploit_minimality(data, result.data, method)
    assert found.certain == 0
    assert 50 < found.sure * len(data) / 100 < 150
    assert found.sure <= found.likely
    (told,) = [f for f in om.attack(data, result).findings if f.intruder == "minimality"]
    assert told.percent == found.sure
    assert f"{found.sure:.3g} %" in told.sentence


def test_the_same_seed_merges_the_same_groups():
    data = adult_data("occupation", "native-country", confidential=["salary-class"])
    method = om.Microaggregation(5, require=[om.Diversity("salary-class", 2)])
    assert method.mask(data, seed=3).frame.equals(method.mask(data, seed=3).frame)
    assert not method.mask(data, seed=3).frame.equals(method.mask(data, seed=4).frame)


def test_closeness_is_measured_by_merged_records():
    data = ages([1, 2, 3, 50, 51, 52], more={"illness": list("aaabbb")}, confidential=["illness"])
    method = om.Microaggregation(3, require=[om.Closeness("illness", 0.1)])
    (found,) = exploit_minimality(data, method.mask(data, seed=0).data, method)
    assert (found.merged, found.certain, found.sure, found.likely) == (100, None, None, None)


def test_methods_that_do_not_merge_give_nothing_away_by_it():
    data = ages([1, 2, 50, 51], more={"illness": list("abab")}, confidential=["illness"])
    method = om.Recoding(2, require=[om.Diversity("illness", 2)])
    assert exploit_minimality(data, method.mask(data, seed=0).data, method) == ()


def symptoms(values):
    frame = pd.DataFrame({"symptom": values, "age": range(len(values))})
    return om.Microdata(frame, {"symptom": om.Nominal(TREE, domain="symptom")}, other=["age"])


def generalised(data, k):
    method = om.Generalisation(k)
    masked = method.mask(data, seed=0).data
    return downcode(Pairing.of(data, masked), method), masked


def test_two_of_two_branches_are_known():
    # pain has two kinds, and was not needed for one of them alone: there is one of each.
    found, masked = generalised(symptoms(["ache", "colic", "hives", "hives"]), 2)
    assert masked.frame["symptom"].tolist() == ["pain", "pain", "hives", "hives"]
    assert (found.cells, found.certain, found.guessed, found.base) == (2, 100, 100, 50)


def test_three_branches_leave_it_open():
    found, masked = generalised(symptoms(["hives", "acne", "rosacea", "rosacea", "rosacea"]), 2)
    assert sorted(set(masked.frame["symptom"])) == ["rash", "rosacea"]
    assert (found.cells, found.certain) == (2, 0)


@given(st.lists(st.sampled_from(TREE.ids), min_size=4, max_size=14), st.integers(2, 4))
@settings(max_examples=60)
def test_downcoding_is_that_of_the_definition(values, k):
    data = symptoms(values)
    found, masked = generalised(data, k)
    groups = defaultdict(list)
    for value, released in zip(values, masked.frame["symptom"], strict=True):
        groups[released].append(value)
    expected = literal.downcode(
        groups, {c: c for c in groups}, values, lambda value, top: top in TREE.subsumers(value), TREE.children
    )
    cells, certain, guessed, base = expected
    assert found.cells == cells
    if cells:
        shares = [100 * part / cells for part in (certain, guessed, base)]
        assert [found.certain, found.guessed, found.base] == pytest.approx(shares)


def test_only_local_generalisation_is_downcoded():
    data = symptoms(["ache", "colic", "hives", "hives"])
    for method in (om.Generalisation(2, mode="full_domain"), om.Microaggregation(2)):
        assert downcode(Pairing.of(data, method.mask(data).data), method) is None
    assert downcode(Pairing.of(data, om.Microaggregation(2).mask(data).data), None) is None


@given(personal_microdata(), st.integers(0, 20))
@settings(max_examples=60)
def test_joint_groups_are_those_of_the_definition(data, seed):
    releases = [Scramble().mask(data, seed=s) for s in (seed, seed + 100)]
    names = list(data.quasi_identifiers)
    tables = []
    for release in releases:
        table = [None] * len(data)
        for row, record in zip(release.data.rows, records_of(release.frame, names), strict=True):
            table[row] = record
        tables.append(table)
    if not all(len(release.data) for release in releases):
        with raises(TableError, code="no-records"):
            om.compose(*releases)
        return
    found, sizes = om.compose(*releases), literal.compose(*tables)
    assert found.k == min(sizes, default=0)
    assert found.uniques == pytest.approx(100 * sum(s == 1 for s in sizes) / max(len(sizes), 1))
    k = min(found.first.k, found.second.k)
    assert found.below == pytest.approx(100 * sum(s < k for s in sizes) / max(len(sizes), 1))


def test_two_releases_of_four_persons():
    data = ages([1, 2, 3, 4], more={"who": list("aabb")}, person="who")
    first, second = (read_masked(data, pd.DataFrame({"age": a}))[0] for a in ([1, 1, 3, 3], [1, 3, 3, 1]))
    found = om.compose(first, second)
    assert (found.first.k, found.k, found.uniques, found.below) == (2, 1, 100, 100)
    assert om.compose(first, first, data=data).joint.unit == "persons"
    assert om.compose(first, first).below == 0


@pytest.mark.parametrize("second", [pd.DataFrame({"age": [1]}), None])
def test_only_releases_can_be_composed(second):
    data = ages([1, 2])
    with raises(TableError, code="not-a-release"):
        om.compose(read_masked(data, data.frame)[0], second)
