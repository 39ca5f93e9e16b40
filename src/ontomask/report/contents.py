"""What stands in a report, as plain data: numbers and texts. Of single records there is the row, when asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ontomask.figures.numbers import readable

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
    "GroupSizes",
    "GuaranteeFacts",
    "Headline",
    "MappedValue",
    "MappingFacts",
    "MeasureFacts",
    "MethodFacts",
    "MethodFigure",
    "Source",
    "TableFacts",
]


@dataclass(frozen=True)
class Headline:
    """A number to be seen first, and a sentence to it."""

    label: str
    value: str
    sentence: str


@dataclass(frozen=True)
class ColumnFacts:
    """A column: its role, what it holds, how many distinct values it has, and the distance between them."""

    name: str
    role: str
    kind: str = ""
    distinct: int | None = None
    distance: str = ""


@dataclass(frozen=True)
class TableFacts:
    """The table before and after: ``dropped`` by the policies on the way in, ``suppressed`` on the way out."""

    records: int
    released: int
    suppressed: int
    dropped: int
    persons: int | None
    columns: tuple[ColumnFacts, ...]


@dataclass(frozen=True)
class MethodFigure:
    """A number that a method tells about its own work; ``column`` is empty where it is of the whole table."""

    name: str
    column: str
    value: float


@dataclass(frozen=True)
class MethodFacts:
    """What was done: the method, what it does, what it is good for, and its parameters in words."""

    name: str
    family: str
    what: str
    why: str
    parameters: Mapping[str, str]
    figures: tuple[MethodFigure, ...]


@dataclass(frozen=True)
class AdviceFacts:
    """What was recommended and why; ``followed`` where it is what was done."""

    method: str
    followed: bool
    measured: bool
    reasons: tuple[str, ...]
    cautions: tuple[str, ...]


@dataclass(frozen=True)
class GroupSizes:
    """Groups of equal released records, in the unit that k counts."""

    groups: int
    smallest: int
    median: float
    largest: int


@dataclass(frozen=True)
class GuaranteeFacts:
    """What holds for the release, how that was shown, and a query with which anybody can show it again."""

    claim: str
    text: str
    k: int | None
    unit: str
    proof: tuple[str, ...]
    query: str
    sizes: GroupSizes | None


@dataclass(frozen=True)
class MappedValue:
    """A value that many records have, and its concept (empty: it has none)."""

    value: str
    records: int
    concept: str


@dataclass(frozen=True)
class MappingFacts:
    """How a column's values were mapped; only values that are not rare are named."""

    column: str
    taxonomy: str
    domain: str
    values: int
    mapped_values: int
    records: int
    mapped_records: int
    missing: int
    rules: Mapping[str, int]
    first_senses: int
    named_first_senses: tuple[MappedValue, ...]
    unmapped_values: int
    named_unmapped: tuple[MappedValue, ...]
    unused_keys: int

    @property
    def value_coverage(self) -> float:
        """The share of distinct values that have a concept."""
        return self.mapped_values / self.values if self.values else 1.0

    @property
    def record_coverage(self) -> float:
        """The share of records whose value has a concept."""
        return self.mapped_records / self.records if self.records else 1.0


@dataclass(frozen=True)
class MeasureFacts:
    """A measure of utility or risk with its sentence."""

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
    """How often what occurs in a column before and after; ``note`` says how the bars were chosen.

    Without categories nothing could be shown, and the note says why.
    """

    column: str
    kind: str
    categories: tuple[str, ...]
    original: tuple[int, ...]
    masked: tuple[int, ...]
    note: str
    terms: str = ""


@dataclass(frozen=True)
class Dependence:
    """Distance correlations between columns before and after; ``None`` where a column does not vary."""

    columns: tuple[str, ...]
    before: tuple[tuple[float | None, ...], ...]
    after: tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True)
class Compared:
    """One of the methods that were compared, its measures being means over the runs that did not fail.

    ``columns`` is how many were masked, where that is known.
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
        """Of how many runs the means are."""
        return f"{self.runs - self.failed:,} of {self.runs:,}" if self.failed else f"{self.runs:,}"

    def shown(self, measure: str) -> str:
        """A measure for reading."""
        value = self.measures[measure]
        return "–" if value is None else readable(value)


@dataclass(frozen=True)
class ComparisonFacts:
    """Methods on the map of ``risk`` and ``loss``; ``refused`` could not mask these data in any run."""

    risk: str
    loss: str
    methods: tuple[Compared, ...]
    refused: tuple[str, ...]

    @property
    def columns_differ(self) -> bool:
        """Whether some were measured on other columns than others."""
        return len({m.columns for m in self.methods if m.columns is not None}) > 1

    @property
    def remarks(self) -> tuple[str, ...]:
        """Whose figures are not of the same as the others', and why they do not count as unbeaten."""
        most = max((m.columns or 0 for m in self.methods), default=0)
        failing = (
            f"{m.method} failed in {m.failed:,} of {m.runs:,} runs: its figures are of the others, and it does not "
            f"count as unbeaten."
            for m in self.methods
            if m.failed
        )
        fewer = (
            f"{m.method} masked fewer columns than others ({m.columns:,}, not {most:,}): its figures do not compare "
            f"with theirs, and it does not count as unbeaten."
            for m in self.methods
            if m.columns is not None and m.columns < most
        )
        return (*failing, *fewer)


@dataclass(frozen=True)
class Band:
    """How many records are linked with a chance in some range."""

    chance: str
    records: int


@dataclass(frozen=True)
class ExposedRow:
    """A record by its place in the table, and the chance that it is linked."""

    row: int
    probability: float


@dataclass(frozen=True)
class Exposure:
    """How the risk of being linked, by whichever intruder is most likely to, is spread over the records.

    ``rows`` are the most exposed, only where they were asked for; ``as_exposed`` is how many records share the highest
    chance.
    """

    bands: tuple[Band, ...]
    highest: float
    as_exposed: int
    rows: tuple[ExposedRow, ...] | None


@dataclass(frozen=True)
class Source:
    """Where the concepts of some columns come from, and under which terms their words may be shown."""

    name: str
    licence: str
    columns: tuple[str, ...]
