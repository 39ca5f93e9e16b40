"""Progress of long work: each step reports how far it is, to a terminal, a notebook or a function.

Work reports by `progress` and `in_blocks`. Whoever called the package sees it (`show_progress`), or watches it and may
cancel it (`watch_progress`). Names of steps hold no values of the data.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from ontomask.errors import Cancelled

__all__ = [
    "Pace",
    "ProgressStep",
    "ProgressWatch",
    "check_cancelled",
    "in_blocks",
    "progress",
    "show_progress",
    "watch_progress",
    "with_progress",
]

Report = Callable[[tuple["ProgressStep", ...]], object]
Advance = Callable[[int], None]
T = TypeVar("T")

# Seconds between two reports of the same step to a function.
_BETWEEN = 0.1
# Seconds that a block of work should take: short enough to be interrupted, long enough to cost nothing.
_BLOCK = 0.1
# More steps at a time than any work has; compiled loops take integers of 64 bits.
_MOST_STEPS = 2**40


@dataclass(frozen=True)
class ProgressStep:
    """A step of work that is under way.

    Attributes
    ----------
    name
        What is done, such as ``Linking records``.
    done, total
        How many of its parts are done. A step whose length is not known has the total ``None``.
    seconds
        The time since it began.

    Examples
    --------
    >>> step = ProgressStep("Linking records", done=200, total=1000, seconds=3.0)
    >>> step.fraction, step.seconds_left
    (0.2, 12.0)
    """

    name: str
    done: int
    total: int | None
    seconds: float

    @property
    def fraction(self) -> float | None:
        """The share that is done, from 0 to 1; ``None`` if the length is not known."""
        return min(self.done / self.total, 1.0) if self.total else None

    @property
    def seconds_left(self) -> float | None:
        """An estimate of the time left, if the rest is as fast as before; ``None`` if nothing is done yet."""
        return self.seconds / self.fraction - self.seconds if self.fraction else None


class ProgressWatch:
    """Work that is watched. Any thread may cancel it."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._next = 0.0
        self.is_cancelled = False

    def cancel(self) -> None:
        """Stop the work: its next report raises `Cancelled`."""
        self.is_cancelled = True

    def check(self) -> None:
        """Raise `Cancelled` if somebody has cancelled the work."""
        if self.is_cancelled:
            raise Cancelled("The work was cancelled.")

    def look(self, work: _Work, *, changed: bool) -> None:
        """Pass on where the work is, at once if a step began or ended."""
        self.check()
        now = time.monotonic()
        if changed or now >= self._next:
            self._next = now + _BETWEEN
            self._report(work.look())


class _Running:
    """A step while it runs."""

    __slots__ = ("begun", "done", "name", "total")

    def __init__(self, name: str, total: int | None) -> None:
        self.name, self.total, self.done, self.begun = name, total, 0, time.monotonic()


class _Work:
    """An outermost step and the steps inside it. Another thread may look at it."""

    def __init__(self, watch: ProgressWatch | None) -> None:
        self.steps: list[_Running] = []
        self._watch = watch

    def look(self) -> tuple[ProgressStep, ...]:
        """The steps under way, outermost first."""
        now = time.monotonic()
        return tuple(ProgressStep(step.name, step.done, step.total, now - step.begun) for step in tuple(self.steps))

    def report(self, *, changed: bool = False) -> None:
        if self._watch is not None:
            self._watch.look(self, changed=changed)


# False: nobody looks at the work of this thread. None: there is no work.
_current: ContextVar[_Work | bool | None] = ContextVar("work", default=None)
_watching: ContextVar[ProgressWatch | None] = ContextVar("watch", default=None)
_is_shown = os.environ.get("ONTOMASK_PROGRESS", "").strip().lower() not in ("0", "off", "false", "no")


def show_progress(show: bool) -> None:
    """Show or hide the progress of all work from now on. It is shown by default.

    Work that takes more than two seconds then shows its steps and the time left: in a terminal on standard error, in a
    notebook below the cell. Nothing is shown if standard error is a file or a pipe. The environment variable
    ``ONTOMASK_PROGRESS=0`` hides it from the start.

    Examples
    --------
    >>> import ontomask as om
    >>> om.show_progress(False)
    >>> om.show_progress(True)
    """
    global _is_shown
    _is_shown = bool(show)


@contextmanager
def watch_progress(report: Report) -> Iterator[ProgressWatch]:
    """Watch the work of this thread, for a front end of your own. Nothing is shown in the meantime.

    Parameters
    ----------
    report
        Called with the steps under way, outermost first, when a step begins or ends and up to ten times a second. After
        the outermost step it is called with no steps. If it raises an exception, the work stops.

    Returns
    -------
    ProgressWatch
        Its ``cancel()`` stops the work with `Cancelled`. Any thread may call it.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> data = om.Microdata(pd.DataFrame({"age": [30, 31, 50, 52]}), {"age": om.Numeric()})
    >>> seen = []
    >>> with om.watch_progress(lambda steps: seen.extend(step.name for step in steps)):
    ...     result = om.Microaggregation(k=2).mask(data)
    >>> seen[0]
    'Masking'
    >>> with om.watch_progress(lambda steps: None) as watch:
    ...     watch.cancel()
    ...     om.Microaggregation(k=2).mask(data)
    Traceback (most recent call last):
    ontomask.errors.Cancelled: The work was cancelled.
    """
    watch = ProgressWatch(report)
    token = _watching.set(watch)
    try:
        yield watch
    finally:
        _watching.reset(token)


@contextmanager
def progress(name: str, total: int | None = None) -> Iterator[Advance]:
    """A step of work. Call the yielded function with the number of parts done since the last call.

    Steps can be inside others. A step without a total shows how long it has taken. It can also decorate a function.

    >>> with progress("Counting", total=3) as advance:
    ...     for _ in range(3):
    ...         advance(1)
    """
    work = _current.get()
    if work is False:
        yield _ignore
    elif isinstance(work, _Work):
        with _step(work, name, total) as advance:
            yield advance
    else:
        with _outermost() as begun:
            if begun is None:
                yield _ignore
            else:
                with _step(begun, name, total) as advance:
                    yield advance


def check_cancelled() -> None:
    """Raise `Cancelled` if the work of this thread was cancelled: before something that cannot be taken back."""
    watch = _watching.get()
    if watch is not None:
        watch.check()


class Pace:
    """How many steps to do at a time, so that they take about a tenth of a second.

    >>> pace = Pace()
    >>> with pace:
    ...     done = sum(range(pace.steps))
    """

    def __init__(self, first: int = 256) -> None:
        self.steps = first
        self._begun = 0.0

    def __enter__(self) -> None:
        self._begun = time.perf_counter()

    def __exit__(self, *exception: object) -> None:
        taken = max(time.perf_counter() - self._begun, _BLOCK / 4)
        self.steps = min(max(1, int(self.steps * _BLOCK / taken)), _MOST_STEPS)


def in_blocks(name: str, total: int, *, first: int = 256) -> Iterator[slice]:
    """Slices of ``range(total)`` for work that runs in blocks, such as compiled loops. A step reports each of them.

    Blocks become larger or smaller until one takes about a tenth of a second, so results must not depend on where
    blocks end.

    >>> sum(part.stop - part.start for part in in_blocks("Counting", 1000))
    1000
    """
    pace, done = Pace(first), 0
    with progress(name, total) as advance:
        while done < total:
            part = slice(done, min(done + pace.steps, total))
            with pace:
                yield part
            done = part.stop
            advance(part.stop - part.start)


def with_progress(name: str, items: Collection[T]) -> Iterator[T]:
    """The items. A step reports each that is done.

    >>> [2 * x for x in with_progress("Doubling", [1, 2])]
    [2, 4]
    """
    with progress(name, len(items)) as advance:
        for item in items:
            yield item
            advance(1)


def _ignore(done: int) -> None:
    """Report to nobody."""


@contextmanager
def _outermost() -> Iterator[_Work | None]:
    """Work that somebody watches or that is shown; ``None`` if nobody looks."""
    watch = _watching.get()
    shown: Any = None
    work = None if watch is None else _Work(watch)
    if watch is None and _is_shown:
        from ontomask.base.progress_display import begin_showing, find_display

        display = find_display()
        if display is not None:
            work = _Work(None)
            shown = begin_showing(work.look, display)
    token = _current.set(False if work is None else work)
    try:
        yield work
    finally:
        _current.reset(token)
        if shown is not None:
            shown.end()


@contextmanager
def _step(work: _Work, name: str, total: int | None) -> Iterator[Advance]:
    step = _Running(name, total)

    def advance(done: int) -> None:
        step.done += done
        work.report()

    work.steps.append(step)
    try:
        work.report(changed=True)
        yield advance
    finally:
        # Steps inside this one have ended, too, even if they were left by an exception.
        if step in work.steps:
            del work.steps[work.steps.index(step) :]
    work.report(changed=True)
