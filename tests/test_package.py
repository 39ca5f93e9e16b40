"""The public interface: names, cost of importing, typing marker."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

import ontomask as om


def test_exported_members():
    stub = ast.parse((Path(om.__file__).with_suffix(".pyi")).read_text(encoding="utf-8"))
    typed = {alias.name: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert sorted(typed) == om.__all__
    for name, module in typed.items():
        assert getattr(om, name) is getattr(importlib.import_module(module), name)
        assert getattr(om, name).__doc__, name
    assert set(om.__all__) <= set(dir(om))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = om.no_such_name


def test_functions_win_over_modules_of_their_name():
    check = "assert callable(om.distance)"
    code = f"import ontomask as om, ontomask.distance; {check}; om.Nominal; {check}"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_import_loads_nothing_but_the_names():
    code = "import sys, ontomask; print([m for m in sys.modules if m.startswith('ontomask.') or m == 'numpy'])"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "[]\n"


def test_every_module_says_what_it_exports():
    for info in pkgutil.walk_packages(om.__path__, "ontomask."):
        if info.name.endswith(("__main__", "commands")):
            continue
        module = importlib.import_module(info.name)
        assert module.__doc__, info.name
        for name in module.__all__:
            assert hasattr(module, name), f"{info.name}.{name}"


def test_no_module_has_more_than_400_lines():
    for path in Path(om.__file__).parent.rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, path.name


def test_typing_marker_and_licences_are_shipped():
    root = files("ontomask")
    assert root.joinpath("py.typed").is_file()
    for data in (*Path(str(root)).rglob("*.taxonomy"), *Path(str(root)).rglob("*.csv.gz")):
        assert data.with_name(data.name.split(".")[0] + ".LICENCE.txt").is_file(), data.name


@pytest.mark.parametrize(
    "late",
    [
        "pandas",
        "polars",
        "pydantic",
        "pyarrow",
        "numba",
        "llvmlite",
        "rapidfuzz",
        "Stemmer",
        "typer",
        "rich",
        "rdflib",
        "fastobo",
        "narwhals",
        "scipy",
    ],
)
def test_import_pulls_in_nothing_heavy(late, imported_by_ontomask):
    assert late not in imported_by_ontomask


@pytest.fixture(scope="module")
def imported_by_ontomask() -> set[str]:
    code = "import sys, ontomask; print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("command", ["--help", "ontology info icd9cm", "ontology find icd9cm cholera"])
def test_commands_without_distances_do_not_load_the_compiler(command):
    run = "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code"
    code = f"import sys; from ontomask.cli import main\n{run}\nassert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code, *command.split()], check=True, capture_output=True)


def test_errors_form_one_tree():
    from ontomask import errors

    for name in [name for name in errors.__all__ if name.endswith("Error")]:
        assert issubclass(getattr(errors, name), om.OntomaskError)
        assert name in errors.__doc__
    assert "pip install 'ontomask[owl]'" in str(om.MissingExtraError("Reading OWL files", "owl"))
    assert isinstance(om.MissingExtraError("x", "owl"), ImportError)
