"""What a source states about its concepts besides is-a links and labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

__all__ = ["Annotations", "ColumnOfAliases", "Retired"]


@dataclass(frozen=True)
class Retired:
    """A concept that the source has withdrawn: the reason, and its replacements.

    ``replaced_by`` is the one that the source says to use in its place; empty if all are only to be considered.
    """

    reason: str
    replacements: tuple[str, ...] = ()
    replaced_by: str = ""


@dataclass(frozen=True, eq=False)
class Annotations:
    """What a source states about concepts besides is-a links and labels. Shared with sub-taxonomies.

    Attributes
    ----------
    name, licence
        The source, and the terms under which its labels may be shown.
    aliases
        Other codes of concepts, by kind: ``{"xref": {"ICD9:250": ("MONDO:0005015",)}}``. A mapping report names the
        kind as the rule.
    retired
        Withdrawn concepts, by id.
    code_ids
        Whether the ids are codes that people write in tables (``250.83``).
    glosses, parts
        Definitions, and the ids of the parts of each whole. ``None``: the source was read without them.
    counts
        How often each concept was tagged in the source's corpus.
    order
        In ontologies that were merged in order: the number of the ontology that each concept comes from. A value that
        several know is mapped to the first.
    """

    name: str = ""
    licence: str = ""
    aliases: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    retired: Mapping[str, Retired] = field(default_factory=dict)
    code_ids: bool = False
    glosses: Mapping[str, str] | None = None
    parts: Mapping[str, tuple[str, ...]] | None = None
    counts: Mapping[str, int] | None = None
    order: Mapping[str, int] | None = None


class ColumnOfAliases(Mapping[str, tuple[str, ...]]):
    """Aliases that each stand for one concept, kept as columns. The table is made when it is first used.

    >>> ColumnOfAliases(["A01", "C01"], [1, 0], ["Infections", "Body Regions"])["A01"]
    ('Body Regions',)
    """

    def __init__(self, aliases: Iterable[str], owner: Iterable[int], ids: list[str]) -> None:
        self._aliases, self._owner, self._ids = aliases, owner, ids

    @cached_property
    def _table(self) -> dict[str, tuple[str, ...]]:
        one = list(zip(self._ids, strict=True))
        return dict(zip(self._aliases, map(one.__getitem__, np.asarray(self._owner).tolist()), strict=True))

    def __getitem__(self, alias: str) -> tuple[str, ...]:
        return self._table[alias]

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def __getstate__(self) -> dict[str, object]:
        return {"_table": self._table}
