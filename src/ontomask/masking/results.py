"""What masking gives: the plan of a method, the result of applying it, and what was verified on it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ontomask.base.notes import Note
from ontomask.masking.seeds import generator, is_weak, weak_seed_note
from ontomask.masking.whole_rows import whole_row_notes
from ontomask.microdata import JointCount, Microdata, RecordPlan, TuplePlan
from ontomask.microdata.formulas import Formulas
from ontomask.microdata.masked import MaskedData
from ontomask.privacy.grouped import Grouped

if TYPE_CHECKING:
    from ontomask.masking.base import Method
    from ontomask.masking.writing import Order, Written

__all__ = [
    "NO_GUARANTEE",
    "GroupRequirement",
    "Guarantee",
    "Plan",
    "Planned",
    "Requirement",
    "Result",
    "ResultRequirement",
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

    def short(self, grouped: Grouped) -> NDArray[np.bool_]:
        """Which groups fall short."""
        ...


@runtime_checkable
class ResultRequirement(Requirement, Protocol):
    """A requirement on the whole result, such as a bound on what intruders find."""

    def verify(self, data: Microdata, result: Result) -> None:
        """Refuse a result that falls short."""
        ...


@dataclass(frozen=True, repr=False)
class Planned:
    """What a method has decided: the plan, with notes and figures.

    Make notes with `Note.of`, and give values of the data as `Cells`: a report shows no plain text.
    """

    plan: TuplePlan | RecordPlan
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Plan:
    """What a method decided for a table, before it is applied. It can undo the masking: keep it private.

    Attributes
    ----------
    method
        The method, with its parameters.
    planned
        Its decision: the plan, notes and figures.
    is_seed_weak
        Whether the plan came from a seed that can be guessed.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> data = om.Microdata(pd.DataFrame({"age": [30, 31, 50, 52]}), {"age": om.Numeric()})
    >>> plan = om.Microaggregation(k=2).plan(data)
    >>> plan.counts().show(1)
    [((30.0,), (30.5,), 1)]
    >>> om.evaluate(data, plan).k
    2
    >>> plan.apply(data).frame["age"].tolist()
    [30, 30, 51, 51]
    """

    method: Method
    planned: Planned
    is_seed_weak: bool = False

    def __repr__(self) -> str:
        return f"<Plan of {self.method}: {self.plan!r}>"

    @property
    def plan(self) -> TuplePlan | RecordPlan:
        """The plan without its method, as `ontomask.load_plan` reads it and `Result.plan` has it."""
        return self.planned.plan

    def counts(self) -> JointCount:
        """How many records of each original tuple become each masked tuple."""
        return self.plan.counts()

    def apply(self, data: Microdata, *, seed: int | np.random.Generator | None = None) -> Result:
        """Mask the table, and verify what the method promises.

        Parameters
        ----------
        data
            The table that the plan was made for, or other data with the same combinations of values.
        seed
            Which of several equal records has which outcome. See `Method.mask`.
        """
        rng, method, planned = generator(seed), self.method, self.planned
        masked = MaskedData.of_plan(data, self.plan.assign(data, rng))
        guarantee = method._verify(data, masked, planned)
        if method.require and len(masked):
            method._verify_requirements(data, masked)
            guarantee = replace(guarantee, also=tuple(requirement.text for requirement in method.require))
        k = guarantee.k if guarantee.claim == "k-anonymity" else None
        weak = [weak_seed_note()] if self.is_seed_weak or is_weak(seed) else []
        control = data.disclosure_control
        notes = (*data.notes, *planned.notes, *whole_row_notes(data, masked, k), *weak)
        notes = tuple(control.redact(note) if isinstance(note, Note) else note for note in notes)
        result = Result(masked.frame, masked, self.plan, guarantee, notes, dict(planned.details), method)
        for requirement in method.require:
            if isinstance(requirement, ResultRequirement):
                requirement.verify(data, result)
        return result


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
