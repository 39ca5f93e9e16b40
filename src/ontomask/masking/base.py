"""`Method`: the base of all masking methods. It validates, plans, applies and verifies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ontomask.base.notes import Note
from ontomask.base.progress import progress
from ontomask.base.text import join_some
from ontomask.errors import MaskingError, Setting, Wording
from ontomask.masking.consistency import check_consistent, make_consistent
from ontomask.masking.description import PUBLIC, Described, Rule, flag
from ontomask.masking.in_engine import check_engine, count_for
from ontomask.masking.parts import check_strata, plan_strata, strata_of_data
from ontomask.masking.results import (
    NO_GUARANTEE,
    AnyPlan,
    GroupRequirement,
    Guarantee,
    Plan,
    Planned,
    Requirement,
    Result,
)
from ontomask.masking.seeds import draw_seed, generator, is_weak
from ontomask.masking.transitions import Transitions
from ontomask.microdata import Microdata
from ontomask.microdata.masked import MaskedTable
from ontomask.privacy import group_records
from ontomask.privacy.grouped import Grouped

__all__ = ["Method"]

_REQUIREMENTS = Rule(
    Wording("a list of requirements, such as [Diversity('illness', 3)]", "a list of tables"),
    lambda value: isinstance(value, Sequence) and all(hasattr(asked, "check") for asked in value),
)
_NAMES = Rule(
    "a list of column names",
    lambda value: (
        isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(name, str) for name in value)
    ),
    lambda names: tuple(dict.fromkeys(names)),
)

_WEIGHTS_IGNORED = Note.of(
    "weights-ignored",
    "The method does not compare columns, so their weights do not change what it releases. They count only when the "
    "result is evaluated.",
)


@dataclass(frozen=True, repr=False, eq=False)
class Method(Described, ABC):
    """A masking method. It validates its parameters when it is created, and the data when it masks them.

    The same data and seed give the same result. The data are never changed.

    Parameters
    ----------
    require
        What the output must also have, such as `Diversity` of a confidential column. It is verified on the released
        text. Output that falls short is an error.
    by
        Kept columns (``other``) that divide the table into strata, such as a year. Each stratum is masked by itself:
        its values never reach another one, and k and ``require`` hold inside each stratum. Only linked columns, such as
        the label of a code, take their values from the whole table.
    consistent
        Whether equal values of a person in a column must be released as equal values. Methods that draw each cell by
        itself then draw once for each value of a person. Methods that mask whole records refuse.
    """

    #: Whether records are released in groups of equal records, so that an intruder who knows the method learns only
    #: group sizes.
    makes_groups: ClassVar[bool] = False

    _: KW_ONLY
    require: Sequence[Requirement] = field(default=(), metadata=_REQUIREMENTS.metadata | PUBLIC)
    by: Sequence[str] = field(default=(), metadata=_NAMES.metadata | PUBLIC)
    consistent: bool = field(default=False, metadata=flag())

    @progress("Masking")
    def mask(self, data: Microdata, *, seed: int | np.random.Generator | None = None) -> Result:
        """Mask the quasi-identifiers of a table. The rows keep their order; `Result.write` shuffles them.

        Parameters
        ----------
        data
            The table with its roles.
        seed
            Everybody who knows the seed and the method can repeat the run. Without a seed nobody can. A number below
            2⁶⁴ can be found by trying, so it leaves a note. A Generator cannot be checked: for data that will be
            released, seed it with ``secrets.randbits(128)``.
        """
        self._check_seed(seed)
        rng = generator(seed)
        data = count_for(self, data)
        return self._make_plan(data, rng, is_weak(seed)).apply(data, seed=rng if self.takes_seed else None)

    def plan(self, data: Microdata, *, seed: int | np.random.Generator | None = None) -> Plan:
        """Decide how many records of each original tuple become each masked tuple, without masking the table.

        Parameters
        ----------
        data
            The table with its roles.
        seed
            As of `mask`. A generator that makes the plan and then applies it gives what `mask` gives.
        """
        self._check_seed(seed)
        return self._make_plan(count_for(self, data), generator(seed), is_weak(seed))

    @progress("Planning")
    def _make_plan(self, data: Microdata, rng: np.random.Generator, is_seed_weak: bool) -> Plan:
        self.check(data)
        planned = self._plan_all(data, rng)
        if not self.weighs_columns and len({column.space.weight for column in data.quasi_identifiers.values()}) > 1:
            planned = replace(planned, notes=(*planned.notes, _WEIGHTS_IGNORED))
        return Plan(self, planned, is_seed_weak, None if self.takes_seed else draw_seed())

    @property
    def takes_seed(self) -> bool:
        """Whether a seed repeats the run. A method whose claim needs secret random bits refuses seeds."""
        return True

    def _check_seed(self, seed: object) -> None:
        """Refuse a seed if the method takes none."""
        if seed is not None and not self.takes_seed:
            raise MaskingError(
                f"{type(self).__name__} takes its random bits from the operating system: whoever knows a seed can undo "
                f"the masking. Leave out the seed. For tests, allow one with ",
                Setting("method", "unsafe_seed", values=[True]),
                ", which voids the guarantee.",
                parameter="seed",
                code="seed-refused",
            )

    def prepare_plans(self, data: Microdata) -> Callable[[np.random.Generator], AnyPlan]:
        """Prepare to plan the same data many times. Each call makes the plan that `plan` makes, without notes.

        Methods override it if they can do a part of the work once for all plans.
        """
        return lambda rng: self._plan_all(data, rng).plan

    def check(self, data: Microdata) -> None:
        """Refuse data that the method cannot mask: every quasi-identifier must be masked."""
        if not isinstance(data, Microdata):
            raise MaskingError(
                f"{type(self).__name__} masks Microdata. Give the columns of the table their roles first. Got "
                f"{type(data).__name__} instead.",
                parameter="data",
            )
        if self.nominal_only:
            others = [name for name, c in data.quasi_identifiers.items() if c.space.domain is None]
            if others:
                text = f"{type(self).__name__} cannot mask {join_some(others)}: "
                raise MaskingError(text, *self.nominal_only, column=others[0])
        for requirement in self.require:
            requirement.check(data)
        if data.averages_weights and not self.makes_groups:
            raise MaskingError(
                f"{type(self).__name__} makes no groups of equal records, in which weights could be averaged. Keep the "
                f"weights with ",
                Setting("columns", str(data.weights), "average_weights", values=[False]),
                ", or make the column an identifier to remove it.",
                column=data.weights,
                parameter="average_weights",
            )
        if data.source is not None:
            check_engine(self, data)
        if self.consistent:
            check_consistent(self, data)
        if self.by:
            check_strata(self, data)

    @property
    def nominal_only(self) -> tuple[object, ...]:
        """Why the method masks nominal columns only, and what to do, as parts of an error; empty for all kinds."""
        return ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Method) and self.is_same(other)

    def __hash__(self) -> int:
        return hash(self.identity)

    def is_same(self, other: Method) -> bool:
        """Whether both have the same class and equal parameters, private ones too."""
        return self.identity == other.identity

    @property
    def keeps_values(self) -> bool:
        """Whether a record can be released with its original values.

        If not, linkage by equal values (RL, MRL) says nothing about the risk.
        """
        return True

    def transitions(self, data: Microdata) -> Transitions | None:  # noqa: ARG002
        """The probabilities with which the method turns original tuples into released ones.

        ``None`` if there is no closed form. Then they can be estimated by masking the data several times.
        """
        return None

    def _plan_all(self, data: Microdata, rng: np.random.Generator) -> Planned:
        """Decide the outcome of every record, stratum by stratum where the table is divided."""
        if self.by:
            return plan_strata(self, data, rng)
        if data.pseudonyms and self.masks_persons:
            return self._plan_persons(data, rng)
        planned = self._decide(data, rng)
        return make_consistent(data, planned, rng) if self.consistent and self.draws_cells else planned

    @property
    def draws_cells(self) -> bool:
        """Whether each cell is masked by a random draw that depends on nothing but its value."""
        return False

    @property
    def recodes_values(self) -> bool:
        """Whether all cells with a value are released as the same value."""
        return False

    @property
    def weighs_columns(self) -> bool:
        """Whether columns are compared with each other, so that one with a larger weight is changed less."""
        return False

    @property
    def masks_persons(self) -> bool:
        """Whether the records of a person are masked together if they are released under a pseudonym."""
        return False

    def _plan_persons(self, data: Microdata, rng: np.random.Generator) -> Planned:
        """Decide the outcome of all records of each person together. Only for methods that can."""
        raise NotImplementedError

    def _for_part(self, rows: NDArray[np.integer]) -> Self:  # noqa: ARG002
        """The method for the records of one stratum, given their positions."""
        return replace(self, by=())

    def _decide(self, data: Microdata, rng: np.random.Generator) -> Planned:
        """The plan for the table as its policies ask."""
        return self._plan(data, rng)

    @abstractmethod
    def _plan(self, data: Microdata, rng: np.random.Generator) -> Planned:
        """Decide the outcome of every tuple or record."""

    def _verify(self, data: Microdata, masked: MaskedTable, planned: Planned) -> Guarantee:  # noqa: ARG002
        """Verify on the output what the method guarantees. By default nothing is guaranteed."""
        return NO_GUARANTEE

    @property
    def merges_groups(self) -> bool:
        """Whether groups are merged until they meet ``require``. Otherwise it is only verified on the output."""
        return False

    @property
    def is_truthful(self) -> bool:
        """Whether every released cell is true for its record: unchanged, or less precise."""
        return False

    def _verify_requirements(self, data: Microdata, masked: MaskedTable) -> None:
        grouped = list(_grouped_by(data, masked, self.by))
        for requirement in self.require:
            if not isinstance(requirement, GroupRequirement):
                continue
            short = np.concatenate([requirement.short(groups) for groups in grouped])
            if short.any():
                raise MaskingError(
                    f"{int(short.sum()):,} of {len(short):,} groups of equal records do not have {requirement.text}. "
                    f"Use a larger k, or the usual Microaggregation, which merges groups until they have it.",
                    parameter="require",
                    code="groups-too-small",
                )


def _grouped_by(data: Microdata, masked: MaskedTable, by: Sequence[str]) -> Iterator[Grouped]:
    """Groups of equal released records, in each stratum that has any."""
    if not by:
        yield Grouped(data, masked.groups, masked.rows, masked.records)
        return
    for stratum in strata_of_data(data, by):
        inside = np.isin(masked.rows, stratum.rows)
        if inside.any():
            rows = np.searchsorted(stratum.rows, masked.rows[inside])
            records = None if masked.records is None else masked.records[inside]
            yield Grouped(stratum.data, group_records([masked.groups[inside]]), rows, records)
