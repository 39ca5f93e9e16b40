"""Generalisation and suppression as baselines, on Adult and diabetes130 (Martínez 2012, sections 8.4.2 and 9.2)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import ontomask as om
from experiments.ontologies.built_hierarchies import ARX
from experiments.shared.findings import Conclusion, Findings, Setting, flat, markdown
from ontomask.examples import adult_data, diabetes130_data
from ontomask.figures import Figure, Line, LineChart, small_multiples

ADULT, OVER_ARX = "Adult over WordNet", "Adult over ARX's hierarchies"
DIAGNOSES = {"2 diagnoses": ("diag_1", "diag_2"), "3 diagnoses": ("diag_1", "diag_2", "diag_3")}
# The suppression limit of full-domain generalisation, beside none.
SPARE = 0.05
LOCAL, BY_RECORDS, CELLS, RECORDS = "local", "local, by records", "cells", "records"
FULL, FULL_SPARE = "full domain", f"full domain, {SPARE:.0%}"
HIERARCHIES = {name: ARX / f"adult_hierarchy_{name}.csv" for name in ("occupation", "native-country")}


@dataclass(frozen=True)
class Table:
    """A table, with its k and the hierarchies for masking."""

    name: str
    data: om.Microdata
    ks: Sequence[int]
    hierarchies: Mapping[str, Path] | None = None


@dataclass(frozen=True)
class Row:
    """One method at one k."""

    k: int
    method: str
    sse: float
    percent: float
    loss: float
    srl: float
    achieved: int
    tuples: int
    gone: str
    levels: str
    seconds: float


Found = Mapping[str, Sequence[Row]]


def run(setting: Setting) -> Findings:
    """Measure all tables."""
    tables = list(tables_of(setting))
    return findings_of(tables, {table.name: measure(table) for table in tables})


def tables_of(setting: Setting) -> Iterator[Table]:
    """Adult over WordNet and over ARX's hierarchies (from the tests), then diabetes130."""
    adult, ks = adult_data(), setting.parameters((2, 5, 10, 50, 128, 500, 1800))
    yield Table(ADULT, adult, ks)
    yield Table(OVER_ARX, adult, ks, HIERARCHIES)
    if setting.diabetes130 is not None and not setting.quick:
        for name, columns in DIAGNOSES.items():
            yield Table(name, diabetes130_data(setting.diabetes130, *columns), (2, 5, 20))


def methods(k: int, hierarchies: Mapping[str, Path] | None = None) -> dict[str, om.Method]:
    """All methods at one k; with hierarchies, those that need them."""
    climbing: dict[str, om.Method] = {
        LOCAL: om.Generalisation(k, hierarchies=hierarchies, variant="best_first"),
        FULL: om.Generalisation(k, hierarchies=hierarchies, mode="full_domain"),
        FULL_SPARE: om.Generalisation(k, hierarchies=hierarchies, mode="full_domain", suppression=SPARE),
    }
    if hierarchies is not None:
        return climbing
    return {
        LOCAL: climbing.pop(LOCAL),
        BY_RECORDS: om.Generalisation(k, variant="best_first", steps="records"),
        **climbing,
        CELLS: om.Suppression(k, mode="cells"),
        RECORDS: om.Suppression(k),
    }


def measure(table: Table) -> list[Row]:
    """Measure all methods at all k."""
    return [
        figures(k, name, table.data, method) for k in table.ks for name, method in methods(k, table.hierarchies).items()
    ]


def figures(k: int, name: str, data: om.Microdata, method: om.Method) -> Row:
    """Mask, up to three times if that is fast, and evaluate."""
    seconds: list[float] = []
    while len(seconds) < 3 and sum(seconds) < 5:
        begun = time.perf_counter()
        result = method.mask(data, seed=0)
        seconds.append(time.perf_counter() - begun)
    score = om.evaluate(data, result, attacks=False)
    cells, records = sum(result.details.get("suppressed_cells", {}).values()), score.utility.suppressed
    return Row(
        k,
        name,
        score.sse,
        score.loss_percent,
        score.semantic_loss,
        score.srl,
        score.k,
        len(result.data.table) if len(result.data) else 0,
        f"{cells:,} cells" if cells else f"{records:,} records" if records else "",
        " ".join(map(str, result.details.get("levels", {}).values())),
        min(seconds),
    )


def findings_of(tables: Sequence[Table], found: Found) -> Findings:
    """The findings from the measurements."""
    return Findings(
        page(tables, found),
        [flat(row, data=dataset) for dataset, rows in found.items() for row in rows],
        figure(found),
        CAPTION,
        conclusions(found),
    )


def page(tables: Sequence[Table], found: Found) -> str:
    """The page with its tables."""
    parts = [
        "# Generalisation and suppression as baselines",
        "A question of ours: how much is lost by the baseline methods that tools offer today? The semantic methods "
        "are compared with these. **Local**: the rarest group of tuples climbs together with the group that needs "
        "the fewest steps to their common subsumer (Martínez 2012, section 8.4.2; `variant='best_first'`). A step "
        "counts once per group or, *by records*, once per record. **Full domain**: one level per column. Of all "
        "k-anonymous combinations, the one with the least semantic loss is used, without suppression or with at "
        f"most {SPARE:.0%} of the records left out. **Cells**: single cells are suppressed, that is, released as the "
        "root. **Records**: all records that fewer than k share are left out (Martínez 2012, section 9.2.2).",
        "SSE (Martínez 2012, eq. 6.2), L = 100·SSE/SST (Martínez 2012, eq. 6.4), the semantic loss (Martínez 2012, "
        "eq. 5.1) and the share of records linked by meaning (SRL, Martínez 2012, eq. 8.1–8.4) use the columns' "
        "distance, Wu–Palmer inside the domain. A record that is left out counts 1. Levels are those chosen, column "
        "by column. Nothing is random. Times are for complete runs including release and verification, the best of "
        "up to three, on the machine that made this page.",
        "ARX's hierarchies of Adult are in the repository, `tests/hierarchy/arx_adult`. They have one level between "
        "values and top. Their labels are released as the least common subsumers of their values in WordNet, and "
        "measured over WordNet like all others.",
    ]
    for table in tables:
        records = f"{len(table.data):,} records, {len(table.data.table):,} distinct tuples"
        about = " of diabetes130 over ICD-9-CM" if table.name in DIAGNOSES else ""
        parts += [f"## {table.name}", f"{records}{about}.", figures_table(found[table.name])]
    return "\n\n".join([*parts, "## Results", summary(found)])


def figures_table(rows: Sequence[Row]) -> str:
    """All figures of one table."""
    lines = [
        [
            r.method,
            f"{r.k:,}",
            f"{r.sse:,.1f}",
            f"{r.percent:.2f}",
            f"{r.loss:.4f}",
            f"{r.srl:.2f}",
            f"{r.achieved:,}",
            f"{r.tuples:,}",
            r.gone,
            r.levels,
            f"{r.seconds:.3f}" if r.seconds < 1 else f"{r.seconds:.1f}",
        ]
        for r in rows
    ]
    head = ["", "k", "SSE", "L %", "semantic loss", "SRL %", "achieved k", "tuples left", "suppressed", "levels", "s"]
    return markdown(head, lines)


def compared(found: Found, of: Callable[[Row], float], one: str, other: str) -> dict[str, list[float]]:
    """The ratio of a figure between two methods, by table, for each k."""
    return {
        dataset: [of(a) / of(b) for a in rows for b in rows if (a.method, b.method) == (one, other) and a.k == b.k]
        for dataset, rows in found.items()
        if dataset != OVER_ARX
    }


def finer(found: Found, of: Callable[[Row], float]) -> list[float]:
    """The ratio of local generalisation over ARX's hierarchies to that over WordNet, for each k."""
    return [
        of(arx) / of(wordnet)
        for arx, wordnet in zip(
            *([row for row in found[dataset] if row.method == LOCAL] for dataset in (OVER_ARX, ADULT)), strict=True
        )
    ]


def sses(found: Found) -> dict[str, list[dict[str, float]]]:
    """The SSE of every method at each k, by table."""
    return {
        dataset: [{row.method: row.sse for row in rows if row.k == k} for k in dict.fromkeys(row.k for row in rows)]
        for dataset, rows in found.items()
        if dataset != OVER_ARX
    }


def has_most(each: Mapping[str, float], way: str) -> bool:
    """Whether no method has more; equal suppressed records lose the same."""
    return each[way] >= max(each.values()) - 1e-9


def sse_of(row: Row) -> float:
    """SSE."""
    return row.sse


def loss_of(row: Row) -> float:
    """Semantic loss."""
    return row.loss


def summary(found: Found) -> str:
    """A summary of the tables, with their figures."""

    def flatly(each: Mapping[str, Sequence[float]]) -> list[float]:
        return [value for values in each.values() for value in values]

    def between(values: Sequence[float]) -> str:
        low, high = min(values), max(values)
        return f"{low:,.3g} to {high:,.3g} times" if high < 1000 else f"{low:,.1f} to {high:,.0f} times"

    def vs_local(name: str) -> str:
        return between(flatly(compared(found, sse_of, name, LOCAL)))

    by_sse, by_loss = (flatly(compared(found, of, BY_RECORDS, LOCAL)) for of in (sse_of, loss_of))
    cases = [each for cases in sses(found).values() for each in cases]
    records, full = (sum(has_most(each, way) for each in cases) for way in (RECORDS, FULL))
    lines = [
        "Compared with local generalisation with a step per group, full-domain generalisation "
        f"has {vs_local(FULL)} the SSE, and with {SPARE:.0%} left out {vs_local(FULL_SPARE)}. Suppressed "
        f"cells have {vs_local(CELLS)}, and suppressed records {vs_local(RECORDS)}.",
        f"The largest SSE is that of suppressed records in {records} of {len(cases)} cases, and that of full-domain "
        f"generalisation without suppression in {full}. In Martínez 2012, section 9.2.2, suppressing records loses "
        "more than the three semantic methods. These are not on this page but in [three methods on clinical "
        "data](clinical.md) (Martínez 2012, Fig. 37).",
        f"Counting a step for every record gives {between(by_loss)} the semantic loss of counting it once per group, "
        f"and {between(by_sse)} the SSE. The loss is smaller in {sum(r < 1 for r in by_loss)} of {len(by_loss)} "
        f"cases, and the SSE in {sum(r < 1 for r in by_sse)}.",
        f"Over ARX's hierarchies, local generalisation has {between(finer(found, sse_of))} the SSE "
        f"and {between(finer(found, loss_of))} the semantic loss that it has over WordNet.",
    ]
    return "\n\n".join(lines)


def figure(found: Found) -> Figure:
    """L by k; below, without the methods that lose most."""
    ways = tuple(methods(2))
    near = (LOCAL, BY_RECORDS, CELLS)
    charts = []
    for part, title in ((ways, "all ways"), (near, "local and cells")):
        for dataset, rows in found.items():
            lines = []
            for style, way in enumerate(ways):
                its = [row for row in rows if row.method == way and way in part]
                if its:
                    lines.append(Line(way, [row.k for row in its], [row.percent for row in its], style=style))
            name = f"{dataset}, {title}"
            charts.append(LineChart(lines, x_title="k", title=name, width=190, height=160, log_x=True))
    return small_multiples(charts, columns=len(found), title="L of generalisation and suppression, in percent")


CAPTION = (
    "L in percent by k. Top: all methods. Bottom, on another scale: the methods that lose least, local "
    "generalisation and suppressed cells. ARX's hierarchies apply to the three methods that need hierarchies. More "
    "than 100 % is worse than one average record for all. Less is better."
)


def conclusions(found: Found) -> list[Conclusion]:
    """Our questions; the first two are close to conclusions of the thesis on hierarchies."""
    every = sses(found)
    but_full = {
        dataset: [{way: sse for way, sse in each.items() if way != FULL} for each in cases]
        for dataset, cases in every.items()
    }
    by_loss, by_sse = (compared(found, of, BY_RECORDS, LOCAL) for of in (loss_of, sse_of))
    return [
        Conclusion(
            "a finer hierarchy loses less: local generalisation over WordNet against ARX's hierarchies, semantic loss",
            "ours; cf. Martínez 2012, section 8.4.4, Fig. 35",
            {ADULT: [ratio > 1 for ratio in finer(found, loss_of)]},
            "ARX's hierarchies lose 2.1 to 4.2 times as much. The thesis compares something else: a manual hierarchy "
            "with three levels and one with two, measured by LogSC. It considers WordNet too large for "
            "generalisation, but here values climb in WordNet itself. The comparison of the thesis is in [linkage by "
            "meaning](semantic_linkage.md), where Adult does not confirm it.",
        ),
        Conclusion(
            "with a finer hierarchy more records are linked, SRL",
            "ours; cf. Martínez 2012, section 8.4.4, Fig. 34",
            {ADULT: [ratio < 1 for ratio in finer(found, lambda row: row.srl)]},
            "Up to k = 10 by 9 to 45 % (1.09 against 1.00 % at k = 2). For larger k, up to 1.9 times as many, but of "
            "at most one record in a thousand. The comparison of the thesis is in [linkage by "
            "meaning](semantic_linkage.md), where Adult does not confirm it.",
        ),
        Conclusion(
            "local generalisation, in one of its two variants, has the smallest SSE",
            "ours",
            {
                dataset: [min(each, key=lambda way: each[way]) in (LOCAL, BY_RECORDS) for each in cases]
                for dataset, cases in every.items()
            },
            "Only values that must climb do so. Conclusion 7 compares the two variants.",
        ),
        Conclusion(
            "no method has a larger SSE than suppressed records",
            "ours",
            {dataset: [has_most(each, RECORDS) for each in cases] for dataset, cases in every.items()},
            "On Adult, full-domain generalisation without suppression has more at every k, and on two diagnoses at k "
            "= 2. It generalises whole columns to the top because of a few records. If many records are rare, "
            "leaving them out loses most. The conclusion of the thesis is about other methods, see above.",
        ),
        Conclusion(
            "no method except full-domain generalisation without suppression has a larger SSE",
            "ours",
            {dataset: [has_most(each, RECORDS) for each in cases] for dataset, cases in but_full.items()},
            "At k = 2 on Adult, full-domain generalisation with 5% left out has the same SSE. It leaves out the same "
            "84 records and generalises nothing.",
        ),
        Conclusion(
            "counting a step for every record gives less semantic loss than once per group",
            "ours",
            {dataset: [ratio < 1 for ratio in ratios] for dataset, ratios in by_loss.items()},
            "It gives 0.53 to 0.99 times as much: rare groups join other rare groups and leave frequent ones alone.",
        ),
        Conclusion(
            "and a smaller SSE",
            "ours",
            {dataset: [ratio < 1 for ratio in ratios] for dataset, ratios in by_sse.items()},
            "In 7 of 13 cases. In the other six, rare groups climb so high that the squares, which penalise long "
            "distances, outweigh the records that are spared: 1.03 to 1.11 times the SSE.",
        ),
    ]
