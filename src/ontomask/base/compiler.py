"""The compiler: `compiled` turns a function on arrays into machine code, once per machine.

Only modules named ``kernels`` import this module. They are imported at first use, so that ``import ontomask`` stays
fast. Compiled code is cached on disk. The first use on a machine takes some seconds and logs a message.
"""

from __future__ import annotations

import logging
import pickle
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import event, types
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.registry import CPUDispatcher
from numba.extending import overload

__all__ = [
    "compiled",
    "compiled_if_given",
    "compiled_in_place",
    "compiled_in_place_entry",
    "compiled_inline",
    "compiled_inner",
]

# NumPy's division rules: a check for zero would prevent vectorised loops. One thread: on a busy machine several threads
# are slower than one. No function is called from C.
_OPTIONS: dict[str, Any] = {"nogil": True, "boundscheck": False, "error_model": "numpy", "no_cfunc_wrapper": True}
_IN_PLACE: dict[str, Any] = {"_nrt": False}
# Functions that take many arrays compile several times faster without the code for calls from Python.
_INNER: dict[str, Any] = {"no_cpython_wrapper": True}


def compiled(function: Any) -> Any:
    """Compile a function at its first call, and cache the result on disk if a cache folder is writable."""
    return _compile(function, _OPTIONS)


def compiled_inner(function: Any) -> Any:
    """As `compiled`, for a function that only compiled functions call. Python cannot call it."""
    return _compile(function, _OPTIONS | _INNER)


def compiled_in_place(function: Any) -> Any:
    """As `compiled_inner`, for a function that allocates no arrays and calls only functions that allocate none.

    Arrays are then not reference-counted, which halves the time of short functions that pass many arrays to each other.
    """
    return _compile(function, _OPTIONS | _IN_PLACE | _INNER)


def compiled_in_place_entry(function: Any) -> Any:
    """As `compiled_in_place`, for a function that Python calls."""
    return _compile(function, _OPTIONS | _IN_PLACE)


def compiled_inline(function: Any) -> Any:
    """As `compiled_in_place`, for a short function in a hot loop: its code becomes a part of its callers.

    Passing a tuple of many arrays takes longer than a few additions.
    """
    return _compile(function, _OPTIONS | _IN_PLACE | _INNER | {"forceinline": True})


def compiled_if_given(field: str, otherwise: Callable[..., Any]) -> Callable[[Any], Any]:
    """Compile a function that is needed only if a field of its first argument, a bundle, is not None.

    Otherwise ``otherwise``, which takes as many arguments, is called. The choice is made by type, so that code for rare
    data does not have to be compiled for other data. Only compiled functions can call the function. It is compiled
    as by `compiled_inline`.
    """

    def register(function: Any) -> Any:
        def choose(first: Any, *rest: Any) -> Any:  # noqa: ARG001
            return otherwise if isinstance(first.given[field], types.NoneType) else function

        options: Any = _OPTIONS | _IN_PLACE | _INNER | {"forceinline": True}
        overload(function, jit_options=options, strict=False)(choose)
        return function

    return register


class _Unlinked(JITCodeLibrary):
    """The code of an inner function before it is optimised: it has no machine code of its own.

    Numba would optimise each function together with all that it calls, and translate both. But the code of inner
    functions becomes a part of the functions that Python calls, and is optimised and translated there.
    """

    def _optimize_final_module(self) -> None:
        """Do nothing: the callers are optimised."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True


class _Flags(Flags):
    """The options of a compilation, which Numba compares for every operation that it compiles.

    It compares all options, and defaults. To compare those that were given takes a tenth of the time.
    """

    def __hash__(self) -> int:
        return _SAME_HASH

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _Flags):
            return bool(self._values == other._values)
        return bool(super().__eq__(other))  # type: ignore[no-untyped-call]


# As Numba's hash, which is the same for all.
_SAME_HASH = hash(Flags())  # type: ignore[no-untyped-call]


class _Compiler(Compiler):
    """Compiles a function."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)  # type: ignore[no-untyped-call]
        self.state.flags = _Flags(self.state.flags)  # type: ignore[no-untyped-call]


class _InnerCompiler(_Compiler):
    """Compiles a function for compiled functions only."""

    def __init__(self, typing: Any, target: Any, _library: Any, *rest: Any) -> None:
        library = _Unlinked(target.codegen(), "inner")  # type: ignore[no-untyped-call]
        super().__init__(typing, target, library, *rest)
        self.state.flags.no_compile = True


class _Inner(CPUDispatcher):
    """A function that only compiled functions call. It is not cached: the functions that call it are."""

    def add_overload(self, result: Any) -> None:
        """Let compiled functions call it for some argument types. Numba finds it by a name, which is any object."""
        named = result._replace(entry_point=object())
        target: Any = self.targetctx
        target.insert_user_function(named.entry_point, named.fndesc, [named.library])
        self.overloads[tuple(named.signature.args)] = named

    def __call__(self, *args: Any) -> Any:  # noqa: ARG002
        raise TypeError(f"{self.py_func.__name__} can be called by compiled functions only. Use @compiled for it.")


def _compile(function: Any, options: dict[str, Any]) -> Any:
    is_inner = "no_cpython_wrapper" in options
    dispatcher = njit(**options, pipeline_class=_InnerCompiler if is_inner else _Compiler)(function)
    compile_for = dispatcher.compile
    dispatcher.compile = lambda types_: compile_for(tuple(map(_widen, types_)))
    if is_inner:
        dispatcher.__class__ = _Inner
        return dispatcher
    # If neither the package's folder nor the user's cache can be written, each process compiles again.
    with suppress(RuntimeError):
        dispatcher._cache = _Cache(function)
    return dispatcher


def _widen(argument: Any) -> Any:
    """One type for all integers, so that a function is not compiled again for an index of another width."""
    kind = types.unliteral(argument)  # type: ignore[no-untyped-call]
    return types.int64 if isinstance(kind, types.Integer) else argument


@cache
def _sources() -> tuple[tuple[str, int, int], ...]:
    """Name, time and size of every module of kernels, and of those that decide what is compiled."""
    package, base = Path(__file__).parents[1], Path(__file__).parent
    files = [*package.rglob("kernels.py"), *package.rglob("kernels/*.py"), base / "bundles.py", base / "compiler.py"]
    found = [(file, file.stat()) for file in sorted(files)]
    return tuple((file.relative_to(package).as_posix(), stat.st_mtime_ns, stat.st_size) for file, stat in found)


class _Cache(FunctionCache):
    """The cache of a compiled function on disk. It is valid as long as no module of kernels changes.

    Numba checks the module of the function only. But functions of other modules and the layout of their classes are
    compiled into it: old code with a new layout would read wrong memory. Also, Numba reads the whole index before it
    checks the source. An index of another version may name a class that no longer exists, so an index that cannot be
    read counts as empty.
    """

    def __init__(self, function: Any) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._cache_file._source_stamp = (self._cache_file._source_stamp, _sources())

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
