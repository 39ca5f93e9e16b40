"""Plant marked cells in a table, and look for them in all output.

Values of the table may appear in four places, each for its owner: in the output of ``ontomask map`` (which values have
no concept), in a job file (``init`` lists ordered categories), in a built hierarchy, and in the plan, which only its
owner can read. Nothing else names a rare value.
"""

from __future__ import annotations

import json
import logging
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.cli.commands import app

from support.jobs import LINKS, SYMPTOMS
from support.marked import MARK

RECORDS = 240
RARE = (3, 77, 151, 222)
# A number that no other record has, and that nothing can be rounded to.
NUMBER = "93817.0625"
SECRET_SEED = 918273645546372819918273645
JOB = f"""
input.path = "data.csv"
method = {{ name = "Microaggregation", k = 5, require = [{{ column = "cost", l = 2 }}] }}
[columns]
id = {{ role = "identifier" }}
symptom = {{ role = "quasi-identifier", kind = "nominal", taxonomy = "links.csv", mapping = "words.csv" }}
age = {{ role = "quasi-identifier", kind = "numeric" }}
cost = {{ role = "confidential" }}
note = {{ role = "other" }}
[output]
masked = "masked.csv"
report = ["report.html", "report.json", "report.txt"]
plan = "run.plan"
[compare]
seeds = 1
methods = [
  {{ name = "PRAM" }}, {{ name = "Recoding", k = 5 }}, {{ name = "RankSwapping", k = 5 }},
  {{ name = "UncorrelatedNoise" }}, {{ name = "Generalisation", k = 5 }},
  {{ name = "PRAM", matrices = {{ symptom = [["{MARK}-rare-3"], [[1.0]]] }} }},
]
"""


def rows() -> list[str]:
    made = []
    for i in range(RECORDS):
        symptom = f"{MARK}-rare-{i}" if i in RARE else SYMPTOMS[i % 8]
        age = NUMBER if i == RARE[0] else f"{20 + 7 * i % 31}"
        made.append(f"{MARK}-id-{i},{symptom},{age},{MARK}-cost-{i % 4},{MARK}-note-{i}")
    return made


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("\n".join(["id,symptom,age,cost,note", *rows()]) + "\n")
    (tmp_path / "links.csv").write_text(LINKS)
    mapped = [f"{MARK}-rare-{i},{'rash' if i % 2 else 'colic'}" for i in RARE]
    (tmp_path / "words.csv").write_text("\n".join(["value,concept", *mapped]) + "\n")
    (tmp_path / "job.toml").write_text(JOB)
    return tmp_path


def ontomask_(*arguments: str, code: int = 0) -> str:
    """The output of a command, on both streams."""
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == code, done.output
    return done.output + done.stderr


def is_clean(text: str | bytes) -> bool:
    """Whether a text contains neither a marked cell nor the seed."""
    text = text.decode() if isinstance(text, bytes) else text
    return not any(secret in text for secret in (MARK, NUMBER, "93817", str(SECRET_SEED)))


def test_masking_and_its_reports(folder):
    output = ontomask_("mask", "job.toml", "--seed", str(SECRET_SEED))
    assert is_clean(output)
    assert "2-diversity of 'cost'" in output
    for report in ("report.html", "report.json", "report.txt"):
        assert is_clean((folder / report).read_bytes()), report
    assert "2-diversity" in (folder / "report.html").read_text()
    # The most exposed records are listed in Python only, and only on request.
    report = json.loads((folder / "report.json").read_text())
    assert (report["internal"], report["exposure"]["rows"]) == (False, None)
    # Confidential and other columns are kept as they are; nothing else of the records is.
    masked = om.read_table(folder / "masked.csv")
    assert masked.columns == ["symptom", "age", "cost", "note"]
    assert is_clean(masked.select("symptom", "age").write_csv())
    for private in ("masked.private.toml", "run.plan"):
        assert stat.S_IMODE((folder / private).stat().st_mode) == 0o600
    assert MARK not in (folder / "masked.private.toml").read_text()
    assert is_clean(ontomask_("mask", "job.toml", "--seed", str(SECRET_SEED), "--force", "--json"))


def test_measuring(folder):
    ontomask_("mask", "job.toml", "--seed", str(2**64 + 1), "--quiet")
    assert is_clean(ontomask_("evaluate", "job.toml"))
    assert is_clean(ontomask_("evaluate", "job.toml", "masked.csv", "--json", "--report", "elsewhere.html"))
    page = (folder / "elsewhere.html").read_text()
    assert is_clean(page)
    assert "made elsewhere" in page
    # The same measured from the file as from the result.
    report = json.loads((folder / "report.json").read_text())
    ontomask_("evaluate", "job.toml", "--report", "elsewhere.json", "--quiet")
    again = json.loads((folder / "elsewhere.json").read_text())
    values, other = ({m["name"]: m["value"] for m in one["measures"]} for one in (report, again))
    # From the file alone nobody knows the method.
    both = (values.keys() & other.keys()) - {"worst linked"}
    assert len(both) >= 30
    assert {name: values[name] for name in both} == pytest.approx({name: other[name] for name in both}, nan_ok=True)
    assert "must end in one of" in ontomask_("evaluate", "job.toml", "--report", "r.pdf", code=2)
    assert "is the masked table" in ontomask_("evaluate", "job.toml", "--report", "masked.csv", "--force", code=2)


def test_comparing(folder):
    output = ontomask_("compare", "job.toml", "--journal", "runs.jsonl", "--out", "runs.csv", "--processes", "1")
    assert "could not mask" in output
    for text in (output, (folder / "runs.jsonl").read_text(), (folder / "runs.csv").read_text()):
        assert is_clean(text)
    assert stat.S_IMODE((folder / "runs.jsonl").stat().st_mode) == 0o600
    assert is_clean(ontomask_("compare", "job.toml", "--json"))


def test_the_preflight_names_values_and_nothing_after_it_does(folder):
    (folder / "words.csv").write_text(f"value,concept\n{MARK}-rare-3,rash\n")
    output = ontomask_("map", "job.toml", code=1)
    assert f"'{MARK}-rare-77' (1 record)" in output
    assert f"{MARK}-id" not in output
    assert is_clean(ontomask_("map", "job.toml", "--quiet", code=1))
    refused = ontomask_("mask", "job.toml", code=2)
    assert "3 of 7 values of the column 'symptom' have no concept" in refused
    assert "'ontomask map'" in refused
    assert is_clean(refused)


def test_a_first_job(folder):
    output = ontomask_("init", "data.csv", "--ontology", "links.csv", "--out", "first.toml")
    assert is_clean(output)
    assert is_clean((folder / "first.toml").read_text())


def test_what_objects_say_of_themselves(folder, caplog):
    job = om.Job.from_toml("job.toml")
    with caplog.at_level(logging.DEBUG):
        run = job.run(seed=SECRET_SEED)
        compared = om.compare(job.data, [om.PRAM()], seeds=1, jobs=1)
    data, result = job.data, run.result
    columns = [*data.quasi_identifiers.values(), *result.data.columns.values()]
    objects = [job, run, data, result, result.data, result.plan, run.score, run.report, compared, data.mapping]
    objects += columns
    assert all(is_clean(repr(one)) for one in objects), [repr(one) for one in objects if not is_clean(repr(one))]
    assert all(is_clean(str(one)) for one in (run.score, run.report, compared, *run.notes))
    assert is_clean(caplog.text)
    assert "masking 240 records" in caplog.text


def test_a_fault_of_the_program_is_told_without_its_message(tmp_path):
    code = (
        "from ontomask.cli import jobs, main\n"
        f"def broken(path, **options): raise ValueError('could not parse {MARK}')\n"
        "jobs.Job.from_toml = broken\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code, "map", "x"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 3
    assert "ValueError" in done.stderr
    assert "in broken" in done.stderr
    assert MARK not in done.stderr
