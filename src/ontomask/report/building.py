"""`build_report`: make the plain data of a report from the results of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask.base.notes import join_names
from ontomask.base.progress import progress
from ontomask.base.text import rounded
from ontomask.comparison.compare import MEASURES, Comparison
from ontomask.comparison.results import method_names
from ontomask.errors import TableError
from ontomask.evaluation import Evaluation
from ontomask.evaluation.measures import Measure
from ontomask.masking import Result
from ontomask.microdata import Microdata
from ontomask.microdata.masked import MaskedData
from ontomask.microdata.sources import check_in_memory
from ontomask.report.contents import (
    AdviceFacts,
    Band,
    ColumnFacts,
    Compared,
    ComparisonFacts,
    Dependence,
    ExposedRow,
    Exposure,
    Headline,
    MeasureFacts,
    MethodFacts,
    MethodFigure,
    TableFacts,
)
from ontomask.report.distributions import distribution
from ontomask.report.guarantee import EXTERNAL_METHOD, ExternalResult, counted_k, guarantee_facts, guaranteed_columns
from ontomask.report.loss import loss_facts
from ontomask.report.mapping import mapping_facts, sources
from ontomask.report.report import Report

if TYPE_CHECKING:
    from ontomask.comparison.advice import Advice

__all__ = ["build_report"]

# Details of a method that undo the masking.
_SECRETS = frozenset({"seed", "rng", "generator", "plan", "errors", "noise"})
# Measures that the released table shows anyway. All others are rounded.
_EXACT = frozenset({"k", "suppressed", "distinct l"})
# Codes of notes that are only for the data owner.
_PRIVATE_NOTES = frozenset({"weak-seed"})
_MOST_EXPOSED = 10
_BANDS = (
    (1.0, "certain"),
    (0.5, "1 in 2 or more"),
    (0.2, "1 in 5 or more"),
    (0.1, "1 in 10 or more"),
    (0.01, "1 in 100 or more"),
    (0.0, "less than 1 in 100"),
)
_CERTAIN = 1e-9

REFERENCES: Mapping[str, str] = {
    "Rodriguez-Garcia 2016": "M. Rodriguez-Garcia, D. Sánchez, M. Batet: Perturbative data protection of multivariate "
    "nominal datasets.",
    "Rodriguez-Garcia 2017": "M. Rodriguez-Garcia, M. Batet, D. Sánchez: A semantic framework for noise addition with "
    "nominal data.",
    "Rodriguez-Garcia 2019": "M. Rodriguez-Garcia, M. Batet, D. Sánchez: Utility-preserving privacy protection of "
    "nominal data sets via semantic rank swapping.",
    "Martínez 2012": "S. Martínez Lluís: Ontology based semantic anonymisation of microdata. PhD thesis, Universitat "
    "Rovira i Virgili.",
}


@progress("Building the report")
def build_report(
    data: Microdata,
    result: Result | MaskedData,
    score: Evaluation,
    *,
    comparison: Comparison | None = None,
    advice: Advice | None = None,
    title: str | None = None,
    about: Mapping[str, object] | None = None,
    exposed: bool = False,
) -> Report:
    """Build the report on a masking.

    Parameters
    ----------
    data
        The original with its roles.
    result
        The result of a method, or a table of another program, as `evaluation.reading.read_masked` reads it.
    score
        The evaluation of that result by `ontomask.evaluate`.
    comparison
        A comparison by `ontomask.compare`. The report then has a map of risk and loss.
    advice
        A recommendation by `ontomask.advise`. The report then says why this method was used.
    title
        By default ``Masking report``.
    about
        More facts by name, such as the file, the date and the version. The report does not read the clock.
    exposed
        Whether to list the most exposed records by row number. With the released table, such a list shows which records
        are hardly protected, so the report is marked as internal.

    Examples
    --------
    >>> import ontomask as om, pandas as pd
    >>> t = om.Taxonomy.from_edges([("ache", "pain"), ("colic", "pain")])
    >>> data = om.Microdata(pd.DataFrame({"symptom": ["ache", "colic"] * 20}), {"symptom": om.Nominal(t)})
    >>> result = om.PRAM(stay=0.5).mask(data, seed=0)
    >>> report = build_report(data, result, om.evaluate(data, result), about={"table": "symptoms.csv"})
    >>> report.distributions[0].categories, report.distributions[0].original
    (('ache', 'colic'), (20, 20))
    """
    if exposed:
        check_in_memory(data, "A list of the most exposed records")
    made = ExternalResult(result) if isinstance(result, MaskedData) else result
    _check_match(data, made, score)
    control = data.disclosure_control
    measures = tuple(_measure(m) for m in score.measures)
    mapping = tuple(mapping_facts(column, data, control) for column in data.mapping)
    guarantee = guarantee_facts(data, made, score, control)
    return Report(
        title=title or "Masking report",
        about=_about(about or {}),
        internal=exposed,
        headlines=tuple(_headlines(data, made, score, measures)),
        table=_table(data, made, score),
        method=_method(data, made),
        advice=None if advice is None else _advice(advice, made),
        guarantee=guarantee,
        mapping=mapping,
        measures=measures,
        loss=loss_facts(data, made, score),
        distributions=tuple(
            distribution(column, made.data.columns[name], control, made.data.rows)
            for name, column in data.quasi_identifiers.items()
        ),
        dependence=_dependence(score),
        comparison=None if comparison is None else _comparison(comparison),
        exposure=_exposure(score, len(data), listed=exposed),
        sources=sources(data),
        notes=tuple(control.redact(note) for note in _shared_notes((*made.notes, *score.notes))),
        references=REFERENCES,
    )


def _shared_notes(notes: Iterable[str]) -> list[str]:
    return [note for note in dict.fromkeys(notes) if getattr(note, "code", None) not in _PRIVATE_NOTES]


def _check_match(data: Microdata, result: Result | ExternalResult, score: Evaluation) -> None:
    """Check that result and evaluation belong to the data."""
    names = set(data.quasi_identifiers)
    masked = result.data
    counted = data if isinstance(masked, MaskedData) else masked.counted
    if set(masked.columns) != names or counted is None or masked.rows.max(initial=-1) >= counted.table.inverse.size:
        raise TableError("The result belongs to another table. Give the data that were masked.", parameter="result")
    known = len(score.linkage.risk["srl"]) if isinstance(masked, MaskedData) else len(counted)
    fits = set(score.utility.attributes) == names and known == len(data)
    k = counted_k(result)
    if not fits or score.utility.suppressed != len(data) - len(result.data) or k not in (None, score.k):
        raise TableError("The evaluation belongs to another result. Use evaluate(data, result).", parameter="score")


def _about(given: Mapping[str, object]) -> dict[str, str]:
    secret = [str(name) for name in given if str(name).casefold() in _SECRETS]
    if secret:
        raise TableError(
            f"The fact {secret[0]!r} undoes the masking and must not be in a report. Remove it from 'about'.",
            parameter="about",
        )
    return {str(name): str(value) for name, value in given.items() if value is not None}


def _headlines(
    data: Microdata, result: Result | ExternalResult, score: Evaluation, measures: tuple[MeasureFacts, ...]
) -> Iterator[Headline]:
    released, records = len(result.data), len(data)
    received = records + data.dropped_records
    left_out = [
        f"{number:,} were {how}"
        for number, how in (
            (data.dropped_records, "dropped before masking because of missing or unmapped cells"),
            (records - released, "suppressed"),
        )
        if number
    ]
    rest = f"{' and '.join(left_out)}." if left_out else "No record was dropped or suppressed."
    yield Headline("records released", f"{released:,}", f"Of {received:,} records. {rest}")
    yield _guarantee_headline(data, result, score)
    known, worst = score.all_columns, None if score.attacks is None else score.attacks.worst
    if worst is not None:
        shown = f"{worst.percent:.3g} %"
        yield Headline("linked by the worst intruder", shown, worst.sentence)
    if known.kept:
        sentence = f"Released rows that are the only ones with their {join_names(known.columns)}."
        yield Headline("unique rows", f"{known.uniques:.3g} %", sentence)
    by_name = {m.name: m for m in measures if not m.columns}
    if "recovered" in by_name:
        yield Headline("read back", by_name["recovered"].shown, by_name["recovered"].meaning)
    if score.attacks is not None and counted_k(result) is not None:
        # Only for groups: after noise or swapping, a person is not known to be among the equal rows.
        certain = [found for found in score.attacks.findings if found.intruder == "homogeneity"]
        if certain:
            most = max(certain, key=lambda found: found.percent)
            yield Headline("confidential value certain", f"{most.percent:.3g} %", most.sentence)
    yield Headline("information lost", by_name["L"].shown, by_name["L"].meaning)
    yield Headline("linked by meaning", by_name["SRL"].shown, by_name["SRL"].meaning)


def _guarantee_headline(data: Microdata, result: Result | ExternalResult, score: Evaluation) -> Headline:
    """The guarantee for the masked columns, and k over all released columns."""
    k, unit = counted_k(result), result.guarantee.unit
    if k is not None:
        names, known = join_names(guaranteed_columns(data, result)), score.all_columns
        what = "combination of" if result.data.units is None else "set of records under one pseudonym, by"
        sentence = f"Every released {what} {names} is shared by {k:,} {unit} or more."
        if known.kept:
            sentence += f" Over all released columns that an intruder could know, k = {known.k:,}."
        return Headline("guaranteed", f"k = {k:,}", sentence)
    if result.guarantee.epsilon is not None:
        text = f"ε = {result.guarantee.epsilon:g}"
        sentence = f"Each of the {unit} has this privacy budget, whatever an intruder knows. It is explained below."
        return Headline("guaranteed", text, sentence)
    if result.guarantee.claim:
        return Headline("guaranteed", result.guarantee.claim, "The guarantee is explained below.")
    return Headline("guaranteed", "nothing", "The method has no privacy guarantee. The risk was measured.")


def _table(data: Microdata, result: Result | ExternalResult, score: Evaluation) -> TableFacts:
    columns = [
        ColumnFacts(
            name,
            "quasi-identifier: masked",
            column.kind.values_in_words,
            len(data.table.values[j]),
            score.distances.get(name, ""),
        )
        for j, (name, column) in enumerate(data.quasi_identifiers.items())
    ]
    columns += [
        ColumnFacts(name, "identifier: random pseudonyms" if _has_pseudonyms(data, name) else "identifier: removed")
        for name in data.identifiers
    ]
    columns += [ColumnFacts(name, "confidential: kept") for name in data.confidential]
    columns += [ColumnFacts(name, "other: kept") for name in data.other if name != data.weights]
    columns += [ColumnFacts(name, f"linked: follows {leader}") for name, leader in data.linked.items()]
    if data.weights is not None:
        how = "mean of each group of equal records" if data.averages_weights else "kept"
        columns.append(ColumnFacts(data.weights, f"weight: {how}"))
    return TableFacts(
        records=len(data),
        released=len(result.data),
        suppressed=len(data) - len(result.data),
        dropped=data.dropped_records,
        persons=None if data.person is None else data.holders,
        columns=tuple(columns),
    )


def _has_pseudonyms(data: Microdata, name: str) -> bool:
    return data.pseudonyms and name == data.person


def _method(data: Microdata, result: Result | ExternalResult) -> MethodFacts:
    if isinstance(result, ExternalResult):
        return EXTERNAL_METHOD
    method = result.method
    return MethodFacts(
        name=repr(method),
        family=type(method).__name__,
        what=method.about.what,
        why=method.about.why,
        parameters=method.parameter_texts(data.quasi_identifiers),
        figures=tuple(_figures(result.details, set(data.quasi_identifiers))),
    )


def _figures(details: Mapping[str, Any], columns: set[str]) -> Iterator[MethodFigure]:
    """The numbers among the details of a method, for the whole table or by column. Other details are left out."""
    for name, value in details.items():
        if name in _SECRETS:
            continue
        by_column = value if isinstance(value, Mapping) and columns.issuperset(value) else {"": value}
        for column, inside in by_column.items():
            numbers = inside if column and isinstance(inside, Mapping) else {name: inside}
            for n, number in numbers.items():
                if n not in _SECRETS and _is_number(number):
                    yield MethodFigure(str(n), column, rounded(number))


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _advice(advice: Advice, result: Result | ExternalResult) -> AdviceFacts:
    return AdviceFacts(
        method=repr(advice.method),
        followed=isinstance(result, Result) and advice.method.is_same(result.method),
        measured=advice.measured,
        reasons=tuple(advice.reasons),
        cautions=tuple(advice.cautions),
    )


def _measure(measure: Measure) -> MeasureFacts:
    meaning = measure.meaning
    if measure.name not in _EXACT:
        figures = (measure.value, measure.before, measure.after)
        value, before, after = map(rounded, figures)
        measure = replace(measure, value=value, before=before, after=after)
    facts = {field.name: getattr(measure, field.name) for field in fields(MeasureFacts)}
    return MeasureFacts(**facts | {"meaning": meaning[:1].upper() + meaning[1:]})


def _dependence(score: Evaluation) -> Dependence | None:
    """Both matrices of correlations. A column with one value only has none, not even with itself."""
    names = tuple(score.utility.attributes)
    if len(names) < 2:
        return None
    spreads = [score.utility.attributes[name].distance_variance for name in names]
    before, after = (
        np.diag([1.0 if value > 0 else np.nan for value in values])
        for values in ([s.before for s in spreads], [s.after for s in spreads])
    )
    for (i, a), (j, b) in combinations(enumerate(names), 2):
        change = score.sdcor[a, b]
        before[i, j] = before[j, i] = change.before
        after[i, j] = after[j, i] = change.after
    matrices = (
        tuple(tuple(None if np.isnan(x) else rounded(x) for x in row) for row in m.tolist()) for m in (before, after)
    )
    return Dependence(names, *matrices)


def _comparison(comparison: Comparison) -> ComparisonFacts:
    risk, loss = comparison.risk, "loss_percent"
    names = _safe_names(comparison)
    shared = replace(comparison, rows=tuple({**row, "method": names[row["method"]]} for row in comparison.rows))
    summary = shared.summary().to_dicts()
    best = set(shared.frontier(risk, loss))
    methods = tuple(
        Compared(
            row["method"],
            row["family"],
            row["runs"],
            row["failed"],
            row["columns"],
            row["method"] in best,
            {name: rounded(row[name]) for name in MEASURES if name != "seconds"},
        )
        for row in summary
        if row["failed"] < row["runs"]
    )
    refused = (row["method"] for row in summary if row["failed"] == row["runs"])
    return ComparisonFacts(risk, loss, methods, tuple(refused))


def _safe_names(comparison: Comparison) -> dict[str, str]:
    """A name that may be shared for each method. Methods that are known by rows only get numbers."""
    names = {name: name for name in method_names(comparison.methods)}
    often: Counter[str] = Counter()
    for row in comparison.rows:
        if row["method"] not in names:
            often[row["family"]] += 1
            number = f", #{often[row['family']]}" if often[row["family"]] > 1 else ""
            names[row["method"]] = f"{row['family']}(…{number})"
    return names


def _exposure(score: Evaluation, number: int, *, listed: bool) -> Exposure:
    """The records by their risk. Of a sample, they stand for all ``number`` records."""
    risk = score.record_risk()
    records = np.ones(len(risk)) if score.records is None else score.records * (number / score.records.sum())
    left, bands = np.ones(len(risk), dtype=bool), []
    for least, chance in _BANDS:
        inside = left & (risk >= least - _CERTAIN)
        bands.append(Band(chance, rounded(round(records[inside].sum()))))
        left &= ~inside
    highest = float(risk.max())
    first = np.argsort(-risk, kind="stable")[:_MOST_EXPOSED]
    return Exposure(
        bands=tuple(bands),
        highest=rounded(highest),
        as_exposed=rounded(round(records[risk >= highest - _CERTAIN].sum())),
        rows=tuple(ExposedRow(int(row), rounded(float(risk[row]))) for row in first) if listed else None,
    )
