"""Semantic linkage and linkage by equal values, over two hierarchies (Martínez 2012, section 8.4, Figs. 33–35)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import nan
from typing import Any, Literal

import ontomask as om
from experiments.grouping.trials import line, shown, straight
from experiments.shared.findings import Conclusion, Findings, Setting, Spread, markdown
from experiments.shared.samples import draw, public_tables
from ontomask.figures import Figure, Line, LineChart, small_multiples

ADULT = "Adult"
COARSE, FINE = "coarse", "fine"
KS = (2, 3, 4, 6, 8, 10, 15, 20)
# As many records as the thesis has.
RECORDS = 975
# The thesis' path length, Wu–Palmer and LogSC; the last one also measures the loss.
DISTANCES = {"path": "path", "wu_palmer": "Wu–Palmer", "log_sc": "LogSC"}
LOSS = "log_sc"
# Our thresholds for *minor*, *slightly*, *similar* and *almost double*.
MINOR, DOUBLE = 0.1, 1.75
# The k at which the thesis sees the differences.
FEW, EVIDENT = 5, (4, 8)
# The k up to which the thesis sees an abrupt decrease of linkages.
ABRUPT = 5

# What counts as a step: one per value of a group, or one per record.
Steps = Literal["values", "records"]
Hierarchies = Mapping[str, Mapping[str, om.Hierarchy]]
# By hierarchy, k and measure: SRL by distance, "mrl" and "loss".
Found = Mapping[tuple[str, int, str], Spread]


@dataclass(frozen=True, eq=False)
class Case:
    """Tables by seed, and the hierarchies for their generalisation."""

    tables: Mapping[int, om.Microdata]
    hierarchies: Hierarchies


def case(data: om.Microdata, seeds: Sequence[int], records: int | None = None) -> Case:
    """A table, or samples of it, with a fine hierarchy of three levels and a coarse one of two per column."""
    fine = {
        name: om.build_hierarchy(data.mapping[name], column.kind.taxonomy, levels=3)
        for name, column in data.quasi_identifiers.items()
        if isinstance(column.kind, om.Nominal)
    }
    coarse = {name: hierarchy.without(1) for name, hierarchy in fine.items()}
    tables = {seed: data if records is None else draw(data, records, seed) for seed in seeds}
    return Case(tables, {COARSE: coarse, FINE: fine})


def measure(one: Case, ks: Sequence[int], steps: Steps) -> Found:
    """Generalise over both hierarchies at every k, counting values or records, and link with every distance."""
    found: defaultdict[tuple[str, int, str], list[float]] = defaultdict(list)
    for data in one.tables.values():
        for name, hierarchies in one.hierarchies.items():
            for k in ks:
                result = om.Generalisation(k, hierarchies=hierarchies, variant="best_first", steps=steps).mask(data)
                scores = {
                    distance: om.evaluate(data, result, distance=distance, attacks=False) for distance in DISTANCES
                }
                for distance, score in scores.items():
                    found[name, k, distance].append(score.srl)
                found[name, k, "mrl"].append(scores[LOSS].mrl)
                found[name, k, "loss"].append(scores[LOSS].semantic_loss)
    return {of: Spread.of(values) for of, values in found.items()}


def run(setting: Setting) -> Findings:
    """Run the experiment of Martínez 2012, section 8.4."""
    ks = setting.parameters(KS)
    tables = public_tables(setting)
    cases = {ADULT: case(tables.pop(ADULT), setting.seeds(), setting.size(RECORDS))}
    # The whole table, except in a quick run.
    some = setting.size(RECORDS) if setting.quick else None
    cases |= {dataset: case(data, (0,), some) for dataset, data in tables.items()}
    ours = {
        f"{dataset}, by {steps}": measure(one, ks, steps)
        for dataset, one in cases.items()
        for steps in ("values", "records")
    }
    return Findings(page(cases, ours, ks, setting), list(rows(ours)), figure(ours, ks), CAPTION, conclusions(ours, ks))


def rows(ours: Mapping[str, Found]) -> Iterator[dict[str, Any]]:
    """Plain data, one row per figure."""
    for dataset, found in ours.items():
        for (hierarchy, k, measure), spread in found.items():
            case = {"data": dataset, "hierarchy": hierarchy, "k": k}
            yield case | {"measure": f"srl by {measure}" if measure in DISTANCES else measure, **vars(spread)}
            if measure == "mrl":
                yield case | {"measure": "srl over mrl, percent", "mean": 100 * more(found, hierarchy, k)}


def page(cases: Mapping[str, Case], ours: Mapping[str, Found], ks: Sequence[int], setting: Setting) -> str:
    """A table for each figure of the thesis."""
    groups, described = [], [["Martínez 2012", "975", "211", "118", "12", "—", ""]]
    for dataset, one in cases.items():
        counts = one.tables[0].table.counts
        n, unique, few = counts.sum(), (counts == 1).sum(), counts[counts <= FEW].sum()
        shares = (f"{100 * part / n:.0f}" for part in (unique, few))
        described.append([dataset, f"{n:,}", f"{len(counts):,}", f"{unique:,}", *shares, f"{len(one.tables)}"])
        for column, hierarchy in one.hierarchies[FINE].items():
            sizes = [f"{len(hierarchy.labels(level)):,}" for level in range(hierarchy.height + 1)]
            groups.append(f"- {dataset}, {column}: {', '.join(sizes[:-1])} and 1; the coarse one lacks the {sizes[1]}")
    diagnoses = (
        f", and {'some' if setting.quick else 'all'} records of diabetes130 that have all three diagnoses, diag_1 × "
        "diag_2 over ICD-9-CM"
        if len(cases) > 1
        else ""
    )
    return "\n\n".join(
        [
            "# Linkage by meaning",
            "Martínez 2012, section 8.4, asks how many records an intruder links who knows what values mean (SRL), "
            "compared with one who compares values as text (MRL). The data are generalised over a hierarchy with two "
            "levels above the values (VGH2) or with three (VGH3). The table of the thesis is not public: answers of "
            "975 visitors to a park. Here it is Adult's occupation × native-country over WordNet, samples "
            f"of {setting.size(RECORDS)} records{diagnoses}. The hierarchies of the thesis are made by hand. Here "
            "`build_hierarchy` makes one of three levels, *fine*, and *coarse* is the same without its first level. "
            "Number of values, and of groups on each level:",
            "\n".join(groups),
            "The tables and the number of samples. The counts are those of the sample of seed 0.",
            markdown(
                ["", "records", "distinct tuples", "unique", "in percent", f"in tuples of ≤ {FEW}, percent", "samples"],
                described,
            ),
            "`Generalisation(k, hierarchies=…, variant='best_first')` is the best-first search of the thesis by "
            "generalisation steps. The thesis does not say whether a step counts once for all equal values of a group "
            "or once per record. Both are measured: *by values*, "
            "our default, and *by records* (`steps='records'`). Nothing in the method is "
            "random, so the spreads are those of the samples. The release contains concepts of the ontology, and SRL "
            "compares them by path length, Wu–Palmer and LogSC, as in the thesis. The thesis has pictures, few "
            "numbers, and words such as *minor*. Here they mean: *minor*, *slightly* and *about the same*: less "
            f"than {MINOR:.0%}; *almost twice*: at least {DOUBLE:g} times; *linear*: closer to a line than to a "
            f"logarithm; *more evident for k from {EVIDENT[0]} to {EVIDENT[1]}*: the difference is largest at one of "
            f"these; *abrupt up to k = {ABRUPT}*: more than half of the decrease is there.",
            "## Risk",
            "Martínez 2012, Fig. 33: SRL by three distances, and MRL, in percent.",
            table(ours, ks, {**{name: f"SRL, {title}" for name, title in DISTANCES.items()}, "mrl": "MRL"}, 2),
            "Martínez 2012, Fig. 34: how much larger SRL (LogSC) is than MRL, in percent of MRL.",
            increments(ours, ks),
            "## Loss",
            "Martínez 2012, Fig. 35: mean distance between original and masked values, by LogSC (Martínez 2012, eq. "
            "8.7).",
            table(ours, ks, {"loss": "loss"}, 4),
        ]
    )


def table(ours: Mapping[str, Found], ks: Sequence[int], measures: Mapping[str, str], digits: int) -> str:
    """Measures by k, for each table and hierarchy."""
    lines = [
        [dataset, hierarchy, title, *(shown(found[hierarchy, k, name], digits) for k in ks)]
        for dataset, found in ours.items()
        for hierarchy in (COARSE, FINE)
        for name, title in measures.items()
    ]
    return markdown(["", "hierarchy", "", *(f"k = {k}" for k in ks)], lines, left=3)


def more(found: Found, hierarchy: str, k: int) -> float:
    """The relative increase from MRL to SRL."""
    return beside(found[hierarchy, k, LOSS], found[hierarchy, k, "mrl"])


def beside(one: Spread, other: Spread) -> float:
    """The relative increase from another figure; unknown if that is 0, as few records may have no links."""
    return one.mean / other.mean - 1 if other.mean else nan


def increments(ours: Mapping[str, Found], ks: Sequence[int]) -> str:
    """The relative increases by k."""
    lines = [
        [dataset, hierarchy, *(f"{100 * more(found, hierarchy, k):.0f}" for k in ks)]
        for dataset, found in ours.items()
        for hierarchy in (COARSE, FINE)
    ]
    return markdown(["", "hierarchy", *(f"k = {k}" for k in ks)], lines, left=2)


def figure(ours: Mapping[str, Found], ks: Sequence[int]) -> Figure:
    """Martínez 2012, Figs. 33 and 35, one row per table."""
    charts = []
    names = {**DISTANCES, "mrl": "MRL"}
    for dataset, found in ours.items():
        if dataset.endswith("by records"):
            continue
        for hierarchy in (COARSE, FINE):
            lines = [
                line(title if name == "mrl" else f"SRL, {title}", ks, [found[hierarchy, k, name] for k in ks], style)
                for style, (name, title) in enumerate(names.items())
            ]
            charts.append(_chart(lines, f"linked, %, {dataset}, {hierarchy}"))
        lines = [
            line(f"loss, {h}", ks, [found[h, k, "loss"] for k in ks], style)
            for style, h in enumerate((COARSE, FINE), start=4)
        ]
        charts.append(_chart(lines, f"loss, {dataset}"))
    return small_multiples(charts, columns=3, title="Linkage by meaning")


def _chart(lines: Sequence[Line], title: str) -> LineChart:
    return LineChart(lines, x_title="k", title=title, width=220, height=150)


CAPTION = (
    "Martínez 2012, Figs. 33 and 35: records linked by meaning and by equal values, and semantic loss (LogSC), "
    "by hierarchy."
)


def conclusions(ours: Mapping[str, Found], ks: Sequence[int]) -> list[Conclusion]:
    """The conclusions of section 8.4.4."""

    def compare(measure: str) -> dict[str, list[bool]]:
        """Whether a measure is larger over the fine hierarchy, at each k."""
        return {
            dataset: [found[FINE, k, measure].mean > found[COARSE, k, measure].mean for k in ks]
            for dataset, found in ours.items()
        }

    def apart(found: Found, hierarchy: str, k: int) -> float:
        each = [found[hierarchy, k, distance].mean for distance in DISTANCES]
        return 1 - min(each) / max(each)

    def change(found: Found, measure: str, k: int) -> float:
        return abs(beside(found[FINE, k, measure], found[COARSE, k, measure]))

    def above(found: Found, hierarchy: str, k: int, distance: str) -> float:
        return found[hierarchy, k, distance].mean - found[hierarchy, k, "mrl"].mean

    def beside_path(found: Found, hierarchy: str, k: int, distance: str) -> float:
        return beside(found[hierarchy, k, distance], found[hierarchy, k, "path"])

    def abrupt(values: Sequence[float]) -> bool:
        """Whether more than half of the decrease up to the last k is where the thesis sees it."""
        early = values[max(i for i, k in enumerate(ks) if k <= ABRUPT)]
        return values[0] - early > early - values[-1]

    both = (COARSE, FINE)
    return [
        Conclusion(
            "SRL links more records than MRL, at every k",
            "Martínez 2012, section 8.4.4, Fig. 33",
            {
                dataset: [above(found, h, k, distance) > 0 for h in both for k in ks for distance in DISTANCES]
                for dataset, found in ours.items()
            },
            "SRL cannot link fewer: a record with unchanged values is nearest to itself. It links more as soon as "
            "one generalised record is found by its meaning, and that is always the case. On Adult by records, the "
            "difference is tiny at k = 15 and 20 (1.01 times as many or more). Elsewhere it links up to 2.2 times as "
            "many.",
        ),
        Conclusion(
            "the difference, in percent of the records, is largest for k from 4 to 8",
            "Martínez 2012, section 8.4.4, Fig. 33",
            {
                dataset: [
                    EVIDENT[0] <= max(ks, key=lambda k: above(found, h, k, distance)) <= EVIDENT[1]
                    for h in both
                    for distance in DISTANCES
                ]
                for dataset, found in ours.items()
            },
            "It is largest at k = 2 in 22 of 24 cases, because both link most there: 0.2 to 2.4 points, against 0.1 "
            "to 1.6 for k from 4 to 8. The other two cases are the coarse hierarchy of diabetes130, by values, where "
            "it hardly changes with k (0.25 to 0.31 points). In percent of MRL the result is different, see "
            "conclusion 9.",
        ),
        Conclusion(
            "SRL links almost twice as many for k from 4 to 8",
            "Martínez 2012, section 8.4.4, Fig. 33",
            {
                dataset: [1 + more(found, h, k) >= DOUBLE for h in both for k in ks if EVIDENT[0] <= k <= EVIDENT[1]]
                for dataset, found in ours.items()
            },
            "On Adult by values, over the fine hierarchy, 1.8 to 1.9 times as many. In other cases 1.1 to 1.6 times. "
            "Tuples of many records stay unchanged, and both intruders find them equally. Only 8 % of the records of "
            "Adult and 26 % of diabetes130 share their tuple with at most four others.",
        ),
        Conclusion(
            "SRL hardly depends on the distance",
            "Martínez 2012, section 8.4.4, Fig. 33",
            {dataset: [apart(found, h, k) < MINOR for h in both for k in ks] for dataset, found in ours.items()},
            "LogSC and Wu–Palmer are always within 3 % of each other, as in the thesis. Path length is within 8 % of "
            "them on diabetes130, but up to 19 % away on Adult.",
            key="linkage-hardly-depends-on-distance",
        ),
        Conclusion(
            "Wu–Palmer and LogSC link slightly more than path length",
            "Martínez 2012, section 8.4.4, Fig. 33",
            {
                dataset: [
                    0 < beside_path(found, h, k, distance) < MINOR
                    for h in both
                    for k in ks
                    for distance in ("wu_palmer", "log_sc")
                ]
                for dataset, found in ours.items()
            },
            "Path length links more, except on Adult by values for large k. There the others link 2 to 9 % more, and "
            "over the fine hierarchy 13 to 19 % more at k = 15 and 20, which is more than slightly. Each distance "
            "weighs a step in one column differently against a step in the other, and with two columns this decides "
            "which record is nearest. A distance that agrees better with human judgement does not link more.",
        ),
        Conclusion(
            "a finer hierarchy has a larger SRL",
            "Martínez 2012, section 8.4.4, Fig. 34",
            compare(LOSS),
            "On diabetes130 by 15 to 23 % by values, and 11 to 18 % by records. On Adult, nine records of ten have "
            "the same country. Over the finer hierarchy, a rare tuple needs more steps. By values, a step costs the "
            "same for one record as for a hundred, so more of the frequent tuples are generalised. By records, SRL "
            "is within 5 % from k = 4 on, and larger at k = 2 and 3. Over WordNet itself, compared with ARX's "
            "labels, more is also linked on Adult. That is another question, see [generalisation and "
            "suppression](generalisation_yardstick.md).",
            key="finer-links-more",
        ),
        Conclusion(
            "but about the same MRL",
            "Martínez 2012, section 8.4.4, Fig. 34",
            {dataset: [change(found, "mrl", k) < MINOR for k in ks] for dataset, found in ours.items()},
            "MRL counts records that keep all values. By records, this number is the same over both hierarchies, "
            "within 4 %. By values, the finer one keeps fewer, by 5 to 8 % on diabetes130 and by 20 to 31 % on "
            "Adult, for the reason above.",
        ),
        Conclusion(
            "the lead of SRL over MRL is larger by 10 to 25 % of MRL with the finer hierarchy",
            "Martínez 2012, section 8.4.4, Fig. 34",
            {
                dataset: [0.1 <= more(found, FINE, k) - more(found, COARSE, k) <= 0.25 for k in ks]
                for dataset, found in ours.items()
            },
            "By records on diabetes130 it is 15 to 20 percent of MRL, as in the thesis. By values it is 24 to 41, "
            "because MRL is smaller, too. On Adult, either both hierarchies find almost the same (by records), or "
            "the finer one loses too much (by values).",
        ),
        Conclusion(
            "the lead of SRL over MRL grows with k",
            "Martínez 2012, section 8.4.4, Fig. 34",
            {
                dataset: [more(found, h, a) < more(found, h, b) for h in both for a, b in pairwise(ks)]
                for dataset, found in ours.items()
            },
            "On diabetes130 by records, it grows from 3 to 31 % (coarse) and from 21 to 46 % (fine), and more by "
            "values. On Adult by records, it falls to 1 to 4 % at k = 15 and 20: almost no generalised record is "
            "still found.",
        ),
        Conclusion(
            "a finer hierarchy loses less",
            "Martínez 2012, section 8.4.4, Fig. 35",
            {dataset: [not more_lost for more_lost in held] for dataset, held in compare("loss").items()},
            "On diabetes130 it saves 17 to 22 % at k = 2 and 2 % at k = 20, where most values climb beyond the first "
            "level anyway. On Adult by records, it makes no difference (0.95 to 1.07 times, less than samples "
            "differ). By values it loses 1.6 to 3.9 times as much: a search that counts steps and not records "
            "generalises *United-States*. Over WordNet itself, less is lost than over ARX's labels, see "
            "[generalisation and suppression](generalisation_yardstick.md).",
            key="finer-loses-less",
        ),
        Conclusion(
            "the loss grows linearly with k",
            "Martínez 2012, section 8.4.4, Fig. 35",
            {
                dataset: [straight(ks, [found[h, k, "loss"].mean for k in ks]) for h in both]
                for dataset, found in ours.items()
            },
            "It always grows, but more and more slowly. In all cases it is closer to a logarithm (correlation 0.988 "
            "and more) than to a line (0.90 to 0.97). The thesis advises against high k, because the loss keeps "
            "growing while the risk falls ever more slowly. This does not follow here: both level off.",
        ),
        Conclusion(
            f"SRL and MRL decrease abruptly up to k = {ABRUPT}: more than half of the decrease is there (our reading)",
            "Martínez 2012, section 8.4.4, Fig. 33",
            {
                dataset: [abrupt([found[h, k, name].mean for k in ks]) for h in both for name in (*DISTANCES, "mrl")]
                for dataset, found in ours.items()
            },
            "From k = 2 to 4, the last k measured below 5, they fall by 65 to 81 % of the total decrease to k = 20 "
            "on Adult, and by 53 to 57 % on diabetes130. For anything proportional to 1/k it is 56 %, on any table.",
        ),
        Conclusion(
            "SRL decreases logarithmically",
            "Martínez 2012, section 8.4.4, Figs. 33 and 35",
            {
                dataset: [
                    not straight(ks, [-found[h, k, distance].mean for k in ks]) for h in both for distance in DISTANCES
                ]
                for dataset, found in ours.items()
            },
            "It is closer to a negative logarithm (correlation −0.87 to −0.96) than to a line (−0.70 to −0.83). It "
            "is even closer to 1/k (0.98 and more), because one of k equal records is linked.",
        ),
    ]
