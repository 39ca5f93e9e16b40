from __future__ import annotations

import threading
import time

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.base import threads
from ontomask.base.threads import count_threads, in_threads, limit_threads
from ontomask.errors import Cancelled
from ontomask.masking import neighbours, record_swaps, refinement


@pytest.fixture
def at_once(monkeypatch):
    """Other threads help from the first block on."""
    monkeypatch.setattr(threads, "_WORTHWHILE", 0.0)
    yield
    limit_threads(None)


def test_every_item_is_done_once_by_several_threads(at_once):
    limit_threads(3)
    done, workers = np.zeros(500, dtype=int), set()

    def begin():
        def work(part):
            workers.add(threading.get_ident())
            done[part] += 1
            time.sleep(0.002)

        return work

    in_threads("Working", len(done), begin, first=1)
    assert (done == 1).all()
    assert len(workers) == 3


@pytest.mark.parametrize("failing", ["the caller", "another"])
def test_an_error_stops_all_threads(at_once, failing):
    limit_threads(2)
    caller, done = threading.get_ident(), []

    def work(part):
        time.sleep(0.01)
        done.append(part)
        if len(done) > 2 and (threading.get_ident() == caller) == (failing == "the caller"):
            raise ValueError(failing)

    with pytest.raises(ValueError, match=failing):
        in_threads("Working", 10**9, lambda: work, first=1)
    assert not any(t.name.endswith("(_help)") for t in threading.enumerate())


def test_cancelled_work_leaves_no_thread(at_once):
    limit_threads(2)
    begun = time.monotonic()
    with om.watch_progress(lambda steps: None) as watch:

        def work(part):
            time.sleep(0.01)
            if time.monotonic() - begun > 0.1:
                watch.cancel()

        with pytest.raises(Cancelled):
            in_threads("Working", 10**9, lambda: work, first=1)
    assert not any(t.name.endswith("(_help)") for t in threading.enumerate())


def test_threads_follow_the_environment(monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "3")
    assert count_threads() == 3
    monkeypatch.setenv("NUMBA_NUM_THREADS", "many")
    assert count_threads() >= 1


# The same results with one, two and three threads: of everything that threads share


def wide_table(records, columns=11):
    rng = np.random.default_rng(0)
    words = om.Taxonomy.from_edges(
        [(f"{a}{b}", a) for a in "ABCDEF" for b in "123456"] + [(a, "all") for a in "ABCDEF"]
    )
    leaves = [c for c in words.ids if not words.children(c)]
    frame = {"age": rng.integers(0, 90, records)}
    frame |= {f"c{j}": rng.choice(leaves, records) for j in range(columns - 1)}
    kinds = {name: om.Nominal(words) for name in frame if name != "age"} | {"age": om.Numeric()}
    # Strata of the kept column: some are linked with an index, others by comparing all.
    frame["kept"] = np.where(rng.random(records) < 0.9, "common", rng.integers(0, 40, records).astype(str))
    return om.Microdata(pl.DataFrame(frame), kinds, other=["kept"])


def results(data, method):
    result = method.mask(data, seed=3)
    return result.frame.write_csv(), om.evaluate(data, result).to_json()


@pytest.mark.parametrize(
    ("method", "columns"),
    [
        (om.Microaggregation(k=3), 3),
        (om.Microaggregation(k=3), 11),
        (om.RankSwapping(k=3), 3),
        (om.RankSwapping(k=3), 11),
    ],
)
def test_results_do_not_depend_on_the_number_of_threads(at_once, monkeypatch, method, columns):
    monkeypatch.setattr(refinement, "_WIDE", (10, 100))
    monkeypatch.setattr(record_swaps, "_MANY", 100)
    seen = []
    for module in (neighbours, record_swaps, refinement):
        real = module.in_threads
        monkeypatch.setattr(module, "in_threads", lambda *a, real=real, **k: seen.append(a[0]) or real(*a, **k))
    data = wide_table(3000, columns)
    limit_threads(1)
    one = results(data, method)
    for number in (2, 3):
        limit_threads(number)
        assert results(data, method) == one
    assert seen
