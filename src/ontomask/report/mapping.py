"""How values were mapped to concepts, without rare values, and the sources of the concepts."""

from __future__ import annotations

from collections.abc import Iterable

from ontomask.base.notes import WITHHELD
from ontomask.kinds import ConceptSetColumn, Nominal, NominalColumn, mapped_columns
from ontomask.mapping import ColumnMapping
from ontomask.mapping.report import ValueMapping
from ontomask.microdata import Microdata
from ontomask.microdata.disclosure_control import RARE, DisclosureControl
from ontomask.report.contents import MappedValue, MappingFacts, Source
from ontomask.taxonomy import Taxonomy

__all__ = ["mapping_facts", "sources"]

_MOST_NAMED = 10
_SNOMED = (
    "SNOMED CT belongs to SNOMED International and may only be used under its licence. Check your licence before you "
    "share its terms."
)


def mapping_facts(mapped: ColumnMapping, data: Microdata, control: DisclosureControl) -> MappingFacts:
    """The mapping of one column. Rare values are not named."""
    domain = _domains(data)[mapped.column]
    root = domain.texts.first(0)
    may_name = control.may_name_point(mapped.column, 0, domain.root, root)
    return MappingFacts(
        column=mapped.column,
        taxonomy=mapped.taxonomy,
        domain=(domain.root if root == domain.root else f"{root} ({domain.root})") if may_name else WITHHELD,
        values=len(mapped.values),
        mapped_values=len(mapped.concepts),
        records=mapped.records,
        mapped_records=mapped.mapped_records,
        missing=mapped.missing,
        rules=dict(mapped.rules),
        relations=dict(mapped.relations),
        inexact=len(mapped.inexact),
        named_inexact=_named(mapped.inexact, mapped.column, control),
        first_senses=len(mapped.ambiguous),
        named_first_senses=_named(mapped.ambiguous, mapped.column, control),
        unmapped_values=len(mapped.unmapped),
        named_unmapped=_named(mapped.unmapped, mapped.column, control),
        accepted_values=len(mapped.accepted),
        named_accepted=_named(mapped.accepted, mapped.column, control),
        changed_values=len({change.value for change in mapped.changes}),
        unused_keys=len(mapped.unused_keys),
    )


def _domains(data: Microdata) -> dict[str, Taxonomy]:
    """The taxonomies of the columns that hold concepts or categories."""
    return {column.name: column.domain for column in _concept_columns(data)}


def _concept_columns(data: Microdata) -> list[NominalColumn | ConceptSetColumn]:
    return mapped_columns([*data.quasi_identifiers.values(), *data.confidential_columns.values()])


def _named(values: Iterable[ValueMapping], column: str, control: DisclosureControl) -> tuple[MappedValue, ...]:
    """The most frequent values that may be named."""
    common = [v for v in values if v.count >= RARE and control.may_name(column, v.value)]
    common.sort(key=lambda v: (-v.count, v.value))
    return tuple(
        MappedValue(v.value, v.count, _concept(v.concept, column, control), v.relation) for v in common[:_MOST_NAMED]
    )


def _concept(concept: str | None, column: str, control: DisclosureControl) -> str:
    if concept is None:
        return ""
    return concept if control.may_name(column, concept) else WITHHELD


def sources(data: Microdata) -> tuple[Source, ...]:
    """The ontologies of all columns, each once, with their licences."""
    found: dict[tuple[str, str], list[str]] = {}
    for column in _concept_columns(data):
        if column.kind.name != Nominal.name:
            continue
        notes = column.domain.annotations
        licence = notes.licence or (_SNOMED if "snomed" in notes.name.casefold() else "")
        found.setdefault((notes.name, licence), []).append(column.name)
    return tuple(Source(name, licence, tuple(columns)) for (name, licence), columns in found.items())
