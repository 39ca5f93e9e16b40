from __future__ import annotations

import pytest

import ontomask as om

from support.bad_inputs import Bad, check, in_job, with_file
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
    return with_file("w.csv", content, then=nominal('mapping = "w.csv"'))


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
    Bad("empty job", with_file("job.toml", ""), "input columns method output", "missing"),
    Bad("key twice", with_file("job.toml", JOB + MASKED + "\n"), "", "TOML"),
    Bad("table twice", with_file("job.toml", JOB + "[output]\n"), "", "TOML"),
    Bad("quote left open", with_file("job.toml", JOB.replace('"masked.csv"', '"masked.csv')), "", "TOML"),
    Bad("deep nesting", with_file("job.toml", "a = " + "[" * 5000 + "]" * 5000), "", "nested"),
    Bad("endless number", with_file("job.toml", JOB + "a = 1" + "0" * 5000), "", "number"),
    Bad("a table of data", with_file("job.toml", f"{MARK},{MARK}\n1,2\n"), "", "TOML"),
    Bad("UTF-16", with_file("job.toml", JOB.encode("utf-16")), "", "UTF-8"),
    Bad("date for a text", in_job(('path = "data.csv"', "path = 2020-01-01")), "input.path", "string"),
    # Keys.
    Bad("unknown table", end("[outputs]\na = 1"), "outputs", "key"),
    Bad("unknown key of the input", in_job(("[input]", '[input]\nfile = "x"')), "input.file", "key"),
    Bad("unknown key of a column", nominal("wieght = 1"), "columns.symptom.wieght", "'weight'"),
    Bad("unknown key of the output", end('html = "r.html"'), "output.html", "key"),
    Bad("unknown policy", end("[policies]\nmissng = 'keep'"), "policies.missng", "'missing'"),
    Bad("unknown key of the evaluation", end("[evaluation]\nseeds = 1"), "evaluation.seeds", "'seed'"),
    Bad("unknown key of the comparison", compared("seed = 1"), "compare.seed", "'seeds'"),
    Bad("unknown parameter", method('name = "PRAM"\nsty = 0.4'), "method.sty", "PRAM"),
    Bad("column without a role", end("[columns.cost2]"), "columns.cost2.role", "missing"),
    Bad(
        "columns as a list",
        with_file("job.toml", 'columns = []\ninput.path = "data.csv"'),
        "columns method output",
        "table",
    ),
    Bad("column as a text", with_file("job.toml", 'columns.a = "other"'), "input columns.a method output", "table"),
    # Types and values.
    Bad("weight that is no number", nominal("weight = nan"), "columns.symptom", "weight"),
    Bad("infinite weight", nominal("weight = inf"), "columns.symptom", "weight"),
    Bad("weight of nothing", nominal("weight = 0"), "columns.symptom", "weight"),
    Bad("number for a list", end("[policies]\nmissing_tokens = [1]"), "policies.missing_tokens.0", "string"),
    Bad(
        "categories twice",
        in_job(('["low", "mid", "high"]', '["low", "low", "high"]')),
        "columns.grade",
        "more than once|twice|repeat",
    ),
    Bad("no categories", in_job(('["low", "mid", "high"]', "[]")), "columns.grade", "two"),
    Bad("seeds of nothing", compared("seeds = []"), "compare.seeds", "seeds", compare),
    Bad("seeds below zero", compared("seeds = -1"), "compare.seeds", "seeds", compare),
    Bad("no seeds at all", compared("seeds = 0"), om.MaskingError, "seed", compare),
    Bad("seed twice", compared("seeds = [1, 1]"), om.MaskingError, "different|twice|repeat", compare),
    Bad(
        "method twice",
        compared("", '{ name = "PRAM" }, { name = "PRAM" }'),
        om.MaskingError,
        "more than once|twice|repeat",
        compare,
    ),
    Bad("number of clusters", end("[evaluation]\nclusters = 1"), "evaluation", "clusters"),
    Bad("more clusters than records", end("[evaluation]\nclusters = 400"), "evaluation", "clusters"),
    Bad("target that is not confidential", end('[evaluation]\ntarget = "name"'), "evaluation.target", "target"),
    Bad("known columns of nobody", end("[evaluation]\nknown = []"), "evaluation", "quasi-identifiers"),
    Bad(
        "distance for no column",
        end('[evaluation]\ndistance = { cost = "path" }'),
        "evaluation.distance.cost",
        "quasi-identifier",
    ),
    # Roles.
    Bad(
        "no quasi-identifier",
        in_job(('role = "quasi-identifier"', 'role = "confidential"')),
        "columns",
        "quasi-identifier",
    ),
    Bad(
        "quasi-identifier that is not there",
        end('[columns.sex]\nrole = "quasi-identifier"\nkind = "numeric"'),
        "columns.sex",
        "column",
    ),
    Bad(
        "two persons",
        in_job(
            ('role = "confidential"', 'role = "identifier"'),
            ('role = "identifier"', 'role = "identifier"\nperson = true'),
        ),
        "columns.cost.person",
        "person",
    ),
    Bad("guesses", nominal("confirmed = false"), "confirmed", "columns\\.symptom"),
    Bad("guessed policies", end("[policies]\nconfirmed = false"), "confirmed", "policies"),
    Bad("guessed method", method(PRAM + "\nconfirmed = false"), "confirmed", "method"),
    Bad("words as numbers", in_job((f'kind = "nominal"\n{NOMINAL}', 'kind = "numeric"')), "columns", "'symptom'"),
    Bad("numbers as words", in_job(('kind = "numeric"', f'kind = "nominal"\n{NOMINAL}')), "columns", "'age'"),
    # Mappings and domains.
    Bad("mapping to no concept", nominal('mapping = { ache = "ouch" }'), "columns.symptom.mapping", "ouch"),
    Bad(
        "mapping out of the domain",
        nominal('domain = "pain"\nmapping = { ache = "rash" }'),
        "columns.symptom.mapping",
        "domain",
    ),
    Bad("domain that misses values", nominal('domain = "pain"'), "columns", "1 of 3"),
    Bad("domain without children", nominal('domain = "colic"'), "columns", "2 of 3"),
    Bad("mapping file that is not there", nominal('mapping = "no.csv"'), "columns.symptom.mapping", "no.csv"),
    Bad("empty mapping file", mapped(""), "columns.symptom.mapping", "w.csv"),
    Bad("mapping file of one column", mapped("value\nache\n"), "columns.symptom.mapping", "w.csv"),
    Bad("mapping file of other bytes", mapped(b"value,concept\n\xff\xfe,a\n"), "columns.symptom.mapping", "UTF-8"),
    Bad("value mapped twice", mapped("value,concept\nache,pain\nache,rash\n"), "columns.symptom.mapping", "w.csv"),
    Bad("value mapped to nothing", mapped(f"value,concept\n{MARK},\n"), "columns.symptom.mapping", "1 of 1"),
    # Methods.
    Bad("no method", method("name = ''"), "method.name", "''"),
    Bad("method of the inside", method('name = "BestFirst"\nk = 2'), "method.name", "'BestFirst'"),
    Bad("hierarchy that is not there", hierarchy('symptom = "h.csv"'), "method", "h.csv"),
    Bad("hierarchy that is none", hierarchy('symptom = "job.toml"'), "method", "job.toml"),
    Bad("hierarchy of no column", with_file("h.csv", "a;*\nb;*\n", then=hierarchy('sex = "h.csv"')), "method", "'sex'"),
    Bad(
        "hierarchy that misses values",
        with_file("h.csv", "ache;*\n", then=hierarchy('symptom = "h.csv"')),
        "method",
        "symptom",
    ),
    Bad("hierarchy as a number", hierarchy("symptom = 3"), "method", "hierarch"),
    Bad("matrices that are none", method('name = "PRAM"\nmatrices = { symptom = 3 }'), "method", "pair"),
    Bad("matrices as a text", method('name = "PRAM"\nmatrices = "m"'), "method.matrices", "matrices"),
    Bad("requirement of no column", method(PRAM + '\nrequire = [{ column = "x", l = 2 }]'), "method", "confidential"),
    Bad("requirement that fails", method(PRAM + '\nrequire = [{ column = "cost", t = 0 }]'), "method", "closeness"),
    # What another tool made.
    Bad("masked column missing", with_file("masked.csv", "symptom\nache\n"), "evaluation", "'age', 'grade'", evaluate),
    Bad(
        "masked by fewer records",
        with_file("masked.csv", "symptom,age,grade,cost\nache,1,low,1\n"),
        "evaluation",
        "--key",
        evaluate,
    ),
    Bad("masked table that is empty", with_file("masked.csv", ""), om.TableError, "empty", evaluate),
    Bad("masked table that is not there", in_job(), om.TableError, "file", evaluate),
    # Repeating.
    Bad("no private file", in_job(), om.PlanError, "private", repeat),
    Bad("another file", with_file("run.private.toml", JOB), om.PlanError, "private", repeat),
    Bad("private file of other bytes", with_file("run.private.toml", b"\xff\xfe"), om.PlanError, "private", repeat),
    Bad(
        "private file without a seed",
        with_file("run.private.toml", "[sha256]\n[versions]\n"),
        om.PlanError,
        "private",
        repeat,
    ),
    Bad(
        "private file with a negative seed",
        with_file("run.private.toml", 'seed = "-1"\n[sha256]\n[versions]\n'),
        om.PlanError,
        "private|changed",
        repeat,
    ),
    Bad(
        "private file of other data",
        with_file("run.private.toml", f'seed = "{2**64}"\n[sha256]\n[versions]\n'),
        om.PlanError,
        "changed",
        repeat,
    ),
    Bad("advice on something else", in_job(), om.MaskingError, "keep", advise),
]


@pytest.mark.parametrize("bad", ALL, ids=lambda bad: bad.name)
def test_bad_job(bad, tmp_path):
    check(bad, tmp_path)
