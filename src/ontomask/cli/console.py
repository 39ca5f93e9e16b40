"""What all commands share: results on standard output, notes on standard error, mistakes in one message.

Exit codes: 0 all is well; 1 the command ran, but what it checked is not well; 2 a mistake in the command, the job or
the data; 3 a fault of the program itself; 130 interrupted.
"""

from __future__ import annotations

import io
import json
import logging
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from ontomask.errors import OntomaskError

__all__ = [
    "CHECK_FAILED",
    "FAULT",
    "INTERRUPTED",
    "MISTAKE",
    "ForceOption",
    "JobArgument",
    "JsonOption",
    "QuietOption",
    "fail",
    "guarded",
    "out",
    "print_json",
    "table",
    "tell",
]

CHECK_FAILED, MISTAKE, FAULT, INTERRUPTED = 1, 2, 3, 130

JobArgument = Annotated[str, typer.Argument(metavar="JOB.toml", help="The job file.", show_default=False)]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")]
ForceOption = Annotated[bool, typer.Option("--force", "-f", help="Replace output files that are there.")]

P = ParamSpec("P")
R = TypeVar("R")

# To how many characters a column of words is folded at most.
_FOLDED = 23


class _SafeConsole(Console):
    """A console whose texts hold no control characters, wherever they come from; its own colours stay."""

    def render_str(self, text: str, *args: Any, **options: Any) -> Text:
        """A text for the terminal."""
        return super().render_str(visible(text, keep="\n\t"), *args, **options)


class _SafeFormatter(logging.Formatter):
    """Messages of the log without control characters."""

    def format(self, record: logging.LogRecord) -> str:
        """A message for the terminal."""
        return visible(super().format(record), keep="\n\t")


out = _SafeConsole(highlight=False, soft_wrap=True)


def tell(text: str) -> None:
    """Say something besides the result."""
    print(visible(text, keep="\n\t"), file=sys.stderr, flush=True)


def fail(text: str) -> NoReturn:
    """End a command with a message, which it prints however quiet it is."""
    raise OntomaskError(text)


def _end(text: str, code: int = MISTAKE) -> NoReturn:
    tell(f"ontomask: {text}")
    raise typer.Exit(code) from None


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """A command that ends in a message where the user made a mistake, and quietly where it was interrupted."""

    @wraps(command)
    def run(*args: P.args, **options: P.kwargs) -> R:
        try:
            with _notes(quiet=bool(options.get("quiet"))):
                return command(*args, **options)
        except OntomaskError as problem:
            _end(str(problem))
        except KeyboardInterrupt as stop:
            _end(f"interrupted. {stop}".rstrip(), INTERRUPTED)
        except BrokenPipeError:
            raise
        except OSError as problem:
            _end(f"{problem.filename or 'a file'}: {problem.strerror or problem}.")

    return run


@contextmanager
def _notes(*, quiet: bool) -> Iterator[None]:
    """Notes and progress on standard error, or nowhere; messages of errors come after this."""
    if quiet:
        with redirect_stderr(io.StringIO()):
            yield
        return
    log = logging.getLogger("ontomask")
    handler, level = logging.StreamHandler(), log.level
    handler.setFormatter(_SafeFormatter("%(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


def print_json(content: Any) -> None:
    """One document on standard output; what is no number in JSON is null."""
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
    whole: Sequence[str] = (),
) -> Table:
    """A table for the terminal; columns in ``right`` hold numbers, those in ``whole`` names that are not broken.

    Numbers are not broken either, whatever the width of the terminal: the other columns fold, and where that is not
    enough, the table is wider than the terminal.
    """
    # A line end in a cell would look like another row.
    rows = [[visible(cell) for cell in row] for row in rows]
    headings = [visible(heading) for heading in headings]
    made = Table(title=title, title_justify="left")
    least = []
    for i, heading in enumerate(headings):
        longest = max((cell_len(row[i]) for row in rows), default=0)
        # The heading of numbers may take several lines.
        width = max(longest, *(cell_len(word) for word in heading.split() or [""]))
        lines = wrap(heading, max(width, 1)) if heading in right else [heading]
        stiff = heading in right or heading in whole
        justify: JustifyMethod = "right" if heading in right else "left"
        made.add_column("\n".join(lines), justify=justify, overflow="fold", no_wrap=stiff)
        least.append(max(longest, *map(cell_len, lines or [""])) if stiff else min(longest, _FOLDED))
    for row in rows:
        made.add_row(*(_literal(cell) for cell in row))
    # A space on both sides of every cell, and a line around.
    needed = sum(least) + 3 * len(least) + 1
    made.width = needed if needed > out.width else None
    return made


def _literal(text: str) -> str:
    """A cell's text, of which nothing is markup."""
    return text.replace("[", "\\[")
