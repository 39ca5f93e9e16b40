"""What all commands share: results on standard output, notes on standard error, one message for an error."""

from __future__ import annotations

import inspect
import io
import json
import logging
import math
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr
from functools import wraps
from textwrap import wrap
from typing import Annotated, Any, NoReturn, ParamSpec, TypeVar

import typer
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from ontomask.base.text import visible
from ontomask.errors import OntomaskError, Setting, Spelling, join_or

__all__ = [
    "CHECK_FAILED",
    "FAULT",
    "INTERRUPTED",
    "MISTAKE",
    "EngineOption",
    "ForceOption",
    "JobArgument",
    "JsonOption",
    "QuietOption",
    "completing",
    "fail",
    "guarded",
    "out",
    "print_json",
    "print_note",
    "table",
]

CHECK_FAILED, MISTAKE, FAULT, INTERRUPTED = 1, 2, 3, 130
"""Exit codes: a check failed; the command, job or data is wrong; a fault of the program; interrupted."""

JobArgument = Annotated[str, typer.Argument(metavar="JOB.toml", help="The job file.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress and no notes.")]
EngineOption = Annotated[
    str | None,
    typer.Option(
        help="Where the rows are masked: memory, duckdb, spark, or auto (duckdb for folders and large files).",
        show_default="as the job says",
    ),
]
ForceOption = Annotated[bool, typer.Option("--force", "-f", help="Replace existing output files.")]

P = ParamSpec("P")
R = TypeVar("R")

# Columns of words are wrapped at this width if the terminal is narrow.
_WRAPPED = 23

# Settings whose option has another name.
_OPTION_NAMES = {"overwrite": "force"}


class _SafeConsole(Console):
    """A console that escapes control characters in all texts; its own colours stay."""

    def render_str(self, text: str, *args: Any, **options: Any) -> Text:
        """A text for the terminal."""
        return super().render_str(visible(text, keep="\n\t"), *args, **options)


class _NoteHandler(logging.Handler):
    """Prints log messages as notes: above the progress bars, if there are any."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message."""
        print_note(self.format(record))


out = _SafeConsole(highlight=False, soft_wrap=True)


def print_note(text: str) -> None:
    """Print something besides the result."""
    print(visible(text, keep="\n\t"), file=sys.stderr, flush=True)


def completing(names: Iterable[str]) -> Callable[[str], list[str]]:
    """A function that completes the names on the command line."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return complete


def fail(text: str) -> NoReturn:
    """End a command with an error message, which is printed even with --quiet."""
    raise OntomaskError(text, code="usage")


def _end(text: str, code: int = MISTAKE) -> NoReturn:
    print_note(f"ontomask: {text}")
    raise typer.Exit(code) from None


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """A command that prints one message for an error or an interruption, and no traceback."""
    spell = _spelling(inspect.signature(command).parameters)

    @wraps(command)
    def run(*args: P.args, **options: P.kwargs) -> R:
        try:
            with _notes(quiet=bool(options.get("quiet"))):
                return command(*args, **options)
        except OntomaskError as problem:
            _end(problem.worded(spell))
        except KeyboardInterrupt as stop:
            _end(f"Interrupted. {stop}".rstrip(), INTERRUPTED)
        except BrokenPipeError:
            raise
        except OSError as problem:
            _end(f"{problem.filename or 'A file'}: {problem.strerror or problem}.")

    return run


def _spelling(parameters: Collection[str]) -> Spelling:
    """Write settings as options of a command. Without such an option, they are plain words, or left out of a choice."""

    def spell(setting: Setting) -> str:
        name = _OPTION_NAMES.get(setting.name, setting.name)
        values = "" if name == "force" else join_or([str(value) for value in setting.values])
        if name in parameters:
            return f"--{name} {values}".rstrip()
        return f"{setting.name} {values}".rstrip() if len(setting.path) > 1 else ""

    return spell


@contextmanager
def _notes(*, quiet: bool) -> Iterator[None]:
    """Send notes and progress to standard error, or nowhere if quiet. Error messages come later."""
    if quiet:
        with redirect_stderr(io.StringIO()):
            yield
        return
    log = logging.getLogger("ontomask")
    handler, level = _NoteHandler(), log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


def print_json(content: Any) -> None:
    """Print one JSON document to standard output. NaN and infinity become null."""
    print(visible(json.dumps(_plain(content), ensure_ascii=False, indent=2, allow_nan=False), keep="\n"))


def _plain(content: Any) -> Any:
    if isinstance(content, Mapping):
        return {str(key): _plain(value) for key, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [_plain(value) for value in content]
    if hasattr(content, "item"):
        content = content.item()
    if content is None or isinstance(content, (str, bool, int)):
        return content
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    return str(content)


def table(
    title: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[str] = (),
    unwrapped: Sequence[str] = (),
) -> Table:
    """A table for the terminal. Columns in ``right`` are aligned right. Columns in ``unwrapped`` never wrap.

    The other columns wrap. If that is not enough, the table is wider than the terminal.
    """
    # A newline in a cell would look like another row.
    rows = [[visible(cell) for cell in row] for row in rows]
    headings = [visible(heading) for heading in headings]
    made = Table(title=title, title_justify="left")
    least = []
    for i, heading in enumerate(headings):
        longest = max((cell_len(row[i]) for row in rows), default=0)
        # The heading of a column of numbers may take several lines.
        width = max(longest, *(cell_len(word) for word in heading.split() or [""]))
        lines = wrap(heading, max(width, 1)) if heading in right else [heading]
        fixed = heading in right or heading in unwrapped
        justify: JustifyMethod = "right" if heading in right else "left"
        made.add_column("\n".join(lines), justify=justify, overflow="fold", no_wrap=fixed)
        least.append(max(longest, *map(cell_len, lines or [""])) if fixed else min(longest, _WRAPPED))
    for row in rows:
        made.add_row(*(cell.replace("[", "\\[") for cell in row))  # no markup
    # A space on both sides of every cell, and the borders.
    needed = sum(least) + 3 * len(least) + 1
    made.width = needed if needed > out.width else None
    return made
