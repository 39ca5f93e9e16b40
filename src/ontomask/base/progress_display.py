"""Show progress in a terminal or in a notebook, from a thread of its own.

The work only counts what is done. The thread looks at these counts four times a second, also while compiled code runs.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import copy_context
from html import escape
from importlib import import_module
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Protocol

from ontomask.base.text import visible

if TYPE_CHECKING:
    from ontomask.base.progress import ProgressStep

__all__ = ["Display", "Shown", "begin_showing", "describe", "find_display"]

Look = Callable[[], Sequence["ProgressStep"]]

# Seconds: work that takes less shows nothing; then the display is renewed this often.
_DELAY = 2.0
_PERIOD = 0.25


class Display(Protocol):
    """Where progress is shown. It opens when it is created."""

    def draw(self, steps: Sequence[ProgressStep]) -> None:
        """Show the steps under way."""
        ...

    def close(self) -> None:
        """Remove what is shown."""
        ...


def find_display() -> Callable[[], Display] | None:
    """The display for this process: a notebook, else a terminal on standard error; ``None`` if there is neither."""
    # A notebook has loaded IPython. Its shell then has a kernel, unlike the shell in a terminal.
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if getattr(shell, "kernel", None) is not None:
        return NotebookDisplay
    return TerminalDisplay if sys.stderr is not None and sys.stderr.isatty() else None


class Shown:
    """Work that is shown once it takes long."""

    def __init__(self, look: Look, display: Callable[[], Display]) -> None:
        self._look = look
        self._display = display
        # A notebook knows by the context which cell the output belongs to.
        self._context = copy_context()
        self._lock = threading.Lock()
        self._is_drawn = False
        self._ended = threading.Event()
        self._cleared = threading.Event()

    def end(self) -> None:
        """The work has ended: remove what is shown."""
        with self._lock:
            self._ended.set()
        if self._is_drawn:
            self._cleared.wait()

    def run(self) -> None:
        """Show the work until it ends."""
        if self._ended.wait(_DELAY):
            return
        with self._lock:
            if self._ended.is_set():
                return
            self._is_drawn = True
        try:
            # A terminal that is gone must not stop the work.
            with suppress(Exception):
                self._context.run(self._draw)
        finally:
            self._cleared.set()

    def _draw(self) -> None:
        display = self._display()
        try:
            while True:
                display.draw(self._look())
                if self._ended.wait(_PERIOD):
                    break
        finally:
            display.close()


_waiting: SimpleQueue[Shown] = SimpleQueue()
_thread: threading.Thread | None = None


def begin_showing(look: Look, display: Callable[[], Display]) -> Shown:
    """Show work as soon as it takes long, unless other work is shown at that time."""
    global _thread, _waiting
    if _thread is None or not _thread.is_alive():
        # A fork does not copy threads, and its copy of the queue may be locked.
        _waiting = SimpleQueue()
        _thread = threading.Thread(target=_show_all, args=(_waiting,), name="ontomask-progress", daemon=True)
        _thread.start()
    shown = Shown(look, display)
    _waiting.put(shown)
    return shown


def _show_all(waiting: SimpleQueue[Shown]) -> None:
    while True:
        waiting.get().run()


class TerminalDisplay:
    """One line for each step, with a bar."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        console = Console(file=sys.stderr, force_jupyter=False)
        # Results on standard output must not be redirected to standard error.
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.fields[rest]}"))
        self._bars = Progress(*columns, console=console, transient=True, auto_refresh=False, redirect_stdout=False)
        self._tasks: list[Any] = []
        self._steps: list[tuple[str, int | None]] = []
        if not console.is_dumb_terminal:
            self._bars.start()
            # A run that is killed cannot show the cursor again.
            console.show_cursor(True)

    def draw(self, steps: Sequence[ProgressStep]) -> None:
        """Show the steps under way."""
        now = [(step.name, step.total) for step in steps]
        same = next((i for i, pair in enumerate(zip(now, self._steps, strict=False)) if pair[0] != pair[1]), len(now))
        for task in self._tasks[same:]:
            self._bars.remove_task(task)
        del self._tasks[same:]
        self._steps = now
        for level, step in enumerate(steps):
            if level >= same or level >= len(self._tasks):
                name = "  " * level + visible(step.name)
                self._tasks.append(self._bars.add_task(name, total=step.total, rest=""))
            self._bars.update(self._tasks[level], completed=step.done, rest=_rest(step))
        self._bars.refresh()

    def close(self) -> None:
        """Remove what is shown."""
        self._bars.stop()


class NotebookDisplay:
    """One line below the cell, which is updated in place."""

    def __init__(self) -> None:
        self._handle = import_module("IPython.display").display({"text/plain": ""}, raw=True, display_id=True)

    def draw(self, steps: Sequence[ProgressStep]) -> None:
        """Show the steps under way."""
        text = describe(steps)
        fraction = next((step.fraction for step in steps if step.fraction is not None), None)
        bar = "<progress></progress>" if fraction is None else f'<progress value="{fraction:.3f}"></progress>'
        self._handle.update({"text/plain": text, "text/html": f"<div>{bar} {escape(text)}</div>"}, raw=True)

    def close(self) -> None:
        """Remove what is shown."""
        self._handle.update({"text/plain": "", "text/html": ""}, raw=True)


def describe(steps: Sequence[ProgressStep]) -> str:
    """The steps under way in one line.

    >>> from ontomask.base.progress import ProgressStep
    >>> describe([ProgressStep("Evaluating", 0, None, 9.0), ProgressStep("Linking records", 1, 4, 2.0)])
    'Evaluating (9 s), Linking records (25 %, about 6 s left)'
    """
    return ", ".join(f"{visible(step.name)} ({_rest(step)})" for step in steps)


def _rest(step: ProgressStep) -> str:
    if step.fraction is None:
        return _duration(step.seconds)
    left = "" if step.seconds_left is None else f", about {_duration(step.seconds_left)} left"
    return f"{step.fraction:.0%}".replace("%", " %") + left


def _duration(seconds: float) -> str:
    """A time in words: ``50 s``, ``3 min 20 s``, ``2 h 5 min``."""
    whole = round(seconds)
    for unit, smaller, size in (("h", "min", 3600), ("min", "s", 60)):
        if whole >= size:
            rest = whole % size * 60 // size
            return f"{whole // size} {unit}" + (f" {rest} {smaller}" if rest else "")
    return f"{whole} s"
