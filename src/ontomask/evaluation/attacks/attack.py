"""`attack`: every intruder on one release, and the worst of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import Records
from ontomask.base.notes import join_names
from ontomask.base.progress import progress
from ontomask.base.text import visible
from ontomask.errors import TableError
from ontomask.evaluation.attacks.columns import KnownColumns, ReleasedColumns, know_columns
from ontomask.evaluation.attacks.downcoding import Downcoding
from ontomask.evaluation.attacks.homogeneity import Homogeneity, find_homogeneous
from ontomask.evaluation.attacks.in_engine import KnownRows
from ontomask.evaluation.attacks.informed import Informed
from ontomask.evaluation.attacks.minimality import Minimality, exploit_minimality
from ontomask.evaluation.attacks.ranks import RankIntersection
from ontomask.evaluation.attacks.stratified import (
    downcode_strata,
    intersect_ranks_of_strata,
    know_method_of_strata,
)
from ontomask.evaluation.linkage import link
from ontomask.evaluation.pairing import ANOTHER_TABLE, Pairing
from ontomask.evaluation.reading import read_masked
from ontomask.masking import Method, Result
from ontomask.microdata import Microdata
from ontomask.microdata.masked import MaskedData, MaskedTuples
from ontomask.microdata.sources import check_in_memory

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Attacks", "Finding", "attack", "attack_in_engine", "run_intruders"]

Learns = Literal["records", "values", "confidential values"]


@dataclass(frozen=True)
class Finding:
    """The finding of one intruder.

    Attributes
    ----------
    intruder
        The attribute of `Attacks` that has all figures.
    column
        The confidential column, if the finding is about one.
    learns
        ``records``: which released row is whose. ``values``: original quasi-identifiers. ``confidential values``.
    percent
        Of the records.
    error
        The standard error in percentage points; 0 if the figure is exact.
    columns
        The columns that the intruder knows.
    sentence
        The same as a sentence.
    """

    intruder: str
    learns: Learns
    percent: float
    error: float
    columns: tuple[str, ...]
    sentence: str
    column: str = ""


@dataclass(frozen=True, eq=False)
class Attacks:
    """What intruders learn from a release. Figures and sentences may be published, the list of `exposed` records not.

    Attributes
    ----------
    quasi_identifiers, all_columns
        The intruder who knows these columns of everybody and links the semantically nearest row.
    method
        The intruder who also knows the method with its parameters; ``None`` for a table from another tool.
    ranks
        Rank intersection, for rank swapping.
    homogeneity
        For each confidential column, the records in groups with a single value.
    minimality
        For each requirement that groups were merged for, what the mergers reveal.
    downcoding
        What minimal generalisation reveals, for local generalisation.
    records
        How many records each entry of `record_risk` stands for; ``None``: one. An engine gives distinct rows.
    sampled
        For each row that was sampled for ``all_columns`` its position among the rows of the others; ``None`` if all
        know the same rows.
    """

    quasi_identifiers: KnownColumns
    all_columns: KnownColumns
    method: Informed | None
    ranks: RankIntersection | None
    homogeneity: tuple[Homogeneity, ...]
    minimality: tuple[Minimality, ...]
    downcoding: Downcoding | None
    records: Records = None
    sampled: NDArray[np.int64] | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """One finding for each figure, in the order of the attributes."""
        return tuple(self._findings())

    def _findings(self) -> Iterator[Finding]:
        masked, everything = self.quasi_identifiers, self.all_columns
        names = join_names(masked.columns)
        of_persons = " of all records of a person" if masked.knows_persons else ""
        row = "pseudonym by meaning" if masked.knows_persons else "released row by meaning (SRL)"
        yield Finding(
            "quasi_identifiers",
            "records",
            masked.linked,
            0.0,
            masked.columns,
            f"An intruder who knows {names}{of_persons} links {masked.linked:.3g} % of the records to their {row}.",
        )
        if everything.kept:
            yield Finding(
                "all_columns",
                "records",
                everything.linked,
                everything.error,
                everything.columns,
                f"An intruder who knows {names} and also {join_names(everything.kept)}{of_persons} links "
                f"{everything.linked:.3g} % of the records{_how_sampled(everything)}; {everything.uniques:.3g} % "
                f"of the released rows are unique in these columns (k = {everything.k:,}).",
            )
        if self.method is not None:
            yield from _of_method(self.method, masked.columns, names)
        if self.ranks is not None:
            yield Finding(
                "ranks",
                "records",
                self.ranks.linked,
                0.0,
                masked.columns,
                f"An intruder who knows {names} and the swapping interval links {self.ranks.linked:.3g} % of the "
                f"records by rank intersection, {self.ranks.certain:.3g} % with certainty.",
            )
        for found in self.homogeneity:
            more = f"; in all known columns, {found.all_columns:.3g} %" if everything.kept else ""
            if self.sampled is not None and self.records is not None:
                more += f" (at most: of a random sample of {int(self.records.sum()):,} records)"
            what = f"are in groups that are equal in {names} and have a single value of {found.column}"
            if masked.knows_persons:
                what = f"have a value of {found.column} that every pseudonym with an equal set of {names} has"
            yield Finding(
                "homogeneity",
                "confidential values",
                found.all_columns,
                0.0,
                everything.columns,
                f"{found.quasi_identifiers:.3g} % of the records {what}{more}.",
                found.column,
            )
        for merged in self.minimality:
            yield _of_minimality(merged, masked.columns, names)
        if self.downcoding is not None:
            yield Finding(
                "downcoding",
                "values",
                self.downcoding.certain,
                0.0,
                (),
                f"An intruder who knows that generalisation is minimal narrows {self.downcoding.certain:.3g} % of the "
                f"generalised cells of {names} with certainty, and guesses {self.downcoding.guessed:.3g} % right "
                f"({self.downcoding.base:.3g} % without that knowledge).",
            )

    @property
    def worst(self) -> Finding:
        """The intruder who links the most records."""
        return max((found for found in self.findings if found.learns == "records"), key=lambda found: found.percent)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The findings as sentences."""
        return tuple(found.sentence for found in self.findings)

    def exposed(self, most: int = 10) -> NDArray[np.int64]:
        """Positions of the original records that some intruder links with the highest probability, that first.

        Keep them private: these released rows are hardly protected.
        """
        return np.argsort(-self.record_risk(), kind="stable")[:most]

    def record_risk(self) -> NDArray[np.float64]:
        """For every original record the highest probability with which an intruder links it. Keep it private.

        Of a table in an engine, there is one for distinct rows: ``records`` says how many each stands for.
        """
        risks = [self.quasi_identifiers.risk]
        if self.method is not None:
            risks.append(self.method.record_risk())
        if self.ranks is not None:
            risks.append(self.ranks.record_risk())
        if self.sampled is not None:
            risks = [risk[self.sampled] for risk in risks]
        risk: NDArray[np.float64] = np.max([*risks, self.all_columns.risk], axis=0)
        return risk

    def to_frame(self) -> pl.DataFrame:
        """One row per finding."""
        import polars as pl

        schema = {"intruder": pl.String, "learns": pl.String, "percent": pl.Float64, "error": pl.Float64}
        schema |= {"columns": pl.String, "sentence": pl.String, "column": pl.String}
        rows = [asdict(found) | {"columns": ", ".join(found.columns)} for found in self.findings]
        return pl.DataFrame(rows, schema=schema)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: numbers and texts, nothing about single records."""
        everything = self.all_columns
        return {
            "worst": asdict(self.worst),
            "findings": [asdict(found) for found in self.findings],
            "all_columns": {
                "columns": list(everything.columns),
                "k": everything.k,
                "uniques": everything.uniques,
                "linked": everything.linked,
                "shares": {name: asdict(share) for name, share in everything.shares.items()},
            },
            "method": None if self.method is None else _method_facts(self.method),
        }

    def to_json(self, indent: int | None = 2) -> str:
        """`to_dict` as JSON."""
        return visible(json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False), keep="\n")

    def __str__(self) -> str:
        lines = [*self.sentences, f"Worst: {self.worst.percent:.3g} % linked ({self.worst.intruder})."]
        return "\n".join(map(visible, lines))

    def __repr__(self) -> str:
        return f"<Attacks: worst {self.worst.percent:.3g} % linked ({self.worst.intruder})>"


def _of_method(found: Informed, columns: tuple[str, ...], names: str) -> Iterator[Finding]:
    linked, recovered = (f" ({', '.join(how)})" if (how := _how_sure(found, name)) else "" for name in found.error)
    yield Finding(
        "method",
        "records",
        found.linked,
        found.error["linked"],
        columns,
        f"An intruder who knows {names} and the method links {found.linked:.3g} % of the records{linked}.",
    )
    yield Finding(
        "method",
        "values",
        found.recovered,
        found.error["recovered"],
        (),
        f"An intruder who knows the method reads {found.recovered:.3g} % of the original combinations of {names} back "
        f"from the released ones{recovered}; guessing the most frequent one gives {found.mode:.3g} %.",
    )


def _how_sampled(found: KnownColumns) -> str:
    if not found.sampled:
        return ""
    return f" (at most: a random sample of {found.sampled:,} records was linked, standard error {found.error:.2g})"


def _how_sure(found: Informed, name: str) -> list[str]:
    """How a figure was obtained, if it is not exact."""
    how = [f"estimated, standard error {found.error[name]:.2g}"] if found.runs else []
    if found.basis == "bound":
        how.append(f"at most: the table was attacked in {found.parts:,} random parts")
    return how


def _of_minimality(found: Minimality, columns: tuple[str, ...], names: str) -> Finding:
    what = f"{found.merged:.3g} % of the records are in merged groups, where {found.requirement} is required"
    if found.certain is not None:
        what = (
            f"An intruder knows {names} and repeats the grouping without {found.requirement}. Then {found.column} is "
            f"certain for {found.certain:.3g} % of the records, and at least 90 % likely for {found.sure:.3g} %. For "
            f"{found.likely:.3g} % it becomes more likely, by {found.gain:.2g} percentage points"
        )
    percent = found.merged if found.sure is None else found.sure
    return Finding("minimality", "confidential values", percent, 0.0, columns, f"{what}.", found.column)


def _method_facts(found: Informed) -> dict[str, Any]:
    return {
        "linked": found.linked,
        "linked_uniques": found.linked_uniques,
        "recovered": found.recovered,
        "mode": found.mode,
        "confident": {str(p): [x if isfinite(x) else None for x in pair] for p, pair in found.confident.items()},
        "basis": found.basis,
        "runs": found.runs,
        "parts": found.parts,
        "error": dict(found.error),
    }


@progress("Attacking")
def attack(data: Microdata, result: Any, *, seed: int = 0, runs: int | None = None) -> Attacks:
    """Attack a release as every intruder.

    Parameters
    ----------
    data
        The original with its roles.
    result
        The `Result` of a method, its ``data``, or a masked frame of the same records in the same order. Intruders who
        know the method attack a `Result` only.
    seed, runs
        For the re-runs of a method whose probabilities have to be estimated. The seed is not related to the seed of the
        masking.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> frame = pd.DataFrame({"age": [30, 30, 40, 40], "town": ["Ely", "Rye", "Ely", "Ely"]})
    >>> data = om.Microdata(frame, {"age": om.Numeric()}, other=["town"])
    >>> found = om.attack(data, om.Microaggregation(k=2).mask(data))
    >>> found.quasi_identifiers.linked, found.all_columns.linked, found.all_columns.uniques
    (50.0, 75.0, 50.0)
    >>> found.worst.intruder, found.worst.percent
    ('all_columns', 75.0)
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise TableError(f"The 'seed' must be an int ≥ 0. Got {seed!r} instead.", parameter="seed")
    method = result.method if isinstance(result, Result) else None
    masked = result.data if isinstance(result, Result) else result
    if isinstance(masked, MaskedTuples):
        if masked.counted is None or data.source is None or len(masked.counted) != len(data):
            raise TableError(ANOTHER_TABLE, code="other-table")
        return attack_in_engine(KnownRows.of(masked, seed=seed), method, seed=seed, runs=runs)
    if not isinstance(masked, MaskedData):
        check_in_memory(data, "Reading another table")
        masked, _ = read_masked(data, masked)
    pairing = Pairing.of(data, masked)
    columns = ReleasedColumns(data, masked)
    known = know_columns(pairing, columns, link(pairing))
    return run_intruders(pairing, columns, known, method, seed=seed, runs=runs)


def attack_in_engine(known: KnownRows, method: Method | None, *, seed: int = 0, runs: int | None = None) -> Attacks:
    """Attack a release whose records are in an engine."""
    columns, released = (ReleasedColumns(rows.data, rows.masked) for rows in (known.rows, known.counted))
    found = run_intruders(known.pairing, columns, known.known, method, released=released, seed=seed, runs=runs)
    return replace(found, sampled=known.sampled)


def run_intruders(
    pairing: Pairing,
    columns: ReleasedColumns,
    known: tuple[KnownColumns, KnownColumns],
    method: Method | None,
    *,
    released: ReleasedColumns | None = None,
    seed: int = 0,
    runs: int | None = None,
) -> Attacks:
    """Run the intruders that do more than know columns. ``released`` are records with all columns, if others have."""
    data, masked = columns.data, columns.masked
    informed = None
    if method is not None:
        informed = know_method_of_strata(data, pairing, method, units=masked.units, runs=runs, seed=seed)
    return Attacks(
        quasi_identifiers=known[0],
        all_columns=known[1],
        method=informed,
        ranks=intersect_ranks_of_strata(data, pairing, method) if method is not None else None,
        # If a method makes no groups, a group of one does not reveal whose record it is.
        homogeneity=find_homogeneous(released or columns) if method is None or method.makes_groups else (),
        minimality=exploit_minimality(data, masked, method) if method is not None else (),
        downcoding=downcode_strata(data, pairing, method),
        records=(released or columns).data.row_records,
    )
