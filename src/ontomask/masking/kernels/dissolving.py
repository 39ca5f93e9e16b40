"""Compiled loops that dissolve clusters whose tuples cost less in others."""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled_inline, compiled_inner
from ontomask.distance.ties import TIE
from ontomask.masking.kernels.grid import drop
from ontomask.masking.kernels.refinement import NOWHERE, list_members, move, nearest_cluster

__all__ = ["dissolve", "find_replacements"]


@compiled_inner
def _find_replacement(f, p, g, price, a):
    """Find other clusters for the tuples of a cluster. If they do not cost less there, one tuple has none."""
    left = p.squares[a] + price - TIE
    for i in range(list_members(f.counts, p, a)):
        t = p.member[i]
        b, d = nearest_cluster(f, p, g, t, a, np.int64(np.sqrt(left / f.counts[t]) / f.unit))
        left -= f.counts[t] * (d * f.unit) ** 2
        p.target[t] = b if left > 0 else NOWHERE
        if p.target[t] == NOWHERE:
            return False
    return True


@compiled_inline
def _is_costly(p, price, a):
    """Whether a cluster has a cost, and its centroid fits."""
    return p.size[a] > 0 and p.squares[a] + price > TIE and not p.stale[a]


@compiled_inner
def find_replacements(f, p, g, price, start, stop):
    """Find other clusters for the tuples of some clusters."""
    for a in range(start, stop):
        if _is_costly(p, price, a):
            _find_replacement(f, p, g, price, a)


@compiled_inner
def dissolve(f, p, g, price, start, stop):
    """Dissolve some clusters if their tuples cost less in the nearest other clusters. `renew_stale` must follow.

    ``price`` is what a cluster costs in addition to its squares. Clusters that were found before are still the nearest
    (up to ties) if they are there. What was too expensive before has not become cheaper.
    """
    dissolved = 0
    for a in range(start, stop):
        if not _is_costly(p, price, a):
            continue
        n = list_members(f.counts, p, a)
        is_known, is_worthwhile = True, True
        for i in range(n):
            b = p.target[p.member[i]]
            is_worthwhile = is_worthwhile and b != NOWHERE
            is_known = is_known and b >= 0 and p.size[b] > 0
        if not is_worthwhile or not (is_known or _find_replacement(f, p, g, price, a)):
            continue
        for i in range(n):
            t = p.member[i]
            p.stale[p.target[t]] = True
            move(f.counts, p, t, p.target[t])
        p.squares[a] = 0.0
        drop(f, g, a)
        dissolved += 1
    return dissolved
