"""Compare options of k-anonymous methods on several tables: which has less, and by how much.

For ``microaggregation_variants`` and ``recoding_and_resampling``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from pathlib import Path

import polars as pl

import ontomask as om
from experiments.grouping.trials import Make, Trials, shown
from experiments.shared.findings import Spread, markdown
from ontomask.examples import diabetes130_data

__all__ = [
    "ADULT",
    "AGE",
    "PAIR",
    "SIX",
    "TRIPLE",
    "Table",
    "at_k",
    "clearly",
    "less",
    "less_in",
    "pairs_table",
    "wide",
]

ADULT, AGE = "Adult", "Adult with age"
PAIR, TRIPLE, SIX = "2 diagnoses", "3 diagnoses", "6 columns"
WHAT = {
    ADULT: "Adult: occupation, native-country over WordNet",
    AGE: "Adult: occupation, native-country, age",
    PAIR: "diabetes130: diag_1, diag_2 over ICD-9-CM",
    TRIPLE: "diabetes130: diag_1, diag_2, diag_3 over ICD-9-CM",
    SIX: "diabetes130: three diagnoses, age, race, gender",
}

Found = Mapping[str, Trials]


@dataclass(frozen=True)
class Table:
    """A table with its options and seeds."""

    name: str
    data: om.Microdata
    ks: Sequence[int]
    options: Mapping[str, Make]
    seeds: Sequence[int]

    @property
    def k(self) -> int:
        """The k at which all figures are shown: 5 if it is among them."""
        return 5 if 5 in self.ks else self.ks[0]

    @property
    def unique(self) -> int:
        """The number of tuples with one record."""
        return int((self.data.table.counts == 1).sum())

    @property
    def description(self) -> str:
        """A description for a page."""
        seeds = f"seeds {self.seeds[0]} to {self.seeds[-1]}" if len(self.seeds) > 1 else f"seed {self.seeds[0]}"
        return (
            f"{WHAT[self.name]}. {len(self.data):,} records, {len(self.data.table):,} distinct tuples, "
            f"{self.unique:,} of them unique; {seeds}."
        )


def wide(path: Path) -> om.Microdata:
    """diabetes130 with three diagnoses, age, race and gender: most records are unique."""
    frame = pl.read_csv(path, infer_schema=False, columns=["age", "race", "gender"])

    def unordered(name: str) -> om.Nominal:
        return om.Nominal(om.Taxonomy.from_edges([(value, f"any {name}") for value in sorted(set(frame[name]))]))

    ages = om.Ordinal(sorted(set(frame["age"])))
    return diabetes130_data(path, others={"age": ages, "race": unordered("race"), "gender": unordered("gender")})


def less(one: Spread, other: Spread) -> bool:
    """Whether a mean is less than another beyond rounding."""
    return one.mean < other.mean and not isclose(one.mean, other.mean, rel_tol=1e-9)


def clearly(one: Spread, other: Spread) -> bool:
    """Whether two means differ by more than the sum of their standard deviations."""
    return less(one, other) and one.high < other.low


def both(found: Found, one: str, other: str, measure: str) -> dict[str, list[tuple[Spread, Spread]]]:
    """The figures of two options by table, for every k at which both were measured."""
    pairs = {
        table: [
            (figures[measure], trials.figures[other, k][measure])
            for (name, k), figures in trials.figures.items()
            if name == one and (other, k) in trials.figures
        ]
        for table, trials in found.items()
    }
    return {table: cases for table, cases in pairs.items() if cases}


def less_in(
    found: Found, one: str, *others: str, measure: str = "loss_percent", or_equal: bool = False
) -> dict[str, list[bool]]:
    """Whether one option has less than each of the others, by table and case; for a `Conclusion`."""
    held: dict[str, list[bool]] = {}
    for other in others:
        for table, cases in both(found, one, other, measure).items():
            held.setdefault(table, []).extend(not less(b, a) if or_equal else less(a, b) for a, b in cases)
    return held


def pairs_table(found: Found, pairs: Sequence[tuple[str, str]], measures: Mapping[str, str]) -> str:
    """The number of cases in which the first of two options has less, and more, and the ratios."""
    lines = []
    for one, other in pairs:
        line = [one, other]
        for number, measure in enumerate(measures):
            cases = [case for cases in both(found, one, other, measure).values() for case in cases]
            times = [a.mean / b.mean for a, b in cases]
            line += [f"{len(cases)}"] if number == 0 else []
            line += [_count(cases), _count([(b, a) for a, b in cases])]
            line += [f"{min(times):.2f} to {max(times):.2f}" if times else "—"]
        lines.append(line)
    head = [f"{title}{what}" for title in measures.values() for what in (" less", " more", ", times")]
    return markdown(["", "beside", "cases", *head], lines, left=2)


def _count(cases: Sequence[tuple[Spread, Spread]]) -> str:
    """The number of cases in which the first is less and, for several seeds, clearly less.

    One seed cannot decide that.
    """
    by_chance = any(spread.sd > 0 for case in cases for spread in case)
    number = f"{sum(less(a, b) for a, b in cases)}"
    return f"{number} ({sum(clearly(a, b) for a, b in cases if max(a.runs, b.runs) > 1)})" if by_chance else number


def at_k(table: Table, trials: Trials, options: Sequence[str], measures: Mapping[str, tuple[str, int]]) -> str:
    """Several figures of each option at one k; each has a title and digits."""
    return markdown(
        [f"k = {table.k}", *(title for title, _ in measures.values())],
        [
            [
                name,
                *(shown(trials.figures[name, table.k][measure], digits) for measure, (_, digits) in measures.items()),
            ]
            for name in options
        ],
    )
