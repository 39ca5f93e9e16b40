"""Bad inputs as a table: what is made bad, what is then done, and what the error says."""

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
from ontomask.errors import OntomaskError
from ontomask.job import Job

from support.jobs import JOB, listing
from support.marked import MARK, make_marked_job, tells_what_to_do

__all__ = ["Bad", "check", "in_job", "lines", "nothing", "run_job", "write"]

Step = Callable[[Path], Any]


def run_job(folder: Path) -> None:
    """Run the job of a folder, as its files are by now."""
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
        Makes something in a folder with a good job bad.
    message
        A regular expression for the error.
    act
        What is then done; by default the job is run.
    """

    name: str
    prepare: Step
    message: str
    act: Step = run_job


def write(name: str, content: str | bytes, then: Step = nothing) -> Step:
    """Put a file into the folder, instead of what is there by that name."""

    def prepare(folder: Path) -> None:
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        then(folder)

    return prepare


def in_job(*changes: tuple[str, str], then: Step = nothing) -> Step:
    """Change the job file: what each pair has first becomes what it has second."""

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
    """It ends in our own error with a next step, names no marked cell and writes nothing; so does the command."""
    make_marked_job(folder)
    bad.prepare(folder)
    before = listing(folder)
    with pytest.raises(OntomaskError) as caught:
        bad.act(folder)
    message = str(caught.value)
    # What a path holds is neither advice nor a cell.
    said = message.replace(str(folder), "")
    assert re.search(bad.message, said, re.IGNORECASE), said
    assert tells_what_to_do(said), said
    assert MARK not in said
    assert listing(folder) == before
    if bad.act is run_job:
        done = CliRunner().invoke(app, ["mask", str(folder / "job.toml"), "--seed", str(2**64)])
        assert done.exit_code == MISTAKE, done.output
        assert visible(message, keep="\n\t") in done.stderr
        assert done.stdout == ""
        assert MARK not in done.stderr.replace(str(folder), "")
        assert "Traceback" not in done.stderr
        assert listing(folder) == before
