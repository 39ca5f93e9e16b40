"""A small job in a folder, for tests: a table, an ontology in a file, and the job file that masks it."""

from __future__ import annotations

from pathlib import Path

import ontomask as om

SEED = 987_654_321_123_987_654_321_123
LINKS = "child,parent\nache,pain\ncolic,pain\npain,symptom\nrash,symptom\n"
SYMPTOMS = ("ache", "colic", "rash", "ache", "ache", "colic", "rash", "ache")
GRADES = ("low", "mid", "high", "mid")
JOB = """
[input]
path = "data.csv"

[columns.name]
role = "identifier"

[columns.symptom]
role = "quasi-identifier"
kind = "nominal"
taxonomy = "links.csv"

[columns.age]
role = "quasi-identifier"
kind = "numeric"

[columns.grade]
role = "quasi-identifier"
kind = "ordinal"
categories = ["low", "mid", "high"]

[columns.cost]
role = "confidential"

[method]
name = "PRAM"
stay = 0.4

[output]
masked = "masked.csv"
"""


def make_job(folder: Path, job: str = JOB) -> Path:
    """Write table, ontology and job into a folder; the path of the job."""
    rows = [f"p{i},{SYMPTOMS[i % 8]},{20 + 7 * i % 31},{GRADES[i % 4]},{i % 3}" for i in range(40)]
    (folder / "data.csv").write_text("name,symptom,age,grade,cost\n" + "\n".join(rows) + "\n")
    (folder / "links.csv").write_text(LINKS)
    path = folder / "job.toml"
    path.write_text(job)
    return path


def listing(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its content, hidden ones too."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def by_hand(folder: Path) -> om.Result:
    """Do what the small job does, in Python."""
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
