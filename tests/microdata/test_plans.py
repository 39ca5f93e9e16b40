from __future__ import annotations

import json
import stat
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.microdata import RecordPlan, TuplePlan
from ontomask.microdata.plan import SUPPRESSED

from support.errors import raises

T = om.Taxonomy.from_edges(
    [("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("fever", "symptom")], {"ache": ["ache", "aching"]}
)


def data_of(values: list[str | None], ages: list[int] | None = None, **options: object) -> om.Microdata:
    frame = pd.DataFrame({"x": values, "age": ages or [1] * len(values)})
    return om.Microdata(frame, {"x": om.Nominal(T, domain="symptom"), "age": om.Numeric()}, **options)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def released(data: om.Microdata, masked) -> pd.DataFrame:
    return data.release(masked.cells, masked.codes, masked.suppressed)


def refused(code: str) -> AbstractContextManager[object]:
    return raises(om.PlanError, code=code)


def to_one_tuple(data: om.Microdata) -> TuplePlan:
    """Everything becomes pain, aged 3: neither occurs in the data."""
    table = data.table
    new = [np.array([data.quasi_identifiers["x"].domain.code("pain")]), np.array([3.0])]
    outcome = np.array([[len(values) for values in table.values]])
    return TuplePlan.of(
        table, outcome=np.zeros(len(table)), outcome_tuples=outcome, new_points=new, promise={"k": len(data)}
    )


def test_new_points_are_released_and_read_back():
    data = data_of(["ache", "colic", "ache"], [1, 2, 5])
    masked = to_one_tuple(data).apply(data, rng())
    frame = released(data, masked)
    assert frame.to_dict("list") == {"x": ["pain"] * 3, "age": [3] * 3}
    assert frame["age"].dtype == data.frame["age"].dtype


def test_records_of_a_tuple_are_shared_out_at_random_in_the_given_numbers():
    data = data_of(["ache"] * 60 + ["colic"] * 40)
    table = data.table
    # ache (tuple 0): 20 stay, 30 become colic, 10 are left out; colic stays.
    plan = TuplePlan.of(
        table,
        start=np.array([0, 3, 4]),
        outcome=np.array([0, 1, SUPPRESSED, 1]),
        records=np.array([20, 30, 10, 40]),
        outcome_tuples=table.tuples,
    )
    masked = plan.apply(data, rng(1))
    assert int(masked.suppressed.sum()) == 10
    frame = released(data, masked)
    assert Counter(frame["x"]) == {"ache": 20, "colic": 70}
    # Rows are numbered anew: gaps would tell which were left out.
    assert frame.index.equals(pd.RangeIndex(90))
    again = plan.apply(data, rng(1))
    other = plan.apply(data, rng(2))
    assert (again.codes["x"] == masked.codes["x"]).all()
    assert (again.suppressed == masked.suppressed).all()
    assert (other.suppressed != masked.suppressed).any()


def test_other_data_are_shared_out_in_proportion():
    data = data_of(["ache"] * 6 + ["colic"] * 4)
    table = data.table
    plan = TuplePlan.of(
        table,
        start=np.array([0, 2, 3]),
        outcome=np.array([0, 1, 1]),
        records=np.array([2, 4, 4]),
        outcome_tuples=table.tuples,
    )
    masked = plan.apply(data_of(["ache"] * 31), rng())
    shares = np.bincount(masked.codes["x"])
    assert shares.sum() == 31
    assert shares.max() in (20, 21)


def test_kept_cells_stay():
    data = data_of(["ache", None, "colic"], missing="keep")
    table = data.table
    plan = TuplePlan.of(table, outcome=np.arange(len(table)), outcome_tuples=table.tuples)
    masked = plan.apply(data, rng())
    assert released(data, masked)["x"].tolist()[0::2] == ["ache", "colic"]
    assert pd.isna(released(data, masked)["x"].iloc[1])
    assert int(masked.kept["x"][masked.codes["x"]].sum()) == 1


@given(st.lists(st.sampled_from(["ache", "colic", "fever"]), min_size=1, max_size=30), st.integers(0, 5))
def test_identity_plan_gives_the_table_back(values, seed):
    data = data_of(values, [i % 3 for i in range(len(values))])
    table = data.table
    plan = TuplePlan.of(table, outcome=np.arange(len(table)), outcome_tuples=table.tuples)
    assert released(data, plan.apply(data, rng(seed))).equals(data.frame)


# Bookkeeping and files --------------------------------------------------------------------------------------


def some_plan() -> tuple[om.Microdata, TuplePlan]:
    data = data_of(["ache", None, "colic", "ache"], [1, 2, 3, 1], missing="keep")
    table = data.table
    outcome = np.zeros(len(table), dtype=int)
    new = [np.array([data.quasi_identifiers["x"].domain.code("pain")]), np.array([2.5])]
    places = np.array([[len(table.values[0]), len(table.values[1])], table.tuples[-1]])
    outcome[-1] = 1
    return data, TuplePlan.of(table, outcome=outcome, outcome_tuples=places, new_points=new, promise={"k": 1})


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"records": np.array([1, 1, 1])}, "counts"),
        ({"outcome": np.array([0, 0, 9], dtype=np.int32)}, "unknown-outcome"),
        ({"outcome": np.array([0, 0, -2], dtype=np.int32)}, "unknown-outcome"),
        ({"start": np.array([0, 1, 2])}, "shape"),
        ({"values": ()}, "shape"),
        ({"sizes": np.array([[2], [1], [1]])}, "shape"),
        ({"records": np.array([[2], [1], [1]])}, "shape"),
        ({"start": np.array([0, 2, 1, 3])}, "shape"),
        ({"start": np.array([0, 1, 2, 3], dtype=np.uint64)}, "not-integer"),
        ({"sizes": np.array([0, 1, 1]), "records": np.array([0, 1, 1])}, "counts"),
    ],
)
def test_plans_are_validated(change, code):
    _, plan = some_plan()
    with refused(code):
        replace(plan, **change)


def test_saved_plans_are_private_and_the_same(tmp_path):
    data, plan = some_plan()
    path = tmp_path / "job.plan"
    om.save_plan(plan, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = om.load_plan(path)
    assert again.show() == plan.show()
    assert again.promise == {"k": 1}
    masked, other = plan.apply(data, rng()), again.apply(data, rng())
    assert released(data, masked).equals(released(data, other))
    assert list(tmp_path.iterdir()) == [path]


def rewrite(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the header of a plan file."""
    with np.load(path) as archive:
        parts = dict(archive)
    header = json.loads(parts["header"].tobytes())
    change(header)
    with path.open("wb") as file:
        np.savez(file, **parts | {"header": np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)})


def to_version_2(header: dict[str, Any]) -> None:
    """Version 2 listed all values in "outcome_keys", and the originals of a tuple plan in "keys"."""
    header |= {"version": 2, "outcome_keys": header.pop("keys")}
    if header["kind"] == "TuplePlan":
        header["keys"] = [keys[:-1] for keys in header["outcome_keys"]]  # each column has one new value


def test_files_of_version_2_are_read(tmp_path):
    path = tmp_path / "p.plan"
    data, plan = some_plan()
    records = data_of(["ache", "colic", "ache"], [1, 1, 2])
    for own, saved in ((data, plan), (records, record_plan(records))):
        om.save_plan(saved, path)
        rewrite(path, to_version_2)
        assert released(own, om.load_plan(path).apply(own, 0)).equals(released(own, saved.apply(own, 0)))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"version": 1}, "version"),
        ({"version": 4}, "version"),
        ({"promise": {"k": "2"}}, "damaged-file"),
        ({"promise": {"k": None}}, "damaged-file"),
        ({"names": [1, 2]}, "damaged-file"),
    ],
)
def test_plan_files_with_a_wrong_header(tmp_path, change, code):
    om.save_plan(some_plan()[1], tmp_path / "p.plan")
    rewrite(tmp_path / "p.plan", lambda header: header.update(change))
    with refused(code):
        om.load_plan(tmp_path / "p.plan")


def test_plan_is_shown_for_reading():
    _, plan = some_plan()
    assert plan.show(1) == ["(ache, 1.0) × 2 → (pain, 2.5) × 2"]


def test_plan_for_other_columns_or_tuples(tmp_path):
    _, plan = some_plan()
    with refused("unknown-tuples"):
        plan.apply(data_of(["fever"] * 3), rng())
    renamed = om.Microdata(pd.DataFrame({"y": ["ache"]}), {"y": om.Nominal(T)})
    with raises(om.PlanError, code="other-columns") as caught:
        plan.apply(renamed, rng())
    assert caught.value.code == "other-columns"


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no", b'{"a": 1}'])
def test_damaged_plan_files(tmp_path, content):
    path = tmp_path / "p"
    path.write_bytes(content)
    with refused("damaged-file"):
        om.load_plan(path)
    with refused("no-file"):
        om.load_plan(tmp_path / "absent")


def record_plan(data: om.Microdata) -> RecordPlan:
    domain = data.quasi_identifiers["x"].domain
    points = [domain.codes(["pain", "fever"]), np.array([7.0])]
    outcome = np.array([[0, 0], [1, 0], [-1, -1]])  # the third record keeps value 0 of each column
    return RecordPlan.of(data, points, outcome, {"x": np.array([0.1, -0.2, 0.0])})


def test_record_plans_name_the_outcome_of_every_record(tmp_path):
    data = data_of(["ache", "colic", "ache"], [1, 1, 2])
    plan = record_plan(data)
    om.save_plan(plan, tmp_path / "r.plan")
    again = om.load_plan(tmp_path / "r.plan")
    assert isinstance(again, RecordPlan)
    assert again.errors["x"].tolist() == [0.1, -0.2, 0.0]
    for p in (plan, again):
        assert released(data, p.apply(data)).to_dict("list") == {"x": ["pain", "fever", "ache"], "age": [7, 7, 1]}
    assert "x: pain × 1" in plan.show()


def test_record_plans_fit_one_table_only():
    data = data_of(["ache", "colic", "ache"], [1, 1, 2])
    with refused("other-data"):
        record_plan(data).apply(data_of(["colic", "ache", "ache"], [1, 1, 2]))
    with refused("shape"):
        replace(record_plan(data), errors={"x": np.zeros(2)})
    with refused("unknown-value"):
        replace(record_plan(data), outcome=np.full((3, 2), 99, dtype=np.int32))


def plan_with_errors(data: om.Microdata) -> TuplePlan:
    """The records listed by tuple: the first of each tuple is kept as it is, the others become pain, aged 3."""
    table, tuples = data.table, data.table.record_tuples
    is_first = np.diff(tuples, prepend=-1) > 0
    new = np.where(is_first[:, None], table.tuples[tuples], [len(values) for values in table.values])
    new_points = [data.quasi_identifiers["x"].domain.codes(["pain"]), np.array([3.0])]
    errors = {"x": np.where(is_first, 0, np.arange(1, len(data) + 1))}
    return TuplePlan.of_records(table, new, tuples, new_points=new_points, errors=errors)


def test_errors_go_with_the_records_that_they_were_drawn_for(tmp_path):
    data = data_of(["colic", "ache", "ache", "colic", "ache", "fever"], [1, 1, 1, 1, 1, 2])
    plan = plan_with_errors(data)
    om.save_plan(plan, tmp_path / "p.plan")
    drawn: dict[str, set[float]] = {"ache": set(), "colic": set(), "fever": set()}
    for p in (plan, om.load_plan(tmp_path / "p.plan")):
        assert {name: errors.tolist() for name, errors in p.errors.items()} == {"x": plan.errors["x"].tolist()}
        for seed in range(20):
            masked = p.apply(data, seed)
            frame, errors = released(data, masked), masked.errors["x"]
            assert ((frame["x"] == "pain") == (errors > 0)).all()
            assert sorted(errors) == sorted(plan.errors["x"])
            for value, error in zip(data.frame["x"], errors, strict=True):
                drawn[value].add(error)
    # Every record may get each error of its tuple, and no other.
    assert [len(found) for found in drawn.values()] == [3, 2, 1]
    assert set.intersection(*drawn.values()) == {0}


def test_a_plan_with_errors_needs_the_same_counts_in_any_order():
    data = data_of(["ache", "colic", "ache"])
    plan = plan_with_errors(data)
    turned = plan.apply(data_of(["ache", "ache", "colic"]), 0)
    assert sorted(turned.errors["x"][:2]) == [0, plan.errors["x"].max()]
    assert turned.errors["x"][2] == 0
    for other in (["ache", "colic"], ["ache", "ache"], ["ache", "ache", "ache", "colic"]):
        with refused("other-counts"):
            plan.apply(data_of(other), 0)
    with refused("shape"):
        replace(plan, errors={"x": np.zeros(2)})


# Other data, promises, damage -------------------------------------------------------------------------------


def keep_all(data: om.Microdata, **options: object) -> TuplePlan:
    table = data.table
    return TuplePlan.of(table, outcome=np.arange(len(table)), outcome_tuples=table.tuples, **options)


def test_a_plan_masks_a_part_of_its_data():
    frame = pd.DataFrame({"x": ["ache", "colic", "fever", None]})
    whole = om.Microdata(frame, {"x": om.Nominal(T)}, missing="keep")
    part = om.Microdata(frame.iloc[:2], {"x": om.Nominal(T)}, missing="keep")
    masked = keep_all(whole).apply(part, 0)
    assert part.release(masked.cells, masked.codes)["x"].tolist() == ["ache", "colic"]


def test_a_plan_that_leaves_the_domain_of_the_data_says_so():
    data = data_of(["ache", "colic", "fever"])
    plan = TuplePlan.of(data.table, outcome=np.zeros(3), outcome_tuples=data.table.tuples)  # all to fever
    narrow = om.Microdata(data.frame.iloc[:2], {"x": om.Nominal(T), "age": om.Numeric()})
    with refused("outside-domain"):
        plan.apply(narrow, 0)


def test_a_plan_for_another_kind_of_column_is_refused(tmp_path):
    frame = pd.DataFrame({"x": ["ache", "colic"] * 4})
    ordered = om.Microdata(frame, {"x": om.Ordinal(["ache", "colic"])})
    data = om.Microdata(frame, {"x": om.Nominal(T)})
    for method in (om.Generalisation(8), om.UncorrelatedNoise(0.9)):
        om.save_plan(method.plan(data, seed=2), tmp_path / "p.plan")
        with refused("outside-domain"):
            om.load_plan(tmp_path / "p.plan").apply(ordered, 0)


def test_promises_are_verified_on_the_released_text():
    data = data_of(["ache"] * 3 + ["colic"] * 2)
    keep_all(data, promise={"k": 2}).apply(data, 0)
    with refused("promise"):
        keep_all(data, promise={"k": 3}).apply(data, 0)
    frame = pd.DataFrame({"x": ["ache"] * 4, "who": ["a", "a", "b", "b"]})
    persons = om.Microdata(frame, {"x": om.Nominal(T)}, person="who")
    keep_all(persons, promise={"k": 2, "unit": "persons"}).apply(persons, 0)
    with refused("promise"):
        keep_all(persons, promise={"k": 3, "unit": "persons"}).apply(persons, 0)


def test_points_are_those_of_the_released_text():
    data = data_of(["ache", "ache"], [1, 4])
    new = [np.empty(0, dtype=np.int32), np.array([2.6, 3.1])]
    places = np.array([[0, len(data.table.values[1])], [0, len(data.table.values[1]) + 1]])
    masked = TuplePlan.of(data.table, outcome=np.arange(2), outcome_tuples=places, new_points=new).apply(data, 0)
    assert masked.cells["age"] == [3, 3]
    assert masked.points["age"].tolist() == [3, 3]


def test_reprs_of_plans_show_no_values():
    data, plan = some_plan()
    assert "ache" not in repr(plan) + repr(record_plan(data_of(["ache", "colic", "ache"]))) + repr(plan.apply(data, 0))


def test_plans_that_make_no_sense():
    data = data_of(["ache", "colic"])
    table = data.table
    with refused("shape"):
        TuplePlan.of(table, start=np.array([0, 1, 2]), outcome=np.arange(2), outcome_tuples=table.tuples)
    with refused("not-integer"):
        TuplePlan.of(table, outcome=np.array([0.5, 1]), outcome_tuples=table.tuples)
    with refused("unknown-value"):
        TuplePlan.of(table, outcome=np.arange(2), outcome_tuples=table.tuples + 9)
    with refused("unknown-value"):
        RecordPlan.of(data, [np.empty(0, dtype=np.int32), np.array([1.0])], np.array([[0, 0], [0, 0]]), {})


def test_plans_that_cannot_be_saved(tmp_path):
    _, plan = some_plan()
    texts = pd.DataFrame({"x": pd.Series(["ache", "\ud800"], dtype=object)})
    invalid = om.Microdata(texts, {"x": om.Nominal(T)}, unmapped="keep")
    om.save_plan(replace(plan, promise={"k": np.int64(1)}), tmp_path / "ok.plan")
    assert om.load_plan(tmp_path / "ok.plan").promise == {"k": 1}
    with refused("not-saved"):
        om.save_plan(replace(plan, promise={"when": object()}), tmp_path / "p.plan")
    with refused("not-saved"):
        om.save_plan(keep_all(invalid), tmp_path / "p.plan")
    with refused("not-a-plan"):
        om.save_plan(None, tmp_path / "p.plan")
    with refused("not-written"):
        om.save_plan(plan, tmp_path / "no folder" / "p.plan")


def test_damage_anywhere_in_a_plan_file_is_reported(tmp_path):
    _, plan = some_plan()
    path = tmp_path / "p.plan"
    om.save_plan(plan, path)
    whole = path.read_bytes()
    rng = np.random.default_rng(3)
    for _ in range(300):
        broken = bytearray(whole)
        broken[rng.integers(len(whole))] ^= 1 << rng.integers(8)
        path.write_bytes(broken)
        with suppress(om.PlanError):  # and nothing else may come
            om.load_plan(path)


def test_a_promise_is_verified_over_all_records_under_a_pseudonym():
    frame = pd.DataFrame({"who": [0, 0, 1, 1, 2, 2], "age": [1, 2, 1, 2, 1, 1]})
    plain, linked = (
        om.Microdata(frame, {"age": om.Numeric()}, person="who", pseudonyms=pseudonyms) for pseudonyms in (False, True)
    )
    table = plain.table
    plan = TuplePlan.of(
        table, outcome=np.arange(len(table)), outcome_tuples=table.tuples, promise={"k": 2, "unit": "persons"}
    )
    assert not plan.apply(plain).suppressed.any()
    with pytest.raises(om.PlanError) as caught:
        plan.apply(linked)
    assert caught.value.code == "promise"
