"""Checks of links and labels while a taxonomy is built, and their form as arrays."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, repeat
from operator import itemgetter
from pathlib import Path
from typing import NoReturn

import numpy as np

from ontomask.base.arrays import IntArray
from ontomask.base.text import join_some
from ontomask.taxonomy.labels import LABELS_BLOCK, flat_labels
from ontomask.taxonomy.validate import check_text, fail

__all__ = ["encode_links", "fail_repeated", "is_pair", "labels_in_order"]


def is_pair(pair: object) -> bool:
    """Whether something can be a link."""
    return isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2


def fail_repeated(ids: Sequence[str], path: str | Path | None) -> NoReturn:
    """T104: ids must be unique."""
    last = {c: i for i, c in enumerate(ids)}
    twice = dict.fromkeys(c for i, c in enumerate(ids) if last[c] != i)
    text = f"Ids must be unique. Remove the repeated declarations of {join_some(twice)}."
    fail("T104", text, path=path, values=twice)


def encode_links(
    pairs: Sequence[tuple[str, str]], code: Mapping[str, int], path: str | Path | None, lines: Sequence[int] | None
) -> tuple[IntArray, IntArray]:
    """Links as two arrays of codes: children and parents."""
    child, parent = (
        np.fromiter(map(code.get, map(itemgetter(end), pairs), repeat(-1)), dtype=np.int32, count=len(pairs))
        for end in (0, 1)
    )
    dangling = np.flatnonzero((child < 0) | (parent < 0))
    if dangling.size:
        first = int(dangling[0])
        unknown = dict.fromkeys(end for i in dangling.tolist() for end in pairs[i] if end not in code)
        fail(
            "T103",
            f"The link {pairs[first][0]!r} → {pairs[first][1]!r} has a concept that is not declared. "
            f"Declare these concepts or remove their links: {join_some(map(str, unknown))}.",
            path=path,
            line=lines[first] if lines else None,
            values=map(str, unknown),
        )
    return child, parent


def labels_in_order(
    ids: Sequence[str], labels: Mapping[str, Sequence[str] | str], path: str | Path | None, *, merge: bool
) -> Iterator[tuple[Sequence[str], IntArray]]:
    """The labels of each concept, in blocks. They are checked many at once, and each only if something is wrong."""
    has_labels = np.fromiter(map(labels.__contains__, ids), dtype=bool, count=len(ids))
    if np.count_nonzero(has_labels) < len(labels):
        names = sorted(map(str, set(labels).difference(ids)))
        text = f"Some labels belong to unknown concepts. Declare the concepts: {join_some(names)}."
        fail("T103", text, path=path, values=names)
    for low in range(0, len(ids), LABELS_BLOCK):
        block = ids[low : low + LABELS_BLOCK]
        if not has_labels[low : low + LABELS_BLOCK].any():
            # The label of a concept without any is its id.
            yield block, np.ones(len(block), dtype=np.int32)
            continue
        rows: list[Sequence[str]] = list(map(labels.get, block, zip(block, strict=True)))
        if not _are_valid(rows):
            rows = [_checked(c, labels.get(c, (c,)), path, merge=merge) for c in block]
        elif merge:
            rows = [row if len(row) == 1 or len(row) == len(set(row)) else list(dict.fromkeys(row)) for row in rows]
        yield flat_labels(rows)


def _are_valid(rows: Sequence[Sequence[str]]) -> bool:
    """Whether all rows are lists of labels, and all labels are valid."""
    if not (set(map(type, rows)) <= {list, tuple} and all(rows)):
        return False
    words = list(chain.from_iterable(rows))
    try:
        "".join(words).encode()
    except (TypeError, UnicodeEncodeError):
        return False
    return all(map(str.strip, words))


def _checked(concept: str, given: object, path: str | Path | None, *, merge: bool) -> tuple[str, ...]:
    """The labels of a concept, each checked."""
    if not isinstance(given, Collection):
        fail("T106", f"The labels of {concept!r} must be a list of texts. Got {given!r} instead.", path=path)
    words = (given,) if isinstance(given, str) else dict.fromkeys(given) if merge else given
    return tuple(check_text(word, f"A label of {concept!r}", path=path) for word in words) or (concept,)
