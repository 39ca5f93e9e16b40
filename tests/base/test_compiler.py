"""The cache of compiled functions."""

from __future__ import annotations

import importlib.util
import pickle

import numpy as np

KERNEL = """
from ontomask.base.compiler import compiled

@compiled
def total(numbers):
    sum = 0.0
    for number in numbers:
        sum += number
    return sum
"""


class Renamed:
    """A class that an old cache names."""


def load(path):
    spec = importlib.util.spec_from_file_location("kernels_of_a_test", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_cache_that_cannot_be_read_is_written_again(tmp_path):
    path = tmp_path / "kernels_of_a_test.py"
    path.write_text(KERNEL)
    assert load(path).total(np.ones(3)) == 3
    (index,) = tmp_path.rglob("*.nbi")
    stale = pickle.dumps(Renamed()).replace(b"Renamed", b"Missing")
    index.write_bytes(index.read_bytes().split(b"\x80")[0] + stale)
    again = load(path).total
    assert again(np.ones(4)) == 4
    assert not again.stats.cache_hits
    # The next process finds it in the cache.
    later = load(path).total
    assert later(np.ones(5)) == 5
    assert sum(later.stats.cache_hits.values()) == 1


def test_a_change_in_another_module_of_kernels_compiles_again(tmp_path, monkeypatch):
    path = tmp_path / "kernels_of_a_test.py"
    path.write_text(KERNEL)
    assert load(path).total(np.ones(3)) == 3
    monkeypatch.setattr("ontomask.base.compiler._sources", lambda: (("masking/kernels/grid.py", 1, 2),))
    changed = load(path).total
    assert changed(np.ones(4)) == 4
    assert not changed.stats.cache_hits
