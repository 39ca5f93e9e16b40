"""All masking methods at several levels, with a name and a level to show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import ontomask as om
from experiments.shared.findings import Setting

__all__ = ["REFERENCE", "family", "level", "methods"]

# The method that others are compared with. It has the most levels, down to two groups.
REFERENCE = "microaggregation"
KS, ALPHAS, SWAPS = (2, 5, 10, 20, 50, 200, 500), (0.1, 0.3, 0.5, 1.0), (2, 5, 10, 20, 50, 100, 500)
FEW = (2, 10, 50)

# By family: the function that makes a method, the symbol of its level, and the levels (none if it has no level).
Make = Callable[..., om.Method]
FAMILIES: Mapping[str, tuple[Make, str, Sequence[float]]] = {
    REFERENCE: (om.Microaggregation, "k", (2, 3, 5, 10, 20, 50, 100, 200, 500, 700, 1000, 2000)),
    f"{REFERENCE}, SA-MDAV": (lambda k: om.Microaggregation(k, variant="sa_mdav"), "k", KS),
    "recoding": (om.Recoding, "k", KS),
    "resampling": (om.Resampling, "k", KS),
    "Heer's resampling": (om.HeerResampling, "t", FEW),
    "generalisation": (om.Generalisation, "k", KS),
    "full-domain generalisation": (lambda k: om.Generalisation(k, mode="full_domain"), "k", FEW),
    "suppression": (om.Suppression, "k", FEW),
    "uncorrelated noise": (om.UncorrelatedNoise, "α", ALPHAS),
    "correlated noise": (om.CorrelatedNoise, "α", ALPHAS),
    "rank swapping": (om.RankSwapping, "k", SWAPS),
    "rank swapping, unswapped": (lambda k: om.RankSwapping(k, interval="unswapped"), "k", SWAPS),
    "distributional swapping": (om.DistributionalRankSwapping, "k", FEW),
    "PRAM": (om.PRAM, "stays", (0.95, 0.8, 0.5)),
    "data swapping": (om.DataSwapping, "", ()),
    "naive distortion": (om.NaiveDistortion, "", ()),
    "probabilistic distortion": (om.ProbabilisticDistortion, "", ()),
}


def methods(setting: Setting, records: int) -> list[om.Method]:
    """All methods for a table with that many records, at levels that leave at least two groups."""
    made: list[om.Method] = []
    for make, _, levels in FAMILIES.values():
        small = [level for level in levels if 2 * level <= records]
        made += [make(level) for level in setting.parameters(small)] if levels else [make()]
    return made


def family(method: str) -> str:
    """The family of a method, by its name in a comparison."""
    return _KNOWN[method][0]


def level(method: str) -> str:
    """The level of a method in short: ``k=5``."""
    return _KNOWN[method][1]


_KNOWN = {
    repr(make(level)): (name, f"{symbol}={level}")
    for name, (make, symbol, levels) in FAMILIES.items()
    for level in levels
} | {repr(make()): (name, "") for name, (make, _, levels) in FAMILIES.items() if not levels}
