"""A job whose table is full of marked cells, to check that none of them is shown.

Every cell of the columns ``name`` and ``cost`` is marked, and so are the cells that a test puts into other columns.
Text of the job file and the ontology (categories, concepts) is not marked: it belongs to the user, not to a record.
"""

from __future__ import annotations

import re
from pathlib import Path

from support.jobs import GRADES, JOB, LINKS, SYMPTOMS

__all__ = ["HEADER", "MARK", "PYTHON", "make_marked_job", "marked_rows", "says_what_to_do"]

MARK = "zqx"
HEADER = "name,symptom,age,grade,cost"

# A sentence that begins with what to do, or that lists what is allowed or similar.
_STEP = re.compile(
    r"(?:^|[.:;?!,] |\n\s*|, or | and )(?:please )?"
    r"(?:Add|Allow|Ask|Bring|Check|Choose|Correct|Create|Declare|Delete|Describe|Download|Evaluate|Export|Fill|Give"
    r"|Install|Keep|Leave|Look|Make|Map|Mend|Name|Open|Pair|Pass|Put|Raise|Read|Remove|Rename|Repeat|Run|Save|Say"
    r"|Score|Split|Take|Try|Unpack|Use|Write)\b"
    r"|\bmust (?:be|end|have|hold|lie|list|name|not|start)\b|\bneeds (?:it|one of|at least|an?)\b|Did you mean"
    r"|\b(?:Allowed here|It has|It knows|They have|There are|(?:These|Those)(?: known)? are):? \S+|\bsuch as\b"
    r"|'ontomask \w+",
    re.IGNORECASE,
)


PYTHON = re.compile(
    r"\bom\.\w|\bdtype\b|\b(?:True|False|None)\b|\b[A-Z]\w+\(|\w=(?:True|False|None|'|\[)|\bdictionary\b|\bin Python\b"
    r"|error's|<\w+ |\[\(|\bLiteral\b"
)
"""Syntax of Python, which messages of the command line must not have."""


def says_what_to_do(message: str) -> bool:
    """Whether a message gives a next step: something to do, or what is allowed instead."""
    return _STEP.search(message) is not None


def marked_rows(number: int = 40) -> list[str]:
    """The rows of the table as text."""
    return [
        f"{MARK}-name-{i:04},{SYMPTOMS[i % 8]},{20 + 7 * i % 31},{GRADES[i % 4]},{MARK}-cost-{i % 3}"
        for i in range(number)
    ]


def make_marked_job(folder: Path, job: str = JOB) -> Path:
    """Write table, ontology and job into a folder; the path of the job."""
    (folder / "data.csv").write_text("\n".join([HEADER, *marked_rows()]) + "\n")
    (folder / "links.csv").write_text(LINKS)
    path = folder / "job.toml"
    path.write_text(job)
    return path
