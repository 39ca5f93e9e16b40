"""Progress: what is reported, where it is shown, and how work is stopped."""

from __future__ import annotations

import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import time
from multiprocessing import active_children
from types import ModuleType, SimpleNamespace

import pytest

import ontomask as om
from ontomask.base import progress_display
from ontomask.base.progress import Pace, in_blocks, progress, show_progress, with_progress
from ontomask.base.progress_display import describe, find_display

from support.families import all_examples, make_words_job, words_data
from support.marked import MARK, make_marked_job


@pytest.fixture
def seen():
    return []


@pytest.fixture
def watched(seen):
    with om.watch_progress(seen.append) as watch:
        yield watch


@pytest.fixture
def words(tmp_path):
    make_words_job(tmp_path, om.PRAM(stay=0.5), records=60)
    return words_data(tmp_path)


# What is reported


def test_steps_are_reported_outermost_first(seen, watched):
    with progress("Outer"), progress("Inner", 4) as advance:
        time.sleep(0.11)
        advance(1)
        time.sleep(0.11)
        advance(2)
    names = [[step.name for step in steps] for steps in seen]
    assert names == [["Outer"], ["Outer", "Inner"], ["Outer", "Inner"], ["Outer", "Inner"], ["Outer"], []]
    assert [steps[1].fraction for steps in seen[1:4]] == [0, 0.25, 0.75]
    assert seen[0][0].fraction is None
    assert seen[3][1].seconds_left == pytest.approx(seen[3][1].seconds / 3)
    assert seen[1][1].seconds_left is None


def test_many_reports_of_a_step_are_few_calls(seen, watched):
    begun = time.monotonic()
    for _ in with_progress("Counting", range(100_000)):
        pass
    assert len(seen) <= 4 + 10 * (time.monotonic() - begun)


def test_a_step_that_is_left_by_an_exception_is_gone(seen, watched):
    def interrupted():
        for part in in_blocks("Inside", 1000):
            raise ValueError(part)

    with progress("Outer"):
        with pytest.raises(ValueError, match="slice"):
            interrupted()
        with progress("Next"):
            pass
    assert [step.name for step in seen[-3]] == ["Outer", "Next"]


def test_blocks_cover_everything_once_and_take_about_a_tenth_of_a_second():
    done, longest = [], 0.0
    for part in in_blocks("Sleeping", 3000, first=2):
        begun = time.perf_counter()
        time.sleep(0.0002 * (part.stop - part.start))
        longest = max(longest, time.perf_counter() - begun)
        done += range(part.start, part.stop)
    assert done == list(range(3000))
    assert longest < 1
    pace = Pace(first=10_000)
    with pace:
        time.sleep(0.4)
    assert 1000 < pace.steps < 2600


@pytest.mark.parametrize("method", all_examples(), ids=repr)
def test_every_method_reports_its_masking_and_its_evaluation(method, words, seen, watched):
    result = method.mask(words, seed=0)
    assert seen[0][0].name == "Masking"
    seen.clear()
    om.evaluate(words, result)
    names = {step.name for steps in seen for step in steps}
    assert {"Evaluating", "Measuring utility", "Linking by quasi-identifiers", "Attacking with the method"} <= names
    assert seen[-1] == ()


def test_names_of_steps_hold_no_values_and_a_job_reports_all_its_steps(tmp_path, seen, watched):
    job = om.Job.from_toml(make_marked_job(tmp_path))
    job.check()
    job.run(seed=2**64)
    names = {step.name for steps in seen for step in steps}
    assert {"Checking the job", "Running the job", "Reading the table", "Reading links.csv"} <= names
    assert {"Preparing the table", "Encoding columns", "Mapping values", "Masking", "Writing the table"} <= names
    assert not [name for name in names if MARK in name]


# Cancelling


def test_cancelling_stops_the_work_at_the_next_report(seen):
    done = []

    def work():
        for i in with_progress("Counting", range(10)):
            done.append(i)
            if i == 3:
                threading.Thread(target=watch.cancel).start()
                while not watch.is_cancelled:
                    time.sleep(0.01)

    with om.watch_progress(seen.append) as watch, pytest.raises(om.Cancelled):
        work()
    assert done == [0, 1, 2, 3]
    # Other work goes on.
    with progress("Counting", 1) as advance:
        advance(1)


def test_no_handler_of_errors_swallows_a_cancellation(words):
    def cancel(steps):
        if len(steps) > 2:
            watch.cancel()

    with om.watch_progress(cancel) as watch, pytest.raises(om.Cancelled):
        om.compare(words, [om.PRAM(stay=0.5), om.NaiveDistortion()], seeds=1, jobs=1)
    assert not issubclass(om.Cancelled, Exception)
    assert isinstance(pickle.loads(pickle.dumps(om.Cancelled("x"))), om.Cancelled)


@pytest.mark.slow
def test_cancelling_a_comparison_ends_its_processes(words):
    before = set(active_children())
    with om.watch_progress(lambda steps: None) as watch:
        threading.Timer(1.0, watch.cancel).start()
        with pytest.raises(om.Cancelled):
            om.compare(words, [om.PRAM(stay=0.5), om.NaiveDistortion()], seeds=200, jobs=2)
    deadline = time.monotonic() + 5
    while set(active_children()) - before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert set(active_children()) == before


def test_an_exception_of_the_watching_function_stops_the_work():
    def report(steps):
        raise RuntimeError("enough")

    with om.watch_progress(report), pytest.raises(RuntimeError, match="enough"), progress("Counting", 3):
        raise AssertionError("the work must not begin")


# Where it is shown

SLOW = """
import sys, time
import ontomask as om
from ontomask.base import progress_display
from ontomask.base.progress import progress
progress_display._DELAY, progress_display._PERIOD = {delay}, 0.02
{setting}
with progress("Outer"), progress("Inner [b]", 40) as advance:
    for i in range(40):
        time.sleep(0.02)
        advance(1)
print("result")
"""


def in_terminal(code: str, *, stop_at: bytes | None = None, **environment: str) -> tuple[bytes, int, float]:
    """Run Python in a pseudo-terminal, and press Ctrl-C once a text is seen.

    Returns the output, the exit code, and the seconds from Ctrl-C to the end.
    """
    import pty

    child, terminal = pty.fork()
    if child == 0:
        given = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "PYTHONUNBUFFERED": "1", **environment}
        os.execve(sys.executable, [sys.executable, "-c", code], given)
    output, pressed = b"", 0.0
    deadline = time.monotonic() + 60
    try:
        while time.monotonic() < deadline:
            if not select.select([terminal], [], [], 0.1)[0]:
                continue
            try:
                read = os.read(terminal, 65536)
            except OSError:
                break
            if not read:
                break
            output += read
            if stop_at is not None and not pressed and stop_at in output:
                os.write(terminal, b"\x03")
                pressed = time.monotonic()
        else:
            os.kill(child, signal.SIGKILL)
    finally:
        code_ = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.close(terminal)
    return output, code_, time.monotonic() - pressed


needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")


@needs_terminal
def test_a_terminal_shows_long_work_with_the_time_left_and_then_nothing():
    output, code, _ = in_terminal(SLOW.format(delay=0.1, setting=""))
    assert code == 0
    text = output.decode()
    assert "Outer" in text
    assert "Inner [b]" in text
    assert " % " not in text.split("result")[-1]
    assert "left" in text
    # The last thing before the result is that both lines are erased; the cursor stays visible.
    shown, result = text.rsplit("\x1b[2K", 1)
    assert result.strip().endswith("result")
    assert shown.rfind("\x1b[?25h") > shown.rfind("\x1b[?25l")


@needs_terminal
@pytest.mark.parametrize(
    ("delay", "setting", "environment"),
    [
        (60, "", {}),
        (0, "om.show_progress(False)", {}),
        (0, "", {"ONTOMASK_PROGRESS": "0"}),
        (0, "sys.stderr = open('/dev/null', 'w')", {}),
        (0, "", {"TERM": "dumb"}),
    ],
    ids=["short", "switched off", "environment", "to a file", "dumb terminal"],
)
def test_a_terminal_shows_nothing(delay, setting, environment):
    output, code, _ = in_terminal(SLOW.format(delay=delay, setting=setting), **environment)
    assert (output.decode().strip(), code) == ("result", 0)


def test_nothing_is_shown_in_a_pipe():
    done = subprocess.run(
        [sys.executable, "-c", SLOW.format(delay=0, setting="")], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("result\n", "")


@needs_terminal
def test_notes_are_printed_above_the_bar_and_results_are_not_redirected():
    setting = "import threading; threading.Timer(0.4, lambda: print('a note', file=sys.stderr)).start()"
    output, _, _ = in_terminal(SLOW.format(delay=0.05, setting=setting))
    assert output.decode().count("a note") == 1
    code = SLOW.format(delay=0.05, setting="").replace("advance(1)", "advance(1); print(i)")
    done = in_terminal(
        f"import subprocess, sys; out = subprocess.run([sys.executable, '-c', {code!r}], stdout=subprocess.PIPE);"
        f"print(len(out.stdout.split()))"
    )
    assert done[0].decode().rstrip().endswith("41")


@pytest.fixture
def notebook(monkeypatch):
    """A made IPython with a kernel: what is displayed, update by update."""
    shown = []

    class Handle:
        def update(self, bundle, raw):
            assert raw
            shown.append(bundle)

    def display(bundle, *, raw, display_id):
        assert raw
        assert display_id
        shown.append(bundle)
        return Handle()

    ipython, displaying = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = lambda: SimpleNamespace(kernel=object())
    displaying.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", displaying)
    monkeypatch.setattr(progress_display, "_DELAY", 0.05)
    monkeypatch.setattr(progress_display, "_PERIOD", 0.02)
    show_progress(True)
    return shown


def test_a_notebook_shows_one_line_that_is_updated_in_place(notebook):
    with progress("Outer <x>"), progress("Inner", 20) as advance:
        for _ in range(20):
            time.sleep(0.02)
            advance(1)
    assert len(notebook) > 3
    assert any("<progress value=" in bundle.get("text/html", "") for bundle in notebook)
    assert not any("<x>" in bundle.get("text/html", "") for bundle in notebook)
    assert any("Inner" in bundle["text/plain"] and "left" in bundle["text/plain"] for bundle in notebook)
    assert notebook[-1] == {"text/plain": "", "text/html": ""}


def test_a_notebook_shows_nothing_for_short_work(notebook):
    with progress("Short"):
        pass
    time.sleep(0.1)
    assert notebook == []


def test_work_goes_on_if_it_cannot_be_shown(notebook, monkeypatch):
    def broken(*_, **__):
        raise OSError("the front end is gone")

    monkeypatch.setattr(sys.modules["IPython.display"], "display", broken)
    with progress("Long", 10) as advance:
        for _ in range(10):
            time.sleep(0.02)
            advance(1)
    assert notebook == []


def test_ipython_in_a_terminal_is_not_a_notebook(notebook, monkeypatch):
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: SimpleNamespace())
    assert find_display() is not progress_display.NotebookDisplay


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (59.6, "1 min"), (200, "3 min 20 s"), (7500, "2 h 5 min"), (3601, "1 h")]
)
def test_times_in_words(seconds, text):
    assert describe([om.ProgressStep("Work", 0, None, seconds)]) == f"Work ({text})"


# Interrupting

MASKING = """
import numpy as np, polars as pl
import ontomask as om
rng = np.random.default_rng(0)
frame = pl.DataFrame({f"c{j}": rng.integers(0, 1000, 60_000) for j in range(8)})
data = om.Microdata(frame, {name: om.Numeric() for name in frame.columns})
small = om.Microdata(frame.head(200), {name: om.Numeric() for name in frame.columns})
om.Microaggregation(k=5).mask(small)
print("begin", flush=True)
try:
    om.Microaggregation(k=5).mask(data)
except KeyboardInterrupt:
    print("stopped")
"""


@needs_terminal
@pytest.mark.slow
def test_ctrl_c_stops_compiled_loops():
    output, code, seconds = in_terminal(MASKING, stop_at=b"left")
    assert b"stopped" in output
    assert b"Finding the nearest clusters" in output
    # Two seconds on a quiet machine.
    assert (code, seconds < 15) == (0, True)
