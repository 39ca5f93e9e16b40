"""Three methods on clinical data, with and without meaning: T chapter 9, Figs. 37–42.

python experiments/clinical.py --data FOLDER
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import samples
from findings import Conclusion, Findings, Setting, alone, markdown
from public_tables import draw, under
from samples import Source
from trials import WEIGHTS, Make, Trials, by_k, by_weight, chart, measure, rows, straight, weights_chart

import ontomask as om
from ontomask.figures import Figure, small_multiples
from ontomask.masking.resampling import SETTINGS

RECORDS = 3006
KS = (2, 3, 4, 5, 7, 10, 15)
MIDDLE = 7
# T masks and evaluates with it in this chapter.
DISTANCE = "log_sc"
RECODING, MICROAGGREGATION, RESAMPLING = "recoding", "microaggregation", "resampling"
SUPPRESSION, REFINED = "suppression", "microaggregation, refined"
PLAIN, AS_T = ", no meaning", ", as in T"
SEMANTIC = (RECODING, MICROAGGREGATION, RESAMPLING)
SORTED_AS_T: Mapping[str, Any] = {"reference": "sample", "ties": "random"}
METHODS: Mapping[str, Make] = {
    RECODING: om.Recoding,
    MICROAGGREGATION: lambda k: om.Microaggregation(k, variant="sa_mdav"),
    RESAMPLING: om.Resampling,
    RECODING + PLAIN: lambda k: om.Recoding(k, criterion="equality"),
    MICROAGGREGATION + PLAIN: lambda k: om.Microaggregation(
        k, variant="sa_mdav", comparison="equality", centroid="mode"
    ),
    RESAMPLING + PLAIN: lambda k: om.Resampling(k, **SETTINGS[1]),
    SUPPRESSION: om.Suppression,
    RECODING + AS_T: lambda k: om.Recoding(k, weighted=True, sequential=False),
    RESAMPLING + AS_T: lambda k: om.Resampling(k, **SORTED_AS_T),
    RESAMPLING + AS_T + PLAIN: lambda k: om.Resampling(k, **SETTINGS[1], **SORTED_AS_T),
    REFINED: om.Microaggregation,
}
COMPARED = (*SEMANTIC, RECODING + AS_T, RESAMPLING + AS_T, REFINED)
DRAWN = (*SEMANTIC, *(method + PLAIN for method in SEMANTIC), SUPPRESSION, REFINED)
MEASURED = ("sse", "loss_percent", "kl_divergence", "srl", "score_srl", "k", "suppressed", "seconds")

Tables = Mapping[str, Mapping[int, om.Microdata]]


def whole(source: Source) -> om.Microdata:
    """The first two columns of a source, compared by `DISTANCE`."""
    attributes = dict(list(source.attributes.items())[:2])
    return under(om.Microdata(source.frame.select(list(attributes)), attributes), DISTANCE)


def run(setting: Setting) -> Findings:
    """T 9.2."""
    ks, seeds = setting.some(KS), setting.seeds(5)
    sources = samples.one_taxonomy(setting)
    tables = {
        place: {seed: draw(data, setting.size(RECORDS), seed) for seed in seeds}
        for place, data in ((place, whole(source)) for place, source in sources.items())
    }
    ours = {place: measure(drawn, METHODS, ks) for place, drawn in tables.items()}
    at = MIDDLE if MIDDLE in ks else ks[-1]
    return Findings(
        page(sources, tables, ours, ks, at),
        [row for place, trials in ours.items() for row in rows(place, trials, MEASURED)],
        figure(ours, at),
        CAPTION,
        conclusions(ours, ks, at),
    )


def page(sources: Mapping[str, Source], tables: Tables, ours: Mapping[str, Trials], ks: Sequence[int], at: int) -> str:
    """A table for each of T's figures."""
    described = [["T, SNOMED-CT", "3,006", "2,331", "2,073"]]
    for place, drawn in tables.items():
        counts = drawn[0].table.counts
        described.append([place, f"{len(drawn[0]):,}", f"{len(counts):,}", f"{(counts == 1).sum():,}"])
    blank = ["—"] * (len(ks) - 1)
    return "\n\n".join(
        [
            "# Three methods on clinical data",
            "T chapter 9 compares its three methods, each with and without meaning, and the suppression of records, on "
            "two diagnoses of 3,006 patients of one hospital, read over SNOMED-CT. Neither is public. Here they are "
            f"samples of as many records of {next(iter(sources.values())).title}, two diagnoses each, one sample a "
            "seed. All is masked and measured with LogSC (T eq. 3.9) inside the domain.",
            samples.about(sources),
            "The sample of seed 0 beside T's. T's is sparser: its codes have four and five digits, most of ours three.",
            markdown(["", "records", "distinct tuples", "unique"], described),
            "*Recoding* and *resampling* are `Recoding(k)` and `Resampling(k)`; *microaggregation* is SA-MDAV, "
            "`Microaggregation(k, variant='sa_mdav')`; *no meaning* compares by equality and takes the mode. These "
            "are what the conclusions are about. Beside them stand recoding and resampling *as in T*, where our "
            "defaults depart from it (`weighted=True, sequential=False`; `reference='sample', ties='random'`), and "
            "*refined*, which is what `Microaggregation(k)` does and no method of T. Figures are "
            "mean ± standard deviation over the seeds 0 to 4, each with a sample of its own. T prints its results as "
            "pictures; where its text has numbers, they stand beside ours.",
            "## Loss",
            "T Fig. 37: SSE; a record that is left out counts 1.",
            by_k(
                ours,
                tuple(METHODS),
                "sse",
                0,
                [
                    ["T", MICROAGGREGATION, *blank, "645"],
                    ["", SUPPRESSION, *blank, "2,875"],
                ],
            ),
            "T Fig. 38: SSE as above, and the KL divergence of the tuples' shares.",
            by_k(ours, COMPARED, "kl_divergence"),
            "## Risk",
            "T Fig. 39: SRL in percent.",
            by_k(ours, COMPARED, "srl"),
            "## Balance",
            "T Fig. 40: α L + (1 − α) SRL with α = 0.5.",
            by_k(ours, COMPARED, "score_srl"),
            f"T Fig. 41: the same by α, at k = {at}.",
            by_weight(ours, COMPARED, dict.fromkeys(ours, at), "srl"),
            "## Time",
            "T Fig. 42: seconds to mask, the shortest over the samples, on whatever machine made this page.",
            by_k(ours, COMPARED, "seconds", 3),
        ]
    )


def figure(ours: Mapping[str, Trials], at: int) -> Figure:
    """T Figs. 37 to 41, a row an ontology."""
    charts = []
    for place, trials in ours.items():
        charts += [
            chart(f"SSE, {place}", trials, DRAWN, "sse"),
            chart(f"KL divergence, {place}", trials, DRAWN, "kl_divergence"),
            chart(f"SRL, {place}", trials, DRAWN, "srl"),
            weights_chart(f"score, {place}, k = {at}", trials, DRAWN, at, "srl"),
        ]
    return small_multiples(charts, columns=4, title="Three methods on clinical data")


CAPTION = (
    "T Figs. 37 and 38 (SSE, KL divergence), 39 (SRL in percent) and 41 (score by the weight of the loss); mean ± "
    "standard deviation over samples. Less is better."
)


def conclusions(ours: Mapping[str, Trials], ks: Sequence[int], at: int) -> list[Conclusion]:
    """What T 9.2 concludes."""

    def ordered(measure: str, *methods: str, above: int = 0) -> dict[str, list[bool]]:
        return {
            place: [
                trials(measure, a, k) < trials(measure, b, k) for k in ks if k > above for a, b in pairwise(methods)
            ]
            for place, trials in ours.items()
        }

    def gain(trials: Trials, method: str, k: int) -> float:
        return 1 - trials("sse", method, k) / trials("sse", method + PLAIN, k)

    return [
        Conclusion(
            "SSE grows with k",
            "T 9.2.2, Fig. 37",
            {
                place: [
                    trials("sse", method, less) < trials("sse", method, more)
                    for method in METHODS
                    if method != REFINED and AS_T not in method
                    for less, more in pairwise(ks)
                ]
                for place, trials in ours.items()
            },
            "By the promise itself: more records must become alike.",
        ),
        Conclusion(
            "SSE is less with meaning than without, for all three methods",
            "T 9.2.2, Fig. 37",
            {place: [gain(trials, method, k) > 0 for method in SEMANTIC for k in ks] for place, trials in ours.items()},
            "A quarter to two fifths less for recoding, a sixth to a third for microaggregation. For resampling a "
            "fifth to a third less over ICD-9-CM, but 1 to 12 % more over MONDO, which for five of seven k is "
            "within what samples differ by: our default keeps equal records together, which aligns the samples "
            "whatever they are compared by. As T sorts, meaning gains 23 to 42 % over either ontology.",
        ),
        Conclusion(
            "microaggregation gains most by meaning, at least half",
            "T 9.2.2, Fig. 37",
            {
                place: [
                    gain(trials, MICROAGGREGATION, k)
                    >= max(0.5, gain(trials, RECODING, k), gain(trials, RESAMPLING, k))
                    for k in ks
                ]
                for place, trials in ours.items()
            },
            "It gains 17 to 34 %, about as much as recoding does. Without meaning, too, SA-MDAV leaves tuples of k "
            "records whole and puts those together that share a diagnosis. T's sample, of which 69 % are unique "
            "(ours: 45 % and 13 %), has more to gain.",
        ),
        Conclusion(
            "resampling gains least",
            "T 9.2.2, Fig. 37",
            {
                place: [
                    gain(trials, RESAMPLING, k) < min(gain(trials, RECODING, k), gain(trials, MICROAGGREGATION, k))
                    for k in ks
                ]
                for place, trials in ours.items()
            },
            "Over ICD-9-CM at five of seven k, and the three methods are within ten points of each other from k = 4 "
            "on. Over MONDO see 2.",
        ),
        Conclusion(
            "suppression loses more than any of the three",
            "T 9.2.2, Fig. 37",
            {
                place: [trials("sse", SUPPRESSION, k) > trials("sse", method, k) for method in SEMANTIC for k in ks]
                for place, trials in ours.items()
            },
            "Over ICD-9-CM it is as in T (at k = 15 T has 2,875 beside 645, here it is 2,747 beside 385). Over "
            "MONDO there are far fewer unique tuples to leave out, and resampling, which changes nearly all "
            "records, loses more at k = 2 and 3.",
        ),
        Conclusion(
            "SSE: microaggregation < recoding < resampling",
            "T 9.2.3, Fig. 38",
            ordered("sse", MICROAGGREGATION, RECODING, RESAMPLING),
            "At every k, and by far more than samples differ: at k = 7 over ICD-9-CM 268 ± 2, 344 ± 8 and 1,003 ± "
            "40. The order is the same with recoding and resampling as in T. At k = 2 recoding as in T loses more "
            "than twice as much as by default: all unique tuples leave at once, for the few that are not.",
        ),
        Conclusion(
            "SSE grows with k itself, that of resampling with its logarithm",
            "T 9.2.3, Fig. 38",
            {
                place: [
                    straight(ks, [trials("sse", method, k) for k in ks]) == (method != RESAMPLING)
                    for method in SEMANTIC
                ]
                for place, trials in ours.items()
            },
            "All three bend downwards: microaggregation and recoding, too, lie nearer to a logarithm than to a "
            "line. Perhaps because T's sample is sparser, so that less is done at small k.",
        ),
        Conclusion(
            "KL divergence: recoding < microaggregation < resampling",
            "T 9.2.3, Fig. 38",
            ordered("kl_divergence", RECODING, MICROAGGREGATION, RESAMPLING),
            "Resampling is last, but recoding comes second. Recoding leaves fewer different tuples than "
            "microaggregation, and most of the latter's are tuples of the data as well: new ones, T's reason "
            "against it, are few. Besides, T does not say what it does with tuples that vanish, for which its "
            "formula has no value; here each tuple of either table gets half a record more.",
        ),
        Conclusion(
            "SRL: resampling < recoding < microaggregation from k = 4 on",
            "T 9.2.3, Fig. 39",
            ordered("srl", RESAMPLING, RECODING, MICROAGGREGATION, above=3),
            "By far, at every k, k = 2 and 3 included.",
        ),
        Conclusion(
            "SRL: at k = 2 recoding has the least",
            "T 9.2.3, Fig. 39",
            {
                place: [trials("srl", RECODING, 2) < trials("srl", other, 2) for other in SEMANTIC if other != RECODING]
                for place, trials in ours.items()
            },
            "Resampling has the least at k = 2 already. Recoding in turn, which our default chooses where most "
            "tuples are rare, lets unique tuples pair off, and one of a pair is linked every second time. As in T, "
            "all at once, recoding has 11.0 ± 0.3 over ICD-9-CM, less than half as much, and comes near to "
            "resampling as in T with 10.2 ± 0.6.",
        ),
        Conclusion(
            "score: recoding is best for k ≤ 5, microaggregation above",
            "T 9.2.3, Fig. 40",
            {
                place: [trials.best(SEMANTIC, k, 0.5, "srl") == (RECODING if k <= 5 else MICROAGGREGATION) for k in ks]
                for place, trials in ours.items()
            },
            "Over ICD-9-CM exactly so. Over MONDO microaggregation is ahead from k = 4 on, at k = 4 by less than "
            "samples differ. With `refined` in its place recoding would be ahead up to k = 4 over ICD-9-CM, up to k "
            "= 2 over MONDO.",
        ),
        Conclusion(
            "score: resampling is worst",
            "T 9.2.3, Fig. 40",
            {
                place: [max(SEMANTIC, key=lambda method: trials.score(method, k)) == RESAMPLING for k in ks]
                for place, trials in ours.items()
            },
            "Its L is 2 to 14 times that of the others, and its low SRL cannot make up for that. That the scores of "
            "the others are almost constant, as T has it, is so within a factor of 1.5.",
        ),
        Conclusion(
            "score: resampling is best for α = 0 alone, then recoding, then microaggregation",
            "T 9.2.3, Fig. 41",
            {
                place: in_turn([trials.best(SEMANTIC, at, weight, "srl") for weight in WEIGHTS])
                for place, trials in ours.items()
            },
            "Over ICD-9-CM resampling is a shade better than recoding at α = 0.1, too (7.13 against 7.28); from 0.5 "
            "on it is microaggregation, from 0.4 on over MONDO.",
        ),
        Conclusion(
            "time: resampling is fastest",
            "T 9.2.3, Fig. 42",
            {
                place: [
                    trials.seconds(RESAMPLING, ks) < trials.seconds(other, ks) for other in (RECODING, MICROAGGREGATION)
                ]
                for place, trials in ours.items()
            },
            "Added up over all k. With so few records all take some hundredths of a second, and resampling and "
            "recoding are close. On the whole table of 100,244 records both take half the time of microaggregation: "
            "see [variants of microaggregation](microaggregation_variants.md). Times depend on the machine and on "
            "what else it does.",
        ),
        Conclusion(
            "time: microaggregation is slower than recoding for k < 4, faster above",
            "T 9.2.3, Fig. 42",
            {
                place: [
                    (trials.seconds(MICROAGGREGATION, some) > trials.seconds(RECODING, some)) == (some[0] < 4)
                    for some in ([k for k in ks if k < 4], [k for k in ks if k > 4])
                ]
                for place, trials in ours.items()
            },
            "Microaggregation is the slower for small and for large k: recoding has no centroids to find. T's "
            "recoding has cubic costs at worst.",
        ),
    ]


def in_turn(best: Sequence[str]) -> list[bool]:
    """Whether resampling comes first and only there, microaggregation last, and recoding between, by weight."""
    order = {RESAMPLING: 0, RECODING: 1, MICROAGGREGATION: 2}
    turns = [order[method] for method in best]
    return [turns[0] == 0, 0 not in turns[1:], 1 in turns, turns[-1] == 2, turns == sorted(turns)]


if __name__ == "__main__":
    alone("clinical", run)
