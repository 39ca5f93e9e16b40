"""What each part of `beyond_the_papers` gives: the answer to a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from findings import Spread

from ontomask.figures import Figure

__all__ = ["Answer", "row"]


@dataclass(frozen=True)
class Answer:
    """One question of those that the papers leave open.

    Attributes
    ----------
    name
        Of its picture's file.
    question
        The heading.
    text
        How it was measured, and the figures, as Markdown.
    learned
        What a person reads from them; it holds for the complete data.
    figure, caption
        The picture.
    rows
        Plain data.
    """

    name: str
    question: str
    text: Sequence[str]
    learned: str
    figure: Figure
    caption: str
    rows: Sequence[Mapping[str, Any]]


def row(question: str, place: str, method: str, figure: str, values: Sequence[float], **more: Any) -> dict[str, Any]:
    """A figure over seeds, as plain data."""
    spread = Spread.of(values)
    told = {"question": question, "data": place, "method": method, "measure": figure}
    return told | {"mean": spread.mean, "sd": spread.sd, "runs": spread.runs} | more
