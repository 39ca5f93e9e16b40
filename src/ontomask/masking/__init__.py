"""Masking methods. Each decides what every tuple or record becomes, and verifies what it guarantees."""

from __future__ import annotations

from ontomask.masking.base import About, Guarantee, Method, Plan, Requirement, Result
from ontomask.masking.baselines import PRAM, NaiveDistortion, ProbabilisticDistortion
from ontomask.masking.generalisation import Generalisation
from ontomask.masking.microaggregation import RELATED, Microaggregation
from ontomask.masking.noise import CorrelatedNoise, NoiseModel, UncorrelatedNoise
from ontomask.masking.rank_swapping import DataSwapping, DistributionalRankSwapping, RankSwapping
from ontomask.masking.recoding import Recoding
from ontomask.masking.registry import METHODS, known_methods
from ontomask.masking.requirements import Closeness, Diversity
from ontomask.masking.resampling import HeerResampling, Resampling
from ontomask.masking.suppression import Suppression

__all__ = [
    "METHODS",
    "PRAM",
    "RELATED",
    "About",
    "Closeness",
    "CorrelatedNoise",
    "DataSwapping",
    "DistributionalRankSwapping",
    "Diversity",
    "Generalisation",
    "Guarantee",
    "HeerResampling",
    "Method",
    "Microaggregation",
    "NaiveDistortion",
    "NoiseModel",
    "Plan",
    "ProbabilisticDistortion",
    "RankSwapping",
    "Recoding",
    "Requirement",
    "Resampling",
    "Result",
    "Suppression",
    "UncorrelatedNoise",
    "known_methods",
]
