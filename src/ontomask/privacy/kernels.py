"""The compiled transport problem of t-closeness.

The few values of a group are supplies, the many values of the table are demands. Demands are met one after the other,
each along the cheapest path (successive shortest paths). A path comes directly from a value with supply left. Or it
comes from a value without supply, which hands one of its customers over to another value, and so on. At every step the
flow is the cheapest of its amount, for any costs: no triangle inequality or zero diagonal is needed.

It is fast because the search visits only the values of the group: between two of them, only the customer that is
cheapest to hand over matters. Supplies and demands are integers (each side times the other side's total), so rounding
leaves nothing over.
"""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled, compiled_inner

__all__ = ["transport", "transport_costs"]


@compiled
def transport_costs(start, value, count, total, cost, out):
    """``out[g]``: the smallest cost of turning the distribution of group g into that of the table.

    Group g has ``count[e]`` records of ``value[e]`` for e in ``start[g] … start[g + 1] − 1``; the table has
    ``total[j]`` of value j; ``cost[i, j]`` is the cost from i to j.
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
    """Fill ``flow`` (initially zero) with the cheapest flow that meets all demands. ``supply`` is overwritten.

    ``best[i, to]`` is the customer that i can hand over to another value at the lowest cost, ``step`` that cost.
    ``price`` keeps every such step at 0 or more, so that the search is Dijkstra's. A value with supply left has the
    price 0: it ends the search that reaches it, and only values passed before the end change their price. The prices
    are returned: they prove that no flow is cheaper (linear duality).
    """
    size = len(supply)
    held = np.zeros(size, dtype=np.int64)
    best = np.full((size, size), -1, dtype=np.int64)
    step = np.full((size, size), np.inf)
    price = np.zeros(size)
    path_cost = np.empty(size)
    came_from = np.empty(size, dtype=np.int64)
    done = np.empty(size, dtype=np.bool_)
    for j in range(len(demand)):
        while demand[j] > 0:
            for i in range(size):
                path_cost[i] = cost[i, j] - price[i]
                came_from[i] = -1
                done[i] = False
            last = _search(supply, price, step, path_cost, came_from, done)
            for i in range(size):
                if done[i]:
                    price[i] += path_cost[i] - path_cost[last]
            amount = _capacity(supply, demand[j], flow, best, came_from, last)
            demand[j] -= amount
            supply[last] -= amount
            to = last
            while came_from[to] >= 0:
                i = came_from[to]
                moved = best[i, to]
                _remove_flow(cost, flow, customers, held, best, step, i, moved, amount)
                _add_flow(cost, flow, customers, held, best, step, to, moved, amount)
                to = i
            _add_flow(cost, flow, customers, held, best, step, to, j, amount)
    return price


@compiled_inner
def _search(supply, price, step, path_cost, came_from, done):
    """The nearest value with supply left. Fills the path costs up to it."""
    while True:
        near = -1
        for i in range(len(supply)):
            # Among equally near ones, one with supply left ends the search.
            if not done[i] and (
                near < 0 or path_cost[i] < path_cost[near] or (path_cost[i] == path_cost[near] and supply[i] > 0)
            ):
                near = i
        done[near] = True
        if supply[near] > 0:
            return near
        here, toll = path_cost[near], price[near]
        for i in range(len(supply)):
            # Rounding may leave a step of −1e−17, which must not lead back.
            longer = here + max(step[near, i] + toll - price[i], 0.0)
            if longer < path_cost[i] and not done[i]:
                path_cost[i] = longer
                came_from[i] = near


@compiled_inner
def _capacity(supply, wanted, flow, best, came_from, last):
    """How much can be moved along the path that was found."""
    amount = min(wanted, supply[last])
    to = last
    while came_from[to] >= 0:
        i = came_from[to]
        amount = min(amount, flow[i, best[i, to]])
        to = i
    return amount


@compiled_inner
def _add_flow(cost, flow, customers, held, best, step, i, j, amount):
    """Value i sends more to j, which may now be its cheapest customer to hand over."""
    if flow[i, j] == 0:
        customers[i, held[i]] = j
        held[i] += 1
        for to in range(len(held)):
            if cost[to, j] - cost[i, j] < step[i, to]:
                best[i, to] = j
                step[i, to] = cost[to, j] - cost[i, j]
    flow[i, j] += amount


@compiled_inner
def _remove_flow(cost, flow, customers, held, best, step, i, j, amount):
    """Value i sends less to j. If j is no longer its customer, find the next cheapest one to hand over."""
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
