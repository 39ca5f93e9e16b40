"""Metric privacy, literally: integer weights by fractions, and both mechanisms coin by coin."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import ceil

__all__ = [
    "d_infinity",
    "exponential",
    "permute_and_flip",
    "run_exponential",
    "run_permute_and_flip",
    "steps_of",
    "weight_list",
]


def steps_of(distance: float, steps: int = 1000) -> int:
    """A distance in steps, rounded up; a float that should be an integer is one."""
    scaled = distance * steps
    return round(scaled) if abs(scaled - round(scaled)) < 1e-6 else ceil(scaled)


def weight_list(growth: Fraction, least: int, steps: int = 1000) -> list[int]:
    """w(0), …, w(steps): each is the next one times the growth, rounded down."""
    weights = [least]
    while len(weights) <= steps:
        weights.insert(0, int(weights[0] * growth))
    return weights


def exponential(weights: list[int]) -> list[Fraction]:
    """McSherry and Talwar 2007: a candidate's probability is its share of all weights."""
    return [Fraction(weight, sum(weights)) for weight in weights]


def permute_and_flip(weights: list[int]) -> list[Fraction]:
    """McKenna and Sheldon 2020, algorithm 1, over all orders of the candidates."""
    largest, out = max(weights), [Fraction(0)] * len(weights)
    orders = list(permutations(range(len(weights))))
    for order in orders:
        reached = Fraction(1, len(orders))
        for z in order:
            out[z] += reached * Fraction(weights[z], largest)
            reached *= 1 - Fraction(weights[z], largest)
    return out


def run_exponential(weights: list[int], randbelow) -> int:
    """One draw: an integer below the sum of all weights."""
    left = randbelow(sum(weights))
    for z, weight in enumerate(weights):
        if left < weight:
            return z
        left -= weight
    raise AssertionError


def run_permute_and_flip(weights: list[int], randbelow) -> int:
    """One draw: candidates in random order, each with a coin."""
    remaining, largest = list(range(len(weights))), max(weights)
    while remaining:
        z = remaining.pop(randbelow(len(remaining)))
        if randbelow(largest) < weights[z]:
            return z
    raise AssertionError


def d_infinity(rows: list[list[int]], x: int, y: int) -> int:
    """The largest difference of the distances from x and from y to any candidate."""
    return max(abs(a - b) for a, b in zip(rows[x], rows[y], strict=True))
