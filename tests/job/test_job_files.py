from __future__ import annotations

import stat
from importlib import import_module

import polars as pl
import pytest

import ontomask as om
from ontomask.errors import JobError, OntomaskError, PlanError, TableError
from ontomask.job import Job
from ontomask.job.outputs import Outputs

from support.errors import raises
from support.jobs import JOB, SEED, by_hand, listing, make_job

# Secrets


def test_outputs_hold_no_secret(tmp_path):
    path = make_job(tmp_path, JOB + 'report = ["report.html", "report.json", "report.txt"]\nplan = "run.plan"\n')
    run = Job.from_toml(path).run(seed=SEED)
    assert list(run.files) == ["masked", "report", "report 2", "report 3", "private", "plan"]
    for what, file in run.files.items():
        is_private = what in ("private", "plan")
        assert (stat.S_IMODE(file.stat().st_mode) == 0o600) == is_private
        if not is_private:
            assert str(SEED).encode() not in file.read_bytes()
    assert str(SEED) not in repr(run)
    masked = om.read_table(run.files["masked"])
    assert "name" not in masked.columns
    private = run.files["private"].read_text()
    assert private.startswith("# PRIVATE.")
    assert f'seed = "{SEED}"' in private
    # The plan does the same again.
    data = Job.from_toml(path).data
    assert om.load_plan(run.files["plan"]).names == tuple(data.quasi_identifiers)


def test_without_a_seed_one_is_drawn_and_kept_privately(tmp_path):
    path = make_job(tmp_path)
    seeds = set()
    for _ in range(2):
        run = Job.from_toml(path).run(overwrite=True)
        seeds.add(run.files["private"].read_text().split('seed = "')[1].split('"')[0])
    assert len(seeds) == 2
    assert all(int(seed) > 2**64 for seed in seeds)
    masked = run.files["masked"].read_bytes()
    again = Job.from_toml(path).run(repeat=run.files["private"], overwrite=True)
    assert again.files["masked"].read_bytes() == masked
    # Repeating a run makes no second release.
    assert "earlier-release" not in {note.code for note in again.notes}


def test_a_run_is_not_repeated_on_other_files(tmp_path):
    path = make_job(tmp_path)
    private = Job.from_toml(path).run(seed=2**64 + 1).files["private"]
    text = private.read_text()
    private.write_text(text.replace('numpy = "', 'numpy = "0.'))
    run = Job.from_toml(path).run(repeat=private, overwrite=True)
    (changed,) = [note for note in run.notes if note.code == "software-changed"]
    assert "numpy 0." in changed.values["changes"]
    (tmp_path / "data.csv").write_text((tmp_path / "data.csv").read_text().replace("p39", "q39"))
    with raises(PlanError, values=("the input",), code="changed"):
        Job.from_toml(path).run(repeat=private, overwrite=True)
    make_job(tmp_path)
    (tmp_path / "links.csv").write_text((tmp_path / "links.csv").read_text() + "itch,symptom\n")
    with raises(PlanError, values=("the ontology of 'symptom'",), code="changed"):
        Job.from_toml(path).run(repeat=private, overwrite=True)
    private.write_text("seed = 'x'")
    with raises(PlanError, code="damaged"):
        Job.from_toml(path).run(repeat=private, overwrite=True)
    with raises(PlanError, code="unreadable"):
        Job.from_toml(path).run(repeat=tmp_path / "none", overwrite=True)
    with raises(JobError, code="seed-and-repeat"):
        Job.from_toml(path).run(repeat=private, seed=2**64 + 1)


@pytest.mark.parametrize("seed", [-1, 1.5, "7"])
def test_a_wrong_seed(tmp_path, seed):
    with raises(OntomaskError, parameter="seed"):
        Job.from_toml(make_job(tmp_path)).run(seed=seed)


# Files are written whole, all or none


@pytest.mark.parametrize("broken", ["save_table", "save_plan", "build_report"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, OSError])
@pytest.mark.parametrize("earlier", [False, True])
def test_a_run_that_breaks_leaves_everything_as_it_was(tmp_path, monkeypatch, broken, error, earlier):
    path = make_job(tmp_path, JOB + 'report = "report.html"\nplan = "run.plan"\noverwrite = true\n')
    if earlier:
        Job.from_toml(path).run(seed=2**64 + 1)
    before = listing(tmp_path)
    where = {
        "save_table": "ontomask.masking.writing",
        "save_plan": "ontomask.job.run",
        "build_report": "ontomask.report",
    }
    module = import_module(where[broken])
    real = getattr(module, broken)

    def breaks(*args, **options):
        if broken == "build_report":
            raise error
        if args[1].parent.parent == tmp_path:
            args[1].write_bytes(b"half of a file")
            raise error
        return real(*args, **options)

    monkeypatch.setattr(module, broken, breaks)
    with pytest.raises(error):
        Job.from_toml(path).run(seed=2**64 + 2)
    assert listing(tmp_path) == before


@pytest.mark.parametrize("at", [1, 2])
def test_an_interruption_between_renames_is_undone(tmp_path, monkeypatch, at):
    (tmp_path / "a").write_text("former a")
    before = listing(tmp_path)
    real, calls = type(tmp_path).replace, []

    def replace(self, target):
        calls.append(target)
        if len(calls) == at:
            raise KeyboardInterrupt
        return real(self, target)

    monkeypatch.setattr(type(tmp_path), "replace", replace)

    def write() -> None:
        with Outputs({"one": tmp_path / "a", "two": tmp_path / "b"}, {}, overwrite=True).writing() as drafts:
            for draft in drafts.values():
                draft.write_text("new")

    with pytest.raises(KeyboardInterrupt):
        write()
    assert listing(tmp_path) == before
    monkeypatch.undo()
    write()
    assert listing(tmp_path) == {"a": b"new", "b": b"new"}


@pytest.mark.parametrize("former", ["none", "file", "folder"])
@pytest.mark.parametrize("at", [1, 2, None])
def test_a_folder_replaces_what_is_there_or_nothing_changes(tmp_path, monkeypatch, former, at):
    target, other = tmp_path / "a", tmp_path / "b"
    other.write_text("former b")
    if former == "file":
        target.write_text("former a")
    elif former == "folder":
        target.mkdir()
        (target / "part.parquet").write_text("former part")
    before = sorted(tmp_path.rglob("*")), [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    real, calls = type(tmp_path).replace, []

    def replace(self, to):
        if self.parent.name.startswith(".ontomask-") and not self.name.startswith("former"):
            calls.append(to)
            if len(calls) == at:
                raise KeyboardInterrupt
        return real(self, to)

    def write() -> None:
        outputs = Outputs({"one": target, "two": other}, {}, overwrite=True, folders=("one",))
        with outputs.writing() as drafts:
            drafts["one"].mkdir()
            (drafts["one"] / "part.parquet").write_text("new part")
            drafts["two"].write_text("new b")

    monkeypatch.setattr(type(tmp_path), "replace", replace)
    if at is not None:
        with pytest.raises(KeyboardInterrupt):
            write()
        found = sorted(tmp_path.rglob("*")), [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
        assert found == before
        return
    write()
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["a", "b"]
    assert (target / "part.parquet").read_text() == "new part"
    assert other.read_text() == "new b"


@pytest.mark.parametrize("folders", [(), ("one",)])
def test_a_folder_that_is_no_table_is_never_replaced(tmp_path, folders):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "letter.txt").write_text("mine")
    with raises(TableError, code="not-a-table" if folders else "is-a-folder"):
        Outputs({"one": tmp_path / "a"}, {}, overwrite=True, folders=folders).check()


def test_outputs_are_not_written_over_unless_asked(tmp_path):
    path = make_job(tmp_path)
    Job.from_toml(path).run(seed=2**64 + 1)
    before = listing(tmp_path)
    with raises(JobError, parameter="overwrite", code="exists", key="output"):
        Job.from_toml(path).run(seed=2**64 + 2)
    assert listing(tmp_path) == before
    Job.from_toml(path).run(seed=2**64 + 2, overwrite=True)
    assert listing(tmp_path) != before


def test_the_input_is_recognised_by_other_names(tmp_path):
    path = make_job(tmp_path, JOB.replace('masked = "masked.csv"', 'masked = "link.csv"\noverwrite = true'))
    for make in ("symlink_to", "hardlink_to"):
        (tmp_path / "link.csv").unlink(missing_ok=True)
        getattr(tmp_path / "link.csv", make)(tmp_path / "data.csv")
        with raises(JobError, code="is-an-input", key="output"):
            Job.from_toml(path).run(seed=2**64 + 1)


@pytest.mark.parametrize("masked", ["masked.parquet", "masked.csv.gz", "masked.tsv"])
def test_other_formats(tmp_path, masked):
    path = make_job(tmp_path, JOB.replace("masked.csv", masked))
    job = Job.from_toml(path)
    run = job.run(seed=SEED)
    assert run.files["private"] == tmp_path / "masked.private.toml"
    read = job.read(run.files["masked"])
    assert read.select(pl.all().cast(pl.String)).equals(by_hand(tmp_path).frame.select(pl.all().cast(pl.String)))


# Decimal commas and delimiters


COMMAS = """
input = { path = "data.csv", decimal = "," }
output.masked = "masked.csv"
method = { name = "Microaggregation", k = 2 }
evaluation = {}

[columns]
bmi = { role = "quasi-identifier", kind = "numeric" }
code = { role = "other" }
dose = { role = "other" }
"""
COMMA_TABLE = "bmi;code;dose\n20,1;250.10;1,50\n20,2;038;2\n30,4;1.2;\n30,4;7;0,25\n"


def comma_job(folder, job=COMMAS):
    (folder / "data.csv").write_text(COMMA_TABLE)
    (folder / "job.toml").write_text(job)
    return Job.from_toml(folder / "job.toml")


def test_masked_tables_have_the_delimiter_and_decimal_mark_of_the_input(tmp_path):
    job = comma_job(tmp_path)
    run = job.run(seed=2**64)
    header, *lines = run.files["masked"].read_text().splitlines()
    # The mean of 20.1 and 20.2, with one decimal as the data have.
    assert header == "bmi;code;dose"
    lines.sort()
    assert lines[2:] == ["30,4;1.2;", "30,4;7;0,25"]
    assert {line.split(";")[0] for line in lines[:2]} <= {"20,1", "20,2"}
    assert {line.split(";", 1)[1] for line in lines[:2]} == {"250.10;1,50", "038;2"}
    assert job.evaluate(job.read(job.output)).loss_percent == run.score.loss_percent


def test_another_delimiter_can_be_asked_for(tmp_path):
    job = comma_job(tmp_path, COMMAS.replace('"masked.csv"', '"masked.csv"\noutput.delimiter = "|"'))
    run = job.run(seed=2**64)
    assert run.files["masked"].read_text().startswith("bmi|code|dose\n")
    assert job.evaluate(job.read(job.output)).loss_percent == run.score.loss_percent


def test_commas_that_nobody_declared_are_told_with_the_key(tmp_path):
    job = comma_job(tmp_path, COMMAS.replace(', decimal = ","', ""))
    (problem,) = job.check().problems
    assert problem.startswith("columns.bmi: ")
    assert "'20,1'" in problem
    assert "input.decimal = ','" in problem
    with raises(JobError, column="bmi", values=("20,1", "20,2", "30,4"), key="columns"):
        job.run()


def test_a_decimal_mark_is_for_delimited_files(tmp_path):
    om.write_table(pl.DataFrame({"bmi": [1.0, 2.0], "code": ["a", "b"], "dose": [1, 2]}), tmp_path / "data.parquet")
    job = comma_job(tmp_path, COMMAS.replace("data.csv", "data.parquet"))
    with pytest.raises(JobError) as caught:
        _ = job.data
    assert (caught.value.key, caught.value.parameter) == ("input", "decimal")
