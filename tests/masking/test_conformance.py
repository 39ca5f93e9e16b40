"""One suite for all masking methods: what each of them owes to whoever uses it."""

from __future__ import annotations

import copy
import pickle
import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.base.notes import Note
from ontomask.errors import MaskingError, OntomaskError
from ontomask.evaluation.reading import read_masked
from ontomask.microdata.masked import MaskedData

from support.errors import raises
from support.families import all_examples
from support.tables import microdata, personal_microdata, records_of

# Wildcards count records only, so this one cannot be among the examples that other tests mask persons with.
METHODS = [*all_examples(), om.Suppression(k=2, mode="cells", semantics="wildcard")]
NOMINAL_ONLY = [method for method in METHODS if method.nominal_only]

every_method = pytest.mark.parametrize("method", METHODS, ids=repr)


def mask(method, data, seed=0):
    """The result; ``None`` if the method refuses such data."""
    try:
        return method.mask(data, seed=seed)
    except MaskingError:
        return None


def names_of(data):
    return list(data.quasi_identifiers)


@every_method
@given(st.data())
def test_laws(method, draw):
    data = draw.draw(microdata(least=2, mixed=not method.nominal_only, kept=draw.draw(st.booleans())))
    check_laws(method, data, mask(method, data))


@every_method
def test_laws_on_ordinary_data(method):
    """Random tables may be refused, such as two records for k = 3. Ordinary ones must not be."""
    check_masks_ordinary_data(method)


def check_masks_ordinary_data(method):
    tables = [roles(people()), *([] if method.nominal_only else [with_numbers(people())])]
    if getattr(method, "reference", None) != "root":
        # All categories are equally far from their top.
        tables.append(with_categories(people()))
    for data in tables:
        check_laws(method, data, method.mask(data, seed=0))


def test_a_method_that_refuses_everything_fails():
    @dataclass(frozen=True, repr=False)
    class Refusing(om.NaiveDistortion):
        def check(self, data):
            raise MaskingError("No data are good enough.", code="refusing")

    with raises(MaskingError, code="refusing"):
        check_masks_ordinary_data(Refusing())


def check_laws(method, data, result):
    before = records_of(data.frame, names_of(data))
    state = copy.deepcopy(np.random.get_state()[1])
    again = mask(method, data)
    assert (result is None) == (again is None)
    assert records_of(data.frame, names_of(data)) == before, "the input was changed"
    assert (np.random.get_state()[1] == state).all(), "the global generator was used"
    if result is None:
        return
    after = records_of(result.frame, names_of(data))
    assert records_of(again.frame, names_of(data)) == after, "the same seed gave another result"
    assert len(after) == len(result.data) == len(result.data.rows)
    assert result.frame.index.equals(pd.RangeIndex(len(after)))
    assert list(result.frame.columns) == [name for name in data.frame.columns if name not in data.identifiers]
    for row, record in zip(result.data.rows, after, strict=True):
        for cell, original in zip(record, before[row], strict=True):
            assert (cell is None) == (original is None), "a kept cell was masked, or a cell was lost"

    # Released cells can be read back as the points they stand for, and are inside the domain.
    if len(after) == len(before):
        read = read_masked(data, result.frame)[0]
        for name, column in result.data.columns.items():
            known = ~column.kept[column.code]
            again = read.columns[name]
            np.testing.assert_array_equal(
                again.point[again.code][known], column.point[column.code][known], err_msg="read back otherwise"
            )
    check_guarantee(method, result, after)


def check_guarantee(method, result, after):
    guarantee = result.guarantee
    assert guarantee.text
    described = () if getattr(method, "unsafe_seed", False) else method.about.guarantees
    assert guarantee.claim in (described or ("",)), "it claims another guarantee than it describes"
    if guarantee.claim == "k-anonymity" and after:
        smallest = min(Counter(after).values())
        assert smallest == guarantee.k >= method.k
        assert str(guarantee.k) in guarantee.text
    elif not guarantee.claim:
        assert guarantee.k is None
        assert guarantee.text.code == "no-guarantee"


# Methods that divide tuples cannot: which person's records go where is left to chance.
@pytest.mark.parametrize(
    "method",
    [
        om.Recoding(k=2),
        om.Microaggregation(k=2),
        om.Microaggregation(k=3, variant="sa_mdav"),
        om.Generalisation(k=2),
        om.Generalisation(k=2, mode="full_domain"),
        om.Suppression(k=2),
        om.Suppression(k=2, mode="cells"),
    ],
    ids=repr,
)
@given(st.data())
def test_k_counts_persons(method, draw):
    data = draw.draw(personal_microdata(mixed=not method.nominal_only))
    who = data.frame["who"].tolist()
    if len(set(who)) < method.k:
        with pytest.raises(MaskingError) as caught:
            method.mask(data, seed=0)
        assert caught.value.parameter == "k"
        return
    result = method.mask(data, seed=0)
    assert result.guarantee.unit == "persons"
    together: dict[tuple, set] = {}
    for row, record in zip(result.data.rows, records_of(result.frame, names_of(data)), strict=True):
        together.setdefault(record, set()).add(who[row])
    if together:
        assert min(map(len, together.values())) == result.guarantee.k >= method.k


@every_method
@given(st.data())
def test_a_plan_does_the_same_again(method, draw):
    data = draw.draw(microdata(least=2, mixed=not method.nominal_only))
    result = mask(method, data)
    if result is None:
        return
    again = MaskedData.of_plan(data, result.plan.apply(data, np.random.default_rng(0)))
    names = names_of(data)
    assert Counter(records_of(again.frame, names)) == Counter(records_of(result.frame, names))


@every_method
@given(st.data())
@settings(max_examples=15)
def test_the_order_of_the_rows_does_not_change_the_plan(method, draw):
    mixed = not method.nominal_only
    data = draw.draw(st.one_of(microdata(least=2, mixed=mixed, kept=True), personal_microdata(mixed=mixed)))
    shuffled = in_another_order(data, draw.draw(st.integers(0, 99)))
    try:
        plan = method.plan(data, seed=0)
    except MaskingError:
        with pytest.raises(MaskingError):
            method.plan(shuffled, seed=0)
        return
    assert joint(plan.counts()) == joint(method.plan(shuffled, seed=0).counts())


@every_method
def test_the_order_of_the_rows_does_not_change_the_released_records(method):
    # Metric privacy refuses to keep cells: a release would show which these are.
    policies = () if isinstance(method, (om.MetricPrivacy, om.SyntheticRecords)) else ("error", "drop", "root")
    tables = [with_cells_kept(people(), rare_kept=policy) for policy in policies]
    tables += [] if method.nominal_only else [with_numbers(people())]
    tables += [] if getattr(method, "reference", None) == "root" else [with_categories(people())]
    for data in tables:
        result, other = (method.mask(table, seed=0) for table in (data, in_another_order(data, 1)))
        assert joint(result.plan.counts()) == joint(other.plan.counts())
        released, again = (Counter(records_of(one.frame, names_of(data))) for one in (result, other))
        assert released == again


def in_another_order(data, seed):
    order = np.random.default_rng(seed).permutation(len(data))
    kinds = {name: column.kind for name, column in data.quasi_identifiers.items()}
    roles = {"identifiers": data.identifiers, "person": data.person, "confidential": data.confidential}
    frame = data.frame.iloc[order].reset_index(drop=True)
    fields = ("missing", "missing_tokens", "unmapped")
    policies = {field: {name: getattr(own, field) for name, own in data.policies.items()} for field in fields}
    return om.Microdata(frame, kinds, **roles, **policies, rare_kept=data.rare_kept)


def joint(counts):
    """Records by original and masked tuple. (Two clusters may have the same centroid.)"""
    found = Counter()
    for original, masked, records in counts.show(len(counts)):
        found[original, masked] += records
    return found


def people(kind=pd.DataFrame):
    """Forty records with an identifier, a kept column and an index that is no count."""
    values = ["ache", "colic", "lumbago", "migraine", "gastritis"]
    rng = np.random.default_rng(5)
    frame = {
        "name": [f"person {i}" for i in range(40)],
        "now": [values[i] for i in rng.integers(0, 5, 40)],
        "then": [values[i] for i in rng.integers(0, 5, 40)],
        "income": rng.integers(1, 9, 40).tolist(),
    }
    return kind(frame)


EDGES = [("ache", "pain"), ("colic", "pain"), ("lumbago", "ache"), ("migraine", "ache")]
EDGES += [("pain", "symptom"), ("inflammation", "symptom"), ("gastritis", "inflammation")]
SYMPTOMS = om.Nominal(om.Taxonomy.from_edges(EDGES), domain="symptom")


def roles(frame):
    return om.Microdata(frame, {"now": SYMPTOMS, "then": SYMPTOMS}, identifiers=["name"], confidential=["income"])


def with_cells_kept(frame, rare_kept):
    """Two different cells are kept as they are, each in three records, so that k = 3 is possible."""
    now = frame["now"].astype(object)
    now[[3, 17, 30]], now[[4, 9, 21]] = "unknown", "none"
    if rare_kept != "error":
        now[[11, 12]] = ["rare", "unique"]
    policies = {"unmapped": "keep", "rare_kept": rare_kept}
    kinds = {"now": SYMPTOMS, "then": SYMPTOMS}
    return om.Microdata(frame.assign(now=now), kinds, identifiers=["name"], confidential=["income"], **policies)


def with_categories(frame):
    groups = {"pain": ["ache", "colic", "back pain"], "back pain": ["lumbago"]}
    values = ["ache", "colic", "lumbago", "migraine", "gastritis"]
    pains = om.Category(groups, top="any symptom", values=values)
    kinds = {"now": pains, "then": pains}
    return om.Microdata(frame, kinds, identifiers=["name"], confidential=["income"])


def with_numbers(frame):
    kinds = {"now": SYMPTOMS, "income": om.Numeric(grid=[0, 10, 1])}
    return om.Microdata(frame, kinds, identifiers=["name"], confidential=["then"])


@every_method
def test_every_kind_of_frame_gives_the_same(method):
    expected = method.mask(roles(people()), seed=3).frame
    assert list(expected.columns) == ["now", "then", "income"]
    for kind in (pl.DataFrame, lambda columns: pl.DataFrame(columns).to_arrow()):
        frame = people(kind)
        released = method.mask(roles(frame), seed=3).frame
        assert type(released) is type(frame)
        as_pandas = released.to_pandas()
        assert as_pandas.to_dict("list") == expected.to_dict("list")


@every_method
def test_other_columns_stay_and_metadata_does_not(method):
    frame = people()
    frame.attrs = {"source": "survey"}
    result = method.mask(roles(frame), seed=1)
    assert result.frame["income"].tolist() == frame["income"].iloc[result.data.rows].tolist()
    assert (result.frame.attrs, frame.attrs) == ({}, {"source": "survey"})


@every_method
def test_seeds(method):
    data = roles(people())
    by_number = method.mask(data, seed=7).frame
    by_generator = method.mask(data, seed=np.random.default_rng(7)).frame
    assert by_number.equals(by_generator)
    assert len(method.mask(data).frame) <= 40
    for seed in (-1, 1.5, "x", True):
        with raises(MaskingError, parameter="seed"):
            method.mask(data, seed=seed)


@every_method
def test_what_is_shared_has_no_original_beside_an_identifier(method):
    result = method.mask(roles(people()), seed=2**64 + 2)
    told = " ".join([repr(result), str(result.guarantee), *result.notes])
    assert "person " not in told
    assert "seed" not in told.replace("unsafe_seed", "")
    for note in (*result.notes, result.guarantee.text):
        assert isinstance(note, Note), "a report shows no plain text"
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", note.code)


@every_method
def test_a_method_can_be_copied_pickled_and_read(method):
    data = roles(people())
    expected = method.mask(data, seed=4).frame
    assert pickle.loads(pickle.dumps(method)).mask(data, seed=4).frame.equals(expected)
    rebuilt = eval(repr(method), {name: getattr(om, name) for name in om.__all__})
    assert rebuilt.mask(data, seed=4).frame.equals(expected)


@every_method
def test_only_microdata_are_masked(method):
    with raises(MaskingError, parameter="data"):
        method.mask(people(), seed=0)


@pytest.mark.parametrize("method", NOMINAL_ONLY, ids=repr)
def test_other_kinds_of_column_are_refused(method):
    frame = pd.DataFrame({"age": [30, 40, 50]})
    with pytest.raises(MaskingError) as caught:
        method.mask(om.Microdata(frame, {"age": om.Numeric()}), seed=0)
    assert caught.value.column == "age"


@every_method
@pytest.mark.parametrize("records", [1, 2, 30])
def test_equal_records_and_single_ones_are_an_error_or_an_obvious_result(method, records):
    frame = people().iloc[[0] * records].reset_index(drop=True)
    try:
        result = method.mask(roles(frame), seed=0)
    except OntomaskError:
        return  # any other kind of error is a crash
    assert len(result.frame) in (0, records)
