"""Plans in files: one private file each, readable by its owner alone, that says what it is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from ontomask.base.atomic import write_atomic
from ontomask.base.limits import UnpackedTooLargeError, check_zip, irregular
from ontomask.errors import PlanError
from ontomask.microdata.plan import Cell, Key, RecordPlan, TuplePlan

__all__ = ["load_plan", "save_plan"]

_WARNING = (
    "PRIVATE: this plan tells which original values became which masked ones. Whoever has it can undo the masking."
)


def save_plan(plan: TuplePlan | RecordPlan, path: str | Path) -> None:
    """Save a plan to a file that only its owner can read (mode 0600), written whole or not at all."""
    header: dict[str, Any] = {
        "warning": _WARNING,
        "version": 2,
        "kind": type(plan).__name__,
        "names": plan.names,
        "outcome_keys": [_plain(keys) for keys in plan.outcome_keys],
        "promise": dict(plan.promise),
    }
    if isinstance(plan, TuplePlan):
        header |= {"keys": [_plain(keys) for keys in plan.keys]}
        arrays = {
            name: getattr(plan, name) for name in ("tuples", "counts", "start", "outcome", "records", "outcome_tuples")
        }
    else:
        header |= {"fingerprint": plan.fingerprint, "errors": list(plan.errors)}
        arrays = {"outcome": plan.outcome, **{f"error {i}": e for i, e in enumerate(plan.errors.values())}}
    try:
        text = np.frombuffer(json.dumps(header, ensure_ascii=False, default=_number).encode(), dtype=np.uint8)
    except TypeError as problem:
        raise PlanError(f"the plan cannot be saved: {problem}. Cells must be texts, numbers or truth values.") from None

    def write(file: IO[bytes]) -> None:
        np.savez_compressed(file, header=text, **arrays)

    try:
        write_atomic(Path(path), write, mode=0o600)
    except OSError as problem:
        raise PlanError(f"{path}: cannot be written: {problem.strerror or problem}.") from problem


def load_plan(path: str | Path) -> TuplePlan | RecordPlan:
    """Load a saved plan; its bookkeeping is checked again."""
    path = Path(path)
    reason = irregular(path)
    if reason is not None:
        raise PlanError(f"{path}: {reason}.")
    try:
        check_zip(path)
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays["header"].tobytes())
        if header["version"] != 2 or header["kind"] not in ("TuplePlan", "RecordPlan"):
            raise PlanError("holds a plan of a kind that this version does not know. Update ontomask")
        return _plan(header, arrays)
    except FileNotFoundError:
        raise PlanError(f"{path}: there is no such file. Check its name.") from None
    except (PlanError, UnpackedTooLargeError) as problem:
        raise PlanError(f"{path}: {str(problem).rstrip('.')}.") from None
    except Exception as problem:  # zipfile, NumPy and JSON raise many kinds on damaged files
        raise PlanError(
            f"{path}: is damaged or not a saved plan ({type(problem).__name__}). Give the file that was saved, or mask "
            f"again to make a new one."
        ) from None


def _plan(header: dict[str, Any], arrays: dict[str, Any]) -> TuplePlan | RecordPlan:
    names = tuple(header["names"])
    promise = dict(header["promise"])
    if not all(isinstance(name, str) for name in names):
        raise TypeError
    outcome_keys = tuple(_keys(keys) for keys in header["outcome_keys"])
    if header["kind"] == "RecordPlan":
        errors = {name: arrays[f"error {i}"] for i, name in enumerate(header["errors"])}
        return RecordPlan(names, outcome_keys, arrays["outcome"], errors, header["fingerprint"], promise)
    return TuplePlan(
        names,
        tuple(_keys(keys) for keys in header["keys"]),
        arrays["tuples"],
        arrays["counts"],
        arrays["start"],
        arrays["outcome"],
        arrays["records"],
        outcome_keys,
        arrays["outcome_tuples"],
        promise,
    )


def _number(value: object) -> object:
    """NumPy's numbers as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a {type(value).__name__} has no place in a file")


def _plain(keys: Sequence[Key]) -> list[Any]:
    return [{"cell": key.cell} if isinstance(key, Cell) else key for key in keys]


def _keys(plain: Sequence[Any]) -> tuple[Key, ...]:
    keys = tuple(Cell(key["cell"]) if isinstance(key, dict) else key for key in plain)
    for key in keys:
        cell = key.cell if isinstance(key, Cell) else key
        if not isinstance(cell, (str, float, int, type(None) if isinstance(key, Cell) else str)):
            raise TypeError
    return keys
