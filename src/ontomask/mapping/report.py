"""What became of every value: the mapping report, as an object, as text and as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ontomask.base.text import join_some
from ontomask.errors import MappingError
from ontomask.mapping.words import Suggestion, looks_missing

__all__ = ["ColumnMapping", "Decision", "MappingReport", "ValueMapping"]

_SHOWN = 12


@dataclass(frozen=True)
class ValueMapping:
    """One distinct value of a column and the concept it was mapped to.

    Attributes
    ----------
    rule
        What mapped it: ``explicit``, ``id``, a kind of alias (``undotted code``, …), ``label``, ``stem``;
        ``unmapped`` if nothing did.
    chosen_by
        How one sense was taken among several: ``sense given``, ``domain`` or ``first sense`` (a default, so the
        report lists it); empty where there was but one.
    senses_not_taken
        The other concepts the value could have meant.
    note
        Why it is unmapped, where more is known than that nothing fits.
    """

    value: str
    count: int
    concept: str | None
    rule: str
    label: str = ""
    chosen_by: str = ""
    senses_not_taken: tuple[str, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    note: str = ""


@dataclass(frozen=True, repr=False)
class Decision:
    """What the policies make of a column: the concept of each value, and the values kept or dropped."""

    concepts: Mapping[str, str]
    kept: frozenset[str]
    dropped: frozenset[str]
    keep_missing: bool
    drop_missing: bool


@dataclass(frozen=True, repr=False)
class ColumnMapping:
    """The mapping of one column's values to one taxonomy."""

    column: str
    taxonomy: str
    root: str
    domain: str | None
    values: tuple[ValueMapping, ...]
    missing: int
    unused_keys: tuple[str, ...]
    domain_not_taken: tuple[str, ...] = ()

    def __repr__(self) -> str:
        # The values are for who asks for them, not for tracebacks and logs.
        return f"<ColumnMapping {self.column!r}: {len(self.concepts):,} of {len(self.values):,} values mapped>"

    def __str__(self) -> str:
        return self.to_text()

    @property
    def concepts(self) -> Mapping[str, str]:
        """The mapped values with their concepts."""
        return MappingProxyType({v.value: v.concept for v in self.values if v.concept is not None})

    @property
    def unmapped(self) -> tuple[ValueMapping, ...]:
        """Values without a concept, commonest first."""
        return tuple(v for v in self.values if v.concept is None)

    @property
    def ambiguous(self) -> tuple[ValueMapping, ...]:
        """Values whose sense was taken by default: the first of several."""
        return tuple(v for v in self.values if v.chosen_by == "first sense")

    @property
    def perhaps_missing(self) -> tuple[ValueMapping, ...]:
        """Values that look like spellings of "missing", where the user has not said what they mean."""
        return tuple(v for v in self.values if v.rule != "explicit" and looks_missing(v.value))

    @property
    def rules(self) -> Mapping[str, int]:
        """How many distinct values each rule mapped."""
        return MappingProxyType(dict(Counter(v.rule for v in self.values).most_common()))

    @property
    def records(self) -> int:
        """Records with a value in this column."""
        return sum(v.count for v in self.values)

    @property
    def mapped_records(self) -> int:
        """Records whose value has a concept."""
        return sum(v.count for v in self.values if v.concept is not None)

    @property
    def value_coverage(self) -> float:
        """The share of distinct values that have a concept (1.0 where there is none)."""
        return len(self.concepts) / len(self.values) if self.values else 1.0

    @property
    def record_coverage(self) -> float:
        """The share of non-missing records whose value has a concept."""
        return self.mapped_records / self.records if self.records else 1.0

    def replacements(self) -> dict[str, str]:
        """A mapping for unmapped values that name withdrawn concepts with one replacement each."""
        return {
            v.value: v.suggestions[0].concept
            for v in self.unmapped
            if v.note.startswith("withdrawn") and len(v.suggestions) == 1
        }

    def decide(self, *, unmapped: str = "error", missing: str = "error") -> Decision:
        """Apply the policies: ``error``, ``keep``, ``drop`` and, for unmapped values, ``root``.

        Raises `complaint` where values are unmapped and the policy is ``error``.
        """
        for name, policy, allowed in (
            ("unmapped", unmapped, ("error", "keep", "drop", "root")),
            ("missing", missing, ("error", "keep", "drop")),
        ):
            if policy not in allowed:
                raise MappingError(f"The {name!r} policy must be one of {', '.join(allowed)}. Got {policy!r} instead.")
        if missing == "error" and self.missing:
            raise MappingError(
                f"the column {self.column!r} has {self.missing:,} missing cells. Say what to do with them: "
                f"missing='keep' or missing='drop'.",
                column=self.column,
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
        """How many values have no concept, and what the user can do about it; the error carries this report."""
        return MappingError(
            f"{len(self.unmapped):,} of {len(self.values):,} values of the column {self.column!r} have no concept in "
            f"{self.taxonomy}. Give mapping={{value: concept id or label}} for them, or say unmapped='keep', 'drop' or "
            f"'root'. They are listed with suggestions by 'ontomask map' for a job, and in Python by this error's "
            f"'mapping'.",
            mapping=self,
            column=self.column,
            values=[value.value for value in self.unmapped],
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
            "unused_keys": list(self.unused_keys),
            "perhaps_missing": [v.value for v in self.perhaps_missing],
            "values": [
                {
                    "value": v.value,
                    "count": v.count,
                    "concept": v.concept,
                    "label": v.label,
                    "rule": v.rule,
                    "chosen_by": v.chosen_by,
                    "senses_not_taken": list(v.senses_not_taken),
                    "suggestions": [{"concept": s.concept, "label": s.label, "score": s.score} for s in v.suggestions],
                    "note": v.note,
                }
                for v in self.values
            ],
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """The report as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def to_text(self, *, all_values: bool = False) -> str:
        """A page to read: coverage, rules, then what needs attention (or every value)."""
        under = f" under {self.domain}" if self.domain else ""
        lines = [
            f"{self.column} → {self.taxonomy}{under}",
            f"  {len(self.concepts):,} of {len(self.values):,} values mapped ({self.value_coverage:.1%}), "
            f"{self.mapped_records:,} of {self.records:,} records ({self.record_coverage:.1%}), "
            f"{self.missing:,} missing",
            "  by rule: " + (", ".join(f"{rule} {n:,}" for rule, n in self.rules.items()) or "nothing to map"),
        ]
        shown = self.values if all_values else ()
        width = max((len(v.value) for v in shown), default=0)
        lines += [
            f"    {v.value:<{width}}  {v.count:>8,}  {v.concept or '—'}"
            + (f" ({v.label})" if v.label and v.label != v.concept else "")
            + f"  by {v.rule}"
            for v in shown
        ]
        if self.domain_not_taken:
            lines.append(f"  the domain is {self.domain}, not {join_some(self.domain_not_taken, 4)}")
        if self.perhaps_missing:
            lines.append("  perhaps spellings of a missing cell; if so, list them as missing tokens, else map them:")
            lines += [
                f"    {v.value!r} ({_records(v.count)}) = {v.concept or 'no concept'}"
                for v in self.perhaps_missing[:_SHOWN]
            ]
            lines += _and_more(len(self.perhaps_missing))
        if self.ambiguous:
            lines.append("  taken in their first sense, since nothing said otherwise:")
            lines += [
                f"    {v.value} = {v.concept}, not {join_some(v.senses_not_taken, 4)}" for v in self.ambiguous[:_SHOWN]
            ]
            lines += _and_more(len(self.ambiguous))
        if self.unmapped:
            lines.append("  unmapped:")
            lines += [f"    {line}" for line in _unmapped_lines(self.unmapped)]
        if self.unused_keys:
            lines.append(f"  mapping keys that the column does not have: {join_some(self.unused_keys)}")
        return "\n".join(lines)


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
        raise KeyError(f"{column!r} is not a mapped column; there are {join_some(c.column for c in self.columns)}.")

    @property
    def complete(self) -> bool:
        """Every value of every column has a concept."""
        return not any(column.unmapped for column in self.columns)

    def to_text(self, *, all_values: bool = False) -> str:
        """The columns' pages, one after the other."""
        return "\n\n".join(column.to_text(all_values=all_values) for column in self.columns)

    __str__ = to_text

    def to_json(self, *, indent: int | None = 2) -> str:
        """The whole report as JSON."""
        return json.dumps([column.to_dict() for column in self.columns], ensure_ascii=False, indent=indent)


def _unmapped_lines(values: Iterable[ValueMapping]) -> list[str]:
    listed = list(values)
    lines = []
    for v in listed[:_SHOWN]:
        near = ", ".join(f"{s.concept} ({s.label})" if s.label != s.concept else s.concept for s in v.suggestions)
        note = f" [{v.note}]" if v.note else ""
        lines.append(f"{v.value!r} ({_records(v.count)}){note}" + (f": perhaps {near}?" if near else ""))
    return lines + _and_more(len(listed), "  ")


def _records(count: int) -> str:
    return f"{count:,} record{'' if count == 1 else 's'}"


def _and_more(total: int, indent: str = "    ") -> list[str]:
    return [f"{indent}… and {total - _SHOWN:,} more"] if total > _SHOWN else []
