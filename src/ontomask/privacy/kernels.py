"""The compiled transport problem of t-closeness.

A group's few values supply, the table's many values demand. Demands are met one after the other, each along the
cheapest way: straight from a value with supply left, or from one without, whose own customer then moves on to another
value, and so on (successive shortest paths). A flow built so is the cheapest of its amount at every step, whatever the
costs: neither a triangle inequality nor a zero diagonal is asked for.

What makes it fast is that the search runs over the group's values alone: between two of them only the customer that is
cheapest to hand over counts. Supplies and demands are whole numbers (both sides times the other's total), so nothing
is ever left over by rounding.
"""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled

__all__ = ["transport", "transport_costs"]


@compiled
def transport_costs(start, value, count, total, cost, out):
    """``out[g]``: the least cost of turning group g's distribution into the table's.

    Group g has ``count[e]`` records of ``value[e]`` for e in ``start[g] … start[g + 1] − 1``; the table has
    ``total[j]`` of value j; ``cost[i, j]`` is the way from i to j.
    """
    demanded = np.flatnonzero(total)
    records = total.sum()
    widest = 0
    for g in range(len(start) - 1):
        widest = max(widest, start[g + 1] - start[g])
    flow = np.zeros((widest, len(demanded)), dtype=np.int64)
    customers = np.empty((widest, len(demanded)), dtype=np.int64)
    local = np.empty((widest, len(demanded)))
    for g in range(len(start) - 1):
        first, size = start[g], start[g + 1] - start[g]
        in_group = count[first : first + size].sum()
        for i in range(size):
            for j in range(len(demanded)):
                local[i, j] = cost[value[first + i], demanded[j]]
                flow[i, j] = 0
        supply = count[first : first + size] * records
        if size > 1:
            transport(local[:size], supply, total[demanded] * in_group, flow[:size], customers)
        else:
            flow[0] = total[demanded] * in_group
        spent = 0.0
        for i in range(size):
            for j in range(len(demanded)):
                if flow[i, j] > 0:
                    spent += flow[i, j] * local[i, j]
        out[g] = spent / (float(records) * float(in_group))


@compiled
def transport(cost, supply, demand, flow, customers):
    """Fill ``flow`` (zero before) with the cheapest way to meet all demands; ``supply`` is used up.

    ``best[i, to]`` is the customer that i hands over to another value most cheaply, ``step`` what that costs.
    ``price`` keeps every such step at 0 or more, so that the search is Dijkstra's. A value with supply left has the
    price 0: it ends the search that reaches it, and only values passed before the end change their price. The prices
    are returned: they prove that no flow is cheaper (linear duality).
    """
    size = len(supply)
    held = np.zeros(size, dtype=np.int64)
    best = np.full((size, size), -1, dtype=np.int64)
    step = np.full((size, size), np.inf)
    price = np.zeros(size)
    way = np.empty(size)
    came_from = np.empty(size, dtype=np.int64)
    done = np.empty(size, dtype=np.bool_)
    for j in range(len(demand)):
        while demand[j] > 0:
            for i in range(size):
                way[i] = cost[i, j] - price[i]
                came_from[i] = -1
                done[i] = False
            last = _search(supply, price, step, way, came_from, done)
            for i in range(size):
                if done[i]:
                    price[i] += way[i] - way[last]
            amount = _room(supply, demand[j], flow, best, came_from, last)
            demand[j] -= amount
            supply[last] -= amount
            to = last
            while came_from[to] >= 0:
                i = came_from[to]
                moved = best[i, to]
                _give_up(cost, flow, customers, held, best, step, i, moved, amount)
                _take_on(cost, flow, customers, held, best, step, to, moved, amount)
                to = i
            _take_on(cost, flow, customers, held, best, step, to, j, amount)
    return price


@compiled
def _search(supply, price, step, way, came_from, done):
    """The nearest value with supply left; fills the ways up to it."""
    while True:
        near = -1
        for i in range(len(supply)):
            # Among equally near ones, one with supply left ends the search.
            if not done[i] and (near < 0 or way[i] < way[near] or (way[i] == way[near] and supply[i] > 0)):
                near = i
        done[near] = True
        if supply[near] > 0:
            return near
        here, toll = way[near], price[near]
        for i in range(len(supply)):
            # Rounding may leave a step of −1e−17, which must not lead back.
            longer = here + max(step[near, i] + toll - price[i], 0.0)
            if longer < way[i] and not done[i]:
                way[i] = longer
                came_from[i] = near


@compiled
def _room(supply, wanted, flow, best, came_from, last):
    """How much can go along the way that was found."""
    amount = min(wanted, supply[last])
    to = last
    while came_from[to] >= 0:
        i = came_from[to]
        amount = min(amount, flow[i, best[i, to]])
        to = i
    return amount


@compiled
def _take_on(cost, flow, customers, held, best, step, i, j, amount):
    """Value i sends more to j, which may now be the cheapest of its customers to hand over."""
    if flow[i, j] == 0:
        customers[i, held[i]] = j
        held[i] += 1
        for to in range(len(held)):
            if cost[to, j] - cost[i, j] < step[i, to]:
                best[i, to] = j
                step[i, to] = cost[to, j] - cost[i, j]
    flow[i, j] += amount


@compiled
def _give_up(cost, flow, customers, held, best, step, i, j, amount):
    """Value i sends less to j; where j was the cheapest to hand over and is gone, the next one is looked for."""
    flow[i, j] -= amount
    if flow[i, j] > 0:
        return
    place = 0
    while customers[i, place] != j:
        place += 1
    held[i] -= 1
    customers[i, place] = customers[i, held[i]]
    for to in range(len(held)):
        if best[i, to] == j:
            best[i, to] = -1
            step[i, to] = np.inf
            for c in range(held[i]):
                rival = customers[i, c]
                if cost[to, rival] - cost[i, rival] < step[i, to]:
                    best[i, to] = rival
                    step[i, to] = cost[to, rival] - cost[i, rival]
