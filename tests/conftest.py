from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data that is not part of the repository; tests that need it are skipped without it."""
    folder = Path(os.environ.get("ONTOMASK_DATA", "no such folder"))
    if not folder.is_dir():
        pytest.skip("no folder of real data: set ONTOMASK_DATA")
    return folder


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
