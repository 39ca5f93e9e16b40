"""Semantic noise: every value is replaced by a concept about as far away as a random error."""

from __future__ import annotations

from ontomask.masking.noise.methods import CorrelatedNoise, UncorrelatedNoise
from ontomask.masking.noise.model import NoiseModel

__all__ = ["CorrelatedNoise", "NoiseModel", "UncorrelatedNoise"]
