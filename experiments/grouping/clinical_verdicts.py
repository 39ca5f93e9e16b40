"""Conclusions of Martínez 2012, section 9.2, on three methods, checked with our defaults and the thesis' options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean

from experiments.grouping.trials import STEADY, WEIGHTS, Trials, steady, straight
from experiments.shared.findings import Conclusion

__all__ = [
    "AS_PUBLISHED",
    "CONSTANT",
    "HALF_MORE",
    "MICROAGGREGATION",
    "PLAIN",
    "RECODING",
    "RESAMPLING",
    "SEMANTIC",
    "SUPPRESSION",
    "conclusions",
    "gain",
    "judged",
]

RECODING, MICROAGGREGATION, RESAMPLING, SUPPRESSION = "recoding", "microaggregation", "resampling", "suppression"
PLAIN, AS_PUBLISHED = ", no meaning", ", as published"
SEMANTIC = (RECODING, MICROAGGREGATION, RESAMPLING)
EVERY = (*SEMANTIC, *(method + PLAIN for method in SEMANTIC), SUPPRESSION)
# Our thresholds for *more than a 50 % more* and, of scores, *almost constant*.
HALF_MORE, CONSTANT = 1.5, 1.1

Judge = Callable[[Trials], Sequence[bool]]


def judged(ours: Mapping[str, Trials]) -> dict[str, Trials]:
    """Each data set with our defaults, then with the thesis' methods under the same names."""
    as_in_t = {
        f"{dataset}{AS_PUBLISHED}": Trials(
            {
                (method.replace(AS_PUBLISHED, ""), k): found
                for (method, k), found in trials.figures.items()
                if AS_PUBLISHED in method or method == SUPPRESSION
            }
        )
        for dataset, trials in ours.items()
    }
    return {**ours, **as_in_t}


def conclusions(ours: Mapping[str, Trials], ks: Sequence[int], at: int) -> list[Conclusion]:
    """The conclusions of section 9.2, for each data set."""
    few, many = [k for k in ks if k <= 4], [k for k in ks if k >= 7]

    def of(judge: Judge) -> dict[str, Sequence[bool]]:
        return {dataset: judge(trials) for dataset, trials in judged(ours).items()}

    def ordered(measure: str, *methods: str, above: int = 0) -> dict[str, Sequence[bool]]:
        return of(
            lambda trials: [
                trials(measure, a, k) < trials(measure, b, k) for k in ks if k > above for a, b in pairwise(methods)
            ]
        )

    return [
        Conclusion(
            "SSE grows with k",
            "Martínez 2012, section 9.2.2, Fig. 37",
            of(
                lambda trials: [
                    trials("sse", method, less) < trials("sse", method, more)
                    for method in EVERY
                    for less, more in pairwise(ks)
                ]
            ),
            "This follows from k-anonymity: more records must become equal.",
        ),
        Conclusion(
            "SSE is smaller with meaning than without, for all three methods",
            "Martínez 2012, section 9.2.2, Fig. 37",
            of(lambda trials: [gain(trials, method, k) > 0 for method in SEMANTIC for k in ks]),
            "With our defaults, recoding loses 28 to 41 % less and microaggregation 17 to 34 % less. Resampling "
            "loses 22 to 31 % less over ICD-9-CM, but 1 to 12 % more over MONDO. At k = 3, 4 and 5, this is less "
            "than the larger of the two standard deviations, at other k more. Our default keeps equal records "
            "together, which aligns the samples with or without meaning. As published, all gain: recoding 14 to 30 "
            "%, microaggregation 17 to 33 %, resampling 23 to 42 %.",
        ),
        Conclusion(
            "microaggregation gains most by meaning",
            "Martínez 2012, section 9.2.2, Fig. 37",
            of(lambda trials: [max(SEMANTIC, key=lambda m: gain(trials, m, k)) == MICROAGGREGATION for k in ks]),
            "As published, at five of seven k over ICD-9-CM, but never over MONDO, where resampling gains most. With "
            "our defaults, recoding gains most at all k but one. Even without meaning, SA-MDAV keeps tuples of k "
            "records whole and groups tuples that share a diagnosis. Perhaps the sample of the thesis, with 69 % "
            "unique tuples (here 45 % and 13 %), has more to gain.",
        ),
        Conclusion(
            "microaggregation retains more than 50 % more: without meaning its SSE is more than 1.5 times as large",
            "Martínez 2012, section 9.2.2, Fig. 37",
            of(
                lambda trials: [
                    trials("sse", MICROAGGREGATION + PLAIN, k) > HALF_MORE * trials("sse", MICROAGGREGATION, k)
                    for k in ks
                ]
            ),
            "The thesis can be read in two ways. In this reading, the ratio is 1.2 to 1.5, and just above 1.5 at two "
            "k over MONDO with our defaults. If it means that half of the SSE is saved, the conclusion is found "
            "nowhere: at most a third is saved (34 %).",
        ),
        Conclusion(
            "resampling gains least",
            "Martínez 2012, section 9.2.2, Fig. 37",
            of(lambda trials: [min(SEMANTIC, key=lambda m: gain(trials, m, k)) == RESAMPLING for k in ks]),
            "With our defaults, at five of seven k over ICD-9-CM, where the three are within ten points from k = 4 "
            "on. For MONDO see conclusion 2. As published, at four of seven over ICD-9-CM. Over MONDO, recoding "
            "gains least at every k.",
        ),
        Conclusion(
            "suppression loses more than any of the three",
            "Martínez 2012, section 9.2.2, Fig. 37",
            of(
                lambda trials: [
                    trials("sse", SUPPRESSION, k) > trials("sse", method, k) for method in SEMANTIC for k in ks
                ]
            ),
            "Over ICD-9-CM it is found. At k = 15 the thesis has 2,875 against 645 for microaggregation, and here it "
            "is 2,747 against 496 as published and 385 by default. Over MONDO there are far fewer unique tuples to "
            "leave out. There resampling, which changes almost all records, loses more at k = 2 and 3, and as "
            "published up to k = 7.",
            key="suppression-loses-most",
        ),
        Conclusion(
            "SSE: microaggregation < recoding < resampling",
            "Martínez 2012, section 9.2.3, Fig. 38",
            ordered("sse", MICROAGGREGATION, RECODING, RESAMPLING),
            "At every k. At k = 7 over ICD-9-CM: 268 ± 2, 344 ± 8 and 1,003 ± 40, as published 314 ± 9, 356 ± 7 and "
            "1,456 ± 17. At k = 2, recoding as published loses more than twice as much as by default (249 against "
            "113), because all unique tuples move at once to the few that are not unique.",
            key="order-of-loss",
        ),
        Conclusion(
            "SSE: recoding follows microaggregation closely, closer to it than to resampling",
            "Martínez 2012, section 9.2.3, Fig. 38",
            of(
                lambda trials: [
                    abs(trials("sse", RECODING, k) - trials("sse", MICROAGGREGATION, k))
                    < abs(trials("sse", RESAMPLING, k) - trials("sse", RECODING, k))
                    for k in ks
                ]
            ),
            "The cut-off is ours. Recoding loses 1.1 to 1.5 times as much as microaggregation (as published 1.1 to "
            "2.4 times), and resampling 2 to 13 times as much as recoding.",
        ),
        Conclusion(
            "SSE grows linearly with k, and that of resampling with the logarithm of k",
            "Martínez 2012, section 9.2.3, Fig. 38",
            of(
                lambda trials: [
                    straight(ks, [trials("sse", method, k) for k in ks]) == (method != RESAMPLING)
                    for method in SEMANTIC
                ]
            ),
            "With the methods as published, it is as the thesis says. The SSE of recoding is closer to a line "
            "(correlation 0.994 over ICD-9-CM, 0.995 over MONDO) than to a logarithm (0.923, 0.954). So is that of "
            "microaggregation, over ICD-9-CM only slightly (0.988 and 0.987; 0.995 and 0.978). Our defaults bend: "
            "sequential recoding loses less at small k, and SA-MDAV without ω for the closest tuple loses less at "
            "large k.",
        ),
        Conclusion(
            "KL divergence: recoding < microaggregation < resampling",
            "Martínez 2012, section 9.2.3, Fig. 38",
            ordered("kl_divergence", RECODING, MICROAGGREGATION, RESAMPLING),
            "Resampling is last, but recoding is second at every k. The thesis argues against microaggregation that "
            "its centroids are new tuples, but this does not decide the order here. The thesis does not say how it "
            "treats tuples that disappear, for which its formula is undefined. Here each tuple of either table gets "
            "half a record more. KL ignores meaning. Microaggregation has a smaller KL without meaning (at k = 15 "
            "over ICD-9-CM 0.66 against 0.74). So has resampling, except as published over MONDO from k = 3 to 7. "
            "Suppression changes no tuple and has the smallest KL of all over ICD-9-CM (0.15 to 0.25).",
            key="order-of-divergence",
        ),
        Conclusion(
            "KL: resampling is worst especially for high k: its gap to the next is larger in the mean of k ≥ 7 than "
            "of k ≤ 4 (our reading)",
            "Martínez 2012, section 9.2.3, Fig. 38",
            of(lambda trials: [fmean(kl_lead(trials, k) for k in many) > fmean(kl_lead(trials, k) for k in few)]),
            "It is 0.28 above the next for small k and 0.29 for large k over ICD-9-CM, and 0.37 and 0.36 over MONDO. "
            "As published it is 0.29 and 0.30, and 0.41 and 0.61. Only the last difference is more than tiny. As a "
            "ratio to the next, it shrinks: over MONDO with our defaults from 6.7 at k = 2 to 1.8 at k = 15.",
        ),
        Conclusion(
            "SRL: resampling < recoding < microaggregation from k = 4 on",
            "Martínez 2012, section 9.2.3, Fig. 39",
            ordered("srl", RESAMPLING, RECODING, MICROAGGREGATION, above=3),
            "At every k, including k = 2 and 3.",
            key="order-of-linkage",
        ),
        Conclusion(
            "SRL: at k = 2 recoding has the smallest",
            "Martínez 2012, section 9.2.3, Fig. 39",
            of(
                lambda trials: [
                    trials("srl", RECODING, 2) < trials("srl", other, 2) for other in (MICROAGGREGATION, RESAMPLING)
                ]
            ),
            "Resampling already has the smallest at k = 2. By default, recoding is sequential here, since recoding "
            "at once would leave groups of more than 2k records on average. Unique tuples pair off, and one of a "
            "pair is linked every second time. As published, at once, recoding has less than half as much over "
            "ICD-9-CM (11.0 ± 0.3), and comes close to resampling (10.2 ± 0.6).",
        ),
        Conclusion(
            "score: recoding is best for k ≤ 5, microaggregation for larger k",
            "Martínez 2012, section 9.2.3, Fig. 40",
            of(
                lambda trials: [
                    trials.best(SEMANTIC, k, 0.5, "srl") == (RECODING if k <= 5 else MICROAGGREGATION) for k in ks
                ]
            ),
            "As published it is exactly so over MONDO. Over ICD-9-CM the exception is k = 7, where recoding leads by "
            "less than samples differ (12.66 ± 0.15 against 12.70 ± 0.23). With our defaults it is exactly so over "
            "ICD-9-CM. Over MONDO, microaggregation leads from k = 4 on, at k = 4 by less than samples differ. If "
            "`refined` replaced SA-MDAV, recoding would lead up to k = 4 over ICD-9-CM and up to k = 2 over MONDO.",
            key="order-of-scores",
        ),
        Conclusion(
            "score: almost constant as k grows: the largest of a method is less than 1.1 times its smallest",
            "Martínez 2012, section 9.2.3, Fig. 40",
            of(lambda trials: [steady([trials.score(method, k) for k in ks], CONSTANT) for method in SEMANTIC]),
            "The cut-off is ours. For recoding and microaggregation, the largest is 1.3 to 1.5 times the smallest, "
            "as published 1.4 to 1.7 times. Scores first fall with SRL and then rise with L. That of resampling "
            "always rises, by 1.6 to 2.0 times.",
        ),
        Conclusion(
            "score: resampling is worst",
            "Martínez 2012, section 9.2.3, Fig. 40",
            of(lambda trials: [max(SEMANTIC, key=lambda m: trials.score(m, k)) == RESAMPLING for k in ks]),
            "Its L is 2 to 14 times that of the others, as published 3 to 16 times. Its low SRL cannot make up for "
            "that.",
        ),
        Conclusion(
            "score: resampling is best only for α = 0, then recoding, then microaggregation",
            "Martínez 2012, section 9.2.3, Fig. 41",
            of(lambda trials: in_turn([trials.best(SEMANTIC, at, weight, "srl") for weight in WEIGHTS])),
            "As published, recoding is best for α from 0.1 to 0.5, over MONDO to 0.4. With our defaults over "
            "ICD-9-CM, resampling is slightly better than recoding also at α = 0.1 (7.13 against 7.28). "
            "Microaggregation is best from 0.5 on, over MONDO from 0.4 on.",
        ),
        Conclusion(
            "time: resampling is fastest",
            "Martínez 2012, section 9.2.3, Fig. 42",
            of(
                lambda trials: [
                    trials.seconds(RESAMPLING, ks) < trials.seconds(other, ks) for other in (RECODING, MICROAGGREGATION)
                ]
            ),
            "By processor time, summed over all k. With so few records, all take some hundredths of a second, and "
            "close results may change order from run to run. Microaggregation takes longest, from a third more than "
            "resampling to more than twice as long. Recoding and resampling are close over ICD-9-CM. Over MONDO, "
            "where fewer tuples are rare, recoding takes half to two thirds as long.",
        ),
        Conclusion(
            "time: microaggregation is slower than recoding for k < 4, and faster for larger k",
            "Martínez 2012, section 9.2.3, Fig. 42",
            of(
                lambda trials: [
                    (trials.seconds(MICROAGGREGATION, some) > trials.seconds(RECODING, some)) == (some[0] < 4)
                    for some in ([k for k in ks if k < 4], [k for k in ks if k > 4])
                ]
            ),
            "Microaggregation is slower for small and large k, because recoding computes no centroids. In the "
            "thesis, recoding has cubic cost in the worst case.",
        ),
        Conclusion(
            f"time: recoding is almost constant: the longest is less than {STEADY:g} times the shortest",
            "Martínez 2012, section 9.2.3, Fig. 42",
            of(lambda trials: [steady([trials("seconds", RECODING, k) for k in ks])]),
            "The cut-off is ours, and the same as for [semantic recoding](semantic_recoding.md). In two runs, the "
            "longest was 1.3 to 1.7 times the shortest, mostly at a large k. These are milliseconds, and verdicts "
            "changed between the runs.",
        ),
        Conclusion(
            "time: microaggregation and resampling become faster: for k ≥ 7 they take less time than for k ≤ 4",
            "Martínez 2012, section 9.2.3, Fig. 42",
            of(
                lambda trials: [
                    mean_seconds(trials, method, many) < mean_seconds(trials, method, few)
                    for method in (MICROAGGREGATION, RESAMPLING)
                ]
            ),
            "In two runs, both stayed within about a quarter of their time, in either direction. With so little "
            "work, k hardly matters, and a ratio close to 1 may change its verdict from run to run.",
        ),
    ]


def gain(trials: Trials, method: str, k: int) -> float:
    """The reduction of the loss by semantics, relative to the loss without."""
    return 1 - trials("sse", method, k) / trials("sse", method + PLAIN, k)


def kl_lead(trials: Trials, k: int) -> float:
    """The lead of resampling's divergence over the next method."""
    return trials("kl_divergence", RESAMPLING, k) - max(
        trials("kl_divergence", other, k) for other in (RECODING, MICROAGGREGATION)
    )


def mean_seconds(trials: Trials, method: str, ks: Sequence[int]) -> float:
    """The mean time over several k."""
    return trials.seconds(method, ks) / len(ks)


def in_turn(best: Sequence[str]) -> list[bool]:
    """Whether resampling is best for small weights only, microaggregation for large ones, and recoding between."""
    order = {RESAMPLING: 0, RECODING: 1, MICROAGGREGATION: 2}
    turns = [order[method] for method in best]
    return [turns[0] == 0, 0 not in turns[1:], 1 in turns, turns[-1] == 2, turns == sorted(turns)]
