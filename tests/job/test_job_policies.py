"""Policies, roles and reading options of a job, in its run and in ``ontomask map``."""

from __future__ import annotations

import polars as pl
import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.cli.commands import app
from ontomask.cli.console import CHECK_FAILED
from ontomask.job import Job

from support.errors import raises
from support.jobs import JOB, LINKS, SEED, make_job

K = JOB.replace('name = "PRAM"\nstay = 0.4', 'name = "Microaggregation"\nk = 3')


def job(folder, rows, text=K, header="name,symptom,age,grade,cost", **more):
    """A job over other rows; ``more`` replaces texts of the job."""
    path = make_job(folder, text)
    (folder / "data.csv").write_text("\n".join([header, *rows]) + "\n", **more)
    return Job.from_toml(path)


def in_column(name, keys, text=K):
    return text.replace(f"[columns.{name}]", f"[columns.{name}]\n{keys}")


ROWS = [f"p{i},{'ache' if i % 2 else 'rash'},{20 + i},{('low', 'mid', 'high')[i % 3]},{i % 3}" for i in range(12)]


def test_a_column_overrides_the_policies_of_all(tmp_path):
    text = (
        in_column("symptom", 'missing = "root"\nmissing_tokens = ["-"]')
        + '[policies]\nmissing = "drop"\nmissing_tokens = ["?"]\n'
    )
    data = job(
        tmp_path,
        [*ROWS, "p,-,30,mid,1", "q,?,30,mid,1", "r,ache,?,mid,1"],
        in_column("symptom", 'unmapped = "keep"', text),
    ).data
    symptom, age = data.policies["symptom"], data.policies["age"]
    assert (symptom.missing, symptom.missing_tokens, symptom.unmapped) == ("root", ("-",), "keep")
    assert (age.missing, age.missing_tokens, age.unmapped) == ("drop", ("?",), "error")
    assert data.frame["name"].to_list()[-2:] == ["p", "q"]


def test_only_columns_with_a_kind_have_policies(tmp_path):
    with raises(om.JobError, key="columns.cost.missing"):
        job(tmp_path, ROWS, in_column("cost", 'missing = "drop"'))
    with raises(om.JobError, key="columns.age.missing"):
        job(tmp_path, ROWS, in_column("age", 'missing = "ignore"'))


def test_a_dropped_column_is_left_out(tmp_path):
    text = K.replace('[columns.cost]\nrole = "confidential"', '[columns.cost]\nrole = "drop"')
    run = job(tmp_path, ROWS, text).run(seed=SEED)
    assert om.read_table(run.files["masked"]).columns == ["symptom", "age", "grade"]
    assert not any("cost" in note for note in run.notes)
    with raises(om.JobError, key="columns.cost.kind"):
        job(tmp_path, ROWS, text.replace('role = "drop"', 'role = "drop"\nkind = "numeric"'))


def test_missing_as_a_category_goes_through_a_whole_job(tmp_path):
    text = in_column("symptom", 'missing = "category"\nunmapped = "category"')
    made = job(tmp_path, [*ROWS, *(["p,,30,mid,1"] * 3), *(["q,odd,40,low,2"] * 4)], text)
    made = Job.from_toml(make_report(made.path, "report.json"))
    run = made.run(seed=SEED)
    released = om.read_table(run.files["masked"])["symptom"].to_list()
    assert {"missing", "unmapped"} <= set(released)
    assert run.result.guarantee.k >= 3
    assert made.evaluate(made.read(made.output)).loss_percent == pytest.approx(run.score.loss_percent)


def make_report(path, name):
    path.write_text(path.read_text() + f'report = "{name}"\n')
    return path


RARE = [*ROWS, "p,,30,mid,1", "q,ache,,mid,1"]
KEEP = '[policies]\nmissing = "keep"\n'


def test_map_tells_of_kept_cells_that_fewer_than_k_share(tmp_path):
    made = job(tmp_path, RARE, K + KEEP)
    found = made.check()
    assert not found.ready
    (problem,) = found.problems
    for fact in ("2 records", "1 in 'symptom', 1 in 'age'", 'policies.rare_kept = "drop" or "root"'):
        assert fact in problem
    done = CliRunner().invoke(app, ["map", str(made.path)])
    assert done.exit_code == CHECK_FAILED
    assert "2 records" in done.stdout


def test_rare_kept_cells_are_dropped(tmp_path):
    made = job(tmp_path, RARE, K + KEEP + 'rare_kept = "drop"\n')
    assert made.check().ready
    run = made.run(seed=SEED)
    assert len(run.result.frame) == len(ROWS)
    assert any("2 records are left out" in note for note in run.notes)
    with raises(om.JobError, key="policies.rare_kept"):
        job(tmp_path, RARE, K + KEEP + 'rare_kept = "keep"\n')


def test_map_says_what_to_do_with_tokens(tmp_path):
    made = job(tmp_path, [*ROWS, "p,ache,n/a,mid,1", "q,ache,?,mid,1", "r,NULL,30,-,1"])
    found = made.check()
    assert not found.ready
    assert "'n/a', '?'" in " ".join(found.problems)
    assert any("missing_tokens" in step for step in found.next_steps)
    assert found.mapping["symptom"].perhaps_missing[0].value == "NULL"
    tokens = '[policies]\nmissing = "drop"\nmissing_tokens = ["n/a", "?", "NULL", "-"]\n'
    made = job(tmp_path, [*ROWS, "p,ache,n/a,mid,1", "q,ache,?,mid,1", "r,NULL,30,-,1"], K + tokens)
    assert made.check().ready
    assert len(made.data) == len(ROWS)


def test_map_warns_of_cells_that_a_policy_takes_away(tmp_path):
    rows = [*ROWS, "p,ache,many,mid,1", 'q,ache,"27,5",mid,1']
    made = job(tmp_path, rows, in_column("age", 'unmapped = "drop"'))
    found = made.check()
    assert found.ready
    assert "columns.age" in found.warnings[0]
    for fact in ("'many', '27,5'", "'drop'", "input.decimal"):
        assert fact in found.warnings[0]
    assert len(made.data) == len(ROWS)


# Reading and writing


def test_a_table_without_a_header(tmp_path):
    names = ["name", "symptom", "age", "grade", "cost"]
    text = K.replace("[input]", "[input]\nheader = false")
    for number, name in enumerate(names, start=1):
        text = text.replace(f"[columns.{name}]", f"[columns.column_{number}]")
    run = job(tmp_path, ROWS[1:], text, header=ROWS[0]).run(seed=SEED)
    masked = om.read_table(run.files["masked"])
    assert (masked.columns, len(masked)) == (["column_2", "column_3", "column_4", "column_5"], 12)


def test_separated_thousands_in_numeric_columns_alone(tmp_path):
    rows = [
        f"p{i};{'ache' if i % 2 else 'rash'};1.{100 + i},5;{('low', 'mid', 'high')[i % 3]};250.401" for i in range(12)
    ]
    text = K.replace("[input]", '[input]\nthousands = "."\ndecimal = ","')
    made = job(tmp_path, rows, text, header="name;symptom;age;grade;cost")
    assert made.data.frame["age"].to_list()[0] == "1100.5"
    run = made.run(seed=SEED)
    assert all(
        "," in line.split(";")[1] and "." not in line.split(";")[1]
        for line in run.files["masked"].read_text().splitlines()[1:]
    )
    nominal = text.replace(
        '[columns.cost]\nrole = "confidential"',
        '[columns.cost]\nrole = "confidential"\nkind = "nominal"\ntaxonomy = "codes.csv"',
    )
    (tmp_path / "codes.csv").write_text("child,parent\n250.401,codes\n")
    assert set(job(tmp_path, rows, nominal, header="name;symptom;age;grade;cost").data.frame["cost"]) == {"250.401"}
    with raises(om.JobError, key="input.thousands"):
        job(tmp_path, rows, text.replace('decimal = ","\n', ""), header="name;symptom;age;grade;cost")


def test_map_hints_at_separated_thousands(tmp_path):
    rows = [
        row.replace(",2", ',"1,02', 1).replace(",low", '",low').replace(",mid", '",mid').replace(",high", '",high')
        for row in ROWS[:9]
    ]
    assert "input.thousands" in job(tmp_path, rows).check().problems[0]


def test_the_encoding_of_the_output(tmp_path):
    rows = [f"p{i},{'ache' if i % 2 else 'rash'},{20 + i},{('low', 'mid', 'high')[i % 3]},Zoë" for i in range(12)]
    for encoding in ("latin-1", "utf-8-sig"):
        folder = tmp_path / encoding
        folder.mkdir()
        made = job(folder, rows, K + f'encoding = "{encoding}"\n')
        run = made.run(seed=SEED)
        assert "Zoë".encode(encoding.removesuffix("-sig")) in run.files["masked"].read_bytes()
        assert made.evaluate(made.read(made.output)).k == run.result.guarantee.k
    wrong = job(tmp_path, [row.replace("ë", "ł") for row in rows], K + 'encoding = "latin-1"\n')
    with raises(om.JobError, key="output", column="cost", values=("Zoł",)):
        wrong.run(seed=SEED)
    assert not (tmp_path / "masked.csv").exists()
    assert not list(tmp_path.glob("*.private.toml"))
    with raises(om.JobError, key="output.masked"):
        job(tmp_path, rows, K + 'encoding = "klingon"\n').run(seed=SEED)


def test_init_takes_the_options_of_reading(tmp_path):
    (tmp_path / "d.csv").write_text("".join(f"p{i};1.{100 + i % 9};{'ache' if i % 2 else 'rash'}\n" for i in range(30)))
    (tmp_path / "links.csv").write_text(LINKS)
    options = ["--no-header", "--thousands", ".", "--decimal", ",", "--ontology", str(tmp_path / "links.csv")]
    done = CliRunner().invoke(app, ["init", str(tmp_path / "d.csv"), "--out", str(tmp_path / "j.toml"), *options])
    assert done.exit_code == 0, done.output
    made = Job.from_toml(tmp_path / "j.toml")
    assert (made.settings.input.header, made.settings.input.thousands) == (False, ".")
    assert list(made.settings.columns) == ["column_1", "column_2", "column_3"]
    assert isinstance(made.sources.frame, pl.DataFrame)
