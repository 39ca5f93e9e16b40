"""What each quasi-identifier costs: the loss of the same method if the column were left out, estimated on a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ontomask.base.progress import progress, with_progress
from ontomask.base.text import join_some
from ontomask.errors import OntomaskError, TableError
from ontomask.evaluation.pairing import Pairing
from ontomask.masking import Method
from ontomask.masking.in_engine import count_for
from ontomask.microdata import Microdata
from ontomask.microdata.masked import MaskedTuples
from ontomask.microdata.views import with_records, without_column
from ontomask.operators.loss import squared_loss

__all__ = ["ColumnCosts", "column_costs"]

SAMPLE = 1_000


@dataclass(frozen=True)
class ColumnCosts:
    """The loss of a method with all columns, and without each of them.

    Attributes
    ----------
    records, sampled
        The number of records of the table, and of those that the method was run on.
    loss
        Sum of squared distances between these and their masked versions, with all columns.
    without
        By column, the same sum if the method does not see the column and the column is not released. It counts the
        other columns, with the weights that they have in the whole table. Columns that the method cannot do without
        are missing.
    """

    records: int
    sampled: int
    loss: float
    without: Mapping[str, float]

    @property
    def is_estimate(self) -> bool:
        """Whether the method was run on a sample only."""
        return self.sampled < self.records

    @property
    def ratios(self) -> dict[str, float]:
        """By column, the loss without it as a share of the loss with all, smallest first. Empty if nothing is lost."""
        if self.loss <= 0:
            return {}
        return dict(sorted(((name, loss / self.loss) for name, loss in self.without.items()), key=lambda item: item[1]))

    @property
    def dearest(self) -> str | None:
        """The column without which the loss would be smallest; ``None`` if none was tried or nothing was lost."""
        return next(iter(self.ratios), None)


@progress("Estimating the cost of columns")
def column_costs(
    data: Microdata,
    method: Method,
    *,
    columns: Sequence[str] | None = None,
    sample: int = SAMPLE,
    seed: int = 0,
) -> ColumnCosts:
    """Run a method again without each column, on a sample of the records.

    With more columns, the records of a group differ more, in every column. So a column costs more than its own part of
    the loss: without it, groups fit better in the other columns, too. The sample has fewer near records than the table,
    and a larger loss. The ratios are an estimate of those of the table.

    Parameters
    ----------
    data, method
        The table and the method.
    columns
        The columns to try. All quasi-identifiers by default. A table with one quasi-identifier has none to leave out.
    sample
        The most records to run the method on; at least 20 k are used, if the method has a k. Of persons with several
        records, all records are used.
    seed
        For the sample and the method.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> frame = pd.DataFrame({"age": [30, 31, 32, 33], "ward": ["north", "south", "south", "north"]})
    >>> data = om.Microdata(frame, {"age": om.Numeric(), "ward": om.Ordinal(["north", "south"])})
    >>> costs = om.column_costs(data, om.Microaggregation(k=2))
    >>> costs.dearest, round(costs.ratios["age"], 2), round(costs.ratios["ward"], 2)
    ('age', 0.0, 0.33)
    """
    names = list(data.quasi_identifiers) if columns is None else list(columns)
    unknown = [name for name in names if name not in data.quasi_identifiers]
    if unknown:
        text = (
            f"The 'columns' must be quasi-identifiers: {join_some(data.quasi_identifiers)}. Got {join_some(unknown)}."
        )
        raise TableError(text, parameter="columns")
    if isinstance(sample, bool) or not isinstance(sample, int) or sample < 1:
        raise TableError(f"The 'sample' must be a number of records. Got {sample!r} instead.", parameter="sample")
    data = count_for(method, data)
    part = _sample(data, max(sample, 20 * getattr(method, "k", 1)), seed)
    weights = {name: column.space.weight for name, column in data.quasi_identifiers.items()}
    total = sum(weights.values())
    without = {}
    for name in with_progress("Leaving out columns", names if len(weights) > 1 else []):
        try:
            left = _loss(without_column(part, name), method, seed)
        except OntomaskError:
            # The method has an option for this column.
            continue
        without[name] = left * (1 - weights[name] / total) ** 2
    return ColumnCosts(len(data), len(part), _loss(part, method, seed), without)


def _sample(data: Microdata, most: int, seed: int) -> Microdata:
    if len(data) <= most:
        return data
    rng = np.random.default_rng(seed)
    persons = data.persons
    if data.row_records is not None and persons is None:
        drawn = rng.multivariate_hypergeometric(data.row_records, most, method="marginals")
        return with_records(data, np.flatnonzero(drawn), drawn[drawn > 0])
    if persons is None:
        return with_records(data, np.sort(rng.choice(len(data), most, replace=False)))
    # Persons in random order, as many as fit.
    order = rng.permutation(int(persons.max()) + 1)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    records = np.cumsum(np.bincount(rank[persons], weights=data.row_records))
    last = max(1, int(np.searchsorted(records, most, side="right")))
    return with_records(data, np.flatnonzero(rank[persons] < last))


def _loss(data: Microdata, method: Method, seed: int) -> float:
    plan = method.plan(data, seed=seed if method.takes_seed else None).plan
    pairing = Pairing.of(data, MaskedTuples.of_plan(data, plan))
    return squared_loss(pairing.distances(), pairing.counts, int(pairing.suppressed.sum()))
