"""The guarantee of a release and how it was verified. A table made by another program has no known guarantee."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ontomask.base.notes import Note
from ontomask.evaluation import Evaluation
from ontomask.masking import Guarantee, Result
from ontomask.microdata import Microdata
from ontomask.microdata.disclosure_control import RARE, DisclosureControl
from ontomask.microdata.masked import MaskedData
from ontomask.privacy.anonymity import SizeBand
from ontomask.report.contents import MethodFacts, Row

__all__ = [
    "EXTERNAL_METHOD",
    "ExternalResult",
    "GroupSizes",
    "GuaranteeFacts",
    "band_name",
    "counted_k",
    "guarantee_facts",
    "guaranteed_columns",
]


@dataclass(frozen=True)
class GroupSizes:
    """Sizes of groups of equal released records, in the unit that k counts.

    ``bands`` count the groups and records by size. A band has at least ten records.
    """

    groups: int
    smallest: int
    median: float
    largest: int
    bands: tuple[SizeBand, ...]

    @property
    def rows(self) -> list[Row]:
        """The bands as rows of a table."""
        return [(band_name(band), f"{band.groups:,}", f"{band.records:,}") for band in self.bands]


def band_name(band: SizeBand) -> str:
    """The sizes in a band: ``5``, ``6–9`` or ``10 or more``."""
    if band.most is None:
        return f"{band.least:,} or more"
    return f"{band.least:,}" if band.least == band.most else f"{band.least:,}–{band.most:,}"


@dataclass(frozen=True)
class GuaranteeFacts:
    """The guarantee of the release, how it was verified, and an SQL query that verifies it again."""

    claim: str
    text: str
    k: int | None
    unit: str
    proof: tuple[str, ...]
    query: str
    sizes: GroupSizes | None


EXTERNAL_METHOD = MethodFacts(
    name="made elsewhere",
    family="another program or an earlier run",
    what="Another program or an earlier run masked this table. The method is not known.",
    why="The report shows what was measured on the table and its original.",
    parameters={},
    figures=(),
)

_UNKNOWN = Guarantee(
    "",
    Note.of(
        "guarantee-not-known",
        "No guarantee is known, because this table was made elsewhere. The report shows what was measured.",
    ),
)


@dataclass(frozen=True, eq=False)
class ExternalResult:
    """Used instead of a `Result`: a masked table from another program or an earlier run."""

    data: MaskedData
    guarantee: Guarantee = _UNKNOWN
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


def counted_k(result: Result | ExternalResult) -> int | None:
    """The k that was counted on the released table, if k-anonymity is guaranteed."""
    return result.guarantee.k if result.guarantee.claim == "k-anonymity" else None


def guarantee_facts(
    data: Microdata, result: Result | ExternalResult, score: Evaluation, control: DisclosureControl
) -> GuaranteeFacts:
    """The guarantee with its proof, or what was measured without one."""
    guarantee = result.guarantee
    k = counted_k(result)
    sizes = _sizes(score, k)
    return GuaranteeFacts(
        claim=guarantee.claim,
        text=control.redact(guarantee.text),
        k=guarantee.k,
        unit=guarantee.unit,
        proof=tuple(_proof(data, result, score, sizes)),
        query=_query(guaranteed_columns(data, result), k) if k is not None and data.person is None else "",
        sizes=sizes,
    )


def guaranteed_columns(data: Microdata, result: Result | ExternalResult) -> list[str]:
    """The columns whose combinations are counted: the quasi-identifiers, and those that divide the table."""
    return [*data.quasi_identifiers, *(result.method.by if isinstance(result, Result) else ())]


def _sizes(score: Evaluation, k: int | None) -> GroupSizes | None:
    found = score.anonymity
    if found is None:
        return None
    bands = found.size_bands(k, fewest=RARE)
    return GroupSizes(found.groups, found.k, float(np.median(found.sizes)), int(found.sizes.max()), bands)


def _proof(
    data: Microdata, result: Result | ExternalResult, score: Evaluation, sizes: GroupSizes | None
) -> Iterator[str]:
    names = ", ".join(data.quasi_identifiers)
    if sizes is None:
        yield "Nothing was released, so there is nothing to verify."
    else:
        unit = score.anonymity.unit if score.anonymity is not None else "records"
        unit = unit.removesuffix("s") if sizes.smallest == 1 else unit
        equal = "equal" if result.data.units is None else "equal sets, under one pseudonym, of"
        yield (
            f"Counted on the released table: {len(result.data):,} records form {sizes.groups:,} groups with {equal} "
            f"{names}. The smallest group has {sizes.smallest:,} {unit}, the median group {sizes.median:g}, the "
            f"largest {sizes.largest:,}."
        )
    if score.attacks is not None:
        yield f"The worst simulated intruder: {score.attacks.worst.sentence}"
    if result.guarantee.epsilon is not None:
        yield (
            "The conditions of the claim were checked: candidates, distances and spellings follow from the description "
            "of the columns alone, every released cell is a candidate, and random bits came from the operating system."
        )
        for column in result.guarantee.columns.values():
            yield from column.sentences()
        yield "This report was computed from the original. It is not covered by the claim: do not publish it."
    if counted_k(result) is not None:
        if data.person is None:
            yield "Anybody with the released table can verify k with this query. It must return no rows."
        else:
            how = "released with pseudonyms, of which a person may have several" if data.pseudonyms else "not released"
            yield f"Only the data owner can verify k: it counts persons by {data.person}, which is {how}."
    elif not result.guarantee.claim:
        equal = f", and {score.mrl:.3g} % by equal values" if score.keeps_values else ""
        yield (
            f"Without a guarantee, judge the measured risk: an intruder who knows {names} of all originals links "
            f"{score.srl:.3g} % of them to their masked record by meaning{equal}."
        )
    if isinstance(result, Result):
        yield from (f"Also verified on the released table: {text}." for text in result.guarantee.also)


def _query(names: list[str], k: int) -> str:
    """An SQL query for the combinations of values that fewer than k records share."""
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    return f"SELECT {columns}, COUNT(*) FROM released GROUP BY {columns} HAVING COUNT(*) < {k}"
