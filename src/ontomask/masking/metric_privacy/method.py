"""`MetricPrivacy`: every value is replaced by a concept that is drawn by its distance, with a proven bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ontomask.base.arrays import IntArray
from ontomask.base.notes import Note
from ontomask.base.progress import progress
from ontomask.errors import MaskingError
from ontomask.kinds import Column
from ontomask.kinds.public import PublicDomain
from ontomask.masking.base import Method
from ontomask.masking.description import PUBLIC, About, Rule, at_least, flag, one_of
from ontomask.masking.metric_privacy.budgets import EPSILON, Epsilon, budgets_by_column
from ontomask.masking.metric_privacy.conditions import VOID, check_conditions, check_persons, check_release
from ontomask.masking.metric_privacy.guarantee import ColumnPrivacy, certainty_text, factor_text, rounded_up, total_of
from ontomask.masking.metric_privacy.mechanisms import MECHANISMS, Mechanism, MechanismName
from ontomask.masking.metric_privacy.model import MetricPrivacyModel
from ontomask.masking.metric_privacy.randomness import RandomWords, secure_words, unsafe_words
from ontomask.masking.results import Guarantee, Planned
from ontomask.masking.transitions import Matrix, Transitions, ValueFactor
from ontomask.microdata import Microdata, RecordPlan, TuplePlan
from ontomask.microdata.masked import MaskedTable

__all__ = ["MetricPrivacy"]

_DISTANCE = Rule(
    "the name of a distance, a dictionary with its name and options, or 'column'",
    lambda value: isinstance(value, str) or (isinstance(value, Mapping) and "name" in value),
)


@dataclass(frozen=True, repr=False, eq=False)
class MetricPrivacy(Method):
    """Replace every value by one of its public domain, drawn at random: the nearer in meaning, the likelier.

    Any two originals x, y of a column are distinguishable by at most e^(ε·d∞(x, y)), with
    d∞(x, y) = max over z of |d(x, z) − d(y, z)|, which is at most d(x, y) if d is a metric (Chatzikokolakis 2013).
    Since d ≤ 1, it is ε-local differential privacy. Budgets add over columns, and over repeated releases of one person.
    The claim needs no assumption about what an intruder knows. In tables, which of several equal records gets which
    draw follows from a secret key of 128 bits, which nobody can find by trying; a stream needs no key. (How long a draw
    takes may depend on the value: let nobody measure that.)

    The claim holds only if nothing but the value decides, so the method refuses everything else: a domain that follows
    from the data, spellings of the data, policies that keep cells or drop records, requirements, linked columns.
    Concepts need ``domain``, categories need ``values``, numbers and dates need ``grid``. Concepts are released by
    label, or by id if ``release="id"`` or the ids are codes. Everything that you state about a column counts as public:
    state it without looking at the data. Columns that are kept are released as they are, and nothing is claimed for
    them. Figures that are computed from the original, such as those of a report, are not covered.

    A number is rounded to the nearest number of its grid before the draw, and a number beyond the ends becomes the end.
    With the policy ``root``, a missing or unmapped concept is the root of the domain, and a missing number is replaced
    by any number of its grid.

    Parameters
    ----------
    epsilon
        The budget of a record, divided equally among its columns: the smaller, the more private. Or a dictionary with
        the budget of each column; their sum is the budget of a record. Or a list with the budget of each record, which
        must not depend on its values.
    mechanism
        ``exponential``, or ``permute_and_flip``, which keeps values nearer at the same ε. It takes longer if ε is large
        and the domain too.
    distance
        The semantic distance of concepts: by default ``log_sc``, which is a metric. A name, a dictionary with options,
        or ``column`` for the distance of each column.
    depth
        Release only concepts down to this depth of the domain, such as the chapters and sections of a classification. A
        deeper value counts as the concept above it. The fewer candidates there are, the likelier are near ones at the
        same ε. By default all concepts.
    records_per_person
        The largest number of records that a person can have. The budget then is that of a person, and is divided by
        this number. By default the claim is for each record: the budgets of a person's records add up.
    unsafe_seed
        Allow a seed, for tests. It voids the claim.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("pain", "symptom"), ("ache", "pain"), ("colic", "pain"), ("rash", "symptom")])
    >>> frame = pd.DataFrame({"symptom": ["ache", "colic", "rash", "ache"]})
    >>> data = om.Microdata(frame, {"symptom": om.Nominal(t, domain="symptom")})
    >>> result = om.MetricPrivacy(epsilon=2.0).mask(data)
    >>> result.guarantee.epsilon, result.guarantee.columns["symptom"].worst_pair.distance
    (2.0, 0.808)
    >>> set(result.frame["symptom"]) <= {"symptom", "pain", "ache", "colic", "rash"}
    True
    """

    about: ClassVar[About] = About(
        what="Every value is replaced by a random value of its public domain. Values that are near in meaning are "
        "likelier than far ones. The probabilities are known, and nobody can conclude more from them than ε allows.",
        why="Choose it if the guarantee must hold whatever an intruder knows, or if records are masked one by one "
        "where they arise. It costs more than the other methods: a single record says little, and analyses need many.",
        summary="a random value of the public domain, the nearer the likelier; also record by record, as a stream",
        masks="every kind of column but sets of concepts and prefixes",
        guarantees=("metric privacy",),
        streams=True,
    )

    epsilon: Epsilon = field(default=1.0, metadata=EPSILON.metadata | PUBLIC)
    mechanism: MechanismName = field(default="exponential", metadata=one_of(MECHANISMS))
    distance: str | Mapping[str, Any] = field(default="log_sc", metadata=_DISTANCE.metadata | PUBLIC)
    depth: int | None = field(default=None, metadata=at_least(1))
    records_per_person: int | None = field(default=None, metadata=at_least(1))
    unsafe_seed: bool = field(default=False, metadata=flag())

    @property
    def takes_seed(self) -> bool:
        """Only if the user gave up the claim."""
        return self.unsafe_seed

    @property
    def chosen_distance(self) -> str | Mapping[str, Any] | None:
        """The distance to use instead of that of a column."""
        return None if self.distance == "column" else self.distance

    @property
    def by_record(self) -> Sequence[float] | None:
        """The budgets of the records, if each has its own."""
        return self.epsilon if isinstance(self.epsilon, tuple) else None

    def check(self, data: Microdata) -> None:
        """Refuse data for which the claim would not hold."""
        if isinstance(data, Microdata):
            check_conditions(self, data, self.chosen_distance)
        super().check(data)
        check_persons(data, self.records_per_person)
        if self.by_record is not None and len(self.by_record) != len(data):
            raise self._wrong(
                "epsilon",
                f"has {len(self.by_record):,} budgets, and the data have {len(data):,} records. Give one for each.",
            )
        self.budgets(data, max(self.by_record) if self.by_record is not None else None)

    def budgets(self, data: Microdata, epsilon: float | None = None) -> dict[str, float]:
        """The ε of each column of a record whose budget is ``epsilon``, by default that of the method."""
        given = self.epsilon if epsilon is None else epsilon
        assert not isinstance(given, Sequence)
        return budgets_by_column(given, list(data.quasi_identifiers), self.records_per_person or 1)

    def public_domain(self, column: Column) -> PublicDomain:
        """The candidates of a column and their distances."""
        return column.public_domain(self.chosen_distance).up_to(self.depth)

    def mechanisms(self, data: Microdata, epsilon: float | None = None) -> dict[str, Mechanism]:
        """The mechanism of each column."""
        budgets = self.budgets(data, epsilon)
        return {
            name: Mechanism(self.public_domain(column), budgets[name], self.mechanism)
            for name, column in data.quasi_identifiers.items()
        }

    @progress("Preparing the mechanism")
    def fit(self, data: Microdata) -> MetricPrivacyModel:
        """A model that masks records as they arrive. Nothing but the description of the columns is taken from the data.

        Parameters
        ----------
        data
            A table with its roles. The model masks records with the same columns.
        """
        if self.unsafe_seed:
            raise self._wrong("unsafe_seed", "is for tables. Leave it out.")
        if self.records_per_person is not None:
            raise self._wrong("records_per_person", "is for tables: a model remembers no person. Leave it out.")
        if isinstance(data, Microdata) and data.pseudonyms:
            text = "A model remembers no person, so it cannot give pseudonyms. Describe the data without them."
            raise MaskingError(text, parameter="pseudonyms")
        self.check(data)
        largest = None if self.by_record is None else max(self.by_record)
        return MetricPrivacyModel.of(data, self, self.mechanisms(data, largest))

    def transitions(self, data: Microdata) -> Transitions | None:
        """From the weights; ``None`` if each record has its own budget."""
        if self.by_record is not None:
            return None
        self.check(data)
        factors = []
        for j, (mechanism, values) in enumerate(zip(self.mechanisms(data).values(), data.table.values, strict=True)):
            sources = values.point[~values.kept]

            def rows(positions: IntArray, mechanism: Mechanism = mechanism, sources: Any = sources) -> Matrix:
                return mechanism.probabilities(mechanism.domain.inputs(sources[positions]))

            factors.append(ValueFactor(j, sources, mechanism.domain.points, rows))
        return Transitions(tuple(factors))

    def _for_part(self, rows: NDArray[np.integer]) -> Self:
        alone = super()._for_part(rows)
        return alone if self.by_record is None else replace(alone, epsilon=tuple(np.array(self.by_record)[rows]))

    def _plan(self, data: Microdata, rng: np.random.Generator) -> Planned:
        words = unsafe_words(rng) if self.unsafe_seed else secure_words
        table = data.table
        levels = None if self.by_record is None else np.array(self.by_record)
        # Budgets of records belong to rows. Otherwise records are listed by tuple, and no row is needed.
        rows = None if levels is None else table.rows_by_tuple(levels)
        listed = table.tuples[table.record_tuples]
        new, new_points = np.empty(listed.shape, dtype=np.int32), []
        drawn = self._draw(data, listed, None if levels is None or rows is None else levels[rows], words)
        for j, (name, values) in enumerate(zip(data.quasi_identifiers, table.values, strict=True)):
            used, index = np.unique(drawn[name], return_inverse=True)
            new[:, j] = len(values) + index
            new_points.append(self.public_domain(data.quasi_identifiers[name]).points[used])
        promise = {"release": "public"}
        if rows is None:
            plan = TuplePlan.of_records(table, new, table.record_tuples, new_points=new_points)
            return Planned(replace(plan, promise=promise))
        outcome = (new - np.array([len(values) for values in table.values]))[np.argsort(rows)]
        return Planned(RecordPlan.of(data, new_points, outcome, {}, promise))

    def _draw(
        self, data: Microdata, listed: IntArray, levels: NDArray[np.float64] | None, words: RandomWords
    ) -> dict[str, IntArray]:
        """For each record in the list of its values, by column, the number of the candidate drawn."""
        out = {name: np.empty(len(listed), dtype=np.int32) for name in data.quasi_identifiers}
        every = np.ones(len(listed), dtype=bool)
        parts = [(None, every)] if levels is None else [(one, levels == one) for one in np.unique(levels).tolist()]
        for epsilon, mine in parts:
            for j, (name, mechanism) in enumerate(self.mechanisms(data, epsilon).items()):
                inputs = mechanism.domain.inputs(data.table.values[j].point)
                out[name][mine] = mechanism.draw(inputs[listed[mine, j]], words)
        return out

    def _verify(self, data: Microdata, masked: MaskedTable, planned: Planned) -> Guarantee:
        """Check the conditions again, and that every released cell is a candidate."""
        self.check(data)
        largest = None if self.by_record is None else max(self.by_record)
        mechanisms = self.mechanisms(data, largest)
        check_release(data, masked, planned.plan, [mechanism.domain for mechanism in mechanisms.values()])
        return VOID if self.unsafe_seed else self._guarantee(data, mechanisms)

    def _guarantee(self, data: Microdata, mechanisms: Mapping[str, Mechanism]) -> Guarantee:
        columns = {name: ColumnPrivacy(mechanism) for name, mechanism in mechanisms.items()}
        if isinstance(self.epsilon, Mapping):
            total = total_of(self.epsilon.values())
        else:
            total = max(self.by_record) if self.by_record is not None else float(self.epsilon)  # type: ignore[arg-type]
        unit = "records" if self.records_per_person is None else "persons"
        text = (
            "Metric privacy, which is {epsilon}-local differential privacy: whatever anybody knows, the released "
            "{columns} of a {one} change the odds between two possible originals at most by the factor {factor}. "
            "Somebody who thinks that both are equally likely can become at most {certainty} certain of one of them, "
            "and less if the two are near in meaning."
        )
        if unit == "persons":
            text += " How many records a person has is not protected."
        elif data.persons is not None:
            text += " This is for each record: for a person with several records, the budgets add up."
        if data.confidential or data.other:
            text += " Nothing is claimed for columns that are kept, nor for figures computed from the original."
        facts = {
            "epsilon": rounded_up(total),
            "columns": ", ".join(columns),
            "one": unit.removesuffix("s"),
            "factor": factor_text(total),
            "certainty": certainty_text(total),
        }
        return Guarantee("metric privacy", Note.of("metric-private", text, **facts), None, unit, (), total, columns)
