"""Which record stands best for many: centroid strategies compared on Adult, whole and in seven clusters (T 4.3.5).

    python experiments/centroid_strategies.py
    python experiments/centroid_strategies.py --write

Prints the sum of LogSC distances between each strategy's centroid and all records (T eq. 4.8), as in Figs. 10–11 of
Martínez's thesis (T), which used a survey that is not public. ``--write`` puts the table into
``docs/experiments/centroid_strategies.md``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ontomask as om
from ontomask.examples.adult import DOMAIN, MAPPING
from ontomask.operators.centroid import record_centroid
from ontomask.operators.space import NominalSpace, record_distances

PAGE = Path(__file__).parents[1] / "docs" / "experiments" / "centroid_strategies.md"
CLUSTERS = 7

Rows = dict[str, list[float]]


@dataclass(frozen=True)
class Records:
    """Distinct tuples, column by column, with counts; distances are those of all WordNet, as in T."""

    domains: tuple[om.Taxonomy, ...]
    columns: tuple[NDArray[np.int32], ...]
    counts: NDArray[np.int64]

    def spaces(self, measure: str, **options: Any) -> list[NominalSpace]:
        """The attributes under a distance."""
        d = om.distance(measure, om.load_wordnet(), **options)
        return [NominalSpace(domain, d) for domain in self.domains]

    def take(self, places: NDArray[np.intp]) -> Records:
        """Some of the tuples."""
        return Records(self.domains, tuple(column[places] for column in self.columns), self.counts[places])

    def sums(self, spaces: Sequence[NominalSpace], candidates: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """For each candidate record the sum of distances to all records (T eq. 4.8)."""
        total: NDArray[np.float64] = record_distances(spaces, candidates, self.columns) @ self.counts
        return total


def read_records() -> Records:
    """Adult's occupation × native-country as concepts."""
    wordnet, adult = om.load_wordnet(), om.load_adult()
    domains, codes = [], []
    for column, top in DOMAIN.items():
        concepts = om.map_values(adult[column], wordnet, MAPPING[column], domain=top, column=column).concepts
        domains.append(wordnet.domain(top))
        codes.append(domains[-1].codes(concepts[value] for value in adult[column]))
    tuples, counts = np.unique(np.stack(codes, axis=1), axis=0, return_counts=True)
    return Records(tuple(domains), tuple(tuples.T), counts)


def clusters(records: Records) -> list[Records]:
    """Seven clusters of tuples by Ward's method under LogSC, as in T, the largest first."""
    spaces = records.spaces("log_sc")
    size = records.counts.astype(np.float64)
    # What a merger adds to the sum of squares, for single tuples; then by Lance and Williams' update.
    cost = record_distances(spaces, records.columns, records.columns) ** 2
    cost *= np.multiply.outer(size, size) / np.add.outer(size, size)
    np.fill_diagonal(cost, np.inf)
    member = np.arange(len(size))
    for _ in range(len(size) - CLUSTERS):
        i, j = sorted(divmod(int(np.argmin(cost)), len(size)))
        both = size[i] + size[j] + size
        merged = ((size + size[i]) * cost[i] + (size + size[j]) * cost[j] - size * cost[i, j]) / both
        merged[[i, j]] = np.inf
        cost[i] = cost[:, i] = merged
        cost[j] = cost[:, j] = np.inf
        size[i] += size[j]
        member[member == j] = i
    parts = [records.take(np.flatnonzero(member == c)) for c in np.unique(member)]
    return sorted(parts, key=lambda part: -int(part.counts.sum()))


def strategies() -> dict[str, Callable[[Records], float]]:
    """For each strategy the sum of LogSC distances between its centroid and the records it stands for."""

    def strategy(name: Any, measure: str = "log_sc", **options: Any) -> Callable[[Records], float]:
        def total(records: Records) -> float:
            found = record_centroid(records.spaces(measure, **options), records.columns, records.counts, name)
            return float(records.sums(records.spaces("log_sc"), [np.array([point]) for point in found])[0])

        return total

    def at_random(records: Records) -> float:
        # The mean over all draws, where T shows a single one.
        sums = records.sums(records.spaces("log_sc"), records.columns)
        return float(sums @ records.counts / records.counts.sum())

    return {
        "SC, LogSC": strategy("semantic"),
        "SC, Wu–Palmer": strategy("semantic", "wu_palmer", root_depth=0),
        "SC, path": strategy("semantic", "path"),
        "medoid": strategy("medoid"),
        "MFC (mode)": strategy("mode"),
        "CC (consensus)": strategy("consensus"),
        "RC (random, expected)": at_random,
        "LCSC": strategy("lcs"),
    }


def measure(records: Records, parts: Sequence[Records]) -> Rows:
    """For each strategy: the whole, each cluster, the sum over clusters."""
    rows = {}
    for name, total in strategies().items():
        by_cluster = [total(part) for part in parts]
        rows[name] = [total(records), *by_cluster, sum(by_cluster)]
    return rows


def table(rows: Rows, parts: Sequence[Records]) -> str:
    """Markdown that can be read as it is."""
    head = ["strategy", "whole", *(f"cluster {i}" for i in range(1, len(parts) + 1)), "all clusters"]
    sizes = [int(part.counts.sum()) for part in parts]
    size_row = ["*records*", f"{sum(sizes):,}", *(f"{n:,}" for n in sizes), f"{sum(sizes):,}"]
    cells = [[name, *(f"{value:,.0f}" for value in values)] for name, values in rows.items()]
    lines = [head, ["---", *["--:"] * (len(head) - 1)], size_row, *cells]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(f"| {' | '.join(map(str.ljust, line, widths))} |" for line in lines)


def summary(rows: Rows) -> str:
    """What T concludes, and whether it holds here."""
    places = range(len(rows["LCSC"]))
    least = [min(values[i] for values in rows.values()) for i in places]
    most = [max(values[i] for values in rows.values()) for i in places]

    def times(name: str, bound: Sequence[float]) -> str:
        return f"{sum(abs(value - b) <= 1e-6 for value, b in zip(rows[name], bound, strict=True))} of {len(bound)}"

    def ratio(name: str) -> str:
        return f"{rows[name][0] / least[0]:.2f}"

    return (
        "T's conclusions hold, but for one. The semantic centroid under LogSC, which evaluates, has the least sum in "
        f"{times('SC, LogSC', least)} columns, under Wu–Palmer in {times('SC, Wu–Palmer', least)}, under path in "
        f"{times('SC, path', least)}; LCSC has the greatest in {times('LCSC', most)}. Where one tuple prevails in a "
        f"cluster, the mode is as good as any: in {times('MFC (mode)', least)} columns; T's clusters without such a "
        "tuple, for which only the semantic centroid was best, do not occur here. On the whole table the mode, which "
        f"T found reasonable there too, is not: its sum is {ratio('MFC (mode)')} times the least, that of the "
        f"consensus {ratio('CC (consensus)')}, that of a record at random "
        f"{ratio('RC (random, expected)')}, that of LCSC {ratio('LCSC')}."
    )


def report(records: Records, parts: Sequence[Records], rows: Rows) -> str:
    """The whole page."""
    return "\n\n".join(
        [
            "# Centroid strategies",
            "Sum of LogSC distances (T eq. 4.8) between the centroid that each strategy finds and all records it "
            f"stands for: Adult's occupation × native-country over WordNet ({len(records.counts)} distinct tuples), "
            f"whole and in {CLUSTERS} clusters; T 4.3.5 used a survey of park visitors. The clusters are "
            "Ward's under the same distance, as in T. SC: semantic centroid under three measures; MFC: the most "
            "frequent record; CC: the record that replaces all others with the fewest links downwards; LCSC: least "
            "common subsumers; the medoid is not in T.",
            table(rows, parts),
            summary(rows),
            "Made by `python experiments/centroid_strategies.py --write`.",
        ]
    )


def main() -> None:
    """Print the page, and write it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"write docs/experiments/{PAGE.name}")
    arguments = parser.parse_args()
    records = read_records()
    parts = clusters(records)
    page = report(records, parts, measure(records, parts)) + "\n"
    print(page)
    if arguments.write:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
