"""Persons with several records: pseudonyms, sets of records that k persons share, and consistent values."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import MaskingError, TableError
from ontomask.masking.person_units import divide_persons
from ontomask.microdata.persons import draw_pseudonyms

from support.families import all_examples
from support.literal_persons import holders, sets_of
from support.tables import microdata, records_of

EDGES = [("ache", "pain"), ("colic", "pain"), ("lumbago", "ache"), ("migraine", "ache")]
EDGES += [("pain", "symptom"), ("inflammation", "symptom"), ("gastritis", "inflammation")]
SYMPTOMS = om.Nominal(om.Taxonomy.from_edges(EDGES), domain="symptom")
VALUES = ["ache", "colic", "lumbago", "migraine", "gastritis"]
NAMES = ["now", "then"]

METHODS = all_examples()
PROTECTING = [method for method in METHODS if method.masks_persons]
OTHERS = [method for method in METHODS if not method.masks_persons]


def visits(records=80, persons=35):
    rng = np.random.default_rng(5)
    now, then = ([VALUES[i] for i in rng.integers(0, 5, records)] for _ in range(2))
    who = [f"P{i:03d}" for i in rng.integers(0, persons, records)]
    return pd.DataFrame({"who": who, "now": now, "then": then, "cost": np.arange(records) % 4})


def roles(frame, **options):
    options = {"person": "who", "pseudonyms": True, "confidential": ["cost"]} | options
    return om.Microdata(frame, dict.fromkeys(NAMES, SYMPTOMS), **options)


@pytest.fixture(scope="module")
def data():
    return roles(visits())


def smallest_set(data, result, names=None):
    """The fewest persons that share a released set of records."""
    names = names or list(data.quasi_identifiers)
    who = data.frame[data.person].to_numpy()[result.data.rows]
    found = holders(result.frame[data.person], records_of(result.frame, names), who)
    return min(map(len, found.values()))


# Pseudonyms


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_records_of_a_person_stay_together_under_a_random_pseudonym(method, data):
    result = method.mask(data, seed=1)
    original = data.frame["who"].to_numpy()[result.data.rows]
    released = result.frame["who"]
    assert list(result.frame.columns) == ["who", *NAMES, "cost"]
    assert all(re.fullmatch("[b-df-hj-np-tv-z]{14}", text) for text in released)
    assert released.groupby(released).size().sum() == len(result.frame)
    # Nobody shares a pseudonym, and only divided persons have several.
    assert pd.Series(original).groupby(released.to_numpy()).nunique().max() == 1
    several = (pd.Series(released.to_numpy()).groupby(original).nunique() > 1).sum()
    assert several <= result.details.get("divided_persons", 0)
    again, other = method.mask(data, seed=1), method.mask(data, seed=2)
    assert again.frame.equals(result.frame)
    assert not set(other.frame["who"]) & set(released)


def test_pseudonyms_depend_on_nothing_but_random_numbers():
    first, second = draw_pseudonyms(1000, np.random.default_rng(1)), draw_pseudonyms(1000, np.random.default_rng(2))
    assert len({*first, *second}) == 2000
    assert {len(text) for text in first} == {14}
    # The order of persons in the table is not that of their pseudonyms.
    assert abs(np.corrcoef(np.argsort(np.argsort(first)), np.arange(1000))[0, 1]) < 0.1
    frame = visits()
    renamed = frame.assign(who=[f"{'x' * (i % 7)}{i}" for i in frame["who"].astype("category").cat.codes])
    by_name = om.PRAM().mask(roles(frame), seed=3).frame
    assert om.PRAM().mask(roles(renamed), seed=3).frame.equals(by_name)


@pytest.mark.parametrize("kind", ["category", "int", "pandas", "polars", "pyarrow"])
def test_any_column_can_hold_persons(kind):
    frame = visits()
    if kind == "category":
        frame["who"] = frame["who"].astype("category")
    elif kind == "int":
        frame["who"] = frame["who"].str[1:].astype(int)
    elif kind != "pandas":
        frame = pl.from_pandas(frame) if kind == "polars" else pl.from_pandas(frame).to_arrow()
    released = om.Microaggregation(k=2).mask(roles(frame), seed=0).frame
    cells = released["who"].to_pylist() if kind == "pyarrow" else list(released["who"])
    assert all(isinstance(cell, str) and len(cell) == 14 for cell in cells)
    if kind == "category":
        assert not isinstance(released["who"].dtype, pd.CategoricalDtype), "categories would show the order of persons"


def test_pseudonyms_need_persons():
    frame = visits()
    for options in ({"person": None, "identifiers": ["who"]}, {"pseudonyms": "yes"}):
        with pytest.raises(TableError) as caught:
            roles(frame, **options)
        assert caught.value.parameter == "pseudonyms"
    frame.loc[3, "who"] = None
    with pytest.raises(TableError) as caught:
        roles(frame)
    assert (caught.value.parameter, caught.value.column) == ("pseudonyms", "who")


def test_without_pseudonyms_nothing_changes(data):
    plain = roles(visits(), pseudonyms=False)
    result = om.Microaggregation(k=3).mask(plain, seed=0)
    assert list(result.frame.columns) == [*NAMES, "cost"]
    assert result.data.units is None


# k of sets


@pytest.mark.parametrize("method", PROTECTING, ids=repr)
def test_k_persons_share_every_set_of_records(method, data):
    result = method.mask(data, seed=1)
    assert (result.guarantee.claim, result.guarantee.unit) == ("k-anonymity", "persons")
    assert smallest_set(data, result) == result.guarantee.k >= method.k
    assert result.guarantee.text.code == "k-anonymous-persons"


def persons_by_missing_cells(data):
    """The persons of the records that lack the same cells."""
    found = defaultdict(list)
    for who, record in zip(data.frame["who"], records_of(data.frame, list(data.quasi_identifiers)), strict=True):
        found[tuple(cell is None for cell in record)].append(who)
    return found.values()


@pytest.mark.parametrize("method", [om.Microaggregation(k=2), om.Recoding(k=3), om.Suppression(k=2)], ids=repr)
@given(st.data())
@settings(max_examples=60)
def test_laws(method, draw):
    table = draw.draw(microdata(least=4, kept=draw.draw(st.booleans())))
    who = draw.draw(st.lists(st.integers(0, len(table) // 2), min_size=len(table), max_size=len(table)))
    kinds = {name: column.kind for name, column in table.quasi_identifiers.items()}
    data = om.Microdata(table.frame.assign(who=who), kinds, person="who", pseudonyms=True, missing="keep")
    if min(len(set(persons)) for persons in persons_by_missing_cells(data)) < method.k:
        if not isinstance(method, om.Suppression) or len(set(who)) < method.k:
            with pytest.raises(MaskingError) as caught:
                method.mask(data, seed=0)
            assert caught.value.parameter in ("k", "rare_kept")
            return
        if max(len(set(persons)) for persons in persons_by_missing_cells(data)) < method.k:
            return  # nothing can be released
    result = method.mask(data, seed=0)
    if len(result.frame):
        assert smallest_set(data, result) == result.guarantee.k >= method.k
    before, names = records_of(data.frame, list(kinds)), list(kinds)
    for row, record in zip(result.data.rows, records_of(result.frame, names), strict=True):
        assert [cell is None for cell in record] == [cell is None for cell in before[row]]
    # A person keeps its records, all of them or none.
    kept = Counter(np.array(who)[result.data.rows].tolist())
    assert len(result.frame) == len(data) or isinstance(method, om.Suppression)
    if not result.details["divided_persons"] and not any(note.code.startswith("rare-kept") for note in result.notes):
        assert all(kept[person] == who.count(person) for person in kept)


@pytest.mark.parametrize("method", OTHERS, ids=repr)
def test_a_method_that_protects_no_sets_says_so_with_a_number(method, data):
    result = method.mask(data, seed=1)
    assert (result.guarantee.claim, result.guarantee.k) == ("", None)
    (note,) = [note for note in result.notes if note.code == "persons-linkable"]
    who = data.frame["who"].to_numpy()[result.data.rows]
    found = holders(result.frame["who"], records_of(result.frame, NAMES), who)
    unique = {person for persons in found.values() if len(persons) == 1 for person in persons}
    assert note.values["percent"] == pytest.approx(100 * len(unique) / len(set(who)))
    assert note.values["smallest"] == min(map(len, found.values())) == 1
    assert om.evaluate(data, result, attacks=False).k == 1
    if hasattr(method, "k") and method.makes_groups:
        assert result.guarantee.text.code == "persons-not-protected"
        assert result.guarantee.text.values["achieved"] >= method.k


def test_whole_rows_count_sets_of_kept_columns():
    frame = visits().assign(year=np.arange(80) % 3)
    data = roles(frame, other=["year"])
    result = om.Microaggregation(k=2).mask(data, seed=0)
    who = frame["who"].to_numpy()
    found = holders(result.frame["who"], records_of(result.frame, [*NAMES, "year"]), who)
    sets = sets_of(result.frame["who"], records_of(result.frame, [*NAMES, "year"]))
    alone = np.mean([len(found[sets[unit]]) == 1 for unit in result.frame["who"]])
    (note,) = [note for note in result.notes if note.code == "rows-unique"]
    assert note.values["percent"] == pytest.approx(100 * alone)
    score = om.evaluate(data, result)
    assert (score.all_columns.uniques, score.all_columns.k) == (pytest.approx(100 * alone), 1)
    with pytest.raises(MaskingError):
        om.Microaggregation(k=2, require=[om.AllColumnsK(2)]).mask(data)


def test_diversity_and_combinations_hold_for_sets(data):
    required = [om.Diversity("cost", 2), om.ColumnsK(4, ["now"])]
    result = om.Microaggregation(k=2, require=required).mask(data, seed=0)
    assert smallest_set(data, result) >= 2
    assert smallest_set(data, result, ["now"]) >= 4
    sets = sets_of(result.frame["who"], records_of(result.frame, NAMES))
    costs = defaultdict(set)
    for unit, cost, record in zip(
        result.frame["who"], result.frame["cost"], records_of(result.frame, NAMES), strict=True
    ):
        costs[sets[unit], record].add(cost)
    assert min(map(len, costs.values())) >= 2


def test_hierarchies_are_used_for_every_record_of_a_person(data):
    hierarchy = om.build_hierarchy(VALUES, om.Taxonomy.from_edges(EDGES))
    result = om.Generalisation(k=2, hierarchies={"now": hierarchy}).mask(data, seed=0)
    assert smallest_set(data, result) >= 2


def test_strata_have_pseudonyms_of_their_own():
    frame = visits().assign(year=np.arange(80) % 2)
    data = roles(frame, other=["year"])
    result = om.Microaggregation(k=2, by=["year"]).mask(data, seed=0)
    assert result.frame.groupby("who")["year"].nunique().max() == 1
    for year in (0, 1):
        inside = result.frame["year"] == year
        part = result.frame[inside]
        found = holders(part["who"], records_of(part, NAMES), frame["who"][inside])
        assert min(map(len, found.values())) >= 2
    assert om.PRAM(by=["year"]).mask(data, seed=0).frame.groupby("who")["year"].nunique().max() == 1


def test_suppression_has_a_limit_for_the_whole_table(data):
    for mode in ("records", "cells"):
        free = om.Suppression(k=2, mode=mode).mask(data)
        needed = len(data) - len(free.frame)
        if mode == "cells":
            needed = sum(free.details["suppressed_cells"].values()) / 2
            assert free.details["suppressed_cells"].keys() == set(NAMES)
            assert {note.values["column"] for note in free.notes if note.code == "root-released"} == set(NAMES)
        else:
            assert free.details["suppressed"] == needed
        with pytest.raises(MaskingError) as caught:
            om.Suppression(k=2, mode=mode, limit=needed / len(data) - 0.001).mask(data)
        assert caught.value.parameter == "limit"


def test_a_plan_with_pseudonyms_is_saved_and_verified(data, tmp_path):
    result = om.Microaggregation(k=3).mask(data, seed=0)
    om.save_plan(result, tmp_path / "persons.plan")
    masked = om.load_plan(tmp_path / "persons.plan").apply(data)
    assert (masked.units == result.plan.units).all()
    for seed in range(5):
        strangers = data.frame.assign(who=np.random.default_rng(seed).permutation(data.frame["who"].to_numpy()))
        with pytest.raises(om.PlanError) as caught:
            result.plan.apply(roles(strangers))
        assert caught.value.code == "other-persons"
    score = om.evaluate(data, om.Microaggregation(k=3).plan(data))
    assert {"anonymity", "all_columns", "confidential"} <= score.absent.keys()


@pytest.mark.parametrize("policy", ["drop", "root"])
def test_rare_missing_cells_are_dropped_or_become_the_root(policy):
    frame = visits()
    frame.loc[[3, 20], "then"] = None
    with pytest.raises(MaskingError) as caught:
        om.Microaggregation(k=3).mask(roles(frame, missing="keep"))
    assert caught.value.parameter == "k"
    data = roles(frame, missing="keep", rare_kept=policy)
    result = om.Microaggregation(k=3).mask(data, seed=0)
    assert smallest_set(data, result) >= 3
    assert len(result.frame) == (78 if policy == "drop" else 80)
    assert result.frame["then"].notna().all()
    (note,) = [note for note in result.notes if note.code.startswith("rare-kept")]
    assert note.values["records" if policy == "drop" else "cells"] == 2


@pytest.mark.parametrize("method", PROTECTING, ids=repr)
def test_the_order_of_the_rows_does_not_matter(method, data):
    frame = data.frame.iloc[np.random.default_rng(3).permutation(80)].reset_index(drop=True)
    result, other = method.mask(data, seed=0), method.mask(roles(frame), seed=0)
    released, again = (
        Counter(sets_of(one.frame["who"], records_of(one.frame, NAMES)).values()) for one in (result, other)
    )
    assert released == again


# Persons with rare numbers of records


@given(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from([0, 0, 0, 1])), min_size=1, max_size=60),
    st.integers(2, 4),
    st.integers(0, 9),
)
def test_persons_are_divided_until_every_number_of_records_is_frequent(records, k, seed):
    who, kinds = (np.array(part, dtype=np.int32) for part in zip(*records, strict=True))
    who = np.unique(who, return_inverse=True)[1].astype(np.int32)
    of_kind = [len(set(who[kinds == kind].tolist())) for kind in np.unique(kinds)]
    if min(of_kind) < k:
        with pytest.raises(MaskingError) as caught:
            divide_persons(who, kinds, k, np.random.default_rng(seed))
        assert caught.value.parameter == "k"
        return
    units = divide_persons(who, kinds, k, np.random.default_rng(seed))
    assert set(units.tolist()) == set(range(units.max() + 1))
    sets = sets_of(units.tolist(), kinds.tolist())
    persons = defaultdict(set)
    for unit, person in zip(units.tolist(), who.tolist(), strict=True):
        persons[unit].add(person)
    assert all(len(found) == 1 for found in persons.values())
    classes = defaultdict(set)
    for unit, found in sets.items():
        classes[found] |= persons[unit]
    assert min(map(len, classes.values())) >= k
    # Nobody is divided without need.
    whole = holders(who.tolist(), kinds.tolist(), who.tolist())
    if all(len(found) >= k for found in whole.values()):
        assert units.max() + 1 == who.max() + 1


def test_rare_numbers_of_records_are_cut_into_frequent_ones():
    who = np.repeat(np.arange(11), [1, 1, 1, 2, 2, 2, 3, 3, 3, 8, 1])
    units = divide_persons(who.astype(np.int32), np.zeros(len(who), dtype=np.int32), 3, np.random.default_rng(0))
    assert sorted(np.bincount(units[who == 9])[np.unique(units[who == 9])].tolist()) == [2, 3, 3]
    assert all(len(set(units[who == person])) == 1 for person in range(9))


# Consistent values

CONSISTENT = [om.PRAM(stay=0.3), om.NaiveDistortion(), om.ProbabilisticDistortion(), om.UncorrelatedNoise(alpha=0.5)]
CONSISTENT += [om.Generalisation(k=2, mode="full_domain"), om.Suppression(k=2)]


@pytest.mark.parametrize("method", CONSISTENT, ids=repr)
@pytest.mark.parametrize("pseudonyms", [True, False])
def test_equal_values_of_a_person_stay_equal(method, pseudonyms):
    frame = visits(200, 150 if isinstance(method, om.Suppression) else 20)
    data = roles(frame, pseudonyms=pseudonyms)
    result = replace(method, consistent=True).mask(data, seed=0)
    for name in NAMES:
        found = defaultdict(set)
        for row, after in zip(result.data.rows, result.frame[name], strict=True):
            found[frame["who"][row], frame[name][row]].add(after)
        assert max(map(len, found.values())) == 1
    assert len(result.guarantee.also) == 1
    if isinstance(method, om.UncorrelatedNoise):
        keys = list(zip(frame["who"], frame["now"], strict=True))
        errors = dict(zip(keys, result.noise["now"], strict=True))
        assert [errors[key] for key in keys] == result.noise["now"].tolist()


def test_a_value_of_a_person_is_drawn_with_the_probabilities_of_the_method():
    frame = pd.DataFrame({"who": np.repeat(np.arange(4000), 3), "now": ["ache"] * 6000 + ["colic"] * 6000})
    data = om.Microdata(frame, {"now": SYMPTOMS}, person="who")
    released = om.PRAM(stay=0.5, consistent=True).mask(data, seed=0).frame["now"]
    stayed = (released == frame["now"]).to_numpy().reshape(-1, 3)
    assert (stayed == stayed[:, :1]).all()
    assert stayed[:, 0].mean() == pytest.approx(0.75, abs=0.03)


@pytest.mark.parametrize(
    "method",
    [
        om.Microaggregation(k=2),
        om.Recoding(k=2),
        om.RankSwapping(k=2),
        om.CorrelatedNoise(),
        om.Generalisation(k=2),
        om.Suppression(k=2, mode="cells"),
        om.UncorrelatedNoise(alpha=[0.1, 0.2] * 40),
    ],
    ids=repr,
)
def test_methods_that_mask_whole_records_refuse(method, data):
    with pytest.raises(MaskingError) as caught:
        replace(method, consistent=True).mask(data)
    assert caught.value.parameter == "consistent"


def test_consistent_values_need_persons_in_one_stratum():
    frame = visits().assign(year=np.arange(80) % 2)
    with pytest.raises(MaskingError) as caught:
        om.PRAM(consistent=True).mask(roles(frame, person=None, pseudonyms=False, identifiers=["who", "year"]))
    assert caught.value.parameter == "consistent"
    with pytest.raises(MaskingError) as caught:
        om.PRAM(stay=0.1, consistent=True, by=["year"]).mask(roles(frame, other=["year"]), seed=0)
    assert caught.value.parameter == "consistent"
    apart = frame.assign(year=[int(text[1:]) % 2 for text in frame["who"]])
    assert om.PRAM(consistent=True, by=["year"]).mask(roles(apart, other=["year"]), seed=0).guarantee.also
    for options in ({"consistent": True}, {}):
        with pytest.raises(MaskingError) as caught:
            om.UncorrelatedNoise(**options).fit(roles(frame, identifiers=["year"]))
        assert caught.value.parameter == ("consistent" if options else "pseudonyms")


def test_a_note_says_what_pseudonyms_reveal_in_spite_of_diversity():
    # Each group of records has both illnesses, but so has everybody under a pseudonym.
    frame = pd.DataFrame({"who": np.arange(8) // 2, "age": [1, 5] * 4, "ill": list("xyyxxyyx")})
    kinds, diverse = {"age": om.Numeric()}, om.Microaggregation(k=2, require=[om.Diversity("ill", 2)])
    linked = om.Microdata(frame, kinds, person="who", pseudonyms=True, confidential=["ill"])
    (note,) = [note for note in diverse.mask(linked, seed=0).notes if note.code == "diversity-of-records"]
    assert (note.values["column"], note.values["percent"]) == ("ill", 100)
    apart = om.Microdata(frame, kinds, person="who", confidential=["ill"])
    assert "diversity-of-records" not in {note.code for note in diverse.mask(apart, seed=0).notes}


def test_two_releases_with_one_seed_cannot_be_joined_by_their_pseudonyms(data):
    first, again, other = (om.Microaggregation(k=k).mask(data, seed=2**70).frame["who"] for k in (2, 2, 3))
    assert first.tolist() == again.tolist()
    assert not set(first) & set(other)


def test_identifiers_that_look_alike_are_noted():
    frame = visits(records=6).assign(who=["P1", "P1\u200b", "P2", "P\u00a02", "P3", " P3 "])
    (note,) = [note for note in roles(frame).notes if note.code == "persons-similar"]
    # Blanks around an identifier make no other person.
    assert (note.values["column"], note.values["number"]) == ("who", 2)
    assert "persons-similar" not in {note.code for note in roles(visits()).notes}
