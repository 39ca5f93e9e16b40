"""Masking methods: each decides what becomes of every tuple or record, and says what that guarantees."""

from __future__ import annotations

from ontomask.masking.base import Guarantee, Method, Plan, Requirement, Result
from ontomask.masking.baselines import PRAM, NaiveDistortion, ProbabilisticDistortion
from ontomask.masking.generalisation import Generalisation
from ontomask.masking.microaggregation import RELATED, Microaggregation
from ontomask.masking.noise import CorrelatedNoise, UncorrelatedNoise
from ontomask.masking.noise_model import NoiseModel
from ontomask.masking.rank_swapping import DataSwapping, DistributionalRankSwapping, RankSwapping
from ontomask.masking.recoding import Recoding
from ontomask.masking.requirements import Closeness, Diversity
from ontomask.masking.resampling import HeerResampling, Resampling
from ontomask.masking.suppression import Suppression

__all__ = [
    "PRAM",
    "RELATED",
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
]
