"""The loss by column, and what the loss would be without a column."""

from __future__ import annotations

from dataclasses import dataclass

from ontomask.base.text import readable, rounded
from ontomask.errors import OntomaskError
from ontomask.evaluation import Evaluation
from ontomask.evaluation.column_costs import ColumnCosts, column_costs
from ontomask.masking import Result
from ontomask.microdata import Microdata
from ontomask.report.contents import Row
from ontomask.report.guarantee import ExternalResult, counted_k

__all__ = ["ColumnLoss", "LossFacts", "loss_facts"]

# Leaving out a column is tried for the columns that lose most.
_MOST_TRIED = 6


@dataclass(frozen=True)
class ColumnLoss:
    """The loss of a column.

    Attributes
    ----------
    column
        Its name.
    share
        Its part of the loss, in percent.
    rmse
        How far a typical value moved. Only numbers and dates can move more than 1.
    without
        The loss that would be left without the column, in percent of the loss; ``None`` if this was not tried.
    """

    column: str
    share: float
    rmse: float
    without: float | None


@dataclass(frozen=True)
class LossFacts:
    """The loss by column, the largest first, and the column that costs most.

    Attributes
    ----------
    columns
        All masked columns.
    dearest
        The column without which the loss would be smallest; empty if no column was left out.
    sampled
        The number of records on which columns were left out; 0 if none was.
    is_estimate
        Whether these are a sample of the records.
    """

    columns: tuple[ColumnLoss, ...]
    dearest: str
    sampled: int
    is_estimate: bool

    @property
    def titles(self) -> Row:
        """The headings of the table of columns."""
        return ("column", "of the loss", "RMSE", *(["without it"] if self.sampled else []))

    @property
    def rows(self) -> list[Row]:
        """The columns as rows of a table."""
        return [
            (
                c.column,
                f"{readable(c.share)} %",
                readable(c.rmse),
                *(["–" if c.without is None else f"{readable(c.without)} %"] if self.sampled else []),
            )
            for c in self.columns
        ]

    @property
    def sentence(self) -> str:
        """Which column costs most."""
        left = next((c.without for c in self.columns if c.column == self.dearest), None)
        if left is None:
            return ""
        if left > 95:
            return "No single column decides the loss: without any of them, it would be about the same."
        return f"{self.dearest} costs most: without it, the loss {_change(left)}."

    @property
    def basis(self) -> str:
        """How the loss without a column was found."""
        if not self.sampled:
            return ""
        records = f"a sample of {self.sampled:,} records" if self.is_estimate else "all records"
        return (
            "“Without it” is the loss that is left if a column is removed from the table, in percent of the loss with "
            f"all columns. The method was run again on {records} without the column."
            + (" A sample loses more than the table, so these figures are estimates." if self.is_estimate else "")
        )


def _change(left: float) -> str:
    """The loss that is left, in percent, in words."""
    for low, high, words in ((45, 55, "halves"), (30, 37, "falls to a third"), (22, 28, "falls to a quarter")):
        if low <= left <= high:
            return f"{words} (about {left:.0f} % is left)"
    return f"falls by about {100 - left:.0f} %"


def loss_facts(data: Microdata, result: Result | ExternalResult, score: Evaluation) -> LossFacts | None:
    """The loss by column. ``None`` if only one column is masked.

    For methods that form groups, the columns that lose most are left out one by one, on a sample: see `column_costs`.
    """
    shares = score.loss_shares
    if len(shares) < 2:
        return None
    tried = [name for name in shares if shares[name] > 0][:_MOST_TRIED]
    costs = _costs(data, result, tried)
    ratios = {} if costs is None else costs.ratios
    columns = (
        ColumnLoss(
            name, rounded(share), rounded(score.rmse[name]), rounded(100 * ratios[name]) if name in ratios else None
        )
        for name, share in shares.items()
    )
    if costs is None or costs.dearest is None:
        return LossFacts(tuple(columns), "", 0, False)
    return LossFacts(tuple(columns), costs.dearest, costs.sampled, costs.is_estimate)


def _costs(data: Microdata, result: Result | ExternalResult, columns: list[str]) -> ColumnCosts | None:
    """``None`` for methods that mask each column by itself: without a column, the others lose the same."""
    if not isinstance(result, Result) or counted_k(result) is None or not columns:
        return None
    try:
        return column_costs(data, result.method, columns=columns)
    except OntomaskError:
        # The method cannot mask the sample.
        return None
