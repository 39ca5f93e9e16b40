"""The time of the first use in a process. This module imports nothing itself, so that imports can be timed."""

from __future__ import annotations

import time

__all__ = ["first_use", "import_package"]


def import_package() -> float:
    """Seconds that importing the package takes, beyond the import of NumPy."""
    import numpy  # noqa: F401

    start = time.perf_counter()
    import ontomask  # noqa: F401

    return time.perf_counter() - start


def first_use(measure: str) -> dict[str, float]:
    """Seconds of the first row and then the first matrix of a measure. The kernels are loaded or compiled."""
    import ontomask as om

    distance = om.distance(measure, om.load_wordnet())
    start = time.perf_counter()
    distance.row(0)
    after_row = time.perf_counter()
    distance.matrix(range(10))
    return {"row": after_row - start, "matrix": time.perf_counter() - after_row}
