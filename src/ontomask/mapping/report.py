"""The mapping report: how each value was mapped, as an object, as text and as JSON."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from ontomask.base.text import join_some
from ontomask.errors import MappingError, Setting, Wording
from ontomask.mapping.decisions import ACCEPTED, Change
from ontomask.mapping.report_lines import accepted_line, change_line, counted, section, unmapped_line
from ontomask.mapping.suggestions import Suggestion
from ontomask.mapping.words import looks_missing

__all__ = ["ColumnMapping", "Decision", "MappingReport", "SetMapping", "ValueMapping"]

_COMPARED = {"narrower": "narrower than", "broader": "broader than", "related": "only related to"}


@dataclass(frozen=True)
class ValueMapping:
    """One distinct value of a column and the concept it was mapped to.

    Attributes
    ----------
    rule
        The rule that mapped it: ``explicit``, ``accepted`` (a suggestion, for its score), ``id``, a form of an id (``id
        without prefix``, …), a kind of alias (``undotted code``, …), ``replaced id``, ``label`` or ``stem``;
        ``unmapped`` if none did.
    chosen_by
        How one of several senses was chosen: ``sense given``, ``domain``, ``relation`` (the best of a ConceptMap) or
        ``first sense`` (the default, which the report lists). Empty if there was only one.
    senses_not_taken
        The other senses of the value.
    suggestions
        Concepts that an unmapped value may mean.
    reason
        Why a value is unmapped: ``withdrawn`` (it names a concept that the source has withdrawn), ``outside domain``,
        ``list``, ``date`` or ``number`` (what it looks like), ``decision lost`` (the concept chosen for it is not in
        the ontology any more), ``no match`` (its ConceptMap says that it has none), or ``not searched`` (too many
        values are unmapped to search for suggestions). Empty if nothing matched.
    note
        The reason with its details, as text.
    score
        The score of the suggestion that was accepted for it.
    relation
        What a value is compared with its concept, if its mapping says so: ``equivalent``, ``narrower``, ``broader`` or
        ``related``.
    """

    value: str
    count: int
    concept: str | None
    rule: str
    label: str = ""
    chosen_by: str = ""
    senses_not_taken: tuple[str, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    reason: str = ""
    note: str = ""
    relation: str = ""
    score: float | None = None


@dataclass(frozen=True, repr=False)
class Decision:
    """The result of the policies for a column: the concept of each value, and the values kept or dropped."""

    concepts: Mapping[str, str]
    kept: frozenset[str]
    dropped: frozenset[str]
    keep_missing: bool
    drop_missing: bool


@dataclass(frozen=True, repr=False)
class ColumnMapping:
    """The mapping of one column's values to one taxonomy."""

    #: What was mapped: ``values`` of the column, or ``elements`` of its cells.
    unit: ClassVar[str] = "values"
    # The policies that can solve a problem.
    _CHOICES: ClassVar[tuple[str, ...]] = ("keep", "drop", "root", "category")

    column: str
    taxonomy: str
    root: str
    domain: str | None
    values: tuple[ValueMapping, ...]
    missing: int
    unused_keys: tuple[str, ...]
    domain_not_taken: tuple[str, ...] = ()
    mapping_notes: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()

    def __repr__(self) -> str:
        # Tracebacks and logs must not show values of the table.
        return f"<ColumnMapping {self.column!r}: {len(self.concepts):,} of {len(self.values):,} values mapped>"

    def __str__(self) -> str:
        return self.to_text()

    @property
    def concepts(self) -> Mapping[str, str]:
        """The mapped values with their concepts."""
        return MappingProxyType({v.value: v.concept for v in self.values if v.concept is not None})

    @property
    def unmapped(self) -> tuple[ValueMapping, ...]:
        """Values without a concept, most frequent first."""
        return tuple(v for v in self.values if v.concept is None)

    @property
    def ambiguous(self) -> tuple[ValueMapping, ...]:
        """Values with several senses that were mapped to the first by default."""
        return tuple(v for v in self.values if v.chosen_by == "first sense")

    @property
    def accepted(self) -> tuple[ValueMapping, ...]:
        """Values that were mapped to a suggestion for its score."""
        return tuple(v for v in self.values if v.rule == ACCEPTED)

    @property
    def perhaps_missing(self) -> tuple[ValueMapping, ...]:
        """Values that look like a missing cell, unless the user mapped them."""
        return tuple(v for v in self.values if v.rule != "explicit" and looks_missing(v.value))

    @property
    def rules(self) -> Mapping[str, int]:
        """Number of distinct values that each rule mapped."""
        return MappingProxyType(dict(Counter(v.rule for v in self.values).most_common()))

    @property
    def relations(self) -> Mapping[str, int]:
        """Number of distinct values by their relation to their concepts, for mappings that state it."""
        return MappingProxyType(dict(Counter(v.relation for v in self.values if v.relation).most_common()))

    @property
    def inexact(self) -> tuple[ValueMapping, ...]:
        """Values that are not equivalent to their concept, according to their mapping."""
        return tuple(v for v in self.values if v.relation not in ("", "equivalent"))

    @property
    def records(self) -> int:
        """Number of records with a value in this column."""
        return sum(v.count for v in self.values)

    @property
    def mapped_records(self) -> int:
        """Number of records whose value has a concept."""
        return sum(v.count for v in self.values if v.concept is not None)

    @property
    def value_coverage(self) -> float:
        """The share of distinct values that have a concept (1.0 if there are no values)."""
        return len(self.concepts) / len(self.values) if self.values else 1.0

    @property
    def record_coverage(self) -> float:
        """The share of non-missing records whose value has a concept."""
        return self.mapped_records / self.records if self.records else 1.0

    def replacements(self) -> dict[str, str]:
        """A mapping for the values that name a withdrawn concept with exactly one replacement."""
        return {
            v.value: v.suggestions[0].concept
            for v in self.unmapped
            if v.reason == "withdrawn" and len(v.suggestions) == 1
        }

    def decide(self, *, unmapped: str = "error", missing: str = "error") -> Decision:
        """Apply the policies: ``error``, ``keep``, ``drop`` and, for unmapped values, ``root``.

        Raises `complaint` if values are unmapped and the policy is ``error``.
        """
        for name, policy, allowed in (
            ("unmapped", unmapped, ("error", "keep", "drop", "root")),
            ("missing", missing, ("error", "keep", "drop")),
        ):
            if policy not in allowed:
                text = f"The {name!r} policy must be one of {', '.join(allowed)}. Got {policy!r} instead."
                raise MappingError(text, parameter=name)
        if missing == "error" and self.missing:
            raise MappingError(
                f"The column {self.column!r} has {self.missing:,} missing cells. Say what to do with them: ",
                Setting("policies", "missing", values=self._CHOICES),
                ".",
                column=self.column,
                code="missing",
            )
        without = [v.value for v in self.unmapped]
        if without and unmapped == "error":
            raise self.complaint()
        concepts = dict(self.concepts)
        if unmapped == "root":
            concepts.update(dict.fromkeys(without, self.domain or self.root))
        return Decision(
            concepts=concepts,
            kept=frozenset(without if unmapped == "keep" else ()),
            dropped=frozenset(without if unmapped == "drop" else ()),
            keep_missing=missing == "keep",
            drop_missing=missing == "drop",
        )

    def complaint(self) -> MappingError:
        """The error that counts the values without a concept and says what to do. It carries this report."""
        return MappingError(
            f"{len(self.unmapped):,} of {len(self.values):,} {self.unit} of the column {self.column!r} have no concept "
            f"in {self.taxonomy}. Give each a concept in ",
            Setting("columns", self.column, "mapping"),
            ", or say ",
            Setting("policies", "unmapped", values=self._CHOICES),
            ". ",
            Wording(
                "They are in this error's 'mapping', with suggestions.", "'ontomask map' lists them with suggestions."
            ),
            mapping=self,
            column=self.column,
            values=[value.value for value in self.unmapped],
            code="unmapped",
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "column": self.column,
            "taxonomy": self.taxonomy,
            "domain": self.domain,
            "distinct_values": len(self.values),
            "records": self.records,
            "missing": self.missing,
            "value_coverage": self.value_coverage,
            "record_coverage": self.record_coverage,
            "rules": dict(self.rules),
            "relations": dict(self.relations),
            "mapping_notes": list(self.mapping_notes),
            "unused_keys": list(self.unused_keys),
            "perhaps_missing": [v.value for v in self.perhaps_missing],
            "changes": [asdict(change) for change in self.changes],
            "values": [asdict(v) for v in self.values],
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """The report as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def to_text(self, *, all_values: bool = False) -> str:
        """The report as text: coverage, rules, and the values that need attention (or all of them)."""
        lines = self._overview(all_values=all_values)
        if self.domain_not_taken:
            lines.append(f"  the domain is {self.domain}, not {join_some(self.domain_not_taken, 4)}")
        lines += section(
            self._PERHAPS_MISSING,
            self.perhaps_missing,
            self._perhaps_missing_line,
        )
        lines += section(
            "mapped to their first sense by default",
            self.ambiguous,
            lambda v: f"{v.value} = {v.concept}, not {join_some(v.senses_not_taken, 4)}",
        )
        lines += section("accepted for their score", self.accepted, accepted_line)
        lines += section("changed in the ontology since they were decided", self.changes, change_line)
        lines += section(
            "not equivalent to their concept, according to the mapping",
            self.inexact,
            lambda v: f"{v.value} is {_COMPARED[v.relation]} {v.concept}",
        )
        lines += section("unmapped", self.unmapped, unmapped_line)
        lines += [f"  {note}" for note in self.mapping_notes]
        if self.unused_keys:
            lines.append(f"  {self._UNUSED}: {join_some(self.unused_keys)}")
        return "\n".join(lines)

    _UNUSED: ClassVar[str] = "mapping keys that are not in the column"
    _PERHAPS_MISSING: ClassVar[str] = "possibly missing (list them as missing tokens, or map them)"

    def _perhaps_missing_line(self, v: ValueMapping) -> str:
        return f"{v.value!r} ({counted(v.count)}) = {v.concept or 'no concept'}"

    def _overview(self, *, all_values: bool) -> list[str]:
        under = f" under {self.domain}" if self.domain else ""
        shown = self.values if all_values else ()
        width = max((len(v.value) for v in shown), default=0)
        return [
            f"{self.column} → {self.taxonomy}{under}",
            f"  {len(self.concepts):,} of {len(self.values):,} {self.unit} mapped ({self.value_coverage:.1%}), "
            f"{self.mapped_records:,} of {self.records:,} records ({self.record_coverage:.1%}), "
            f"{self.missing:,} missing",
            "  by rule: " + (", ".join(f"{rule} {n:,}" for rule, n in self.rules.items()) or "nothing to map"),
            *(
                ["  by relation: " + ", ".join(f"{r} {n:,}" for r, n in self.relations.items())]
                if self.relations
                else ()
            ),
            *(
                f"    {v.value:<{width}}  {v.count:>8,}  {v.concept or '—'}"
                + (f" ({v.label})" if v.label and v.label != v.concept else "")
                + f"  by {v.rule}"
                for v in shown
            ),
        ]


@dataclass(frozen=True, repr=False)
class SetMapping(ColumnMapping):
    """The mapping of the elements of cells that hold several. Each value counts the records that have it.

    Attributes
    ----------
    cells
        Number of records with any element.
    complete_cells
        Number of records in which all elements have a concept.
    """

    unit: ClassVar[str] = "elements"
    _CHOICES: ClassVar[tuple[str, ...]] = ("keep", "drop", "root")

    cells: int = 0
    complete_cells: int = 0

    @property
    def records(self) -> int:
        """Number of records with any element in this column."""
        return self.cells

    @property
    def mapped_records(self) -> int:
        """Number of records in which all elements have a concept."""
        return self.complete_cells


@dataclass(frozen=True)
class MappingReport:
    """The mappings of a table's nominal columns, in the order of the columns."""

    columns: tuple[ColumnMapping, ...]

    def __iter__(self) -> Iterator[ColumnMapping]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, column: str) -> ColumnMapping:
        for mapped in self.columns:
            if mapped.column == column:
                return mapped
        raise KeyError(f"{column!r} is not a mapped column. Choose one of {join_some(c.column for c in self.columns)}.")

    @property
    def complete(self) -> bool:
        """Whether every value of every column has a concept."""
        return not any(column.unmapped for column in self.columns)

    def to_text(self, *, all_values: bool = False) -> str:
        """The reports of all columns as text. Those of one line stand together."""
        texts = [column.to_text(all_values=all_values) for column in self.columns]
        gaps = ["\n\n" if "\n" in before + after else "\n" for before, after in itertools.pairwise(texts)]
        return "".join(itertools.chain.from_iterable(zip(texts, [*gaps, ""], strict=True)))

    __str__ = to_text

    def to_json(self, *, indent: int | None = 2) -> str:
        """The reports of all columns as JSON."""
        return json.dumps([column.to_dict() for column in self.columns], ensure_ascii=False, indent=indent)
