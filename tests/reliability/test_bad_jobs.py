from __future__ import annotations

import pytest

import ontomask as om

from support.bad_inputs import Bad, check, in_job, write
from support.jobs import JOB
from support.marked import MARK

MASKED = 'masked = "masked.csv"'
NOMINAL = 'taxonomy = "links.csv"'
PRAM = 'name = "PRAM"\nstay = 0.4'


def end(text: str):
    """The job with something after it."""
    return in_job((MASKED, f"{MASKED}\n{text}"))


def method(text: str):
    return in_job((PRAM, text))


def nominal(text: str):
    return in_job((NOMINAL, f"{NOMINAL}\n{text}"))


def compared(seeds: str = "", methods: str = '{ name = "PRAM" }'):
    return end(f"[compare]\n{seeds}\nmethods = [{methods}]")


def mapped(content: str | bytes):
    """The job with a file of mappings."""
    return write("w.csv", content, then=nominal('mapping = "w.csv"'))


def hierarchy(text: str):
    """The job over words alone, generalised by a hierarchy."""
    change = (PRAM, f'name = "Generalisation"\nk = 2\nhierarchies = {{ {text} }}')
    other = ('role = "quasi-identifier"\nkind = "numeric"', 'role = "other"')
    ordered = ('role = "quasi-identifier"\nkind = "ordinal"\ncategories = ["low", "mid", "high"]', 'role = "other"')
    return in_job(change, other, ordered)


def compare(folder):
    om.Job.from_toml(folder / "job.toml").compare(jobs=1)


def repeat(folder):
    om.Job.from_toml(folder / "job.toml").run(repeat=folder / "run.private.toml")


def advise(folder):
    om.advise(om.Job.from_toml(folder / "job.toml").data, guarantee=True, keep="peace")


def evaluate(folder):
    """Measure what another tool made."""
    om.Job.from_toml(folder / "job.toml").evaluate(om.read_table(folder / "masked.csv"))


ALL = [
    # The file itself.
    Bad("empty job", write("job.toml", ""), "input: this key is missing"),
    Bad("key twice", write("job.toml", JOB + MASKED + "\n"), "not TOML"),
    Bad("table twice", write("job.toml", JOB + "[output]\n"), "not TOML"),
    Bad("quote left open", write("job.toml", JOB.replace('"masked.csv"', '"masked.csv')), "not TOML"),
    Bad("deep nesting", write("job.toml", "a = " + "[" * 5000 + "]" * 5000), "nested too deeply"),
    Bad("endless number", write("job.toml", JOB + "a = 1" + "0" * 5000), "a number is too long"),
    Bad("a table of data", write("job.toml", f"{MARK},{MARK}\n1,2\n"), "not TOML"),
    Bad("UTF-16", write("job.toml", JOB.encode("utf-16")), "UTF-8"),
    Bad(
        "date for a text",
        in_job(('path = "data.csv"', "path = 2020-01-01")),
        "input.path: must be a string. Got 2020-01-01",
    ),
    # Keys.
    Bad("unknown table", end("[outputs]\na = 1"), "outputs: there is no such key"),
    Bad("unknown key of the input", in_job(("[input]", '[input]\nfile = "x"')), "input.file: there is no such key"),
    Bad("unknown key of a column", nominal("wieght = 1"), "Did you mean 'weight'"),
    Bad("unknown key of the output", end('html = "r.html"'), "output.html: there is no such key"),
    Bad("unknown policy", end("[policies]\nmissng = 'keep'"), "Did you mean 'missing'"),
    Bad("unknown key of the evaluation", end("[evaluation]\nseeds = 1"), "Did you mean 'seed'"),
    Bad("unknown key of the comparison", compared("seed = 1"), "Did you mean 'seeds'"),
    Bad("unknown parameter", method('name = "PRAM"\nsty = 0.4'), "PRAM has no such parameter"),
    Bad("column without a role", end("[columns.cost2]"), "columns.cost2.role: "),
    Bad("columns as a list", write("job.toml", 'columns = []\ninput.path = "data.csv"'), "columns: must be a table"),
    Bad("column as a text", write("job.toml", 'columns.a = "other"'), "columns.a: must be a table"),
    # Types and values.
    Bad("weight that is no number", nominal("weight = nan"), "weight"),
    Bad("infinite weight", nominal("weight = inf"), "weight"),
    Bad("weight of nothing", nominal("weight = 0"), "weight"),
    Bad("number for a list", end("[policies]\nmissing_tokens = [1]"), "policies.missing_tokens.0: must be a string"),
    Bad("categories twice", in_job(('["low", "mid", "high"]', '["low", "low", "high"]')), "more than once"),
    Bad("no categories", in_job(('["low", "mid", "high"]', "[]")), "at least two"),
    Bad("seeds of nothing", compared("seeds = []"), "compare.seeds", compare),
    Bad("seeds below zero", compared("seeds = -1"), "compare.seeds", compare),
    Bad("no seeds at all", compared("seeds = 0"), "at least one seed", compare),
    Bad("seed twice", compared("seeds = [1, 1]"), "different", compare),
    Bad("method twice", compared("", '{ name = "PRAM" }, { name = "PRAM" }'), "more than once", compare),
    Bad("number of clusters", end("[evaluation]\nclusters = 1"), "clusters"),
    Bad("more clusters than records", end("[evaluation]\nclusters = 400"), "clusters"),
    Bad("target that is not confidential", end('[evaluation]\ntarget = "name"'), "evaluation.target"),
    Bad("known columns of nobody", end("[evaluation]\nknown = []"), "quasi-identifiers"),
    Bad("distance for no column", end('[evaluation]\ndistance = { cost = "path" }'), "not a quasi-identifier"),
    # Roles.
    Bad("no quasi-identifier", in_job(('role = "quasi-identifier"', 'role = "confidential"')), "nothing to mask"),
    Bad(
        "quasi-identifier that is not there",
        end('[columns.sex]\nrole = "quasi-identifier"\nkind = "numeric"'),
        "columns.sex: the table has no such column",
    ),
    Bad(
        "two persons",
        in_job(
            ('role = "confidential"', 'role = "identifier"'),
            ('role = "identifier"', 'role = "identifier"\nperson = true'),
        ),
        "person: only one column",
    ),
    Bad("guesses", nominal("confirmed = false"), "guesses: columns.symptom"),
    Bad("guessed policies", end("[policies]\nconfirmed = false"), "guesses: policies"),
    Bad("guessed method", method(PRAM + "\nconfirmed = false"), "guesses: method"),
    Bad("words as numbers", in_job((f'kind = "nominal"\n{NOMINAL}', 'kind = "numeric"')), "is numeric, but 3"),
    Bad("numbers as words", in_job(('kind = "numeric"', f'kind = "nominal"\n{NOMINAL}')), "have no concept"),
    # Mappings and domains.
    Bad("mapping to no concept", nominal('mapping = { ache = "ouch" }'), "neither an id nor a label"),
    Bad("mapping out of the domain", nominal('domain = "pain"\nmapping = { ache = "rash" }'), "under the domain"),
    Bad("domain that misses values", nominal('domain = "pain"'), "1 of 3 values of the column 'symptom'"),
    Bad("domain without children", nominal('domain = "colic"'), "2 of 3 values"),
    Bad("mapping file that is not there", nominal('mapping = "no.csv"'), "no.csv"),
    Bad("empty mapping file", mapped(""), "w.csv: the file is empty"),
    Bad("mapping file of one column", mapped("value\nache\n"), "two cells in a row"),
    Bad("mapping file of other bytes", mapped(b"value,concept\n\xff\xfe,a\n"), "UTF-8"),
    Bad("value mapped twice", mapped("value,concept\nache,pain\nache,rash\n"), "w.csv"),
    Bad("value mapped to nothing", mapped(f"value,concept\n{MARK},\n"), "1 of 1 values have no concept"),
    # Methods.
    Bad("no method", method("name = ''"), "there is no method ''"),
    Bad("method of the inside", method('name = "BestFirst"\nk = 2'), "there is no method 'BestFirst'"),
    Bad("hierarchy that is not there", hierarchy('symptom = "h.csv"'), "h.csv"),
    Bad("hierarchy that is none", hierarchy('symptom = "job.toml"'), "job.toml"),
    Bad("hierarchy of no column", write("h.csv", "a;*\nb;*\n", then=hierarchy('sex = "h.csv"')), "'sex'"),
    Bad("hierarchy that misses values", write("h.csv", "ache;*\n", then=hierarchy('symptom = "h.csv"')), "symptom"),
    Bad("hierarchy as a number", hierarchy("symptom = 3"), "hierarch"),
    Bad("matrices that are none", method('name = "PRAM"\nmatrices = { symptom = 3 }'), "must be a pair"),
    Bad("matrices as a text", method('name = "PRAM"\nmatrices = "m"'), "matrices"),
    Bad("requirement of no column", method(PRAM + '\nrequire = [{ column = "x", l = 2 }]'), "no confidential column"),
    Bad("requirement that fails", method(PRAM + '\nrequire = [{ column = "cost", t = 0 }]'), "do not have 0-closeness"),
    # What another tool made.
    Bad("masked column missing", write("masked.csv", "symptom\nache\n"), "no column 'age', 'grade'", evaluate),
    Bad(
        "masked by fewer records", write("masked.csv", "symptom,age,grade,cost\nache,1,low,1\n"), "give --key", evaluate
    ),
    Bad("masked table that is empty", write("masked.csv", ""), "the file is empty", evaluate),
    Bad("masked table that is not there", in_job(), "there is no such file", evaluate),
    # Repeating.
    Bad("not a private file", in_job(), "cannot be read", repeat),
    Bad("another file", write("run.private.toml", JOB), "not a private file", repeat),
    Bad("private file of other bytes", write("run.private.toml", b"\xff\xfe"), "not a private file", repeat),
    Bad(
        "private file without a seed", write("run.private.toml", "[sha256]\n[versions]\n"), "not a private file", repeat
    ),
    Bad(
        "private file with a negative seed",
        write("run.private.toml", 'seed = "-1"\n[sha256]\n[versions]\n'),
        "private file|changed",
        repeat,
    ),
    Bad(
        "private file of other data",
        write("run.private.toml", f'seed = "{2**64}"\n[sha256]\n[versions]\n'),
        "changed since",
        repeat,
    ),
    Bad("advice on something else", in_job(), "keep", advise),
]


@pytest.mark.parametrize("bad", ALL, ids=lambda bad: bad.name)
def test_bad_job(bad, tmp_path):
    check(bad, tmp_path)
