"""Every method of the package at several levels, and what to call it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from findings import Setting

import ontomask as om

__all__ = ["REFERENCE", "family", "level", "methods"]

# What the others are held against: it has the most levels, down to two groups.
REFERENCE = "microaggregation"
KS, ALPHAS, SWAPS = (2, 5, 10, 20, 50, 200, 500), (0.1, 0.3, 0.5, 1.0), (2, 5, 10, 20, 50, 100, 500)
FEW = (2, 10, 50)

# By family what makes a method of a level, and the levels; without any it has none.
Make = Callable[..., om.Method]
FAMILIES: Mapping[str, tuple[Make, Sequence[float]]] = {
    REFERENCE: (om.Microaggregation, (2, 3, 5, 10, 20, 50, 100, 200, 500, 700, 1000, 2000)),
    f"{REFERENCE}, SA-MDAV": (lambda k: om.Microaggregation(k, variant="sa_mdav"), KS),
    "recoding": (om.Recoding, KS),
    "resampling": (om.Resampling, KS),
    "Heer's resampling": (om.HeerResampling, FEW),
    "generalisation": (om.Generalisation, KS),
    "full-domain generalisation": (lambda k: om.Generalisation(k, mode="full_domain"), FEW),
    "suppression": (om.Suppression, FEW),
    "uncorrelated noise": (om.UncorrelatedNoise, ALPHAS),
    "correlated noise": (om.CorrelatedNoise, ALPHAS),
    "rank swapping": (om.RankSwapping, SWAPS),
    "rank swapping, unswapped": (lambda k: om.RankSwapping(k, interval="unswapped"), SWAPS),
    "distributional swapping": (om.DistributionalRankSwapping, FEW),
    "PRAM": (om.PRAM, (0.95, 0.8, 0.5)),
    "data swapping": (om.DataSwapping, ()),
    "naive distortion": (om.NaiveDistortion, ()),
    "probabilistic distortion": (om.ProbabilisticDistortion, ()),
}


def methods(setting: Setting, records: int) -> list[om.Method]:
    """All methods for a table of so many records, at least two groups of which are to be left."""
    return [method for make, levels in FAMILIES.values() for method in _made(setting, make, levels, records)]


def _made(setting: Setting, make: Make, levels: Sequence[float], records: int) -> list[om.Method]:
    return [make(one) for one in setting.some([one for one in levels if 2 * one <= records])] if levels else [make()]


def family(method: str) -> str:
    """What a method is one of, by its name in a comparison."""
    return _FAMILY[_without_level(method)]


def level(method: str) -> str:
    """Its level in short: ``k=5``."""
    inside = method.partition("(")[2].rstrip(")").partition(",")[0]
    return inside.replace("alpha", "α").replace("stay", "stays").replace("samples", "t")


def _without_level(method: str) -> str:
    """Class and other options: one level of a family is as good as another."""
    name, _, inside = method.partition("(")
    return f"{name}({inside.rstrip(')').partition(',')[2]})"


_FAMILY = {_without_level(repr(make(*levels[:1]))): name for name, (make, levels) in FAMILIES.items()}
