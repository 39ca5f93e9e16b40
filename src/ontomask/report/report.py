"""`Report`: everything that is told about a masking, as plain data that can be read, drawn and shared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from ontomask.base.atomic import write_atomic
from ontomask.base.text import visible
from ontomask.errors import OntomaskError
from ontomask.report.contents import (
    AdviceFacts,
    ComparisonFacts,
    Dependence,
    Distribution,
    Exposure,
    GuaranteeFacts,
    Headline,
    MappingFacts,
    MeasureFacts,
    MethodFacts,
    Source,
    TableFacts,
)

__all__ = ["Report"]


@dataclass(frozen=True)
class Report:
    """What was done to a table, what that guarantees, what it cost and what it bought.

    It holds no seed, no plan, and no original value that fewer than ten records have. Nothing in it is about a single
    record, unless the most exposed ones were asked for: then ``internal`` says that it is not to be passed on.

    Attributes
    ----------
    title
        Stands above the report.
    about
        Facts that the caller gave, such as the file and the date.
    internal
        Whether the report is for the keeper of the data alone.
    headlines
        What to see first.
    table, method, advice, guarantee
        What was masked, how, why so, and what that promises.
    mapping
        By nominal column, how its values were mapped to concepts.
    measures
        Utility and risk, each with a sentence.
    distributions, dependence, comparison, exposure
        What the figures are drawn from.
    sources
        The ontologies and the terms under which their words may be shown.
    notes
        What else is worth knowing.
    references
        What the letters stand for in definitions: T eq. 5.1 is an equation of T.
    """

    title: str
    about: Mapping[str, str]
    internal: bool
    headlines: tuple[Headline, ...]
    table: TableFacts
    method: MethodFacts
    advice: AdviceFacts | None
    guarantee: GuaranteeFacts
    mapping: tuple[MappingFacts, ...]
    measures: tuple[MeasureFacts, ...]
    distributions: tuple[Distribution, ...]
    dependence: Dependence | None
    comparison: ComparisonFacts | None
    exposure: Exposure
    sources: tuple[Source, ...]
    notes: tuple[str, ...]
    references: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Plain data: dictionaries, lists, numbers and texts; a number that does not exist is ``None``."""
        found: dict[str, Any] = _plain(asdict(self))
        for told, facts in zip(found["mapping"], self.mapping, strict=True):
            told |= {"value_coverage": facts.value_coverage, "record_coverage": facts.record_coverage}
        return found

    def to_json(self, indent: int | None = 2) -> str:
        """`to_dict` as JSON. Characters that cannot be seen, or change the direction of the text, are escaped."""
        return visible(json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False), keep="\n")

    def to_text(self) -> str:
        """The report for a terminal or a mail."""
        from ontomask.report.text import as_text

        return as_text(self)

    def to_html(self) -> str:
        """The report as one page that stands alone: no script, and nothing is loaded from anywhere."""
        from ontomask.report.page import as_page

        return as_page(self)

    def save(self, path: str | Path) -> None:
        """Write the report, whole or not at all; the ending decides: ``.html``, ``.json`` or ``.txt``."""
        path = Path(path).expanduser()
        forms = {".html": self.to_html, ".json": self.to_json, ".txt": self.to_text}
        if path.suffix.lower() not in forms:
            raise OntomaskError(f"{path} must end in {', '.join(forms)}: the ending says what kind of report to write.")
        # Lone surrogates, which a table may hold, have no bytes.
        written = forms[path.suffix.lower()]().encode(errors="replace")
        try:
            write_atomic(path, written)
        except FileNotFoundError:
            raise OntomaskError(
                f"{path} cannot be written: there is no folder {path.parent}. Create it first."
            ) from None
        except OSError as problem:
            why = problem.strerror or problem
            raise OntomaskError(
                f"{path} cannot be written: {why}. Check that there is room, and that you may."
            ) from problem

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Report {self.title!r}: {self.method.name}, {len(self.measures):,} measures>"

    def _repr_html_(self) -> str:
        return self.to_html()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inside) for key, inside in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inside) for inside in value]
    if isinstance(value, str):
        # A note is text with fields; here only the text counts.
        return str(value)
    return None if isinstance(value, float) and not isfinite(value) else value
