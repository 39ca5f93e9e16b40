"""Compiled loops of recoding: for each of many tuples, the nearest of many others."""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled
from ontomask.distance.ties import TIE

__all__ = ["replace"]


@compiled
def replace(leaving, lines, draws, sequential, heads, runs, stop, member, picks, weight, place, stays, target):
    """For each tuple that is leaving the candidate with the least weight times distance, into ``target``.

    Candidates that share their first two values are a run, ``member[runs[r]:stop[r]]``, with ``picks`` and ``weight``
    beside them; runs that share the first value have a head, ``heads[h]:heads[h + 1]``. ``lines[i, picks[c]]`` are the
    parts of the distance between ``leaving[i]`` and candidate c. ``sequential``: those that leave are candidates until
    they do, lie at ``place``, and do not leave if one ``stays`` for having been a target. Ties are broken by ``draws``.
    """
    tied = np.empty(len(member), dtype=np.int32)
    score = np.empty(len(member))
    least = weight.min()
    for i in range(len(leaving)):
        t = leaving[i]
        if sequential:
            if stays[t]:
                continue
            _take_out(t, runs, stop, member, picks, weight, place)
        chosen = member[_nearest(lines[i], draws[i], least, heads, runs, stop, picks, weight, tied, score)]
        target[t] = chosen
        stays[chosen] = True


@compiled
def _nearest(line, draw, least, heads, runs, stop, picks, weight, tied, score):
    """The place of the candidate with the least weight times distance.

    The first value alone bounds the distances under a head from below, the first two those of a run. The head with
    the least bound comes first; then most of the others need not be looked at.
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
    # The least may have come down, by less than a tie, since a candidate was noted.
    kept = 0
    for i in range(size):
        if score[i] <= best + TIE:
            tied[kept] = tied[i]
            kept += 1
    return tied[int(draw * kept)]


@compiled
def _take_out(t, runs, stop, member, picks, weight, place):
    """Remove a tuple from the candidates: the last of its run takes its place."""
    at = place[t]
    r = np.searchsorted(runs, at, side="right") - 1
    last = stop[r] - 1
    member[at] = member[last]
    place[member[at]] = at
    weight[at] = weight[last]
    for j in range(picks.shape[1]):
        picks[at, j] = picks[last, j]
    stop[r] = last
