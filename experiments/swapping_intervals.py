"""What swapping costs and what it leaves unchanged, by algorithm and interval (R section 4).

    python experiments/swapping_intervals.py
    python experiments/swapping_intervals.py --diabetes130 FILE --write

Adult's occupation × native-country over WordNet comes with the package; ``--diabetes130`` names the table of diagnoses.
Every figure is the mean of three seeds. ``--write`` puts the page into ``docs/experiments/swapping_intervals.md``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from findings import Findings, Setting, flat
from noise_levels import in_one_chapter, part
from page_figures import write_page

import ontomask as om
from ontomask.examples import adult_data, diabetes130_data
from ontomask.masking import Method
from ontomask.masking.rank_swapping import DataSwapping, DistributionalRankSwapping, RankSwapping, exact_matches
from ontomask.microdata.columns import Column
from ontomask.operators.dependence import CentredDistances, Contingency, correlation
from ontomask.operators.space import NominalSpace, space_of

PAGE = Path(__file__).parents[1] / "docs" / "experiments" / "swapping_intervals.md"
KS = (2, 5, 10, 20, 50, 100)
SEEDS = (0, 1, 2)
ADULT, R_SIZE, CHAPTER, WHOLE = (
    "Adult over WordNet",
    "diabetes130, as many records as R's Dataset1",
    "diabetes130, both diagnoses in one chapter",
    "diabetes130, all records",
)
# Records between two that are taken, so that about 1,172 remain, as in R's Dataset1.
EVERY = {R_SIZE: 86, CHAPTER: 24}
METHODS: dict[str, Callable[[int], Method]] = {
    "Algorithm 1": lambda k: RankSwapping(k, algorithm=1),
    "Algorithm 2": lambda k: RankSwapping(k, algorithm=2),
    "Algorithm 3": lambda k: RankSwapping(k, algorithm=3),
    "Algorithm 1, unswapped": lambda k: RankSwapping(k, algorithm=1, interval="unswapped"),
    "Algorithm 2, unswapped": lambda k: RankSwapping(k, algorithm=2, interval="unswapped"),
    "Algorithm 3, unswapped": lambda k: RankSwapping(k, algorithm=3, interval="unswapped"),
    "distributional": DistributionalRankSwapping,
}


@dataclass(frozen=True)
class Row:
    """One method at one k, each figure the mean over seeds; pairs of figures are those of the two columns.

    ``right``: how many of the matches by equal values that a crowd of k does not hide are right.
    """

    k: int | None
    method: str
    rmse: tuple[float, ...]
    correlation: float
    unchanged: tuple[float, ...]
    records: float
    unswapped: tuple[float, ...]
    at_least_k: tuple[float, ...]
    right: float


@dataclass(frozen=True)
class Table:
    """What was measured on one table."""

    data: om.Microdata
    correlation: float
    rows: list[Row]


def _space(column: Column) -> NominalSpace:
    space = space_of(column)
    assert isinstance(space, NominalSpace)
    return space


def distance_correlation(columns: Sequence[Column]) -> float:
    """sdCor of two encoded columns."""
    found = [np.unique(c.point[c.code], return_inverse=True, return_counts=True) for c in columns]
    a, b = (CentredDistances(_space(c), points, counts) for c, (points, _, counts) in zip(columns, found, strict=True))
    return correlation(a, b, Contingency.of(found[0][1], found[1][1])).value


def measure(data: om.Microdata, ks: Sequence[int] = KS, seeds: Sequence[int] = SEEDS) -> Table:
    """All methods at all k."""
    columns = list(data.quasi_identifiers.values())
    tried: list[tuple[int | None, str, Method]] = [(None, "data swapping", DataSwapping())]
    tried += [(k, name, make(k)) for name, make in METHODS.items() for k in ks]
    rows = []
    for k, name, method in tried:
        print(f"  {name}, {k}", file=sys.stderr)
        runs = np.mean([_run(columns, method, k, data, seed) for seed in seeds], axis=0).tolist()
        pairs = [tuple(runs[i : i + 2]) for i in range(0, 8, 2)]
        matches, right = runs[10:]
        share = right / matches if matches else np.nan
        rows.append(Row(k, name, pairs[0], runs[8], pairs[1], runs[9], pairs[2], pairs[3], share))
    return Table(data, distance_correlation(columns), rows)


def _run(columns: Sequence[Column], method: Method, k: int | None, data: om.Microdata, seed: int) -> list[float]:
    result = method.mask(data, seed=seed)
    masked = list(result.data.columns.values())
    rmse = [
        np.sqrt(np.mean(_space(before).pairs(before.point[before.code], after.point[after.code]) ** 2))
        for before, after in zip(columns, masked, strict=True)
    ]
    details = result.details
    drawn = [details["candidates"][column.name]["at_least_k"] if k else np.nan for column in columns]
    return [
        *rmse,
        *details["unchanged"].values(),
        *(stayed / len(data) for stayed in details["unswapped"].values()),
        *drawn,
        distance_correlation(masked),
        details["unchanged_records"],
        *exact_matches(data, result.data, k or 0),
    ]


def collect(path: Path | None) -> Iterator[tuple[str, om.Microdata]]:
    """The tables that can be had."""
    yield ADULT, adult_data()
    if path is not None:
        whole = diabetes130_data(path, "diag_1", "diag_2")
        yield R_SIZE, part(whole, np.arange(0, len(whole), EVERY[R_SIZE]))
        yield CHAPTER, part(whole, in_one_chapter(whole)[:: EVERY[CHAPTER]])
        yield WHOLE, part(whole, np.arange(len(whole)))


def figures(measured: Table) -> str:
    """Markdown that can be read as it is; the two figures of a cell are those of the two columns."""
    head = [
        "method",
        "k",
        "RMSE",
        "sdCor*",
        "sdCor* − sdCor",
        "values unchanged",
        "records unchanged",
        "values left unswapped",
        "draws from ≥ k",
        "rare matches right",
    ]
    lines = [head, ["---", *["--:"] * (len(head) - 1)]]
    for row in measured.rows:
        lines.append(
            [
                row.method,
                "" if row.k is None else f"{row.k}",
                _both(row.rmse, ".3f"),
                f"{row.correlation:.3f}",
                f"{row.correlation - measured.correlation:+.3f}",
                _both(row.unchanged, ".1%"),
                f"{row.records:.1%}",
                _both(row.unswapped, ".1%"),
                "" if row.k is None else _both(row.at_least_k, ".1%"),
                "" if np.isnan(row.right) else f"{row.right:.1%}",
            ]
        )
    return _markdown(lines)


def _markdown(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(f"| {' | '.join(map(str.ljust, line, widths))} |" for line in lines)


def _both(found: Iterable[float], form: str) -> str:
    return ", ".join(f"{figure:{form}}" for figure in found)


def conclusions(measured: Table) -> dict[str, list[bool]]:
    """What R concludes, and whether it holds: for each k, or for each column at each k."""
    at = {(row.k, row.method): row for row in measured.rows if row.k is not None}
    ks = sorted({k for k, _ in at})
    data_swapping = next(row for row in measured.rows if row.k is None)

    def rmse(less: str, more: str, factor: float = 1.0) -> list[bool]:
        pairs = [(at[k, less].rmse, at[k, more].rmse) for k in ks]
        return [a <= factor * b for small, large in pairs for a, b in zip(small, large, strict=True)]

    def kept(better: str, worse: str) -> list[bool]:
        drift = {key: abs(row.correlation - measured.correlation) for key, row in at.items()}
        return [drift[k, better] <= drift[k, worse] for k in ks]

    steps = list(pairwise(ks))
    return {
        "RMSE of Algorithm 2 ≤ Algorithm 3": rmse("Algorithm 2", "Algorithm 3"),
        "RMSE of Algorithm 3 at most half of Algorithm 1": rmse("Algorithm 3", "Algorithm 1", 0.5),
        "RMSE grows with k (Algorithms 1, 2, 3)": [
            a < b
            for name in ("Algorithm 1", "Algorithm 2", "Algorithm 3")
            for k, more in steps
            for a, b in zip(at[k, name].rmse, at[more, name].rmse, strict=True)
        ],
        "RMSE of distributional swapping within 20 % of Algorithm 1": [
            abs(a - b) <= 0.2 * b
            for k in ks
            for a, b in zip(at[k, "distributional"].rmse, at[k, "Algorithm 1"].rmse, strict=True)
        ],
        "RMSE of data swapping ≥ all others": [
            a >= b for row in at.values() for a, b in zip(data_swapping.rmse, row.rmse, strict=True)
        ],
        "sdCor kept better by Algorithm 3 than by 2": kept("Algorithm 3", "Algorithm 2"),
        "sdCor kept better by Algorithm 3 than by 1": kept("Algorithm 3", "Algorithm 1"),
        "sdCor kept better by Algorithm 1 than by distributional swapping": kept("Algorithm 1", "distributional"),
        "unswapped interval: rare matches right ≤ 1/k (Algorithm 3)": [
            not row.right > 1 / k for (k, name), row in at.items() if name == "Algorithm 3, unswapped"
        ],
        "R's interval: rare matches right ≤ 1/k (Algorithm 3)": [
            not row.right > 1 / k for (k, name), row in at.items() if name == "Algorithm 3"
        ],
    }


def summary(found: Mapping[str, Table]) -> str:
    """A table of conclusions: in how many cases each holds."""
    held = {title: conclusions(measured) for title, measured in found.items()}
    lines = [["R", *held], ["---", *["--:"] * len(held)]]
    for text in next(iter(held.values())):
        lines.append([text, *(f"{sum(cases[text])} of {len(cases[text])}" for cases in held.values())])
    return _markdown(lines)


def by_size(data: om.Microdata, steps: Sequence[int] = (86, 17, 4, 1), k: int = 10) -> str:
    """What stays unchanged as a table of the same persons grows."""
    head = ["records", "distinct values", "values unchanged, Algorithm 2", "values unchanged, Algorithm 3"]
    lines = [head, ["--:"] * len(head)]
    for step in steps:
        some = part(data, np.arange(0, len(data), step))
        unchanged = [
            RankSwapping(k, algorithm=number).mask(some, seed=0).details["unchanged"].values() for number in (2, 3)
        ]
        distinct = _both((len(values) for values in some.table.values), ",")
        lines.append([f"{len(some):,}", distinct, *(_both(shares, ".1%") for shares in unchanged)])
    return _markdown(lines)


def report(found: Mapping[str, Table], reading: str) -> str:
    """The whole page; the reading at its end is a person's."""
    parts = [
        "# Swapping intervals",
        "What rank swapping makes of two columns (R section 4): the root mean square distance between original and "
        "released values, the distance correlation, the shares of values and of whole records that mean what they "
        "meant, the share of values that found no partner, and how many partners were drawn from at least k "
        "candidates. *Unswapped*: the interval is made of the k nearest records whose value is still unswapped. *Rare "
        "matches right*: of the released records whose combination of values is one of the original, and shared by "
        "fewer than k released ones, how many are what they were, that is, how often an exact match is right. Where a "
        f"cell has two figures, they are those of the two columns. All are means of {len(SEEDS)} seeds; the distance "
        "is Wu–Palmer inside the domain. Means, variances and frequencies of the columns are unchanged by "
        "construction.",
    ]
    for title, measured in found.items():
        table = measured.data.table
        distinct = ", ".join(f"{len(values):,}" for values in table.values)
        parts += [
            f"## {title}",
            f"{table.records:,} records of {' × '.join(measured.data.quasi_identifiers)}: {distinct} distinct values, "
            f"{len(table):,} distinct pairs, {int((table.counts == 1).sum()):,} of them unique; sdCor "
            f"{measured.correlation:.3f}.",
            figures(measured),
        ]
    if WHOLE in found:
        parts += [
            "## As a table grows",
            "diabetes130 at k = 10: every 86th record, every 17th, every 4th, all of them; one seed.",
            by_size(found[WHOLE].data),
        ]
    parts += ["## What comes out", summary(found), reading]
    parts.append("Made by `python experiments/swapping_intervals.py --diabetes130 FILE --write`.")
    return "\n\n".join(parts)


READING = "\n\n".join(
    [
        "**Found.** Of R's three, Algorithm 2 has the smallest error in every case, then Algorithm 3; how far both "
        "stay below Algorithm 1 depends on how often values repeat. With 1,166 records, 697 of their pairs unique, "
        "Algorithm 3 has 0.25 to 0.56 where Algorithm 1 has 0.67 to 0.69 (R's Dataset1, principal diagnosis: 0.20 to "
        "0.47 and 0.46 to 0.61); with all records, 0.08 to 0.26. Errors of Algorithms 2 and 3 grow with k on "
        "diabetes130 throughout. Algorithm 3 keeps sdCor better than Algorithm 1 in all 24 cases and better than "
        "Algorithm 2 in 19; in the other five they differ by no more than 0.001. Data swapping has the largest error "
        "always and leaves what chance leaves: 0.015 in 100,244 records, 0.144 in 1,166, since a distance correlation "
        "is never 0 in a sample.",
        "**Found in part.** Errors of Algorithm 1 hardly grow with k: on all records 0.668 at k = 2, 0.669 at k = 100. "
        "Nine values in ten lie at one and the same distance from the most distant value (in other chapters, equally "
        "deep); ties come in random order, and the next rank is then as good or bad as the hundredth. On Adult, where "
        "nine records in ten have the same country and 14 occupations share 30,162 records, Algorithm 2 has next to "
        "nobody but copies to swap with, up to k = 100.",
        "**Not found.** Distributional swapping is not like Algorithm 1 here, and keeps sdCor better, not worse, in "
        "all 24 cases. Where values repeat, a frequency nearly names its value: with all records 90 % of the values "
        "are swapped with their own copies. In R's Dataset1, with 1.5 records a value, most values share the frequency "
        "1, and ranking by it is ranking by chance. On as few records of diabetes130 (5 records a value) its errors "
        "are within 20 % of Algorithm 1's from k = 20 on.",
        "**Privacy is not what k says.** R 3.5 claims that an intruder is right with a probability of at most 1/k. "
        "That needs k candidates at every draw; in R's interval about one draw in k has them (all records, Algorithm "
        "3: 51 % at k = 2, 11 % at 10, 1 % at 100), and at k = 10 6 % of the values find no partner at all. With the "
        "interval of unswapped records every draw has its k candidates, and still no more than one rare match in k is "
        "right in 5 of 24 cases only (with R's in 4, all at k = 2): candidates repeat the reference's value. At "
        "k = 100 on all records 30 % of the rare matches are right with R's interval and 20 % with the other, where "
        "1 % was promised. That is why a result claims probabilistic k-anonymity only after both were counted on it.",
        "**k must grow with the table.** The k nearest of a larger table are nearer, and soon copies: at k = 10, "
        "Algorithm 2 leaves 70 % of diag_1 unchanged in 1,166 records, 90 % in 5,897, 99 % in all. Whoever swaps for "
        "protection chooses k by the shares unchanged, not by what sufficed for another table, or takes k as a share "
        "of the records, as numerical rank swapping does.",
        "**What the interval of unswapped records costs.** It moves values that R's interval leaves where they are: "
        "with all records and k = 10, Algorithm 3 has an RMSE of 0.195 and 0.202 instead of 0.129 and 0.133, leaves "
        "60 % of the records unchanged instead of 74 %, 24 % of the rare matches are right instead of 40 %, and sdCor "
        "changes by less than 0.001. For about the same error (0.202 and 0.216 at k = 50) R's interval has 32.5 % of "
        "them right.",
    ]
)


def run(setting: Setting) -> Findings:
    """For ``run.py``."""
    if setting.quick:
        found = {ADULT: measure(part(adult_data(), np.arange(300)), (2, 5), (0,))}
    else:
        found = {title: measure(data) for title, data in collect(setting.diabetes130)}
    rows = [flat(row, data=title) for title, measured in found.items() for row in measured.rows]
    return Findings(report(found, READING), rows)


def main() -> None:
    """Print the page, and write it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--diabetes130", type=Path, metavar="FILE", help="diabetes130.csv.gz")
    parser.add_argument("--write", action="store_true", help=f"write docs/experiments/{PAGE.name}")
    given = parser.parse_args()
    found = {}
    for title, data in collect(given.diabetes130):
        print(title, file=sys.stderr)
        found[title] = measure(data)
    page = report(found, READING) + "\n"
    print(page)
    if given.write:
        write_page(PAGE, page)


if __name__ == "__main__":
    main()
