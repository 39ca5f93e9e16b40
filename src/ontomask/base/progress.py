"""A progress bar for long work. It appears on a terminal after two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress"]

_DELAY = 2.0


@contextmanager
def progress(task: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show the progress of a task. Call the yielded function with the number of steps done since the last call.

    The bar is drawn on standard error if that is a terminal, and removed at the end.

    >>> with progress("Counting", total=3) as advance:
    ...     for _ in range(3):
    ...         advance(1)
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(file=sys.stderr)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(elapsed_when_finished=True))
    bar = Progress(*columns, console=console, transient=True)
    number = bar.add_task(task, total=total)
    started = time.monotonic()
    shown = False

    def advance(steps: int) -> None:
        nonlocal shown
        bar.update(number, advance=steps)
        if not shown and time.monotonic() - started > _DELAY:
            shown = True
            bar.start()

    try:
        yield advance
    finally:
        if shown:
            bar.stop()
