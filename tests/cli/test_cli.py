from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import ontomask as om
import ontomask.masking
from ontomask.cli import console, demo
from ontomask.cli.commands import app
from ontomask.cli.measuring import comparison_table
from ontomask.comparison.results import MEASURES
from ontomask.examples.adult import adult_data
from ontomask.job import Job

from support.jobs import JOB, listing, make_job

ENVIRONMENT = {"COLUMNS": "200", "PATH": ""}


def ontomask_(*arguments: str, width: int = 200) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    command = [sys.executable, "-m", "ontomask", *arguments]
    environment = {**ENVIRONMENT, "COLUMNS": str(width)}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)


def run(*arguments: object):
    """The command in this process, which need not load and compile again."""
    return CliRunner(env=ENVIRONMENT).invoke(app, [str(argument) for argument in arguments])


def document(*arguments: object, code: int = 0):
    """The one JSON document on standard output."""
    done = run(*arguments, "--json")
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


@pytest.fixture
def job(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return make_job(tmp_path)


# ontology


def test_ontology_info_and_find():
    assert "82,115 concepts" in run("ontology", "info", "wordnet").stdout
    found = run("ontology", "find", "wordnet", "tiger").stdout.splitlines()
    assert [line.split()[0] for line in found] == ["tiger.n.01", "tiger.n.02"]
    assert run("ontology", "find", "icd9cm", "25083").stdout.startswith("250.83 ")


def test_ontology_distance():
    done = run("ontology", "distance", "wordnet", "dog", "cat.n.01")
    assert done.exit_code == 0, done.output
    assert "0.1429" in done.stdout


def test_ontology_as_json():
    assert document("ontology", "info", "icd9cm")["concepts"] == len(om.load_icd9cm())
    first, second = document("ontology", "find", "wordnet", "tiger")
    assert (first["concept"], second["parents"]) == ("tiger.n.01", ["big_cat.n.01"])
    assert document("ontology", "find", "wordnet", "tigger", code=1) == []
    found = document("ontology", "distance", "wordnet", "dog", "cat")
    assert found["concepts"] == ["dog.n.01", "cat.n.01"]
    assert found["distances"][0][1] == pytest.approx(1 / 7)


def test_a_word_nobody_knows_ends_with_suggestions():
    done = run("ontology", "find", "wordnet", "tigger")
    assert done.exit_code == 1
    assert "trigger.n.02 (trigger)" in done.stderr
    assert "record" not in done.stderr


# map, mask, evaluate, compare


def test_map(job):
    done = run("map", job)
    assert done.exit_code == 0, done.output
    assert "3 of 3 values mapped" in done.stdout
    assert "The job can run." in done.stdout
    assert "ache" in run("map", job, "--all").stdout
    found = document("map", job)
    assert found["ready"] is True
    assert [column["column"] for column in found["columns"]] == ["symptom"]


def test_map_fails_where_something_is_to_do(job):
    data = job.parent / "data.csv"
    data.write_text(data.read_text().replace("rash", "rasch"))
    done = run("map", job)
    assert done.exit_code == 1
    assert "columns.symptom: 1 of 3 values have no concept" in done.stdout
    assert "perhaps rash" in done.stdout
    assert "What to do:\n  Values without a concept: map them" in done.stdout
    assert document("map", job, code=1)["problems"] == ["columns.symptom: 1 of 3 values have no concept."]
    quiet = run("map", job, "--quiet")
    assert (quiet.exit_code, quiet.stdout, quiet.stderr) == (1, "", "")


def test_map_is_strict_about_first_senses(tmp_path):
    (tmp_path / "data.csv").write_text("animal\ntiger\ndog\n")
    (tmp_path / "job.toml").write_text(
        'input.path = "data.csv"\noutput.masked = "m.csv"\nmethod.name = "PRAM"\n'
        'columns.animal = { role = "quasi-identifier", kind = "nominal", taxonomy = "wordnet" }\n'
    )
    assert run("map", tmp_path / "job.toml").exit_code == 0
    done = run("map", tmp_path / "job.toml", "--strict")
    assert done.exit_code == 1
    assert "first sense" in done.stdout


def test_mask(job):
    done = run("mask", job, "--seed", 2**64 + 5)
    assert done.exit_code == 0, done.output
    assert "40 records masked by PRAM (stay = 0.4)" in done.stdout
    assert "No privacy guarantee" in done.stdout
    assert "keep it to yourself" in done.stdout
    assert "reading data.csv" in done.stderr
    assert "masked.csv" in listing(job.parent)
    assert run("mask", job).exit_code == 2
    assert run("mask", job, "--force", "--repeat", "masked.private.toml").exit_code == 0
    assert run("mask", job, "--force", "--repeat", "masked.private.toml", "--seed", 2**64 + 1).exit_code == 2


def test_mask_as_json_and_quietly(job):
    found = document("mask", job, "--seed", 2**64 + 4444)
    assert set(found["files"]) == {"masked", "private"}
    assert found["guarantee"]["k"] is None
    assert found["evaluation"] is None
    assert "4444" not in json.dumps(found)
    quiet = run("mask", job, "--force", "--quiet")
    assert (quiet.exit_code, quiet.stdout, quiet.stderr) == (0, "", "")


def test_evaluate(job):
    run("mask", job, "--seed", 2**64 + 5)
    done = run("evaluate", job)
    assert done.exit_code == 0, done.output
    assert "semantic loss" in done.stdout
    measured = {
        m["measure"]: m["value"] for m in document("evaluate", job, "masked.csv")["measures"] if not m["columns"]
    }
    opened = Job.from_toml(job)
    assert measured["SRL"] == opened.evaluate(opened.read(opened.output)).srl
    # Of another tool's table with fewer records one must be told which is which.
    pl.read_csv("masked.csv", infer_schema=False).head(39).write_csv("fewer.csv")
    fewer = run("evaluate", job, "fewer.csv")
    assert fewer.exit_code == 2
    assert "give --key" in fewer.stderr


def test_the_most_exposed_records_are_listed_for_whoever_asks(job):
    run("mask", job, "--seed", 2**64 + 5)
    for name, asked in (("released.txt", []), ("internal.txt", ["--exposed"])):
        done = run("evaluate", job, "--report", name, *asked)
        assert done.exit_code == 0, done.output
    released, internal = (Path(name).read_text(encoding="utf-8") for name in ("released.txt", "internal.txt"))
    listed = "Most exposed rows"
    assert listed not in released
    assert listed in internal
    alone = run("evaluate", job, "--exposed")
    assert alone.exit_code == 2
    assert "give --report FILE" in alone.stderr


def test_compare(job):
    job.write_text(JOB + '[compare]\nseeds = 1\nmethods = [{ name = "PRAM", vary = { stay = [0.2, 0.9] } }]\n')
    done = run("compare", job, "--processes", 1, "--out", "runs.csv")
    assert done.exit_code == 0, done.output
    assert "PRAM(stay=0.9)" in done.stdout
    assert len(om.read_table("runs.csv")) == 2
    assert run("compare", job, "--out", "runs.csv").exit_code == 2
    assert run("compare", job, "--out", "data.csv", "--force").exit_code == 2
    assert run("compare", job, "--seeds", 1, "--out", "map.svg").exit_code == 0
    assert (job.parent / "map.svg").read_text().startswith("<svg")
    found = document("compare", job, "--seeds", 2)
    assert [row["seed"] for row in found["runs"]] == [0, 1, 0, 1]
    assert found["frontier"]
    job.write_text(JOB.replace('"PRAM"', '"Pram"'))
    unknown = run("compare", job, "--out", "other.csv")
    assert (unknown.exit_code, "method.name: there is no method 'Pram'" in unknown.stderr) == (2, True)
    job.write_text(JOB + '[compare]\nmethods = [{ name = "PRAM", matrices = { symptom = [["ache"], [[1.0]]] } }]\n')
    refused = run("compare", job, "--seeds", 1)
    assert refused.exit_code == 1
    assert "could not mask these data (1 of 1 runs failed)" in refused.stderr
    found = document("compare", job, "--seeds", 2, code=1)
    assert [(row["runs"], row["failed"]) for row in found["methods"]] == [(2, 2)]
    assert "2 of 2 runs failed" in found["notes"][0]


REQUIRING = JOB.replace(
    'name = "PRAM"\nstay = 0.4',
    'name = "Microaggregation"\nk = 5\nrequire = [{ column = "cost", l = 3 }, { column = "cost", t = 0.3 }]',
)


@pytest.mark.parametrize("width", [30, 80, 200])
def test_no_figure_vanishes_beside_a_long_name(monkeypatch, width):
    name = "Microaggregation(k=5, require=[Diversity(column='illness', l=3), Closeness(column='illness', t=0.2)])"
    rows = [
        dict.fromkeys(MEASURES, 12.25)
        | {"method": method, "family": "M", "seed": seed, "error": "no" if method == "Some()" and seed else None}
        for method in (name, "Some()")
        for seed in range(4)
    ]
    with console.out.capture() as written:
        monkeypatch.setattr(console.out, "_width", width)
        console.out.print(comparison_table(om.Comparison(tuple(rows)), "Compared"))
    lines = written.get().splitlines()
    # loss, worst intruder and SRL
    assert any(line.count("12.25") == 3 and "Microaggregation(k=5," in line for line in lines)
    assert any("Some()" in line and line.count("12.25") == 3 and "1 of 4" in line for line in lines)
    assert width < 80 or max(map(len, lines)) <= width
    assert (
        "".join(line.split("│")[1].strip() for line in lines if "│" in line)
        .replace(" ", "")
        .startswith(f"*{name}".replace(" ", ""))
    )


def test_an_interrupted_comparison_says_how_to_go_on(job, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(Job, "compare", interrupted)
    noted = run("compare", job, "--journal", "runs.jsonl", "--quiet")
    assert noted.exit_code == 130
    assert "runs.jsonl" in noted.stderr
    unnoted = run("compare", job)
    assert unnoted.exit_code == 130
    assert "--journal FILE" in unnoted.stderr


def test_advise(job):
    done = run("advise", job, "--guarantee", "--keep", "distribution")
    assert done.exit_code == 0, done.output
    assert '[method]\nname = "Recoding"\nk = 5' in done.stdout
    found = document("advise", job, "--no-guarantee", "--k", 7)
    assert found["method"]["name"] == "RankSwapping"
    assert found["measured"] is False
    assert run("advise", job, "--guarantee", "--keep", "peace").exit_code == 2
    assert run("advise", job).exit_code == 2


@pytest.mark.parametrize(
    "compared", ["", '[compare]\nmethods = [{ name = "Microaggregation", vary = { k = [4, 5] } }]\n']
)
def test_advise_keeps_what_the_job_requires(job, compared):
    job.write_text(REQUIRING + compared)
    wanted = {"name": "Microaggregation", "k": 5, "require": [{"column": "cost", "l": 3}, {"column": "cost", "t": 0.3}]}
    found = document("advise", job, "--guarantee")
    assert (found["method"], found["measured"]) == (wanted, False)
    measured = document("advise", job, "--guarantee", "--measure", "--seeds", 1)
    assert (measured["method"], measured["measured"]) == (wanted, True)
    printed = run("advise", job, "--guarantee", "--keep", "distribution").stdout
    assert 'require = [{ column = "cost", l = 3 }, { column = "cost", t = 0.3 }]' in printed


def test_the_usual_methods_are_held_to_what_the_job_requires(job):
    job.write_text(REQUIRING)
    runs = document("compare", job, "--seeds", 1)["runs"]
    assert len(runs) > 3
    assert all("Diversity" in row["method"] and "Closeness" in row["method"] for row in runs)


# init


def test_init(job):
    done = run("init", "data.csv", "--ontology", "links.csv")
    assert done.exit_code == 0, done.output
    assert "quasi-identifier" in done.stdout
    assert "ontomask map data.toml" in done.stdout
    assert run("init", "data.csv", "--ontology", "links.csv").exit_code == 2
    refused = run("mask", "data.toml")
    assert refused.exit_code == 2
    assert "guesses: columns.name, columns.symptom" in refused.stderr
    assert run("map", "data.toml").exit_code == 1
    found = document("init", "data.csv", "--ontology", "links.csv", "--out", job.parent / "other.toml")
    assert found["guesses"]["symptom"]["taxonomy"] == "links"
    assert (job.parent / "other.toml").is_file()


# hierarchy


def test_hierarchies_are_built_and_scored(job):
    (job.parent / "pets.csv").write_text("pet\n" + "dog\ncat\nparrot\ncanary\ngoldfish\ncarp\n" * 2)
    done = run("hierarchy", "build", "pets.csv", "pet", "--domain", "animal", "--levels", 2, "--top", "*")
    assert done.exit_code == 0, done.output
    assert om.read_hierarchy("pet-hierarchy.csv").levels("canary") == ("canary", "bird", "*")
    scored = run("hierarchy", "score", "pet-hierarchy.csv")
    assert scored.exit_code == 0, scored.output
    assert "VghGSL" in scored.stdout
    again = document("hierarchy", "build", "pets.csv", "pet", "--levels", 2, "--domain", "animal", "--out", "other.csv")
    assert again == {"file": "other.csv", "values": 6, "groups": [3, 1]}
    found = document("hierarchy", "score", "pet-hierarchy.csv")
    assert 0 < found["score"] < 1
    assert [level["level"] for level in found["levels"]] == [1, 2]
    both = document("hierarchy", "score", "pet-hierarchy.csv", "other.csv", "--weights", "level")
    assert set(both["ranking"]) == {"pet-hierarchy", "other"}
    assert "pet-hierarchy" in run("hierarchy", "score", "pet-hierarchy.csv", "other.csv").stdout
    before = listing(job.parent)
    assert run("hierarchy", "build", "pets.csv", "pet", "--out", "pets.csv", "--force").exit_code == 2
    assert run("hierarchy", "build", "pets.csv", "pett").exit_code == 2
    assert run("hierarchy", "score", "pet-hierarchy.csv", "pet-hierarchy.csv").exit_code == 2
    assert listing(job.parent) == before


# demo


@pytest.fixture
def quick_demo(monkeypatch):
    """The demo with quick methods on one column."""
    methods = ((om.NaiveDistortion(), "One."), (om.PRAM(), "Two."), (om.PRAM(0.5), "Three."))
    monkeypatch.setattr(demo, "compared_methods", lambda: methods)
    monkeypatch.setattr(demo, "full_adult_data", lambda: adult_data("occupation"))


def test_demo_writes_table_and_report_and_tells_what_next(tmp_path, monkeypatch, quick_demo):
    monkeypatch.chdir(tmp_path)
    done = run("demo")
    assert done.exit_code == 0, done.output
    assert "Three ways to mask the census" in done.stdout
    assert "ontomask init data.csv" in done.stdout
    assert listing(tmp_path).keys() == {"masked.csv", "report.html"}
    assert len(om.read_table("masked.csv")) == 30_162
    assert run("demo").exit_code == 2
    found = document("demo", "--force")
    assert [row["method"] for row in found["comparison"]] == ["NaiveDistortion()", "PRAM(stay=0.8)", "PRAM(stay=0.5)"]
    (tmp_path / "there").mkdir()
    assert run("demo", "--out", "there", "--quiet").stdout == ""
    assert (tmp_path / "there" / "report.html").is_file()


def test_the_demo_protects_the_whole_row(tmp_path):
    found = document("demo", "--out", tmp_path)
    masked = om.read_table(tmp_path / "masked.csv")
    known = [name for name in masked.columns if name != "salary-class"]
    assert len(known) == 8
    assert masked.group_by(known).len()["len"].min() >= 5
    assert all(name in found["guarantee"] for name in known)
    # All methods mask all columns, so their figures compare.
    assert [(row["columns"], row["k"] >= 5) for row in found["comparison"]] == [(8, True)] * 3
    assert all(row["error"] is None for row in found["comparison"])
    chosen, *others = found["comparison"]
    assert chosen["k"] == 5
    assert chosen["loss_percent"] < 2
    assert chosen["loss_percent"] < min(row["loss_percent"] for row in others)
    assert chosen["srl"] < 20
    assert (tmp_path / "report.html").is_file()


# Ends


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ontology", "info", "no-such-file.obo"), "no-such-file.obo: The file or folder does not exist"),
        (("ontology", "distance", "wordnet", "dog", "--measure", "wup"), "not a semantic distance"),
        (("ontology", "distance", "wordnet", "dogg"), "neither an id nor a label"),
        (("mask", "no-such-job.toml"), "no-such-job.toml: There is no such file"),
        (("map", "no-such-job.toml"), "no-such-job.toml: There is no such file"),
        (("evaluate", "no-such-job.toml"), "no-such-job.toml: There is no such file"),
        (("compare", "no-such-job.toml"), "no-such-job.toml: There is no such file"),
        (("init", "no-such-data.csv"), "no-such-data.csv: There is no such file"),
        (("hierarchy", "score", "no-such-file.csv"), "no-such-file.csv"),
        (("demo", "--out", "no-such-folder"), "does not exist. Make it first"),
        (("mask",), "Missing argument"),
        (("mask", "job.toml", "--seed", "x"), "--seed"),
        (("nonsense",), "No such command"),
    ],
)
def test_mistakes_end_in_one_message_and_no_traceback(arguments, message):
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_faults_and_mistakes_have_other_codes_in_a_process_of_their_own():
    done = ontomask_("mask", "no-such-job.toml")
    assert done.returncode == 2
    assert done.stderr.startswith("ontomask: no-such-job.toml: ")
    code = "from ontomask.cli import jobs, main\njobs.Job.from_toml = lambda path, **options: 1 / 0\nmain()"
    fault = subprocess.run([sys.executable, "-c", code, "map", "x"], capture_output=True, text=True, env=ENVIRONMENT)
    assert fault.returncode == 3
    assert "ZeroDivisionError" in fault.stderr


# Stops in the middle of writing, and says so.
STUCK = """
import sys, time
from ontomask.cli import main
from ontomask.masking import writing
real = writing.save_table
def stuck(frame, path, *args, **options):
    real(frame, path, *args, **options)
    if ".ontomask-" in str(path):
        print("half done", flush=True)
        time.sleep(60)
writing.save_table = stuck
main()
"""


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_leaves_nothing_behind(job, sent, code):
    before = listing(job.parent)
    command = [sys.executable, "-c", STUCK, "mask", str(job)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        assert process.stdout.readline() == "half done\n"
        assert listing(job.parent) != before
        os.kill(process.pid, sent)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert "Traceback" not in errors
    assert listing(job.parent) == before
    assert not [path for path in job.parent.iterdir() if path.is_dir()]


def test_shell_completion():
    shell = {"_ONTOMASK_COMPLETE": "complete_bash", "COMP_WORDS": "ontomask ontology info wo", "COMP_CWORD": "3"}
    command = [sys.executable, "-c", "import sys; sys.argv[0] = 'ontomask'; from ontomask.cli import main; main()"]
    done = subprocess.run(command, capture_output=True, text=True, env={**ENVIRONMENT, **shell})
    assert done.stdout.split() == ["wordnet"]


# Kernels


def test_compiling_is_announced_and_cached(tmp_path):
    code = "import ontomask as om; om.distance('path', om.Taxonomy.from_edges([('b', 'a')]))('a', 'b')"
    command = [sys.executable, "-c", code]
    env = {"NUMBA_CACHE_DIR": str(tmp_path), "PATH": "", "HOME": str(Path.home())}
    first = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300, check=True)
    again = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300, check=True)
    assert "Compiling kernels" in first.stderr
    assert again.stderr == ""


def test_kernels_work_where_nothing_can_be_cached():
    code = (
        "from numba.core import caching\n"
        "caching.CacheImpl._locator_classes = []\n"
        "import ontomask as om\n"
        "print(om.distance('path', om.Taxonomy.from_edges([('b', 'a')]), raw=True)('a', 'b'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "1.0"


def test_commands_that_need_no_compiler_do_not_load_it(tmp_path):
    (tmp_path / "data.csv").write_text("animal,x\ndog,1\ncat,2\n")
    commands = [
        ["--help"],
        ["ontology", "info", "icd9cm"],
        ["ontology", "find", "icd9cm", "250.00"],
        ["init", "data.csv"],
    ]
    code = (
        "import sys\nfrom ontomask.cli.commands import app\n"
        f"for command in {commands}:\n    app(command, standalone_mode=False)\n"
        "assert 'numba' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "data.toml").is_file()


def test_version():
    done = run("--version")
    assert (done.exit_code, done.stdout) == (0, f"ontomask {version('ontomask')}\n")


@pytest.mark.parametrize(
    "command", [("info", "icd9cm"), ("find", "icd9cm", "250.0"), ("distance", "icd9cm", "250", "401")]
)
def test_commands_on_ontologies_can_be_quiet(command):
    done = run("ontology", *command, "--quiet")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == run("ontology", *command).stdout


def test_init_takes_the_decimal_mark(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("job,weight\n" + 'nurse,"60,5"\nbaker,"70,5"\n' * 3)
    assert run("init", "t.csv", "--decimal", ",", "--quiet").exit_code == 0
    assert Job.from_toml("t.toml").settings.input.decimal == ","
    assert run("init", "t.csv", "--decimal", "x", "--force").exit_code == 2


def test_a_mistake_is_told_however_quiet(tmp_path):
    path = make_job(tmp_path)
    done = run("evaluate", str(path), str(tmp_path / "data.csv"), "--report", str(tmp_path / "report.docx"), "--quiet")
    assert done.exit_code == 2
    assert ".html, .json, .txt" in done.stderr
    done = run("mask", str(path), "--seed", str(2**64 + 1), "--repeat", "x.toml", "--quiet")
    assert (done.exit_code, "--seed or --repeat" in done.stderr) == (2, True)


def test_options_of_a_reader(tmp_path):
    (tmp_path / "codes.csv").write_text("code\nA01AA01\nA01AB02\n")
    given = (str(tmp_path / "codes.csv"), "--format", "prefix", "--option")
    by_name = json.loads(run("ontology", "info", *given, "cuts=atc", "--json").stdout)
    assert by_name["depth"] == 4
    assert json.loads(run("ontology", "info", *given, "cuts=[1,3]", "--json").stdout)["depth"] == 2
    assert run("ontology", "find", given[0], "A01A", *given[1:], "cuts=atc").exit_code == 0
    assert run("ontology", "distance", given[0], "A01A", "A01", *given[1:], "cuts=atc").exit_code == 0
    target = tmp_path / "codes.taxonomy"
    assert run("ontology", "save", *given, "cuts=atc", "--out", str(target)).exit_code == 0
    assert len(om.read_taxonomy(target)) == by_name["concepts"]
    for wrong in ("cuts", "=atc", "cut=atc", "path=x", "format=edges"):
        assert run("ontology", "info", *given, wrong).exit_code == 2
    assert run("ontology", "info", "wordnet", "--option", "cuts=atc").exit_code == 2
    assert run("ontology", "info", "wordnet", "--format", "edges").exit_code == 2


def test_ontology_save(tmp_path):
    target = tmp_path / "animals.taxonomy"
    done = run("ontology", "save", "wordnet", "--domain", "animal", "--out", str(target), "--json")
    assert done.exit_code == 0
    saved = json.loads(done.stdout)
    assert saved["concepts"] == len(om.load_wordnet().domain("animal.n.01"))
    assert run("ontology", "find", str(target), "tiger").exit_code == 0
    assert run("ontology", "save", "wordnet", "--out", str(target)).exit_code == 2  # it exists
    assert run("ontology", "save", str(target), "--out", str(target), "--force").exit_code == 2  # an input
