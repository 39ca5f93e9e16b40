"""What all masking methods have in common: validate, plan, apply, verify."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ontomask.base.notes import Note
from ontomask.base.text import join_some
from ontomask.errors import MaskingError
from ontomask.masking.description import PRIVATE, PUBLIC, About, Described, Rule
from ontomask.masking.seeds import is_weak, weak_seed_note
from ontomask.masking.transitions import Transitions
from ontomask.masking.whole_rows import whole_row_notes
from ontomask.microdata import Microdata, RecordPlan, TuplePlan
from ontomask.microdata.formulas import Formulas
from ontomask.microdata.masked import MaskedData

if TYPE_CHECKING:
    from ontomask.masking.writing import Order, Written

__all__ = [
    "NO_GUARANTEE",
    "PRIVATE",
    "About",
    "GroupRequirement",
    "Guarantee",
    "Method",
    "Planned",
    "Requirement",
    "Result",
    "ResultRequirement",
    "generator",
]


@dataclass(frozen=True)
class Guarantee:
    """What was verified on a result.

    Attributes
    ----------
    claim
        Its name, such as ``k-anonymity``; empty where nothing is promised.
    text
        The same in a sentence, with what it holds for and what it does not. Make it with `Note.of`: a report shows no
        plain text, since nobody can check the values in it.
    k
        What was counted on the released text, where k was promised.
    unit
        What k counts: ``records`` or ``persons``.
    also
        What was required besides, and verified as well.
    """

    claim: str
    text: str
    k: int | None = None
    unit: str = "records"
    also: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.text} Also verified: {', '.join(self.also)}." if self.also else self.text


NO_GUARANTEE = Guarantee(
    "",
    Note.of("no-guarantee", "No privacy guarantee: measure the disclosure risk of this output before releasing it."),
)


class Requirement(Protocol):
    """Something asked of the output besides the method's own promise.

    It is a `GroupRequirement`, such as l-diversity of a confidential column, or a `ResultRequirement`.
    """

    def check(self, data: Microdata) -> None:
        """Refuse data for which it cannot be measured."""
        ...

    @property
    def text(self) -> str:
        """What is asked, in words."""
        ...


@runtime_checkable
class GroupRequirement(Requirement, Protocol):
    """A requirement on groups of equal released records; groups that fall short can be merged."""

    def short(self, data: Microdata, groups: NDArray[np.integer], rows: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Which groups fall short: ``groups[i]`` is the group of the original's record ``rows[i]``."""
        ...


@runtime_checkable
class ResultRequirement(Requirement, Protocol):
    """A requirement on the whole result, such as a bound on what intruders find."""

    def verify(self, data: Microdata, result: Result) -> None:
        """Refuse a result that falls short."""
        ...


@dataclass(frozen=True, repr=False)
class Planned:
    """What a method has decided: the plan, and what to tell about it.

    Make notes with `Note.of`, and give values of the data as `Cells`: a report shows no plain text.
    """

    plan: TuplePlan | RecordPlan
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Result:
    """A masked table and how it came about. The plan and the errors undo the masking: keep them private.

    Attributes
    ----------
    frame
        The table to be released, of the kind that came in. Its rows are in the order of the original, and order can
        identify persons: use `write`, which shuffles them, for a file that will be released.
    data
        The same with the points its cells stand for, for evaluation.
    plan
        What became of which tuple or record.
    guarantee
        What was verified on the output.
    notes
        What is worth knowing.
    details
        Figures of the method.
    method
        What masked it, with its parameters.
    """

    frame: Any
    data: MaskedData
    plan: TuplePlan | RecordPlan
    guarantee: Guarantee
    notes: tuple[str, ...]
    details: Mapping[str, Any]
    method: Method

    def __repr__(self) -> str:
        return f"<Result of {self.method}: {len(self.data):,} records; {self.guarantee}>"

    @property
    def noise(self) -> Mapping[str, NDArray[np.float64]]:
        """The errors drawn for each column, in row order; empty for methods that draw none."""
        return self.plan.errors if isinstance(self.plan, RecordPlan) else {}

    def write(
        self,
        path: str | PathLike[str],
        *,
        order: Order = "shuffled",
        seed: int | np.random.Generator | None = None,
        formulas: Formulas = "escape",
        delimiter: str | None = None,
        decimal: str = ".",
        numbers: Collection[str] = (),
        overwrite: bool = False,
    ) -> Written:
        """Write the masked table to a file that can be released. Its rows are shuffled.

        Parameters
        ----------
        path
            The file. The end of its name gives the format: see `ontomask.write_table`.
        order
            ``shuffled``, or ``as_is`` to keep the order of the original, which identifies records for everybody who
            knows that order.
        seed
            Of the order. By default the operating system's entropy. A seed makes the file repeatable: keep it private,
            and use another for each file. Files of equally many records with the same seed have the same order, and
            their rows could be joined.
        formulas
            ``escape`` puts an apostrophe before cells and column names of a ``.csv`` or ``.tsv`` file that a
            spreadsheet would run as formulas; ``as_is`` writes them unchanged.
        delimiter, decimal, numbers, overwrite
            As of `ontomask.write_table`.

        Returns
        -------
        Written
            The file, which row of it is which record, and notes.

        Examples
        --------
        >>> import ontomask as om, pandas as pd, tempfile
        >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
        >>> frame = pd.DataFrame({"symptom": ["ache", "colic"] * 5, "cost": range(10)})
        >>> data = om.Microdata(frame, {"symptom": om.Nominal(t)}, confidential=["cost"])
        >>> result = om.PRAM(stay=0.5).mask(data)
        >>> written = result.write(f"{tempfile.mkdtemp()}/masked.csv")
        >>> released = om.read_table(written.path)
        >>> sorted(released["cost"]), released["cost"].to_list() == [str(row) for row in written.rows]
        (['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'], True)
        >>> om.evaluate(data, released, rows=written.rows).srl == om.evaluate(data, result).srl
        True
        """
        from ontomask.masking.writing import write_result

        return write_result(
            self,
            path,
            order=order,
            seed=seed,
            formulas=formulas,
            delimiter=delimiter,
            decimal=decimal,
            numbers=numbers,
            overwrite=overwrite,
        )


def generator(seed: int | np.random.Generator | None) -> np.random.Generator:
    """A source of randomness: the one given, one from a seed, or one from the operating system's entropy."""
    if isinstance(seed, np.random.Generator):
        return seed
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0):
        raise MaskingError(f"The 'seed' must be an int ≥ 0, a numpy Generator or None. Got {seed!r} instead.")
    return np.random.default_rng(seed)


_REQUIREMENTS = Rule(
    "a list of requirements, such as [Diversity('illness', 3)]",
    lambda value: isinstance(value, Sequence) and all(hasattr(asked, "check") for asked in value),
)


# Without eq: a subclass that cannot be compared must not be compared by what it inherits.
@dataclass(frozen=True, repr=False, eq=False)
class Method(Described, ABC):
    """A masking method. It checks its parameters when it is made, and the data when it masks them.

    Same data and same seed give the same result; the data are never changed.

    Parameters
    ----------
    require
        What the output must also have, such as `Diversity` of a confidential column. It is verified on the released
        text. Output that falls short is an error.
    """

    #: Whether records are released in groups of equal ones, so that group sizes are all that an intruder gains who
    #: knows the method.
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
            Whoever knows the seed and the method can repeat the run; without one, nobody can. A number below 2⁶⁴ can be
            found by trying: it works and leaves a note. How a Generator was seeded cannot be checked: seed one that
            masks data to be released with ``secrets.randbits(128)``.
        """
        rng = generator(seed)
        self.check(data)
        planned = self._plan(data, rng)
        masked = MaskedData.of_plan(data, planned.plan.apply(data, rng))
        guarantee = self._verify(data, masked, planned)
        if self.require and len(masked):
            self._verify_requirements(data, masked)
            guarantee = replace(guarantee, also=tuple(requirement.text for requirement in self.require))
        k = guarantee.k if guarantee.claim == "k-anonymity" else None
        weak = [weak_seed_note()] if is_weak(seed) else []
        control = data.disclosure_control
        notes = (*data.notes, *planned.notes, *whole_row_notes(data, masked, k), *weak)
        notes = tuple(control.redact(note) if isinstance(note, Note) else note for note in notes)
        result = Result(masked.frame, masked, planned.plan, guarantee, notes, dict(planned.details), self)
        for requirement in self.require:
            if isinstance(requirement, ResultRequirement):
                requirement.verify(data, result)
        return result

    def check(self, data: Microdata) -> None:
        """Refuse data that the method cannot mask; it never lets a quasi-identifier through."""
        if not isinstance(data, Microdata):
            raise MaskingError(
                f"{type(self).__name__} masks Microdata: give a table its roles first. Got {type(data).__name__}."
            )
        if self.nominal_only:
            others = [name for name, c in data.quasi_identifiers.items() if c.space.domain is None]
            if others:
                raise MaskingError(
                    f"{type(self).__name__} cannot mask {join_some(others)}: {self.nominal_only}", column=others[0]
                )
        for requirement in self.require:
            requirement.check(data)

    @property
    def nominal_only(self) -> str:
        """Why the method masks nominal columns only, and what to do instead; empty if it masks all kinds of column."""
        return ""

    def is_same(self, other: Method) -> bool:
        """Whether both have the same class and equal parameters, private ones too."""
        return self.identity == other.identity

    @property
    def keeps_values(self) -> bool:
        """Whether a record can be released with the values that it had.

        Where it never can, linkage by equal values (RL, MRL) says nothing about the risk.
        """
        return True

    def transitions(self, data: Microdata) -> Transitions | None:  # noqa: ARG002
        """The probabilities with which the method turns original tuples into released ones.

        ``None`` where they are not known in closed form; they can be estimated by masking the data several times.
        """
        return None

    @abstractmethod
    def _plan(self, data: Microdata, rng: np.random.Generator) -> Planned:
        """Decide what becomes of every tuple or record."""

    def _plans(self, data: Microdata) -> Callable[[np.random.Generator], TuplePlan | RecordPlan]:
        """Prepare to plan the same data many times: each call gives the plan that `_plan` gives.

        Methods override it that can do a part of the work once for all plans.
        """
        return lambda rng: self._plan(data, rng).plan

    def _verify(self, data: Microdata, masked: MaskedData, planned: Planned) -> Guarantee:  # noqa: ARG002
        """Check on the output what the method promises; by default nothing is promised."""
        return NO_GUARANTEE

    @property
    def merges_groups(self) -> bool:
        """Whether groups are merged until they have what ``require`` asks; else it is only checked on the output."""
        return False

    def _verify_requirements(self, data: Microdata, masked: MaskedData) -> None:
        groups = masked.groups
        for requirement in self.require:
            if not isinstance(requirement, GroupRequirement):
                continue
            short = int(requirement.short(data, groups, masked.rows).sum())
            if short:
                raise MaskingError(
                    f"{short:,} of {int(groups.max()) + 1:,} groups of equal records do not have {requirement.text}. "
                    f"Use a larger k, or Microaggregation of whole tuples (variant 'refined' or 'sa_mdav'), which "
                    f"merges groups until they have it."
                )
