"""Plans in files: one private file each, which only its owner can read. Values are saved as keys."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from ontomask.base.atomic import write_atomic
from ontomask.base.limits import UnpackedTooLargeError, check_zip, irregular
from ontomask.errors import PlanError
from ontomask.microdata.joined import JoinedPlan
from ontomask.microdata.plan import TuplePlan
from ontomask.microdata.planvalues import Cell, Key, PlanValues
from ontomask.microdata.recordplan import RecordPlan

__all__ = ["load_plan", "save_plan"]

_WARNING = "PRIVATE: this plan says which original values became which masked values. It can undo the masking."
# In version 2, a tuple plan had its own values in "keys", and these and the new ones in "outcome_keys".
_VERSION, _KEYS = 3, {2: "outcome_keys", 3: "keys"}
# The arrays of a tuple plan: name in the file and attribute.
_ARRAYS = {"counts": "sizes"} | {name: name for name in ("tuples", "start", "outcome", "records", "outcome_tuples")}

# The arrays that a joined plan may have.
_JOINED = ("suppressed", "units")


def save_plan(plan: Any, path: str | Path) -> None:
    """Save a plan, or that of a result, to a file that only its owner can read (mode 0600). The write is atomic."""
    plan = getattr(plan, "plan", plan)
    if not isinstance(plan, (TuplePlan, RecordPlan)):
        raise PlanError(f"Give a plan or a result. Got {type(plan).__name__} instead.", code="not-a-plan")
    header: dict[str, Any] = {
        "warning": _WARNING,
        "version": _VERSION,
        "kind": type(plan).__name__,
        "names": plan.names,
        "keys": [_to_json(values.keys()) for values in plan.values],
        "promise": dict(plan.promise),
        "errors": list(plan.errors),
    }
    arrays: dict[str, Any] = {f"error {i}": errors for i, errors in enumerate(plan.errors.values())}
    if isinstance(plan, TuplePlan):
        arrays |= {name: getattr(plan, attribute) for name, attribute in _ARRAYS.items()}
    else:
        header["fingerprint"] = plan.fingerprint
        arrays["outcome"] = plan.outcome
        arrays |= {name: part for name in _JOINED if (part := getattr(plan, name, None)) is not None}
    try:
        text = np.frombuffer(json.dumps(header, ensure_ascii=False, default=_number).encode(), dtype=np.uint8)
    except (TypeError, UnicodeEncodeError):
        message = "The plan cannot be saved. Its cells must be numbers, booleans or texts of valid Unicode characters."
        raise PlanError(message, code="not-saved") from None

    def write(file: IO[bytes]) -> None:
        np.savez_compressed(file, header=text, **arrays)

    try:
        write_atomic(Path(path), write, mode=0o600)
    except OSError as problem:
        message = f"Cannot be written: {problem.strerror or problem}. Check the free space and your permissions."
        raise PlanError(message, path=path, code="not-written") from problem


def load_plan(path: str | Path) -> TuplePlan | RecordPlan:
    """Load a saved plan and validate it."""
    path = Path(path)
    reason = irregular(path)
    if reason is not None:
        raise PlanError(f"{reason}.", path=path, code="not-a-file")
    try:
        check_zip(path)
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays["header"].tobytes())
        if header["version"] not in _KEYS or header["kind"] not in ("TuplePlan", "RecordPlan", "JoinedPlan"):
            message = "The plan was saved by another version of ontomask. Update ontomask, or mask again."
            raise PlanError(message, code="version")
        return _plan(header, arrays)
    except FileNotFoundError:
        raise PlanError("The file does not exist. Check its name.", path=path, code="no-file") from None
    except PlanError as problem:
        raise PlanError(*problem.message, path=path, code=problem.code) from None
    except UnpackedTooLargeError as problem:
        raise PlanError(f"{problem}.", path=path, code="too-large") from None
    except Exception as problem:  # zipfile, NumPy and JSON raise many kinds on damaged files
        raise PlanError(
            f"The file is damaged or is not a saved plan ({type(problem).__name__}). Give the file that was saved, or "
            f"mask again to make a new one.",
            path=path,
            code="damaged-file",
        ) from None


def _plan(header: dict[str, Any], arrays: dict[str, Any]) -> TuplePlan | RecordPlan:
    names, listed = header["names"], header[_KEYS[header["version"]]]
    promise = dict(header["promise"])
    if not all(isinstance(name, str) for name in names) or not isinstance(promise.get("k", 0), int):
        raise TypeError
    values = tuple(PlanValues.of_keys(name, _keys(keys)) for name, keys in zip(names, listed, strict=True))
    errors = {name: arrays[f"error {i}"] for i, name in enumerate(header.get("errors", ()))}
    if header["kind"] != "TuplePlan":
        parts = (values, arrays["outcome"], errors, header["fingerprint"], promise)
        joined = {name: arrays[name] for name in _JOINED if name in arrays}
        return JoinedPlan(*parts, **joined) if header["kind"] == "JoinedPlan" else RecordPlan(*parts)
    if any(own != every[: len(own)] for own, every in zip(header["keys"], listed, strict=True)):
        raise ValueError
    return TuplePlan(values, promise=promise, errors=errors, **{to: arrays[name] for name, to in _ARRAYS.items()})


def _number(value: object) -> object:
    """A NumPy number as a Python number."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError


def _to_json(keys: Sequence[Key]) -> list[Any]:
    return [{"cell": key.cell} if isinstance(key, Cell) else key for key in keys]


def _keys(plain: Sequence[Any]) -> tuple[Key, ...]:
    keys = tuple(Cell(key["cell"]) if isinstance(key, dict) else key for key in plain)
    for key in keys:
        cell = key.cell if isinstance(key, Cell) else key
        if not isinstance(cell, (str, float, int, type(None) if isinstance(key, Cell) else str)):
            raise TypeError
    return keys
