"""`evaluate`: measure the utility and the disclosure risk of a masked table, or of a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ontomask.base.notes import Note
from ontomask.base.progress import progress
from ontomask.base.text import join_some
from ontomask.errors import TableError
from ontomask.evaluation.attacks.attack import attack_in_engine, run_intruders
from ontomask.evaluation.attacks.columns import KnownColumns, ReleasedColumns, know_columns
from ontomask.evaluation.attacks.in_engine import KnownRows
from ontomask.evaluation.evaluation import Evaluation
from ontomask.evaluation.linkage import link
from ontomask.evaluation.measures import typical_value
from ontomask.evaluation.mining import compare_classifiers, compare_clusterings
from ontomask.evaluation.pairing import ANOTHER_TABLE, NEEDS_RECORDS, NOT_COUNTED, DistanceOf, Pairing
from ontomask.evaluation.reading import note_unrelated_rows, read_masked
from ontomask.evaluation.utility import measure_utility
from ontomask.hierarchy import Hierarchy
from ontomask.masking import Method, Plan, Result
from ontomask.microdata import Microdata, RecordPlan, TuplePlan, frames
from ontomask.microdata.masked import MaskedData, MaskedTuples
from ontomask.microdata.strata_plan import StrataPlan
from ontomask.privacy import KAnonymity, PopulationRisk, k_anonymity, population_risk
from ontomask.privacy.grouped import ConfidentialRisk, Grouped

__all__ = ["evaluate"]


@progress("Evaluating")
def evaluate(
    data: Microdata,
    masked: Any,
    *,
    distance: DistanceOf | Mapping[str, DistanceOf] | None = None,
    scope: Literal["domain", "ontology"] | None = None,
    alpha: float | None = None,
    noise: Mapping[str, NDArray[np.float64]] | None = None,
    known: Sequence[str] | None = None,
    records: ArrayLike | None = None,
    key: str | Sequence[str] | None = None,
    rows: ArrayLike | None = None,
    mapping: Mapping[str, Mapping[str, str]] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    clusters: int | None = None,
    target: str | None = None,
    seed: int | None = None,
    attacks: bool = True,
    method: Method | None = None,
) -> Evaluation:
    """Compare a masked table with its original.

    Parameters
    ----------
    data
        The original with its roles.
    masked
        The `Result` of a method, its ``data``, or any frame: read from a file, or made by another tool. Or the `Plan`
        of a method: then nothing is drawn and no record is needed. What needs single records is absent, and
        `Evaluation.absent` has the reasons.
    distance
        The distance for the evaluation: one for all nominal columns, or one per column, by name. By default that of
        each column.
    scope
        Whether distances are computed in the ``domain`` or in the whole ``ontology``; by default as in the columns.
    alpha, noise
        Level and errors of noise, if the result does not have them.
    known, records
        What an intruder knows: columns (all quasi-identifiers by default), and the records of the original that the
        intruder looks for (all by default): positions, or one boolean per record.
    key, rows, mapping, hierarchies
        How to read a frame: see `ontomask.evaluation.reading.read_masked`. Without ``key`` and ``rows`` its records are
        compared with the originals by position. A file that `Result.write` or a job wrote is in random order.
    clusters
        The number of clusters of both tables (a sample of at most 3,000 records). ``None``: they are not clustered.
    target
        A confidential column that a classifier learns from masked and from original records (extra ``learn``).
    seed
        For the sample that is clustered, and for the records that are used to test the classifier.
    attacks
        Whether every intruder attacks the release, as in `ontomask.attack`. Methods whose probabilities have to be
        estimated are run again many times. Otherwise only linkage by known columns is measured. ``known`` and
        ``records`` limit RL, MRL and SRL, not these intruders.
    method
        The method that made a frame, if it is known: intruders may know it, too.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic"]}), {"symptom": om.Nominal(t)})
    >>> score = om.evaluate(data, pd.DataFrame({"symptom": ["ache", "ache"]}))
    >>> score.rl, score.mrl, score.srl, score.k
    (50.0, 25.0, 50.0, 2)
    """
    notes: tuple[Note, ...] = ()
    is_order_unverified = False
    if isinstance(masked, (Result, Plan, TuplePlan, RecordPlan, StrataPlan)):
        if method is not None:
            raise TableError(
                "A result and a plan know their method. Leave out method=, which says what made a frame.",
                parameter="method",
            )
        plan = masked if isinstance(masked, (TuplePlan, RecordPlan, StrataPlan)) else masked.plan
        method = masked.method if isinstance(masked, (Result, Plan)) else None
        alpha = _level(method) if alpha is None else alpha
        if noise is None:
            noise = masked.noise if isinstance(masked, Result) else plan.errors
            # The errors of a table in an engine are known by tuple only.
            noise = noise if data.source is None else {}
        masked = masked.data if isinstance(masked, Result) else MaskedTuples.of_plan(data, plan)
    if isinstance(masked, MaskedTuples) and masked.counted is not None:
        if len(masked.counted) != len(data) or data.source is None:
            raise TableError(ANOTHER_TABLE, code="other-table")
        # It also has the columns that the method looked at.
        data = masked.counted
    if records is not None and data.source is not None:
        raise TableError(
            f"The 'records' that an intruder looks for are positions, and rows in the engine {data.source.engine!r} "
            f"have none. Leave it out: intruders then look for all records.",
            parameter="records",
            code="engine-cannot",
        )
    _check_noise(data, alpha, noise)
    if not isinstance(masked, (MaskedData, MaskedTuples)):
        if data.source is not None:
            raise TableError(
                "The original is in an engine, so its rows cannot be paired with those of a frame. Evaluate the result "
                "of a method, or read the original into memory (ontomask.read_table).",
                parameter="masked",
                code="engine-cannot",
            )
        kept = {*data.confidential, *data.other}
        is_order_unverified = key is None and rows is None and not kept.intersection(frames.columns(masked))
        masked, notes = read_masked(data, masked, key=key, rows=rows, mapping=mapping, hierarchies=hierarchies)
    elif any(given is not None for given in (key, rows, mapping, hierarchies)):
        raise TableError(
            "The options key=, rows=, mapping= and hierarchies= say how to read a frame. Leave them out.",
            code="not-a-frame",
        )
    pair = partial(Pairing.of, distance=distance, scope=scope)
    pairing = pair(data, masked)
    if is_order_unverified:
        notes += note_unrelated_rows(pairing)
    seen = (
        KnownRows.of(masked, pair, shares=attacks)
        if isinstance(masked, MaskedTuples) and masked.source is not None
        else None
    )
    absent = _absent(data, masked, seen)
    # Groups of the original are those of equal text, too.
    units = data.persons if isinstance(masked, MaskedData) and masked.units is not None else None
    originals = data.counted_by(data.confidential) if seen is not None and seen.sample is None else data
    rows = np.arange(len(originals.table.inverse))
    unmasked = MaskedData(originals.frame, originals.quasi_identifiers, rows, len(data), units)
    before = Grouped(originals, unmasked.groups, unmasked.rows, originals.row_records)
    whole = (data, masked) if seen is None or seen.sample is not None else (seen.rows.data, seen.rows.masked)
    anonymity, confidential = _measure_groups(*whole)
    utility = measure_utility(pairing, noise)
    by_columns, found = None, None
    if seen is not None:
        linkage = seen.linkage if known is None and records is None else link(pairing, known=known, records=records)
        by_columns = seen.known[1]
        found = attack_in_engine(seen, method) if attacks else None
    else:
        linkage = link(pairing, known=known, records=records)
        everybody = linkage if known is None and records is None else link(pairing)
    if isinstance(masked, MaskedData):
        released = ReleasedColumns(data, masked)
        known_by = know_columns(pairing, released, everybody, shares=attacks)
        by_columns = known_by[1]
        found = run_intruders(pairing, released, known_by, method) if attacks else None
    elif by_columns is None and "all_columns" not in absent:
        by_columns = KnownColumns(tuple(data.quasi_identifiers), (), anonymity, everybody.srl, None)
    mined_data, mined = (data, pairing) if seen is None else (seen.counted.data, seen.single_records(seed))
    names = (known,) if isinstance(known, str) else known
    notes += _intruder(data, names, records)
    if any(change.negative for change in utility.sdcov.values()):
        text = "A squared distance covariance was negative and counts as 0. This distance allows that."
        notes = (*notes, Note.of("negative-covariance", text))
    control = data.disclosure_control
    return Evaluation(
        utility,
        linkage,
        by_columns,
        found,
        anonymity,
        confidential,
        before.anonymity(),
        before.confidential(),
        alpha,
        {column.name: column.describe_distance(partial(control.may_name, column.name)) for column in pairing.columns},
        tuple(map(control.redact, notes)),
        None if clusters is None else compare_clusterings(mined, clusters, seed=seed),
        None if target is None else compare_classifiers(mined_data, mined, target, seed=seed),
        True if method is None else method.keeps_values,
        typical={
            name: typical_value(data.quasi_identifiers[name], *attribute.mean, control)
            for name, attribute in utility.attributes.items()
        },
        population_risk=_population_risk(data, masked),
        population_risk_before=_population_risk(data, unmasked),
        absent=absent,
        records=None if seen is None else seen.counted.data.row_records,
        sampled=None if seen is None else seen.sampled,
    )


def _population_risk(data: Microdata, masked: MaskedData | MaskedTuples) -> PopulationRisk | None:
    """The chance to find a record in the population. A plan does not say which weights are in which group."""
    if data.record_weights is None or not isinstance(masked, MaskedData) or not len(masked):
        return None
    return population_risk(masked.groups, data.record_weights[masked.rows], data.persons_at(masked.rows))


def _absent(data: Microdata, masked: MaskedData | MaskedTuples, seen: KnownRows | None) -> dict[str, str]:
    """What a plan, or a sample of the rows of an engine, cannot be measured for, with the reason."""
    if isinstance(masked, MaskedData):
        return {}
    if seen is not None:
        uncounted = set(data.confidential) - set(data.counted_confidential)
        return {"confidential": NOT_COUNTED} if uncounted and seen.sample is not None else {}
    absent = {"attacks": NEEDS_RECORDS, "linkage.risk": NEEDS_RECORDS}
    is_drawn = masked.is_divided and bool(len(masked))
    # Which records are together under a pseudonym is decided for single records, too.
    if data.other or data.pseudonyms or (is_drawn and data.person is not None):
        absent["all_columns"] = NEEDS_RECORDS
    if data.pseudonyms or (is_drawn and data.person is not None):
        absent["anonymity"] = NEEDS_RECORDS
    if data.weights is not None:
        absent["population_risk"] = NEEDS_RECORDS
    if data.confidential and (data.pseudonyms or is_drawn):
        absent["confidential"] = NEEDS_RECORDS
    return absent


def _check_noise(data: Microdata, alpha: float | None, noise: Mapping[str, NDArray[np.float64]] | None) -> None:
    if alpha is not None and not (isinstance(alpha, (int, float)) and 0 < alpha < np.inf):
        raise TableError(f"The 'alpha' of the noise must be a number > 0. Got {alpha!r} instead.", parameter="alpha")
    for name, errors in (noise or {}).items():
        if name not in data.quasi_identifiers or np.shape(errors) != (len(data),):
            raise TableError(
                f"The 'noise' must hold one error for each of the {len(data):,} records, by quasi-identifier. The "
                f"errors of {name!r} do not fit.",
                column=name,
                parameter="noise",
            )


def _measure_groups(
    data: Microdata, masked: MaskedData | MaskedTuples
) -> tuple[KAnonymity | None, Mapping[str, ConfidentialRisk]]:
    """k, l and t of the groups of equal released records. Empty if there are none, or if they are not known."""
    if not len(masked) or (isinstance(masked, MaskedTuples) and data.pseudonyms):
        return None, {}
    if isinstance(masked, MaskedData) or masked.source is not None:
        grouped = Grouped(data, masked.groups, masked.rows, masked.records)
    elif not masked.is_divided:
        groups = np.full(len(data.table), -1, dtype=np.int64)
        groups[masked.original] = masked.groups
        grouped = Grouped(data, groups)
    else:
        # Which person, and which confidential value, is in which group depends on the records that are drawn.
        return (k_anonymity(masked.groups, records=masked.records) if data.person is None else None), {}
    return grouped.anonymity(), grouped.confidential()


def _intruder(data: Microdata, known: Sequence[str] | None, records: ArrayLike | None) -> tuple[Note, ...]:
    """Which columns and records linkage was measured for, if not all."""
    notes = []
    if known is not None and set(known) != set(data.quasi_identifiers):
        text = "RL, MRL and SRL are those of an intruder who knows {columns} only."
        notes.append(Note.of("intruder-columns", text, columns=join_some(known)))
    if records is not None:
        given = np.asarray(records)
        number = int(given.sum()) if given.dtype == bool else len(np.unique(given))
        text = "RL, MRL and SRL are over the {known:,} of {records:,} records that the intruder knows."
        notes.append(Note.of("intruder-records", text, known=number, records=len(data)))
    return tuple(notes)


def _level(method: object) -> float | None:
    """The noise level of a method that has one level for all records."""
    alpha = getattr(method, "alpha", None)
    return float(alpha) if isinstance(alpha, (int, float)) else None
