"""Which record stands best for many: centroid strategies compared on tables, whole and in seven clusters (T 4.3.5).

    python experiments/centroid_strategies.py --data FOLDER

The sum of LogSC distances between each strategy's centroid and all records (T eq. 4.8), as in Figs. 10–11 of Martínez's
thesis (T), which used a survey that is not public.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from findings import Conclusion, Findings, Setting, Spread, alone, markdown
from numpy.typing import NDArray
from public_tables import draw, public_tables

import ontomask as om
from ontomask.distance.ties import nearest
from ontomask.figures import BarChart, Bars, Figure, small_multiples
from ontomask.kinds import nominal_columns
from ontomask.operators.concepts import NominalSpace
from ontomask.operators.space import marginal, record_distances
from ontomask.taxonomy.graph import Graph, gather

CLUSTERS = 7
# As many records as T's survey has; as many are drawn of other tables.
RECORDS = 975
# A tuple that this share of a cluster's records have prevails in it: the least that does in T 4.3.5.4 (Cluster3).
PREVAILING = 0.38
# T 6.3.4 prints sums for one attribute: 322.74 for the mode, 257.97 for the semantic centroid.
REASONABLE = 322.74 / 257.97
# T calls the path measure "slightly" worse; the cut-off is ours.
SLIGHT = 1.1

# Sums that differ by less are the same.
TIE = 1e-6

Rows = dict[str, list[float]]


@dataclass(frozen=True)
class Records:
    """Distinct tuples, column by column, with counts; distances are those of the whole ontology, as in T."""

    ontology: om.Taxonomy
    domains: tuple[om.Taxonomy, ...]
    columns: tuple[NDArray[np.int32], ...]
    counts: NDArray[np.int64]

    def spaces(self, measure: str, **options: Any) -> list[NominalSpace]:
        """The attributes under a distance."""
        d = om.distance(measure, self.ontology, **options)
        return [NominalSpace(domain, d) for domain in self.domains]

    def take(self, places: NDArray[np.intp]) -> Records:
        """Some of the tuples."""
        columns = tuple(column[places] for column in self.columns)
        return Records(self.ontology, self.domains, columns, self.counts[places])

    @property
    def prevailing(self) -> float:
        """The share of the records that the most frequent tuple has."""
        return float(self.counts.max() / self.counts.sum())

    def sums(self, spaces: Sequence[NominalSpace], candidates: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """For each candidate record the sum of distances to all records (T eq. 4.8)."""
        total: NDArray[np.float64] = record_distances(spaces, candidates, self.columns) @ self.counts
        return total


def read_records(data: om.Microdata) -> Records:
    """The tuples of a table of nominal columns as concepts."""
    columns = nominal_columns(data.quasi_identifiers.values())
    codes = np.stack([column.point[column.code] for column in columns], axis=1)
    tuples, counts = np.unique(codes, axis=0, return_counts=True)
    return Records(columns[0].kind.taxonomy, tuple(c.domain for c in columns), tuple(tuples.T), counts)


def clusters(records: Records) -> list[Records]:
    """Seven clusters of tuples by Ward's method under LogSC, the largest first; T does not name its measure."""
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


def record_centroid(
    spaces: Sequence[NominalSpace], columns: Sequence[NDArray[Any]], counts: NDArray[Any], strategy: str
) -> tuple[Any, ...]:
    """The record that represents distinct tuples with counts; ties go to the first tuple.

    ``semantic`` takes each attribute's centroid and ``lcs`` each attribute's least common subsumer. The others take one
    of the tuples: ``mode`` the most frequent, ``medoid`` the one with the least sum of distances, ``consensus`` the one
    with the least `confusion` when it replaces all others.
    """
    margins = [marginal(column, counts) for column in columns]
    if strategy == "semantic":
        return tuple(space.centroid(*margin[:2]) for space, margin in zip(spaces, margins, strict=True))
    if strategy == "lcs":
        return tuple(space.hierarchy(margin[0])[0] for space, margin in zip(spaces, margins, strict=True))
    cost = -counts.astype(np.float64)
    if strategy != "mode":
        weights = sum(space.weight for space in spaces)
        cost = np.zeros(len(counts))
        for space, (points, often, index) in zip(spaces, margins, strict=True):
            if strategy == "medoid":
                mean = space.marginality(points, often)
            else:
                mean = often @ confusion(space.domain.graph, points) / often.sum()
            cost += (space.weight / weights) * mean[index]
    first = nearest(cost)[0]
    return tuple(column[first] for column in columns)


def confusion(graph: Graph, points: NDArray[Any]) -> NDArray[np.int32]:
    """The confusion of replacing each point (row) by each other (column): the links that lead down to the latter.

    On the path from one concept to another only descending links count (T 4.3.5.2, after Guzman-Arenas): replacing a
    value by one of its subsumers costs nothing. Of several paths, the one that descends least counts. T 4.3.1 words the
    measure the other way round; what T evaluates (4.3.5.3) is the measure here.
    """
    above = graph.ancestors(points)
    local = np.full(len(graph), -1, dtype=np.int32)
    local[above] = np.arange(len(above), dtype=np.int32)
    # The fewest links from a common subsumer down to the new concept: known for its own subsumers, and for any other
    # concept the least of its parents' values.
    links = np.full((len(above), len(points)), np.iinfo(np.int32).max, dtype=np.int32)
    for column, point in enumerate(points.tolist()):
        for subsumer, steps in graph.distances_up(point).items():
            links[local[subsumer], column] = steps
    bounds = np.searchsorted(graph.depth[above], np.arange(1, graph.max_depth + 2))
    for low, high in pairwise(bounds):
        if low == high:
            continue
        rows = above[low:high]
        sizes = graph.parent_start[rows + 1] - graph.parent_start[rows]
        inherited = links[local[gather(graph.parent_start, graph.parent, rows)]]
        handed_down = np.minimum.reduceat(inherited, np.cumsum(sizes) - sizes, axis=0)
        np.minimum(links[low:high], handed_down, out=links[low:high])
    return links[local[points]]


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
    head = ["strategy", *names_of(parts)]
    sizes = [int(part.counts.sum()) for part in parts]
    size_row = ["*records*", f"{sum(sizes):,}", *(f"{n:,}" for n in sizes), f"{sum(sizes):,}"]
    return markdown(head, [size_row, *([name, *(f"{value:,.0f}" for value in found)] for name, found in rows.items())])


def names_of(parts: Sequence[Records]) -> list[str]:
    """What the columns of the tables are called."""
    return ["whole", *(f"cluster {i}" for i in range(1, len(parts) + 1)), "all clusters"]


@dataclass(frozen=True)
class Found:
    """What was measured on one table."""

    records: Records
    parts: Sequence[Records]
    rows: Rows

    @classmethod
    def of(cls, data: om.Microdata) -> Found:
        """Cluster and measure."""
        records = read_records(data)
        parts = clusters(records)
        return cls(records, parts, measure(records, parts))


# Where the sums of the whole and over all clusters stand.
PLACES = {"whole": 0, "all clusters": -1}
# By name: the table, or samples of it.
Tables = Mapping[str, Sequence[Found]]


def relative(found: Sequence[Found], strategy: str, place: int) -> Spread:
    """The sum of a strategy in times of the least of all, over samples."""
    return Spread.of([one.rows[strategy][place] / min(values[place] for values in one.rows.values()) for one in found])


def report(tables: Tables, setting: Setting) -> str:
    """The whole page."""
    size = setting.size(RECORDS)
    texts = [
        "# Centroid strategies",
        "Sum of LogSC distances (T eq. 4.8) between the centroid that each strategy finds and all records it stands "
        f"for, of tables and of {CLUSTERS} clusters of each; T 4.3.5 used {RECORDS} answers of park visitors, 211 of "
        "them distinct, and shows its sums in pictures (Figs. 10–11) only. SC: semantic centroid under three measures; "
        "MFC: the most frequent record; CC: the record that replaces all others with the fewest links downwards; RC: a "
        "record at random, here the mean over all of them; LCSC: least common subsumers; the medoid is not in T. SC "
        "under LogSC has the least sum by construction, since it looks for just that: no verdict counts its being no "
        "worse than others.",
        f"The clusters are Ward's, as in T, which does not name the measure behind them; here it is LogSC. Samples of "
        f"{size} records are drawn with the {setting.seeds_told()}, and nothing else is random. Tables of sums are for "
        "one of them (seed 0), conclusions for all.",
    ]
    for name, (found, *more) in tables.items():
        shares = [part.prevailing for part in found.parts]
        texts += [
            f"## {name}",
            f"{int(found.records.counts.sum()):,} records, {len(found.records.counts)} distinct tuples"
            f"{' (seed 0)' if more else ''}. The commonest tuple has {100 * found.records.prevailing:.0f} % of all "
            f"records, and of those of the clusters {', '.join(f'{100 * share:.0f}' for share in shares)} %.",
            table(found.rows, found.parts),
        ]
    texts += [
        "## In times of the least",
        "Mean ± standard deviation over samples.",
        markdown(
            ["strategy", *(f"{name}: {place}" for name in tables for place in PLACES)],
            [
                [strategy, *(str(relative(found, strategy, i)) for found in tables.values() for i in PLACES.values())]
                for strategy in next(iter(tables.values()))[0].rows
            ],
        ),
    ]
    return "\n\n".join(texts)


def figure(tables: Tables) -> Figure:
    """T Figs. 10 and 11: one centroid for all, and one a cluster."""
    panels = []
    for name, found in tables.items():
        for place, title in ((0, "One for all"), (-1, f"One for each of {CLUSTERS} clusters")):
            spreads = {strategy: relative(found, strategy, place) for strategy in found[0].rows}
            several = len(found) > 1
            bars = Bars(
                "",
                [spread.mean for spread in spreads.values()],
                low=[spread.low for spread in spreads.values()] if several else None,
                high=[spread.high for spread in spreads.values()] if several else None,
            )
            title = f"{title}: {name}"
            panels.append(BarChart(list(spreads), [bars], value_title="times the least", title=title))
    return small_multiples(panels, columns=2, title="What stands best for many")


CAPTION = (
    "T Fig. 10, and the sums of T Fig. 11: how far the records are from what stands for them, in times of the best "
    "strategy; mean ± standard deviation over samples."
)

MODE, CONSENSUS, RANDOM, SUBSUMER = OTHERS = ("MFC (mode)", "CC (consensus)", "RC (random, expected)", "LCSC")
LOG_SC, WU_PALMER, PATH = SEMANTIC = ("SC, LogSC", "SC, Wu–Palmer", "SC, path")


def conclusions(tables: Tables) -> list[Conclusion]:
    """What T concludes of its figures, of the whole and cluster by cluster."""

    def cases(held: Callable[[Found], Iterable[bool]]) -> dict[str, list[bool]]:
        return {name: [one for found in several for one in held(found)] for name, several in tables.items()}

    def no_more(found: Found, place: int, ours: str, other: str) -> bool:
        return found.rows[ours][place] <= found.rows[other][place] + TIE

    def less(found: Found, place: int, ours: str, other: str) -> bool:
        return found.rows[ours][place] < found.rows[other][place] - TIE

    def same(found: Found, place: int, one: str, other: str) -> bool:
        return abs(found.rows[one][place] - found.rows[other][place]) <= TIE

    def in_clusters(found: Found, prevails: bool) -> list[int]:
        return [i for i, part in enumerate(found.parts, start=1) if (part.prevailing >= PREVAILING) == prevails]

    return [
        Conclusion(
            "on the whole table the semantic centroid has the least sum, under Wu–Palmer and path as well",
            "T 4.3.5.3, Fig. 10",
            cases(lambda f: (no_more(f, 0, ours, other) for ours in SEMANTIC[1:] for other in OTHERS)),
            "Under Wu–Palmer always. By path the root of ICD-9-CM, which is at most five levels deep, is the "
            "centroid, as it is LCSC's, and in nine samples of ten the mode is nearer.",
        ),
        Conclusion(
            "LogSC and Wu–Palmer lead to identical sums there",
            "T 4.3.5.3, Fig. 10",
            cases(lambda f: [same(f, 0, WU_PALMER, LOG_SC)]),
            "On Adult they do. Over ICD-9-CM Wu–Palmer finds another centroid in every sample, 0.2 to 0.7 % worse by "
            "LogSC, which evaluates.",
        ),
        Conclusion(
            "path to a slightly worse one: greater, by less than 10 % (our cut-off)",
            "T 4.3.5.3, Fig. 10",
            cases(lambda f: [less(f, 0, LOG_SC, PATH) and f.rows[PATH][0] < SLIGHT * f.rows[LOG_SC][0]]),
            "Over ICD-9-CM by 5 to 7 %. On Adult it is the same centroid under all three, of the table and of all "
            "samples; in its clusters path does worse (8).",
        ),
        Conclusion(
            "LCSC has the greatest sum, of the whole and of every cluster",
            "T 4.3.5.3–4, Figs. 10–11",
            cases(
                lambda f: (
                    less(f, place, other, SUBSUMER)
                    for place in range(len(f.parts) + 1)
                    for other in (*SEMANTIC, *OTHERS[:3])
                )
            ),
            "All misses are on diabetes130, and all but three are the whole table and the largest cluster, where "
            "LCSC is the root of ICD-9-CM. It is at most five links from any code, no farther than a code is from "
            "one of another chapter. On the whole CC and a record at random are worse in all ten samples (1.11 and "
            "1.10 times the least, LCSC 1.06), MFC in one; in the largest cluster MFC, CC and a record at random in "
            "all ten, Wu–Palmer in six. By path the root is the centroid of both, too, and of three small clusters "
            "(once of the largest under LogSC); a tie is a miss. WordNet is deeper, and there LCSC loses most by "
            "far.",
        ),
        Conclusion(
            f"MFC and RC do reasonably well on the whole table: at most {REASONABLE:.3g} times the least, as T's mode "
            "(our cut-off, from T 6.3.4)",
            "T 4.3.5.3, Fig. 10",
            cases(lambda f: (f.rows[other][0] <= REASONABLE * f.rows[LOG_SC][0] for other in (MODE, RANDOM))),
            "On Adult the five commonest records, of five professions, are about equally common, and the commonest "
            "is not near the others: 1.48 times the least, where a record at random has 1.37. In small samples "
            "chance decides which of them it is, 1.2 to 1.5 times. On diabetes130 all records are far from each "
            "other, and any of them is about as good (1.04 to 1.05 and 1.10 to 1.11 times). T's commonest answer was "
            "near the next common ones.",
        ),
        Conclusion(
            f"where one tuple prevails (T: {100 * PREVAILING:.0f} % of a cluster's records), SC under any measure, MFC "
            "and CC are equally good",
            "T 4.3.5.4, Fig. 11",
            cases(
                lambda f: (
                    same(f, place, other, LOG_SC)
                    for place in in_clusters(f, True)
                    for other in (*SEMANTIC[1:], MODE, CONSENSUS)
                )
            ),
            "MFC, CC and Wu–Palmer find the centroid in each of these clusters, all 77 of Adult and 4 of 70 on "
            "diabetes130. Where the tuple has half of the records, MFC must, by the triangle inequality. All misses "
            "are path's, in clusters whose commonest tuple has 40 to 48 %, by 9 to 24 %: it prefers a subsumer. T "
            "gives 0.98 for the share of Cluster1, and 109 of 120 records for the same.",
        ),
        Conclusion(
            "where none does, only SC is best",
            "T 4.3.5.4, Fig. 11",
            cases(
                lambda f: (
                    less(f, place, ours, other)
                    for place in in_clusters(f, False)
                    for ours in SEMANTIC
                    for other in OTHERS
                )
            ),
            "No cluster of Adult is left to judge: the commonest tuple has 41 % and more of each. On diabetes130, in "
            "66 clusters, SC under LogSC is better than MFC in 48, than CC in 34, and as good in the others. By path "
            "it is worse than MFC and CC in 44 and 45 of them.",
        ),
        Conclusion(
            "over all clusters SC has the least sum, under Wu–Palmer and path as well",
            "T 4.3.5.4, Fig. 11",
            cases(lambda f: (no_more(f, -1, ours, other) for ours in SEMANTIC[1:] for other in OTHERS)),
            "Under Wu–Palmer always. By path MFC and CC have less over all clusters of Adult, and in three of its "
            "samples, CC in seven and MFC in five of diabetes130's. Under LogSC MFC and CC have none to 6 % "
            "more, a record at random 15 to 43 %, LCSC 27 % to 4.7 times.",
        ),
    ]


def plain(tables: Tables) -> Iterator[dict[str, Any]]:
    """Every sum and share of the samples, and what they come to."""
    for name, found in tables.items():
        for seed, one in enumerate(found):
            places = names_of(one.parts)
            of_sample = {"data": name, "seed": seed if len(found) > 1 else None}
            for place, part in zip(places, (one.records, *one.parts), strict=False):
                yield of_sample | {"records": place, "measure": "share of the commonest tuple", "mean": part.prevailing}
            for strategy, values in one.rows.items():
                for place, value in zip(places, values, strict=True):
                    yield of_sample | {"strategy": strategy, "records": place, "measure": "sum", "mean": value}
        for strategy in found[0].rows:
            for place, number in PLACES.items():
                spread = relative(found, strategy, number)
                told = {"data": name, "strategy": strategy, "records": place, "measure": "times the least"}
                yield told | {"mean": spread.mean, "sd": spread.sd, "runs": spread.runs}


def run(setting: Setting) -> Findings:
    """T Figs. 10–11."""
    given = public_tables(setting)
    tables = {"Adult, all records": [Found.of(given["Adult"])]}
    for name, data in given.items():
        size = setting.size(RECORDS)
        tables[f"{name}, {size} records"] = [Found.of(draw(data, size, seed)) for seed in setting.seeds()]
    return Findings(
        report(tables, setting),
        list(plain(tables)),
        figure(tables),
        CAPTION,
        conclusions(tables),
    )


if __name__ == "__main__":
    alone("centroid_strategies", run)
