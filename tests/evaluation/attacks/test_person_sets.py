"""Intruders who know all records of a person, where pseudonyms hold them together."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.evaluation.attacks import pseudonyms
from ontomask.evaluation.reading import read_masked

from support.literal_persons import holders, link_by_chances, link_sets, sets_of
from support.scrambling import Scramble, distance_between
from support.tables import microdata, records_of


@st.composite
def persons_with_towns(draw):
    table = draw(microdata(least=2))
    n = len(table)
    frame = table.frame.assign(
        town=draw(st.lists(st.sampled_from(["Ely", "Rye"]), min_size=n, max_size=n)),
        who=draw(st.lists(st.integers(0, n), min_size=n, max_size=n)),
    )
    kinds = {name: column.kind for name, column in table.quasi_identifiers.items()}
    return om.Microdata(frame, kinds, person="who", pseudonyms=True, other=["town"])


def literal_key(data, records):
    """How records are sorted: by the distance to the one that is most distant from the most frequent one."""
    distance, names = distance_between(data), list(data.quasi_identifiers)
    original = records_of(data.frame, names)
    points = {
        record: tuple(
            column.point[column.cells.index(cell)]
            if cell in column.cells
            else data.releases[column.name].points([cell])[0]
            for column, cell in zip(data.quasi_identifiers.values(), record, strict=True)
        )
        for record in {*original, *records}
    }
    counts = Counter(points[record] for record in original)
    one_of = {points[record]: record for record in points}
    common = min(counts, key=lambda point: (-counts[point], point))
    away = {point: distance(one_of[common], one_of[point]) for point in counts}
    first = min(point for point in counts if away[point] == max(away.values()))
    return {record: (round(distance(one_of[first], record), 9), points[record]) for record in points}


@given(persons_with_towns(), st.integers(0, 30))
@settings(max_examples=60)
def test_linkage_of_sets_is_that_of_the_definition(data, seed):
    result = Scramble().mask(data, seed=seed)
    found = om.attack(data, result.data)
    rows = result.data.rows
    if not len(rows):
        assert found.all_columns.linked == 0
        return
    names = list(data.quasi_identifiers)
    original = [records_of(data.frame, names)[row] for row in rows]
    masked = records_of(result.frame, names)
    units, town = result.frame["who"].tolist(), result.frame["town"].tolist()
    distance, key = distance_between(data), literal_key(data, masked)
    for known, kept in ((found.quasi_identifiers, [0] * len(rows)), (found.all_columns, town)):
        expected = np.zeros(len(data))
        expected[rows] = link_sets(original, masked, kept, units, distance, key)
        np.testing.assert_allclose(known.risk, expected, atol=1e-9)
        together = [(*record, value) for record, value in zip(masked, kept, strict=True)]
        who = data.frame["who"].to_numpy()[rows].tolist()
        assert known.k == min(map(len, holders(units, together, who).values()))
        assert known.knows_persons


def test_by_hand():
    # Ann and Bea have the same visits on other days; one by one they cannot be told apart from Cyd and Dan.
    frame = pd.DataFrame({"who": list("AABBCCDD"), "age": [1, 5, 1, 5, 1, 1, 5, 5]})
    data = om.Microdata(frame, {"age": om.Numeric()}, person="who", pseudonyms=True)
    unchanged = om.Suppression(k=2).mask(om.Microdata(frame, {"age": om.Numeric()}, person="who"))
    assert unchanged.guarantee.k == 3
    released = frame.assign(who=list("wwxxyyzz"))
    score = om.evaluate(data, released)
    assert (score.srl, score.k) == (25, 1)
    assert score.all_columns.linked == 100 * (0.5 * 4 + 4) / 8
    assert score.attacks.worst.percent == score.all_columns.linked
    result = om.Suppression(k=2).mask(data)
    assert result.data.rows.tolist() == [0, 1, 2, 3]
    assert om.evaluate(data, result).linked_by_method == 25


def test_the_intruder_who_knows_the_method_guesses_within_equal_sets():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"who": np.arange(60) // 2, "age": rng.integers(0, 9, 60)})
    data = om.Microdata(frame, {"age": om.Numeric()}, person="who", pseudonyms=True)
    result = om.Microaggregation(k=3).mask(data, seed=0)
    found = om.attack(data, result).method
    sets = sets_of(result.frame["who"], records_of(result.frame, ["age"]))
    size = Counter(sets.values())
    assert found.linked_records == pytest.approx([1 / size[sets[unit]] for unit in result.frame["who"]])
    assert found.linked <= 100 / 3


def test_pseudonyms_of_another_tool_are_recognised():
    frame = pd.DataFrame({"who": ["A", "A", "B", "B", "C"], "age": [1, 5, 1, 5, 1]})
    data = om.Microdata(frame, {"age": om.Numeric()}, person="who")
    theirs = frame.assign(who=["7", "7", "8", "8", "9"])
    masked, _ = read_masked(data, theirs)
    assert len(np.unique(masked.units)) == 3
    assert om.evaluate(data, theirs).all_columns.k == 1
    assert om.evaluate(data, theirs).all_columns.kept == ()
    # Whoever releases the identifiers themselves is found out at once.
    assert om.evaluate(data, frame).all_columns.kept == ("who",)
    assert om.evaluate(data, frame[["age"]]).k == 2


def test_a_file_with_pseudonyms_is_read_back(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"who": np.arange(60) // 2, "age": rng.integers(0, 9, 60), "cost": range(60)})
    data = om.Microdata(frame, {"age": om.Numeric()}, person="who", pseudonyms=True, confidential=["cost"])
    result = om.Microaggregation(k=3).mask(data, seed=0)
    written = result.write(tmp_path / "masked.csv")
    read = om.evaluate(data, om.read_table(written.path), rows=written.rows)
    ours = om.evaluate(data, result, attacks=False)
    assert (read.k, read.all_columns.linked) == (ours.k, pytest.approx(ours.all_columns.linked))


def test_homogeneity_looks_at_sets():
    frame = pd.DataFrame({"who": list("AABBCD"), "age": [1, 5, 1, 5, 1, 5], "ill": ["x", "y", "x", "z", "w", "z"]})
    data = om.Microdata(frame, {"age": om.Numeric()}, person="who", pseudonyms=True, confidential=["ill"])
    (found,) = om.attack(data, frame.assign(who=list("ttuuvw"))).homogeneity
    # Whoever has visits at 1 and 5 has x at the visit at 1. The others are alone.
    assert found.exposed.tolist() == [True, False, True, False, True, True]
    # x and y at other visits: everybody with these visits has both.
    swapped = frame.assign(ill=["x", "y", "y", "x", "w", "z"])
    data = om.Microdata(swapped, {"age": om.Numeric()}, person="who", pseudonyms=True, confidential=["ill"])
    (found,) = om.attack(data, swapped.assign(who=list("ttuuvw"))).homogeneity
    assert (found.quasi_identifiers, found.all_columns) == (100, 100)
    unlinked = om.attack(data, swapped.drop(columns="who")).homogeneity
    assert unlinked[0].quasi_identifiers == 0


def visits(persons, sizes, seed, values=5):
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(persons), rng.choice(sizes, persons))
    frame = pd.DataFrame({"who": who, "code": rng.choice(list("abcdefgh")[:values], len(who)), "year": who % 2})
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


def code_data(frame, **options):
    options = {"person": "who", "pseudonyms": True, "other": ["year"]} | options
    return om.Microdata(frame, {"code": om.Category()}, **options)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("by", [(), ("year",)])
def test_the_intruder_who_knows_the_method_links_whole_sets(seed, by):
    frame = visits(14, [1, 2, 3], seed)
    data, stay = code_data(frame), 0.4
    result = om.PRAM(stay=stay, by=by).mask(data, seed=seed)
    expected = np.zeros(len(frame))
    for part in frame.groupby("year").groups.values() if by else [frame.index]:
        codes = frame["code"][part]
        shares = codes.value_counts(normalize=True)

        def chance(x, y, shares=shares):
            return stay * (x == y) + (1 - stay) * shares[y]

        own = result.frame.loc[part]
        expected[part] = link_by_chances(codes.tolist(), own["code"].tolist(), own["who"].tolist(), chance)
    found = om.attack(data, result)
    assert found.method.basis == "exact"
    np.testing.assert_allclose(found.method.linked_records, expected, atol=1e-9)
    assert found.method.linked == pytest.approx(100 * expected.mean())
    again = code_data(frame, pseudonyms=False, identifiers=["who"], person=None)
    alone = om.attack(again, om.PRAM(stay=stay, by=by).mask(again, seed=seed))
    assert alone.method.linked < found.method.linked


def test_more_than_three_records_are_linked_by_their_mean_probabilities():
    frame = visits(30, [5], 1, values=8)
    data, stay = code_data(frame), 0.5
    result = om.PRAM(stay=stay).mask(data, seed=2)
    shares = frame["code"].value_counts(normalize=True)
    arguments = frame["code"].tolist(), result.frame["code"].tolist(), result.frame["who"].tolist()
    exact = link_by_chances(*arguments, lambda x, y: stay * (x == y) + (1 - stay) * shares[y])
    found = om.attack(data, result).method.linked
    assert 0.6 * 100 * np.mean(exact) < found
    assert found > 5 * 100 / 30


def test_many_pseudonyms_are_linked_in_random_parts(monkeypatch):
    data = code_data(visits(60, [2], 3))
    result = om.RankSwapping(k=3).mask(data, seed=3)
    whole = om.attack(data, result).method
    monkeypatch.setattr(pseudonyms, "_MOST_UNITS", 20)
    parts = om.attack(data, result).method
    assert (whole.parts, whole.basis) == (1, "estimated")
    assert (parts.parts, parts.basis) == (4, "bound")
    assert parts.linked >= whole.linked
    assert "linked" in whole.error
