"""The risk to be found in the population, as it is defined: a sum over all sizes that a group may have there."""

from __future__ import annotations

from math import exp, lgamma, log

__all__ = ["individual_risk"]


def individual_risk(f: int, population: float, terms: int = 20_000) -> float:
    """E[1 / F | f] with P(F = N | f) = C(N − 1, f − 1) p^f (1 − p)^(N − f) for N ≥ f, and p = f / F̂."""
    p = min(f / population, 1.0)
    if p == 1:
        return 1 / f
    total = 0.0
    for n in range(f, f + terms):
        chance = lgamma(n) - lgamma(f) - lgamma(n - f + 1) + f * log(p) + (n - f) * log(1 - p)
        total += exp(chance) / n
    return total
