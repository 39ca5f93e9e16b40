"""Long work in a thread of its own: where it is, how it ended, and how to stop it."""

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
    result
        What it gave.
    """

    def __init__(self, name: str, title: str, work: Callable[[], Any]) -> None:
        self.name, self.title = name, title
        self.state: State = "waiting"
        self.error: OntomaskError | None = None
        self.result: Any = None
        self._work = work
        self._steps: tuple[ProgressStep, ...] = ()
        self._watch: ProgressWatch | None = None
        self._stop = threading.Event()
        self._begun = time.monotonic()
        self._thread = threading.Thread(target=self._run, name=f"ontomask-{name}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def cancel(self) -> None:
        """Stop the work at its next report, and at once if it has not begun."""
        self._stop.set()
        if self._watch is not None:
            self._watch.cancel()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end. Returns whether it came."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    @property
    def is_over(self) -> bool:
        """Whether the work has ended, in whatever way."""
        return self.state in ("done", "failed", "cancelled")

    @property
    def is_stopping(self) -> bool:
        """Whether somebody has cancelled it."""
        return self._stop.is_set()

    def to_dict(self) -> dict[str, Any]:
        """Where the work is, as plain data. Names of steps hold no values of the table."""
        steps = [
            {"name": s.name, "fraction": s.fraction, "seconds": s.seconds, "left": s.seconds_left} for s in self._steps
        ]
        seconds = time.monotonic() - self._begun
        return {"title": self.title, "state": self.state, "stopping": self.is_stopping, "steps": steps} | {
            "seconds": seconds
        }

    def _run(self) -> None:
        while not _turn.acquire(timeout=_LOOK):
            if self._stop.is_set():
                self.state = "cancelled"
                return
        try:
            with watch_progress(self._see) as self._watch:
                if self._stop.is_set():
                    self._watch.cancel()
                self.state = "running"
                with progress(self.title):
                    self.result = self._work()
            self.state = "done"
        except Cancelled:
            self.state = "cancelled"
        except OntomaskError as problem:
            self.error, self.state = problem, "failed"
        except BaseException as problem:
            # Messages of other libraries may quote cells.
            traceback.print_tb(problem.__traceback__)
            print(f"{type(problem).__name__} (the message is omitted, since it may quote the data)", file=sys.stderr)
            text = f"This is a fault of the program ({type(problem).__name__}). Try other settings, and report it."
            self.error = OntomaskError(text if is_foreign(problem) else "The work was interrupted. Start it again.")
            self.state = "failed"
        finally:
            self._watch = None
            _turn.release()

    def _see(self, steps: tuple[ProgressStep, ...]) -> None:
        self._steps = steps
