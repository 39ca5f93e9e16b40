"""SipHash of row keys: one random number for each record, which depends on a secret and on the key of the row only.

Neither the order of the rows nor the number of threads or partitions matters, and whoever does not know the secret
cannot predict the numbers. SipHash-2-4 (Aumasson and Bernstein 2012) on whole arrays. Workers of a cluster run this
module, so it needs nothing but numpy, and pyarrow for Arrow arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Secret", "draw_secret", "hash_arrow", "hash_keys", "order_within"]

Secret = tuple[int, int]
"""The 128 bits of a key of SipHash."""

# The arrays of one chunk stay in the processor's cache.
_CHUNK = 1 << 14
_START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)


def draw_secret(rng: np.random.Generator) -> Secret:
    """A secret from a random generator."""
    first, second = rng.integers(2**64, size=2, dtype=np.uint64).tolist()
    return first, second


def hash_keys(secret: Secret, keys: NDArray[Any] | Sequence[str]) -> NDArray[np.uint64]:
    """A random number for each key: an integer of 64 bits, or a text.

    >>> hash_keys((1, 2), np.array([7, 8, 7])).tolist()
    [5932296293751666080, 14145388657542183815, 5932296293751666080]
    """
    # A numpy array of texts would lose NUL characters at their ends.
    if not isinstance(keys, np.ndarray) or keys.dtype.kind not in "iu":
        texts = [str(key).encode() for key in keys]
        start = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        return _hash_bytes(secret, b"".join(texts), start)
    out = np.empty(len(keys), dtype=np.uint64)
    for at in range(0, len(keys), _CHUNK):
        words = keys[at : at + _CHUNK].astype(np.int64, copy=False).view(np.uint64)
        out[at : at + _CHUNK] = _hash_words(secret, [words], np.full(len(words), 8, dtype=np.uint64))
    return out


def order_within(groups: NDArray[np.integer], numbers: NDArray[np.uint64]) -> NDArray[np.intp]:
    """The positions of the numbers by their groups (≥ 0), ascending within each. Equal numbers keep their order.

    >>> order_within(np.array([1, 0, 1, 1]), np.array([3, 9, 1, 1], dtype=np.uint64)).tolist()
    [1, 2, 3, 0]
    """
    # The group and the first bits of the number make one key, which is sorted several times faster than two. Such keys
    # are rarely equal, and a sort that need not keep their order is faster still.
    bits = np.uint64(int(groups.max(initial=0)).bit_length())
    key = numbers >> bits
    if bits:
        key |= groups.astype(np.uint64) << (np.uint64(64) - bits)
    order = np.argsort(key)
    key = key[order]
    if (key[1:] == key[:-1]).any():
        order = np.argsort(numbers, kind="stable")
        return order[np.argsort(groups[order], kind="stable")]
    return order


def hash_arrow(secret: Secret, keys: Any) -> NDArray[np.uint64]:
    """As `hash_keys`, for an Arrow array of integers or texts, also in chunks. No text becomes a Python object."""
    import pyarrow as pa

    if isinstance(keys, pa.ChunkedArray):
        keys = keys.combine_chunks()
    if pa.types.is_integer(keys.type):
        return hash_keys(secret, keys.to_numpy(zero_copy_only=False))
    if keys.null_count:
        return hash_keys(secret, keys.to_pylist())
    texts = keys.cast(pa.large_string())
    _, offsets, data = texts.buffers()
    start = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return _hash_bytes(secret, b"" if data is None else data, start)


def _hash_bytes(secret: Secret, data: Any, start: NDArray[np.int64]) -> NDArray[np.uint64]:
    """SipHash of texts that follow each other. Those with equally many words of 8 bytes are hashed together."""
    out = np.empty(len(start) - 1, dtype=np.uint64)
    if not len(out):
        return out
    padded = np.concatenate([np.frombuffer(data, dtype=np.uint8)[start[0] : start[-1]], np.zeros(8, dtype=np.uint8)])
    # The word that begins at each byte.
    word_at = np.ndarray(len(padded) - 7, dtype="<u8", buffer=padded, strides=(1,))
    first, length = start[:-1] - start[0], np.diff(start)
    for number in np.unique(length // 8).tolist():
        mine = np.flatnonzero(length // 8 == number)
        for at in range(0, len(mine), _CHUNK):
            part = mine[at : at + _CHUNK]
            words = [word_at[first[part] + 8 * j] for j in range(number + 1)]
            size = length[part].astype(np.uint64)
            is_rest = (np.uint64(1) << (size % np.uint64(8) * np.uint64(8))) - np.uint64(1)
            out[part] = _hash_words(secret, words[:-1], size, words[-1] & is_rest)
    return out


def _hash_words(
    secret: Secret, words: list[NDArray[np.uint64]], length: NDArray[np.uint64], rest: NDArray[np.uint64] | None = None
) -> NDArray[np.uint64]:
    """SipHash-2-4 of messages with equally many whole words, given their lengths and what is left after the words."""
    key = (secret[0], secret[1], secret[0], secret[1])
    state = [np.full(len(length), start ^ k, dtype=np.uint64) for start, k in zip(_START, key, strict=True)]
    last = length << np.uint64(56)
    if rest is not None:
        last = last | rest
    for word in (*words, last):
        state[3] ^= word
        for _ in range(2):
            _mix(*state)
        state[0] ^= word
    state[2] ^= np.uint64(0xFF)
    for _ in range(4):
        _mix(*state)
    found: NDArray[np.uint64] = state[0] ^ state[1] ^ state[2] ^ state[3]
    return found


def _mix(a: NDArray[np.uint64], b: NDArray[np.uint64], c: NDArray[np.uint64], d: NDArray[np.uint64]) -> None:
    """One round, in place."""
    a += b
    _rotate(b, 13)
    b ^= a
    _rotate(a, 32)
    c += d
    _rotate(d, 16)
    d ^= c
    a += d
    _rotate(d, 21)
    d ^= a
    c += b
    _rotate(b, 17)
    b ^= c
    _rotate(c, 32)


def _rotate(word: NDArray[np.uint64], bits: int) -> None:
    high = word << np.uint64(bits)
    word >>= np.uint64(64 - bits)
    word |= high
