"""Columns without an ontology: `Category`, whose values are equal or different, or are in groups.

The text of a category is its only name. Wherever a method releases the category, it releases this text. A method that
guarantees k-anonymity does so only if k records share it, any other method even if one person has it. So people's own
words must not be categories. A note counts the values that few have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from ontomask.base.frozen import set_fields
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

    def __repr__(self) -> str:
        # Groups list values of the column: they must not show in tracebacks and logs.
        groups = f"<{len(set(self.above.values())):,} groups>" if self.above else None
        return f"Category(groups={groups}, under={self.under!r}, weight={self.weight!r}, top={self.top!r})"

    @property
    def declared(self) -> frozenset[str]:
        """The values and groups that the user listed."""
        return frozenset(self.above)

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
