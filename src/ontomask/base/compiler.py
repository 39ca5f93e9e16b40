"""The compiler: `compiled` turns a function on arrays into machine code, once for each machine.

Only modules named ``kernels`` import this, and they are imported at the first use, so that ``import ontomask`` stays
quick. What was compiled is kept on disk; the first use on a machine takes some seconds and says so.
"""

from __future__ import annotations

import logging
import pickle
from contextlib import suppress
from typing import Any

from numba import njit
from numba.core import event
from numba.core.caching import FunctionCache

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
    dispatcher = njit(**options)(function)
    # If neither the package's folder nor the user's cache can be written, each process compiles again.
    with suppress(RuntimeError):
        dispatcher._cache = _Cache(function)  # type: ignore[no-untyped-call]
    return dispatcher


class _Cache(FunctionCache):
    """The cache of a compiled function on disk. An index that cannot be read counts as empty.

    Numba reads the whole index before it checks that the source is the same. An index of another version may name a
    class that no longer exists.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The machine code for argument types, or ``None`` if it has to be compiled."""
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except (AttributeError, ImportError, EOFError, pickle.UnpicklingError):
            self.flush()  # type: ignore[no-untyped-call]
            return None


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
