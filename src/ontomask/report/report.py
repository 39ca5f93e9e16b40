"""`Report`: the results of a masking as plain data that can be read, drawn and shared."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from ontomask.base.atomic import save_atomic
from ontomask.base.progress import progress
from ontomask.base.text import visible
from ontomask.errors import OntomaskError
from ontomask.microdata.disclosure_control import RARE
from ontomask.report.contents import (
    AdviceFacts,
    ComparisonFacts,
    Dependence,
    Distribution,
    Exposure,
    Headline,
    MappingFacts,
    MeasureFacts,
    MethodFacts,
    Row,
    Source,
    TableFacts,
)
from ontomask.report.guarantee import GuaranteeFacts
from ontomask.report.loss import LossFacts

__all__ = ["MeasureGroup", "Report", "group_measures"]


class MeasureGroup(NamedTuple):
    """Rows of measures under a heading. ``meaning`` is the sentence that all of them share, if they do."""

    title: str
    meaning: str
    rows: Sequence[Row]


def group_measures(measures: Sequence[MeasureFacts]) -> list[MeasureGroup]:
    """Group the measures of the whole table, and those of columns by measure. A shared sentence is said once."""
    found: dict[str, list[MeasureFacts]] = {}
    several = len({m.columns for m in measures if m.columns}) > 1
    for m in measures:
        by_columns = " × ".join(m.columns) or "whole table"
        found.setdefault(m.name if m.columns and several else by_columns, []).append(m)
    groups = []
    for title, group in found.items():
        shared = group[0].meaning if len(group) > 1 and len({m.meaning for m in group}) == 1 else ""
        names = (m.name if title != m.name else " × ".join(m.columns) for m in group)
        rows = [(name, m.shown, "" if shared else m.meaning) for name, m in zip(names, group, strict=True)]
        groups.append(MeasureGroup(title, shared, rows))
    return groups


@dataclass(frozen=True)
class Report:
    """The method, the guarantee, the measured utility and the measured risk of a masked table.

    A report contains no seed, no plan, and no original value that fewer than ten records have. It is about single
    records only if the most exposed ones were asked for; then it is ``internal`` and must not be shared.

    Attributes
    ----------
    title
        Title of the report.
    about
        Facts from the caller, such as the file and the date.
    internal
        Whether the report must not be shared.
    headlines
        The most important numbers.
    table, method, advice, guarantee
        What was masked, the method, the reasons for it, and what is guaranteed.
    mapping
        For each nominal column, how its values were mapped to concepts.
    measures
        Utility and risk, each with a sentence.
    loss
        The loss by column, and the column that costs most; ``None`` if only one column is masked.
    distributions, dependence, comparison, exposure
        The data of the charts.
    sources
        The ontologies and their licences.
    notes
        Notes of the method and the evaluation.
    references
        The cited publications by their short names.
    """

    INTERNAL: ClassVar[str] = (
        "Internal: do not share. This report lists records by row number. Together with the released table, it shows "
        "which records are hardly protected."
    )
    NOT_IN_REPORT: ClassVar[str] = (
        f"This report contains no seed, no plan, no identifier, and no value of fewer than {RARE} original records. "
        f"Keep the seed and the plan private: they undo the masking."
    )
    NOT_LISTED: ClassVar[str] = (
        "These records are not listed: together with the released table, the list would show which records are hardly "
        "protected. The data owner can get the list with exposed=True, or with "
        "ontomask evaluate JOB --report FILE --exposed."
    )

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
    loss: LossFacts | None
    distributions: tuple[Distribution, ...]
    dependence: Dependence | None
    comparison: ComparisonFacts | None
    exposure: Exposure
    sources: tuple[Source, ...]
    notes: tuple[str, ...]
    references: Mapping[str, str]

    @property
    def lead(self) -> str:
        """The first sentence."""
        masked = [column.name for column in self.table.columns if column.kind]
        return f"{self.table.records:,} records, masked in {', '.join(masked)} by {self.method.family}."

    @property
    def sections(self) -> dict[str, str]:
        """The titles of the sections by their names."""
        sections = {
            "method": "What was done, and why this method",
            "guarantee": "The guarantee and its proof",
            "mapping": "How values were mapped to concepts" if self.mapping else "",
            "utility": "Utility: what was lost",
            "risk": "Risk: what can still be found out",
            "comparison": "Other methods on the same table" if self.comparison else "",
            "sources": "Sources and licences" if self.sources else "",
            "definitions": "Notes, definitions and references",
        }
        return {name: title for name, title in sections.items() if title}

    def measures_of(self, about: str) -> list[MeasureFacts]:
        """The measures of ``utility`` or ``risk``, without those of column pairs."""
        return [m for m in self.measures if m.about == about and len(m.columns) < 2]

    @property
    def pairs(self) -> list[list[MeasureFacts]]:
        """The measures of each column pair; the pair whose correlation changed most is first."""
        measures = [m for m in self.measures if len(m.columns) > 1]
        pairs = [list(group) for _, group in groupby(measures, key=lambda m: m.columns)]
        return sorted(pairs, key=lambda pair: -max((m.value or 0.0 for m in pair if m.name == "sdCor"), default=0.0))

    @property
    def definitions(self) -> dict[str, str]:
        """The definition of each measure by its name."""
        return {m.name: m.definition for m in self.measures}

    @property
    def reference_lines(self) -> list[str]:
        """The references as texts."""
        return [f"{name}: {text}" for name, text in self.references.items()]

    def to_dict(self) -> dict[str, Any]:
        """Convert to dictionaries, lists, numbers and texts. A number that does not exist is ``None``."""
        found: dict[str, Any] = _plain(asdict(self))
        for mapping, facts in zip(found["mapping"], self.mapping, strict=True):
            mapping |= {"value_coverage": facts.value_coverage, "record_coverage": facts.record_coverage}
        return found

    def to_json(self, indent: int | None = 2) -> str:
        """`to_dict` as JSON. Invisible characters and those that change the text direction are escaped."""
        return visible(json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False), keep="\n")

    def to_text(self) -> str:
        """The report as plain text, for a terminal or a mail."""
        from ontomask.report.text import render_text

        return render_text(self)

    def to_html(self) -> str:
        """The report as one HTML page without scripts, which loads nothing."""
        from ontomask.report.html import render_html

        return render_html(self)

    @progress("Writing the report")
    def save(self, path: str | Path) -> None:
        """Write the report as ``.html``, ``.json`` or ``.txt``, by the file extension. The write is atomic."""
        path = Path(path).expanduser()
        forms = {".html": self.to_html, ".json": self.to_json, ".txt": self.to_text}
        if path.suffix.lower() not in forms:
            raise OntomaskError(
                f"The file name of a report must end in {', '.join(forms)}. Rename {path}.", parameter="path"
            )
        # Lone surrogates, which a table may hold, have no bytes.
        save_atomic(path, forms[path.suffix.lower()]().encode(errors="replace"), OntomaskError)

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
        # A note is a str with fields; JSON gets the text.
        return str(value)
    return None if isinstance(value, float) and not isfinite(value) else value
