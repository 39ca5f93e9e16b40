"""Columns without an ontology: `Category`, whose values are equal or different, or are in groups.

The text of a category is its only name. Wherever a method releases the category, it releases this text. A method that
guarantees k-anonymity does so only if k records share it, any other method even if one person has it. So people's own
words must not be categories. A note counts the values that few have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from ontomask.base.frozen import set_fields
from ontomask.base.text import cell_text
from ontomask.errors import Setting, TableError
from ontomask.kinds.categorical import CategoricalKind
from ontomask.kinds.groups import Groups, read_groups
from ontomask.kinds.under import TableView, groups_under

__all__ = ["Category"]


@dataclass(frozen=True, eq=False)
class Category(CategoricalKind):
    """A column of values without an ontology, such as sex, marital status, or yes and no.

    Two different values are at distance 1, and values of one group at ½, or nearer if groups are in groups. A value
    without a group is directly under the top. Numbers and booleans can be categories, too, and are released as such.

    Parameters
    ----------
    groups
        The values of each group: ``{"Married": ["Married-civ-spouse", "Married-AF-spouse"]}``. A group may be in
        another group. Or a CSV file, each row with a value, its group, perhaps a wider group, and so on. Or a
        `Hierarchy`. A value with the name of a group means that group as a whole.
    under
        Another quasi-identifier or other column, whose values are the groups: each value is in the group that it occurs
        with. If fewer than ten persons or records have a group, its values are directly under the top.
    weight
        The attribute's weight in distances between records.
    top
        The text that any value is released as. By default it is the group that holds all values, or ``*``.
    values
        All values that the column can have, whether they occur or not. Any other value is unmapped. Methods that need
        a public domain, such as `MetricPrivacy`, ask for them.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> frame = pd.DataFrame({"status": ["married", "partnership", "widowed", "widowed", "divorced", "married"]})
    >>> status = om.Category({"couple": ["married", "partnership"], "alone": ["widowed", "divorced", "single"]})
    >>> data = om.Microdata(frame, {"status": status})
    >>> om.Generalisation(k=3).mask(data, seed=0).frame["status"].tolist()
    ['couple', 'couple', 'alone', 'alone', 'alone', 'couple']
    """

    name: ClassVar[str] = "category"

    groups: Groups | None = None
    under: str | None = None
    weight: float = 1.0
    top: str | None = None
    values: Sequence[object] | None = None
    above: Mapping[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.check_weight()
        self.check_top()
        if self.under is not None and not isinstance(self.under, str):
            raise TableError(
                f"The 'under' of Category must be the name of a column. Got {self.under!r} instead.", parameter="under"
            )
        if self.groups is not None and self.under is not None:
            raise TableError(
                "The groups of Category come from 'groups' or from 'under'. Give one of them.", parameter="under"
            )
        set_fields(self, above=read_groups(self.groups))
        if self.values is not None:
            self._read_values(self.values)

    def _read_values(self, values: Sequence[object]) -> None:
        """Store the listed values as texts."""
        listed = [] if isinstance(values, str) or not isinstance(values, Sequence) else [cell_text(v) for v in values]
        texts = [text for text in listed if text is not None]
        set_fields(self, values=tuple(texts))
        if len(texts) < 2 or len(texts) < len(listed) or len(set(texts)) < len(texts) or self.mismatches(texts):
            raise TableError(
                "The 'values' of Category must be a list of at least two different values, none of them empty or the "
                "text for any value.",
                parameter="values",
            )
        if self.under is not None:
            text = "The groups of listed 'values' are public, so they cannot come from the column 'under'. List them."
            raise TableError(text, parameter="values")

    def __repr__(self) -> str:
        # Groups list values of the column: they must not show in tracebacks and logs.
        groups = f"<{len(set(self.above.values())):,} groups>" if self.above else None
        values = f", values=<{len(self.values):,} values>" if self.values else ""
        return f"Category(groups={groups}, under={self.under!r}, weight={self.weight!r}, top={self.top!r}{values})"

    @property
    def declared(self) -> frozenset[str]:
        """The values and groups that the user listed."""
        return frozenset((*self.above, *(self.listed or ())))

    @property
    def listed(self) -> tuple[str, ...] | None:
        """All values that the column can have, if the user listed them."""
        return self.values  # type: ignore[return-value]

    def groups_of(self, counts: Mapping[str, int]) -> Mapping[str, str]:  # noqa: ARG002
        """The groups that the user listed."""
        return self.above

    def completed(self, name: str, table: TableView) -> Category:
        """The kind with the groups that another column gives."""
        if self.under is None:
            return self
        if self.under == name:
            raise TableError(
                f"The groups of the column {name!r} come from another column. Name it in ",
                Setting("columns", name, "under"),
                ".",
                column=name,
                parameter="under",
            )
        return _GroupedByData(groups_under(name, self.under, table), weight=self.weight, top=self.top)


class _GroupedByData(Category):
    """Groups that nobody has listed."""

    @property
    def declared(self) -> frozenset[str]:
        """Nothing."""
        return frozenset()
