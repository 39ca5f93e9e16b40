"""A masked table of which nothing is known but itself: made by another program, or by a run that is over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ontomask.base.notes import Note
from ontomask.masking import Guarantee
from ontomask.microdata.masked import MaskedData
from ontomask.report.contents import MethodFacts

__all__ = ["MADE_EXTERNALLY", "ExternalResult"]

_NOT_KNOWN = Guarantee(
    "",
    Note.of(
        "guarantee-not-known", "No guarantee is known of this table: it was made elsewhere. What it holds was measured."
    ),
)

MADE_EXTERNALLY = MethodFacts(
    name="made elsewhere",
    family="another program or an earlier run",
    what="This report is on a table that was masked before: how is not known here.",
    why="What was measured on the table itself, beside its original, is told below.",
    parameters={},
    figures=(),
)


@dataclass(frozen=True, eq=False)
class ExternalResult:
    """What stands for a `Result` where there is none."""

    data: MaskedData
    guarantee: Guarantee = _NOT_KNOWN
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
