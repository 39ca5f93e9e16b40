"""The masking methods of this package, one line each.

The job reader, the documentation and the tests take the methods from here. A new method is a module, a line in
`METHODS`, and an example in ``tests/support/families.py``; a method without a description cannot be registered.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ontomask.masking.base import Method
from ontomask.masking.baselines import PRAM, NaiveDistortion, ProbabilisticDistortion
from ontomask.masking.generalisation import Generalisation
from ontomask.masking.metric_privacy import MetricPrivacy, SyntheticRecords
from ontomask.masking.microaggregation import Microaggregation
from ontomask.masking.noise import CorrelatedNoise, UncorrelatedNoise
from ontomask.masking.rank_swapping import DataSwapping, DistributionalRankSwapping, RankSwapping
from ontomask.masking.recoding import Recoding
from ontomask.masking.resampling import HeerResampling, Resampling
from ontomask.masking.suppression import Suppression

__all__ = ["METHODS", "known_methods", "register"]


def register(*methods: type[Method]) -> Mapping[str, type[Method]]:
    """The methods by the names of their classes. Each must be complete and have its own description."""
    for method in methods:
        if inspect.isabstract(method):
            lacking = ", ".join(sorted(method.__abstractmethods__))
            raise TypeError(f"{method.__name__} cannot be registered: it is abstract. Define {lacking}.")
        about = vars(method).get("about")
        if about is None or not about.summary:
            raise TypeError(
                f"{method.__name__} cannot be registered: it does not describe itself. Give the class "
                f"about = About(what=..., why=..., summary=...)."
            )
    return MappingProxyType({method.__name__: method for method in methods})


METHODS = register(
    Microaggregation,
    Recoding,
    Resampling,
    Generalisation,
    Suppression,
    RankSwapping,
    UncorrelatedNoise,
    CorrelatedNoise,
    MetricPrivacy,
    NaiveDistortion,
    ProbabilisticDistortion,
    PRAM,
    DataSwapping,
    DistributionalRankSwapping,
    HeerResampling,
    SyntheticRecords,
)


def known_methods() -> dict[str, type[Method]]:
    """All methods by name, in alphabetical order: those of this package and complete ones that the user has defined.

    A method of this package wins over a method of the user with the same name.

    >>> "PRAM" in known_methods(), "Method" in known_methods()
    (True, False)
    """
    package = __name__.rpartition(".")[0]
    own = {
        cls.__name__: cls
        for cls in _subclasses(Method)
        if not inspect.isabstract(cls) and not cls.__name__.startswith("_") and not cls.__module__.startswith(package)
    }
    return dict(sorted((own | dict(METHODS)).items()))


def _subclasses(cls: Any) -> Iterator[type[Method]]:
    for subclass in cls.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)
