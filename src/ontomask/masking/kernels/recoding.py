"""Compiled loops of recoding: for each of many tuples, the nearest of many others."""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled, compiled_inner
from ontomask.distance.ties import TIE

__all__ = ["replace"]


@compiled
def replace(leaving, lines, draws, sequential, heads, runs, stop, member, picks, weight, index_of, stays, target):
    """Write into ``target``, for each leaving tuple, the candidate with the least weight times distance.

    Candidates with the same first two values are a run: ``member[runs[r]:stop[r]]``, with ``picks`` and ``weight`` in
    the same positions. Runs with the same first value have a head: ``heads[h]:heads[h + 1]``. The distance between
    ``leaving[i]`` and candidate c is the sum of ``lines[i, picks[c]]``. ``sequential``: leaving tuples are candidates,
    at ``index_of``, until they leave; a tuple that was a target ``stays``. ``draws`` break ties.
    """
    tied = np.empty(len(member), dtype=np.int32)
    score = np.empty(len(member))
    least = np.inf
    for w in weight:
        least = min(least, w)
    for i in range(len(leaving)):
        t = leaving[i]
        if sequential:
            if stays[t]:
                continue
            _take_out(t, runs, stop, member, picks, weight, index_of)
        chosen = member[_nearest(lines[i], draws[i], least, heads, runs, stop, picks, weight, tied, score)]
        target[t] = chosen
        stays[chosen] = True


@compiled_inner
def _nearest(line, draw, least, heads, runs, stop, picks, weight, tied, score):
    """The index of the candidate with the least weight times distance.

    The first value gives a lower bound for a head, the first two values for a run. The head with the least bound comes
    first, so that most others can be skipped.
    """
    first = 0
    for h in range(1, len(heads) - 1):
        if line[picks[runs[heads[h]], 0]] < line[picks[runs[heads[first]], 0]]:
            first = h
    keys = min(2, picks.shape[1])
    best = np.inf
    size = 0
    for step in range(-1, len(heads) - 1):
        h = first if step < 0 else step
        if step == first or least * line[picks[runs[heads[h]], 0]] > best + TIE:
            continue
        for r in range(heads[h], heads[h + 1]):
            bound = 0.0
            for j in range(keys):
                bound += line[picks[runs[r], j]]
            if least * bound > best + TIE:
                continue
            for c in range(runs[r], stop[r]):
                distance = 0.0
                for j in range(picks.shape[1]):
                    distance += line[picks[c, j]]
                distance *= weight[c]
                if distance > best + TIE:
                    continue
                if distance < best - TIE:
                    size = 0
                best = min(best, distance)
                tied[size] = c
                score[size] = distance
                size += 1
    # The least may have fallen, by less than a tie, since a candidate was found.
    kept = 0
    for i in range(size):
        if score[i] <= best + TIE:
            tied[kept] = tied[i]
            kept += 1
    return tied[int(draw * kept)]


@compiled_inner
def _take_out(t, runs, stop, member, picks, weight, index_of):
    """Remove a tuple from the candidates: the last of its run moves to its index."""
    at = index_of[t]
    r, end = 0, len(runs)
    while end - r > 1:
        middle = (r + end) // 2
        if runs[middle] <= at:
            r = middle
        else:
            end = middle
    last = stop[r] - 1
    member[at] = member[last]
    index_of[member[at]] = at
    weight[at] = weight[last]
    for j in range(picks.shape[1]):
        picks[at, j] = picks[last, j]
    stop[r] = last
