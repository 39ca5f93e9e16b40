"""The guarantee in words, and its proof: what was counted on the released table, and how anybody can count it again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ontomask.evaluation import Evaluation
from ontomask.masking import Result
from ontomask.microdata import Microdata
from ontomask.microdata.disclosure_control import DisclosureControl
from ontomask.report.contents import GroupSizes, GuaranteeFacts
from ontomask.report.external import ExternalResult

__all__ = ["counted_k", "guarantee_facts"]


def counted_k(result: Result | ExternalResult) -> int | None:
    """The k that was counted on the released text, where k-anonymity was promised; other promises count otherwise."""
    return result.guarantee.k if result.guarantee.claim == "k-anonymity" else None


def guarantee_facts(
    data: Microdata, result: Result | ExternalResult, score: Evaluation, control: DisclosureControl
) -> GuaranteeFacts:
    """What was promised and verified, or what can be said without a promise."""
    guarantee = result.guarantee
    k, sizes = counted_k(result), _sizes(score)
    return GuaranteeFacts(
        claim=guarantee.claim,
        text=control.redact(guarantee.text),
        k=guarantee.k,
        unit=guarantee.unit,
        proof=tuple(_proof(data, result, score, sizes)),
        query=_query(list(data.quasi_identifiers), k) if k is not None and data.person is None else "",
        sizes=sizes,
    )


def _sizes(score: Evaluation) -> GroupSizes | None:
    found = score.anonymity
    if found is None:
        return None
    return GroupSizes(found.groups, found.k, float(np.median(found.sizes)), int(found.sizes.max()))


def _proof(
    data: Microdata, result: Result | ExternalResult, score: Evaluation, sizes: GroupSizes | None
) -> Iterator[str]:
    names = ", ".join(data.quasi_identifiers)
    if sizes is None:
        yield "Nothing was released: there is no record whose values could be looked at."
    else:
        unit = score.anonymity.unit if score.anonymity is not None else "records"
        unit = unit.removesuffix("s") if sizes.smallest == 1 else unit
        yield (
            f"Counted on the released text itself, after masking: {len(result.data):,} records fall into "
            f"{sizes.groups:,} groups with equal {names}. The smallest has {sizes.smallest:,} {unit}, the middle one "
            f"{sizes.median:g}, the largest {sizes.largest:,}."
        )
    if score.attacks is not None:
        yield f"The worst intruder that was tried: {score.attacks.worst.sentence}"
    if counted_k(result) is not None:
        if data.person is None:
            yield "Whoever has the released table can count again: this query finds nothing."
        else:
            yield (
                f"Persons were told apart by {data.person}, which is not released: only the keeper of the data can "
                f"count again."
            )
    elif not result.guarantee.claim:
        equal = f", and {score.mrl:.3g} % by equal values" if score.keeps_values else ""
        yield (
            f"Without a promise, what was measured has to do: an intruder who knows {names} of all originals links "
            f"{score.srl:.3g} % of them to their masked record by meaning{equal}."
        )
    if isinstance(result, Result):
        yield from (f"Also verified on the released table: {asked.text}." for asked in result.method.require)


def _query(names: list[str], k: int) -> str:
    """What finds every combination of values that fewer than k records share."""
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    return f"SELECT {columns}, COUNT(*) FROM released GROUP BY {columns} HAVING COUNT(*) < {k}"
