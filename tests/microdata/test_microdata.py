from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import ontomask as om
from ontomask.taxonomy import Annotations

from support.errors import raises

SYMPTOMS = om.Taxonomy.from_edges(
    [("pain", "symptom"), ("ache", "pain"), ("lumbago", "ache"), ("migraine", "ache"), ("colic", "pain")],
    {"lumbago": ["lumbago", "lower back pain"], "ache": ["ache", "aching"]},
)
CARE = om.Taxonomy.from_edges(
    [
        ("therapy", "medical_care"),
        ("rehabilitation", "therapy"),
        ("medication", "therapy"),
        ("antibiotic", "medication"),
        ("aspirin", "medication"),
        ("codeine", "medication"),
        ("hospitalisation", "medical_care"),
    ]
)
# T Example 2.
EXAMPLE_2 = pd.DataFrame(
    {
        "condition": ["lumbago", "colic", "lumbago", "migraine", "lumbago", "lumbago", "colic", "lumbago"],
        "treatment": [
            "rehabilitation",
            "antibiotic",
            "rehabilitation",
            "aspirin",
            "rehabilitation",
            "codeine",
            "hospitalisation",
            "codeine",
        ],
    }
)


def example_2() -> om.Microdata:
    return om.Microdata(EXAMPLE_2, {"condition": om.Nominal(SYMPTOMS), "treatment": om.Nominal(CARE)})


def one_column(cells: list[object], **options: object) -> om.Microdata:
    attribute = options.pop("attribute", om.Nominal(SYMPTOMS))
    return om.Microdata(pd.DataFrame({"x": pd.Series(cells, dtype=object)}), {"x": attribute}, **options)


# Frequency table --------------------------------------------------------------------------------------------


def test_example_1_of_the_thesis():
    values = "asbestosis degenerative amyotrophia myofibrosis asbestosis allergy "
    values += "myofibrosis allergy squint amyotrophia degenerative allergy"
    t = om.Taxonomy.from_edges([(v, "disease") for v in dict.fromkeys(values.split())])
    table = one_column(values.split(), attribute=om.Nominal(t)).table
    assert (table.records, len(table)) == (12, 6)
    counted = {values[0]: count for values, count in table.show()}
    assert counted == {
        "asbestosis": 2,
        "degenerative": 2,
        "amyotrophia": 2,
        "myofibrosis": 2,
        "allergy": 3,
        "squint": 1,
    }


def test_example_2_of_the_thesis():
    table = example_2().table
    assert (table.records, len(table), len(table.columns)) == (8, 5, 2)
    assert dict(table.show()) == {
        ("lumbago", "rehabilitation"): 3,
        ("colic", "antibiotic"): 1,
        ("migraine", "aspirin"): 1,
        ("lumbago", "codeine"): 2,
        ("colic", "hospitalisation"): 1,
    }
    rows = [tuple(table._readable(i)) for i in table.inverse.tolist()]
    assert rows == list(EXAMPLE_2.itertuples(index=False, name=None))


def test_two_spellings_are_one_value():
    data = one_column(["lumbago", "Lower back pain", "lumbago", "ache"])
    assert data.table.show() == [(("lumbago",), 3), (("ache",), 1)]


def test_kept_cells_are_values_of_their_own():
    data = one_column(["ache", None, "?", None, "unheard of"], missing="keep", missing_tokens=["?"], unmapped="keep")
    assert sorted(Counter(dict(data.table.show())).values()) == [1, 1, 3]
    assert any("4 cells of 'x' are kept" in note for note in data.notes)


# Roles ------------------------------------------------------------------------------------------------------

FRAME = pd.DataFrame(
    {"name": ["a", "b"], "age": [30, 40], "job": ["ache", "colic"], "income": [1, 2], "note": ["", ""]}
)
JOB = {"job": om.Nominal(SYMPTOMS)}


@pytest.mark.parametrize(
    ("arguments", "fields"),
    [
        (
            {"identifiers": ["name"], "other": ["note"]},
            {"column": "age", "values": ("age", "income"), "code": "no-role"},
        ),
        (
            {"identifiers": ["nmae"], "other": ["note", "age", "income", "name"]},
            {"column": "nmae", "values": ("nmae",), "code": "no-column"},
        ),
        (
            {"identifiers": ["name"], "confidential": ["name"], "other": ["note", "age", "income"]},
            {"column": "name", "values": ("name",), "code": "several-roles"},
        ),
        (
            {"identifiers": ["name"], "confidential": ["job"], "other": ["note", "age", "income"]},
            {"column": "job", "values": ("job",), "code": "several-roles"},
        ),
        ({"identifiers": "name"}, {"parameter": "identifiers"}),
        (
            {"identifiers": ["name", "age", "income", "note"], "missing": "ignore"},
            {"parameter": "missing"},
        ),
        ({"identifiers": ["name", "age", "income", "note"], "unmapped": "x"}, {"parameter": "unmapped"}),
    ],
)
def test_roles_are_explicit(arguments, fields):
    with raises(om.TableError, **fields):
        om.Microdata(FRAME, JOB, **arguments)


def test_quasi_identifiers_need_attributes():
    with raises(om.TableError, parameter="quasi_identifiers"):
        om.Microdata(FRAME, {}, other=list(FRAME))
    with pytest.raises(om.TableError) as error:
        om.Microdata(FRAME, {"job": "nominal"}, other=["name", "age", "income", "note"])  # type: ignore[dict-item]
    assert error.value.column == "job"
    with pytest.raises(om.TableError) as error:
        om.Microdata(FRAME, JOB, confidential={"age": "numeric"}, other=["name", "income", "note"])  # type: ignore[dict-item]
    assert error.value.column == "age"


def test_every_role():
    data = om.Microdata(
        FRAME,
        {**JOB, "age": om.Numeric(weight=2)},
        identifiers=["name"],
        confidential={"income": om.Numeric()},
        other=["note"],
    )
    assert data.identifiers == ("name",)
    assert list(data.quasi_identifiers) == ["job", "age"]
    assert list(data.confidential_columns) == ["income"]
    assert data.frame is FRAME
    assert repr(data) == "<Microdata: 2 records, quasi-identifiers job, age>"


def test_person_is_an_identifier_and_repeating_ones_are_noted():
    frame = FRAME.assign(name=["a", "a"])
    others = {"other": ["note", "age", "income"]}
    by_person = om.Microdata(frame, JOB, person="name", **others)
    assert by_person.identifiers == ("name",)
    assert by_person.persons.tolist() == [0, 0]
    assert by_person.notes == ()
    by_record = om.Microdata(frame, JOB, identifiers=["name"], **others)
    assert by_record.persons is None
    assert [(note.code, note.values["column"]) for note in by_record.notes] == [("identifier-repeats", "name")]


# Values -----------------------------------------------------------------------------------------------------


def test_domain_is_the_lcs_of_the_values_or_the_concept_named():
    values = ["lumbago", "migraine"]
    assert one_column(values).quasi_identifiers["x"].domain.root == "ache"
    named = one_column(values, attribute=om.Nominal(SYMPTOMS, domain="pain")).quasi_identifiers["x"]
    assert named.domain.root == "pain"
    # Inside the domain ache both are one link below the root; in the ontology the root is two links higher.
    assert named.distance.taxonomy is named.domain
    whole = one_column(values, attribute=om.Nominal(SYMPTOMS, scope="ontology")).quasi_identifiers["x"]
    assert whole.distance.taxonomy is SYMPTOMS
    assert whole.distance("lumbago", "migraine") < one_column(values).quasi_identifiers["x"].distance(
        "lumbago", "migraine"
    )


def test_distance_with_options():
    column = one_column(["lumbago", "colic"], attribute=om.Nominal(SYMPTOMS, {"name": "wu_palmer", "root_depth": 0}))
    assert column.quasi_identifiers["x"].distance.root_depth == 0
    with raises(om.DistanceError, parameter="root_depth"):
        one_column(["ache"], attribute=om.Nominal(SYMPTOMS, {"name": "path", "root_depth": 0}))


def test_unmapped_values_are_an_error_that_carries_them():
    with raises(om.MappingError, column="x", values=("lumbaga",), code="unmapped") as caught:
        one_column(["ache", "lumbaga"])
    assert "'lumbaga' (1 record): perhaps lumbago" in caught.value.mapping.to_text()
    data = one_column(["ache", "lumbaga"], attribute=om.Nominal(SYMPTOMS, mapping={"lumbaga": "lumbago"}))
    assert data.mapping["x"].concepts["lumbaga"] == "lumbago"


def test_dropped_records_leave_frame_domain_and_counts():
    frame = pd.DataFrame({"x": ["lumbago", "migraine", "colic", None], "y": ["1", "2", "?", "4"]})
    data = om.Microdata(frame, {"x": om.Nominal(SYMPTOMS), "y": om.Numeric()}, missing="drop", missing_tokens=["?"])
    assert data.frame.index.equals(pd.RangeIndex(2))
    assert list(data.frame["x"]) == ["lumbago", "migraine"]
    assert data.dropped_records == 2
    assert data.quasi_identifiers["x"].domain.root == "ache"  # colic went with its record
    assert (data.quasi_identifiers["y"].low, data.quasi_identifiers["y"].high) == (1, 2)
    assert data.mapping["x"].missing == 1
    assert (data.notes[0].code, data.notes[0].values["records"]) == ("records-dropped", 2)


def test_nothing_left_after_dropping():
    with raises(om.TableError, code="no-records"):
        om.Microdata(
            pd.DataFrame({"x": ["ache", None], "y": [None, 1.0]}),
            {"x": om.Nominal(SYMPTOMS), "y": om.Numeric()},
            missing="drop",
        )


@pytest.mark.parametrize(
    ("cells", "options", "values"),
    [
        ([None, None], {"missing": "keep"}, ()),
        ([None, "ache"], {}, ()),
        (["ache", 5], {}, ()),
        (["ache", True], {}, ()),
        (["x"], {"attribute": om.Numeric()}, ("x",)),
        ([float("inf")], {"attribute": om.Numeric()}, ("inf",)),
        ([None, 1.0], {"attribute": om.Numeric()}, ()),
        ([None, None], {"attribute": om.Numeric(), "missing": "drop"}, ()),
        (["low", "huge"], {"attribute": om.Ordinal(["low", "high"])}, ("huge",)),
    ],
)
def test_columns_that_cannot_be_encoded(cells, options, values):
    with pytest.raises(om.OntomaskError) as error:
        one_column(cells, **options)
    assert (error.value.column, error.value.values) == ("x", values)


def test_codes_read_as_fractions_are_refused():
    with raises(om.MappingError, column="x", code="inexact-codes"):
        one_column([250.1, 250.2], attribute=om.Nominal(om.load_icd9cm()))
    assert len(one_column([250.0, 38.0], attribute=om.Nominal(om.load_icd9cm())).table) == 2


def test_empty_tables_and_duplicate_columns():
    with raises(om.TableError, parameter="frame"):
        om.Microdata(FRAME.iloc[:0], JOB, other=["name", "age", "income", "note"])
    doubled = pd.DataFrame([["ache", "ache"]], columns=["x", "x"])
    with raises(om.TableError, column="x", values=("x",), code="names-not-unique"):
        om.Microdata(doubled, {"x": om.Nominal(SYMPTOMS)})


def test_one_record_is_a_table():
    assert one_column(["ache"]).table.counts.tolist() == [1]


@pytest.mark.parametrize(
    ("make", "fields"),
    [
        (lambda: om.Nominal("wordnet"), {"parameter": "taxonomy"}),
        (lambda: om.Nominal(SYMPTOMS, scope="all"), {"parameter": "scope"}),
        (lambda: om.Nominal(SYMPTOMS, weight=0), {"parameter": "weight"}),
        (lambda: om.Nominal(SYMPTOMS, distance={"root_depth": 1}), {"parameter": "distance"}),
        (lambda: om.Numeric(weight=float("nan")), {"parameter": "weight"}),
        (lambda: om.Numeric(centre="mode"), {"parameter": "centre"}),
        (lambda: om.Ordinal(["low"]), {"parameter": "categories"}),
        (lambda: om.Ordinal("low high"), {"parameter": "categories"}),
        (
            lambda: om.Ordinal(["low", "low", "high"]),
            {"values": ("low",), "parameter": "categories", "code": "not-unique"},
        ),
        (lambda: om.Ordinal([1, 2]), {"parameter": "categories"}),
    ],
)
def test_bad_attributes(make, fields):
    with raises(om.TableError, **fields):
        make()


# Released text ----------------------------------------------------------------------------------------------


def test_released_text_is_the_datas_own_spelling_or_the_label():
    data = one_column(["Lower back pain"] * 9 + ["lumbago"] * 9 + ["Migraine"] * 10 + ["COLIC"])
    release, domain = data.releases["x"], data.quasi_identifiers["x"].domain
    texts = {c: release.cell(domain.code(c)) for c in domain.ids}
    assert texts == {"pain": "pain", "ache": "ache", "lumbago": "lumbago", "migraine": "Migraine", "colic": "colic"}
    assert [domain.ids[p] for p in release.points(["pain", "Lower back pain", "Migraine", "ACHE"])] == [
        "pain",
        "lumbago",
        "migraine",
        "ache",
    ]


def test_codes_are_released_as_codes():
    data = one_column(["250.83", *["25000"] * 10, "38"], attribute=om.Nominal(om.load_icd9cm()))
    release, domain = data.releases["x"], data.quasi_identifiers["x"].domain
    assert release.cell(domain.code("038")) == "038"
    assert release.cell(domain.code("250.00")) == "25000"
    assert release.cell(domain.code("250.1")) == "250.1"


def test_values_that_read_the_same_are_told_apart():
    t = om.Taxonomy.from_edges(
        [("b1", "thing"), ("b2", "thing"), ("b3", "thing"), ("other", "thing")],
        {"b1": ["bank"], "b2": ["bank"], "b3": ["shore (bank)"]},
    )
    data = one_column(["bank", "other"], attribute=om.Nominal(t, mapping={"bank": "b2"}))
    release, domain = data.releases["x"], data.quasi_identifiers["x"].domain
    texts = [release.cell(domain.code(c)) for c in ("b1", "b2", "b3")]
    assert texts == ["bank (b1)", "bank", "shore (bank)"]
    assert [domain.ids[p] for p in release.points(texts)] == ["b1", "b2", "b3"]


@pytest.mark.parametrize("column", ["occupation", "native-country"])
def test_every_concept_of_a_domain_can_be_read_back(column):
    from ontomask.examples.adult import DOMAIN, MAPPING

    adult = om.load_adult()
    attribute = om.Nominal(om.load_wordnet(), mapping=MAPPING[column], domain=DOMAIN[column])
    data = om.Microdata(pd.DataFrame({column: adult[column]}), {column: attribute})
    release, domain = data.releases[column], data.quasi_identifiers[column].domain
    texts = [release.cell(point) for point in range(len(domain))]
    assert len(set(texts)) == len(domain)
    assert release.points(texts).tolist() == list(range(len(domain)))


def test_unreadable_cells_are_listed():
    with pytest.raises(om.TableError) as caught:
        one_column(["ache", "colic"]).releases["x"].points(["ache", "zzz"])
    assert (caught.value.column, caught.value.values) == ("x", ("zzz",))


def test_numbers_keep_their_decimals():
    whole = one_column([1, 2, 4], attribute=om.Numeric()).releases["x"]
    assert [whole.cell(x) for x in (2.0, 7 / 3)] == [2, 2]
    assert isinstance(whole.cell(7 / 3), int)
    tenths = one_column(["1.5", "2", "4.25"], attribute=om.Numeric()).releases["x"]
    assert [tenths.cell(x) for x in (2.0, 7 / 3)] == ["2", "2.33"]
    assert tenths.points(["2.33"]).tolist() == [2.33]


def test_categories_are_released_as_the_data_spell_them():
    release = one_column(["low", "high"], attribute=om.Ordinal(["low", "mid", "high"])).releases["x"]
    assert [release.cell(i) for i in range(3)] == ["low", "mid", "high"]
    assert release.points(["high", "mid"]).tolist() == [2, 1]
    with pytest.raises(om.TableError) as caught:
        release.points(["top"])
    assert caught.value.values == ("top",)


def test_codes_with_annotations_are_told_by_id():
    t = om.Taxonomy.from_edges(
        [("A1", "A"), ("A2", "A")], {"A1": ["first"], "A2": ["second"]}, annotations=Annotations(code_ids=True)
    )
    by_code = one_column(["A1", "A2"], attribute=om.Nominal(t)).releases["x"]
    by_word = one_column(["first", "second"], attribute=om.Nominal(t)).releases["x"]
    root = 0
    assert (by_code.cell(root), by_word.cell(root)) == ("A", "A")
    one = one_column(["first"], attribute=om.Nominal(t, domain="A"))
    assert one.releases["x"].cell(one.quasi_identifiers["x"].domain.code("A2")) == "second"


def test_released_categories_do_not_list_rare_originals():
    values = ["ache"] * 12 + ["lumbago"] * 3 + ["colic"] * 10
    frame = pd.DataFrame({"x": pd.Categorical(values, categories=["migraine", "ache", "lumbago", "colic"])})
    data = om.Microdata(frame, {"x": om.Nominal(SYMPTOMS)})
    released = data.release({"x": ["pain"]}, {"x": np.zeros(25, dtype=np.int32)})
    # ache and colic are common; lumbago was there three times, and migraine may be of records that were removed before.
    assert released["x"].cat.categories.tolist() == ["ache", "colic", "pain"]
    assert frame["x"].cat.categories.tolist() == ["migraine", "ache", "lumbago", "colic"]


def identity(data: om.Microdata) -> pd.DataFrame:
    """The release of a plan that leaves everything as it is."""
    from ontomask.microdata.plan import TuplePlan

    plan = TuplePlan.of(data.table, outcome=np.arange(len(data.table)), outcome_tuples=data.table.tuples)
    masked = plan.apply(data, 0)
    return data.release(masked.cells, masked.codes, masked.suppressed)


def test_codes_that_were_read_as_floats_are_released_as_their_digits():
    data = one_column([250.0, 401.0, None], attribute=om.Nominal(om.load_icd9cm()), missing="keep")
    released = identity(data)["x"]
    assert released.tolist()[:2] == ["250", "401"]
    domain = data.quasi_identifiers["x"].domain
    assert [domain.ids[p] for p in data.releases["x"].points(["250", "401"])] == ["250", "401"]


@pytest.mark.parametrize("numbers", [[1e-7, 3e-7, 2e-7], [1e-5, 2e-5, 0.5], [0.1 + 0.2, 1 / 3, 2 / 3]])
def test_small_and_long_numbers_stay_what_they_are(numbers):
    assert identity(one_column(numbers, attribute=om.Numeric()))["x"].tolist() == numbers


@pytest.mark.parametrize("cell", [2**53 + 2, "1_000", "nan", "inf", True])
def test_cells_that_are_no_exact_numbers(cell):
    with pytest.raises(om.TableError) as error:
        one_column([cell, cell], attribute=om.Numeric())
    assert (error.value.column, error.value.values) == ("x", (str(cell),))


def test_numbers_are_read_back_as_strictly_as_they_were_taken_in():
    release = one_column([1, 10], attribute=om.Numeric()).releases["x"]
    for cell in ("nan", "inf", "1_0", None):
        with pytest.raises(om.TableError) as error:
            release.points([cell])
        assert (error.value.column, error.value.values) == ("x", (cell or "a missing cell",))


def test_an_unmapped_value_is_never_the_name_of_the_root():
    data = one_column(["lumbago", "colic", "Mr X's odd disease"], unmapped="root")
    assert data.quasi_identifiers["x"].domain.root == "symptom"
    assert data.releases["x"].cell(0) == "symptom"


def test_missing_cells_mean_nothing():
    data = one_column(["??"] * 10 + ["ache"], attribute=om.Nominal(SYMPTOMS, mapping={"??": "colic"}))
    assert data.releases["x"].cell(data.quasi_identifiers["x"].domain.code("colic")) == "??"
    for cell in (None, "!!"):
        with pytest.raises(om.TableError) as error:
            data.releases["x"].points([cell])
        assert (error.value.column, error.value.values) == ("x", (cell or "a missing cell",))


def test_no_concept_is_released_under_the_text_of_a_kept_cell():
    data = one_column(["lumbago", "colic", "pain"], missing="keep", missing_tokens=["pain"])
    release, domain = data.releases["x"], data.quasi_identifiers["x"].domain
    assert release.cell(domain.code("pain")) == "pain (pain)"
    assert release.points(["pain (pain)"]).tolist() == [domain.code("pain")]


def test_labels_with_brackets_are_read_as_labels():
    t = om.Taxonomy.from_edges([("c", "root"), ("disease", "root")], {"c": ["Cold (disease)"], "disease": ["Cold"]})
    data = one_column(["root"], attribute=om.Nominal(t))
    release, domain = data.releases["x"], data.quasi_identifiers["x"].domain
    texts = [release.cell(domain.code(c)) for c in ("c", "disease")]
    assert texts == ["Cold (disease)", "Cold"]
    assert [domain.ids[p] for p in release.points(texts)] == ["c", "disease"]


def test_categories_do_not_list_values_of_records_that_were_left_out():
    values = ["ache"] * 12 + ["odd disease"]
    frame = pd.DataFrame({"x": pd.Categorical(values), "note": pd.Categorical(["fine"] * 12 + ["gone"])})
    data = om.Microdata(frame, {"x": om.Nominal(SYMPTOMS)}, other=["note"], unmapped="drop")
    released = identity(data)
    assert released["x"].cat.categories.tolist() == ["ache"]
    assert released["note"].cat.categories.tolist() == ["fine"]


def test_categories_do_not_list_values_of_records_that_were_removed_before():
    words = pd.Categorical(["fine"] * 12, categories=["fine", "gone"])
    frame = pd.DataFrame({"x": ["ache", "colic"] * 6, "note": words, "cost": words})
    data = om.Microdata(frame, {"x": om.Nominal(SYMPTOMS)}, other=["note"], confidential=["cost"])
    released = identity(data)
    assert released["note"].cat.categories.tolist() == released["cost"].cat.categories.tolist() == ["fine"]
    streamed = om.UncorrelatedNoise(0.1).fit(data).mask_batch(frame, seed=0)
    assert streamed["note"].cat.categories.tolist() == streamed["cost"].cat.categories.tolist() == ["fine"]


def test_categories_do_not_list_values_of_suppressed_records():
    frame = pd.DataFrame({"x": pd.Categorical(["colic"] + ["lumbago"] * 12)})
    data = om.Microdata(frame, {"x": om.Nominal(SYMPTOMS)})
    suppressed = np.array([True] + [False] * 12)
    released = data.release({"x": ["lumbago"]}, {"x": np.zeros(13, dtype=np.int32)}, suppressed)
    assert released["x"].cat.categories.tolist() == ["lumbago"]
    with raises(om.TableError, parameter="suppressed"):
        data.release({"x": ["ache"]}, {"x": np.zeros(13, dtype=np.int32)}, suppressed[:1])
    with raises(om.TableError, column="x"):
        data.release({}, {})


@pytest.mark.parametrize(
    ("arguments", "parameter"),
    [
        ({"quasi_identifiers": ["x"]}, "quasi_identifiers"),
        ({"identifiers": None}, "identifiers"),
        ({"missing_tokens": None}, "missing_tokens"),
        ({"missing_tokens": "NA"}, "missing_tokens"),
    ],
)
def test_arguments_of_the_wrong_kind(arguments, parameter):
    given = {"quasi_identifiers": {"x": om.Nominal(SYMPTOMS)}, **arguments}
    with raises(om.TableError, parameter=parameter):
        om.Microdata(pd.DataFrame({"x": ["ache"]}), **given)


def test_reprs_show_no_cells():
    data = one_column(["lumbago", "colic"])
    shown = repr(data) + repr(data.table) + repr(data.quasi_identifiers["x"]) + repr(data.table.values)
    assert "lumbago" not in shown
    assert "2 distinct tuples" in shown


def test_complete_tuples_are_those_without_kept_cells():
    data = one_column(["ache", None, "colic"], missing="keep")
    assert data.table.complete.tolist() == [True, True, False]
