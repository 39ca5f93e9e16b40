from __future__ import annotations

import pytest

import ontomask as om
from ontomask.errors import JobError
from ontomask.job import Job
from ontomask.job.methods import methods
from ontomask.masking.generalisation import Generalisation

from support.jobs import JOB, listing, make_job
from support.marked import says_what_to_do

# Mistakes

MISTAKES = [
    # (what is replaced, by what, the key, what the message says)
    ('path = "data.csv"', 'path = "dota.csv"', "input", "there is no such file"),
    ('path = "data.csv"', "path = 5", "input.path", "must be a text. Got 5"),
    ('path = "data.csv"', 'path = "data.csv"\ndelimeter = ";"', "input.delimeter", "Did you mean 'delimiter'"),
    ('path = "data.csv"', 'path = "data.csv"\ndelimiter = ";;"', "input.delimiter", "must be one plain character"),
    ('path = "data.csv"', 'path = "data.csv"\nencoding = "klingon"', "input", "there is no such encoding"),
    ('path = "data.csv"', "", "input.path", "is missing"),
    ("[input]", "[inputs]", "inputs", "there is no such key. Allowed here: input, columns, method, output"),
    (
        'role = "identifier"',
        'role = "id"',
        "columns.name.role",
        "'quasi-identifier', 'identifier', 'confidential', 'other'",
    ),
    ('role = "identifier"', "", "columns.name.role", "is missing. It must be one of 'quasi-identifier'"),
    ('role = "identifier"', 'rol = "identifier"', "columns.name.rol", "Did you mean 'role'"),
    ('role = "identifier"', 'role = "identifier"\nkind = "numeric"', "columns.name.kind", "is removed"),
    (
        'role = "identifier"',
        'role = "identifier"\nweight = 2',
        "columns.name.weight",
        "belongs to a column with a 'kind'",
    ),
    ('role = "confidential"', 'role = "confidential"\nperson = true', "columns.cost.person", "only an identifier"),
    ('kind = "nominal"', 'kind = "nominell"', "columns.symptom.kind", "must be one of 'nominal', 'numeric', 'ordinal'"),
    ('kind = "nominal"\n', "", "columns.symptom.kind", "a quasi-identifier needs one of"),
    ('taxonomy = "links.csv"', "", "columns.symptom.taxonomy", "is missing: kind = 'nominal' needs it"),
    (
        'taxonomy = "links.csv"',
        'taxonomy = "wordnett"',
        "columns.symptom.taxonomy",
        "must be one of wordnet, icd9cm, icd10cm",
    ),
    ('taxonomy = "links.csv"', 'taxonomy = "data.csv"', "columns.symptom.taxonomy", "data.csv"),
    (
        'kind = "nominal"',
        'kind = "nominal"\ndomain = "fever"',
        "columns.symptom.domain",
        "The domain 'fever' is neither an id nor a label",
    ),
    ('kind = "nominal"', 'kind = "nominal"\nscope = "world"', "columns.symptom.scope", "'domain', 'ontology'"),
    ('kind = "nominal"', 'kind = "nominal"\ndistance = "wup"', "columns.symptom.distance", "not a semantic distance"),
    (
        'kind = "nominal"',
        "kind = 'nominal'\ndistance = { root_depth = 1 }",
        "columns.symptom.distance",
        "must be a name",
    ),
    (
        'kind = "nominal"',
        'kind = "nominal"\ndistance = { name = "path", depth = 1 }',
        "columns.symptom.distance",
        "has no option 'depth'",
    ),
    ('kind = "nominal"', 'kind = "nominal"\nmapping = { ache = 3 }', "columns.symptom.mapping", "must be the path"),
    (
        'kind = "nominal"',
        'kind = "nominal"\nmapping = { ache = "colik" }',
        "columns.symptom.mapping",
        "the concept 'colik' is neither an id nor a label in links. Did you mean colic (colic)?",
    ),
    ('kind = "nominal"', 'kind = "nominal"\nmapping = "none.csv"', "columns.symptom.mapping", "none.csv"),
    ('kind = "nominal"', 'kind = "nominal"\nweight = -1', "columns.symptom", "weight"),
    ('kind = "nominal"', 'kind = "nominal"\ncentre = "mean"', "columns.symptom.centre", "belongs to kind = 'numeric'"),
    ('kind = "numeric"', 'kind = "numeric"\nweight = "2"', "columns.age.weight", "must be a number. Got '2'"),
    (
        'kind = "numeric"',
        'kind = "numeric"\nconfirmed = "no"',
        "columns.age.confirmed",
        "must be true or false. Got 'no'",
    ),
    ('categories = ["low", "mid", "high"]', "", "columns.grade.categories", "is missing"),
    ('categories = ["low", "mid", "high"]', 'categories = "low"', "columns.grade.categories", "must be a list"),
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
    ("stay = 0.4", 'require = [{ column = "cost" }]', "method.require.0", "must have either l"),
    ("stay = 0.4", 'require = [{ column = "cost", l = 2, t = 0.1 }]', "method.require.0", "must have either l"),
    ("stay = 0.4", "require = [{ l = 2 }]", "method.require.0.column", "must be the name of a confidential column"),
    ("stay = 0.4", 'require = [{ column = "cost", t = 0.1, kind = "x" }]', "method.require.0.kind", "Allowed here"),
    ("stay = 0.4", 'require = [{ column = "cost", l = 1 }]', "method.require.0", "must be an int ≥ 2"),
    ("stay = 0.4", 'require = [{ column = "age", l = 2 }]', "method", "not a confidential column"),
    ("stay = 0.4", "k = 4", "method.k", "PRAM has no such parameter. It has stay, matrices"),
    ('masked = "masked.csv"', 'masked = "data.csv"', "output", "is the input, which is never written over"),
    ('masked = "masked.csv"', 'masked = "links.csv"', "output", "is the ontology of 'symptom'"),
    ('masked = "masked.csv"', 'masked = "job.toml"', "output", "is the job"),
    ('masked = "masked.csv"', 'masked = "masked.dbf"', "output.masked", "the end of the name tells no format"),
    ('masked = "masked.csv"', 'masked = "out/masked.csv"', "output", "does not exist. Make it first"),
    ('masked = "masked.csv"', 'masked = "."', "output", "this is a folder"),
    ('masked = "masked.csv"', 'masked = "m.csv"\nreport = "r.pdf"', "output.report", ".html, .json, .txt"),
    ('masked = "masked.csv"', 'masked = "m.csv"\nreport = 3', "output.report", "must be the name of a file"),
    ('masked = "masked.csv"', 'masked = "m.csv"\nprivate = "m.csv"', "output", "would be both masked and private"),
    ('masked = "masked.csv"', 'masked = "m.csv"\nplan = "plan.csv"', "output.plan", "must end in .plan"),
    ('masked = "masked.csv"', 'masked = "m.parquet"\ndelimiter = ";"', "output.masked", "only .csv files have one"),
    ('masked = "masked.csv"', 'masked = "m.csv"\ndelimiter = ";;"', "output.delimiter", "must be one plain character"),
    (
        'masked = "masked.csv"',
        'masked = "m.csv"\n[evaluation]\nhierarchies = { cost = "h.csv" }',
        "evaluation.hierarchies.cost",
        "is no quasi-identifier",
    ),
    (
        'masked = "masked.csv"',
        'masked = "m.csv"\n[evaluation]\nmapping = { symptom = 3 }',
        "evaluation.mapping.symptom",
        "must be the path of a file",
    ),
    (
        'masked = "masked.csv"',
        'masked = "m.csv"\n[policies]\nmissing = "ignore"',
        "policies.missing",
        "'error', 'keep', 'drop'",
    ),
    (
        'masked = "masked.csv"',
        'masked = "m.csv"\n[policies]\nmissing_tokens = "?"',
        "policies.missing_tokens",
        "must be a list",
    ),
    (
        'masked = "masked.csv"',
        'masked = "m.csv"\n[evaluation]\nknown = ["cost"]',
        "evaluation.known",
        "no quasi-identifier",
    ),
    (
        'masked = "masked.csv"',
        'masked = "m.csv"\n[evaluation]\ntarget = "age"',
        "evaluation.target",
        "'confidential': cost",
    ),
    (
        'masked = "masked.csv"',
        'masked = "m.csv"\n[evaluation]\ndistance = "wup"',
        "evaluation.distance",
        "not a semantic",
    ),
    ('masked = "masked.csv"', 'masked = "m.csv"\n[evaluation]\nseed = -1', "evaluation.seed", "at least 0"),
    ('masked = "masked.csv"', 'masked = "m.csv"\n[ontologies]\nx = 3', "ontologies.x", "must be a table"),
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
    ('masked = "masked.csv"', 'masked = "m.csv"\n[compare]\nmethods = []', "compare.methods", "must not be empty"),
]


@pytest.mark.parametrize(("old", "new", "key", "message"), MISTAKES, ids=[f"{m[2]}: {m[3][:30]}" for m in MISTAKES])
def test_mistakes_name_file_and_key(tmp_path, old, new, key, message):
    assert old in JOB
    path = make_job(tmp_path, JOB.replace(old, new))
    before = listing(tmp_path)
    with pytest.raises(JobError) as caught:
        Job.from_toml(path).run(seed=2**64)
    problem = str(caught.value)
    assert problem.startswith(f"{path}: ")
    assert key in [k for k, _ in caught.value.problems], problem
    assert message in problem
    assert says_what_to_do(problem.removeprefix(f"{path}: ")), problem
    assert listing(tmp_path) == before


def test_all_mistakes_are_told_at_once(tmp_path):
    path = make_job(
        tmp_path, JOB.replace('kind = "numeric"', 'kind = "number"').replace("[output]", "[output]\ncolour = 1")
    )
    with pytest.raises(JobError, match="2 problems:") as caught:
        Job.from_toml(path)
    assert {key for key, _ in caught.value.problems} == {"columns.age.kind", "output.colour"}


@pytest.mark.parametrize(
    ("compared", "key", "message"),
    [
        ('{ name = "PRAM", k = 3 }', "compare.methods.0.k", "PRAM has no such parameter"),
        ('{ name = "PRAM", vary = { stay = 0.5 } }', "compare.methods.0.vary.stay", "must be a list"),
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
    with pytest.raises(JobError, match=r"there is no such file\. 'ontomask init DATA' writes"):
        Job.from_toml(tmp_path / "job.toml")
    for content, message in ((b"a = ", "this is not TOML"), (b"a = 1\nb = '\xff'", "line 2 is not UTF-8")):
        (tmp_path / "job.toml").write_bytes(content)
        with pytest.raises(JobError, match=message):
            Job.from_toml(tmp_path / "job.toml")
    with pytest.raises(JobError, match="cannot be read"):
        Job.from_toml(tmp_path)


def test_a_parameter_that_a_method_needs(tmp_path, monkeypatch):
    class Demanding(om.NaiveDistortion):
        def __init__(self, much: int) -> None: ...

    monkeypatch.setattr("ontomask.job.methods.methods", lambda: {"Demanding": Demanding})
    path = make_job(tmp_path, JOB.replace('name = "PRAM"\nstay = 0.4', 'name = "Demanding"'))
    with pytest.raises(JobError, match=r"method\.much: Demanding needs it"):
        _ = Job.from_toml(path).method


def test_files_of_a_method_are_beside_the_job_and_never_written_over(tmp_path):
    assert Generalisation.__name__ in methods()
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
    with pytest.raises(JobError, match=r"is a file of the method's 'hierarchies' \(vgh\.csv\), which is never written"):
        Job.from_toml(path).run(seed=2**64 + 1)


def test_an_unconfirmed_method_stops_masking_only(tmp_path):
    job = Job.from_toml(make_job(tmp_path, JOB.replace("stay = 0.4", "stay = 0.4\nconfirmed = false")))
    assert len(job.data) == 40
    assert job.evaluate(job.data.frame).loss_percent == 0
    for use in (job.run, job.mask):
        with pytest.raises(JobError, match="nobody has confirmed: method"):
            use()


def test_guesses_stop_the_run(tmp_path):
    path = make_job(
        tmp_path,
        JOB.replace('kind = "numeric"', 'kind = "numeric"\nconfirmed = false') + "[policies]\nconfirmed = false",
    )
    job = Job.from_toml(path)
    assert job.guesses == ("columns.age", "policies")
    for use in (job.run, lambda: job.data, job.mask, job.compare, lambda: job.evaluate(None)):
        with pytest.raises(JobError, match=r"nobody has confirmed: columns\.age, policies"):
            use()
    assert job.check().problems == (
        "columns.age: is a guess that nobody has confirmed.",
        "policies: is a guess that nobody has confirmed.",
    )
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
        "columns.age: not finite numbers, or too large to be exact: 'old'.",
        "columns.age: 1 cells are missing.",
        "columns.grade: not among its categories: 'top'.",
        "columns.grade: 1 cells are missing.",
    )


def test_a_wrong_concept_in_a_mapping_file_is_told_with_file_and_key(tmp_path):
    path = make_job(tmp_path, JOB.replace('kind = "nominal"', 'kind = "nominal"\nmapping = "own.csv"'))
    (tmp_path / "own.csv").write_text("value,concept\nache,colik\n")
    for doing in (Job.check, Job.run):
        with pytest.raises(JobError, match=r"columns\.symptom\.mapping: .*own\.csv: .*'colik'.*Did you mean colic"):
            doing(Job.from_toml(path))


def test_values_that_look_missing_are_a_problem_for_the_strict(tmp_path):
    path = make_job(tmp_path)
    (tmp_path / "links.csv").write_text((tmp_path / "links.csv").read_text() + "none,symptom\n")
    (tmp_path / "data.csv").write_text((tmp_path / "data.csv").read_text().replace("rash", "none"))
    job = Job.from_toml(path)
    assert job.check().ready
    assert "'none' (10 records) = none" in job.check().mapping.to_text()
    assert job.check(strict=True).problems == ("columns.symptom: 1 values look like spellings of a missing cell.",)
