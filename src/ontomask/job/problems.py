"""`JobError`: what is wrong with a job, always with the file and the key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ontomask.errors import JobError, OntomaskError
from ontomask.job.toml_text import toml_key

__all__ = ["dotted", "in_words_of_a_job", "locate_errors", "shown"]

_MOST_SHOWN = 60


# What errors call by the names of Python's arguments, and where the same stands in a job.
_KEYS = tuple(
    (re.compile(python), job)
    for python, job in (
        (r"\bmapping=\{'[^']*': \{\.\.\.\}\}", "evaluation.mapping"),
        (r"(?<=come from in )hierarchies=", "evaluation.hierarchies"),
        (r"\bmapping=\{value: concept id or label\}", "a 'mapping' of the column"),
        (r"\b(missing|unmapped)=('\w+')", r"policies.\1 = \2"),
        (r"\bmissing_tokens=(?!\w)", "policies.missing_tokens"),
        (r"\b(delimiter|encoding|decimal)=('[^']+')", r"input.\1 = \2"),
        (r"\b(delimiter|sheet)=(?![\w'])", r"input.\1"),
        (r"(?<=give )key=", "--key"),
    )
)


def in_words_of_a_job(text: str) -> str:
    """A message that names keys of the job where it named arguments.

    >>> in_words_of_a_job("Say what to do with them: missing='keep' or 'drop'.")
    "Say what to do with them: policies.missing = 'keep' or 'drop'."
    """
    for python, job in _KEYS:
        text = python.sub(job, text)
    return text


@contextmanager
def locate_errors(path: Path, key: str) -> Iterator[None]:
    """Say which key of which job a problem comes from."""
    try:
        yield
    except JobError:
        raise
    except OntomaskError as problem:
        text = in_words_of_a_job(str(problem))
        raise JobError(path, [(key, text)], column=problem.column, values=problem.values) from problem


def dotted(*parts: object) -> str:
    """A key as a job file spells it.

    >>> dotted("columns", "native country", "role")
    'columns."native country".role'
    """
    return ".".join(toml_key(str(part)) for part in parts)


def shown(value: object) -> str:
    """A value of the job file, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
