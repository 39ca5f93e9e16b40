"""Compiled functions: their cache, and the cost of a call."""

from __future__ import annotations

import ast
import importlib.util
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ontomask
import ontomask as om
from ontomask.base.compiler import compiled, compiled_inner
from ontomask.distance import MEASURES

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


def _kernels():
    """Every compiled function: its module, its name and its decorator."""
    package = Path(ontomask.__file__).parent
    for file in sorted([*package.rglob("kernels.py"), *package.rglob("kernels/*.py")]):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                for decorator in node.decorator_list:
                    if isinstance(decorator, ast.Name):
                        yield file, node.name, decorator.id


def _imported_by_python():
    """The names that tests, and modules other than kernels, import from kernels."""
    package, tests = Path(ontomask.__file__).parent, Path(__file__).parents[1]
    found = set()
    for file in [*package.rglob("*.py"), *tests.rglob("*.py")]:
        if file.stem != "kernels" and file.parent.name != "kernels":
            tree, modules = ast.parse(file.read_text(encoding="utf-8")), {}
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and "kernels" in (node.module or ""):
                    module = node.module.replace("ontomask.", "", 1)
                    found |= {(module, alias.name) for alias in node.names}
                    modules |= {alias.asname or alias.name: f"{module}.{alias.name}" for alias in node.names}
            found |= {
                (modules[node.value.id], node.attr)
                for node in ast.walk(tree)
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules
            }
    return found


def test_only_functions_that_python_calls_have_code_for_it():
    """Code for calls from Python takes most of the time to compile a function with many arrays."""
    imported = _imported_by_python()
    package = Path(ontomask.__file__).parent
    wrong = []
    for file, name, decorator in _kernels():
        module = ".".join(file.relative_to(package).with_suffix("").parts).removesuffix(".__init__")
        if ((module, name) in imported) != (decorator in {"compiled", "compiled_in_place_entry"}):
            wrong.append((module, name, decorator))
    assert not wrong


def test_python_cannot_call_inner_functions():
    @compiled_inner
    def half(x):
        return x / 2

    @compiled
    def quarter(x):
        return half(half(x))

    assert quarter(8.0) == 2.0
    with pytest.raises(TypeError):
        half(8.0)


def test_integers_of_all_widths_share_one_version():
    @compiled
    def following(i):
        return i + 1

    assert following(np.int32(3)) == following(3) == following(np.uint8(3)) == 4
    assert len(following.signatures) == 1


def test_no_call_is_slow_because_of_the_type_of_a_number(monkeypatch):
    """Numba looks for code to compile at every call with a NumPy integer, because only int is compiled."""
    from numba.core.dispatcher import _DispatcherBase

    rng = np.random.default_rng(0)
    leaves = [f"{parent}{i}" for parent in "abc" for i in range(5)]
    t = om.Taxonomy.from_edges([*((leaf, leaf[0]) for leaf in leaves), *((parent, "top") for parent in "abc")])
    frame = pd.DataFrame({name: rng.choice(leaves, 60) for name in ("x", "y")})
    data = om.Microdata(frame, {name: om.Nominal(t, domain="top") for name in frame})

    def mask_all():
        for method in (om.CorrelatedNoise(0.3, reference="pair"), om.Microaggregation(3), om.Generalisation(3)):
            om.evaluate(data, method.mask(data, seed=0))
        for name in MEASURES:
            om.distance(name, t).row("a1")

    mask_all()
    looked_for = []
    monkeypatch.setattr(_DispatcherBase, "_compile_for_args", lambda self, *_: looked_for.append(self.py_func.__name__))
    mask_all()
    assert looked_for == []
