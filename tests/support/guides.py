"""Guides as tests: their blocks run in order, in one folder."""

from __future__ import annotations

import doctest
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from ontomask.cli.commands import app

__all__ = ["Block", "blocks", "run_guide"]

_FENCE = re.compile(r"^```(\w*)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
_ENVIRONMENT = {"COLUMNS": "120", "PATH": ""}


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the file whose content it shows, its text and its first line."""

    language: str
    title: str | None
    text: str
    line: int


def blocks(path: Path) -> Iterator[Block]:
    """The fenced blocks of a page."""
    page = path.read_text(encoding="utf-8")
    for found in _FENCE.finditer(page):
        yield Block(found[1], found[2], found[3], page[: found.start()].count("\n") + 2)


def run_guide(path: Path, folder: Path) -> list[str]:
    """Run a guide's blocks in a folder, which is the current one; returns the differences from what it shows.

    ``python``: a session. ``console``: commands behind ``$``, each with its output, and ``echo $?``. A block with a
    title is written to the file of that name. Other blocks are for reading.
    """
    names: dict[str, Any] = {}
    problems: list[str] = []
    for block in blocks(path):
        if block.title is not None:
            (folder / block.title).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            problems += _run_session(block, path, names)
        elif block.language == "console":
            problems += _run_commands(block, path)
    return problems


def _run_session(block: Block, path: Path, names: dict[str, Any]) -> list[str]:
    output: list[str] = []
    test = doctest.DocTestParser().get_doctest(block.text, names, path.name, str(path), block.line - 1)
    # The parser copies the names; a guide's blocks share theirs.
    test.globs = names
    doctest.DocTestRunner(optionflags=_OPTIONS).run(test, out=output.append, clear_globs=False)
    return output


def _run_commands(block: Block, path: Path) -> list[str]:
    problems = []
    code = 0
    parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]
    for number, part in enumerate(parts):
        command, _, expected = part.partition("\n")
        if command == "echo $?":
            output = f"{code}\n"
        else:
            program, *arguments = shlex.split(command, comments=True)
            assert program == "ontomask", f"{path.name}: line {block.line}: {command}"
            done = CliRunner(env=_ENVIRONMENT).invoke(app, arguments)
            output, code = done.output, done.exit_code
            said = number + 1 < len(parts) and parts[number + 1].startswith("echo $?")
            if code and not said:
                problems.append(f"{path.name}: {command} ended with {code}:\n{output}")
        if expected.strip() and not doctest.OutputChecker().check_output(expected, output, _OPTIONS):
            problems.append(f"{path.name}: {command}\nexpected:\n{expected}\ngot:\n{output}")
    return problems
