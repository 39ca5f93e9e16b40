"""The result of each part of `beyond_the_papers`: the answer to a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from experiments.shared.findings import Spread
from ontomask.figures import Figure

__all__ = ["Answer", "difference", "row"]


@dataclass(frozen=True)
class Answer:
    """The answer to a question that the papers leave open.

    Attributes
    ----------
    name
        The name of its picture's file.
    question
        The heading.
    text
        Method and figures, as Markdown.
    short, learned
        An interpretation for the complete data, in one or two sentences and at length.
    figure, caption
        The picture and its caption.
    rows
        Plain data.
    """

    name: str
    question: str
    text: Sequence[str]
    short: str
    learned: str
    figure: Figure
    caption: str
    rows: Sequence[Mapping[str, Any]]


def row(
    question: str, dataset: str, method: str, figure: str, values: Sequence[float] | Spread, **more: Any
) -> dict[str, Any]:
    """A figure over seeds, as plain data."""
    spread = values if isinstance(values, Spread) else Spread.of(values)
    case = {"question": question, "data": dataset, "method": method, "measure": figure}
    return case | {"mean": spread.mean, "sd": spread.sd, "runs": spread.runs} | more


def difference(spread: Spread, digits: int) -> str:
    """A difference with its sign, or a dash if it is unknown."""
    return "—" if isnan(spread.mean) else f"{spread.mean:+.{digits}f} ± {spread.sd:.{digits}f}"
