from __future__ import annotations

import subprocess
import sys

import polars as pl

import ontomask as om
from ontomask.errors import JobError
from ontomask.job import Job
from ontomask.job.private_file import PrivateFile, order_seed
from ontomask.masking.noise import UncorrelatedNoise
from ontomask.masking.recoding import Recoding

from support.errors import raises
from support.jobs import JOB, SEED, by_hand, listing, make_job

# The same by job, by command and by hand


def test_job_command_and_python_give_the_same_bytes(tmp_path):
    folders = [tmp_path / name for name in ("job", "command", "hand")]
    for folder in folders:
        folder.mkdir()
        make_job(folder)
    Job.from_toml(folders[0] / "job.toml").run(seed=SEED)
    command = [sys.executable, "-m", "ontomask", "mask", str(folders[1] / "job.toml"), "--seed", str(SEED), "--quiet"]
    subprocess.run(command, check=True)
    private = PrivateFile.load(folders[0] / "masked.private.toml")
    by_hand(folders[2]).write(folders[2] / "masked.csv", seed=order_seed(SEED, private.files))
    first, *others = [(folder / "masked.csv").read_bytes() for folder in folders]
    assert others == [first, first]
    assert first != (folders[0] / "data.csv").read_bytes()


def test_every_setting_arrives(tmp_path):
    path = make_job(
        tmp_path,
        JOB.replace('taxonomy = "links.csv"', 'taxonomy = "own"\ndomain = "symptom"\nscope = "ontology"\nweight = 2')
        .replace(
            'kind = "nominal"',
            'kind = "nominal"\ndistance = { name = "path", raw = false }\nmapping = { ache = "colic" }',
        )
        .replace('kind = "numeric"', 'kind = "numeric"\ncentre = "median"\nscale = "iqr"\nweight = 0.5')
        .replace('role = "identifier"', 'role = "identifier"\nperson = true')
        .replace('role = "confidential"', 'role = "confidential"\nkind = "numeric"')
        + '[ontologies.own]\npath = "links.csv"\nformat = "edges"\n'
        + '[policies]\nmissing = "drop"\nmissing_tokens = ["?"]\nunmapped = "keep"\n',
    )
    data = Job.from_toml(path).data
    symptom = data.quasi_identifiers["symptom"].kind
    assert (symptom.domain, symptom.scope, symptom.weight) == ("symptom", "ontology", 2)
    assert symptom.distance == {"name": "path", "raw": False}
    assert symptom.mapping == {"ache": "colic"}
    assert data.quasi_identifiers["age"].kind == om.Numeric(0.5, "median", scale="iqr")
    assert data.quasi_identifiers["grade"].kind == om.Ordinal(["low", "mid", "high"])
    assert data.confidential_columns["cost"].kind == om.Numeric()
    assert data.person == "name"
    own = data.policies["age"]
    assert (own.missing, own.missing_tokens, own.unmapped) == ("drop", ("?",), "keep")


def test_a_mapping_may_be_in_a_file(tmp_path):
    path = make_job(tmp_path, JOB.replace('taxonomy = "links.csv"', 'taxonomy = "links.csv"\nmapping = "words.csv"'))
    (tmp_path / "words.csv").write_text("value,concept\nache,rash\n")
    assert Job.from_toml(path).data.mapping["symptom"].concepts["ache"] == "rash"
    (tmp_path / "words.csv").write_text("value,concept\nache,\n")
    with raises(JobError, code="no-concept", key="columns.symptom.mapping") as caught:
        _ = Job.from_toml(path).data
    assert caught.value.key == "columns.symptom.mapping"


def test_columns_share_an_ontology(tmp_path):
    grade = 'kind = "ordinal"\ncategories = ["low", "mid", "high"]'
    job = JOB.replace(
        grade, 'kind = "nominal"\ntaxonomy = "links.csv"\nmapping = { low = "ache", mid = "pain", high = "rash" }'
    )
    data = Job.from_toml(make_job(tmp_path, job)).data
    assert data.quasi_identifiers["symptom"].kind.taxonomy is data.quasi_identifiers["grade"].kind.taxonomy


def test_evaluation_is_as_the_job_says(tmp_path):
    job = Job.from_toml(make_job(tmp_path, JOB + '[evaluation]\ndistance = { symptom = "log_sc" }\nknown = ["age"]\n'))
    run = job.run(seed=SEED)
    expected = om.evaluate(job.data, by_hand(tmp_path), distance={"symptom": "log_sc"}, known=["age"])
    assert run.score.to_dict() == expected.to_dict()
    assert run.score.distances["symptom"].startswith("log_sc")
    # From the file it wrote, the same is measured.
    again = job.evaluate(job.read(run.files["masked"]))
    assert again.srl == run.score.srl
    assert again.loss_percent == run.score.loss_percent


def test_without_report_or_evaluation_nothing_is_measured(tmp_path):
    assert Job.from_toml(make_job(tmp_path)).run(seed=2**64 + 1).score is None


def test_comparison_varies_parameters(tmp_path):
    listed = '{ name = "PRAM", vary = { stay = [0.1, 0.9] } }, { name = "NaiveDistortion" }'
    job = Job.from_toml(make_job(tmp_path, JOB + f"[compare]\nseeds = [4]\nmethods = [{listed}]"))
    assert list(map(repr, job.compared())) == ["PRAM(stay=0.1)", "PRAM(stay=0.9)", "NaiveDistortion()"]
    found = job.compare(jobs=1)
    assert [row["seed"] for row in found.rows] == [4, 4, 4]
    assert listing(tmp_path).keys() == {"data.csv", "links.csv", "job.toml"}


def test_without_a_list_the_jobs_method_is_compared_with_the_usual_ones(tmp_path):
    compared = Job.from_toml(make_job(tmp_path)).compared()
    assert repr(compared[0]) == "PRAM(stay=0.4)"
    assert len({repr(method) for method in compared}) == len(compared)
    assert {repr(Recoding(5)), repr(UncorrelatedNoise())} <= {repr(method) for method in compared}
    own = Job.from_toml(make_job(tmp_path, JOB.replace('name = "PRAM"\nstay = 0.4', 'name = "Recoding"\nk = 3')))
    assert [repr(m) for m in own.compared() if isinstance(m, Recoding)] == ["Recoding(k=3)"]
    assert [repr(m) for m in own.compared(k=4) if isinstance(m, Recoding)] == ["Recoding(k=3)", "Recoding(k=4)"]


# What another tool released


def released_by_another_tool(folder):
    frame = om.read_table(folder / "data.csv").drop("name")
    groups = {"ache": "Inside", "colic": "Inside", "rash": "Outside"}
    om.write_table(frame.with_columns(pl.col("symptom").replace_strict(groups)), folder / "theirs.csv")
    return folder / "theirs.csv"


def test_labels_of_another_tool_are_read_as_the_job_says(tmp_path):
    path = make_job(tmp_path)
    theirs = released_by_another_tool(tmp_path)
    (tmp_path / "h.csv").write_text("ache;Inside;*\ncolic;Inside;*\nrash;Outside;*\n")
    (tmp_path / "m.csv").write_text("label,concept\nInside,pain\nOutside,rash\n")
    job = Job.from_toml(path)
    with raises(
        JobError, column="symptom", values=("Inside", "Outside"), code="no-meaning", key="evaluation"
    ) as caught:
        job.evaluate(job.read(theirs))
    assert (caught.value.column, caught.value.values) == ("symptom", ("Inside", "Outside"))
    expected = om.evaluate(job.data, job.read(theirs), mapping={"symptom": {"Inside": "pain", "Outside": "rash"}})
    for given in (
        'hierarchies = { symptom = "h.csv" }',
        'mapping = { symptom = "m.csv" }',
        'mapping = { symptom = { Inside = "pain", Outside = "rash" } }',
    ):
        path.write_text(f"{JOB}[evaluation]\n{given}\n")
        job = Job.from_toml(path)
        score = job.evaluate(job.read(theirs))
        assert (score.loss_percent, score.srl) == (expected.loss_percent, expected.srl)
        assert job.report(job.read(theirs))[0].loss_percent == expected.loss_percent
        # Our own results need no reading.
        assert job.run(seed=2**64 + 1, overwrite=True).score is not None


def test_files_that_tell_what_labels_mean_are_never_written_over(tmp_path):
    path = make_job(tmp_path, JOB + 'private = "h.csv"\n[evaluation]\nhierarchies = { symptom = "h.csv" }\n')
    (tmp_path / "h.csv").write_text("ache;Inside;*\ncolic;Inside;*\nrash;Outside;*\n")
    with raises(JobError, code="is-an-input", key="output"):
        Job.from_toml(path).run(overwrite=True)
