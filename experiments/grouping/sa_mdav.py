"""The methods of Martínez 2012, section 6.3: SA-MDAV in two wordings, its steps, related work; and our default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import ontomask as om
from experiments.grouping.trials import Make, Trials
from ontomask.masking import RELATED

__all__ = [
    "ABRIL",
    "ADULT",
    "AS_T",
    "BOUNDED",
    "DIABETES",
    "EQUALITY",
    "HERE",
    "METHODS",
    "PLAIN",
    "REFINED",
    "RELATED_WORK",
    "WAYS",
    "Case",
    "cases_of",
]

ADULT, DIABETES = "Adult", "diabetes130"
# ω, the number of a tuple's records, weights distances in the search for the most distant tuple; as the thesis words
# it, also in the search for the closest.
AS_T, HERE = "as T words it", "ω at the most distant"
# SA-MDAV, and with static centroids.
WAYS = {AS_T: (f"SA-MDAV, {AS_T}", f"SA-MDAV-static, {AS_T}"), HERE: ("SA-MDAV", "SA-MDAV-static")}
PLAIN, BOUNDED, REFINED = "S-MDAV", "bounded by 2k − 1", "refined, our default"
RELATED_WORK = ABRIL, EQUALITY = "Abril et al.", "Domingo-Ferrer and Torra"

METHODS: Mapping[str, Make] = {
    WAYS[AS_T][0]: lambda k: om.Microaggregation(k, variant="sa_mdav", weigh_closest=True),
    WAYS[AS_T][1]: lambda k: om.Microaggregation(k, variant="sa_mdav_static", weigh_closest=True),
    WAYS[HERE][0]: lambda k: om.Microaggregation(k, variant="sa_mdav"),
    WAYS[HERE][1]: lambda k: om.Microaggregation(k, variant="sa_mdav_static"),
    PLAIN: lambda k: om.Microaggregation(k, variant="mdav"),
    ABRIL: lambda k: om.Microaggregation(k, **RELATED["abril"]),
    EQUALITY: lambda k: om.Microaggregation(k, **RELATED["domingo_ferrer_torra"]),
    BOUNDED: lambda k: om.Microaggregation(k, **RELATED["bounded"]),
    REFINED: om.Microaggregation,
}


@dataclass(frozen=True)
class Case:
    """A table masked by SA-MDAV in one wording, and by the methods to compare with."""

    dataset: str
    trials: Trials
    ks: Sequence[int]
    moving: str
    static: str

    def loss(self, method: str, k: int) -> float:
        """L in percent."""
        return self.trials("loss_percent", method, k)

    def risk(self, method: str, k: int) -> float:
        """RL in percent."""
        return self.trials("rl", method, k)

    def scores(self, method: str) -> list[float]:
        """The scores of both by k."""
        return [self.trials.score(method, k, risk="rl") for k in self.ks]

    @property
    def saved_by_moving(self) -> float:
        """The mean share of the loss that moving centroids save, above k = 2, where both are equal."""
        shares = [1 - self.loss(self.moving, k) / self.loss(self.static, k) for k in self.ks if k > 2]
        return sum(shares) / len(shares)

    @property
    def swing(self) -> float:
        """The largest score of SA-MDAV relative to its smallest."""
        scores = self.scores(self.moving)
        return max(scores) / min(scores)


def cases_of(ours: Mapping[str, Trials], ks: Mapping[str, Sequence[int]]) -> dict[str, Case]:
    """The cases by data set and wording."""
    return {
        f"{dataset}, {way}": Case(dataset, trials, ks[dataset], *names)
        for dataset, trials in ours.items()
        for way, names in WAYS.items()
    }
