"""Long work in a thread of its own: where it is, how it ended, and how to stop it.

Work that is cancelled stops at its next report. A compiler or a reader may not report for a while. Nobody waits for it:
after a second the work counts as cancelled. Its thread ends at the next report, before it changes anything, and new
work waits for that.
"""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any, Literal

from ontomask.base.progress import ProgressStep, ProgressWatch, progress, watch_progress
from ontomask.errors import Cancelled, OntomaskError, is_foreign

__all__ = ["Task"]

State = Literal["waiting", "running", "done", "failed", "cancelled"]

# Compiled loops share their threads, so works take turns.
_turn = threading.Lock()
_LOOK = 0.1
_NAME = "ontomask-work-"
# Seconds after which cancelled work is left to itself.
_PATIENCE = 1.0


class Task:
    """A piece of long work.

    Attributes
    ----------
    name
        What it is for, such as ``compare``.
    title
        The same in words.
    state
        Where it is.
    error
        Why it failed.
    """

    def __init__(self, name: str, title: str, work: Callable[[], Any]) -> None:
        self.name, self.title = name, title
        self.state: State = "waiting"
        self.error: OntomaskError | None = None
        self._work = work
        self._steps: tuple[ProgressStep, ...] = ()
        self._watch: ProgressWatch | None = None
        self._stop = threading.Event()
        self._begun = time.monotonic()
        self._ending = threading.Lock()
        self._pace = _Pace()
        self._thread = threading.Thread(target=self._run, name=f"{_NAME}{name}", daemon=True)

    @staticmethod
    def any_runs() -> bool:
        """Whether the thread of some work has not ended."""
        return any(thread.name.startswith(_NAME) for thread in threading.enumerate())

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def cancel(self) -> None:
        """Stop the work at its next report. If none comes, it counts as cancelled all the same."""
        self._stop.set()
        if self._watch is not None:
            self._watch.cancel()
        leaving = threading.Timer(_PATIENCE, self._end, ["cancelled"])
        leaving.daemon = True
        leaving.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end. Returns whether it came."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    @property
    def is_over(self) -> bool:
        """Whether the work has ended, in whatever way."""
        return self.state in ("done", "failed", "cancelled")

    @property
    def is_left(self) -> bool:
        """Whether it was cancelled and its thread has not ended yet."""
        return self.state == "cancelled" and self._thread.is_alive()

    @property
    def is_stopping(self) -> bool:
        """Whether somebody has cancelled it."""
        return self._stop.is_set()

    def to_dict(self) -> dict[str, Any]:
        """Where the work is, as plain data. Names of steps hold no values of the table."""
        steps = self._steps
        measured = next((step for step in steps if step.total), None)
        return {
            "title": self.title,
            "state": self.state,
            "seconds": time.monotonic() - self._begun,
            "step": steps[-1].name if steps else "",
            "done": None if measured is None else measured.done,
            "total": None if measured is None else measured.total,
            "left": None if measured is None else self._pace.seconds_left(measured, time.monotonic()),
        }

    def _run(self) -> None:
        while not _turn.acquire(timeout=_LOOK):
            if self._stop.is_set():
                self._end("cancelled")
                return
        try:
            with watch_progress(self._see) as self._watch:
                if self._stop.is_set():
                    self._watch.cancel()
                self._enter()
                with progress(self.title):
                    self._work()
            self._end("done")
        except Cancelled:
            self._end("cancelled")
        except OntomaskError as problem:
            self._end("failed", problem)
        except MemoryError:
            text = (
                "There is not enough memory for this table with these settings. Leave out columns, or choose roles and "
                "kinds with fewer different values, such as ranges instead of exact numbers."
            )
            self._end("failed", OntomaskError(text, code="memory"))
        except BaseException as problem:
            # Messages of other libraries may quote cells.
            traceback.print_tb(problem.__traceback__)
            print(f"{type(problem).__name__} (the message is omitted, since it may quote the data)", file=sys.stderr)
            text = f"This is a fault of the program ({type(problem).__name__}). Try other settings, and report it."
            error = OntomaskError(text if is_foreign(problem) else "The work was interrupted. Start it again.")
            self._end("failed", error)
        finally:
            self._watch = None
            _turn.release()

    def _enter(self) -> None:
        with self._ending:
            if not self.is_over:
                self.state = "running"

    def _end(self, state: State, error: OntomaskError | None = None) -> None:
        """The first end counts."""
        with self._ending:
            if not self.is_over:
                self.error, self.state = error, state

    def _see(self, steps: tuple[ProgressStep, ...]) -> None:
        self._steps = steps
        measured = next((step for step in steps if step.total), None)
        if measured is not None:
            self._pace.see(measured, time.monotonic())


class _Pace:
    """The time left, by the later half of what is done. The first parts are often slow: kernels are compiled then."""

    def __init__(self) -> None:
        self._name = ""
        self._seen: list[tuple[int, float]] = []

    def see(self, step: ProgressStep, now: float) -> None:
        """Note when a part was done."""
        if step.name != self._name or (self._seen and step.done < self._seen[-1][0]):
            self._name, self._seen = step.name, [(step.done, now - step.seconds)]
        if step.done > self._seen[-1][0]:
            self._seen.append((step.done, now))

    def seconds_left(self, step: ProgressStep, now: float) -> float | None:
        """An estimate; ``None`` while nothing is done."""
        if step.name != self._name or not step.total or step.done == 0 or len(self._seen) < 2:
            return None
        done, begun = next((d, t) for d, t in reversed(self._seen[:-1]) if d <= step.done / 2 or d == self._seen[0][0])
        # A part that takes longer than the others is not yet counted as done.
        return (step.total - step.done) * (now - begun) / (step.done - done + 0.5)
