"""Requirements on the whole row: limits on what intruders may find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING

from ontomask.base.notes import join_names
from ontomask.errors import MaskingError, given
from ontomask.evaluation.attacks.attack import Attacks, attack
from ontomask.masking.whole_rows import count_whole_rows
from ontomask.microdata import Microdata
from ontomask.privacy import KAnonymity

if TYPE_CHECKING:
    from ontomask.masking import Result

__all__ = ["AllColumnsK", "LinkedAtMost"]

_ADVICE = (
    "Make kept columns quasi-identifiers, or remove them as identifiers; then mask more strongly, or ask for less."
)


@dataclass(frozen=True)
class AllColumnsK:
    """At least k records (or persons) share all released columns that are not confidential.

    Parameters
    ----------
    k
        The size of the smallest group.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> frame = pd.DataFrame({"age": [30, 30, 40, 40], "town": ["Ely", "Rye", "Ely", "Ely"]})
    >>> data = om.Microdata(frame, {"age": om.Numeric()}, other=["town"])
    >>> om.Microaggregation(k=2, require=[om.AllColumnsK(2)]).mask(data)
    Traceback (most recent call last):
        ...
    ontomask.errors.MaskingError: The output has k = 1 over age, town, and k = 2 is required. ...
    """

    k: int

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 2:
            text = "The 'k' parameter of AllColumnsK must be an int ≥ 2. Got "
            raise MaskingError(text, given(self.k), " instead.", parameter="k")

    def check(self, data: Microdata) -> None:
        """Accept any data."""

    def verify(self, data: Microdata, result: Result) -> None:
        """Refuse a result with less than k."""
        found = count_whole_rows(data, result.data)
        if found is not None:
            self._verify(found, (*data.quasi_identifiers, *data.other))

    def verify_attacks(self, found: Attacks) -> None:
        """Refuse a release if intruders found too much."""
        if found.all_columns.anonymity is not None:
            self._verify(found.all_columns.anonymity, found.all_columns.columns)

    def _verify(self, found: KAnonymity, columns: Sequence[str]) -> None:
        if found.k < self.k:
            raise MaskingError(
                f"The output has k = {found.k:,} over {join_names(columns)}, and k = {self.k:,} is required. {_ADVICE}",
                code="k-too-small",
            )

    @property
    def text(self) -> str:
        """The requirement as text."""
        return f"k = {self.k:,} over all released columns that are not confidential"


@dataclass(frozen=True)
class LinkedAtMost:
    """The worst intruder links at most this share of the records to their released rows.

    Parameters
    ----------
    percent
        The share, from 0 to 100.
    """

    percent: float

    def __post_init__(self) -> None:
        is_number = isinstance(self.percent, Real) and not isinstance(self.percent, bool)
        if not is_number or not 0 <= self.percent <= 100:
            text = "The 'percent' parameter of LinkedAtMost must be a number from 0 to 100. Got "
            raise MaskingError(text, given(self.percent), " instead.", parameter="percent")

    def check(self, data: Microdata) -> None:
        """Accept any data."""

    def verify(self, data: Microdata, result: Result) -> None:
        """Refuse a result with too many linked records."""
        self.verify_attacks(attack(data, result))

    def verify_attacks(self, found: Attacks) -> None:
        """Refuse a release if intruders found too much."""
        worst = found.worst
        if worst.percent > self.percent:
            raise MaskingError(
                f"The worst intruder links {worst.percent:.3g} % of the records, and at most {self.percent:g} % is "
                f"required. {worst.sentence} {_ADVICE}",
                code="linked-too-often",
            )

    @property
    def text(self) -> str:
        """The requirement as text."""
        return f"at most {self.percent:g} % of the records linked by the worst intruder"
