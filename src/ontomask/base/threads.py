"""Divide the blocks of compiled loops between threads. Results depend neither on threads nor on where blocks end.

Compiled functions let go of Python's lock, so each thread can use a core. Threads take blocks from a common range, a
block when they have finished the last one. So a thread that gets little of a busy core takes fewer blocks, and the
others do not wait for it. The calling thread works, too: it reports progress, and it handles Ctrl-C between its blocks.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Lock, Thread

from ontomask.base.progress import Pace, progress

__all__ = ["count_cores", "count_threads", "in_threads", "limit_threads"]

Run = Callable[[slice], object]

# Seconds of work after which other threads help. Less is not worth starting one.
_WORTHWHILE = 0.03
_limit: int | None = None


def count_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def count_threads() -> int:
    """The number of threads that share work: ``NUMBA_NUM_THREADS`` or, by default, the cores of this process."""
    if _limit is not None:
        return _limit
    given = os.environ.get("NUMBA_NUM_THREADS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    return count_cores()


def limit_threads(number: int | None) -> None:
    """Use this number of threads from now on; with ``None``, the default. For processes that share the cores."""
    global _limit
    _limit = number


def in_threads(name: str, total: int, begin: Callable[[], Run], *, first: int = 256) -> None:
    """Do work for ``range(total)`` block by block, with several threads if it takes long. A step reports its progress.

    Parameters
    ----------
    name
        The name of the step.
    total
        The number of items.
    begin
        Called once for each thread, by the calling thread. It returns a function that does the work of a slice. It may
        make a work space, which no other thread then uses.
    first
        The number of items of the first block. Later ones take about a tenth of a second.

    Examples
    --------
    >>> squares = [0] * 1000
    >>> def begin():
    ...     def square(part):
    ...         squares[part] = [i * i for i in range(part.start, part.stop)]
    ...     return square
    >>> in_threads("Squaring", 1000, begin)
    >>> squares[999]
    998001
    """
    blocks, helpers = _Blocks(total), list[Thread]()
    begun, run, reported = time.perf_counter(), begin(), 0
    pace = Pace(first)
    with progress(name, total) as advance:
        try:
            while (part := blocks.take(pace.steps)) is not None:
                with pace:
                    run(part)
                blocks.finish(part)
                advance(blocks.done - reported)
                reported = blocks.done
                if not helpers and blocks.left > 0 and time.perf_counter() - begun > _WORTHWHILE:
                    _start(helpers, count_threads() - 1, begin, blocks, pace.steps)
        except BaseException:
            blocks.stop()
            raise
        finally:
            for helper in helpers:
                helper.join()
        advance(blocks.done - reported)
    if blocks.error is not None:
        raise blocks.error


class _Blocks:
    """A range from which threads take blocks."""

    def __init__(self, total: int) -> None:
        self._lock = Lock()
        self._next, self._total = 0, total
        self.helpers = 0
        self.done = 0
        self.error: BaseException | None = None

    @property
    def left(self) -> int:
        """The number of items that nobody has taken."""
        return self._total - self._next

    def take(self, steps: int) -> slice | None:
        """The next block of at most ``steps`` items; ``None`` if nothing is left.

        With helpers, it is a part of a thread's share of what is left, so that all end at about the same time.
        """
        with self._lock:
            start = self._next
            if self.helpers:
                share = (self._total - start) // (2 * self.helpers + 2)
                steps = max(min(steps, share), 1)
            self._next = min(start + steps, self._total)
            return slice(start, self._next) if start < self._next else None

    def finish(self, part: slice) -> None:
        """Count the items of a block as done."""
        with self._lock:
            self.done += part.stop - part.start

    def stop(self, error: BaseException | None = None) -> None:
        """Let nobody take another block."""
        with self._lock:
            self._next = self._total
            self.error = self.error or error


def _start(helpers: list[Thread], number: int, begin: Callable[[], Run], blocks: _Blocks, steps: int) -> None:
    """Start threads that take blocks until nothing is left."""
    # Where the system allows no more threads, there are fewer.
    with suppress(RuntimeError):
        for _ in range(number):
            helper = Thread(target=_help, args=(begin(), blocks, steps))
            helper.start()
            helpers.append(helper)
            blocks.helpers += 1


def _help(run: Run, blocks: _Blocks, steps: int) -> None:
    pace = Pace(steps)
    try:
        while (part := blocks.take(pace.steps)) is not None:
            with pace:
                run(part)
            blocks.finish(part)
    except BaseException as error:
        blocks.stop(error)
