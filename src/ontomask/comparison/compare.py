"""Compare many methods on one table: mask it with several seeds each, and evaluate every result in the same way."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import signal
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import IO, Any

import numpy as np

from ontomask.base.atomic import write_atomic
from ontomask.base.limits import irregular
from ontomask.base.progress import progress, show_progress
from ontomask.base.threads import count_threads, limit_threads
from ontomask.comparison.results import MEASURES, Comparison, method_names
from ontomask.errors import MaskingError, OntomaskError
from ontomask.evaluation import Evaluation, evaluate
from ontomask.evaluation.pairing import columns_under
from ontomask.masking import Method
from ontomask.microdata import Microdata
from ontomask.microdata.planvalues import fingerprint

__all__ = ["MEASURES", "Comparison", "compare", "comparison_row"]

# Starting processes is worthwhile for more seconds of work than this: each process loads and compiles by itself.
_WORTH_PROCESSES = 20
# Seconds between two looks at the processes.
_LOOK = 0.2


def compare(
    data: Microdata,
    methods: Iterable[Method],
    *,
    seeds: int | Sequence[int] = 3,
    distance: Any = None,
    scope: Any = None,
    jobs: int | None = None,
    journal: str | Path | None = None,
    attacks: bool = True,
) -> Comparison:
    """Mask a table with every method and every seed, and evaluate each result.

    Intruders who know the method attack only the first seed of each method: the result hardly depends on the seed.

    Parameters
    ----------
    data
        The table.
    methods
        Masking methods with their parameters.
    seeds
        The number of seeds (0, 1, …), or the seeds.
    distance, scope
        As in `evaluate`: the same for all methods.
    jobs
        The number of processes. By default all cores are used, unless the first runs show that the rest takes less time
        than starting processes. A table in an engine is masked in one process, which shares its connection.
    journal
        A file that records every finished run, so that the same call continues there after an interruption. It holds
        results and no data, and only its owner can read it.
    attacks
        Whether intruders who know the method attack the first run of each method, as in `evaluate`. If not, methods
        are compared by SRL.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic"] * 4}), {"symptom": om.Nominal(t)})
    >>> found = om.compare(data, [om.PRAM(stay=0.9), om.NaiveDistortion()], seeds=2, jobs=1)
    >>> found.to_frame().select("method", "seed", "rmse").rows()[2:]
    [('NaiveDistortion()', 0, 0.5), ('NaiveDistortion()', 1, 0.5)]
    """
    chosen = list(methods)
    if not chosen or not all(isinstance(method, Method) for method in chosen):
        raise MaskingError(
            "The 'methods' of compare must be a list of masking methods, such as [Recoding(k=5), Suppression(k=5)].",
            parameter="methods",
        )
    numbers = _seeds(seeds)
    if jobs is not None and (not isinstance(jobs, int) or jobs < 1):
        raise MaskingError(f"The 'jobs' of compare must be an int ≥ 1. Got {jobs!r} instead.", parameter="jobs")
    if data.source is not None:
        if jobs not in (None, 1):
            raise MaskingError(
                f"Processes cannot share the connection to the engine {data.source.engine!r}, which uses all cores by "
                f"itself. Leave out 'jobs'.",
                parameter="jobs",
                code="engine-cannot",
            )
        jobs = 1
    twice = {repr(method) for i, method in enumerate(chosen) if any(map(method.is_same, chosen[:i]))}
    if twice:
        listed = ", ".join(sorted(twice))
        raise MaskingError(
            f"Some 'methods' of compare are given more than once: {listed}. Keep one of each.", parameter="methods"
        )
    # Check the distance before starting long work.
    columns_under(data, distance, scope)
    # Keys identify methods in the journal. Without the data, nobody can guess private parameters from them.
    salt = fingerprint(data)
    keys = [_digest([salt, method.identity]) for method in chosen]
    runs = [(key, method, seed) for key, method in zip(keys, chosen, strict=True) for seed in numbers]
    options = {"distance": distance, "scope": scope}
    # What an intruder learns from the method's probabilities does not depend on the seed, and takes long to compute.
    full = numbers[0] if attacks else None
    with _Journal(journal, data, options) as done:
        todo = [run for run in runs if not done.has(run[0], run[2], attacked=run[2] == full)]
        with progress("Comparing methods", len(runs)) as advance:
            advance(len(runs) - len(todo))
            for row in _run_all(data, todo, {**options, "full": full}, jobs):
                if row is not None:
                    done.add(row)
                advance(int(row is not None))
        names = zip(keys, method_names(chosen), strict=True)
        rows = ({**done.rows[key, seed], "method": name} for key, name in names for seed in numbers)
        return Comparison(tuple({k: v for k, v in row.items() if k != "key"} for row in rows), tuple(chosen))


def _seeds(seeds: Any) -> list[int]:
    ints = (int, np.integer)
    given = list(range(seeds)) if isinstance(seeds, ints) else list(seeds) if np.iterable(seeds) else []
    if not given or not all(isinstance(seed, ints) and seed >= 0 for seed in given) or len(set(given)) < len(given):
        raise MaskingError(
            f"The 'seeds' of compare must be an int ≥ 1, or a list of at least one seed: different ints ≥ 0. "
            f"Got {seeds!r} instead.",
            parameter="seeds",
        )
    return [int(seed) for seed in given]


def _run_all(
    data: Microdata, runs: Sequence[tuple[str, Method, int]], options: Mapping[str, Any], jobs: int | None
) -> Iterator[dict[str, Any] | None]:
    """The rows as they are finished; ``None`` now and then while processes work."""
    cores = os.cpu_count() or 1
    left = list(runs)
    while left and (jobs == 1 or jobs is None or len(left) == 1):
        begun = time.perf_counter()
        yield _run(data, *left.pop(0), options)
        # The first run may have to compile; a later one shows how long the rest may take.
        slow = len(left) < len(runs) - 1 and len(left) * (time.perf_counter() - begun) > _WORTH_PROCESSES
        if jobs is None and cores > 1 and slow:
            jobs = cores
    if left:
        yield from _run_in_processes(data, left, options, jobs or 1)


def _run_in_processes(
    data: Microdata, runs: Sequence[tuple[str, Method, int]], options: Mapping[str, Any], jobs: int
) -> Iterator[dict[str, Any] | None]:
    others = set(multiprocessing.active_children())
    # Threads of dataframe libraries do not survive a fork.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_keep_data, initargs=(data, options, jobs)) as pool:
        waiting = {pool.submit(_run_here, *run) for run in runs}
        try:
            while waiting:
                finished, waiting = wait(waiting, timeout=_LOOK, return_when=FIRST_COMPLETED)
                yield None
                yield from (future.result() for future in finished)
        except BrokenProcessPool:
            raise MaskingError(
                "The processes that compare started have died. Put the call below the line if __name__ == '__main__': "
                "in your script. If the memory was full, use fewer processes.",
                parameter="jobs",
            ) from None
        finally:
            # Not empty after an interruption or an error.
            if waiting:
                pool.shutdown(wait=False, cancel_futures=True)
                for process in set(multiprocessing.active_children()) - others:
                    process.terminate()


_here: dict[str, Any] = {}


def _keep_data(data: Microdata, options: Mapping[str, Any], jobs: int) -> None:
    """Keep the table in this process, so that it is sent only once. The parent shows progress and ends processes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    show_progress(False)
    # The processes share the cores.
    limit_threads(max(1, count_threads() // jobs))
    _here.update(data=data, options=options)


def _run_here(key: str, method: Method, seed: int) -> dict[str, Any]:
    return _run(_here["data"], key, method, seed, _here["options"])


def _run(data: Microdata, key: str, method: Method, seed: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """One run as plain data. If a method refuses the data, that is its result."""
    begun = time.perf_counter()
    try:
        result = method.mask(data, seed=seed if method.takes_seed else None)
        seconds = time.perf_counter() - begun
        attacks = seed == options["full"]
        score = evaluate(data, result, distance=options["distance"], scope=options["scope"], attacks=attacks)
        return {"key": key} | comparison_row(data, method, seed, score, seconds)
    except OntomaskError as error:
        return {"key": key} | _names(data, method, seed) | dict.fromkeys(MEASURES) | {"error": str(error)}


def comparison_row(data: Microdata, method: Method, seed: int, score: Evaluation, seconds: float) -> dict[str, Any]:
    """A row of a `Comparison` for a table that is already masked and evaluated."""
    return _names(data, method, seed) | _measured(score) | {"seconds": seconds, "error": None}


def _names(data: Microdata, method: Method, seed: int) -> dict[str, Any]:
    names = {"method": repr(method), "family": type(method).__name__, "seed": seed}
    return names | {"columns": len(data.quasi_identifiers)}


def _measured(score: Evaluation) -> dict[str, float | None]:
    attributes = score.utility.attributes.values()
    differences = [change.difference for change in score.sdcor.values()]
    found = score.anonymity
    return {
        "loss_percent": score.loss_percent,
        "semantic_loss": score.semantic_loss,
        "sse": score.sse,
        "rmse": float(np.mean([a.rmse for a in attributes])),
        "mean_shift": float(np.mean([a.mean_shift for a in attributes])),
        "sdvar_difference": float(np.mean([a.distance_variance.difference for a in attributes])),
        "sdcor_difference": float(np.mean(differences)) if differences else None,
        "kl_divergence": score.utility.kl_divergence,
        "k": score.k,
        "highest_risk": None if found is None else found.highest_risk,
        "average_risk": None if found is None else found.average_risk,
        "rl": score.rl,
        "mrl": score.mrl,
        "srl": score.srl,
        "all_k": score.all_columns.k,
        "all_uniques": score.all_columns.uniques,
        "all_linked": score.all_columns.linked,
        "linked_by_method": score.linked_by_method,
        "recovered": score.recovered,
        "worst": None if score.attacks is None else score.worst,
        "suppressed": score.utility.suppressed,
    }


_ROW = {"key", "method", "family", "seed", "error", *MEASURES}


class _Journal:
    """Finished runs by the key of the method and the seed, and in a file if there is one, one line each.

    The first line identifies the data and the distance: a journal of others is refused. Only the owner can read the
    file. It holds no values of the data: private parameters are only in the key, which is a digest.
    """

    def __init__(self, path: str | Path | None, data: Microdata, options: Mapping[str, Any]) -> None:
        self.rows: dict[tuple[str, int], dict[str, Any]] = {}
        self._path = None if path is None else Path(path)
        self._file: IO[str] | None = None
        kinds = [vars(column.kind) for column in data.quasi_identifiers.values()]
        self._about = {"comparison": _digest([fingerprint(data), kinds, options])}

    def __enter__(self) -> _Journal:
        if self._path is None:
            return self
        try:
            return self._open(self._path)
        except OSError as problem:
            raise MaskingError(
                f"The journal {self._path} cannot be read or written: {problem.strerror or problem}. Use another file.",
                parameter="journal",
            ) from problem

    def _open(self, path: Path) -> _Journal:
        reason = irregular(path)
        if reason is not None:
            raise MaskingError(f"The journal {path.name} {reason}.", parameter="journal", code="not-a-file")
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
        found = [row for line in lines if (row := _read_line(line)) is not None]
        if found and found[0] != self._about:
            text = f"The journal {path.name} is of another table or another distance. Use another file."
            raise MaskingError(text, parameter="journal", code="other-table")
        if lines and not found:
            text = f"The file {path.name} is not a journal of compare. Use another file."
            raise MaskingError(text, parameter="journal", code="not-a-journal")
        done = [row for row in found[1:] if _is_row(row)]
        self.rows = {(row["key"], row["seed"]): row for row in done}
        # Written again without a line that an interruption cut off; atomically, so that an interruption loses nothing.
        content = "".join(_line(row) for row in [self._about, *done]).encode()
        write_atomic(path, content, mode=0o600)
        self._file = path.open("a", encoding="utf-8")
        return self

    def __exit__(self, *exception: object) -> None:
        if self._file is not None:
            self._file.close()

    def has(self, key: str, seed: int, *, attacked: bool) -> bool:
        """Whether a run is finished, with the attacks if these are wanted."""
        row = self.rows.get((key, seed))
        return row is not None and not (attacked and row["worst"] is None and row["error"] is None)

    def add(self, row: dict[str, Any]) -> None:
        self.rows[row["key"], row["seed"]] = row
        if self._file is not None:
            self._file.write(_line(row))
            self._file.flush()


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def _read_line(line: str) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _is_row(row: Mapping[str, Any]) -> bool:
    """Whether a line of a journal has all fields of a run with the right types."""
    if not _ROW.issubset(row):
        return False
    texts, error = (row["method"], row["family"]), row["error"]
    return (
        all(isinstance(text, str) for text in texts)
        and (error is None or isinstance(error, str))
        and _is_int(row["seed"])
        and (row.get("columns") is None or _is_int(row["columns"]))
        and all(row[name] is None or type(row[name]) is float or _is_int(row[name]) for name in MEASURES)
    )


def _is_int(number: object) -> bool:
    return type(number) is int and abs(number) < 2**53


def _digest(parts: Any) -> str:
    """Identifies a method or a comparison, and reveals nothing about the data."""
    return hashlib.sha256(json.dumps(parts, default=repr).encode()).hexdigest()
