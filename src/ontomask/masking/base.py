"""`Method`: the base of all masking methods. It validates, plans, applies and verifies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import ClassVar

import numpy as np

from ontomask.base.text import join_some
from ontomask.errors import MaskingError
from ontomask.masking.description import PUBLIC, Described, Rule
from ontomask.masking.results import NO_GUARANTEE, GroupRequirement, Guarantee, Plan, Planned, Requirement, Result
from ontomask.masking.seeds import generator, is_weak
from ontomask.masking.transitions import Transitions
from ontomask.microdata import Microdata, RecordPlan, TuplePlan
from ontomask.microdata.masked import MaskedData
from ontomask.privacy.grouped import Grouped

__all__ = ["Method"]

_REQUIREMENTS = Rule(
    "a list of requirements, such as [Diversity('illness', 3)]",
    lambda value: isinstance(value, Sequence) and all(hasattr(asked, "check") for asked in value),
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
    """

    #: Whether records are released in groups of equal records, so that an intruder who knows the method learns only
    #: group sizes.
    makes_groups: ClassVar[bool] = False

    _: KW_ONLY
    require: Sequence[Requirement] = field(default=(), metadata=_REQUIREMENTS.metadata | PUBLIC)

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
        rng = generator(seed)
        plan = replace(self.plan(data, seed=rng), is_seed_weak=is_weak(seed))
        return plan.apply(data, seed=rng)

    def plan(self, data: Microdata, *, seed: int | np.random.Generator | None = None) -> Plan:
        """Decide how many records of each original tuple become each masked tuple, without masking the table.

        Parameters
        ----------
        data
            The table with its roles.
        seed
            As of `mask`. A generator that makes the plan and then applies it gives what `mask` gives.
        """
        rng = generator(seed)
        self.check(data)
        return Plan(self, self._plan(data, rng), is_weak(seed))

    def prepare_plans(self, data: Microdata) -> Callable[[np.random.Generator], TuplePlan | RecordPlan]:
        """Prepare to plan the same data many times. Each call makes the plan that `plan` makes, without notes.

        Methods override it if they can do a part of the work once for all plans.
        """
        return lambda rng: self._plan(data, rng).plan

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

    @abstractmethod
    def _plan(self, data: Microdata, rng: np.random.Generator) -> Planned:
        """Decide the outcome of every tuple or record."""

    def _verify(self, data: Microdata, masked: MaskedData, planned: Planned) -> Guarantee:  # noqa: ARG002
        """Verify on the output what the method promises. By default nothing is promised."""
        return NO_GUARANTEE

    @property
    def merges_groups(self) -> bool:
        """Whether groups are merged until they meet ``require``. Otherwise it is only verified on the output."""
        return False

    def _verify_requirements(self, data: Microdata, masked: MaskedData) -> None:
        groups = masked.groups
        for requirement in self.require:
            if not isinstance(requirement, GroupRequirement):
                continue
            short = int(requirement.short(Grouped(data, groups, masked.rows)).sum())
            if short:
                raise MaskingError(
                    f"{short:,} of {int(groups.max()) + 1:,} groups of equal records do not have {requirement.text}. "
                    f"Use a larger k, or Microaggregation of whole tuples (variant 'refined' or 'sa_mdav'), which "
                    f"merges groups until they have it.",
                    parameter="require",
                )
