"""Measure times, compare them with limits (bars), and print tables: what all benchmarks share.

Each time is the best of many tries, since other work on the machine can only slow a call down. Calls that are compared
take turns, so that a slow period affects all of them.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from inspect import getfile
from pathlib import Path
from typing import Any

import psutil

__all__ = [
    "NO_BAR",
    "Bar",
    "Report",
    "best_of",
    "best_of_each",
    "duration",
    "in_new_process",
    "megabytes",
    "peak_memory",
    "times",
]

HERE = Path(__file__).resolve().parent
Call = Callable[[], object]
Clock = Callable[[], float]


def best_of(call: Call, *, seconds: float = 1.0, least: int = 3, clock: Clock = time.perf_counter) -> float:
    """The shortest time of a call, over at least ``least`` tries and ``seconds``, after one call to warm up."""
    call()
    return best_of_each({"": call}, seconds=seconds, least=least, clock=clock)[""]


def best_of_each(
    calls: Mapping[str, Call],
    *,
    seconds: float = 1.0,
    least: int = 3,
    running: int = 1,
    clock: Clock = time.perf_counter,
) -> dict[str, float]:
    """The shortest time of each call. The calls take turns, with ``running`` runs per turn.

    Short calls need several runs per turn: in the first one the processor's cache still holds another call's data. The
    garbage collector is off, as with `timeit`, since its time depends on what else the process holds.
    """
    best = dict.fromkeys(calls, float("inf"))
    gc.collect()
    gc.disable()
    try:
        end = time.perf_counter() + seconds
        turns = 0
        while turns < least or time.perf_counter() < end:
            for name, call in calls.items():
                for _ in range(running):
                    start = clock()
                    call()
                    best[name] = min(best[name], clock() - start)
            turns += 1
    finally:
        gc.enable()
    return best


def in_new_process(
    function: Callable[..., Any], *arguments: object, python: str | Path = sys.executable, **environment: str
) -> tuple[Any, str]:
    """Run a function of a module in this folder in a new Python; returns its result and what it wrote to stderr.

    Arguments and result are passed as JSON. The function's module should import little, since its imports run first.
    """
    code = (
        f"import json, sys; sys.path.insert(0, {str(HERE)!r}); from {Path(getfile(function)).stem} import "
        f"{function.__name__} as run; print(json.dumps(run(*json.loads(sys.argv[1]))))"
    )
    done = subprocess.run(
        [python, "-c", code, json.dumps(arguments)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{function.__name__}{arguments} failed in a new process:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def peak_memory(*, since_now: bool = False) -> int | None:
    """Peak memory of this process in bytes; ``None`` if the system does not report it.

    With ``since_now`` the peak is reset to the memory that is held now, which is returned.
    """
    try:
        if since_now:
            Path("/proc/self/clear_refs").write_text("5")
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")), None)


def duration(seconds: float) -> str:
    """Format a time with three digits and a suitable unit.

    >>> duration(0.00016612), duration(0.0136), duration(18.04)
    ('166 µs', '13.6 ms', '18.0 s')
    """
    scale, unit = next(((s, u) for s, u in ((1, "s"), (1e3, "ms")) if seconds * s >= 1), (1e6, "µs"))
    value = seconds * scale
    return f"{value:.{max(0, 2 - len(str(int(value))) + 1)}f} {unit}"


def times(ratio: float) -> str:
    """Format a ratio with two or three digits.

    >>> times(2.114), times(28.51), times(141_972.3)
    ('2.1×', '29×', '142,000×')
    """
    if ratio < 10:
        return f"{ratio:.1f}×"
    rounded = max(0, len(str(int(ratio))) - 3)
    return f"{round(ratio, -rounded):,.0f}×"


def megabytes(size: float | None) -> str:
    """Format a size in MB; a dash if it is not known."""
    return "–" if size is None else f"{size / 1e6:,.0f} MB"


@dataclass(frozen=True)
class Bar:
    """A limit for a measured number; ``shown`` formats both."""

    limit: float
    shown: Callable[[float], str]
    at_least: bool = False

    def cells(self, value: float) -> tuple[str, str]:
        """The bar and whether the value meets it, for the last two columns of a table."""
        met = value >= self.limit if self.at_least else value <= self.limit
        return f"{'≥' if self.at_least else '≤'} {self.shown(self.limit)}", "ok" if met else "MISSED"


NO_BAR = ("", "")


class Report:
    """The tables of one benchmark: printed at once, and written to ``results/`` at the end."""

    def __init__(self, name: str, title: str) -> None:
        self.name = name
        self._texts: list[str] = []
        self._missed: list[str] = []
        self._bars = 0
        self._load = _load()
        self.text(f"# {title}")
        self.text(f"Measured on {_machine()}, {date.today().isoformat()}, by `make bench BENCH={name}`.")

    def text(self, *paragraphs: str) -> None:
        """Add paragraphs."""
        for paragraph in paragraphs:
            print(f"{paragraph}\n", flush=True)
            self._texts.append(paragraph)

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Add a table. Where the last columns are a number, its bar and the verdict, the verdicts are counted."""
        widths = [max(3, *map(len, column)) for column in zip(head, *rows, strict=True)]
        lines = [head, ["-" * width for width in widths], *rows]
        self.text("\n".join(f"| {' | '.join(map(str.ljust, line, widths))} |" for line in lines))
        self._bars += sum(row[-1] in ("ok", "MISSED") for row in rows)
        self._missed += [f"{row[0]} {row[1]}: {row[-3]}, bar {row[-2]}" for row in rows if row[-1] == "MISSED"]

    def close(self) -> None:
        """Add how many bars were met and how busy the machine was, and write the file."""
        if self._bars:
            met = self._bars - len(self._missed)
            self.text(f"Bars met: {met} of {self._bars}." + "".join(f" Missed: {one}." for one in self._missed))
        if self._load is not None:
            self.text(
                f"Load of the machine: {self._load:.1f} at the start, {_load():.1f} at the end. This run adds 1; a "
                "higher load means other work at the same time, and longer times."
            )
        file = HERE / "results" / f"{self.name}.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text("\n\n".join(self._texts) + "\n", encoding="utf-8")


def _load() -> float | None:
    """Average number of running processes over the last minute; ``None`` if the system does not report it."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def _machine() -> str:
    packages = ", ".join(f"{name} {_version(name)}" for name in ("numpy", "numba", "ontomask"))
    memory = f"{psutil.virtual_memory().total / 2**30:.0f} GB"
    threads = "one thread" if os.environ.get("NUMBA_NUM_THREADS") == "1" else "all threads"
    return (
        f"{_processor()} ({psutil.cpu_count()} cores, {memory}, {platform.system()}), {threads}, "
        f"Python {platform.python_version()}, {packages}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(absent)"
