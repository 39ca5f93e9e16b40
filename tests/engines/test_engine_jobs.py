"""Jobs whose rows stay in an engine."""

from __future__ import annotations

import json

import duckdb
import polars as pl
import pytest
from typer.testing import CliRunner

import ontomask as om
from engines.conftest import LINKS, make_table
from engines.test_intruders_in_engines import check_same
from ontomask.cli.commands import app

from support.errors import raises

JOB = """
input = { path = "parts", engine = "duckdb" }
output.masked = "masked.parquet"
policies.missing = "root"
method = { name = "Generalisation", k = 3 }
[columns]
record = { role = "identifier" }
first = { role = "quasi-identifier", kind = "nominal", taxonomy = "links.csv" }
second = { role = "quasi-identifier", kind = "nominal", taxonomy = "links.csv" }
year = { role = "other" }
cost = { role = "confidential" }
"""
STRONG = 2**64 + 5


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "parts").mkdir()
    frame = make_table(600).select("record", "first", "second", "year", "cost")
    frame[:250].write_parquet(tmp_path / "parts" / "a.parquet")
    frame[250:].write_parquet(tmp_path / "parts" / "b.parquet")
    frame.write_parquet(tmp_path / "whole.parquet")
    (tmp_path / "links.csv").write_text("\n".join(["child,parent", *(f"{a},{b}" for a, b in LINKS)]) + "\n")
    (tmp_path / "job.toml").write_text(JOB)
    return tmp_path


@pytest.fixture(params=["duckdb", "spark"])
def engine_job(request, folder):
    """The path and text of the job in each engine."""
    text = JOB
    if request.param == "spark":
        request.getfixturevalue("spark")
        server = request.getfixturevalue("spark_server")
        remote = "" if server is None else f', remote = "{server}"'
        text = JOB.replace('engine = "duckdb"', f'engine = "spark", key = "record"{remote}')
        text = text.replace("masked.parquet", "masked")
    path = folder / "job.toml"
    path.write_text(text)
    return path


def rows(path):
    # Spark with Java writes files of other kinds beside the table.
    frame = pl.read_parquet(path / "*.parquet" if path.is_dir() else path)
    return frame.sort(frame.columns, nulls_last=True)


def test_a_job_gives_the_same_table_as_in_memory(folder, engine_job):
    run = om.Job.from_toml(engine_job).run(seed=STRONG)
    (folder / "memory.toml").write_text(JOB.replace('"parts", engine = "duckdb"', '"whole.parquet"'))
    memory = om.Job.from_toml(folder / "memory.toml").run(seed=STRONG, overwrite=True)
    assert rows(run.files["masked"]).equals(rows(memory.files["masked"]))
    assert run.result.guarantee == memory.result.guarantee
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_a_folder_of_an_earlier_run_is_replaced_only_if_allowed(engine_job):
    engine_job.write_text(engine_job.read_text().replace("masked.parquet", "masked"))
    job = om.Job.from_toml(engine_job)
    before = job.run(seed=STRONG).files["masked"]
    first = {path.name: path.read_bytes() for path in before.iterdir()}
    with raises(om.JobError, code="exists"):
        job.run(seed=STRONG + 1)
    assert {path.name: path.read_bytes() for path in before.iterdir()} == first
    again = job.run(seed=STRONG + 1, overwrite=True).files["masked"]
    assert {path.name: path.read_bytes() for path in again.iterdir()} != first
    assert len(rows(again)) == 600
    (again / "letter.txt").write_text("mine")
    with raises(om.JobError, code="not-a-table"):
        job.run(seed=STRONG, overwrite=True)
    assert (again / "letter.txt").exists()


@pytest.mark.parametrize("given", ["parts", "parts/*.parquet", "parts/[ab].parquet"])
@pytest.mark.parametrize("masked", ["parts/a.parquet", "parts/../parts/b.parquet"])
def test_inputs_are_never_overwritten(folder, given, masked):
    before = (folder / masked).read_bytes()
    (folder / "job.toml").write_text(JOB.replace('"parts"', f'"{given}"').replace("masked.parquet", masked))
    with pytest.raises(om.JobError) as raised:
        om.Job.from_toml(folder / "job.toml").run(overwrite=True)
    assert raised.value.code == "is-an-input"
    assert (folder / masked).read_bytes() == before
    assert sorted(path.name for path in (folder / "parts").iterdir()) == ["a.parquet", "b.parquet"]


def test_the_engine_of_the_command_line_is_used(folder):
    found = CliRunner().invoke(app, ["mask", str(folder / "job.toml"), "--engine", "memory", "-q"])
    assert found.exit_code == 2
    found = CliRunner().invoke(app, ["mask", str(folder / "job.toml"), "--engine", "duckdb"])
    assert found.exit_code == 0, found.output
    assert "600 records" in found.output
    found = CliRunner().invoke(app, ["map", str(folder / "job.toml"), "--engine", "auto"])
    assert found.exit_code == 0, found.output
    with pytest.raises(om.JobError) as raised:
        om.Job.from_toml(folder / "job.toml", engine="abacus")
    assert raised.value.parameter == "engine"


def test_the_same_seed_gives_the_same_file(folder):
    job = om.Job.from_toml(folder / "job.toml")
    first = job.run(seed=STRONG).files["masked"].read_bytes()
    private = folder / "masked.private.json"
    private = private if private.exists() else next(folder.glob("*private*"))
    kept = private.rename(folder / "kept.json")
    again = job.run(repeat=kept, overwrite=True).files["masked"].read_bytes()
    assert pl.read_parquet(folder / "masked.parquet").height == 600
    assert first == again
    with pytest.raises(om.JobError) as raised:
        job.read(job.output)
    assert raised.value.code == "engine-cannot"


def change(path, old, new):
    """Change a file without changing its size."""
    content = path.read_bytes()
    assert old in content
    assert len(old) == len(new)
    path.write_bytes(content.replace(old, new))


def test_a_run_is_not_repeated_on_another_input(folder, monkeypatch):
    for part in (folder / "parts").iterdir():
        pl.read_parquet(part).write_csv(part.with_suffix(".csv"))
        part.unlink()
    job = om.Job.from_toml(folder / "job.toml")
    kept = job.run(seed=STRONG).files["private"].rename(folder / "kept.toml")
    om.Job.from_toml(folder / "job.toml").run(repeat=kept, overwrite=True)
    for whole in (1 << 32, 100):
        # Of larger inputs only blocks are read.
        monkeypatch.setattr("ontomask.job.engines._WHOLE", whole)
        again = om.Job.from_toml(folder / "job.toml").run(seed=STRONG, overwrite=True).files["private"]
        kept = again.rename(folder / "kept.toml")
        change(folder / "parts" / "b.csv", b"pain0", b"pain1")
        with raises(om.PlanError, code="changed", values=("the input",)):
            om.Job.from_toml(folder / "job.toml").run(repeat=kept, overwrite=True)
        change(folder / "parts" / "b.csv", b"pain1", b"pain0")


def test_a_run_is_not_repeated_on_another_database(folder):
    path = folder / "data.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE people AS SELECT * FROM '{folder}/whole.parquet'")
    (folder / "job.toml").write_text(JOB.replace('"parts"', '"data.duckdb", table = "people"'))
    kept = om.Job.from_toml(folder / "job.toml").run(seed=STRONG).files["private"].rename(folder / "kept.toml")
    om.Job.from_toml(folder / "job.toml").run(repeat=kept, overwrite=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE people SET cost = 1 WHERE record = 7")
    with raises(om.PlanError, code="changed", values=("the input",)):
        om.Job.from_toml(folder / "job.toml").run(repeat=kept, overwrite=True)


@pytest.mark.parametrize(
    "command",
    [["compare", "--seeds", "1"], ["advise", "--guarantee"], ["attack", "--seed", "7"], ["evaluate"], ["map"]],
)
def test_commands_take_an_engine(folder, command):
    (folder / "memory.toml").write_text(JOB.replace('"parts", engine = "duckdb"', '"whole.parquet"'))
    (folder / "job.toml").write_text(JOB.replace('engine = "duckdb"', 'engine = "memory"'))
    om.Job.from_toml(folder / "memory.toml").run(seed=STRONG)

    def run(job, engine):
        return CliRunner().invoke(app, [command[0], str(folder / job), *command[1:], "-q", "--engine", engine])

    assert run("job.toml", "memory").exit_code == 2
    assert run("memory.toml", "memory").exit_code == 0
    assert run("memory.toml", "abacus").exit_code == 2
    # The originals of an engine cannot be paired with a file.
    assert run("job.toml", "duckdb").exit_code == (2 if command == ["evaluate"] else 0)


def both_jobs(folder, text):
    """The same job in DuckDB and in memory."""
    (folder / "job.toml").write_text(text)
    (folder / "memory.toml").write_text(text.replace('"parts", engine = "duckdb"', '"whole.parquet"'))
    return om.Job.from_toml(folder / "job.toml"), om.Job.from_toml(folder / "memory.toml")


def test_a_job_reports_what_it_reports_in_memory(folder, engine_job):
    reports = 'output.report = ["r.html", "r.json"]\noutput.masked'
    engine_job.write_text(engine_job.read_text().replace("output.masked", reports))
    (folder / "memory.toml").write_text(
        JOB.replace('"parts", engine = "duckdb"', '"whole.parquet"').replace("output.masked", reports)
    )
    engine, memory = (
        om.Job.from_toml(folder / name).run(seed=STRONG, overwrite=True) for name in ("job.toml", "memory.toml")
    )
    ours, theirs = memory.report.to_dict(), engine.report.to_dict()
    for report in (ours, theirs):
        # The names of the input and of the job.
        del report["title"], report["about"]
    check_same(ours, theirs)
    assert engine.score.attacks.worst.percent == pytest.approx(memory.score.attacks.worst.percent)
    assert "worst" in (folder / "r.html").read_text()
    assert json.loads((folder / "r.json").read_text())["exposure"]["rows"] is None


@pytest.mark.parametrize(("limit", "is_met"), [("k_all = 2", False), ("linked_at_most = 100", True)])
def test_limits_on_intruders_are_verified(folder, limit, is_met):
    text = JOB.replace("policies.missing", f"require.{limit}\npolicies.missing")
    for job in both_jobs(folder, text):
        if is_met:
            assert job.run(seed=STRONG, overwrite=True).files["masked"].exists()
            continue
        with pytest.raises(om.JobError) as raised:
            job.run(seed=STRONG, overwrite=True)
        assert raised.value.code == "k-too-small"
        assert not job.output.exists()


def test_commands_work_on_a_table_in_an_engine(folder):
    both_jobs(folder, JOB)
    found = {}
    for name in ("job.toml", "memory.toml"):
        done = CliRunner().invoke(app, ["attack", str(folder / name), "--seed", "7", "--json", "-q"])
        assert done.exit_code == 0, done.output
        found[name] = json.loads(done.stdout)
        done = CliRunner().invoke(app, ["compare", str(folder / name), "--seeds", "1", "--json", "-q"])
        assert done.exit_code == 0, done.output
        found[name]["runs"] = [{**run, "seconds": 0} for run in json.loads(done.stdout)["runs"]]
        done = CliRunner().invoke(app, ["advise", str(folder / name), "--guarantee", "--json", "-q"])
        assert done.exit_code == 0, done.output
        found[name]["advice"] = json.loads(done.stdout)
    check_same(found["memory.toml"], found["job.toml"])


@pytest.mark.parametrize("command", [["evaluate"], ["attack", "masked.parquet"], ["evaluate", "--key", "year"]])
def test_files_are_not_paired_with_originals_in_an_engine(folder, command):
    om.Job.from_toml(folder / "job.toml").run(seed=STRONG)
    command = [str(folder / part) if part.endswith(".parquet") else part for part in command]
    done = CliRunner().invoke(app, [command[0], str(folder / "job.toml"), *command[1:], "-q"])
    assert done.exit_code == 2
    assert "duckdb" in done.output


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("k = 3 }", 'k = 3, by = ["year"] }\noutput.plan = "plan.json"', "output.plan"),
        ('output.masked = "masked.parquet"', 'output.masked = "masked.xlsx"', "output.masked"),
        ('engine = "duckdb"', 'engine = "duckdb", decimal = ","', "input"),
    ],
)
def test_what_an_engine_cannot_do_is_refused_at_once(folder, old, new, key):
    (folder / "job.toml").write_text(JOB.replace(old, new))
    with pytest.raises(om.JobError) as raised:
        om.Job.from_toml(folder / "job.toml").run(seed=STRONG)
    assert any(found.startswith(key) for found, _ in raised.value.problems)
    assert not (folder / "masked.parquet").exists()
