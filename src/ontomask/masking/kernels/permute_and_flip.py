"""The loop of permute-and-flip, over random words that come in portions."""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled, compiled_inner

__all__ = ["permute_and_flip"]


@compiled
def permute_and_flip(weights, largest, words, order, state, out):
    """Draw candidates for ``out`` from the position ``state[0]`` on, until it is full or the words are used up.

    ``order`` is a permutation of the candidates, of which the first ``state[1]`` were tried in vain for the present
    position. A step exchanges the next place with a uniformly random later one, which is right from any permutation,
    so ``order`` need not be reset between draws.

    A step takes words until one is a place, and then until one is a flip. If the words end before, the step begins
    again with the next portion. Words that were passed over say nothing about the next ones, so this changes no
    probability. A draw never begins again: that would favour candidates that are found early.
    """
    n, used = len(order), 0
    i, tried = state[0], state[1]
    flip_mask = _mask(largest - np.uint64(1))
    while i < len(out):
        left = np.uint64(n - tried)
        place, used = _below(words, used, left, _mask(left - np.uint64(1)))
        flip, used = _below(words, used, largest, flip_mask)
        if used > len(words):
            break
        j = tried + np.int64(place)
        order[tried], order[j] = order[j], order[tried]
        z = order[tried]
        if flip < weights[z]:
            out[i] = z
            i += 1
            tried = 0
        else:
            tried += 1
    state[0], state[1] = i, tried


@compiled_inner
def _below(words, used, bound, mask):
    """The first word that is below a bound, and the number of words used; one more than there are if none is."""
    while used < len(words):
        word = words[used] & mask
        used += 1
        if word < bound:
            return word, used
    return np.uint64(0), len(words) + 1


@compiled_inner
def _mask(number):
    """The least number of the form 2ᵇ − 1 that is not below the given one."""
    for shift in (1, 2, 4, 8, 16, 32):
        number |= number >> np.uint64(shift)
    return number
