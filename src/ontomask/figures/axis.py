"""Axes: the ticks that cover the data, and the place of every value between the two ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from ontomask.errors import FigureError
from ontomask.figures.numbers import tick_text

__all__ = ["Axis", "category_axis", "check_log", "log_axis", "number_axis"]

# Whatever is closer to a tick than this part of a step lies on it.
_FUZZ = 1e-9
_TINY = 1e-100
# Fewer ticks cannot cover a range around zero.
_FEWEST = 3


@dataclass(frozen=True)
class Axis:
    """Ticks and labels over a range of numbers; categories are the numbers 0, 1, … with a half more on both ends.

    >>> axis = number_axis(0.0, 8.3, most=6)
    >>> axis.labels, axis.fraction(5)
    (('0', '2', '4', '6', '8', '10'), 0.5)
    """

    low: float
    high: float
    ticks: tuple[float, ...]
    labels: tuple[str, ...]
    log: bool = False
    categorical: bool = False

    def fraction(self, value: float) -> float:
        """How far along the axis a value lies: 0 at the low end, 1 at the high end."""
        if self.log:
            return log10(value / self.low) / log10(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def number_axis(low: float, high: float, *, most: int) -> Axis:
    """An axis from the tick at or below ``low`` to the tick at or above ``high``, with about ``most`` ticks.

    The steps are 1, 2 or 5 times a power of ten. Where all values are equal there is room on both sides, and none
    below zero unless the value is.
    """
    low, high = (0.0 if abs(end) < _TINY else end for end in (low, high))
    size = max(abs(low), abs(high))
    if high - low <= 1e-9 * size:
        low, high = (0.0, 1.0) if size == 0 else (low - 0.1 * size, high + 0.1 * size)
    step, first, last = _step(low, high, max(most, _FEWEST))
    digits = max(0, 1 - floor(log10(step)))
    ticks = tuple(round(i * step, digits) + 0.0 for i in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], ticks, tuple(tick_text(tick, step) for tick in ticks))


def _step(low: float, high: float, most: int) -> tuple[float, int, int]:
    """The smallest step that needs no more ticks, with the multiples of it at both ends."""
    power = floor(log10((high - low) / most))
    for exponent in range(power, power + 3):
        for factor in (1, 2, 5):
            step = float(f"{factor}e{exponent}")
            first, last = floor(low / step + _FUZZ), ceil(high / step - _FUZZ)
            if last - first < most:
                return step, first, last
    raise AssertionError("a step of a hundredth of the range or more always fits")


def check_log(values: Iterable[object]) -> None:
    """Refuse what has no logarithm."""
    if not all(isinstance(value, (int, float)) and value > _TINY for value in values):
        raise FigureError("A logarithmic axis needs numbers above 0. Got others too: draw it with log_x=False.")


def log_axis(low: float, high: float, *, most: int) -> Axis:
    """A logarithmic axis from the tick at or below ``low`` to the tick at or above ``high``.

    Ticks are at 1, 2 and 5 times the powers of ten while these are not more than ``most``, otherwise at powers of ten.
    """
    ends = floor(log10(low) + _FUZZ), ceil(log10(high) - _FUZZ)
    fine = [float(f"{factor}e{power}") for power in range(ends[0] - 1, ends[1] + 1) for factor in (1, 2, 5)]
    first = max(i for i, tick in enumerate(fine) if tick <= low * (1 + _FUZZ))
    last = max(min(i for i, tick in enumerate(fine) if tick >= high * (1 - _FUZZ)), first + 1)
    ticks = fine[first : last + 1]
    if len(ticks) > most:
        every = ceil((ends[1] - ends[0]) / max(most - 1, 1))
        powers = range(ends[0], ends[0] + every * ceil((ends[1] - ends[0]) / every) + 1, every)
        ticks = [float(f"1e{power}") for power in powers]
    labels = tuple(tick_text(tick, tick) for tick in ticks)
    return Axis(ticks[0], ticks[-1], tuple(ticks), labels, log=True)


def category_axis(names: Sequence[str]) -> Axis:
    """An axis with a place of equal width for each name."""
    count = len(names)
    return Axis(-0.5, max(count, 1) - 0.5, tuple(float(i) for i in range(count)), tuple(names), categorical=True)
