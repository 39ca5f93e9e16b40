"""SA-MDAV, its parts and related work (Martínez 2012, section 6.3, Figs. 21, 22 and 24–27)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import ontomask as om
from experiments.grouping.sa_mdav import (
    ABRIL,
    ADULT,
    AS_PUBLISHED,
    DIABETES,
    HERE,
    METHODS,
    PLAIN,
    REFINED,
    RELATED_WORK,
    WAYS,
    conclusions,
)
from experiments.grouping.trials import Trials, by_k, by_weight, chart, measure, rows, weights_chart
from experiments.shared.findings import Findings, Setting, markdown
from experiments.shared.samples import public_tables
from ontomask.figures import Figure, LineChart, small_multiples

KS = {ADULT: (2, 5, 10, 50, 128, 500, 800, 1200, 1800), DIABETES: (2, 3, 5, 7, 10, 15)}
# The thesis fixes k somewhere in the middle, without saying where.
MIDDLE = {ADULT: 500, DIABETES: 7}
MEASURED = ("loss_percent", "rl", "srl", "score_rl", "k", "seconds")
# The methods of Fig. 21 and of Figs. 22 and 24–27, with our default.
VERSIONS = (*WAYS[AS_PUBLISHED], *WAYS[HERE], PLAIN)
COMPARED = (WAYS[AS_PUBLISHED][0], WAYS[HERE][0], *RELATED_WORK, REFINED)


def run(setting: Setting) -> Findings:
    """Run the experiment of Martínez 2012, section 6.3."""
    tables = public_tables(setting)
    ours = {
        dataset: measure(dict.fromkeys(setting.seeds(2), data), METHODS, setting.parameters(KS[dataset]))
        for dataset, data in tables.items()
    }
    ks = {dataset: setting.parameters(KS[dataset]) for dataset in ours}
    at = {dataset: MIDDLE[dataset] if MIDDLE[dataset] in ks[dataset] else ks[dataset][-1] for dataset in ours}
    return Findings(
        page(setting, tables, ours, at),
        [row for dataset, trials in ours.items() for row in rows(dataset, trials, MEASURED)],
        figure(ours, at),
        CAPTION,
        conclusions(ours, ks, at),
    )


def page(
    setting: Setting, tables: Mapping[str, om.Microdata], ours: Mapping[str, Trials], at: Mapping[str, int]
) -> str:
    """A table for each figure of the thesis."""
    described = [
        ["Martínez 2012, data set 1 (visitors' answers)", "975", "211", "21.6 %", "118", "115"],
        ["Martínez 2012, data set 2 (Adult)", "30,162", "388", "1.3 %", "83", "3,739"],
    ]
    for dataset, data in tables.items():
        counts = data.table.counts
        described.append(
            [
                dataset,
                f"{len(data):,}",
                f"{len(counts):,}",
                f"{100 * len(counts) / len(data):.1f} %",
                f"{(counts == 1).sum():,}",
                f"{counts.max():,}",
            ]
        )

    def tables_of(methods: Sequence[str], name: str, digits: int = 2) -> str:
        return "\n\n".join(by_k({dataset: trials}, methods, name, digits) for dataset, trials in ours.items())

    return "\n\n".join(
        [
            "# Microaggregation beside related work",
            "Martínez 2012, section 6.3, measures what each part of SA-MDAV gains, and compares it with two older "
            "methods. The second data set of the thesis is public: Adult's occupation × native-country over WordNet, "
            "mapped as in its Table 12. (The thesis uses WordNet 2.1 and counts six pairs fewer. Here it is WordNet "
            "3.0.) The first data set is not public: answers of 975 visitors to a park."
            + (
                " It is replaced by two diagnoses of diabetes130 over ICD-9-CM, with about the same share of "
                "distinct tuples and a hundred times as many records."
                if DIABETES in tables
                else ""
            ),
            markdown(["", "records", "distinct tuples", "in percent", "unique", "largest group"], described),
            "The thesis compares tuples by distances times ω, the number of a tuple's records (Martínez 2012, eq. "
            f"4.2), in the search for the most distant tuple and for the closest. This is *{AS_PUBLISHED}*, "
            "`Microaggregation(k, variant='sa_mdav', weigh_closest=True)`. *SA-MDAV* alone is our default of "
            "`variant='sa_mdav'`: ω applies only to the most distant tuple. [Variants of "
            "microaggregation](microaggregation_variants.md) explains why, and has more of our own variants. "
            "*SA-MDAV-static* and *S-MDAV* are the two preceding steps in the thesis (`sa_mdav_static`, `mdav`). "
            "S-MDAV works on records, so ω is 1. *Domingo-Ferrer and Torra* and *Abril et al.* are `RELATED` in "
            "`ontomask.masking`: MDAV by equality and mode, and MDAV by meaning with the least common subsumer. "
            "*Bounded by 2k − 1* is Martínez 2012, Fig. 19-B. *Refined* is what `Microaggregation(k)` does. It is "
            "not in the thesis and not part of the conclusions. In microaggregation nothing is random except how "
            f"MDAV distributes equal records: {setting.seeds_text(2)}.",
            "The thesis shows its results as pictures. Numbers from its text are repeated next to ours.",
            "## Loss",
            "Martínez 2012, Figs. 21 and 22: L in percent.",
            tables_of(tuple(METHODS), "loss_percent"),
            "## Risk",
            "Martínez 2012, Fig. 24: RL in percent (from masked to original, by equal values).",
            tables_of(COMPARED, "rl"),
            "SRL in percent, used in the thesis from chapter 8 on: the intruder knows the meaning of values.",
            tables_of(COMPARED, "srl"),
            "## Balance",
            "Martínez 2012, Fig. 25: α L + (1 − α) RL with α = 0.5.",
            tables_of(COMPARED, "score_rl"),
            "Martínez 2012, Fig. 26: the same by α, at a k in the middle.",
            by_weight(ours, COMPARED, at, "rl"),
            "## Time",
            "Martínez 2012, Fig. 27: seconds to mask, the shorter of two runs, on the machine that made this page. "
            "The thesis used a 2.4 GHz processor.",
            tables_of(COMPARED, "seconds", 3),
            markdown(
                ["Martínez 2012, seconds", "data set 1", "data set 2"],
                [
                    ["SA-MDAV", "70 to 80", "131 to 205"],
                    ["Abril et al.", "20", "7,873 (k = 2) to 1,839 (k = 128)"],
                    ["Domingo-Ferrer and Torra", "negligible", "318 (k = 2) to 242 (k = 128)"],
                ],
                left=3,
            ),
        ]
    )


def figure(ours: Mapping[str, Trials], at: Mapping[str, int]) -> Figure:
    """Martínez 2012, Figs. 21, 22, 24, 25 and 26, two rows per table."""
    charts = []
    for dataset, trials in ours.items():
        log = dataset == ADULT
        charts += [
            chart(f"L, {dataset}: versions", trials, VERSIONS, "loss_percent", log=log),
            styled(chart(f"L, {dataset}: related work", trials, COMPARED, "loss_percent", log=log)),
            styled(chart(f"RL, {dataset}", trials, COMPARED, "rl", log=log)),
            styled(chart(f"score, {dataset}", trials, COMPARED, "score_rl", log=log)),
            styled(weights_chart(f"score, {dataset}, k = {at[dataset]:,}", trials, COMPARED, at[dataset], "rl")),
        ]
        if dataset == ADULT:
            near = tuple(name for name in COMPARED if name != ABRIL)
            charts.append(styled(chart(f"score, {dataset}, without Abril et al.", trials, near, "score_rl", log=True)))
    return small_multiples(charts, columns=3, title="Microaggregation beside related work")


def styled(chart: LineChart) -> LineChart:
    """Give a method the same style in all panels."""
    looks = {name: number for number, name in enumerate((*VERSIONS, *RELATED_WORK, REFINED))}
    return replace(chart, lines=[replace(line, style=looks[line.name]) for line in chart.lines])


CAPTION = (
    "Martínez 2012, Figs. 21 and 22 (L), 24 (RL), 25 (score with equal weights of loss and risk; for Adult also "
    "without the method that sets the scale) and 26 (score by the weight of the loss), all in percent. Less is "
    "better."
)
