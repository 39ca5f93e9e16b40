"""Tables of bad inputs: how an input is made bad, what is done with it, and which error follows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ontomask.base.text import visible
from ontomask.cli.commands import app
from ontomask.cli.console import MISTAKE
from ontomask.errors import JobError, OntomaskError
from ontomask.job import Job

from support.jobs import JOB, listing
from support.marked import MARK, PYTHON, make_marked_job, says_what_to_do

__all__ = ["Bad", "check", "in_job", "lines", "nothing", "run_job", "with_file"]

Step = Callable[[Path], Any]


def run_job(folder: Path) -> None:
    """Run the job in a folder."""
    Job.from_toml(folder / "job.toml").run(seed=2**64)


def nothing(folder: Path) -> None:
    """Leave the files as they are."""


@dataclass(frozen=True)
class Bad:
    """A bad input.

    Attributes
    ----------
    name
        For the test's id.
    prepare
        Makes an input bad, in a folder with a good job.
    error
        The class of the error; or, for a `JobError`, the keys of the job that it is about, separated by blanks.
    word
        A regular expression for a word of the message: what is wrong, or the user's own name for it.
    act
        What is then done; by default the job is run.
    """

    name: str
    prepare: Step
    error: str | type[OntomaskError]
    word: str
    act: Step = run_job


def with_file(name: str, content: str | bytes, then: Step = nothing) -> Step:
    """Write a file into the folder, over an existing one."""

    def prepare(folder: Path) -> None:
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        then(folder)

    return prepare


def in_job(*changes: tuple[str, str], then: Step = nothing) -> Step:
    """Change the job file: replace the first text of each pair by the second."""

    def prepare(folder: Path) -> None:
        text = JOB
        for old, new in changes:
            assert old in text, f"the job has no {old!r}"
            text = text.replace(old, new)
        (folder / "job.toml").write_text(text)
        then(folder)

    return prepare


def lines(*rows: str) -> str:
    """A file of lines."""
    return "\n".join(rows) + "\n"


def check(bad: Bad, folder: Path) -> None:
    """Expect the error: it says what to do, names no marked cell and writes nothing. The command does the same."""
    make_marked_job(folder)
    bad.prepare(folder)
    before = listing(folder)
    with pytest.raises(OntomaskError) as caught:
        bad.act(folder)
    if isinstance(bad.error, str):
        assert isinstance(caught.value, JobError)
        keys = [f"{key}." for key, _ in caught.value.problems]
        for expected in bad.error.split(" "):
            assert any(key.startswith(f"{expected}.") for key in keys), keys
    else:
        assert isinstance(caught.value, bad.error), type(caught.value)
    message = str(caught.value)
    # The path of the folder is neither advice nor a cell.
    text = message.replace(str(folder), "")
    assert re.search(bad.word, text, re.IGNORECASE), text
    assert says_what_to_do(text), text
    assert MARK not in text
    assert listing(folder) == before
    if bad.act is run_job:
        done = CliRunner().invoke(app, ["mask", str(folder / "job.toml"), "--seed", str(2**64)])
        assert done.exit_code == MISTAKE, done.output
        assert visible(message, keep="\n\t") in done.stderr
        assert done.stdout == ""
        assert MARK not in done.stderr.replace(str(folder), "")
        assert not PYTHON.search(text), text
        assert "Traceback" not in done.stderr
        assert listing(folder) == before
