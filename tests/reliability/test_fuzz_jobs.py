"""Thousands of damaged job files, plans, private files and journals."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars as pl
import pytest

import ontomask as om
from ontomask.job import Job
from ontomask.job.private_file import PrivateFile
from ontomask.microdata import load_plan, save_plan

from support.jobs import JOB, by_hand, make_job
from support.mutations import Target, fuzz, mutate_zip

EXTRA = """report = "r.html"
[policies]
missing = "error"
missing_tokens = ["?"]
[evaluation]
known = ["symptom"]
[compare]
seeds = 2
methods = [{ name = "PRAM", vary = { stay = [0.1, 0.2] } }]
"""
TOML = [
    *(b'"', b"'''", b"[", b"]", b"[[", b"{", b"}", b"=", b".", b"#", b"true", b"1979-05-27", b"07:32:00", b"inf"),
    *(b"role", b"kind", b"nominal", b"numeric", b"ordinal", b"columns", b"input", b"path", b"taxonomy", b"0b1"),
    *(b"quasi-identifier", b"identifier", b"confidential", b"other", b"PRAM", b"Recoding", b"k = 2\n", b"stay"),
    *(b"require", b"distance"),
]
JSON = [b"{", b"}", b"[", b"]", b":", b",", b"null", b"true", b'"a"', b"1e5", b'{"cell": null}', b'{"cell": []}']


def made(make) -> bytes:
    """The bytes of the file that a function writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made"
        make(Path(folder), path)
        return path.read_bytes()


def tuple_plan(folder: Path, path: Path) -> None:
    make_job(folder)
    save_plan(by_hand(folder).plan, path)


def record_plan(folder: Path, path: Path) -> None:
    save_plan(om.UncorrelatedNoise(alpha=0.3).mask(data(), seed=1).plan, path)


def data() -> om.Microdata:
    taxonomy = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    return om.Microdata(pl.DataFrame({"symptom": ["ache", "colic"] * 2}), {"symptom": om.Nominal(taxonomy)})


def read_job(path: Path) -> None:
    if not (path.parent / "data.csv").exists():
        content = path.read_bytes()
        make_job(path.parent)
        path.write_bytes(content)
    job = Job.from_toml(path)
    job.check()
    job.mask(seed=0)


def read_plan(path: Path) -> None:
    plan = load_plan(path)
    repr(plan)
    plan.show()


DATA = data()


def read_journal(path: Path) -> None:
    found = om.compare(DATA, [om.PRAM(stay=0.5)], seeds=1, jobs=1, journal=path)
    found.summary()
    assert len(found.rows) == 1


def journal(_: Path, path: Path) -> None:
    read_journal(path)


PRIVATE = PrivateFile(7, {"the job": "ab"}, {"masked": "cd", "order": "as_is", "formulas": "escape"})
TARGETS = [
    Target("job", {"job.toml": (JOB + EXTRA).encode()}, read_job, TOML),
    Target("plan by tuples", {"p.plan": made(tuple_plan)}, read_plan, JSON, mutate_zip),
    Target("plan by records", {"p.plan": made(record_plan)}, read_plan, JSON, mutate_zip),
    Target("private file", {"p.toml": made(lambda _, p: PRIVATE.save(p))}, PrivateFile.load, TOML),
    Target("journal", {"runs.jsonl": made(journal)}, read_journal, JSON),
]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_damaged_jobs_and_results(target):
    fuzz(target)
