from __future__ import annotations

import csv
import os
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.mapping import Decided, Decisions
from ontomask.mapping.decision_file import accept_suggestions, is_decision_file
from ontomask.taxonomy import Annotations, Retired

from support.errors import raises

OLD = om.Taxonomy.from_edges(
    [("ache", "pain"), ("colic", "pain"), ("rash", "skin"), ("pain", "all"), ("skin", "all"), ("old", "pain")],
    {"ache": ["headache", "cephalalgia"], "old": ["neuralgia"]},
)
# 'ache' is renamed, 'rash' moved, 'old' withdrawn with a replacement, 'colic' withdrawn without one.
NEW = om.Taxonomy.from_edges(
    [("ache", "pain"), ("rash", "pain"), ("pain", "all"), ("skin", "all"), ("neuro", "pain")],
    {"ache": ["head pain", "headache"], "neuro": ["nerve pain"]},
    annotations=Annotations(
        retired={"old": Retired("merged", ("neuro",), "neuro"), "colic": Retired("vague", ("pain",))}
    ),
)
VALUES = {"headache": 12, "Colic": 3, "rash": 2, "neuralgia": 1, "cephalalgy": 4, "dizzy": 1}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "mapping.csv"


def cells(path):
    with path.open(encoding="utf-8-sig", newline="") as opened:
        return list(csv.DictReader(opened))


def edit(path, changes):
    """Change the concepts of some values, as in a spreadsheet."""
    found = cells(path)
    for row in found:
        row.update(changes.get(row["value"].removeprefix("'"), {}))
    with path.open("w", encoding="utf-8-sig", newline="") as opened:
        writer = csv.DictWriter(opened, list(found[0]))
        writer.writeheader()
        writer.writerows(found)


def write(path, taxonomy=OLD, accept=None):
    mapped = om.map_values(VALUES, taxonomy, column="complaint")
    if accept is not None:
        mapped = accept_suggestions(mapped, accept)
    om.write_decisions(path, [mapped], {"complaint": taxonomy})
    return mapped


def test_the_file_has_every_value_with_its_concept_and_suggestions(file):
    write(file)
    found = {row["value"]: row for row in cells(file)}
    assert set(found) == set(VALUES)
    assert (found["headache"]["concept"], found["headache"]["rule"]) == ("ache", "label")
    assert (found["headache"]["count"], found["headache"]["parents"]) == ("12", "pain")
    near = found["cephalalgy"]
    assert (near["concept"], near["rule"], near["suggestion_1"], near["suggestion_label_1"]) == (
        "", "unmapped", "ache", "cephalalgia",
    )  # fmt: skip
    assert float(near["suggestion_score_1"]) == pytest.approx(1 - 2 / 11, abs=1e-3)


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_only_the_owner_may_read_the_file(file):
    write(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_decisions_are_read_back(file):
    write(file)
    assert is_decision_file(file)
    edit(file, {"dizzy": {"concept": "pain"}, "rash": {"concept": "cephalalgia"}})
    decisions = om.read_decisions(file, "complaint")
    assert dict(decisions) == {
        "headache": "ache", "Colic": "colic", "rash": "cephalalgia", "neuralgia": "old", "dizzy": "pain"
    }  # fmt: skip
    assert om.read_decisions(file, "other column") == {}
    report = om.map_values(VALUES, OLD, decisions, column="complaint")
    rules = {v.value: (v.concept, v.rule) for v in report.values}
    assert rules["headache"] == ("ache", "label")  # the rules agree
    assert rules["rash"] == ("ache", "explicit")
    assert rules["dizzy"] == ("pain", "explicit")
    assert rules["cephalalgy"] == (None, "unmapped")
    assert report.changes == ()


def test_accepted_suggestions_are_listed_until_somebody_checks_them(file):
    mapped = write(file, accept=0.8)
    (taken,) = mapped.accepted
    assert (taken.value, taken.concept) == ("cephalalgy", "ache")
    report = om.map_values(VALUES, OLD, om.read_decisions(file, "complaint"), column="complaint")
    (again,) = report.accepted
    assert (again.value, again.concept, again.score) == ("cephalalgy", "ache", taken.score)
    assert report.rules["accepted"] == 1
    assert "accepted for their score" in report.to_text()
    edit(file, {"cephalalgy": {"rule": "checked"}})
    report = om.map_values(VALUES, OLD, om.read_decisions(file, "complaint"), column="complaint")
    assert report.accepted == ()
    assert {v.value: v.rule for v in report.values}["cephalalgy"] == "explicit"


def test_a_suggestion_is_not_accepted_if_another_is_as_good():
    t = om.Taxonomy.from_edges([("a", "r"), ("b", "r")], {"a": ["bank account"], "b": ["bank account"]})
    mapped = om.map_values(["bank acount"], t)
    assert len(mapped.unmapped[0].suggestions) == 2
    assert accept_suggestions(mapped, 0.1).accepted == ()
    for wrong in (0, 1.5, "0.9", True):
        with raises(om.MappingError, parameter="accept"):
            accept_suggestions(mapped, wrong)


def test_decisions_survive_a_new_version_and_what_changed_is_listed(file):
    write(file)
    report = om.map_values(VALUES, NEW, om.read_decisions(file, "complaint"), column="complaint")
    assert {c.value: (c.kind, c.before, c.now) for c in report.changes} == {
        "headache": ("renamed", "headache", "head pain"),
        "rash": ("moved", "skin", "pain"),
        "neuralgia": ("retired", "old", "neuro"),
        "Colic": ("retired", "colic", "pain"),
    }
    found = {v.value: v for v in report.values}
    assert found["neuralgia"].concept == "neuro"
    assert found["headache"].concept == "ache"
    assert (found["Colic"].concept, found["Colic"].reason) == (None, "decision lost")
    assert [s.concept for s in found["Colic"].suggestions] == ["pain"]
    assert "changed in the ontology" in report.to_text()
    assert len(report.to_dict()["changes"]) == 4


def test_a_rule_that_would_choose_another_concept_does_not_win():
    old = Decisions({"bank": Decided("shore", label="shore", parents=("r",))})
    t = om.Taxonomy.from_edges([("shore", "r"), ("house", "r")], {"house": ["bank"], "shore": ["shore"]})
    report = om.map_values(["bank"], t, old)
    assert report.concepts == {"bank": "shore"}
    assert [(c.kind, c.before, c.now) for c in report.changes] == [("rule", "shore", "house")]


def test_a_domain_that_was_chosen_later(file):
    write(file)
    report = om.map_values(VALUES, OLD, om.read_decisions(file, "complaint"), domain="skin", column="complaint")
    assert dict(report.concepts) == {"rash": "rash"}
    assert {c.value: (c.kind, c.before, c.now) for c in report.changes}["headache"] == ("outside", "ache", "")
    assert "is outside the domain" in report.to_text()
    with raises(om.MappingError, values=("x",), code="outside-domain"):
        om.map_values(["x"], OLD, Decisions({"x": Decided("ache")}), domain="skin")


def test_a_concept_that_is_gone_is_listed_but_a_typed_one_is_a_mistake():
    gone = Decisions({"x": Decided("lost", label="lost thing")})
    report = om.map_values(["x"], OLD, gone)
    assert [(c.kind, c.before) for c in report.changes] == [("unknown", "lost")]
    assert report.unmapped[0].reason == "decision lost"
    with raises(om.MappingError, values=("x",), code="unknown-concept"):
        om.map_values(["x"], OLD, Decisions({"x": Decided("lost")}))


def test_mistakes_that_were_typed_have_their_lines(file):
    file.write_text("column,value,concept\nc,x,lost\nc,y,ache\nc,z,also lost\nother,w,lost\n")
    with raises(om.MappingError, path=file, line=2, values=("x", "z"), code="unknown-concept"):
        om.map_values(["x"], OLD, om.read_decisions(file, "c"))
    file.write_text("column,value,concept\nc,x,rash\nc,y,ache\n")
    with raises(om.MappingError, path=file, line=3, values=("y",), code="outside-domain"):
        om.map_values(["x"], OLD, om.read_decisions(file, "c"), domain="skin")


DANGEROUS = ["=1+2", "+1", "-1", "@SUM(A1)", "'quoted", "''=x", "250.10", "00123", "SEPT1", "1-2", "TRUE", "1E5",
             "a,b;c", 'say "hi"', "two\nlines", "\u202eabc", "Köln", "＝1",
             "a;=b", "a;'=b", "a;''=b", 'a;"=b', "a\n=b", "a;=b;=c", "=;=", "a|-b",
             "a\u2028b", "a\x0cb", "x;+y", ";@z"]  # fmt: skip


def round_trip(path, values):
    t = om.Taxonomy.from_edges([("a", "r")])
    mapped = om.map_values(values, t, dict.fromkeys(values, "a"), column="=c")
    om.write_decisions(path, [mapped], {"=c": t})
    return dict(om.read_decisions(path, "=c"))


def test_dangerous_values_come_back_unchanged(file):
    assert round_trip(file, DANGEROUS) == dict.fromkeys(DANGEROUS, "a")
    for row in csv.reader(file.read_text("utf-8-sig").splitlines()[1:]):
        assert not any(cell[:1] in ("=", "+", "-", "@", "\t") for cell in row)


@given(st.lists(st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=9), min_size=1))
def test_any_value_comes_back_unchanged(tmp_path_factory, values):
    stripped = list(dict.fromkeys(value.strip() for value in values if value.strip()))
    if stripped:
        path = tmp_path_factory.mktemp("m") / "m.csv"
        assert round_trip(path, stripped) == dict.fromkeys(stripped, "a")


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("column,value\nc,x\n", {"line": 1, "code": "no-column"}),
        ("column,value,concept\nc,x,a\nc,x,b\n", {"line": 3, "code": "two-concepts", "values": ("x",)}),
        ("column,value,concept\nc,,a\n", {"line": 2, "code": "no-value"}),
        ("column,value,concept,rule,score,described\nc,x,a,accepted,high,a\n", {"line": 2, "code": "score"}),
        ("column,value,concept,rule,score,described\nc,x,a,accepted,7,a\n", {"line": 2, "code": "score"}),
    ],
)
def test_broken_mapping_files(file, text, fields):
    file.write_text(text)
    with raises(om.ReadError, path=file, **fields):
        om.read_decisions(file, "c")


def test_a_spreadsheet_may_change_delimiter_and_decimal_mark(file):
    file.write_text("column;value;concept;rule;score;described\nc;x;a;accepted;0,91;a\nc;y;b;;;\n")
    decisions = om.read_decisions(file, "c")
    assert dict(decisions) == {"x": "a", "y": "b"}
    assert decisions.about("x").score == 0.91


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_no_cell_is_a_formula_whatever_delimiter_a_spreadsheet_takes(file, delimiter):
    round_trip(file, DANGEROUS)
    with file.open(encoding="utf-8-sig", newline="") as text:
        cells = [cell for row in csv.reader(text, delimiter=delimiter) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]


def test_a_mapping_file_is_known_by_its_header_whatever_its_values_hold(file):
    round_trip(file, ["a\u2028b\u2028c", "a\x0cb\x0cc"])
    assert is_decision_file(file)


def test_no_value_in_logs(file):
    assert "secret" not in repr(Decisions({"secret": Decided("a")}))
