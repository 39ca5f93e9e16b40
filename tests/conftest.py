from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from ontomask import Microdata
from ontomask.examples import adult_data


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data that is not part of the repository; tests that need it are skipped without it."""
    folder = Path(os.environ.get("ONTOMASK_DATA", "no such folder"))
    if not folder.is_dir():
        pytest.skip("no folder of real data: set ONTOMASK_DATA")
    return folder


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


# Tests that run whole jobs, experiments, sites or thousands of inputs: `make quick` leaves them out.
SLOW = ("experiments/", "reliability/", "test_docs.py", "cli/", "test_adult.py", "job/test_init")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark slow tests by where they are."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here) and str(item.path.relative_to(here)).startswith(SLOW):
            item.add_marker("slow")


# Examples are drawn from a fixed seed, so that a run repeats; no deadline, since the first call compiles kernels.
# `pytest --hypothesis-profile=explore` looks further, from another seed each time.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile("steady")
