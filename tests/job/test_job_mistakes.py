from __future__ import annotations

import pytest
from typer.testing import CliRunner

import ontomask as om
from ontomask.cli.commands import app
from ontomask.errors import JobError
from ontomask.job import Job

from support.errors import raises
from support.jobs import JOB, listing, make_job
from support.marked import PYTHON, says_what_to_do

# Mistakes

MISTAKES = [
    # (what is replaced, by what, the key, a fact that the message must name)
    ('path = "data.csv"', 'path = "dota.csv"', "input", "dota.csv"),
    ('path = "data.csv"', "path = 5", "input.path", "Got 5"),
    ('path = "data.csv"', 'path = "data.csv"\ndelimeter = ";"', "input.delimeter", "Did you mean 'delimiter'"),
    ('path = "data.csv"', 'path = "data.csv"\ndelimiter = ";;"', "input.delimiter", '";;"'),
    ('path = "data.csv"', 'path = "data.csv"\nencoding = "klingon"', "input", "klingon"),
    ('path = "data.csv"', "", "input.path", "is missing"),
    ("[input]", "[inputs]", "inputs", "input, columns, method, output"),
    (
        'role = "identifier"',
        'role = "id"',
        "columns.name.role",
        "'quasi-identifier', 'identifier', 'confidential', 'other'",
    ),
    ('role = "identifier"', "", "columns.name.role", "one of 'quasi-identifier'"),
    ('role = "identifier"', 'rol = "identifier"', "columns.name.rol", "Did you mean 'role'"),
    ('role = "identifier"', 'role = "identifier"\nkind = "numeric"', "columns.name.kind", "is removed"),
    (
        'role = "identifier"',
        'role = "identifier"\nweight = 2',
        "columns.name.weight",
        "'kind'",
    ),
    ('role = "confidential"', 'role = "confidential"\nperson = true', "columns.cost.person", "'confidential'"),
    ('kind = "nominal"', 'kind = "nominell"', "columns.symptom.kind", "'nominal', 'concept_set'"),
    ('kind = "nominal"\n', "", "columns.symptom.kind", "'nominal', 'concept_set'"),
    ('kind = "nominal"', 'kind = "nominal"\nrelease = "code"', "columns.symptom.release", "'source', 'label' or 'id'"),
    ('kind = "nominal"', 'kind = "nominal"\nlengths = [2]', "columns.symptom.lengths", "kind = 'prefix'"),
    ('kind = "nominal"', 'kind = "nominal"\ntop = "rash"', "columns", "columns.symptom.top"),
    ('kind = "numeric"', 'kind = "numeric"\nintervals = "0-9"', "columns.age.intervals", '"0-9"'),
    ('kind = "numeric"', 'kind = "numeric"\nintervals = [0, true]', "columns.age.intervals", "list of numbers"),
    ('kind = "numeric"', 'kind = "numeric"\nintervals = [60, 0]', "columns.age", "0 follows 60"),
    ('kind = "numeric"', 'kind = "numeric"\nintervals = [0, 30]', "columns", "columns.age.intervals"),
    ('kind = "numeric"', 'kind = "date"\nprecision = "week"', "columns.age.precision", "'month', 'quarter'"),
    ('kind = "numeric"', 'kind = "date"\nformats = ["%y"]', "columns.age", "%Y"),
    ('kind = "numeric"', 'kind = "date"', "columns", "columns.age.formats"),
    ('kind = "numeric"', 'kind = "numeric"\nformats = ["%Y"]', "columns.age.formats", "kind = 'date'"),
    ('kind = "nominal"', 'kind = "nominal"\ncentre = "mean"', "columns.symptom.centre", "'numeric' or 'date'"),
    ('kind = "numeric"', 'kind = "numeric"\nscale = "mad"', "columns.age.scale", "'sd', 'iqr'"),
    ('kind = "numeric"', 'kind = "category"\ngroups = ["a"]', "columns.age.groups", "path of a file"),
    ('kind = "numeric"', 'kind = "category"\ngroups = { a = [20], b = [20] }', "columns.age", "two groups"),
    ('kind = "numeric"', 'kind = "category"\ngroups = "none.csv"', "columns.age", "none.csv"),
    ('kind = "numeric"', 'kind = "category"\nunder = "name"', "columns", "identifier"),
    ('kind = "numeric"', 'kind = "prefix"\nlengths = ["a"]', "columns.age.lengths.0", "integer"),
    ('kind = "numeric"', 'kind = "prefix"\nlengths = [0]', "columns.age", "integers ≥ 1"),
    ('taxonomy = "links.csv"', "", "columns.symptom.taxonomy", "kind = 'nominal'"),
    (
        'taxonomy = "links.csv"',
        'taxonomy = "wordnett"',
        "columns.symptom.taxonomy",
        "one of wordnet, icd9cm, icd10cm",
    ),
    ('taxonomy = "links.csv"', 'taxonomy = "data.csv"', "columns.symptom.taxonomy", "data.csv"),
    (
        'kind = "nominal"',
        'kind = "nominal"\ndomain = "fever"',
        "columns.symptom.domain",
        "The domain 'fever' is neither an id nor a label",
    ),
    ('kind = "nominal"', 'kind = "nominal"\nscope = "world"', "columns.symptom.scope", "'domain' or 'ontology'"),
    ('kind = "nominal"', 'kind = "nominal"\ndistance = "wup"', "columns.symptom.distance", "not a semantic distance"),
    (
        'kind = "nominal"',
        "kind = 'nominal'\ndistance = { root_depth = 1 }",
        "columns.symptom.distance",
        "wu_palmer",
    ),
    (
        'kind = "nominal"',
        'kind = "nominal"\ndistance = { name = "path", depth = 1 }',
        "columns.symptom.distance",
        "has no option 'depth'",
    ),
    ('kind = "nominal"', 'kind = "nominal"\nmapping = { ache = 3 }', "columns.symptom.mapping", "Got { ache = 3 }"),
    (
        'kind = "nominal"',
        'kind = "nominal"\nmapping = { ache = "colik" }',
        "columns.symptom.mapping",
        "the concept 'colik' is neither an id nor a label in links. Did you mean colic (colic)?",
    ),
    ('kind = "nominal"', 'kind = "nominal"\nmapping = "none.csv"', "columns.symptom.mapping", "none.csv"),
    ('kind = "nominal"', 'kind = "nominal"\nweight = -1', "columns.symptom", "weight"),
    ('kind = "nominal"', 'kind = "nominal"\ncentre = "mean"', "columns.symptom.centre", "kind = 'numeric'"),
    ('kind = "numeric"', 'kind = "numeric"\nweight = "2"', "columns.age.weight", 'a number. Got "2"'),
    (
        'kind = "numeric"',
        'kind = "numeric"\nconfirmed = "no"',
        "columns.age.confirmed",
        'true or false. Got "no"',
    ),
    ('categories = ["low", "mid", "high"]', "", "columns.grade.categories", "is missing"),
    ('categories = ["low", "mid", "high"]', 'categories = "low"', "columns.grade.categories", "a list"),
    ('categories = ["low", "mid", "high"]', 'categories = ["low"]', "columns.grade", "at least two"),
    ('categories = ["low", "mid", "high"]', 'categories = ["low", "mid"]', "columns", "not among its categories"),
    ("[columns.cost]", "[columns.coast]", "columns.coast", "Did you mean 'cost'"),
    ('[columns.cost]\nrole = "confidential"', "", "columns", "have no role: 'cost'"),
    ('name = "PRAM"', 'name = "PRAMM"', "method.name", "Did you mean 'PRAM'"),
    ('name = "PRAM"', 'name = "Method"', "method.name", "there is no method 'Method'"),
    ('name = "PRAM"\n', "", "method.name", "is missing"),
    ("stay = 0.4", "stay = 1.5", "method.stay", "must be a probability"),
    ("stay = 0.4", 'stay = "much"', "method.stay", "must be a probability"),
    ("stay = 0.4", "require = 3", "method.require", "must be a list of tables"),
    ("stay = 0.4", 'require = [{ column = "cost" }]', "method.require.0", "must have one of l"),
    ("stay = 0.4", 'require = [{ column = "cost", l = 2, t = 0.1 }]', "method.require.0", "must have one of l"),
    ("stay = 0.4", "require = [{ l = 2 }]", "method.require.0.column", "must be the name of a confidential column"),
    ("stay = 0.4", 'require = [{ column = "cost", t = 0.1, kind = "x" }]', "method.require.0.kind", "It has column, t"),
    ("stay = 0.4", 'require = [{ column = "cost", l = 1 }]', "method.require.0.l", "must be an int ≥ 2"),
    ("stay = 0.4", 'require = [{ column = "age", l = 2 }]', "method", "not a confidential column"),
    ("stay = 0.4", "k = 4", "method.k", "PRAM has no such parameter. It has stay, matrices"),
    ('masked = "masked.csv"', 'masked = "data.csv"', "output", "the input"),
    ('masked = "masked.csv"', 'masked = "links.csv"', "output", "the ontology of 'symptom'"),
    ('masked = "masked.csv"', 'masked = "job.toml"', "output", "the job"),
    ('masked = "masked.csv"', 'masked = "masked.dbf"', "output.masked", ".csv, .tsv"),
    ('masked = "masked.csv"', 'masked = "out/masked.csv"', "output", "does not exist"),
    ('masked = "masked.csv"', 'masked = "."', "output", "a folder"),
    ('masked = "masked.csv"', 'masked = "m.csv"\nreport = "r.pdf"', "output.report", ".html, .json, .txt"),
    ('masked = "masked.csv"', 'masked = "m.csv"\nreport = 3', "output.report", "Got 3"),
    ('masked = "masked.csv"', 'masked = "m.csv"\nprivate = "m.csv"', "output", "both masked and private"),
    ('masked = "masked.csv"', 'masked = "m.csv"\nplan = "plan.csv"', "output.plan", ".plan"),
    ('masked = "masked.csv"', 'masked = "m.parquet"\ndelimiter = ";"', "output.masked", ".csv"),
    ('masked = "masked.csv"', 'masked = "m.csv"\ndelimiter = ";;"', "output.delimiter", '";;"'),
    (
        'masked = "masked.csv"',
        'masked = "m.csv"\n[evaluation]\nhierarchies = { cost = "h.csv" }',
        "evaluation.hierarchies.cost",
        "one of symptom, age, grade",
    ),
    (
        'masked = "masked.csv"',
        'masked = "m.csv"\n[evaluation]\nmapping = { symptom = 3 }',
        "evaluation.mapping.symptom",
        "Got 3",
    ),
    (
        'masked = "masked.csv"',
        'masked = "m.csv"\n[policies]\nmissing = "ignore"',
        "policies.missing",
        "'drop', 'root' or 'category'",
    ),
    (
        'masked = "masked.csv"',
        'masked = "m.csv"\n[policies]\nmissing_tokens = "?"',
        "policies.missing_tokens",
        "a list",
    ),
    (
        'masked = "masked.csv"',
        'masked = "m.csv"\n[evaluation]\nknown = ["cost"]',
        "evaluation.known",
        "one of symptom, age, grade",
    ),
    (
        'masked = "masked.csv"',
        'masked = "m.csv"\n[evaluation]\ntarget = "age"',
        "evaluation.target",
        "cost",
    ),
    (
        'masked = "masked.csv"',
        'masked = "m.csv"\n[evaluation]\ndistance = "wup"',
        "evaluation.distance",
        "not a semantic",
    ),
    ('masked = "masked.csv"', 'masked = "m.csv"\n[evaluation]\nseed = -1', "evaluation.seed", "at least 0"),
    ('masked = "masked.csv"', 'masked = "m.csv"\n[ontologies]\nx = 3', "ontologies.x", "a table"),
    ('masked = "masked.csv"', 'masked = "m.csv"\n[ontologies.x]\nformat = "obo"', "ontologies.x.path", "is missing"),
    (
        'taxonomy = "links.csv"',
        'taxonomy = "x"\n[ontologies.x]\npath = "links.csv"\nformat = "rdf"',
        "ontologies.x",
        "is not a format",
    ),
    (
        'taxonomy = "links.csv"',
        'taxonomy = "x"\n[ontologies.x]\npath = "links.csv"\ncolour = 1',
        "ontologies.x",
        "no option 'colour'",
    ),
    ('masked = "masked.csv"', 'masked = "m.csv"\n[compare]\nmethods = []', "compare.methods", "empty"),
]


@pytest.mark.parametrize(("old", "new", "key", "fact"), MISTAKES, ids=[f"{m[2]}: {m[3][:30]}" for m in MISTAKES])
def test_mistakes_name_file_and_key(tmp_path, old, new, key, fact):
    assert old in JOB
    path = make_job(tmp_path, JOB.replace(old, new))
    before = listing(tmp_path)
    with pytest.raises(JobError) as caught:
        Job.from_toml(path).run(seed=2**64)
    problem = str(caught.value)
    assert caught.value.path == path
    assert key in [k for k, _ in caught.value.problems], problem
    assert fact in problem
    assert says_what_to_do(problem.removeprefix(f"{path}: ")), problem
    assert not PYTHON.search(problem.replace(str(path), "")), problem
    shown = CliRunner().invoke(app, ["map", str(path)]).output.replace(str(tmp_path), "")
    assert not PYTHON.search(shown), shown
    assert listing(tmp_path) == before


def test_all_mistakes_are_told_at_once(tmp_path):
    path = make_job(
        tmp_path, JOB.replace('kind = "numeric"', 'kind = "number"').replace("[output]", "[output]\ncolour = 1")
    )
    with raises(JobError, key="columns.age.kind") as caught:
        Job.from_toml(path)
    assert {key for key, _ in caught.value.problems} == {"columns.age.kind", "output.colour"}


@pytest.mark.parametrize(
    ("compared", "key", "message"),
    [
        ('{ name = "PRAM", k = 3 }', "compare.methods.0.k", "PRAM has no such parameter"),
        ('{ name = "PRAM", vary = { stay = 0.5 } }', "compare.methods.0.vary.stay", "a list"),
        ('{ name = "PRAM", vary = { stay = [] } }', "compare.methods.0.vary.stay", "at least one"),
        ('{ name = "PRAM", stay = 0.1, vary = { stay = [0.2] } }', "compare.methods.0.vary.stay", "Keep one"),
        ('{ name = "PRAM", vary = { stay = [2] } }', "compare.methods.0.stay", "must be a probability"),
        ("{ k = 3 }", "compare.methods.0.name", "is missing"),
    ],
)
def test_mistakes_in_what_is_compared(tmp_path, compared, key, message):
    path = make_job(tmp_path, JOB + f"[compare]\nmethods = [{compared}]\n")
    with pytest.raises(JobError) as caught:
        Job.from_toml(path).compared()
    assert [k for k, _ in caught.value.problems] == [key]
    assert message in str(caught.value)


def test_a_file_that_is_no_job(tmp_path):
    with raises(JobError, code="no-file"):
        Job.from_toml(tmp_path / "job.toml")
    for content, code in ((b"a = ", "not-toml"), (b"a = 1\nb = '\xff'", "not-utf-8")):
        (tmp_path / "job.toml").write_bytes(content)
        with raises(JobError, code=code):
            Job.from_toml(tmp_path / "job.toml")
    with pytest.raises(JobError) as caught:
        Job.from_toml(tmp_path)
    assert caught.value.path == tmp_path


def test_a_parameter_that_a_method_needs(tmp_path, monkeypatch):
    class Demanding(om.NaiveDistortion):
        def __init__(self, much: int) -> None: ...

    monkeypatch.setattr("ontomask.job.methods.known_methods", lambda: {"Demanding": Demanding})
    path = make_job(tmp_path, JOB.replace('name = "PRAM"\nstay = 0.4', 'name = "Demanding"'))
    with raises(JobError, key="method.much"):
        _ = Job.from_toml(path).method


def test_files_of_a_method_are_beside_the_job_and_never_written_over(tmp_path):
    grade = '[columns.grade]\nrole = "quasi-identifier"\nkind = "ordinal"\ncategories = ["low", "mid", "high"]'
    age = '[columns.age]\nrole = "quasi-identifier"\nkind = "numeric"'
    job = JOB.replace(grade, '[columns.grade]\nrole = "other"').replace(age, '[columns.age]\nrole = "other"')
    given = 'name = "Generalisation"\nk = 15\nhierarchies = { symptom = "vgh.csv" }\n'
    job = job.replace('name = "PRAM"\nstay = 0.4\n', given)
    path = make_job(tmp_path, job)
    (tmp_path / "vgh.csv").write_text("ache;pain;symptom\ncolic;symptom;symptom\nrash;symptom;symptom\n")
    run = Job.from_toml(path).run(seed=2**64 + 1)
    assert set(om.read_table(run.files["masked"])["symptom"]) == {"ache", "symptom"}
    path.write_text(job.replace("masked.csv", "vgh.csv") + "overwrite = true\n")
    with raises(JobError, code="is-an-input", key="output"):
        Job.from_toml(path).run(seed=2**64 + 1)


def test_an_unconfirmed_method_stops_masking_only(tmp_path):
    job = Job.from_toml(make_job(tmp_path, JOB.replace("stay = 0.4", "stay = 0.4\nconfirmed = false")))
    assert len(job.data) == 40
    assert job.evaluate(job.data.frame).loss_percent == 0
    for use in (job.run, job.mask):
        with raises(JobError, key="confirmed") as caught:
            use()
        assert caught.value.key == "confirmed"


def test_guesses_stop_the_run(tmp_path):
    path = make_job(
        tmp_path,
        JOB.replace('kind = "numeric"', 'kind = "numeric"\nconfirmed = false') + "[policies]\nconfirmed = false",
    )
    job = Job.from_toml(path)
    assert job.guesses == ("columns.age", "policies")
    for use in (job.run, lambda: job.data, job.mask, job.compare, lambda: job.evaluate(None)):
        with raises(JobError, key="confirmed") as caught:
            use()
        assert caught.value.key == "confirmed"
    [problem] = job.check().problems
    assert problem.startswith("confirmed:")
    assert "columns.age, policies" in problem
    (step,) = job.check().next_steps
    assert "write confirmed = true there" in step


# Preflight


def test_preflight_tells_all_that_is_to_do(tmp_path):
    job = Job.from_toml(make_job(tmp_path))
    assert job.check().ready
    text = (tmp_path / "data.csv").read_text()
    (tmp_path / "data.csv").write_text(text.replace("rash", "rasch").replace("p39,ache", "p39,"))
    checked = Job.from_toml(tmp_path / "job.toml").check()
    assert checked.problems == (
        "columns.symptom: 1 of 3 values have no concept.",
        "columns.symptom: 1 cells are missing.",
    )
    assert [step.partition(":")[0] for step in checked.next_steps] == ["Values without a concept", "Missing cells"]
    assert checked.mapping["symptom"].unmapped[0].suggestions[0].concept == "rash"
    path = make_job(tmp_path)
    (tmp_path / "data.csv").write_text(text.replace("mid", "middle"))
    (problem,) = Job.from_toml(path).check().problems
    assert "not among its categories: 'middle'" in problem


# Everything at once, with its key


def test_all_problems_of_all_kinds_of_columns_are_told_at_once(tmp_path):
    path = make_job(tmp_path)
    lines = (tmp_path / "data.csv").read_text().splitlines()
    lines[1] = "p0,ouch,old,low,0"
    lines[2] = "p1,,,,1"
    lines[3] = "p2,ache,21,top,1"
    (tmp_path / "data.csv").write_text("\n".join(lines) + "\n")
    assert Job.from_toml(path).check().problems == (
        "columns.symptom: 1 of 4 values have no concept.",
        "columns.symptom: 1 cells are missing.",
        "columns.age: These are not finite numbers, or too large to be exact: 'old'.",
        "columns.age: 1 cells are missing.",
        "columns.grade: These are not among its categories: 'top'. Add them to the categories, or list them in "
        "missing_tokens.",
        "columns.grade: 1 cells are missing.",
    )


def test_a_wrong_concept_in_a_mapping_file_is_told_with_file_and_key(tmp_path):
    path = make_job(tmp_path, JOB.replace('kind = "nominal"', 'kind = "nominal"\nmapping = "own.csv"'))
    (tmp_path / "own.csv").write_text("value,concept\nache,colik\n")
    for doing in (Job.check, Job.run):
        with raises(JobError, values=("ache",), key="columns.symptom.mapping"):
            doing(Job.from_toml(path))


def test_values_that_look_missing_are_a_problem_for_the_strict(tmp_path):
    path = make_job(tmp_path)
    (tmp_path / "links.csv").write_text((tmp_path / "links.csv").read_text() + "none,symptom\n")
    (tmp_path / "data.csv").write_text((tmp_path / "data.csv").read_text().replace("rash", "none"))
    job = Job.from_toml(path)
    assert job.check().ready
    assert "'none' (10 records) = none" in job.check().mapping.to_text()
    assert job.check(strict=True).problems == ("columns.symptom: 1 values look like spellings of a missing cell.",)
