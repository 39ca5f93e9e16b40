"""The six steps without a browser: what each shows, and what its forms do to the job."""

from __future__ import annotations

import gzip
import html
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from ontomask.job import Job
from ontomask.job.steps import step_states
from ontomask.web.pages.compare import _pairs
from ontomask.web.workspaces import Workspace

from support.workbenches import HOSTILE, OBO, Desk, dirty_csv, hostile_csv, problems_in, small_csv


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path).enter()


@pytest.fixture
def small(desk: Desk) -> Workspace:
    return desk.upload(small_csv())


def states(work: Workspace) -> dict[str, str]:
    return {step: state.state for step, state in step_states(work.bench).items()}


# Start and table


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (gzip.compress(b"a,b\n" + bytes(1 << 29)), "too-large"),
        (gzip.compress(small_csv().encode())[:-40], "damaged"),
        (b"\x1f\x8b\x08\x00damaged", "damaged"),
    ],
    ids=["bomb", "truncated", "damaged"],
)
def test_a_packed_table_that_cannot_be_unpacked_is_named(desk, content, code):
    work = desk.upload(content, ".csv.gz")
    assert work.task is not None
    assert work.task.error is not None
    assert work.task.error.code == code
    assert problems_in(desk.show(work, "table")) != []


def test_only_tables_and_ontologies_can_be_uploaded_into_a_workspace(desk, small):
    before = sorted(small.folder.iterdir())
    assert desk.client.post(f"/w/{small.id}/upload/job", b"a,b\n1,2\n", x_format=".csv").status == 404
    assert desk.client.post(f"/w/{small.id}/upload/..", b"a,b\n1,2\n", x_format=".csv").status == 404
    assert sorted(small.folder.iterdir()) == before


def test_an_empty_start_says_what_to_do(desk):
    page = desk.client.get("/").text
    assert "Choose a file" in page
    assert "Go on with" not in page


def test_a_table_of_this_machine_is_opened_by_its_path(desk, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(small_csv())
    assert problems_in(desk.client.post("/open", {"path": str(tmp_path / "none.csv")})) == []
    assert desk.client.path == "/open"
    answer = desk.client.post("/open", {"path": str(path)})
    work = next(iter(desk.workspaces))
    desk.finish(work)
    assert answer.status == 200
    # The job is in the private folder, and the table stays where it is.
    assert work.bench.editor.path.parent == work.folder
    assert work.bench.table == path


def test_the_example_is_opened_at_the_first_visit(tmp_path):
    desk = Desk(tmp_path, example=True).enter()
    desk.client.get("/")
    (work,) = desk.workspaces
    assert desk.client.path.endswith(f"/w/{work.id}/table")
    desk.finish(work)
    assert "30,162 records, 9 columns" in desk.show(work, "table").text
    desk.client.get("/")
    assert desk.client.path == "/"


def test_the_headings_of_a_comparison_fit_its_cells(desk, ready):
    page = desk.act(ready, "compare", "run", methods=["Recoding"], k="5", alpha="0.3").text
    table = page.split('<table class="compared">')[1].split("</table>")[0]
    assert table.count("<th ") - 1 == table.count("<td ")


def test_the_table_shows_its_first_rows_only(desk):
    work = desk.upload(small_csv(5000))
    page = desk.show(work, "table").text
    assert "5,000 records, 5 columns" in page
    assert page.count("<tr>") == 1 + 8
    assert "P4999" not in page


def test_a_dirty_file_is_recognised_and_can_be_read_in_another_way(desk):
    work = desk.upload(dirty_csv())
    given = work.bench.settings.input
    assert (given.encoding, given.decimal) == ("cp1252", ",")
    page = desk.show(work, "table").text
    assert "Größe" in page
    assert re.search(r'<option value=";" selected>semicolon', page)
    assert states(work)["table"] == "todo"  # the decimal comma is a guess
    form = {"delimiter": ";", "encoding": "cp1252", "decimal": ".", "thousands": "", "header": "on"}
    desk.act(work, "table", "read", **form)
    assert work.bench.settings.input.decimal == "."
    desk.act(work, "table", "read", **form | {"encoding": "ascii"})
    shown = problems_in(desk.act(work, "table", "read", **form | {"encoding": "ascii"}))
    assert len(shown) == 1
    desk.client.post(f"/w/{work.id}/job/undo/table")
    desk.finish(work)
    assert work.bench.settings.input.decimal == ","
    desk.act(work, "table", "confirm")
    assert desk.client.path.endswith("/roles")
    assert states(work)["table"] == "done"


def test_a_file_that_is_no_table_is_refused_in_words(desk):
    work = desk.upload(b"PK\x03\x04 broken", ".xlsx")
    page = desk.show(work, "table")
    assert len(problems_in(page)) == 1
    assert "Choose a file" in page.text
    # Other steps lead back here.
    desk.client.get(f"/w/{work.id}/release")
    assert desk.client.path.endswith("/table")


# Roles


def test_roles_are_set_one_by_one_and_many_at_a_time(desk, small):
    page = desk.show(small, "roles").text
    assert page.count('name="ticked"') == 5
    age = desk.column(small, "age")
    desk.act(small, "roles", "set", column=age, role="drop")
    assert small.bench.editor.content["columns"]["age"] == {"role": "drop"}
    desk.act(small, "roles", "set", column=age, role="quasi-identifier")
    assert small.bench.editor.content["columns"]["age"] == {"role": "quasi-identifier", "kind": "numeric"}
    desk.act(small, "roles", "many", ticked=[0, 1, 4], role="drop")
    assert [c.role for c in small.bench.settings.columns.values()].count("drop") == 3
    assert problems_in(desk.act(small, "roles", "many", role="drop")) != []
    assert problems_in(desk.act(small, "roles", "set", column=99, role="drop")) != []
    assert problems_in(desk.act(small, "roles", "set", column=age, role="boss")) != []


@pytest.mark.parametrize("kind", ["nominal", "concept_set", "category", "prefix", "numeric", "ordinal", "date"])
def test_every_kind_can_be_chosen(desk, small, kind):
    town = desk.column(small, "town")
    answer = desk.act(small, "roles", "set", column=town, kind=kind)
    assert problems_in(answer) == []
    assert small.bench.settings.columns["town"].kind == kind


def test_an_undecided_column_blocks(desk, small):
    desk.act(small, "roles", "set", column=1, role="undecided")
    assert states(small)["roles"] == "todo"
    assert len(problems_in(desk.act(small, "roles", "confirm"))) == 1
    assert desk.client.path.endswith("/roles")
    desk.act(small, "release", "run")
    assert small.bench.released is None
    desk.act(small, "roles", "set", column=1, role="quasi-identifier")
    desk.act(small, "roles", "confirm")
    assert states(small)["roles"] == "done"


def test_nothing_is_released_before_every_guess_is_confirmed(desk, small):
    shown = problems_in(desk.act(small, "release", "run"))
    assert len(shown) == 1
    assert "confirm" in shown[0]
    assert not any(path.suffix == ".html" for path in small.folder.iterdir())


def test_persons_with_several_rows(desk, small):
    patient = desk.column(small, "patient id")
    desk.act(small, "roles", "person", column=patient, person="on")
    assert small.bench.settings.columns["patient id"].person
    desk.act(small, "roles", "person", column=patient)
    assert small.bench.settings.columns["patient id"].person is None


def test_undo_of_another_reading_examines_the_table_again(desk):
    work = desk.upload("a;b,c\n1;2,3\n4;5,6\n7;8,9\n")
    before = list(work.bench.settings.columns)
    delimiter = "," if len(before[0]) == 1 else ";"
    desk.act(work, "table", "read", delimiter=delimiter, encoding="utf-8", decimal=".", header="on")
    assert list(work.bench.draft.profiles) == list(work.bench.settings.columns) != before
    desk.client.post(f"/w/{work.id}/job/undo/table")
    desk.finish(work)
    assert list(work.bench.draft.profiles) == list(work.bench.settings.columns) == before
    assert problems_in(desk.show(work, "roles")) == []


# Meaning


@pytest.fixture
def meaning(desk: Desk) -> Workspace:
    work = desk.upload(dirty_csv())
    desk.act(work, "table", "confirm")
    desk.act(work, "roles", "set", column=desk.column(work, "Land"), kind="nominal")
    desk.act(work, "roles", "confirm")
    desk.show(work, "meaning")
    desk.act(work, "meaning", "look", column=desk.column(work, "Land", masked=True))
    return work


def test_values_that_need_attention_come_first(desk, meaning):
    page = desk.show(meaning, "meaning").text
    rows = re.findall(r'<tr class="([\w-]+)">\s*<td><input type="checkbox" name="ticked"', page)
    assert rows[0] == "unmapped"
    review = meaning.bench.known_review("Land")
    assert review is not None
    assert [row.value for row in review.rows if row.status == "unmapped"] == ["Swedn"]
    assert states(meaning)["meaning"] == "todo"


def test_a_misspelt_value_is_decided_searched_and_taken_back(desk, meaning):
    land = desk.column(meaning, "Land", masked=True)
    review = meaning.bench.known_review("Land")
    assert review is not None
    at = next(row.position for row in review.rows if row.value == "Swedn")
    found = desk.client.post(f"/w/{meaning.id}/meaning/alternatives", {"column": land, "value": at})
    assert "sweden.n.01" in found.text
    found = desk.client.post(f"/w/{meaning.id}/meaning/search", {"column": land, "value": at, "text": "Sweden"})
    assert "a kind of" in found.text
    tree = desk.client.post(
        f"/w/{meaning.id}/meaning/children", {"column": land, "value": at, "concept": "entity.n.01"}
    )
    assert "physical entity" in tree.text
    shown = problems_in(desk.act(meaning, "meaning", "decide", column=land, value=at, concept="no such thing"))
    assert len(shown) == 1
    desk.act(meaning, "meaning", "decide", column=land, value=at, concept="Sweden")
    assert meaning.bench.editor.content["columns"]["Land"]["mapping"] == {"Swedn": "sweden.n.01"}
    review = meaning.bench.known_review("Land")
    assert review is not None
    assert review.open_values == 0
    desk.act(meaning, "meaning", "reject", column=land, ticked=at)
    assert "mapping" not in meaning.bench.editor.content["columns"]["Land"]
    desk.act(meaning, "meaning", "accept", column=land, what="unmapped")
    assert meaning.bench.editor.content["columns"]["Land"]["mapping"] == {"Swedn": "sweden.n.01"}
    assert problems_in(desk.act(meaning, "meaning", "accept", column=land, what="unmapped")) != []


def test_open_values_need_a_decision_before_going_on(desk, meaning):
    assert len(problems_in(desk.act(meaning, "meaning", "confirm"))) >= 1
    assert desk.client.path.endswith("/meaning")
    land = desk.column(meaning, "Land", masked=True)
    desk.act(meaning, "meaning", "policy", column=land, missing="root", unmapped="root", missing_tokens="?, -")
    column = meaning.bench.settings.columns["Land"]
    assert (column.missing, column.unmapped, column.missing_tokens) == ("root", "root", ["?", "-"])
    desk.show(meaning, "meaning")
    desk.act(meaning, "meaning", "confirm")
    assert desk.client.path.endswith("/protect")


def test_a_domain_that_does_not_exist_is_refused_beside_its_field(desk, meaning):
    land = desk.column(meaning, "Land", masked=True)
    before = meaning.bench.editor.text
    answer = desk.act(meaning, "meaning", "ontology", column=land, taxonomy="wordnet", domain="no such concept")
    assert len(problems_in(answer)) == 1
    assert meaning.bench.editor.text == before
    desk.act(meaning, "meaning", "ontology", column=land, taxonomy="wordnet", domain="country")
    assert meaning.bench.settings.columns["Land"].domain == "country"


def test_dates_whose_day_and_month_cannot_be_told_apart_are_settled_with_the_table(desk):
    rows = "".join(f"{i % 12 + 1:02}/{i % 9 + 1:02}/2021,{i % 7}\n" for i in range(60))
    work = desk.upload("day,level\n" + rows)
    assert work.bench.settings.columns["day"].role == "undecided"
    shown = desk.show(work, "table").text
    assert "31/12/2021 (day, month, year)" in shown
    assert "12/31/2021 (month, day, year)" in shown
    assert "31.12.2021" not in shown
    assert problems_in(desk.act(work, "table", "dates", column=0, formats="%d/%m/%Y")) == []
    column = work.bench.settings.columns["day"]
    assert (column.kind, column.formats, column.confirmed) == ("date", ["%d/%m/%Y"], False)
    assert "not known: choose" not in desk.show(work, "table").text


def test_a_file_that_could_not_be_read_is_read_in_another_way(desk):
    broken = desk.upload("name,cost\nA,1\nB,$1,200.00\n")
    shown = desk.show(broken, "table")
    assert len(problems_in(shown)) == 1
    # The folder of the server says nothing to a person.
    assert str(broken.folder) not in shown.text
    desk.act(broken, "table", "read", delimiter="|", encoding="utf-8", decimal=".", header="on")
    assert broken.bench.settings.input.delimiter == "|"


def test_a_table_without_a_column_to_mask_opens_and_stops_at_its_roles(desk):
    work = desk.upload("name,email\n" + "".join(f"N{i},n{i}@x.org\n" for i in range(60)))
    assert {column.role for column in work.bench.settings.columns.values()} == {"identifier"}
    for step in ("table", "roles", "meaning", "protect", "compare", "release"):
        assert problems_in(desk.show(work, step)) == []
    assert len(problems_in(desk.act(work, "roles", "confirm"))) == 1
    assert problems_in(desk.act(work, "roles", "set", column=0, role="quasi-identifier")) == []
    assert problems_in(desk.act(work, "roles", "confirm")) == []


def test_undecided_columns_are_named_beside_their_fields(desk):
    work = desk.upload("cost,age\n" + "".join(f"${i}.50,{20 + i % 9}\n" for i in range(60)))
    shown = desk.act(work, "roles", "confirm")
    assert [problem.split('"')[0] for problem in problems_in(shown)] == ["columns.cost.role"]
    assert shown.text.count("Choose what this column is.") == 2


def test_the_column_that_stops_the_step_is_shown(desk):
    work = desk.upload(small_csv().replace("toothache", "zzqxw"))
    desk.act(work, "roles", "set", column=desk.column(work, "pain"), role="quasi-identifier", kind="nominal")
    desk.act(work, "meaning", "look", column=desk.column(work, "age", masked=True))
    shown = desk.act(work, "meaning", "confirm")
    assert problems_in(shown) != []
    assert work.choices["column"] == "pain"


def test_dates_and_steps_are_corrected_here(desk):
    rows = "".join(f"{i % 28 + 1:02}.03.2021,{('low', 'mid', 'high')[i % 3]},{20 + i % 8}\n" for i in range(60))
    work = desk.upload("day,level,age\n" + rows)
    assert work.bench.settings.columns["day"].formats == ["%d.%m.%Y"]
    day, level = desk.column(work, "day", masked=True), desk.column(work, "level", masked=True)
    desk.act(work, "meaning", "look", column=day)
    desk.act(work, "meaning", "options", column=day, formats="%d/%m/%Y\n%B %d, %Y", precision="month")
    assert work.bench.settings.columns["day"].formats == ["%d/%m/%Y", "%B %d, %Y"]
    assert "do not fit" in desk.show(work, "meaning").text
    assert problems_in(desk.act(work, "meaning", "confirm")) != []
    desk.act(work, "meaning", "options", column=day, formats="%d.%m.%Y", precision="day")
    assert "do not fit" not in desk.show(work, "meaning").text
    desk.act(work, "roles", "set", column=desk.column(work, "level"), kind="ordinal")
    level = desk.column(work, "level", masked=True)
    desk.act(work, "meaning", "look", column=level)
    desk.act(work, "meaning", "options", column=level, categories="low\r\nmid\r\nhigh")
    assert work.bench.settings.columns["level"].categories == ["low", "mid", "high"]
    assert problems_in(desk.act(work, "meaning", "options", column=level, categories="low\nlow")) != []
    assert work.bench.settings.columns["level"].categories == ["low", "mid", "high"]


def test_only_one_screen_of_values_reaches_the_browser(desk):
    work = desk.upload("word,age\n" + "".join(f"word{i % 900},{20 + i % 7}\n" for i in range(3000)))
    desk.act(work, "roles", "set", column=0, role="quasi-identifier", kind="nominal")
    desk.act(work, "roles", "confirm")
    page = desk.show(work, "meaning").text
    assert page.count("data-open-row") == 40
    assert len(page) < 100_000
    desk.act(work, "meaning", "look", page=3)
    assert "page 4 of 23" in desk.show(work, "meaning").text
    desk.act(work, "meaning", "look", containing="word77")
    assert "11 values" in desk.show(work, "meaning").text


def test_an_own_ontology_is_read_and_its_labels_are_escaped(desk, small):
    desk.act(small, "roles", "set", column=desk.column(small, "pain"), kind="nominal")
    desk.act(small, "roles", "confirm")
    desk.show(small, "meaning")
    pain = desk.column(small, "pain", masked=True)
    # Another tab looks at another column.
    desk.act(small, "meaning", "look", column=desk.column(small, "town", masked=True))
    answer = desk.client.post(f"/w/{small.id}/upload/ontology", OBO.encode(), x_format=".obo", x_column=str(pain))
    assert answer.status == 200
    desk.finish(small)
    assert small.bench.settings.columns["pain"].taxonomy == "ontology"
    desk.act(small, "meaning", "look", column=pain)
    page = desk.show(small, "meaning").text
    review = small.bench.known_review("pain")
    assert review is not None
    assert {row.value: row.concept for row in review.rows} == {"headache": "S:3", "backache": "S:4", "toothache": None}
    head = next(row.position for row in review.rows if row.value == "headache")
    cards = desk.client.post(f"/w/{small.id}/meaning/alternatives", {"column": pain, "value": head}).text
    assert "Pain in the &lt;b&gt;head&lt;/b&gt;." in cards
    assert "a kind of pain" in cards
    tree = desk.client.post(f"/w/{small.id}/meaning/children", {"column": pain, "value": 0, "concept": "S:1"}).text
    assert "&lt;script&gt;" in tree
    assert "<script>" not in tree
    assert "<script>alert" not in page


def test_a_file_that_is_no_ontology_changes_nothing(desk, small):
    desk.act(small, "roles", "set", column=desk.column(small, "pain"), kind="nominal")
    desk.show(small, "meaning")
    before = small.bench.editor.content
    url, pain = f"/w/{small.id}/upload/ontology", str(desk.column(small, "pain", masked=True))
    for wrong in ("", "99", "-1"):
        assert desk.client.post(url, OBO.encode(), x_format=".obo", x_column=wrong).status == 409
    desk.client.post(url, b"\0\1\2", x_format=".obo", x_column=pain)
    desk.finish(small)
    shown = desk.show(small, "meaning")
    assert len(problems_in(shown)) == 1
    assert shown.text.count("The format was not recognised") == 2  # also beside the field
    assert small.bench.editor.content == before


def test_problems_sit_beside_their_field_whatever_the_column_is_called(desk):
    rows = "\n".join(f"{20 + i % 9};{'Swedn' if i % 2 else 'Spain'};{50 + i % 9}" for i in range(40))
    work = desk.upload(f"Alter;Land der Geburt;Größe (cm)\n{rows}\n")
    desk.act(work, "roles", "set", column=desk.column(work, "Land der Geburt"), kind="nominal")
    desk.act(work, "roles", "confirm")
    desk.show(work, "meaning")
    answer = desk.act(work, "meaning", "confirm")
    assert len(problems_in(answer)) == 1
    assert answer.text.count('<p class="problem" role="alert">') == 1
    assert answer.text.count('<small class="problem"') == 1
    answer = desk.act(work, "protect", "weights", w2="-1")
    assert len(problems_in(answer)) == 1
    assert answer.text.count('<p class="problem" role="alert">') == 1


# Protect, compare, release


@pytest.fixture
def ready(desk: Desk, small: Workspace) -> Workspace:
    for step in ("table", "roles", "meaning"):
        desk.show(small, step)
        desk.act(small, step, "confirm")
    return small


def test_advice_becomes_the_method(desk, ready):
    answer = desk.act(ready, "protect", "advise", guarantee="yes", keep="truth", k="3")
    assert problems_in(answer) == []
    assert "Generalisation" in answer.text
    desk.act(ready, "protect", "use")
    assert tomllib.loads(ready.bench.editor.text)["method"] == {"name": "Generalisation", "k": 3}
    assert states(ready)["protect"] == "done"


def test_secret_columns_can_be_protected_too(desk, ready):
    desk.act(ready, "roles", "set", column=desk.column(ready, "pain"), role="confidential")
    desk.act(ready, "protect", "advise", guarantee="yes", keep="meaning", k="3", l0="2")
    desk.act(ready, "protect", "use")
    column = next(n for n, c in ready.bench.settings.columns.items() if c.role == "confidential")
    assert ready.bench.editor.content["method"]["require"] == [{"column": column, "l": 2}]
    # The comparison asks the same of all methods, and a method taken from there keeps it.
    desk.act(ready, "compare", "run", methods=["Microaggregation"], k="4", alpha="0.3")
    desk.act(ready, "compare", "choose", point=0)
    assert ready.bench.editor.content["method"]["require"] == [{"column": column, "l": 2}]


@pytest.mark.parametrize(("k", "shown"), [("five", "whole number"), ("1", "k")])
def test_a_wrong_k_is_refused_beside_its_field(desk, ready, k, shown):
    answer = desk.act(ready, "protect", "advise", guarantee="yes", keep="meaning", k=k)
    assert len(problems_in(answer)) == 1
    assert shown in problems_in(answer)[0]
    assert ready.bench.advice is None


def test_a_method_is_chosen_by_hand_with_its_parameters(desk, ready):
    page = desk.show(ready, "protect").text
    assert 'value="PRAM"' in page
    fields = {"Microaggregation.k": "7", "Microaggregation.prefer": "risk"}
    desk.act(ready, "protect", "method", name="Microaggregation", **fields)
    assert ready.bench.editor.content["method"] == {"name": "Microaggregation", "k": 7, "prefer": "risk"}
    answer = desk.act(ready, "protect", "method", name="Recoding", **{"Recoding.k": "1"})
    assert len(problems_in(answer)) == 1
    assert ready.bench.editor.content["method"]["name"] == "Microaggregation"


@pytest.mark.parametrize(
    ("aims", "key"),
    [
        ({"guarantee": "yes", "k": "10"}, "aims.k"),
        ({"guarantee": "yes", "k": "5", "l0": "2"}, "aims.l.pain"),
        ({"guarantee": "yes", "k": "5", "t0": "0,3"}, "aims.t.pain"),
    ],
)
def test_aims_that_were_typed_but_not_used_are_not_lost(desk, ready, aims, key):
    desk.act(ready, "roles", "set", column=desk.column(ready, "pain"), role="confidential")
    answer = desk.act(ready, "protect", "confirm", **aims)
    assert desk.client.path.endswith("/protect")
    assert [key in problem for problem in problems_in(answer)] == [True]
    assert answer.text.count('<p class="problem"') == 1  # beside its field
    assert all(f'value="{typed}"' in answer.text for typed in aims.values())
    assert states(ready)["protect"] != "done"
    desk.act(ready, "protect", "advise", keep="meaning", **aims)
    desk.act(ready, "protect", "use")
    desk.act(ready, "protect", "confirm", **aims)
    assert desk.client.path.endswith("/compare")


def test_a_method_without_a_guarantee_needs_a_no(desk, ready):
    desk.act(ready, "protect", "method", name="RankSwapping")
    answer = desk.act(ready, "protect", "confirm", guarantee="yes", k="5")
    assert ["aims.guarantee" in problem for problem in problems_in(answer)] == [True]
    desk.act(ready, "protect", "confirm", guarantee="no", k="5")
    assert desk.client.path.endswith("/compare")


def test_a_method_that_failed_is_not_offered(desk, ready, monkeypatch):
    desk.act(ready, "compare", "run", methods=["Recoding"], k="4, 5", alpha="0.3")
    answer = desk.show(ready, "compare")
    assert answer.text.count('name="point"') == 2
    name = ready.bench.comparison.summary()["method"][0]
    monkeypatch.setattr("ontomask.web.pages.compare._failed", lambda comparison: [name])
    answer = desk.show(ready, "compare")
    assert re.findall(r'name="point" value="(\d)"', answer.text) == ["1"]


def test_correlations_that_change_most_come_first():
    facts = SimpleNamespace(
        columns=("a", "b", "c"),
        before=((1, 0.5, 0.9), (0.5, 1, None), (0.9, None, 1)),
        after=((1, 0.4, 0.2), (0.4, 1, 0.3), (0.2, 0.3, 1)),
    )
    found = _pairs(SimpleNamespace(dependence=facts))
    assert [pair[:2] for pair in found] == [("a", "c"), ("a", "b"), ("b", "c")]


def test_weights_and_limits(desk, ready):
    desk.act(ready, "protect", "weights", w0="2,5")
    masked = [n for n, c in ready.bench.settings.columns.items() if c.role == "quasi-identifier"]
    assert ready.bench.settings.columns[masked[0]].weight == 2.5
    assert problems_in(desk.act(ready, "protect", "weights", w0="-1")) != []
    assert ready.bench.settings.columns[masked[0]].weight == 2.5
    desk.act(ready, "protect", "limits", linked_at_most="60", k_all="")
    assert ready.bench.settings.require.linked_at_most == 60
    assert problems_in(desk.act(ready, "protect", "limits", linked_at_most="600")) != []


def test_compare_look_closer_and_release(desk, ready):
    desk.act(ready, "protect", "confirm")
    assert problems_in(desk.act(ready, "compare", "run", k="5", alpha="0.3")) != []
    assert problems_in(desk.act(ready, "compare", "run", methods=["Recoding"], k="x", alpha="0.3")) != []
    page = desk.act(ready, "compare", "run", methods=["Microaggregation", "Recoding"], k="3, 5", alpha="0.3").text
    assert page.count("om-point") == 4
    assert 'data-order="0,1,2,3"' in page
    page = desk.act(ready, "compare", "choose", point=1).text
    assert ready.bench.editor.content["method"] == {"name": "Microaggregation", "k": 5}
    assert page.count('<tr class="before">') == 10
    assert "Knows the method" in page
    assert "P0" not in page  # identifiers are not released
    desk.act(ready, "release", "check")
    answer = desk.act(ready, "release", "run")
    assert problems_in(answer) == []
    assert "It has run as it stands." in answer.text
    for what in ("masked", "report", "private", "job"):
        answer = desk.client.get(f"/w/{ready.id}/files/{what}")
        assert answer.status == 200
        assert answer.headers["content-disposition"].startswith("attachment")
    view = desk.client.get(f"/w/{ready.id}/files/report?view")
    assert "sandbox" in view.headers["content-security-policy"]
    assert desk.client.get(f"/w/{ready.id}/files/../job.toml").status == 404
    # A change makes the release out of date.
    desk.act(ready, "protect", "weights", w0="3")
    assert ready.bench.released is None
    assert desk.client.get(f"/w/{ready.id}/files/masked").status == 404


def test_the_command_line_writes_the_same_bits(desk, ready, tmp_path):
    desk.act(ready, "protect", "method", name="Recoding", **{"Recoding.k": "4"})
    desk.act(ready, "release", "run")
    run = ready.bench.released
    assert run is not None
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("job.toml", "table.csv"):
        (elsewhere / name).write_bytes((ready.folder / name).read_bytes())
    command = ["mask", "job.toml", "--repeat", str(run.files["private"]), "--quiet"]
    subprocess.run([sys.executable, "-m", "ontomask", *command], cwd=elsewhere, check=True)
    for what in ("masked", "report"):
        assert (elsewhere / run.files[what].name).read_bytes() == run.files[what].read_bytes()
    # The other way round: the job of the command line, opened in the page.
    desk.client.post("/open", {"path": str(elsewhere / "job.toml")})
    found = list(desk.workspaces)[-1]
    desk.finish(found)
    text = (elsewhere / "job.toml").read_bytes()
    assert problems_in(desk.act(found, "release", "run", overwrite="on")) == []
    again = found.bench.released.files
    before = {what: again[what].read_bytes() for what in ("masked", "report")}
    command = ["mask", "job.toml", "--repeat", str(again["private"]), "--quiet", "--force"]
    subprocess.run([sys.executable, "-m", "ontomask", *command], cwd=elsewhere, check=True)
    assert {what: again[what].read_bytes() for what in before} == before
    assert (elsewhere / "job.toml").read_bytes() == text


# The job beside every screen


def test_the_job_text_is_beside_every_screen_and_can_be_edited(desk, ready):
    for step in ("table", "roles", "meaning", "protect", "compare", "release"):
        page = desk.show(ready, step).text
        shown = html.unescape(re.search(r'<textarea id="text".*?>(.*?)</textarea>', page, re.DOTALL)[1])
        assert shown.lstrip("\n") == ready.bench.editor.text
    text = ready.bench.editor.text.replace("k = 5", "k = 9")
    desk.client.post(f"/w/{ready.id}/job/text/protect", {"text": text.replace("\n", "\r\n")})
    assert ready.bench.editor.text == text
    answer = desk.client.post(f"/w/{ready.id}/job/text/protect", {"text": text + "\n[nonsense]\n"})
    assert len(problems_in(answer)) == 1
    assert "[nonsense]" in answer.text  # what was typed is not lost
    assert ready.bench.editor.text == text
    answer = desk.client.post(f"/w/{ready.id}/job/text/protect", {"text": text.replace("k = 9", 'k = "many"')})
    assert ["method.k" in problem for problem in problems_in(answer)] == [True]
    assert ready.bench.editor.text == text
    desk.client.post(f"/w/{ready.id}/job/undo/protect")
    assert "k = 5" in ready.bench.editor.text
    desk.client.post(f"/w/{ready.id}/job/redo/protect")
    assert ready.bench.editor.text == text


def test_a_job_of_the_owner_is_opened_edited_in_place_and_released_beside_it(desk, ready, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "table.csv").write_text(small_csv())
    desk.act(ready, "protect", "confirm")
    (folder / "my.toml").write_text("# mine\n" + ready.bench.editor.text)
    desk.client.post("/open", {"path": str(folder / "my.toml")})
    work = list(desk.workspaces)[-1]
    desk.finish(work)
    assert states(work)["roles"] == "done"
    desk.act(work, "protect", "method", name="Recoding", **{"Recoding.k": "4"})
    assert (folder / "my.toml").read_text().startswith("# mine\n")
    assert Job.from_toml(folder / "my.toml").settings.method.name == "Recoding"
    desk.show(work, "meaning")
    desk.act(work, "release", "run")
    assert (folder / "table-masked.csv").is_file()
    assert len(problems_in(desk.act(work, "release", "run"))) == 1  # files that exist are not replaced unasked
    assert problems_in(desk.act(work, "release", "run", overwrite="on")) == []


def test_an_uploaded_job_asks_for_its_table(desk, ready):
    answer = desk.client.post("/upload/job", ready.bench.editor.text.replace("table.csv", "t.csv").encode())
    work = desk.workspaces.get(answer.json["location"].split("/")[3])
    assert work is not None
    desk.finish(work)
    page = desk.show(work, "table").text
    assert "The job is open, but its table could not be read" in page
    desk.client.post(f"/w/{work.id}/upload/table", small_csv().encode(), x_format=".csv")
    desk.finish(work)
    assert states(work)["roles"] == "done"
    assert work.bench.settings.input.path == "table.csv"


def test_a_job_of_somebody_else_replaces_no_file_of_yours(desk, ready, tmp_path):
    mine = tmp_path / "mine.csv"
    mine.write_text("precious\n")
    desk.act(ready, "protect", "confirm")
    text = ready.bench.editor.text.replace('"table-masked.csv"', f'"{mine}"')
    desk.client.post(f"/w/{ready.id}/job/text/release", {"text": text})
    assert len(problems_in(desk.act(ready, "release", "run"))) == 1
    assert mine.read_text() == "precious\n"


def test_several_workspaces_do_not_mix(desk):
    first, second = desk.upload(small_csv(60)), desk.upload(small_csv(90))
    desk.act(first, "roles", "set", column=1, role="drop")
    assert second.bench.settings.columns["age"].role == "quasi-identifier"
    assert "60 records" in desk.show(first, "table").text
    assert "90 records" in desk.show(second, "table").text
    assert first.folder != second.folder


def test_hostile_names_and_values_are_escaped_everywhere(desk):
    work = desk.upload(hostile_csv(), label="%3Cscript%3Ealert(1)%3C/script%3E")
    names = list(work.bench.settings.columns)
    assert names[1].startswith("<img src=x")
    desk.act(work, "table", "confirm")
    desk.act(work, "roles", "set", column=1, role="quasi-identifier", kind="nominal")
    desk.act(work, "roles", "confirm")
    desk.show(work, "meaning")
    desk.act(work, "meaning", "policy", column=desk.column(work, names[1], masked=True), unmapped="category")
    desk.act(work, "meaning", "confirm")
    desk.act(work, "protect", "advise", guarantee="yes", keep="meaning", k="5")
    desk.act(work, "protect", "use")
    desk.act(work, "compare", "run", methods=["Recoding"], k="3", alpha="0.3")
    desk.act(work, "compare", "choose", point=0)
    desk.act(work, "release", "run")
    assert work.bench.released is not None
    for step in ("table", "roles", "meaning", "protect", "compare", "release"):
        page = desk.show(work, step).text
        assert "<img src=x" not in page
        assert "<script>alert" not in page
        assert "</textarea><script" not in page
        assert "\u202e" not in page
        assert "{{7*7}}" in page or "49" not in page
    assert "<script>alert" not in desk.client.get("/").text
    assert HOSTILE.startswith("<img")


def test_work_is_cancelled_and_can_begin_again(desk, ready, monkeypatch):
    from ontomask.base.progress import progress

    def slowly():
        import time

        with progress("Waiting", 1000) as advance:
            for _ in range(1000):
                time.sleep(0.02)
                advance(1)

    monkeypatch.setattr(ready.bench, "try_method", slowly)
    desk.act(ready, "protect", "confirm")
    answer = desk.client.post(f"/w/{ready.id}/compare/try")
    assert 'id="working"' in answer.text
    assert desk.client.get(f"/w/{ready.id}/progress").json["state"] in ("waiting", "running")
    # Edits wait until the work is over.
    before = ready.bench.editor.text
    desk.client.post(f"/w/{ready.id}/protect/weights", {"w0": "4"})
    assert ready.bench.editor.text == before
    desk.client.post(f"/w/{ready.id}/cancel")
    assert ready.task is not None
    assert ready.task.wait(2)
    assert ready.task.state == "cancelled"
    assert "cancelled" in desk.show(ready, "compare").text
    monkeypatch.undo()
    desk.act(ready, "compare", "try")
    assert ready.bench.trial is not None
