"""Ctrl-C and cancellation work during long calculations: compiled loops return to Python between blocks.

Python handles a signal only between two of its own steps, never inside a compiled function. A timer that counts
processor time, so that other work on the machine does not matter, measures how long that takes.
"""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

import ontomask as om

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="The system has no timers.")

# Seconds of processor time within which work must stop.
LIMIT = 2.0
CODES = om.Taxonomy.from_edges(
    [(f"{a}{b}{c}", f"{a}{b}") for a in "ABCDEF" for b in "123456" for c in "xyzuvw"]
    + [(f"{a}{b}", a) for a in "ABCDEF" for b in "123456"]
    + [(a, "all") for a in "ABCDEF"]
)
METHODS = [
    om.Microaggregation(k=3),
    om.Microaggregation(k=3, variant="sa_mdav"),
    om.Microaggregation(k=3, variant="mdav"),
    om.Generalisation(k=3),
    om.Generalisation(k=3, variant="best_first"),
    om.Recoding(k=3),
    om.RankSwapping(k=3),
    om.Suppression(k=3, mode="cells"),
]


def table(records):
    """A table in which nearly every record differs from all others."""
    rng = np.random.default_rng(0)
    leaves = [c for c in CODES.ids if not CODES.children(c)]
    frame = pd.DataFrame({name: rng.choice(leaves, records) for name in ("first", "second", "third")})
    frame["age"] = rng.integers(0, 100, records)
    return om.Microdata(frame, {name: om.Nominal(CODES) for name in frame.columns[:3]} | {"age": om.Numeric()})


@contextmanager
def timer(handler, first, interval=0.0):
    """Call the handler after some processor time, and then again and again."""
    before = signal.signal(signal.SIGVTALRM, handler)
    signal.setitimer(signal.ITIMER_VIRTUAL, first, interval)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.fixture(scope="module")
def large():
    return table(15_000)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_python_gets_control_again_and_again(method, large):
    # Compiling is not what is measured.
    small = table(400)
    om.evaluate(small, method.mask(small, seed=0))
    seen = [time.process_time()]
    with timer(lambda *_: seen.append(time.process_time()), 0.02, 0.02):
        om.evaluate(large, method.mask(large, seed=0))
    seen.append(time.process_time())
    assert len(seen) > 3
    assert np.diff(seen).max() < LIMIT


def test_an_interrupt_stops_a_long_kernel(large):
    method = om.Microaggregation(k=3)
    method.mask(table(400), seed=0)
    begun = time.process_time()
    # What Python does on Ctrl-C.
    with pytest.raises(KeyboardInterrupt), timer(signal.default_int_handler, 0.5):
        method.mask(large, seed=0)
    assert time.process_time() - begun < 0.5 + LIMIT
