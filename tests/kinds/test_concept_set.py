"""Columns that hold several concepts in a cell: cells, mapping, release, reading back and what may be shown."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np
import pandas as pd
import pytest

import ontomask as om
from ontomask.job.settings import ColumnSettings

from support.errors import note_codes, raises

EDGES = [("focal", "seizure"), ("general", "seizure"), ("seizure", "sign"), ("short", "growth"), ("growth", "sign")]
SIGNS = om.Taxonomy.from_edges(EDGES)
CODED = om.Taxonomy.from_edges(
    [("S:2", "S:1"), ("S:3", "S:2"), ("S:4", "S:1")],
    labels={"S:1": ["sign"], "S:2": ["seizure; fit", "fit"], "S:3": ["focal seizure"], "S:4": ["short stature"]},
)


def table(*cells, kind=None, **options):
    return om.Microdata(pd.DataFrame({"signs": list(cells)}), {"signs": kind or om.ConceptSet(SIGNS)}, **options)


def column(*cells, **options):
    return table(*cells, **options).quasi_identifiers["signs"]


def names(data_or_column, point):
    found = getattr(data_or_column, "quasi_identifiers", {"signs": data_or_column})["signs"]
    return {found.domain.ids[code] for code in found.sets[int(point)]}


# Cells


def test_order_blanks_and_repetitions_mean_nothing():
    found = column("focal;short", " short ; focal", "short;focal;short;", "focal", "short")
    assert [names(found, point) for point in found.point] == [{"focal", "short"}] * 3 + [{"focal"}, {"short"}]
    assert len(set(found.point.tolist())) == 3


def test_an_element_that_subsumes_another_one_stays():
    found = column("focal", "focal;seizure")
    assert [names(found, point) for point in found.point] == [{"focal"}, {"focal", "seizure"}]


@pytest.mark.parametrize("separator", ["|", ",", " / ", "+", ", "])
def test_other_separators(separator):
    kind = om.ConceptSet(SIGNS, separator=separator)
    found = column(separator.join(["short", "focal"]), "general", kind=kind)
    assert [names(found, point) for point in found.point] == [{"focal", "short"}, {"general"}]
    assert found.release({}).cell(found.point[0]) == separator.join(["focal", "short"])


@pytest.mark.parametrize("separator", ["", " ", "and", "1", "a;", None, "; ;"])
def test_separators_that_could_be_a_part_of_an_element_are_refused(separator):
    with raises(om.TableError, parameter="separator"):
        om.ConceptSet(SIGNS, separator=separator)


def test_a_separator_in_an_id_is_refused():
    odd = om.Taxonomy.from_edges([("S:2", "S;1"), ("S:3", "S;1")])
    with raises(om.TableError, parameter="separator"):
        column("S:2", "S:3", kind=om.ConceptSet(odd))
    assert column("S:2|S:3", "S:3", kind=om.ConceptSet(odd, separator="|")).domain.root == "S;1"


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"measure": "jaccard"}, "measure"),
        ({"distance": {"name": "path", "raw": True}}, "distance"),
        ({"distance": 3}, "distance"),
        ({"scope": "world"}, "scope"),
        ({"weight": 0}, "weight"),
        ({"top": "any; sign"}, "top"),
    ],
)
def test_options_are_checked(options, parameter):
    with raises(om.TableError, parameter=parameter):
        om.ConceptSet(SIGNS, **options)


def test_single_codes_that_were_read_as_numbers():
    codes = om.Taxonomy.from_edges(
        [("410", "heart"), ("411", "heart"), ("250", "sugar"), ("heart", "all"), ("sugar", "all")]
    )
    data = om.Microdata(pd.DataFrame({"x": [410, 411, 250, 410]}), {"x": om.ConceptSet(codes)})
    masked = om.Generalisation(k=2).mask(data).frame["x"].tolist()
    assert all(isinstance(cell, str) for cell in masked)


# Missing cells and elements without a concept


def test_cells_without_elements_are_missing():
    cells = ["focal", None, ";", " ; ", "?", "short;?"]
    with raises(om.MappingError, column="signs"):
        table(*cells, missing_tokens=["?"])
    kept = table(*cells, missing="keep", missing_tokens=["?"])
    assert len(kept) == 6
    held = kept.quasi_identifiers["signs"]
    assert held.counts[held.kept].tolist().count(4) == 1, "all missing cells are one"
    # A missing token beside other elements says nothing.
    assert names(held, held.point[held.code[5]]) == {"short"}
    assert len(table(*cells, missing="drop", missing_tokens=["?"])) == 2
    rooted = table(*cells, missing="root", missing_tokens=["?"]).quasi_identifiers["signs"]
    assert names(rooted, rooted.point[rooted.code[1]]) == {"sign"}
    with raises(om.TableError, column="signs", parameter="missing"):
        table(*cells, missing="category", missing_tokens=["?"])


def test_an_element_without_a_concept_follows_the_policy():
    cells = ["focal", "short;fracture", "fracture ;short", "general;short"]
    with raises(om.MappingError, column="signs", values=("fracture",)):
        table(*cells)
    assert len(table(*cells, unmapped="drop")) == 2
    rooted = table(*cells, unmapped="root").quasi_identifiers["signs"]
    assert names(rooted, rooted.point[rooted.code[1]]) == {"short", "sign"}
    kept = table(*cells, unmapped="keep").quasi_identifiers["signs"]
    # The order of elements is not released: both kept cells are the same.
    assert [kept.cells[code] for code in kept.code[1:3]] == ["fracture;short"] * 2
    assert kept.kept[kept.code].tolist() == [False, True, True, False]


def test_the_mapping_report_counts_elements_and_records():
    cells = ["focal;short", "focal;fracture", "fits", None, "short;short"]
    data = table(*cells, kind=om.ConceptSet(SIGNS, mapping={"fits": "seizure"}), missing="drop", unmapped="drop")
    mapped = data.mapping["signs"]
    assert {v.value: v.count for v in mapped.values} == {"focal": 2, "short": 2, "fits": 1, "fracture": 1}
    assert (len(mapped.concepts), mapped.records, mapped.mapped_records, mapped.missing) == (3, 4, 3, 1)
    assert (mapped.value_coverage, mapped.record_coverage) == (3 / 4, 3 / 4)
    assert "3 of 4 elements mapped (75.0%), 3 of 4 records (75.0%), 1 missing" in mapped.to_text()
    assert mapped.to_dict()["distinct_values"] == 4
    # Before a table is encoded, as `ontomask map` does it.
    counts = Counter(cells)
    again = data.quasi_identifiers["signs"].kind.map(counts, "signs", ())
    assert (again.records, again.mapped_records, again.missing) == (4, 3, 1)
    assert om.ConceptSet(SIGNS).mismatches(["focal;fracture", "focal;short"]) == ["focal;fracture"]


# Release and reading back


def test_sets_are_released_as_sorted_ids_or_labels():
    by_id = column("S:4;S:3", "S:2", kind=om.ConceptSet(CODED))
    assert [by_id.release({}).cell(point) for point in by_id.point] == ["S:3;S:4", "S:2"]
    by_label = column("short stature; focal seizure", "fit", kind=om.ConceptSet(CODED))
    cells = [by_label.release({}).cell(point) for point in by_label.point]
    # A label that contains the separator is replaced by the id.
    assert cells == ["focal seizure;short stature", "S:2"]
    assert by_label.release({}).points(cells).tolist() == by_label.point.tolist()
    labels = column("S:4;S:3", "S:2", kind=om.ConceptSet(CODED, release="label", top="any sign"))
    assert labels.release({}).cell(labels.point[0]) == "focal seizure;short stature"
    assert labels.release({}).cell(labels.anything) == "any sign"
    assert labels.release({}).find("any sign") == labels.anything


def test_the_data_s_own_spelling_is_never_released():
    cells = ["Focal ; SHORT"] * 30 + ["general"] * 30
    masked = om.Suppression(k=5).mask(table(*cells)).frame["signs"]
    assert sorted(set(masked)) == ["focal;short", "general"]


def test_a_masked_table_of_another_tool_is_read():
    data = table("focal;short", "general", "focal", "short", kind=om.ConceptSet(SIGNS, domain="sign"))
    frame = pd.DataFrame({"signs": ["seizure; growth", "*", "FOCAL", "abroad"]})
    with raises(om.TableError, column="signs", values=("abroad",)):
        om.evaluate(data, frame)
    score = om.evaluate(data, frame, mapping={"signs": {"abroad": "growth"}})
    expected = data.quasi_identifiers["signs"].space.pairs(
        data.quasi_identifiers["signs"].points_of_keys(["focal;short", "general", "focal", "short"]),
        data.quasi_identifiers["signs"].points_of_keys(["growth;seizure", "sign", "focal", "growth"]),
    )
    assert score.semantic_loss == pytest.approx(expected.mean())


def test_a_concept_wider_than_the_domain_counts_as_its_root():
    data = table("focal", "general", kind=om.ConceptSet(SIGNS, domain="seizure"))
    score = om.evaluate(data, pd.DataFrame({"signs": ["sign", "focal;sign"]}))
    assert "wider-than-domain" in note_codes(score.notes)


def test_points_survive_pickling_and_mean_the_same():
    data = table("focal;short", "general", "focal", "short")
    result = om.Microaggregation(k=2).mask(data)
    copy = pickle.loads(pickle.dumps(result.data.columns["signs"]))
    own = data.quasi_identifiers["signs"]
    assert own.has_same_domain(copy)
    assert not own.has_same_domain(column("short", "general;focal", "focal"))
    assert not own.has_same_domain(
        om.Microdata(pd.DataFrame({"x": ["focal"]}), {"x": om.Nominal(SIGNS)}).table.columns[0]
    )


def test_evaluation_under_another_distance():
    data = table("focal;short", "general", "focal", "short;general")
    result = om.Microaggregation(k=2).mask(data)
    scores = [om.evaluate(data, result, distance=d).rmse["signs"] for d in (None, {"signs": "log_sc"}, "log_sc")]
    assert scores[0] != scores[1] == scores[2]


# What may be shown


def rare_and_common():
    """The element *focal* is rare, and so is the set of two common elements."""
    return table(*["general"] * 30, *["short"] * 30, *["general;short"] * 3, *["focal;general"] * 3)


def test_rare_elements_and_rare_sets_are_not_named():
    data = rare_and_common()
    control = data.disclosure_control
    assert control.may_name("signs", "general")
    assert control.may_name("signs", "short")
    assert not control.may_name("signs", "focal")
    assert not control.may_name("signs", "general;short")
    assert not control.may_name("signs", "short; general")
    assert not control.may_name("signs", "focal;general")
    sets = data.quasi_identifiers["signs"]
    numbers = {key: sets.points_of_keys([key])[0] for key in ("general", "focal", "general;short", "seizure")}
    assert [control.may_name_point("signs", point) for point in numbers.values()] == [True, False, False, True]


def test_a_person_counts_once():
    frame = pd.DataFrame({"who": ["Ann"] * 30 + list("abcdefghijkl"), "signs": ["focal"] * 30 + ["general;short"] * 12})
    control = om.Microdata(frame, {"signs": om.ConceptSet(SIGNS)}, person="who").disclosure_control
    assert not control.may_name("signs", "focal")
    assert control.may_name("signs", "general")


def test_the_report_counts_elements_and_names_no_rare_one():
    data = rare_and_common()
    result = om.Microaggregation(k=5).mask(data, seed=0)
    report = om.build_report(data, result, om.evaluate(data, result))
    (shown,) = report.distributions
    assert shown.kind == "concept_set"
    bars = dict(zip(shown.categories, shown.original, strict=True))
    assert sum(bars.values()) == 30 + 30 + 6 + 6
    assert "focal" not in report.to_html() + report.to_text()
    assert "sets of concepts" in report.to_html()


def test_kept_cells_are_counted_apart():
    data = table(*["focal;short"] * 20, *["general"] * 20, *[None] * 15, missing="keep")
    result = om.Microaggregation(k=5).mask(data, seed=0)
    elements, record = data.quasi_identifiers["signs"].by_element()
    assert np.bincount(record).tolist() == [2] * 20 + [1] * 35
    assert int(elements.kept[elements.code].sum()) == 15
    report = om.build_report(data, result, om.evaluate(data, result))
    assert ("kept unchanged", 15, 15) in zip(
        *(getattr(report.distributions[0], n) for n in ("categories", "original", "masked")), strict=True
    )


def test_confidential_sets_are_measured():
    frame = pd.DataFrame({"age": range(12), "signs": ["focal;short", "general", "short"] * 4})
    data = om.Microdata(frame, {"age": om.Numeric()}, confidential={"signs": om.ConceptSet(SIGNS)})
    score = om.evaluate(data, om.Microaggregation(k=3, require=[om.Diversity("signs", 2)]).mask(data, seed=0))
    assert score.confidential["signs"].ground == "semantic"


# Jobs


def test_a_job_masks_sets(tmp_path):
    (tmp_path / "links.csv").write_text("child,parent\n" + "\n".join(map(",".join, EDGES)), encoding="utf-8")
    cells = ["focal|short", "short | general", "general", "growth|seizure"] * 5
    pd.DataFrame({"signs": cells}).to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "job.toml").write_text(
        """
        input.path = "data.csv"
        output = { masked = "masked.csv", report = "report.html" }
        method = { name = "Microaggregation", k = 4 }
        [columns.signs]
        role = "quasi-identifier"
        kind = "concept_set"
        taxonomy = "links.csv"
        separator = "|"
        measure = "matching"
        """,
        encoding="utf-8",
    )
    job = om.Job.from_toml(tmp_path / "job.toml")
    check = job.check()
    assert check.ready
    assert check.mapping["signs"].record_coverage == 1
    job.run()
    released = pd.read_csv(tmp_path / "masked.csv")["signs"]
    assert all(cell.split("|") == sorted(cell.split("|")) for cell in released)


def test_every_option_is_a_key_of_a_job():
    assert set(om.ConceptSet.option_names()) <= set(ColumnSettings.model_fields)
    assert om.ConceptSet.option_names(required=True) == ("taxonomy",)
