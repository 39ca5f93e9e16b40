"""`CategoryMapping`: the values of each group, in place of a mapping to an ontology."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from ontomask.base.text import join_some
from ontomask.errors import LISTED, MappingError, Setting
from ontomask.mapping.report import ColumnMapping, ValueMapping

__all__ = ["CategoryMapping"]

_SHOWN = 12
_NO_GROUP = "no group"


@dataclass(frozen=True, repr=False)
class CategoryMapping(ColumnMapping):
    """The values of a column of categories. Each is its own concept; ``label`` is its group.

    ``above`` has the group of each value and of each group.
    """

    above: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        column: str,
        texts: Mapping[str, int],
        missing: int,
        *,
        is_known: Callable[[str], bool],
        above: Mapping[str, str],
        root: str,
    ) -> CategoryMapping:
        """The values with their records, most frequent first. Those that are not known are unmapped."""

        def value_mapping(text: str) -> ValueMapping:
            if not is_known(text):
                return ValueMapping(text, texts[text], None, "unmapped")
            group = above.get(text)
            return ValueMapping(text, texts[text], text, _NO_GROUP if group is None else "group", group or "")

        groups = set(above.values())
        return cls(
            column=column,
            taxonomy=_number(len(groups), "group") if groups else "categories without groups",
            root=root,
            domain=None,
            values=tuple(value_mapping(text) for text in sorted(texts, key=lambda text: (-texts[text], text))),
            missing=missing,
            unused_keys=tuple(text for text in above if text not in texts and text not in groups),
            above=above,
        )

    def complaint(self) -> MappingError:
        """The error for values that cannot be categories. It carries this report."""
        return MappingError(
            f"{len(self.unmapped):,} of {len(self.values):,} values of the column {self.column!r} cannot be "
            f"categories: they are the text for any value, are not on one line, or a fitted model does not know them. "
            f"Say ",
            Setting("policies", "unmapped", values=["keep", "drop", "root"]),
            ", or give another text for any value in ",
            Setting("columns", self.column, "top"),
            ". ",
            LISTED,
            mapping=self,
            column=self.column,
            values=[value.value for value in self.unmapped],
        )

    def widest_groups(self) -> dict[str, str]:
        """The widest group of each value that does not hold all values; empty if there is none."""
        chains = {v.value: self._groups_of(v.value) for v in self.values}
        while chains and all(chains.values()) and len({chain[-1] for chain in chains.values()}) == 1:
            for chain in chains.values():
                chain.pop()
        return {value: chain[-1] if chain else "" for value, chain in chains.items()}

    def _groups_of(self, value: str) -> list[str]:
        """The groups of a value, the narrowest first."""
        groups = []
        while value in self.above:
            value = self.above[value]
            groups.append(value)
        return groups

    _UNUSED: ClassVar[str] = "in the groups, but not in the column"
    _PERHAPS_MISSING: ClassVar[str] = "possibly missing (list them as missing tokens, unless they are real values)"

    def _perhaps_missing_line(self, v: ValueMapping) -> str:
        """Without a concept: that of a category is its own text."""
        return f"{v.value!r} ({_number(v.count, 'record')})"

    def _overview(self, *, all_values: bool) -> list[str]:
        """The widest groups with their numbers of values and records, and with all their values."""
        groups: dict[str, list[ValueMapping]] = {}
        widest = self.widest_groups()
        for value in self.values:
            groups.setdefault(widest[value.value], []).append(value)
        # The values without a group come last.
        ordered = sorted(groups, key=lambda group: (not group, -sum(v.count for v in groups[group]), group))
        counts = f"{_number(len(self.values), 'value')} in {_number(self.records, 'record')}, {self.missing:,} missing"
        if not self.above and not all_values:
            return [f"{self.column} → {self.taxonomy}: {counts}"]
        lines = [f"{self.column} → {self.taxonomy}", f"  {counts}"]
        shown = ordered if all_values else ordered[:_SHOWN]
        for group in shown if self.above else ():
            members = groups[group]
            listed = "" if group or all_values else f": {join_some((v.value for v in members), _SHOWN)}"
            records = _number(sum(v.count for v in members), "record")
            lines.append(f"    {group or _NO_GROUP}: {_number(len(members), 'value')} in {records}{listed}")
            lines += [f"      {v.value}: {v.count:,}" for v in members if all_values]
        if len(ordered) > len(shown):
            lines.append(f"    … and {_number(len(ordered) - len(shown), 'group')} more")
        if all_values and not self.above:
            lines += [f"    {v.value}: {v.count:,}" for v in self.values]
        return lines


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
