"""The compiler: `compiled` turns a function on arrays into machine code, once per machine.

Only modules named ``kernels`` import this module. They are imported at first use, so that ``import ontomask`` stays
fast. Compiled code is cached on disk. The first use on a machine takes some seconds and logs a message.
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

# NumPy's division rules: a check for zero would prevent vectorised loops. One thread: on a busy machine several threads
# are slower than one.
_OPTIONS: dict[str, Any] = {"nogil": True, "boundscheck": False, "error_model": "numpy"}


def compiled(function: Any) -> Any:
    """Compile a function at its first call, and cache the result on disk if a cache folder is writable."""
    return _compile(function, _OPTIONS)


def compiled_in_place(function: Any) -> Any:
    """Compile a function that allocates no arrays and calls only functions that allocate none.

    Arrays are then not reference-counted, which halves the time of short functions that pass many arrays to each other.
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
    """Log once that compilation has started, so that the first use on a machine does not seem to hang."""

    def __init__(self) -> None:
        self.logged = False

    def on_start(self, happening: event.Event) -> None:
        """Numba starts to compile a function. Functions loaded from the cache do not get here."""
        function = happening.data["dispatcher"].py_func
        if not self.logged and function.__module__.startswith("ontomask."):
            self.logged = True
            logging.getLogger("ontomask").warning("Compiling kernels for this machine, once. It takes some seconds …")

    def on_end(self, happening: event.Event) -> None:
        """Numba has compiled a function: nothing to do."""


event.register("numba:compile", _Notice())  # type: ignore[no-untyped-call]
