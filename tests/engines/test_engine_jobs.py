"""Jobs whose rows stay in an engine."""

from __future__ import annotations

import polars as pl
import pytest
from typer.testing import CliRunner

import ontomask as om
from engines.conftest import LINKS, make_table
from ontomask.cli.commands import app

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


def rows(path):
    frame = pl.read_parquet(path)
    return frame.sort(frame.columns, nulls_last=True)


def test_a_job_gives_the_same_table_as_in_memory(folder):
    run = om.Job.from_toml(folder / "job.toml").run(seed=STRONG)
    (folder / "memory.toml").write_text(JOB.replace('"parts", engine = "duckdb"', '"whole.parquet"'))
    memory = om.Job.from_toml(folder / "memory.toml").run(seed=STRONG, overwrite=True)
    assert rows(run.files["masked"]).equals(rows(memory.files["masked"]))
    assert run.result.guarantee == memory.result.guarantee
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


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
    with pytest.raises(om.TableError) as raised:
        job.read(job.output)
    assert raised.value.code == "other-order"


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('output.masked = "masked.parquet"', 'output = { masked = "m.parquet", report = "r.html" }', "output.report"),
        ('output.masked = "masked.parquet"', 'output.masked = "masked.xlsx"', "output.masked"),
        ("policies.missing", "require.k_all = 2\npolicies.missing", "require"),
        ('engine = "duckdb"', 'engine = "duckdb", decimal = ","', "input"),
    ],
)
def test_what_an_engine_cannot_do_is_refused_at_once(folder, old, new, key):
    (folder / "job.toml").write_text(JOB.replace(old, new))
    with pytest.raises(om.JobError) as raised:
        om.Job.from_toml(folder / "job.toml").run(seed=STRONG)
    assert any(found.startswith(key) for found, _ in raised.value.problems)
    assert not (folder / "masked.parquet").exists()
