"""The compiled function that runs the steps of the local search for clusters.

All steps are one function for Python, since machine code is made for each such function and all that it calls: the
steps share most of it.
"""

from __future__ import annotations

from ontomask.base.compiler import compiled
from ontomask.masking.kernels.dissolving import dissolve, find_replacements
from ontomask.masking.kernels.exchange import exchange, find_exchanges
from ontomask.masking.kernels.refinement import (
    begin,
    find_nearest,
    find_partners,
    join,
    link,
    queue_up,
    reassign,
    renew_stale,
)
from ontomask.masking.kernels.splitting import split

__all__ = ["BEGIN", "DISSOLVE", "EXCHANGE", "FIND_EXCHANGES", "FIND_NEAREST", "FIND_PARTNERS", "FIND_REPLACEMENTS"]
__all__ += ["JOIN", "LINK", "QUEUE_UP", "REASSIGN", "RENEW", "SPLIT", "search"]

LINK, BEGIN, QUEUE_UP, JOIN, REASSIGN, DISSOLVE, RENEW, SPLIT, EXCHANGE = range(9)
# These change nothing but their own results, so several threads may take part in them.
FIND_PARTNERS, FIND_NEAREST, FIND_REPLACEMENTS, FIND_EXCHANGES = range(9, 13)


@compiled
def search(step, f, p, g, centroid, queue, k, price, start, stop):
    """Run a step for the tuples or clusters ``start`` to ``stop − 1``; returns the number of changes.

    `LINK` takes all tuples, and `JOIN` takes at most ``stop − start`` clusters from the queue.
    """
    if step == LINK:
        link(f, p)
    elif step == BEGIN:
        begin(f, p, g, centroid, start, stop)
    elif step == QUEUE_UP:
        queue_up(p, queue, k, start, stop)
    elif step == JOIN:
        join(f, p, g, centroid, queue, k, stop - start)
    elif step == REASSIGN:
        return reassign(f, p, g, k, start, stop)
    elif step == DISSOLVE:
        return dissolve(f, p, g, price, start, stop)
    elif step == RENEW:
        renew_stale(f, p, g, centroid, start, stop)
    elif step == SPLIT:
        return split(f, p, g, centroid, k, price, start, stop)
    elif step == EXCHANGE:
        return exchange(f, p, g, centroid, k, start, stop)
    elif step == FIND_PARTNERS:
        find_partners(f, p, g, queue, k, start, stop)
    elif step == FIND_NEAREST:
        find_nearest(f, p, g, k, start, stop)
    elif step == FIND_REPLACEMENTS:
        find_replacements(f, p, g, price, start, stop)
    elif step == FIND_EXCHANGES:
        find_exchanges(f, p, g, k, start, stop)
    return 0
