"""Number and hash keys in one pass, sort, and count records that match where cells are wildcards."""

from __future__ import annotations

import numpy as np

from ontomask.base.compiler import compiled, compiled_in_place_entry, compiled_inner

__all__ = ["add_matches", "hash_words", "number_keys", "order_of", "sort"]

# Numbers that are sorted by insertion before they are merged.
_RUN = 16


@compiled_inner
def _slot(key, mask):
    """The first slot to look for a key: a hash that mixes its bits (the finalizer of a 64-bit integer hash)."""
    x = np.uint64(key)
    x ^= x >> np.uint64(33)
    x *= np.uint64(0xFF51AFD7ED558CCD)
    x ^= x >> np.uint64(33)
    return np.int64(x & np.uint64(mask))


@compiled
def number_keys(keys, numbers):
    """Numbers keys ≥ 0 in the order of their first appearance. Returns the distinct keys in that order.

    A hash table with open addressing. It doubles when it is half full, so its size follows the number of distinct keys.
    """
    mask = np.int64((1 << 12) - 1)
    table = np.full(mask + 1, -1, dtype=np.int32)
    distinct = np.empty(1 << 11, dtype=np.int64)
    size = 0
    for i in range(len(keys)):
        key = np.int64(keys[i])
        at = _slot(key, mask)
        while table[at] >= 0 and distinct[table[at]] != key:
            at = (at + 1) & mask
        if table[at] >= 0:
            numbers[i] = table[at]
            continue
        table[at] = size
        distinct[size] = key
        numbers[i] = size
        size += 1
        if size == len(distinct):
            wider = np.empty(2 * size, dtype=np.int64)
            wider[:size] = distinct
            distinct = wider
            mask = 2 * mask + 1
            table = np.full(mask + 1, -1, dtype=np.int32)
            for number in range(size):
                at = _slot(distinct[number], mask)
                while table[at] >= 0:
                    at = (at + 1) & mask
                table[at] = number
    return distinct[:size]


@compiled
def add_matches(codes, is_wild, counts, matches):
    """Add the records of all other tuples that match each tuple to ``matches``.

    ``codes`` and ``is_wild`` have a row per column. Tuples without a wildcard match no other such tuple.
    """
    columns, tuples = codes.shape
    has_wild = np.zeros(tuples, dtype=np.bool_)
    for j in range(columns):
        has_wild |= is_wild[j]
    differs = np.empty(tuples, dtype=np.bool_)
    for u in range(tuples):
        if not has_wild[u]:
            continue
        differs[:] = False
        for j in range(columns):
            if not is_wild[j, u]:
                mine = codes[j, u]
                for t in range(tuples):
                    differs[t] |= (codes[j, t] != mine) & ~is_wild[j, t]
        for t in range(tuples):
            if not differs[t] and t != u:
                matches[u] += counts[t]
                # A tuple with wildcards counts for itself when its turn comes.
                if not has_wild[t]:
                    matches[t] += counts[u]


@compiled_inner
def order_of(values):
    """The positions of values in ascending order; equal values keep their order.

    A merge sort. NumPy's functions give the same, but take several seconds to compile.
    """
    n = len(values)
    order = np.empty(n, dtype=np.int64)
    for first in range(0, n, _RUN):
        for i in range(first, min(first + _RUN, n)):
            j = i
            while j > first and values[order[j - 1]] > values[i]:
                order[j] = order[j - 1]
                j -= 1
            order[j] = i
    room = np.empty(n if n > _RUN else 0, dtype=np.int64)
    width = _RUN
    while width < n:
        for first in range(0, n, 2 * width):
            middle = min(first + width, n)
            last = min(middle + width, n)
            i, j = first, middle
            for at in range(first, last):
                if i < middle and (j == last or values[order[i]] <= values[order[j]]):
                    room[at] = order[i]
                    i += 1
                else:
                    room[at] = order[j]
                    j += 1
        order, room = room, order
        width *= 2
    return order


@compiled_inner
def sort(values):
    """A sorted copy of values."""
    order = order_of(values)
    found = np.empty_like(values)
    for i in range(len(values)):
        found[i] = values[order[i]]
    return found


# Words of 64 bits do not leave the function: other functions would get them as signed numbers.
_R13, _R51, _R16, _R48, _R17, _R47, _R21, _R43, _R32 = (np.uint64(n) for n in (13, 51, 16, 48, 17, 47, 21, 43, 32))


@compiled_in_place_entry
def hash_words(secret, keys, out):
    """SipHash-2-4 (Aumasson and Bernstein 2012) of integers as 8 bytes each, under a secret of two words."""
    # The length, 8 bytes, is the first byte of the last word.
    last = np.uint64(8 << 56)
    for i in range(len(keys)):
        word = np.uint64(keys[i])
        a = np.uint64(0x736F6D6570736575) ^ secret[0]
        b = np.uint64(0x646F72616E646F6D) ^ secret[1]
        c = np.uint64(0x6C7967656E657261) ^ secret[0]
        d = np.uint64(0x7465646279746573) ^ secret[1] ^ word
        for number in range(8):
            if number == 2:
                a ^= word
                d ^= last
            elif number == 4:
                a ^= last
                c ^= np.uint64(0xFF)
            a += b
            b = ((b << _R13) | (b >> _R51)) ^ a
            a = (a << _R32) | (a >> _R32)
            c += d
            d = ((d << _R16) | (d >> _R48)) ^ c
            a += d
            d = ((d << _R21) | (d >> _R43)) ^ a
            c += b
            b = ((b << _R17) | (b >> _R47)) ^ c
            c = (c << _R32) | (c >> _R32)
        out[i] = a ^ b ^ c ^ d
