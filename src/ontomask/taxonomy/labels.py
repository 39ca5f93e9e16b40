"""The labels of concepts: one compact text with offsets, and an index to find a label.

A million labels as Python strings would take hundreds of megabytes. Here they are UTF-8 bytes with offsets. The index
is a sorted array of 4-byte checksums. Every look-up verifies its candidates.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.taxonomy.graph import gather

__all__ = ["LABELS_BLOCK", "LabelStore", "Labels", "TextIndex", "flat_labels", "normalise"]

LABELS_BLOCK = 8192
"""Concepts whose labels are checked and packed at a time."""

_APOSTROPHES = re.compile("['’ʼ`´]")
# A hyphen that is a minus sign: before a number (-17) or at the end of a word (HIV-). Between words it is a joiner.
# The pattern begins with the hyphen, which is much faster to search for than what is before it.
_SIGN = re.compile(r"-(?:(?<!\S-)(?=\d)|(?<=\w-)(?!\S))")
_LINE_EDGES = re.compile(r" *\n *")
# Most labels are plain words, where only the case changes.
_PLAIN = re.compile(r"[A-Za-z0-9]+(?: [A-Za-z0-9]+)*")
# Symbols with a meaning: <=50K is not >50K, and C# is not C++.
_SYMBOLS = "+<=>#%~±×÷−≤≥≠≈"
_NEWLINE = 10


@cache
def _not_word(marks: str) -> re.Pattern[str]:
    """The pattern of word separators in a text with these combining marks, which belong to a word."""
    return re.compile(rf"[^\w\n{re.escape(_SYMBOLS)}{marks}]+|_+")


def normalise(text: str) -> str:
    """The normal form of a label. It is the same for spellings that differ in case, punctuation, ``-``, ``_``, ``&``.

    >>> normalise("Trinidad_and-Tobago") == normalise("TRINIDAD & TOBAGO ")
    True
    >>> normalise("Alzheimer's disease"), normalise("<=50K") == normalise(">50K")
    ('alzheimers disease', False)

    Line ends are kept, so that a list of labels, one per line, can be normalised in one call.
    """
    return text.lower() if _PLAIN.fullmatch(text) else _normalise_any(text)


def _normalise_any(text: str) -> str:
    plain = unicodedata.normalize("NFKC", _APOSTROPHES.sub("", text)).casefold().replace("i\u0307", "i")
    signed = _SIGN.sub("−", plain).replace("&", " and ")
    # Few texts have any. A pattern with all marks of Unicode is many times as slow.
    marks = "" if signed.isascii() else "".join(sorted(c for c in set(signed) if unicodedata.category(c)[0] == "M"))
    spaced = _not_word(marks).sub(" ", signed)
    return _LINE_EDGES.sub("\n", spaced).strip(" ")


class TextIndex:
    """Finds the positions of a text in a list without storing the list.

    It stores a checksum and a position per entry. The caller must verify each candidate.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        sums = np.fromiter((zlib.crc32(text.encode()) for text in texts), dtype=np.uint32)
        self._entry = np.argsort(sums, kind="stable").astype(np.int32)
        self._sum = sums[self._entry]

    def candidates(self, text: str) -> IntArray:
        """Positions whose text has the same checksum as ``text``: all equal texts, and rarely a few others."""
        wanted = np.uint32(zlib.crc32(text.encode()))
        low, high = self._sum.searchsorted(wanted), self._sum.searchsorted(wanted, "right")
        return np.sort(self._entry[low:high])

    def with_text(self, text: str) -> TextIndex:
        """The index of the list with one more text at its end."""
        made = TextIndex(())
        new = np.uint32(zlib.crc32(text.encode()))
        at = int(self._sum.searchsorted(new, "right"))
        made._entry = np.insert(self._entry, at, len(self._entry))
        made._sum = np.insert(self._sum, at, new)
        return made

    @cached_property
    def alone(self) -> NDArray[np.bool_]:
        """For each position whether its checksum, and so its text, is unique."""
        new = np.diff(self._sum.astype(np.int64), prepend=-1, append=-1) != 0
        alone = np.empty(len(self._entry), dtype=bool)
        alone[self._entry] = new[:-1] & new[1:]
        return alone


def flat_labels(rows: Sequence[Sequence[str]]) -> tuple[list[str], IntArray]:
    """The labels of several concepts in one list, and how many each has."""
    return list(chain.from_iterable(rows)), np.fromiter(map(len, rows), dtype=np.int32, count=len(rows))


@dataclass(frozen=True, eq=False)
class LabelStore:
    """All labels of a source, ordered by concept. A taxonomy and its sub-taxonomies share one store.

    Attributes
    ----------
    text
        The labels in UTF-8, each followed by a newline.
    end
        ``end[i]`` is the offset of the newline after entry ``i``.
    owner_start
        CSR: the entries of concept ``c`` are ``owner_start[c] … owner_start[c + 1] − 1``.
    rank
        Order of senses: among the concepts that share a label, the lowest rank is the first sense. Equal ranks go by
        code.
    """

    text: bytes
    end: NDArray[np.uint32]
    owner_start: IntArray
    rank: NDArray[np.uint16]

    @classmethod
    def from_lists(cls, labels: Iterable[Sequence[str]], ranks: Iterable[Sequence[int]] | None = None) -> LabelStore:
        """Pack the labels of each concept. Without ranks, preferred labels rank before synonyms."""
        rows = iter(labels)
        blocks = iter(lambda: list(islice(rows, LABELS_BLOCK)), [])
        return cls.from_blocks((flat_labels(block) for block in blocks), ranks)

    @classmethod
    def from_blocks(
        cls, blocks: Iterable[tuple[Sequence[str], IntArray]], ranks: Iterable[Sequence[int]] | None = None
    ) -> LabelStore:
        """Pack blocks of labels, each with the number of labels of every concept."""
        text = bytearray()
        ends, each = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int32)]
        for words, counts in blocks:
            joined = "\n".join(words) + "\n"
            if joined.count("\n") != len(words):
                joined = "".join(word.replace("\n", " ") + "\n" for word in words)
            packed = joined.encode()
            ends.append(np.flatnonzero(np.frombuffer(packed, dtype=np.uint8) == _NEWLINE) + len(text))
            each.append(counts)
            text += packed
        end, sizes = np.concatenate(ends), np.concatenate(each)
        owner_start = np.zeros(len(sizes) + 1, dtype=np.int32)
        np.cumsum(sizes, out=owner_start[1:])
        if ranks is None:
            rank = np.ones(len(end), dtype=np.uint16)
            rank[owner_start[:-1]] = 0
        else:
            rank = np.array([r for concept in ranks for r in concept], dtype=np.uint16)
            if len(rank) != int(owner_start[-1]):
                raise ValueError("Each label needs one rank.")
        if len(text) >= 2**32:
            raise ValueError("The labels take more than 4 GiB.")
        return cls(bytes(text), end.astype(np.uint32), owner_start, rank)

    def with_concept(self, label: str) -> LabelStore:
        """The store with one more concept at its end. As a sense of its label, it comes last."""
        text = self.text + label.replace("\n", " ").encode()
        made = LabelStore(
            text + b"\n",
            np.append(self.end, np.uint32(len(text))),
            np.append(self.owner_start, self.owner_start[-1] + 1).astype(np.int32),
            np.append(self.rank, np.uint16(65535)),
        )
        # Building the index of a large source takes seconds.
        vars(made)["index"] = self.index.with_text(normalise(label))
        return made

    def __len__(self) -> int:
        return len(self.end)

    def entry(self, i: int) -> str:
        """The label at entry ``i``."""
        start = int(self.end[i - 1]) + 1 if i else 0
        return self.text[start : int(self.end[i])].decode()

    def owner(self, i: int) -> int:
        """The concept that entry ``i`` belongs to."""
        return int(self.owner_start.searchsorted(self.owner_start.dtype.type(i), "right")) - 1

    def each_normalised(self, block: int = 8192) -> Iterator[str]:
        """Iterate over the entries in normal form, decoding one block of the text at a time."""
        for low in range(0, len(self), block):
            high = min(low + block, len(self))
            start = int(self.end[low - 1]) + 1 if low else 0
            yield from normalise(self.text[start : int(self.end[high - 1])].decode()).split("\n")

    @cached_property
    def index(self) -> TextIndex:
        """Index of normalised labels, built at first use."""
        return TextIndex(self.each_normalised())


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of one taxonomy: a store, and the rows of the taxonomy's concepts in it.

    ``row[code]`` is the concept's row in the store. Rows are unique.
    """

    store: LabelStore
    row: IntArray

    @cached_property
    def _code_of_row(self) -> IntArray:
        codes = np.full(len(self.store.owner_start) - 1, -1, dtype=np.int32)
        codes[self.row] = np.arange(len(self.row), dtype=np.int32)
        return codes

    def of(self, code: int) -> tuple[str, ...]:
        """All labels of a concept, preferred first."""
        row = int(self.row[code])
        return tuple(
            self.store.entry(i) for i in range(int(self.store.owner_start[row]), int(self.store.owner_start[row + 1]))
        )

    def first(self, code: int) -> str:
        """The preferred label of a concept."""
        return self.store.entry(int(self.store.owner_start[self.row[code]]))

    def first_is_unique(self, code: int) -> bool:
        """Whether no other label of the source has the normal form of the concept's preferred label."""
        return bool(self.store.index.alone[self.store.owner_start[self.row[code]]])

    def code_of_entry(self, entry: int) -> int:
        """The concept of a store entry, or −1 if this taxonomy does not have it."""
        return int(self._code_of_row[self.store.owner(entry)])

    def codes_of_rows(self, rows: IntArray) -> IntArray:
        """The concepts of rows of the store, −1 for those that this taxonomy does not have."""
        codes: IntArray = self._code_of_row[rows]
        return codes

    def entries(self) -> tuple[IntArray, IntArray]:
        """The store's entries that belong to this taxonomy, and the concept of each."""
        everything = np.arange(len(self.store), dtype=np.int32)
        sizes = self.store.owner_start[self.row + 1] - self.store.owner_start[self.row]
        codes = np.repeat(np.arange(len(self.row), dtype=np.int32), sizes)
        return gather(self.store.owner_start, everything, self.row), codes

    def normalised(self) -> list[str]:
        """The labels in normal form, in the order of `entries`."""
        names = list(self.store.each_normalised())
        return [names[entry] for entry in self.entries()[0].tolist()]

    def find(self, text: str, normal: str | None = None) -> list[int]:
        """Concepts with the label ``text``, first sense first. ``normal`` is its normal form, if already computed.

        Labels that match except for case and underscores win over labels that match only in normal form.
        """
        wanted = normalise(text) if normal is None else normal
        if not wanted:
            return []
        spelt = text.casefold().replace("_", " ")
        hits: dict[int, tuple[bool, int, int]] = {}
        for i in self.store.index.candidates(wanted).tolist():
            label = self.store.entry(i)
            code = self.code_of_entry(i)
            if code < 0 or normalise(label) != wanted:
                continue
            order = (label.casefold().replace("_", " ") != spelt, int(self.store.rank[i]), code)
            hits[code] = min(order, hits.get(code, order))
        exact = [code for code in hits if not hits[code][0]]
        return sorted(exact or hits, key=hits.__getitem__)

    def with_concept(self, code: int, label: str) -> Labels:
        """The labels with one more concept, which gets a code; codes from it on move up by one."""
        store = self.store.with_concept(label)
        return Labels(store, np.insert(self.row, code, len(store.owner_start) - 2))

    def take(self, codes: IntArray) -> Labels:
        """The labels of a sub-taxonomy whose code ``i`` is ``codes[i]`` here. The text is shared."""
        return Labels(self.store, self.row[codes])
