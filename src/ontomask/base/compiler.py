"""The compiler: `compiled` turns a function on arrays into machine code, once for each machine.

Only modules named ``kernels`` import this, and they are imported at the first use, so that ``import ontomask`` stays
quick. What was compiled is kept on disk; the first use on a machine takes some seconds and says so.
"""

from __future__ import annotations

import logging
from typing import Any

from numba import njit
from numba.core import event

__all__ = ["compiled", "compiled_in_place"]

# Division as NumPy does it, without a check that would keep loops from being vectorised. One thread: under another
# job's load several are slower than one.
_OPTIONS: dict[str, Any] = {"nogil": True, "boundscheck": False, "error_model": "numpy"}


def compiled(function: Any) -> Any:
    """Compile a function at its first call, and keep the result on disk where there is a place for it."""
    return _compile(function, _OPTIONS)


def compiled_in_place(function: Any) -> Any:
    """Compile a function that allocates no arrays, and calls only such functions.

    Arrays are then not reference-counted. For short functions that pass dozens of arrays to each other, that halves
    the time.
    """
    return _compile(function, _OPTIONS | {"_nrt": False})


def _compile(function: Any, options: dict[str, Any]) -> Any:
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # neither the package's folder nor the user's cache can be written
        return njit(**options)(function)


class _Notice(event.Listener):
    """Says once that compiling is under way, so that the first use on a machine does not hang silently."""

    def __init__(self) -> None:
        self.said = False

    def on_start(self, happening: event.Event) -> None:
        """Numba begins to compile; nothing happens where the kernels come from the cache on disk."""
        function = happening.data["dispatcher"].py_func
        if not self.said and function.__module__.startswith("ontomask."):
            self.said = True
            logging.getLogger("ontomask").warning("compiling kernels for this machine, once: some seconds a measure …")

    def on_end(self, happening: event.Event) -> None:
        """Numba has compiled a function."""


event.register("numba:compile", _Notice())  # type: ignore[no-untyped-call]
