"""What masking gives: the plan of a method, the result of applying it, and what was verified on it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ontomask.base.notes import Note
from ontomask.base.progress import progress
from ontomask.masking.seeds import generator, is_weak, weak_seed_note
from ontomask.masking.whole_rows import diversity_notes, person_notes, range_notes, whole_row_notes
from ontomask.microdata import JointCount, Microdata, RecordPlan, TuplePlan
from ontomask.microdata.formulas import Formulas
from ontomask.microdata.linked import note_empty_cells
from ontomask.microdata.masked import MaskedData, MaskedTable
from ontomask.microdata.strata_plan import StrataPlan
from ontomask.privacy.grouped import Grouped

if TYPE_CHECKING:
    from ontomask.masking.base import Method
    from ontomask.masking.writing import Order, Written

__all__ = [
    "NO_GUARANTEE",
    "AnyPlan",
    "GroupRequirement",
    "Guarantee",
    "Plan",
    "Planned",
    "Requirement",
    "Result",
    "ResultRequirement",
]


AnyPlan = TuplePlan | RecordPlan | StrataPlan


@dataclass(frozen=True)
class Guarantee:
    """The privacy guarantee that was verified on a result.

    Attributes
    ----------
    claim
        Its name, such as ``k-anonymity``; empty if nothing is guaranteed.
    text
        The same as a sentence. Make it with `Note.of`: a report shows no plain text, because the values in it cannot be
        checked.
    k
        The k that was counted on the released text, if k is guaranteed.
    unit
        What k counts: ``records`` or ``persons``.
    also
        Other requirements that were verified.
    epsilon
        The ε of differential privacy for each of the ``unit``, if it is guaranteed.
    columns
        By column, what is guaranteed for it, if the guarantee has parts.
    """

    claim: str
    text: str
    k: int | None = None
    unit: str = "records"
    also: tuple[str, ...] = ()
    epsilon: float | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.text} Also verified: {', '.join(self.also)}." if self.also else self.text


NO_GUARANTEE = Guarantee(
    "", Note.of("no-guarantee", "No privacy guarantee: measure the disclosure risk of this output before releasing it.")
)


class Requirement(Protocol):
    """A requirement on the output besides the method's own guarantee.

    It is a `GroupRequirement`, such as l-diversity of a confidential column, or a `ResultRequirement`.
    """

    def check(self, data: Microdata) -> None:
        """Refuse data for which it cannot be measured."""
        ...

    @property
    def text(self) -> str:
        """The requirement as text."""
        ...


@runtime_checkable
class GroupRequirement(Requirement, Protocol):
    """A requirement on groups of equal released records. Groups that fall short can be merged."""

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

    plan: AnyPlan
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
    deal_seed
        Decides which of several equal records has which outcome, if the method takes no seed. So applying the plan
        again gives the same table: two tables from the same draws would show which records are alone with their values.

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
    deal_seed: int | None = None

    def __repr__(self) -> str:
        return f"<Plan of {self.method}: {self.plan!r}>"

    @property
    def plan(self) -> AnyPlan:
        """The plan without its method, as `ontomask.load_plan` reads it and `Result.plan` has it."""
        return self.planned.plan

    def counts(self) -> JointCount:
        """How many records of each original tuple become each masked tuple."""
        return self.plan.counts()

    @progress("Applying the plan")
    def apply(self, data: Microdata, *, seed: int | np.random.Generator | None = None) -> Result:
        """Mask the table, and verify what the method guarantees.

        Parameters
        ----------
        data
            The table that the plan was made for, or other data with the same combinations of values.
        seed
            Which of several equal records has which outcome. See `Method.mask`. Methods that take no seed refuse it.
        """
        from ontomask.masking.consistency import CONSISTENT, verify_consistent
        from ontomask.masking.in_engine import count_for, mask_in_engine

        method, planned = self.method, self.planned
        method._check_seed(seed)
        rng = generator(seed if self.deal_seed is None else self.deal_seed)
        masked: MaskedTable
        if data.source is None:
            assigned = self.plan.assign(data, rng)
            # Pseudonyms are released, so they must say nothing about a secret that deals the records.
            masked = MaskedData.of_plan(data, assigned, rng if self.deal_seed is None else None)
        else:
            data = count_for(method, data)
            assigned, masked = mask_in_engine(data, self.plan.items(data, rng))
        guarantee = method._verify(data, masked, planned)
        if method.require and len(masked):
            method._verify_requirements(data, masked)
            guarantee = replace(guarantee, also=tuple(requirement.text for requirement in method.require))
        if method.consistent and len(masked):
            verify_consistent(data, masked)
            guarantee = replace(guarantee, also=(*guarantee.also, CONSISTENT))
        k = guarantee.k if guarantee.claim == "k-anonymity" else None
        weak = [weak_seed_note()] if self.is_seed_weak or is_weak(seed) else []
        control = data.disclosure_control
        required = [
            one.column for one in method.require if isinstance(one, GroupRequirement) and hasattr(one, "column")
        ]
        found = (*note_empty_cells(data, masked, assigned), *person_notes(data, masked, k))
        found += whole_row_notes(data, masked, k)
        found += diversity_notes(data, masked, required)
        # Ranges of other methods have ends that do not depend on single records.
        found += range_notes(data, masked) if getattr(method, "centroid", None) == "lcs" else ()
        notes = (*data.notes, *planned.notes, *found, *weak)
        notes = tuple(control.redact(note) if isinstance(note, Note) else note for note in notes)
        details = dict(planned.details)
        result = Result(masked.frame, masked, self.plan, guarantee, notes, details, method, assigned.errors)
        for requirement in method.require:
            if isinstance(requirement, ResultRequirement):
                requirement.verify(data, result)
        return result


@dataclass(frozen=True, eq=False)
class Result:
    """A masked table, with its plan and guarantee. The plan and the errors can undo the masking: keep them private.

    Attributes
    ----------
    frame
        The table to be released, as the same kind of frame as the input. Its rows are in the order of the original,
        and the order can identify persons. Use `write`, which shuffles the rows, for a file that will be released. If
        the rows are in an engine, this is a handle, and its ``table`` is the engine's own table.
    data
        The same with the points of its cells, for evaluation.
    plan
        Which original tuples or records became which masked ones.
    guarantee
        The privacy guarantee that was verified on the output.
    notes
        Remarks on the data and the masking.
    details
        Figures of the method.
    method
        The method, with its parameters.
    noise
        By column, the errors drawn for the records, in row order; empty for methods without errors.
    """

    frame: Any
    data: Any
    plan: AnyPlan
    guarantee: Guarantee
    notes: tuple[str, ...]
    details: Mapping[str, Any]
    method: Method
    noise: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Result of {self.method}: {len(self.data):,} records; {self.guarantee}>"

    def write(
        self,
        path: str | PathLike[str],
        *,
        order: Order = "shuffled",
        seed: int | np.random.Generator | None = None,
        formulas: Formulas = "escape",
        delimiter: str | None = None,
        encoding: str = "utf-8",
        decimal: str = ".",
        numbers: Collection[str] = (),
        overwrite: bool = False,
    ) -> Written:
        """Write the masked table to a file that can be released. Its rows are shuffled.

        Parameters
        ----------
        path
            The file. Its extension gives the format: see `ontomask.write_table`.
        order
            ``shuffled``, or ``as_is`` to keep the order of the original. Everybody who knows that order can then
            identify records.
        seed
            For the order. By default, the operating system's entropy. A seed makes the file repeatable: keep it
            private, and use another seed for each file. Files with the same seed and number of records have the same
            order, so their rows can be joined.
        formulas
            ``escape`` puts an apostrophe before cells and column names of a ``.csv`` or ``.tsv`` file that a
            spreadsheet would run as formulas; ``as_is`` writes them unchanged.
        delimiter, encoding, decimal, numbers, overwrite
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

        text = {"delimiter": delimiter, "encoding": encoding, "decimal": decimal, "numbers": numbers}
        return write_result(self, path, order=order, seed=seed, formulas=formulas, overwrite=overwrite, **text)
