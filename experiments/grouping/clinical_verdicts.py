"""Conclusions of Martínez 2012, section 9.2, on three methods, checked with our defaults and the thesis' options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean

from experiments.grouping.trials import STEADY, WEIGHTS, Trials, steady, straight
from experiments.shared.findings import Conclusion

__all__ = [
    "AS_T",
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
PLAIN, AS_T = ", no meaning", ", as in T"
SEMANTIC = (RECODING, MICROAGGREGATION, RESAMPLING)
EVERY = (*SEMANTIC, *(method + PLAIN for method in SEMANTIC), SUPPRESSION)
# Our thresholds for *more than a 50 % more* and, of scores, *almost constant*.
HALF_MORE, CONSTANT = 1.5, 1.1

Judge = Callable[[Trials], Sequence[bool]]


def judged(ours: Mapping[str, Trials]) -> dict[str, Trials]:
    """Each data set with our defaults, then with the thesis' methods under the same names."""
    as_in_t = {
        f"{dataset}{AS_T}": Trials(
            {
                (method.replace(AS_T, ""), k): found
                for (method, k), found in trials.figures.items()
                if AS_T in method or method == SUPPRESSION
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
            "T 9.2.2, Fig. 37",
            of(
                lambda trials: [
                    trials("sse", method, less) < trials("sse", method, more)
                    for method in EVERY
                    for less, more in pairwise(ks)
                ]
            ),
            "By the promise itself: more records must become alike.",
        ),
        Conclusion(
            "SSE is less with meaning than without, for all three methods",
            "T 9.2.2, Fig. 37",
            of(lambda trials: [gain(trials, method, k) > 0 for method in SEMANTIC for k in ks]),
            "With our defaults recoding loses 28 to 41 % less, microaggregation 17 to 34 %, and resampling 22 to 31 "
            "% less over ICD-9-CM, but 1 to 12 % more over MONDO (at k = 3, 4 and 5 by less than the larger of both "
            "standard deviations, else by more): our default keeps equal records together, which aligns the samples "
            "whatever they are compared by. As in T all gain: recoding 14 to 30 %, microaggregation 17 to 33 %, "
            "resampling 23 to 42 %.",
        ),
        Conclusion(
            "microaggregation gains most by meaning",
            "T 9.2.2, Fig. 37",
            of(lambda trials: [max(SEMANTIC, key=lambda m: gain(trials, m, k)) == MICROAGGREGATION for k in ks]),
            "As in T at five of seven k over ICD-9-CM, but never over MONDO, where resampling gains most. With our "
            "defaults it is recoding at all k but one. Without meaning, too, SA-MDAV leaves tuples of k records "
            "whole and puts those together that share a diagnosis. Perhaps T's sample, of which 69 % are unique "
            "(ours: 45 % and 13 %), has more to gain.",
        ),
        Conclusion(
            "microaggregation retains more than 50 % more: without meaning its SSE is more than 1.5 times as great",
            "T 9.2.2, Fig. 37",
            of(
                lambda trials: [
                    trials("sse", MICROAGGREGATION + PLAIN, k) > HALF_MORE * trials("sse", MICROAGGREGATION, k)
                    for k in ks
                ]
            ),
            "T's words can be read in two ways. Read like this, it is 1.2 to 1.5 times, and just above 1.5 at two k "
            "over MONDO with our defaults. If they mean that half of SSE is saved, it is found nowhere: at most a "
            "third is (34 %).",
        ),
        Conclusion(
            "resampling gains least",
            "T 9.2.2, Fig. 37",
            of(lambda trials: [min(SEMANTIC, key=lambda m: gain(trials, m, k)) == RESAMPLING for k in ks]),
            "With our defaults at five of seven k over ICD-9-CM, where the three are within ten points of each other "
            "from k = 4 on; over MONDO see 2. As in T at four of seven over ICD-9-CM, and over MONDO it is recoding "
            "that gains least, at every k.",
        ),
        Conclusion(
            "suppression loses more than any of the three",
            "T 9.2.2, Fig. 37",
            of(
                lambda trials: [
                    trials("sse", SUPPRESSION, k) > trials("sse", method, k) for method in SEMANTIC for k in ks
                ]
            ),
            "Over ICD-9-CM it is as T has it (at k = 15 T has 2,875 beside 645 of microaggregation, here it is 2,747 "
            "beside 496 as in T and 385 by default). Over MONDO there are far fewer unique tuples to leave out, and "
            "resampling, which changes nearly all records, loses more at k = 2 and 3, as in T up to k = 7.",
            key="suppression-loses-most",
        ),
        Conclusion(
            "SSE: microaggregation < recoding < resampling",
            "T 9.2.3, Fig. 38",
            ordered("sse", MICROAGGREGATION, RECODING, RESAMPLING),
            "At every k: at k = 7 over ICD-9-CM 268 ± 2, 344 ± 8 and 1,003 ± 40, as in T 314 ± 9, 356 ± 7 and 1,456 "
            "± 17. At k = 2 recoding as in T loses more than twice as much as by default (249 beside 113): all "
            "unique tuples leave at once, for the few that are not.",
            key="order-of-loss",
        ),
        Conclusion(
            "SSE: recoding follows microaggregation closely, nearer to it than to resampling",
            "T 9.2.3, Fig. 38",
            of(
                lambda trials: [
                    abs(trials("sse", RECODING, k) - trials("sse", MICROAGGREGATION, k))
                    < abs(trials("sse", RESAMPLING, k) - trials("sse", RECODING, k))
                    for k in ks
                ]
            ),
            "The cut-off is ours. Recoding loses 1.1 to 1.5 times as much as microaggregation (as in T 1.1 to 2.4 "
            "times), and resampling 2 to 13 times as much as recoding.",
        ),
        Conclusion(
            "SSE grows with k itself, that of resampling with its logarithm",
            "T 9.2.3, Fig. 38",
            of(
                lambda trials: [
                    straight(ks, [trials("sse", method, k) for k in ks]) == (method != RESAMPLING)
                    for method in SEMANTIC
                ]
            ),
            "With the methods as in T it is as T says: recoding's lies nearer to a line (correlation 0.994 over "
            "ICD-9-CM, 0.995 over MONDO) than to a logarithm (0.923, 0.954), and so does microaggregation's, over "
            "ICD-9-CM hardly (0.988 and 0.987; 0.995 and 0.978). Our defaults bend: recoding in turn loses less at "
            "small k, and SA-MDAV that does not weigh the closest loses less at large k.",
        ),
        Conclusion(
            "KL divergence: recoding < microaggregation < resampling",
            "T 9.2.3, Fig. 38",
            ordered("kl_divergence", RECODING, MICROAGGREGATION, RESAMPLING),
            "Resampling is last, but recoding comes second at every k. T's reason against microaggregation, that its "
            "centroids are new tuples, does not decide it here. T does not say what it does with tuples that vanish, "
            "for which its formula has no value; here each tuple of either table gets half a record more. KL asks "
            "nothing about meaning: microaggregation has less without it (at k = 15 over ICD-9-CM 0.66 beside 0.74), "
            "resampling, too, but as in T over MONDO from k = 3 to 7, and suppression, which changes no tuple, has "
            "least of all over ICD-9-CM (0.15 to 0.25).",
            key="order-of-divergence",
        ),
        Conclusion(
            "KL: resampling's is the worst especially for high k, farther above the next in the mean of k ≥ 7 than of "
            "k ≤ 4 (our reading)",
            "T 9.2.3, Fig. 38",
            of(lambda trials: [fmean(kl_lead(trials, k) for k in many) > fmean(kl_lead(trials, k) for k in few)]),
            "It lies 0.28 above the next for small and 0.29 for large k over ICD-9-CM, 0.37 and 0.36 over MONDO; as in "
            "T 0.29 and 0.30, 0.41 and 0.61. Only the last is more than a shade. In times of the next it shrinks: over "
            "MONDO with our defaults from 6.7 at k = 2 to 1.8 at k = 15.",
        ),
        Conclusion(
            "SRL: resampling < recoding < microaggregation from k = 4 on",
            "T 9.2.3, Fig. 39",
            ordered("srl", RESAMPLING, RECODING, MICROAGGREGATION, above=3),
            "At every k, k = 2 and 3 included.",
            key="order-of-linkage",
        ),
        Conclusion(
            "SRL: at k = 2 recoding has the least",
            "T 9.2.3, Fig. 39",
            of(
                lambda trials: [
                    trials("srl", RECODING, 2) < trials("srl", other, 2) for other in (MICROAGGREGATION, RESAMPLING)
                ]
            ),
            "Resampling has the least at k = 2 already. By default recoding goes in turn here, since all at once would "
            "leave groups of more than 2k records on average; unique tuples pair off, and one of a pair is linked "
            "every second time. As in T, all at once, "
            "recoding has less than half as much over ICD-9-CM (11.0 ± 0.3), and comes near to resampling (10.2 ± "
            "0.6).",
        ),
        Conclusion(
            "score: recoding is best for k ≤ 5, microaggregation above",
            "T 9.2.3, Fig. 40",
            of(
                lambda trials: [
                    trials.best(SEMANTIC, k, 0.5, "srl") == (RECODING if k <= 5 else MICROAGGREGATION) for k in ks
                ]
            ),
            "As in T over MONDO exactly so, and over ICD-9-CM but for k = 7, where recoding is ahead by less than "
            "samples differ (12.66 ± 0.15 beside 12.70 ± 0.23). With our defaults over ICD-9-CM exactly so; over "
            "MONDO microaggregation is ahead from k = 4 on, there by less than samples differ. With `refined` in its "
            "place recoding would be ahead up to k = 4 over ICD-9-CM, up to k = 2 over MONDO.",
            key="order-of-scores",
        ),
        Conclusion(
            "score: almost constant as k grows, the greatest of a method less than 1.1 times its least",
            "T 9.2.3, Fig. 40",
            of(lambda trials: [steady([trials.score(method, k) for k in ks], CONSTANT) for method in SEMANTIC]),
            "The cut-off is ours. Recoding's and microaggregation's greatest are 1.3 to 1.5 times their least, as in "
            "T 1.4 to 1.7 times: they fall at first, as SRL does, and rise again with L. Resampling's rises all the "
            "way, 1.6 to 2.0 times.",
        ),
        Conclusion(
            "score: resampling is worst",
            "T 9.2.3, Fig. 40",
            of(lambda trials: [max(SEMANTIC, key=lambda m: trials.score(m, k)) == RESAMPLING for k in ks]),
            "Its L is 2 to 14 times that of the others, as in T 3 to 16 times, and its low SRL cannot make up for "
            "that.",
        ),
        Conclusion(
            "score: resampling is best for α = 0 alone, then recoding, then microaggregation",
            "T 9.2.3, Fig. 41",
            of(lambda trials: in_turn([trials.best(SEMANTIC, at, weight, "srl") for weight in WEIGHTS])),
            "As in T it is recoding for α from 0.1 to 0.5, over MONDO to 0.4. With our defaults over ICD-9-CM "
            "resampling is a shade better than recoding at α = 0.1, too (7.13 against 7.28), and microaggregation is "
            "best from 0.5 on, over MONDO from 0.4 on.",
        ),
        Conclusion(
            "time: resampling is fastest",
            "T 9.2.3, Fig. 42",
            of(
                lambda trials: [
                    trials.seconds(RESAMPLING, ks) < trials.seconds(other, ks) for other in (RECODING, MICROAGGREGATION)
                ]
            ),
            "By processor time, added up over all k; with so few records all take some hundredths of a second, and "
            "what is close may change places from run to run. Microaggregation takes longest, from a third more than "
            "resampling to more than twice as long. Recoding and resampling are close over ICD-9-CM; over MONDO, where "
            "fewer tuples are rare, recoding takes half to two thirds as long.",
        ),
        Conclusion(
            "time: microaggregation is slower than recoding for k < 4, faster above",
            "T 9.2.3, Fig. 42",
            of(
                lambda trials: [
                    (trials.seconds(MICROAGGREGATION, some) > trials.seconds(RECODING, some)) == (some[0] < 4)
                    for some in ([k for k in ks if k < 4], [k for k in ks if k > 4])
                ]
            ),
            "Microaggregation is the slower for small and for large k: recoding has no centroids to find. T's "
            "recoding has cubic costs at worst.",
        ),
        Conclusion(
            f"time: recoding's is almost constant, the longest less than {STEADY:g} times the shortest",
            "T 9.2.3, Fig. 42",
            of(lambda trials: [steady([trials("seconds", RECODING, k) for k in ks])]),
            "The cut-off is ours, the same as for [semantic recoding](semantic_recoding.md). In two runs the longest "
            "was 1.3 to 1.7 times the shortest, mostly at a large k. These are milliseconds, and verdicts changed from "
            "one to the other.",
        ),
        Conclusion(
            "time: microaggregation's and resampling's falls, for k ≥ 7 below that for k ≤ 4",
            "T 9.2.3, Fig. 42",
            of(
                lambda trials: [
                    mean_seconds(trials, method, many) < mean_seconds(trials, method, few)
                    for method in (MICROAGGREGATION, RESAMPLING)
                ]
            ),
            "In two runs both stayed within about a quarter of what they were, either way. Hardly anything changes "
            "with k where so little is done: the verdict of a case near 1 changes from run to run.",
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
