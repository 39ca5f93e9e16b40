"""Variants of microaggregation: which loses least, and how does that change the risk? (Martínez 2012, chapter 6)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import ontomask as om
from experiments.grouping import trials
from experiments.grouping.option_tables import (
    ADULT,
    AGE,
    PAIR,
    SIX,
    TRIPLE,
    Found,
    Table,
    at_k,
    less_in,
    pairs_table,
    wide,
)
from experiments.grouping.trials import Make, Trials, by_k
from experiments.shared.findings import Conclusion, Findings, Setting, Spread
from ontomask.examples import adult_data, diabetes130_data
from ontomask.figures import Figure, Line, LineChart, small_multiples
from ontomask.masking.microaggregation import RELATED

REFINED, DISTANT, PLAIN = "refined", "SA-MDAV, ω distant", "SA-MDAV, no ω"
CLOSEST, BOTH, BELOW = "SA-MDAV, ω closest", "SA-MDAV, ω both", "SA-MDAV, ω distant, below k"
STATIC, STATIC_PLAIN, STATIC_BOTH = "static, ω distant", "static, no ω", "static, ω both"
BOUNDED, MDAV, EQUALITY, LCS = "bounded by 2k − 1", "MDAV", "MDAV, equality and mode", "MDAV, LCS"
RECODING, RESAMPLING, GENERALISATION = "recoding", "resampling", "generalisation"


def _variant(variant: str, **options: bool | str) -> Make:
    return lambda k: om.Microaggregation(k, variant=variant, **options)  # type: ignore[arg-type]


def _related(name: str) -> Make:
    return lambda k: om.Microaggregation(k, **RELATED[name])


OPTIONS: Mapping[str, Make] = {
    REFINED: _variant("refined"),
    DISTANT: _variant("sa_mdav"),
    PLAIN: _variant("sa_mdav", weigh_distant=False),
    CLOSEST: _variant("sa_mdav", weigh_distant=False, weigh_closest=True),
    BOTH: _variant("sa_mdav", weigh_closest=True),
    BELOW: _variant("sa_mdav", join="below_k"),
    STATIC: _variant("sa_mdav_static"),
    STATIC_PLAIN: _variant("sa_mdav_static", weigh_distant=False),
    STATIC_BOTH: _variant("sa_mdav_static", weigh_closest=True),
    BOUNDED: _related("bounded"),
    MDAV: _variant("mdav"),
    EQUALITY: _related("domingo_ferrer_torra"),
    LCS: _related("abril"),
    RECODING: om.Recoding,
    RESAMPLING: om.Resampling,
    GENERALISATION: lambda k: om.Generalisation(k, variant="best_first"),
}
# For tables with attributes that are not nominal.
MIXED = {name: make for name, make in OPTIONS.items() if name not in (LCS, GENERALISATION)}
# For tables on which a run takes seconds.
FEW = {name: OPTIONS[name] for name in (REFINED, DISTANT, PLAIN, BOTH, MDAV, RECODING, RESAMPLING)}
# The other options give the same figures with every seed: MDAV only chooses among equal records.
BY_CHANCE = (RECODING, RESAMPLING)

PAIRS = (
    (DISTANT, PLAIN),
    (BOTH, PLAIN),
    (CLOSEST, PLAIN),
    (DISTANT, STATIC),
    (BOTH, STATIC_BOTH),
    (BELOW, DISTANT),
    (BOUNDED, DISTANT),
    (DISTANT, MDAV),
    (BOTH, MDAV),
    (DISTANT, EQUALITY),
    (BOTH, EQUALITY),
    (DISTANT, LCS),
    (BOTH, LCS),
    (MDAV, EQUALITY),
    (MDAV, LCS),
    (REFINED, DISTANT),
    (REFINED, PLAIN),
    (REFINED, MDAV),
    (REFINED, RECODING),
    (REFINED, RESAMPLING),
    (REFINED, GENERALISATION),
)
DRAWN = (REFINED, DISTANT, BOTH, MDAV, RECODING)
MEASURED = ("sse", "loss_percent", "srl", "k", "tuples", "seconds")
SHOWN = {
    "sse": ("SSE", 1),
    "loss_percent": ("L in percent", 2),
    "srl": ("SRL in percent", 2),
    "k": ("achieved k", 0),
    "tuples": ("tuples left", 0),
    "seconds": ("seconds", 3),
}


def run(setting: Setting) -> Findings:
    """Measure all tables."""
    tables = list(tables_of(setting))
    return findings_of(tables, {table.name: measure(table) for table in tables})


def tables_of(setting: Setting) -> Iterator[Table]:
    """The tables, each with its k, options and seeds."""
    ks, path = setting.parameters((2, 5, 10, 20, 50, 100, 128, 500, 1800)), setting.diabetes130
    yield Table(ADULT, adult_data(), ks, OPTIONS, setting.seeds())
    yield Table(AGE, adult_data(numeric=("age",), scale="range"), ks, MIXED, setting.seeds())
    if path is not None and not setting.quick:
        pair = diabetes130_data(path, "diag_1", "diag_2")
        yield Table(PAIR, pair, (2, 5, 10, 20, 50, 100), OPTIONS, setting.seeds(3))
        yield Table(TRIPLE, diabetes130_data(path), (5, 20, 100), FEW, setting.seeds(1))
        yield Table(SIX, wide(path), (5, 20), FEW, setting.seeds(1))


def measure(table: Table) -> Trials:
    """Measure all options at all k, with several seeds if these can change a figure."""
    figures: dict[tuple[str, int], Mapping[str, Spread]] = {}
    for chance, seeds in ((False, table.seeds[:1]), (True, table.seeds)):
        options = {name: make for name, make in table.options.items() if (name in BY_CHANCE) == chance}
        figures |= trials.measure(dict.fromkeys(seeds, table.data), options, table.ks).figures

    def with_tuples(found: Mapping[str, Spread]) -> dict[str, Spread]:
        # The average risk is that of one record in each group.
        groups, share = found["average_risk"], len(table.data) / 100
        return {**found, "tuples": Spread(groups.mean * share, groups.sd * share, groups.runs)}

    return Trials({(name, k): with_tuples(figures[name, k]) for name in table.options for k in table.ks})


def findings_of(tables: Sequence[Table], found: Found) -> Findings:
    """The findings from the measurements."""
    return Findings(
        page(tables, found),
        [row for dataset, measured in found.items() for row in trials.rows(dataset, measured, MEASURED)],
        figure(found),
        CAPTION,
        conclusions(found),
        READING,
    )


def page(tables: Sequence[Table], found: Found) -> str:
    """The page with its tables."""
    safest = max(
        figures["srl"].mean * figures["k"].mean
        for measured in found.values()
        for (name, _), figures in measured.figures.items()
        if name == REFINED
    )
    parts = [
        "# Variants of microaggregation",
        "A question of ours: which variant loses least, and how does that change the risk? SSE (Martínez 2012, eq. "
        "6.2) and L, SSE in percent of the total (Martínez 2012, eq. 6.4), use the distances of the masking "
        "(Wu–Palmer inside each attribute's domain). SRL is the share of records that semantic record linkage finds "
        "(Martínez 2012, eq. 8.1–8.4).",
        "*Refined* is what `Microaggregation(k)` does. ω is the number of a tuple's records. SA-MDAV multiplies "
        "distances by ω in the search for the *most distant* tuple, for the *closest* tuple, or for both. The "
        "comparison operator of the thesis has ω (Martínez 2012, eq. 4.2), so *ω both* is as published, while *ω "
        "distant* is the default of `sa_mdav`. *Below k*: tuples of k records form their own groups (Martínez 2012, "
        "section 6.3.3) instead of taking part (Algorithm 4). *Static*: the first tuple instead of the moving "
        "centroid. *Bounded by 2k − 1*: Martínez 2012, Fig. 19-B. *MDAV* divides tuples. With equality and mode it "
        "is the method of Domingo-Ferrer and Torra, and with least common subsumers (LCS) that of Abril et al. The "
        "comparison of the thesis is on another page: [microaggregation beside related work](microaggregation.md). "
        "The last rows are other methods with the same guarantee.",
        "Recoding and resampling are mean ± standard deviation over the seeds of each table. Microaggregation and "
        "generalisation use seed 0. In these, only the distribution of equal records by MDAV is random, and no "
        "figure here depends on it.",
        "## Option by option",
        "The table counts cases: a table and a k at which both options were measured. It shows in how many cases the "
        "first has less and more than the second, and the range of their ratio. In the other cases they are equal. "
        "In brackets, if the seed matters: the number of cases in which they differ by more than the sum of the two "
        "standard deviations, among those measured with several seeds.",
        pairs_table(found, PAIRS, {"loss_percent": "L", "srl": "SRL"}),
        f"SRL times the achieved k is at most {safest:.0f} % for `refined`. It cannot exceed 100 %: an original is "
        "linked to all of at least k equal records, or to more.",
    ]
    for table in tables:
        measured, options = found[table.name], tuple(table.options)
        parts += [
            f"## {table.name}",
            table.description,
            by_k({"L in percent": measured}, options, "loss_percent"),
            by_k({"SRL in percent": measured}, options, "srl"),
            "Times are for masking, on the machine that made this page.",
            at_k(table, measured, options, SHOWN),
        ]
    return "\n\n".join(parts)


def figure(found: Found) -> Figure:
    """L and SRL compared with SA-MDAV without ω."""
    charts = []
    for measure, title in (("loss_percent", "L"), ("srl", "SRL")):
        for dataset, measured in found.items():
            ks = [k for name, k in measured.figures if name == PLAIN]
            lines = [
                Line(name, ks, [measured(measure, name, k) / measured(measure, PLAIN, k) for k in ks], style=style)
                for style, name in enumerate(DRAWN)
                if (name, ks[0]) in measured.figures
            ]
            charts.append(LineChart(lines, x_title="k", title=f"{title}, {dataset}", width=170, height=150, log_x=True))
    return small_multiples(charts, columns=len(found), title="Microaggregation and SA-MDAV without ω")


CAPTION = (
    "L (top) and SRL (bottom) by k, relative to SA-MDAV without ω: below 1 is less. Not shown are methods that lose "
    "far more (resampling, MDAV by equality or with least common subsumers, generalisation) and variants of SA-MDAV "
    "that are close to one that is shown."
)
READING = (
    "These results explain the defaults. `refined` loses least on every table and at every k, so "
    "`Microaggregation(k)` uses it. Of the weightings, ω for the most distant tuple only is best if there are many "
    "tuples. Clusters then begin at tuples with many records, and rare tuples join what is close. Without ω, rare "
    "outliers begin clusters and draw records from far away. On Adult's two columns, where a few tuples have most of "
    "the records, ω loses more than no ω at six of nine k. ω for the closest tuple prefers rare tuples to close "
    "ones. With it, alone or in both searches, most is lost in 25 of 29 cases (at k = 2 as much as with ω for the "
    "most distant only). Hence `weigh_distant=True` and `weigh_closest=False` for `sa_mdav`.\n\nLess loss does not "
    "always mean more risk. `refined` makes 5 to 29 % fewer groups than SA-MDAV with ω for the most distant tuple, "
    "and larger groups are harder to link. On Adult's two columns and on two diagnoses, SRL falls together with L. "
    "On three and more columns, it rises in most cases, by up to 23 %."
)


def conclusions(found: Found) -> list[Conclusion]:
    """The conclusions of the thesis on SA-MDAV, on more tables; and the basis of our defaults."""
    return [
        Conclusion(
            "moving centroids lose no more than static ones, ω both",
            "Martínez 2012, section 6.3.3, Fig. 21",
            less_in(found, BOTH, STATIC_BOTH, or_equal=True),
            "At k = 2 they are equal. On Adult, static centroids lose less at k = 5, 20 and 500, by less than 2 %. "
            "With age, moving centroids lose 8 to 28 % less from k = 5 on. The thesis calls the gain subtle.",
        ),
        Conclusion(
            "moving centroids lose no more than static ones, ω distant",
            "Martínez 2012, section 6.3.3, Fig. 21; ω ours",
            less_in(found, DISTANT, STATIC, or_equal=True),
            "Static centroids lose less on Adult at k = 20 (1.23 against 1.28), and with age at k = 500 and 1,800. "
            "There are few clusters at such k, and the result depends on which tuples meet.",
        ),
        Conclusion(
            "SA-MDAV loses less than MDAV, ω both",
            "Martínez 2012, section 6.3.3, Fig. 21",
            less_in(found, BOTH, MDAV),
            "SA-MDAV loses most for medium k: up to 2.06 times as much on Adult at k = 50, and 1.86 times with age "
            "at k = 500. On two diagnoses it is 1.05 to 1.18 times from k = 10 on, and on three 1.03 times at k = "
            "100 only. On six columns it loses less. Every cluster is filled with distant rare tuples before tuples "
            "with many records can join. The figure in the thesis was probably not made with this version.",
        ),
        Conclusion(
            "SA-MDAV loses less than MDAV, ω distant",
            "Martínez 2012, section 6.3.3, Fig. 21; ω ours",
            less_in(found, DISTANT, MDAV),
            "In all cases but one: Adult at k = 500 (11.36 against 10.23). On diagnoses it loses 17 to 40 % less.",
        ),
        Conclusion(
            "SA-MDAV loses less than MDAV by equality and mode, and than MDAV with LCS, ω both",
            "Martínez 2012, section 6.3.4, Fig. 22",
            less_in(found, BOTH, EQUALITY, LCS),
            "On Adult, MDAV by equality and mode loses less at k = 50, 100, 128 and 500, and MDAV with least common "
            "subsumers at k = 20.",
        ),
        Conclusion(
            "SA-MDAV loses less than MDAV by equality and mode, and than MDAV with LCS, ω distant",
            "Martínez 2012, section 6.3.4, Fig. 22; ω ours",
            less_in(found, DISTANT, EQUALITY, LCS),
            "It loses 0.11 to 0.78 times as much as by equality and mode, and 0.08 to 0.93 times as much as with "
            "least common subsumers.",
        ),
        Conclusion(
            "clusters without bound lose less than clusters of at most 2k − 1 records, ω distant",
            "Martínez 2012, section 6.2.1, Fig. 19; ω ours",
            less_in(found, DISTANT, BOUNDED),
            "The one exception is Adult with age at k = 5 (0.52 against 0.51). The gain is small if there are many "
            "tuples, 1 to 6 % on two diagnoses, because few of them have 2k records.",
        ),
        Conclusion(
            "SA-MDAV loses less with ω distant than without ω",
            "ours",
            less_in(found, DISTANT, PLAIN),
            "In 20 of 29 cases. It loses 7 to 30 % less on diagnoses from k = 5 on, and on Adult with age from k = "
            "50 on. At k = 2 it loses more on all three tables (on Adult by 55 %), and with age also at k = 5. On "
            "Adult's two columns it loses up to 24 % more from k = 20 to 500.",
        ),
        Conclusion(
            "SA-MDAV loses less with ω both, as published, than without ω",
            "ours",
            less_in(found, BOTH, PLAIN),
            "In 4 of 29 cases: k = 5, and on six columns also k = 20. On Adult it loses up to 2.46 times as much.",
        ),
        Conclusion(
            "refined loses less than SA-MDAV, ω distant",
            "ours",
            less_in(found, REFINED, DISTANT),
            "It loses 0.37 to 0.94 times as much. The gain is smallest on Adult at k = 1,800, where there are only "
            "ten clusters to choose from.",
        ),
        Conclusion(
            "refined loses less than MDAV, recoding, resampling and generalisation",
            "ours",
            less_in(found, REFINED, MDAV, RECODING, RESAMPLING, GENERALISATION),
            "It loses 0.22 to 0.67 times as much as MDAV, 0.48 to 0.80 times as much as recoding, 0.15 to 0.63 times "
            "as much as generalisation, and at most 0.25 times as much as resampling. With several seeds, the "
            "difference is larger than between seeds. At k = 1,800 on Adult, recoding depends much on the seed "
            "(21.27 ± 4.33 against 16.33).",
        ),
        Conclusion(
            "less loss means easier linkage: refined has a larger SRL than SA-MDAV, ω distant",
            "ours",
            less_in(found, DISTANT, REFINED, measure="srl"),
            "Only in 10 of 29 cases, all on three columns and more. On Adult's two columns and on two diagnoses, "
            "`refined` has a smaller L and a smaller SRL, because it makes fewer groups.",
        ),
        Conclusion(
            "less loss means easier linkage: refined has a larger SRL than SA-MDAV, no ω",
            "ours",
            less_in(found, PLAIN, REFINED, measure="srl"),
            "In 27 of 29 cases, by up to 41 %. The exceptions are Adult at k = 500 and with age at k = 2, by 2 % and "
            "less.",
        ),
    ]
