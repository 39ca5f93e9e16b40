"""Columns of codes whose first characters mean something: postcodes, ISCO, NACE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from ontomask.base.arrays import IntArray, Records
from ontomask.base.frozen import set_fields
from ontomask.errors import READ_AS_TEXT, TableError
from ontomask.kinds.base import ANYTHING, Column, Policies
from ontomask.kinds.categorical import CategoricalKind
from ontomask.taxonomy.prefix_codes import Cuts, character_positions, have_lost_zeros, resolve_cuts

__all__ = ["Prefix"]


@dataclass(frozen=True)
class Prefix(CategoricalKind):
    """A column of codes: codes with the same beginning are near, and ``47***`` means all that begin with 47.

    Lengths count letters, digits and ``*``; dots, hyphens and blanks between them do not count. A ``*`` in the data
    stands for any character, so released codes can be read back and masked again.

    Parameters
    ----------
    lengths
        The lengths of the prefixes that are groups, such as ``[2, 3]``, or the name of a scheme such as ``atc`` or
        ``isco`` (see `ontomask.prefix_taxonomy`). By default every length below that of most codes.
    weight
        The attribute's weight in distances between records.
    top
        The text that any code is released as; by default ``*``, or the prefix that all codes have if none is missing.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> frame = pd.DataFrame({"postcode": ["47906", "47907", "47304", "46201", "46202", "46202"]})
    >>> data = om.Microdata(frame, {"postcode": om.Prefix([2, 3])})
    >>> om.Generalisation(k=3).mask(data, seed=0).frame["postcode"].tolist()
    ['47***', '47***', '47***', '462**', '462**', '462**']
    """

    name: ClassVar[str] = "prefix"

    lengths: Cuts = None
    weight: float = 1.0
    top: str | None = None

    def __post_init__(self) -> None:
        self.check_weight()
        self.check_top()
        try:
            set_fields(self, lengths=resolve_cuts(self.lengths))
        except ValueError as problem:
            raise TableError(f"The 'lengths' of Prefix {problem}", parameter="lengths") from None

    def groups_of(self, counts: Mapping[str, int]) -> Mapping[str, str]:
        """The prefixes above each code, and above each prefix."""
        usual = _usual_length(counts)
        lengths = resolve_cuts(self.lengths) or range(1, usual)
        above: dict[str, str] = {}
        for code in sorted(counts):
            chain = pairwise([code, *_prefixes(code, lengths, usual)])
            above.update((low, high) for low, high in chain if low != high)
        return above

    def _encode(
        self, name: str, cells: Sequence[object], code: IntArray, policies: Policies, records: Records
    ) -> Column:
        present = [cell for cell in cells if not policies.is_missing(cell)]
        if have_lost_zeros(present):
            raise TableError(
                f"The codes of the column {name!r} were read as numbers and differ in length. Leading zeros may be "
                f"lost. ",
                READ_AS_TEXT,
                column=name,
            )
        return super()._encode(name, cells, code, policies, records)


def _usual_length(counts: Mapping[str, int]) -> int:
    """The length that most records have, the largest of equals. A rare length would reveal something about few
    records."""
    lengths: Counter[int] = Counter()
    for code, count in counts.items():
        lengths[len(character_positions(code, also=ANYTHING))] += count
    return max(lengths, key=lambda length: (lengths[length], length), default=0)


def _prefixes(code: str, lengths: Sequence[int], usual: int) -> list[str]:
    """The prefixes of a code, the longest first, with stars up to the usual length, but at least one.

    >>> _prefixes("47906", [2, 3], 5), _prefixes("01.11", [1, 3], 4), _prefixes("47***", [1, 3], 5)
    (['479**', '47***'], ['01.1*', '0***'], ['4****'])
    """
    at = character_positions(code.rstrip(ANYTHING), also=ANYTHING)
    known = [n for n in reversed(lengths) if n <= len(at)]
    return [code[: at[n - 1] + 1] + ANYTHING * max(1, usual - n) for n in known]
