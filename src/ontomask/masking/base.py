"""`Method`: the base of all masking methods. It validates, plans, applies and verifies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, MISSING, dataclass, fields, is_dataclass, replace
from hashlib import sha256
from typing import Any, ClassVar

import numpy as np

from ontomask.base.text import join_some
from ontomask.errors import MaskingError
from ontomask.masking.results import (
    NO_GUARANTEE,
    GroupRequirement,
    Guarantee,
    Plan,
    Planned,
    Requirement,
    Result,
    ResultRequirement,
)
from ontomask.masking.seeds import generator, is_weak
from ontomask.masking.transitions import Transitions
from ontomask.microdata import Microdata, RecordPlan, TuplePlan
from ontomask.microdata.masked import MaskedData
from ontomask.privacy.grouped import Grouped

__all__ = [
    "NO_GUARANTEE",
    "PRIVATE",
    "GroupRequirement",
    "Guarantee",
    "Method",
    "Plan",
    "Planned",
    "Requirement",
    "Result",
    "ResultRequirement",
    "check_int",
    "generator",
]

PRIVATE = {"private": True}
"""Marks a parameter that holds values of the data, ``field(metadata=PRIVATE)``: no text shows it."""


def check_int(method: Method, name: str, value: object, least: int) -> None:
    """Refuse a parameter that is not an integer of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise MaskingError(
            f"The {name!r} parameter of {type(method).__name__} must be an int ≥ {least}. Got {value!r} instead.",
            parameter=name,
        )


@dataclass(frozen=True, repr=False, eq=False)
class Method(ABC):
    """A masking method. Parameters are validated when it is created, data when it masks.

    The same data and seed give the same result. The data are never changed.

    Parameters
    ----------
    require
        Requirements on the output besides the method's own promise. They are verified on the released text. Output that
        falls short is an error.
    """

    needs_concepts: ClassVar[bool] = False
    #: Whether records are released in groups of equal records, so that an intruder who knows the method learns only
    #: group sizes.
    makes_groups: ClassVar[bool] = False

    _: KW_ONLY
    require: Sequence[Requirement] = ()

    def __repr__(self) -> str:
        return self.describe(show_private=False)

    def describe(self, *, show_private: bool) -> str:
        """The method with its parameters. Never show the text with ``show_private``."""
        # Positional parameters come first. The first of them, such as k, is always shown; others with their default
        # values are not.
        shown = sorted(fields(self), key=lambda f: f.kw_only is True)
        given = {
            f.name: "…" if f.metadata.get("private") and not show_private else repr(getattr(self, f.name))
            for f in shown
            if f.default is MISSING or (f is shown[0] and not f.kw_only) or getattr(self, f.name) != f.default
        }
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in given.items())})"

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
        """Prepare to plan the same data many times. Each call makes the plan that `plan` makes, without notes."""
        return self._plans(data)

    def check(self, data: Microdata) -> None:
        """Refuse data that the method cannot mask: every quasi-identifier must be masked."""
        if not isinstance(data, Microdata):
            raise MaskingError(
                f"{type(self).__name__} masks Microdata. Give the columns of the table their roles first. Got "
                f"{type(data).__name__} instead."
            )
        cannot = [name for name, column in data.quasi_identifiers.items() if column.space.domain is None]
        if cannot and self.needs_concepts:
            raise MaskingError(
                f"{type(self).__name__} cannot mask {join_some(cannot)}: it works on nominal columns only. Use another "
                f"method, or remove the column: make it an identifier."
            )
        if not isinstance(self.require, Sequence) or not all(hasattr(asked, "check") for asked in self.require):
            raise MaskingError(
                f"The 'require' parameter of {type(self).__name__} must be a list of requirements, such as "
                f"[Diversity('illness', 3)].",
                parameter="require",
            )
        for requirement in self.require:
            requirement.check(data)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Method) and self.is_same(other)

    def __hash__(self) -> int:
        return hash(self.identity)

    def is_same(self, other: Method) -> bool:
        """Whether both are of one class and have equal parameters, private ones included."""
        return self.identity == other.identity

    @property
    def identity(self) -> str:
        """A digest of class and parameters, private ones included: equal methods have equal identities."""
        return sha256(repr(_canonical(self)).encode()).hexdigest()

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

    def _plans(self, data: Microdata) -> Callable[[np.random.Generator], TuplePlan | RecordPlan]:
        """Prepare to plan the same data many times: each call gives the plan that `_plan` gives.

        Methods override it if they can do a part of the work once for all plans.
        """
        return lambda rng: self._plan(data, rng).plan

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


def _canonical(value: Any) -> Any:
    """A value as nested tuples that are equal for equal values: arrays, mappings and dataclasses taken apart."""
    if is_dataclass(value) and not isinstance(value, type):
        return (type(value).__qualname__, *((f.name, _canonical(getattr(value, f.name))) for f in fields(value)))
    if isinstance(value, np.ndarray):
        return _canonical(value.tolist())
    if isinstance(value, Mapping):
        return ("mapping", *sorted(((repr(_canonical(key)), _canonical(of)) for key, of in value.items())))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(map(_canonical, value))
    return value.item() if isinstance(value, np.generic) else value
