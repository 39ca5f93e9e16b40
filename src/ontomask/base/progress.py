"""Progress of long work: a bar on the terminal once two seconds have gone by, nothing otherwise."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress"]

_PATIENCE = 2.0


@contextmanager
def progress(task: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show how far a task is. What is yielded is called with the number of steps done since the last call.

    The bar goes to standard error, only where that is a terminal, and vanishes at the end.

    >>> with progress("Counting", total=3) as advance:
    ...     for _ in range(3):
    ...         advance(1)
    """
    if not sys.stderr.isatty():
        yield _ignore
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(file=sys.stderr)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(elapsed_when_finished=True))
    bar = Progress(*columns, console=console, transient=True)
    number = bar.add_task(task, total=total)
    begun = time.monotonic()
    shown = False

    def advance(steps: int) -> None:
        nonlocal shown
        bar.update(number, advance=steps)
        if not shown and time.monotonic() - begun > _PATIENCE:
            shown = True
            bar.start()

    try:
        yield advance
    finally:
        if shown:
            bar.stop()


def _ignore(steps: int) -> None:
    """Nobody is looking."""
