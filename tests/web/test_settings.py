"""Settings that the pages offer besides the usual ones: of columns, methods, outputs; and aims that a method misses."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from ontomask.base.progress import ProgressStep, progress
from ontomask.job.column_options import change_options, column_options
from ontomask.job.method_choices import method_choices
from ontomask.job.settings import ColumnSettings
from ontomask.web.tasks import Task, _Pace

from support.workbenches import Desk, problems_in, small_csv


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path).enter()


@pytest.fixture
def small(desk: Desk):
    """A small table whose columns are decided."""
    work = desk.upload(small_csv())
    for name, role in {"town": "quasi-identifier", "pain": "confidential", "income": "confidential"}.items():
        desk.act(work, "roles", "set", column=desk.column(work, name), role=role)
    desk.act(work, "roles", "confirm")
    desk.show(work, "meaning")
    return work


def _set(desk, work, name, **texts):
    return desk.act(work, "meaning", "options", column=desk.column(work, name, masked=True), **texts)


@pytest.mark.parametrize(
    ("column", "key", "text", "value"),
    [
        ("age", "intervals", "0, 30, 60", [0, 30, 60]),
        ("age", "intervals", "0, 30, 60\r\n0, 60", [[0, 30, 60], [0, 60]]),
        ("age", "centre", "median", "median"),
        ("age", "scale", "iqr", "iqr"),
        ("age", "grid", "0, 120, 5", [0, 120, 5]),
        ("age", "top", "any age", "any age"),
        ("town", "groups", "South = Rye; Bath\nEast = Ely", {"South": ["Rye", "Bath"], "East": ["Ely"]}),
        ("town", "values", "Ely\nRye\nBath\nHove", ["Ely", "Rye", "Bath", "Hove"]),
    ],
)
def test_settings_of_a_column_are_typed_shown_and_taken_away(desk, small, column, key, text, value):
    kind = "numeric" if column == "age" else "category"
    desk.act(small, "meaning", "kind", column=desk.column(small, column, masked=True), kind=kind)
    assert problems_in(_set(desk, small, column, **{key: text})) == []
    assert small.bench.editor.content["columns"][column][key] == value
    # What is shown can be sent back, and changes nothing.
    (shown,) = (o.value for o in column_options(small.bench.settings.columns[column]) if o.key == key)
    before = small.bench.editor.text
    assert problems_in(_set(desk, small, column, **{key: shown})) == []
    assert small.bench.editor.text == before
    _set(desk, small, column, **{key: ""})
    assert key not in small.bench.editor.content["columns"][column]


@pytest.mark.parametrize(
    ("column", "key", "text"),
    [
        ("age", "intervals", "ten, twenty"),
        ("age", "intervals", "60, 30, 0"),
        ("age", "centre", "nowhere"),
        ("town", "groups", "South: Rye\nEast"),
    ],
)
def test_a_wrong_setting_is_refused_beside_its_field_and_cannot_be_redone(desk, small, column, key, text):
    kind = "numeric" if column == "age" else "category"
    desk.act(small, "meaning", "kind", column=desk.column(small, column, masked=True), kind=kind)
    before = small.bench.editor.text
    answer = _set(desk, small, column, **{key: text})
    assert len(problems_in(answer)) == 1
    assert f"columns.{column}.{key}" in answer.text
    part = answer.text.split(f'id="option-{key}"')[1].split("</div>")[0]
    assert 'class="problem"' in part
    assert small.bench.editor.text == before
    # The wrong state was never made, so no redo brings it back.
    assert not small.bench.editor.can_redo


def test_every_setting_of_a_kind_is_offered_or_has_a_field_of_its_own():
    """A new option of a kind needs a place on the pages, or a reason not to have one."""
    from ontomask.kinds import KINDS

    elsewhere = {"taxonomy", "domain", "mapping", "weight", "formats", "precision", "categories"}
    # Only in the text of the job: how distances are computed, and links between several ontologies.
    text_only = {"distance", "scope", "links"}
    for name, kind in KINDS.items():
        several = {"taxonomy": ["a", "b"]} if "taxonomy" in kind.option_names() else {}
        offered = {o.key for o in column_options(ColumnSettings(role="other", kind=name, **several))}
        assert offered | elsewhere | text_only >= set(kind.option_names()), name


def test_groups_may_be_a_file():
    column = ColumnSettings(role="other", kind="category")
    assert change_options("c", column, {"groups": "groups.csv"}) == {("columns", "c", "groups"): "groups.csv"}


def test_a_column_follows_another_one(desk):
    rows = "\n".join(f"{20 + i % 9},{i % 4},{'NESW'[i % 4]}" for i in range(60))
    work = desk.upload(f"age,code,name of code\n{rows}\n")
    answer = desk.act(work, "roles", "set", column=desk.column(work, "name of code"), role="linked")
    assert problems_in(answer) == []
    assert work.bench.settings.columns["name of code"].to == "code"
    desk.act(work, "roles", "follow", column=desk.column(work, "name of code"), to=desk.column(work, "age"))
    assert work.bench.settings.columns["name of code"].to == "age"


def test_a_column_can_follow_only_a_masked_one(desk):
    work = desk.upload("a,b\n" + "".join(f"x{i % 3},y{i % 3}\n" for i in range(60)))
    desk.act(work, "roles", "set", column=0, role="drop")
    answer = desk.act(work, "roles", "set", column=1, role="linked")
    assert "no masked column" in problems_in(answer)[0]


def test_pseudonyms_and_weights(desk):
    rows = "\n".join(f"P{i // 2},{20 + i % 9},{1 + i % 3}.5" for i in range(60))
    work = desk.upload(f"patient id,age,weight\n{rows}\n")
    desk.act(work, "roles", "set", column=0, role="identifier")
    desk.act(work, "roles", "person", column=0, person="on", pseudonyms="on")
    assert work.bench.settings.columns["patient id"].pseudonyms
    # Another guess for the same role keeps it.
    desk.act(work, "roles", "many", ticked=0, role="identifier")
    assert work.bench.settings.columns["patient id"].pseudonyms
    desk.act(work, "roles", "person", column=0, pseudonyms="on")
    assert work.bench.settings.columns["patient id"].pseudonyms is None
    desk.act(work, "roles", "set", column=2, role="weight")
    desk.act(work, "roles", "weights", column=2)
    assert work.bench.settings.columns["weight"].average_weights is False
    desk.act(work, "roles", "weights", column=2, average="on")
    assert work.bench.settings.columns["weight"].average_weights is None


def test_several_ontologies_for_a_column(desk, small):
    town = desk.column(small, "town", masked=True)
    desk.act(small, "meaning", "kind", column=town, kind="nominal")
    desk.act(small, "meaning", "ontology", column=town, taxonomy="wordnet", further="icd9cm")
    assert small.bench.settings.columns["town"].taxonomy == ["wordnet", "icd9cm"]
    _set(desk, small, "town", combine="in_order", release="label")
    assert small.bench.settings.columns["town"].combine == "in_order"
    assert small.bench.settings.columns["town"].release == "label"
    # An empty choice keeps both.
    desk.act(small, "meaning", "ontology", column=town, taxonomy="", domain="")
    assert small.bench.settings.columns["town"].taxonomy == ["wordnet", "icd9cm"]


def test_an_ontology_of_this_machine_is_named_by_its_path(desk, small, tmp_path):
    path = tmp_path / "towns.csv"
    path.write_text("child,parent\nEly,towns\nRye,towns\nBath,towns\n")
    town = desk.column(small, "town", masked=True)
    answer = desk.act(small, "meaning", "path", column=town, path=str(tmp_path / "none.csv"))
    assert "There is no such file" in answer.text.split('id="ontology-path"')[1].split("</form>")[0]
    # A column of categories gets the hierarchy, and becomes one of words.
    desk.act(small, "meaning", "path", column=town, path=str(path))
    assert small.bench.settings.columns["town"].taxonomy == "towns"
    assert small.bench.settings.columns["town"].kind == "nominal"
    desk.show(small, "meaning")
    review = small.bench.known_review("town")
    assert review is not None
    assert review.open_values == 0


def test_paths_of_ontologies_are_not_opened_for_others(tmp_path):
    desk = Desk(tmp_path / "root", paths=False) if (tmp_path / "root").mkdir() is None else None
    assert desk is not None
    work = desk.enter().upload(small_csv())
    for name in ("town", "pain", "income"):
        desk.act(work, "roles", "set", column=desk.column(work, name), role="quasi-identifier")
    desk.show(work, "meaning")
    assert "ontology-path" not in desk.show(work, "meaning").text
    answer = desk.act(work, "meaning", "path", column=0, path="/etc/hosts")
    assert "no files by their path" in problems_in(answer)[0]


@pytest.mark.parametrize(
    ("path", "text"),
    [("", "This is a folder"), ("none.csv", "no such file"), ("table.unknown", "format"), ("%FF", "could not be read")],
)
def test_a_path_that_cannot_be_opened_is_told_beside_its_field(desk, tmp_path, path, text):
    (tmp_path / "table.unknown").write_text("a,b\n")
    given = b"path=%FF" if path == "%FF" else {"path": str(tmp_path / path)}
    answer = desk.client.post("/open", given)
    assert answer.status == 422
    beside = answer.text.split('id="path-problem"')[1].split("</div>")[0]
    assert text in beside
    # What was typed is still there.
    assert path == "%FF" or f'value="{tmp_path / path}"' in answer.text
    assert list(desk.workspaces) == []


def test_the_table_of_an_uploaded_job_is_named_by_its_path(desk, small, tmp_path):
    answer = desk.client.post("/upload/job", small.bench.editor.text.replace("table.csv", "gone.csv").encode())
    work = desk.workspaces.get(answer.json["location"].split("/")[3])
    assert work is not None
    desk.finish(work)
    answer = desk.act(work, "table", "open", path=str(tmp_path / "none.csv"))
    assert "no such file" in answer.text.split('id="path"')[1].split("</form>")[0]
    (tmp_path / "t.csv").write_text(small_csv())
    desk.act(work, "table", "open", path=str(tmp_path / "t.csv"))
    assert work.bench.is_open


def test_the_table_is_written_in_another_format_and_order(desk, small):
    desk.act(small, "release", "output", format=".parquet", order="as_is", formulas="as_is")
    output = small.bench.editor.content["output"]
    assert output["masked"].endswith(".parquet")
    assert (output["order"], output["formulas"]) == ("as_is", "as_is")
    desk.act(small, "release", "output", format=".csv", order="shuffled", formulas="escape")
    assert set(small.bench.editor.content["output"]) == {"masked", "report"}
    before = small.bench.editor.text
    assert problems_in(desk.act(small, "release", "output", format=".exe", order="shuffled", formulas="escape")) != []
    assert small.bench.editor.text == before


def test_a_method_that_gives_less_than_was_asked_is_told_in_compare_and_release(desk, small):
    desk.act(small, "meaning", "confirm")
    desk.act(small, "protect", "advise", guarantee="yes", k=5, keep="meaning")
    desk.act(small, "protect", "use")
    assert "Less than you asked for" not in desk.show(small, "compare").text
    desk.act(small, "compare", "run", methods="Recoding", k="2, 6", runs=1)
    comparison = small.bench.comparison
    assert comparison is not None
    at = [method.k for method in comparison.methods].index(2)
    answer = desk.act(small, "compare", "choose", point=at)
    assert "Less than you asked for" in answer.text
    assert "You ask for 5, but Recoding in the job has k = 2." in desk.show(small, "release").text
    desk.act(small, "compare", "choose", point=1 - at)
    assert "Less than you asked for" not in desk.show(small, "release").text


@pytest.mark.parametrize(("runs", "count"), [("1", 1), ("2", 2)])
def test_runs_of_each_method(desk, small, runs, count):
    desk.act(small, "meaning", "confirm")
    desk.act(small, "compare", "run", methods="Recoding", k="2", runs=runs)
    assert small.bench.settings.compare.seeds == count


@pytest.mark.parametrize("runs", ["0", "21", "-3", "many"])
def test_a_wrong_number_of_runs_is_refused_beside_its_field(desk, small, runs):
    desk.act(small, "meaning", "confirm")
    answer = desk.act(small, "compare", "run", methods="Recoding", k="2", runs=runs)
    assert 'class="problem"' in answer.text.split('id="runs"')[1].split("</div>")[0]
    assert small.bench.settings.compare is None


def test_parameters_that_people_need_have_words():
    words = {(choice.name, p.name): p.words for choice in method_choices() for p in choice.parameters}
    for key in (("Microaggregation", "k"), ("RankSwapping", "k"), ("Generalisation", "suppression")):
        assert words[key] is not None
    assert words["RankSwapping", "k"] != words["Microaggregation", "k"]
    for choice in method_choices():
        for parameter in choice.parameters:
            if parameter.words is not None and parameter.words.options:
                assert set(parameter.options) <= set(parameter.words.options), (choice.name, parameter.name)


def test_the_map_has_no_term_of_the_field(desk, small):
    desk.act(small, "meaning", "confirm")
    answer = desk.act(small, "compare", "run", methods=["Recoding", "Resampling"], k="2, 5", runs=1)
    assert "Pareto" not in answer.text
    assert "no method beats these" in answer.text


def test_work_that_does_not_report_is_cancelled_all_the_same():
    """Such as a compiler. Its result is thrown away, and new work waits until it has ended."""
    go_on, written = threading.Event(), []

    def stubborn():
        go_on.wait(20)
        with progress("After compiling"):
            written.append("nobody wants this")

    task = Task("compare", "Comparing", stubborn)
    task.start()
    while task.state == "waiting":
        time.sleep(0.01)
    begun = time.monotonic()
    task.cancel()
    while not task.is_over:
        time.sleep(0.01)
    assert time.monotonic() - begun < 2
    assert task.state == "cancelled"
    assert task.is_left
    after = Task("trial", "Trying", lambda: written.append("the next"))
    after.start()
    time.sleep(0.2)
    assert after.state == "waiting"
    go_on.set()
    assert after.wait(5)
    assert task.wait(5)
    assert written == ["the next"]
    assert (task.state, after.state, task.is_left) == ("cancelled", "done", False)


def test_abandoned_work_changes_no_job(desk, small, monkeypatch):
    go_on = threading.Event()
    review = small.bench.review_all

    def slow_review():
        go_on.wait(20)
        small.bench.edit({("columns", "age", "weight"): 3.0})
        review()

    before = small.bench.editor.text
    small.start("review", "Looking up", slow_review)
    while small.task.state == "waiting":
        time.sleep(0.01)
    desk.client.post(f"/w/{small.id}/cancel")
    while small.is_busy:
        time.sleep(0.01)
    assert "still ends in the background" in desk.client.get(f"/w/{small.id}/meaning").text
    desk.act(small, "protect", "weights", w0="2")
    edited = small.bench.editor.text
    assert edited != before
    task = small.task
    go_on.set()
    assert task is None or task.wait(5)
    time.sleep(0.1)
    assert small.bench.editor.text == edited


def test_the_time_left_follows_the_later_half():
    pace = _Pace()

    def at(done: int, now: float) -> float | None:
        step = ProgressStep("Comparing", done, 9, now)
        pace.see(step, now)
        return pace.seconds_left(step, now)

    # The first method takes 30 seconds, since it is compiled; the others take two.
    assert at(0, 5) is None
    assert at(1, 30) == pytest.approx(8 * 30 / 1.5)
    for done in range(2, 5):
        at(done, 30 + 2 * (done - 1))
    left = at(5, 38)
    assert left == pytest.approx(4 * (38 - 32) / 3.5)
    # A part that takes longer makes the rest longer.
    assert at(5, 60) > left
