from __future__ import annotations

import stat
import subprocess
import sys

import polars as pl
import pytest

import ontomask as om
from ontomask.errors import JobError, OntomaskError, PlanError
from ontomask.job import Job
from ontomask.job import job as flow
from ontomask.job.methods import methods
from ontomask.job.outputs import Outputs
from ontomask.masking.generalisation import Generalisation
from ontomask.masking.noise import UncorrelatedNoise
from ontomask.masking.recoding import Recoding

from support.jobs import JOB, listing, make_job
from support.marked import tells_what_to_do

SEED = 987_654_321_123


def by_hand(folder) -> om.Result:
    """What the small job does, without one."""
    data = om.Microdata(
        om.read_table(folder / "data.csv"),
        {
            "symptom": om.Nominal(om.read_taxonomy(folder / "links.csv")),
            "age": om.Numeric(),
            "grade": om.Ordinal(["low", "mid", "high"]),
        },
        identifiers=["name"],
        confidential=["cost"],
    )
    return om.PRAM(stay=0.4).mask(data, seed=SEED)


# The same by job, by command and by hand


def test_job_command_and_python_give_the_same_bytes(tmp_path):
    folders = [tmp_path / name for name in ("job", "command", "hand")]
    for folder in folders:
        folder.mkdir()
        make_job(folder)
    Job.from_toml(folders[0] / "job.toml").run(seed=SEED)
    command = [sys.executable, "-m", "ontomask", "mask", str(folders[1] / "job.toml"), "--seed", str(SEED), "--quiet"]
    subprocess.run(command, check=True)
    om.write_table(by_hand(folders[2]).frame, folders[2] / "masked.csv")
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
        .replace('kind = "numeric"', 'kind = "numeric"\ncentre = "median"\nweight = 0.5')
        .replace('role = "identifier"', 'role = "identifier"\nperson = true')
        .replace('role = "confidential"', 'role = "confidential"\nkind = "numeric"')
        + '[ontologies.own]\npath = "links.csv"\nformat = "edges"\n'
        + '[policies]\nmissing = "drop"\nmissing_tokens = ["?"]\nunmapped = "keep"\n',
    )
    data = Job.from_toml(path).data
    symptom = data.quasi_identifiers["symptom"].attribute
    assert (symptom.domain, symptom.scope, symptom.weight) == ("symptom", "ontology", 2)
    assert symptom.distance == {"name": "path", "raw": False}
    assert symptom.mapping == {"ache": "colic"}
    assert data.quasi_identifiers["age"].attribute == om.Numeric(0.5, "median")
    assert data.quasi_identifiers["grade"].attribute == om.Ordinal(["low", "mid", "high"])
    assert data.confidential_columns["cost"].attribute == om.Numeric()
    assert data.person == "name"
    assert (data.policies.missing, data.policies.missing_tokens, data.policies.unmapped) == ("drop", ("?",), "keep")


def test_a_mapping_may_be_in_a_file(tmp_path):
    path = make_job(tmp_path, JOB.replace('taxonomy = "links.csv"', 'taxonomy = "links.csv"\nmapping = "words.csv"'))
    (tmp_path / "words.csv").write_text("value,concept\nache,rash\n")
    assert Job.from_toml(path).data.mapping["symptom"].concepts["ache"] == "rash"
    (tmp_path / "words.csv").write_text("value,concept\nache,\n")
    with pytest.raises(
        JobError, match=r"columns\.symptom\.mapping: .*words\.csv: no concept is given for 1 of 1 values"
    ):
        _ = Job.from_toml(path).data


def test_columns_share_an_ontology(tmp_path):
    grade = 'kind = "ordinal"\ncategories = ["low", "mid", "high"]'
    job = JOB.replace(
        grade, 'kind = "nominal"\ntaxonomy = "links.csv"\nmapping = { low = "ache", mid = "pain", high = "rash" }'
    )
    data = Job.from_toml(make_job(tmp_path, job)).data
    assert data.quasi_identifiers["symptom"].attribute.taxonomy is data.quasi_identifiers["grade"].attribute.taxonomy


def test_evaluation_is_as_the_job_says(tmp_path):
    job = Job.from_toml(make_job(tmp_path, JOB + '[evaluation]\ndistance = { symptom = "log_sc" }\nknown = ["age"]\n'))
    run = job.run(seed=SEED)
    expected = om.evaluate(job.data, by_hand(tmp_path), distance={"symptom": "log_sc"}, known=["age"])
    assert run.score.to_dict() == expected.to_dict()
    assert run.score.distances["symptom"].startswith("log_sc")
    # From the file it wrote, the same is measured.
    again = job.evaluate(om.read_table(run.files["masked"]))
    assert again.srl == run.score.srl
    assert again.loss_percent == run.score.loss_percent


def test_without_report_or_evaluation_nothing_is_measured(tmp_path):
    assert Job.from_toml(make_job(tmp_path)).run(seed=1).score is None


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


def test_every_exported_method_can_be_named():
    exported = {
        name
        for name in om.__all__
        if isinstance(getattr(om, name), type) and issubclass(getattr(om, name), om.Method) and name != "Method"
    }
    assert exported <= set(methods())


# Mistakes

MISTAKES = [
    # (what is replaced, by what, the key, what the message says)
    ('path = "data.csv"', 'path = "dota.csv"', "input", "there is no such file"),
    ('path = "data.csv"', "path = 5", "input.path", "must be a text. Got 5"),
    ('path = "data.csv"', 'path = "data.csv"\ndelimeter = ";"', "input.delimeter", "Did you mean 'delimiter'"),
    ('path = "data.csv"', 'path = "data.csv"\ndelimiter = ";;"', "input.delimiter", "must be one character"),
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
    ("stay = 0.4", 'require = [{ column = "age", l = 2 }]', "method", "no confidential column"),
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
    ('masked = "masked.csv"', 'masked = "m.csv"\ndelimiter = ";;"', "output.delimiter", "must be one character"),
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
        Job.from_toml(path).run(seed=0)
    problem = str(caught.value)
    assert problem.startswith(f"{path}: ")
    assert key in [k for k, _ in caught.value.problems], problem
    assert message in problem
    assert tells_what_to_do(problem.removeprefix(f"{path}: ")), problem
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
    run = Job.from_toml(path).run(seed=1)
    assert set(om.read_table(run.files["masked"])["symptom"]) == {"ache", "symptom"}
    path.write_text(job.replace("masked.csv", "vgh.csv") + "overwrite = true\n")
    with pytest.raises(JobError, match=r"is a file of the method's 'hierarchies' \(vgh\.csv\), which is never written"):
        Job.from_toml(path).run(seed=1)


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
    assert checked.mapping["symptom"].unmapped[0].suggestions[0].concept == "rash"
    path = make_job(tmp_path)
    (tmp_path / "data.csv").write_text(text.replace("mid", "middle"))
    (problem,) = Job.from_toml(path).check().problems
    assert "not among its categories: 'middle'" in problem


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
    assert again.notes == run.notes


def test_a_run_is_not_repeated_on_other_files(tmp_path):
    path = make_job(tmp_path)
    private = Job.from_toml(path).run(seed=1).files["private"]
    text = private.read_text()
    private.write_text(text.replace('numpy = "', 'numpy = "0.'))
    run = Job.from_toml(path).run(repeat=private, overwrite=True)
    assert any("the software changed" in note and "numpy 0." in note for note in run.notes)
    (tmp_path / "data.csv").write_text((tmp_path / "data.csv").read_text().replace("p39", "q39"))
    with pytest.raises(PlanError, match="the input changed since"):
        Job.from_toml(path).run(repeat=private, overwrite=True)
    make_job(tmp_path)
    (tmp_path / "links.csv").write_text((tmp_path / "links.csv").read_text() + "itch,symptom\n")
    with pytest.raises(PlanError, match="the ontology of 'symptom' changed since"):
        Job.from_toml(path).run(repeat=private, overwrite=True)
    private.write_text("seed = 'x'")
    with pytest.raises(PlanError, match="no private file"):
        Job.from_toml(path).run(repeat=private, overwrite=True)
    with pytest.raises(PlanError, match="cannot be read"):
        Job.from_toml(path).run(repeat=tmp_path / "none", overwrite=True)
    with pytest.raises(JobError, match="not both"):
        Job.from_toml(path).run(repeat=private, seed=1)


@pytest.mark.parametrize("seed", [-1, 1.5, "7"])
def test_a_wrong_seed(tmp_path, seed):
    with pytest.raises(OntomaskError, match="'seed' must be an int"):
        Job.from_toml(make_job(tmp_path)).run(seed=seed)


# Files are written whole, all or none


@pytest.mark.parametrize("broken", ["write_table", "save_plan", "build_report"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, OSError])
@pytest.mark.parametrize("earlier", [False, True])
def test_a_run_that_breaks_leaves_everything_as_it_was(tmp_path, monkeypatch, broken, error, earlier):
    path = make_job(tmp_path, JOB + 'report = "report.html"\nplan = "run.plan"\noverwrite = true\n')
    if earlier:
        Job.from_toml(path).run(seed=1)
    before = listing(tmp_path)
    module = flow if broken != "build_report" else __import__("ontomask.report", fromlist=["Report"])
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
        Job.from_toml(path).run(seed=2)
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


def test_outputs_are_not_written_over_unless_asked(tmp_path):
    path = make_job(tmp_path)
    Job.from_toml(path).run(seed=1)
    before = listing(tmp_path)
    with pytest.raises(JobError, match="exists already"):
        Job.from_toml(path).run(seed=2)
    assert listing(tmp_path) == before
    Job.from_toml(path).run(seed=2, overwrite=True)
    assert listing(tmp_path) != before


def test_the_input_is_recognised_by_other_names(tmp_path):
    path = make_job(tmp_path, JOB.replace('masked = "masked.csv"', 'masked = "link.csv"\noverwrite = true'))
    for make in ("symlink_to", "hardlink_to"):
        (tmp_path / "link.csv").unlink(missing_ok=True)
        getattr(tmp_path / "link.csv", make)(tmp_path / "data.csv")
        with pytest.raises(JobError, match="is the input, which is never written over"):
            Job.from_toml(path).run(seed=1)


@pytest.mark.parametrize("masked", ["masked.parquet", "masked.csv.gz", "masked.tsv"])
def test_other_formats(tmp_path, masked):
    path = make_job(tmp_path, JOB.replace("masked.csv", masked))
    run = Job.from_toml(path).run(seed=SEED)
    assert run.files["private"] == tmp_path / "masked.private.toml"
    read = om.read_table(run.files["masked"])
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
    run = job.run(seed=0)
    lines = run.files["masked"].read_text().splitlines()
    # The mean of 20.1 and 20.2, with one decimal as the data have.
    assert lines[0] == "bmi;code;dose"
    assert lines[3:] == ["30,4;1.2;", "30,4;7;0,25"]
    assert {line.split(";")[0] for line in lines[1:3]} <= {"20,1", "20,2"}
    assert [line.split(";", 1)[1] for line in lines[1:3]] == ["250.10;1,50", "038;2"]
    assert job.evaluate(job.read(job.output)).loss_percent == run.score.loss_percent


def test_another_delimiter_can_be_asked_for(tmp_path):
    job = comma_job(tmp_path, COMMAS.replace('"masked.csv"', '"masked.csv"\noutput.delimiter = "|"'))
    run = job.run(seed=0)
    assert run.files["masked"].read_text().startswith("bmi|code|dose\n")
    assert job.evaluate(job.read(job.output)).loss_percent == run.score.loss_percent


def test_commas_that_nobody_declared_are_told_with_the_key(tmp_path):
    job = comma_job(tmp_path, COMMAS.replace(', decimal = ","', ""))
    (problem,) = job.check().problems
    assert problem.startswith("columns.bmi: no numbers: '20,1'")
    assert "input.decimal = ','" in problem
    with pytest.raises(JobError, match=r"columns: .*input\.decimal = ','"):
        job.run()


def test_a_decimal_mark_is_for_delimited_files(tmp_path):
    om.write_table(pl.DataFrame({"bmi": [1.0, 2.0], "code": ["a", "b"], "dose": [1, 2]}), tmp_path / "data.parquet")
    job = comma_job(tmp_path, COMMAS.replace("data.csv", "data.parquet"))
    with pytest.raises(JobError, match=r"input: .*only \.csv and \.tsv files have one"):
        _ = job.data


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
        "columns.age: no numbers: 'old'.",
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
    with pytest.raises(JobError, match=r"mean in evaluation\.mapping, or .* in evaluation\.hierarchies\."):
        job.evaluate(job.read(theirs))
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
        assert job.run(seed=1, overwrite=True).score is not None


def test_files_that_tell_what_labels_mean_are_never_written_over(tmp_path):
    path = make_job(tmp_path, JOB + 'private = "h.csv"\n[evaluation]\nhierarchies = { symptom = "h.csv" }\n')
    (tmp_path / "h.csv").write_text("ache;Inside;*\ncolic;Inside;*\nrash;Outside;*\n")
    with pytest.raises(JobError, match="which is never written over"):
        Job.from_toml(path).run(overwrite=True)
