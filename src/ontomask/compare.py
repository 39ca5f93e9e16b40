"""Many methods × seeds on one table, measured alike: what does each cost, and what does it buy?"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ontomask.errors import MaskingError, OntomaskError
from ontomask.evaluation import Evaluation, evaluate
from ontomask.evaluation.pairing import columns_under
from ontomask.figures import Figure
from ontomask.masking import Method
from ontomask.microdata import Microdata
from ontomask.microdata.plan import fingerprint
from ontomask.progress import progress

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MEASURES", "Comparison", "compare"]

# Seconds of work from which on it pays to start processes, each of which loads and compiles on its own.
_WORTH_PROCESSES = 20

# What can be put on the axes of the map, and what to call it. Of all but k, less is better.
MEASURES = {
    "loss_percent": "information loss L (%)",
    "semantic_loss": "semantic loss",
    "sse": "SSE",
    "rmse": "RMSE, mean over columns",
    "mean_shift": "shift of the mean, mean over columns",
    "sdvar_difference": "change of sdVar, mean over columns",
    "sdcor_difference": "change of sdCor, mean over pairs",
    "kl_divergence": "KL divergence",
    "k": "k achieved",
    "highest_risk": "highest prosecutor risk (%)",
    "average_risk": "average prosecutor risk (%)",
    "rl": "record linkage RL (%)",
    "mrl": "matching linkage MRL (%)",
    "srl": "semantic linkage SRL (%)",
    "suppressed": "records suppressed",
    "seconds": "seconds",
}


@dataclass(frozen=True, eq=False)
class Comparison:
    """Results of many runs, one row a method and seed.

    Attributes
    ----------
    rows
        Plain data: method, family, seed, every measure of `MEASURES`, and ``error`` where a method refused the data.
    methods
        What was compared.
    """

    rows: tuple[Mapping[str, Any], ...]
    methods: tuple[Method, ...] = ()

    def method(self, name: str) -> Method:
        """The method of a row, by its name there."""
        for method in self.methods:
            if repr(method) == name:
                return method
        raise MaskingError(f"{name} is not among the methods of this comparison: it was made of rows alone.")

    def __len__(self) -> int:
        return len(self.rows)

    def to_frame(self) -> pl.DataFrame:
        """Tidy: one row a run."""
        import polars as pl

        schema = {"method": pl.String, "family": pl.String, "seed": pl.Int64}
        schema |= dict.fromkeys(MEASURES, pl.Float64) | {"error": pl.String}
        return pl.DataFrame(list(self.rows), schema=schema)

    def summary(self) -> pl.DataFrame:
        """One row a method: the mean of every measure over the seeds, and its least and greatest value."""
        import polars as pl

        ran = self.to_frame().filter(pl.col("error").is_null())
        parts = [pl.len().alias("runs")]
        for name in MEASURES:
            parts += [pl.mean(name), pl.min(name).alias(f"{name}_least"), pl.max(name).alias(f"{name}_most")]
        return ran.group_by("method", "family", maintain_order=True).agg(parts)

    def frontier(self, risk: str = "srl", loss: str = "loss_percent") -> list[str]:
        """The methods that none beats: no other has less of one and no more of the other. The least risk first.

        Of k, more is better: with it as the risk, the largest comes first.
        """
        table = self._on_axes(risk, loss).select("method", risk, loss)
        signs = [-1 if name == "k" else 1 for name in (risk, loss)]
        places = sorted((signs[0] * x, signs[1] * y, i) for i, (_, x, y) in enumerate(table.iter_rows()))
        kept: list[tuple[float, float, int]] = []
        for place in places:
            # Whoever equals the last one in both is as good.
            if not kept or place[1] < kept[-1][1] or place[:2] == kept[-1][:2]:
                kept.append(place)
        return [table["method"][i] for *_, i in kept]

    def _on_axes(self, risk: str, loss: str) -> pl.DataFrame:
        for name in (risk, loss):
            if name not in MEASURES:
                raise MaskingError(f"there is no measure {name!r}. Choose of {', '.join(MEASURES)}.")
        return self.summary().drop_nulls([risk, loss])

    def figure(self, risk: str = "srl", loss: str = "loss_percent") -> Figure:
        """The risk–utility map: every method by its means over the seeds, and the frontier of those that none beats."""
        from ontomask.figures import Points, ScatterChart

        table = self._on_axes(risk, loss)
        if not len(table):
            raise MaskingError("there is nothing to draw: no method could mask these data.")
        series = [
            Points(
                family,
                part[risk].to_list(),
                part[loss].to_list(),
                labels=[_short(method) for method in part["method"]],
            )
            for (family,), part in table.group_by("family", maintain_order=True)
        ]
        place = {row["method"]: (row[risk], row[loss]) for row in table.iter_rows(named=True)}
        return ScatterChart(
            series,
            x_title=MEASURES[risk],
            y_title=MEASURES[loss],
            frontier=[place[method] for method in self.frontier(risk, loss)],
            title="Risk and loss",
        ).figure()

    def save(self, path: str | Path) -> None:
        """Write the tidy table; the ending decides: ``.parquet`` or ``.csv``."""
        from ontomask.microdata import write_table

        write_table(self.to_frame(), path)

    def __repr__(self) -> str:
        return f"<Comparison of {len({row['method'] for row in self.rows}):,} methods in {len(self):,} runs>"

    def _repr_svg_(self) -> str:
        return self.figure().svg


def compare(
    data: Microdata,
    methods: Iterable[Method],
    *,
    seeds: int | Sequence[int] = 3,
    distance: Any = None,
    scope: Any = None,
    jobs: int | None = None,
    journal: str | Path | None = None,
) -> Comparison:
    """Mask a table by every method with every seed, and evaluate each result.

    Parameters
    ----------
    data
        The table.
    methods
        Masking methods with their parameters.
    seeds
        How many seeds (0, 1, …), or which.
    distance, scope
        What evaluates, as in `evaluate`: the same for all methods.
    jobs
        How many processes work at a time. By default all cores, unless the first runs show that all will be done
        in less than it takes to start processes.
    journal
        A file that notes every run when it is done, so that after an interruption the same call goes on from there. It
        holds results, no data.

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
        raise MaskingError("compare needs a list of masking methods, such as [Recoding(k=5), Microaggregation(k=5)].")
    numbers = _seeds(seeds)
    if jobs is not None and (not isinstance(jobs, int) or jobs < 1):
        raise MaskingError(f"The 'jobs' of compare must be an int ≥ 1. Got {jobs!r} instead.")
    names = [repr(method) for method in chosen]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise MaskingError(f"these methods are given more than once: {', '.join(twice)}. Keep one of each.")
    # A distance that there is none of is not found out after hours of masking.
    columns_under(data, distance, scope)
    runs = [(method, seed) for method in chosen for seed in numbers]
    options = {"distance": distance, "scope": scope}
    with _Journal(journal, data, options) as done:
        todo = [run for run in runs if (repr(run[0]), run[1]) not in done.rows]
        with progress("Comparing methods", len(runs)) as advance:
            advance(len(runs) - len(todo))
            for row in _run_all(data, todo, options, jobs):
                done.add(row)
                advance(1)
        return Comparison(tuple(done.rows[repr(method), seed] for method, seed in runs), tuple(chosen))


def _seeds(seeds: Any) -> list[int]:
    whole = (int, np.integer)
    given = list(range(seeds)) if isinstance(seeds, whole) else list(seeds) if np.iterable(seeds) else []
    if not given or not all(isinstance(seed, whole) and seed >= 0 for seed in given) or len(set(given)) < len(given):
        raise MaskingError(f"compare needs at least one seed: how many, or different ints ≥ 0. Got {seeds!r} instead.")
    return [int(seed) for seed in given]


def _run_all(
    data: Microdata, runs: Sequence[tuple[Method, int]], options: Mapping[str, Any], jobs: int | None
) -> Iterator[dict[str, Any]]:
    cores = os.cpu_count() or 1
    left = list(runs)
    while left and (jobs == 1 or jobs is None or len(left) == 1):
        begun = time.perf_counter()
        yield _run(data, *left.pop(0), options)
        # The first run may have to compile; every later one tells how long those after it may take.
        slow = len(left) < len(runs) - 1 and len(left) * (time.perf_counter() - begun) > _WORTH_PROCESSES
        if jobs is None and cores > 1 and slow:
            jobs = cores
    if left:
        yield from _run_in_processes(data, left, options, jobs or 1)


def _run_in_processes(
    data: Microdata, runs: Sequence[tuple[Method, int]], options: Mapping[str, Any], jobs: int
) -> Iterator[dict[str, Any]]:
    # Not by forking: threads of dataframe libraries do not survive that.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_take_data, initargs=(data, options)) as pool:
        waiting = [pool.submit(_run_here, method, seed) for method, seed in runs]
        try:
            for finished in as_completed(waiting):
                yield finished.result()
        except BrokenProcessPool:
            raise MaskingError(
                "the processes that compare started have died. A script that calls it needs the line "
                "if __name__ == '__main__': above the call; where memory runs out, give fewer: jobs=1."
            ) from None
        finally:
            for future in waiting:
                future.cancel()


_here: dict[str, Any] = {}


def _take_data(data: Microdata, options: Mapping[str, Any]) -> None:
    """Keep the table in this process, so that it is sent once and not with every run."""
    _here.update(data=data, options=options)


def _run_here(method: Method, seed: int) -> dict[str, Any]:
    return _run(_here["data"], method, seed, _here["options"])


def _run(data: Microdata, method: Method, seed: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """One run as plain data. A method that refuses the data is a result, too."""
    row: dict[str, Any] = {"method": repr(method), "family": type(method).__name__, "seed": seed}
    begun = time.perf_counter()
    try:
        result = method.mask(data, seed=seed)
        seconds = time.perf_counter() - begun
        return row | _measured(evaluate(data, result, **options)) | {"seconds": seconds, "error": None}
    except OntomaskError as error:
        return row | dict.fromkeys(MEASURES) | {"error": str(error)}


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
        "suppressed": score.utility.suppressed,
    }


_ROW = {"method", "family", "seed", "error", *MEASURES}


class _Journal:
    """Runs that are done, by method and seed; in a file if there is one, a line each.

    The first line tells what was measured how: a journal of other data or another distance is refused.
    """

    def __init__(self, path: str | Path | None, data: Microdata, options: Mapping[str, Any]) -> None:
        self.rows: dict[tuple[str, int], dict[str, Any]] = {}
        self._path = None if path is None else Path(path)
        self._file: IO[str] | None = None
        self._about = {"comparison": _fingerprint(data, options)}

    def __enter__(self) -> _Journal:
        if self._path is None:
            return self
        try:
            return self._open(self._path)
        except OSError as problem:
            raise MaskingError(
                f"the journal {self._path} cannot be read or written: {problem.strerror or problem}. Give another file."
            ) from problem

    def _open(self, path: Path) -> _Journal:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
        found = [row for line in lines if (row := _read_line(line)) is not None]
        if found and found[0] != self._about:
            raise MaskingError(
                f"the journal {path.name} is of another table, or of another distance. Give another file."
            )
        if lines and not found:
            raise MaskingError(f"{path.name} is no journal of a comparison. Give another file.")
        done = [row for row in found[1:] if _ROW.issubset(row)]
        self.rows = {(row["method"], row["seed"]): row for row in done}
        # Written anew, so that a line that was cut off by an interruption does not stay; and put in place when it is
        # whole, so that an interruption now loses nothing.
        draft = path.with_name(f"{path.name}.part")
        draft.write_text("".join(_line(row) for row in [self._about, *done]), encoding="utf-8")
        draft.replace(path)
        self._file = path.open("a", encoding="utf-8")
        return self

    def __exit__(self, *exception: object) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, row: dict[str, Any]) -> None:
        self.rows[row["method"], row["seed"]] = row
        self._write(row)

    def _write(self, row: Mapping[str, Any]) -> None:
        if self._file is not None:
            self._file.write(_line(row))
            self._file.flush()


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def _read_line(line: str) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except json.JSONDecodeError:
        return None
    return row if isinstance(row, dict) else None


def _fingerprint(data: Microdata, options: Mapping[str, Any]) -> str:
    """Tells one comparison from another; says nothing about what is in the data."""
    columns = [f"{column.attribute!r}" for column in data.quasi_identifiers.values()]
    return hashlib.sha256(json.dumps([fingerprint(data), columns, repr(dict(options))]).encode()).hexdigest()


def _short(method: str) -> str:
    """The parameters alone: the family has its own colour."""
    inside = method[method.index("(") + 1 : -1]
    return inside.replace("'", "")
