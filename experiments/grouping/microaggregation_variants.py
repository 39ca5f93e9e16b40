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
    GENERALISATION: om.Generalisation,
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
    yield Table(AGE, adult_data(numeric=("age",)), ks, MIXED, setting.seeds())
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
        "A question of ours: which way to form groups loses least, and what does that do to the risk? SSE (T eq. 6.2) "
        "and L, SSE in percent of the total (T eq. 6.4), are under the distances that also masked (Wu–Palmer inside "
        "each attribute's domain); SRL is the share of records that semantic record linkage finds (T eq. 8.1–8.4).",
        "*Refined* is what `Microaggregation(k)` does. ω is the number of a tuple's records, by which SA-MDAV "
        "multiplies distances where the *most distant* and where the *closest* tuple is looked for: T's comparison "
        "operator has it (T eq. 4.2), so *ω both* is T's wording, while *ω distant* is the default of `sa_mdav`. "
        "*Below k*: tuples of k records stay by themselves (T 6.3.3) instead of taking part (Algorithm 4). *Static*: "
        "the first tuple instead of the moving centroid. *Bounded by 2k − 1*: T Fig. 19-B. *MDAV* divides tuples; "
        "by equality and mode it is Domingo-Ferrer and Torra's, with least common subsumers (LCS) Abril et al.'s. T's "
        "own comparison is on another page: [microaggregation beside related work](microaggregation.md). The last rows "
        "are other methods with the same promise.",
        "Recoding and resampling are mean ± standard deviation over the seeds of each table. Microaggregation and "
        "generalisation are with seed 0: they leave nothing to chance but which of equal records MDAV puts where, and "
        "no figure here depends on that.",
        "## Option by option",
        "In how many cases (a table and a k at which both were measured) the first has less and more than the second, "
        "and how many times as much, from the least to the greatest; where neither, they are equal. In brackets, where "
        "chance plays a part: in how many of them by more than the two standard deviations together, of those that "
        "were measured with several seeds.",
        pairs_table(found, PAIRS, {"loss_percent": "L", "srl": "SRL"}),
        f"SRL times the achieved k is at most {safest:.0f} % for `refined`. Over 100 % it can never be: an original is "
        "linked to all of at least k equal records, or to more.",
    ]
    for table in tables:
        measured, options = found[table.name], tuple(table.options)
        parts += [
            f"## {table.name}",
            table.description,
            by_k({"L in percent": measured}, options, "loss_percent"),
            by_k({"SRL in percent": measured}, options, "srl"),
            "Times are those of masking on whatever machine made this page.",
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
    return small_multiples(charts, columns=len(found), title="Microaggregation beside SA-MDAV without ω")


CAPTION = (
    "L (above) and SRL (below) as so many times those of SA-MDAV without ω, by k: below 1 is less. Left out are those "
    "that lose far more (resampling, MDAV by equality or with least common subsumers, generalisation) and variants of "
    "SA-MDAV that come close to one that is drawn."
)
READING = (
    "The defaults follow from this. `refined` loses least on every table and at every k, so it is what "
    "`Microaggregation(k)` does. Of the ways to weigh, ω for the most distant alone is best where tuples are many: "
    "clusters begin at tuples of many records, and rare ones join what is near; without ω rare outliers begin clusters "
    "and draw records from afar. On Adult's two columns, where a few tuples have most of the records, it loses more "
    "than no ω at six of nine k. ω for the closest prefers rare tuples over near ones: with it, alone or in both, most "
    "is lost in 25 of 29 cases (at k = 2 as much as with ω for the most distant alone). Hence `weigh_distant=True` and "
    "`weigh_closest=False` for `sa_mdav`.\n\n"
    "Less loss is not always more risk. `refined` leaves 5 to 29 % fewer groups than SA-MDAV with ω for the most "
    "distant, and larger groups are harder to link; on Adult's two columns and on two diagnoses SRL falls "
    "with L, on three and more columns it rises in most cases, by up to 23 %."
)


def conclusions(found: Found) -> list[Conclusion]:
    """The conclusions of the thesis on SA-MDAV, on more tables; and the basis of our defaults."""
    return [
        Conclusion(
            "moving centroids lose no more than static ones, ω both",
            "T 6.3.3, Fig. 21",
            less_in(found, BOTH, STATIC_BOTH, or_equal=True),
            "At k = 2 they are equal. On Adult static ones lose less at k = 5, 20 and 500, by less than 2 %; with age, "
            "moving ones lose 8 to 28 % less from k = 5 on. T calls the gain subtle.",
        ),
        Conclusion(
            "moving centroids lose no more than static ones, ω distant",
            "T 6.3.3, Fig. 21; ω ours",
            less_in(found, DISTANT, STATIC, or_equal=True),
            "Static ones lose less on Adult at k = 20 (1.23 against 1.28) and with age at k = 500 and 1,800, where "
            "there are few clusters, and which tuples come together decides.",
        ),
        Conclusion(
            "SA-MDAV loses less than MDAV, ω both",
            "T 6.3.3, Fig. 21",
            less_in(found, BOTH, MDAV),
            "It loses most where k is neither small nor large: up to 2.06 times as much on Adult at k = 50, 1.86 times "
            "with age at k = 500. On two diagnoses it is 1.05 to 1.18 times from k = 10 on, on three 1.03 times at k = "
            "100 alone; on six columns it loses less. Every cluster is filled with rare tuples from afar before those "
            "with many records come in. T's figure was hardly made with it.",
        ),
        Conclusion(
            "SA-MDAV loses less than MDAV, ω distant",
            "T 6.3.3, Fig. 21; ω ours",
            less_in(found, DISTANT, MDAV),
            "In all cases but one: on Adult at k = 500 (11.36 against 10.23). On diagnoses it loses 17 to 40 % less.",
        ),
        Conclusion(
            "SA-MDAV loses less than MDAV by equality and mode, and than MDAV with LCS, ω both",
            "T 6.3.4, Fig. 22",
            less_in(found, BOTH, EQUALITY, LCS),
            "On Adult MDAV by equality and mode loses less at k = 50, 100, 128 and 500, and with least common "
            "subsumers at k = 20.",
        ),
        Conclusion(
            "SA-MDAV loses less than MDAV by equality and mode, and than MDAV with LCS, ω distant",
            "T 6.3.4, Fig. 22; ω ours",
            less_in(found, DISTANT, EQUALITY, LCS),
            "0.11 to 0.78 times as much as by equality and mode, 0.08 to 0.93 times as much as with least common "
            "subsumers.",
        ),
        Conclusion(
            "clusters without bound lose less than those of at most 2k − 1 records, ω distant",
            "T 6.2.1, Fig. 19; ω ours",
            less_in(found, DISTANT, BOUNDED),
            "The one exception is Adult with age at k = 5 (0.52 against 0.51). The gain is small where tuples are "
            "many, 1 to 6 % on two diagnoses: few of them have 2k records.",
        ),
        Conclusion(
            "SA-MDAV loses less with ω distant than without ω",
            "ours",
            less_in(found, DISTANT, PLAIN),
            "In 20 of 29 cases. It is by 7 to 30 % on diagnoses from k = 5 on and on Adult with age from k = 50 on; at "
            "k = 2 it is more on all three tables (on Adult by 55 %), with age at k = 5 as well, and on Adult's two "
            "columns from k = 20 to 500, by up to 24 % there.",
        ),
        Conclusion(
            "SA-MDAV loses less with ω both, T's wording, than without ω",
            "ours",
            less_in(found, BOTH, PLAIN),
            "In 4 of 29 cases, where k is 5, and on six columns 20. On Adult it loses up to 2.46 times as much.",
        ),
        Conclusion(
            "refined loses less than SA-MDAV, ω distant",
            "ours",
            less_in(found, REFINED, DISTANT),
            "0.37 to 0.94 times as much. The gain is least where there are ten clusters to choose from, on Adult at "
            "k = 1,800.",
        ),
        Conclusion(
            "refined loses less than MDAV, recoding, resampling and generalisation",
            "ours",
            less_in(found, REFINED, MDAV, RECODING, RESAMPLING, GENERALISATION),
            "0.22 to 0.67 times as much as MDAV, 0.48 to 0.80 times as much as recoding, 0.15 to 0.63 times as much as "
            "generalisation, at most 0.25 times as much as resampling; where there are several seeds, by more than "
            "they differ. At k = 1,800 on Adult recoding depends much on them (21.27 ± 4.33 beside 16.33).",
        ),
        Conclusion(
            "what loses less is easier to link: refined has more SRL than SA-MDAV, ω distant",
            "ours",
            less_in(found, DISTANT, REFINED, measure="srl"),
            "In 10 of 29 cases only, all on three columns and more. On Adult's two columns and on two diagnoses "
            "`refined` has less of both, L and SRL, since it has fewer groups.",
        ),
        Conclusion(
            "what loses less is easier to link: refined has more SRL than SA-MDAV, no ω",
            "ours",
            less_in(found, PLAIN, REFINED, measure="srl"),
            "In 27 of 29 cases, by up to 41 %. The exceptions are Adult at k = 500 and with age at k = 2, by 2 % and "
            "less.",
        ),
    ]
