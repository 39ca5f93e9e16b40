"""Compiled loops of transition probabilities of noise: which errors lead from a value to a concept."""

from __future__ import annotations

import math

import numpy as np

from ontomask.base.compiler import compiled, compiled_inner
from ontomask.distance.ties import TIE

__all__ = ["classify", "join_classes", "look_up", "multiply_several", "probabilities"]

_HALF = 0.5
_ROOT2 = math.sqrt(2.0)


@compiled
def classify(level, distance, reference, value, is_sided, columns, upper, size, label, code, known):
    """Which errors replace a value by which concept, as `replace_value` does it.

    ``level`` and ``reference`` are every concept's levels of distance to the value and to the reference point. For
    each sign s (0: negative, 1: positive) the magnitudes of errors fall into intervals: the i-th ends at
    ``upper[s, i]`` and leads to ``size[s, i]`` concepts that tie. Concepts that the same intervals lead to make a
    class: ``known[c]`` are the two intervals of class c (−1: none), ``code`` is the class of each of the ``columns``.
    ``label`` is room, and filled with −1. Returns the number of classes.
    """
    levels = len(distance)
    count = np.zeros((3, levels), dtype=np.int64)
    own = reference[value]
    for c in range(len(level)):
        count[2, level[c]] += 1
        if is_sided:
            if reference[c] < own:
                count[0, level[c]] += 1
            elif reference[c] > own:
                count[1, level[c]] += 1
    interval = np.full((2, levels), -1, dtype=np.int64)
    either = np.zeros(2, dtype=np.bool_)
    for s in range(2):
        # No concept is on the side of the sign, so the sign is ignored.
        either[s] = count[s].sum() == 0
        row = count[2] if either[s] else count[s]
        used = 0
        for at in range(levels):
            if row[at] > 0:
                interval[s, at] = used
                upper[s, used] = distance[at] + TIE
                size[s, used] = row[at]
                used += 1
        # If no concept is far enough, the farthest is taken.
        upper[s, used - 1] = np.inf
    classes = 0
    width = levels + 1
    for i in range(len(columns)):
        c = columns[i]
        if c < 0:
            code[i] = -1
            continue
        low = interval[0, level[c]] if either[0] or reference[c] < own else -1
        high = interval[1, level[c]] if either[1] or reference[c] > own else -1
        at = (low + 1) * width + high + 1
        if label[at] < 0:
            label[at] = classes
            known[classes, 0], known[classes, 1] = low, high
            classes += 1
        code[i] = label[at]
    for i in range(classes):
        label[(known[i, 0] + 1) * width + known[i, 1] + 1] = -1
    return classes


@compiled_inner
def _beyond(x, shift, scale, is_laplace):
    """The probability that an error is larger than x; for a Laplace error only if x ≥ 0 = shift."""
    if x == np.inf:
        return 0.0
    if is_laplace:
        return _HALF * math.exp(-_ROOT2 * x / scale)
    return _HALF * math.erfc((x - shift) / (scale * _ROOT2))


@compiled
def probabilities(upper, size, known, classes, shift, scale, is_laplace, out):
    """``out[c, k]``: the probability of each concept of class c, if errors have this shift and scale (node k)."""
    for k in range(len(shift)):
        for c in range(classes):
            p = 0.0
            for s in range(2):
                i = known[c, s]
                if i < 0:
                    continue
                # A negative error is a positive one with the opposite shift.
                mean = shift[k] if s else -shift[k]
                low = upper[s, i - 1] if i else 0.0
                inside = _beyond(low, mean, scale[k], is_laplace) - _beyond(upper[s, i], mean, scale[k], is_laplace)
                p += max(inside, 0.0) / size[s, i]
            out[c, k] = p


@compiled
def join_classes(before, code, size, number, out):
    """Number combinations of classes: ``before`` those of the first columns, ``code`` of the values of one more.

    ``size`` is how many classes that column has, ``number`` the value of each combination. Impossible ones have −1.
    """
    for i in range(len(out)):
        c = code[number[i]]
        out[i] = before[i] * size + c if before[i] >= 0 and c >= 0 else -1


@compiled
def look_up(joint, before, code, number, out):
    """The probabilities of combinations of values, by the classes of their first columns and of the last."""
    for i in range(len(out)):
        c = code[number[i]]
        out[i] = joint[before[i], c] if before[i] >= 0 and c >= 0 else 0.0


@compiled
def multiply_several(tables, start, codes, weight, out):
    """Probabilities of combinations of values: products at each node, added up with the nodes' weights.

    ``tables`` holds the attributes' classes one after another, from ``start[a]`` on; ``codes[a]`` are the classes.
    """
    product = np.empty(len(weight))
    for i in range(len(out)):
        product[:] = weight
        is_possible = True
        for a in range(len(codes)):
            if codes[a, i] < 0:
                is_possible = False
                break
            product *= tables[start[a] + codes[a, i]]
        out[i] = product.sum() if is_possible else 0.0
