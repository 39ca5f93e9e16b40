"""The parts of a report as plain data: numbers and texts, and the same as rows for tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ontomask.base.text import readable
from ontomask.comparison.compare import MEASURES

__all__ = [
    "AdviceFacts",
    "Band",
    "ColumnFacts",
    "Compared",
    "ComparisonFacts",
    "Dependence",
    "Distribution",
    "ExposedRow",
    "Exposure",
    "Headline",
    "MappedValue",
    "MappingFacts",
    "MeasureFacts",
    "MethodFacts",
    "MethodFigure",
    "Row",
    "Source",
    "TableFacts",
]

Row = tuple[str, ...]
"""The cells of one line in a table."""


@dataclass(frozen=True)
class Headline:
    """An important number with a label and a sentence."""

    label: str
    value: str
    sentence: str


@dataclass(frozen=True)
class ColumnFacts:
    """A column: its role, kind, number of distinct values and distance."""

    name: str
    role: str
    kind: str = ""
    distinct: int | None = None
    distance: str = ""


@dataclass(frozen=True)
class TableFacts:
    """The table before and after masking. Records are ``dropped`` before it and ``suppressed`` by it."""

    records: int
    released: int
    suppressed: int
    dropped: int
    persons: int | None
    columns: tuple[ColumnFacts, ...]

    @property
    def sentence(self) -> str:
        """The number of records before and after."""
        persons = "" if self.persons is None else f" of {self.persons:,} persons"
        parts = [f"{self.records:,} records{persons} were masked and {self.released:,} released"]
        if self.dropped:
            parts.append(f"{self.dropped:,} were dropped before masking because of missing or unmapped cells")
        if self.suppressed:
            parts.append(f"{self.suppressed:,} were suppressed")
        return "; ".join(parts) + "."

    @property
    def column_rows(self) -> list[Row]:
        """The columns as rows of a table."""
        return [
            (c.name, c.role, c.kind, "" if c.distinct is None else f"{c.distinct:,}", c.distance) for c in self.columns
        ]


@dataclass(frozen=True)
class MethodFigure:
    """A number that a method reports about its work. ``column`` is empty if it is about the whole table."""

    name: str
    column: str
    value: float


@dataclass(frozen=True)
class MethodFacts:
    """The method: what it does, when to use it, and its parameters as text."""

    name: str
    family: str
    what: str
    why: str
    parameters: Mapping[str, str]
    figures: tuple[MethodFigure, ...]


@dataclass(frozen=True)
class AdviceFacts:
    """The recommended method and the reasons. ``followed``: it is the method that was used."""

    method: str
    followed: bool
    measured: bool
    reasons: tuple[str, ...]
    cautions: tuple[str, ...]

    @property
    def basis(self) -> str:
        """Where the advice comes from."""
        return "measured on these data" if self.measured else "from the literature, not measured on these data"

    @property
    def all_reasons(self) -> Row:
        """Reasons and cautions."""
        return (*self.reasons, *(f"Caution: {caution}" for caution in self.cautions))


@dataclass(frozen=True)
class MappedValue:
    """A frequent value and its concept, which is empty for an unmapped value."""

    value: str
    records: int
    concept: str
    relation: str = ""

    def __str__(self) -> str:
        if not self.concept:
            return f"{self.value} ({self.records:,} records)"
        relation = "" if self.relation in ("", "equivalent") else f" ({self.relation})"
        return f"{self.value} = {self.concept}{relation}"


@dataclass(frozen=True)
class MappingFacts:
    """How the values of a column were mapped. Rare values are not named."""

    column: str
    taxonomy: str
    domain: str
    values: int
    mapped_values: int
    records: int
    mapped_records: int
    missing: int
    rules: Mapping[str, int]
    relations: Mapping[str, int]
    inexact: int
    named_inexact: tuple[MappedValue, ...]
    first_senses: int
    named_first_senses: tuple[MappedValue, ...]
    unmapped_values: int
    named_unmapped: tuple[MappedValue, ...]
    accepted_values: int
    named_accepted: tuple[MappedValue, ...]
    changed_values: int
    unused_keys: int

    @property
    def value_coverage(self) -> float:
        """The share of distinct values that have a concept."""
        return self.mapped_values / self.values if self.values else 1.0

    @property
    def record_coverage(self) -> float:
        """The share of records whose value has a concept."""
        return self.mapped_records / self.records if self.records else 1.0

    @property
    def _relations(self) -> str:
        listed = ", ".join(f"{relation}: {number:,}" for relation, number in self.relations.items())
        return f" (compared with their concepts: {listed})" if listed else ""

    @property
    def row(self) -> Row:
        """The mapping as a row of a table."""
        return (
            self.column,
            self.taxonomy,
            self.domain,
            ", ".join(f"{rule}: {number:,}" for rule, number in self.rules.items()) + self._relations,
            f"{self.mapped_values:,} of {self.values:,} ({self.value_coverage:.1%})",
            f"{self.mapped_records:,} of {self.records:,} ({self.record_coverage:.1%})",
            f"{self.missing:,}",
        )


@dataclass(frozen=True)
class MeasureFacts:
    """A measure of utility or risk, and a sentence about it."""

    about: str
    name: str
    columns: tuple[str, ...]
    title: str
    shown: str
    meaning: str
    definition: str
    value: float | None
    before: float | None
    after: float | None
    unit: str


@dataclass(frozen=True)
class Distribution:
    """Value frequencies of a column before and after masking. ``note`` explains the bars, or why there are none."""

    column: str
    kind: str
    categories: tuple[str, ...]
    original: tuple[int, ...]
    masked: tuple[int, ...]
    note: str
    terms: str = ""

    @property
    def note_with_terms(self) -> str:
        """The note, and the ontology that the names of the bars come from."""
        return f"{self.note} Terms: {self.terms}; see the licence under “Sources”." if self.terms else self.note

    @property
    def rows(self) -> list[Row]:
        """The bars as rows of a table."""
        bars = zip(self.categories, self.original, self.masked, strict=True)
        return [(name, f"{before:,}", f"{after:,}") for name, before, after in bars]


@dataclass(frozen=True)
class Dependence:
    """Distance correlations between columns before and after; ``None`` for a column with one value only."""

    columns: tuple[str, ...]
    before: tuple[tuple[float | None, ...], ...]
    after: tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True)
class Compared:
    """A compared method. Its measures are means over the runs that did not fail.

    ``columns`` is the number of masked columns, if known.
    """

    method: str
    family: str
    runs: int
    failed: int
    columns: int | None
    on_frontier: bool
    measures: Mapping[str, float | None]

    @property
    def runs_shown(self) -> str:
        """The number of runs in the means."""
        return f"{self.runs - self.failed:,} of {self.runs:,}" if self.failed else f"{self.runs:,}"

    def shown(self, measure: str) -> str:
        """A measure as text."""
        value = self.measures[measure]
        return "–" if value is None else readable(value)


@dataclass(frozen=True)
class ComparisonFacts:
    """The compared methods, and the names of the measures of ``risk`` and ``loss``.

    ``refused`` methods failed in every run.
    """

    risk: str
    loss: str
    methods: tuple[Compared, ...]
    refused: tuple[str, ...]

    @property
    def _shown(self) -> dict[str, str]:
        return {name: MEASURES[name] for name in (self.risk, "srl", self.loss, "k", "all_k")}

    @property
    def _columns_differ(self) -> bool:
        return len({m.columns for m in self.methods if m.columns is not None}) > 1

    @property
    def titles(self) -> Row:
        """The headings of the table of methods."""
        return ("method", *self._shown.values(), *(["columns"] if self._columns_differ else []), "runs", "on frontier")

    @property
    def rows(self) -> list[Row]:
        """The methods as rows of a table."""
        return [
            (
                m.method,
                *map(m.shown, self._shown),
                *([f"{m.columns or '–'}"] if self._columns_differ else []),
                m.runs_shown,
                "yes" if m.on_frontier else "",
            )
            for m in self.methods
        ]

    @property
    def remarks(self) -> Row:
        """Which methods cannot be compared with the others, and why."""
        most = max((m.columns or 0 for m in self.methods), default=0)
        failed = [f"{m.method} failed in {m.failed:,} of {m.runs:,} runs." for m in self.methods if m.failed]
        fewer = [
            f"{m.method} masked fewer columns than others ({m.columns:,}, not {most:,})."
            for m in self.methods
            if m.columns is not None and m.columns < most
        ]
        listed = (*failed, *fewer)
        return (*listed, "Such a method is not on the Pareto frontier.") if listed else ()


@dataclass(frozen=True)
class Band:
    """The number of records whose chance of being linked is in a range."""

    chance: str
    records: int


@dataclass(frozen=True)
class ExposedRow:
    """A record by its row number, and the chance that it is linked."""

    row: int
    probability: float


@dataclass(frozen=True)
class Exposure:
    """Records by the chance that an intruder links them: the best chance of all simulated intruders.

    ``rows`` are the most exposed records, if asked for. ``as_exposed`` counts the records with the highest chance.
    """

    bands: tuple[Band, ...]
    highest: float
    as_exposed: int
    rows: tuple[ExposedRow, ...] | None

    @property
    def sentence(self) -> str:
        """The highest chance and how many records have it."""
        return f"The highest chance of a record is {self.highest:.1%}. {self.as_exposed:,} records have this chance."

    @property
    def row_texts(self) -> list[Row]:
        """The most exposed records as rows of a table."""
        return [(f"{row.row:,}", f"{row.probability:.1%}") for row in self.rows or ()]


@dataclass(frozen=True)
class Source:
    """An ontology, the licence of its terms, and the columns that use it."""

    name: str
    licence: str
    columns: tuple[str, ...]

    @property
    def title(self) -> str:
        """Its name, or a replacement."""
        return self.name or "A taxonomy without a name"
