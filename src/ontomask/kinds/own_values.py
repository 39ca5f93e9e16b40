"""Missing cells, or values that a column cannot hold, as one value of its own, which is masked like any other.

In a nominal column it is a concept directly below the root of the domain, at distance 1 from all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ontomask.base.text import cell_text
from ontomask.distance import Distance
from ontomask.distance.apart import WithApart
from ontomask.kinds.base import OwnValue
from ontomask.kinds.policies import Policies
from ontomask.mapping.mapper import named_concepts
from ontomask.taxonomy import Taxonomy

if TYPE_CHECKING:
    from ontomask.kinds.base import Column
    from ontomask.kinds.nominal import NominalColumn

__all__ = ["add_own_concept", "distance_apart", "own_text"]


def _wordings(which: str, policies: Policies) -> Iterator[str]:
    """Texts for a value of its own, best first: the first token of missing cells, then its name."""
    yield from (token for token in policies.missing_tokens[:1] if token and which == "missing")
    yield from (which, f"{which} value")
    yield from (f"{which} value {number}" for number in count(2))


def own_text(column: Column, which: str, cells: NDArray[np.bool_], policies: Policies) -> str:
    """The text of a value of its own: the first token of missing cells or its name, if it means nothing else."""
    release = column.release({})
    taken = {cell_text(column.cells[i]) for i in np.flatnonzero(~cells)}
    return next(t for t in _wordings(which, policies) if t not in taken and release.find(t) is None)


def add_own_concept(column: NominalColumn, which: str, mine: NDArray[np.bool_], policies: Policies) -> NominalColumn:
    """The column in which some kept cells mean one more concept, directly below the root of the domain."""
    texts = {cell_text(column.cells[i]) for i in np.flatnonzero(~mine)} | {column.kind.top}
    text = next(
        text
        for text in _wordings(which, policies)
        if text not in texts and text not in column.kind.taxonomy and not named_concepts(column.domain, text)
    )
    domain = column.domain.with_child(text)
    code = domain.code(text)
    point = np.where(column.point >= code, column.point + 1, column.point)
    own = {**column.own, which: OwnValue(text, code)}
    within = column.distance.within if isinstance(column.distance, WithApart) else column.distance
    names = [value.text for value in own.values()]
    return replace(
        column,
        point=np.where(mine, code, point).astype(np.int32),
        kept=column.kept & ~mine,
        domain=domain,
        distance=distance_apart(within, names, domain if column.kind.scope == "domain" else None),
        own=own,
        plain_domain=column.plain_domain or column.domain,
    )


def distance_apart(within: Distance, names: Iterable[str], domain: Taxonomy | None) -> WithApart:
    """The distance with further concepts, over the domain that has them, or over the whole ontology."""
    names = list(names)
    taxonomy = within.taxonomy if domain is None else domain
    for name in names if domain is None else ():
        taxonomy = taxonomy.with_child(name)
    return WithApart(taxonomy, within, names)
