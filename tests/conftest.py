from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, settings

from ontomask import Microdata
from ontomask.examples import adult_data

# Assertions of helpers show both sides, as those of tests do.
pytest.register_assert_rewrite("support")

# Tests must neither fill nor use the cache of the user.
os.environ["ONTOMASK_CACHE"] = "off"

# The processes of pytest-xdist share the cores. Tests of threads set their number themselves.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with real data, which are not in the repository. Without it, tests that need it are skipped."""
    folder = Path(os.environ.get("ONTOMASK_DATA", "no such folder"))
    if not folder.is_dir():
        pytest.skip("No folder with real data: set ONTOMASK_DATA.")
    return folder


@pytest.fixture(scope="session")
def vocabulary() -> Callable[[str], Path]:
    """The folder of a package that ``make vocabularies`` fetched. Without it, tests that need it are skipped."""

    def vocabulary(package: str) -> Path:
        folder = Path(__file__).parents[1] / ".vocabularies" / package
        if not folder.is_dir():
            pytest.skip(f"No vocabulary {package}: run make vocabularies.")
        return folder

    return vocabulary


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a file into the test's folder; returns its path."""

    def write(content: str | bytes, name: str = "hierarchy.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture(scope="session")
def adult() -> Microdata:
    """The Adult census with occupation and country as quasi-identifiers."""
    return adult_data()


# Tests of whole jobs, experiments, the site or thousands of inputs. `make quick` leaves them out.
SLOW_PATHS = (
    "experiments/",
    "reliability/",
    "test_docs.py",
    "cli/",
    "examples/",
    "job/test_init",
    "web/test_browser",
    "web/test_pages",
)

# A fixed seed makes runs repeatable. There is no deadline, since the first call compiles kernels. `make quick` tries
# fewer examples; `pytest --hypothesis-profile=explore` tries more, from another seed each time.
QUICK = 20
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=QUICK)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile("steady")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests as slow by their path. Single slow tests have the marker themselves."""
    here = Path(__file__).parent
    for item in items:
        in_tests = item.path.is_relative_to(here)
        if item.path.name == "README.md" or (in_tests and str(item.path.relative_to(here)).startswith(SLOW_PATHS)):
            item.add_marker("slow")
        if settings.default.max_examples == QUICK:
            _limit_examples(getattr(item, "obj", None))


def _limit_examples(test: Any) -> None:
    """Limit the examples of a test that has a number of its own. Hypothesis has no option for it."""
    if test is not None and is_hypothesis_test(test):
        own = test._hypothesis_internal_use_settings
        test._hypothesis_internal_use_settings = settings(own, max_examples=min(own.max_examples, QUICK))
