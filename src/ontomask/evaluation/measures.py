"""The measures of an evaluation, each with its definition and a sentence on what its value means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ontomask.base.notes import Note, join_names
from ontomask.base.text import readable, rounded, visible
from ontomask.kinds import Column
from ontomask.microdata.disclosure_control import DisclosureControl

if TYPE_CHECKING:
    from ontomask.evaluation.evaluation import Evaluation

__all__ = ["DEFINITIONS", "Measure", "describe", "typical_value"]


DEFINITIONS: dict[str, str] = {
    "semantic loss": "mean distance between original and masked records, 1 for a suppressed record (Martínez 2012, "
    "eq. 5.1, 8.7)",
    "SSE": "sum of squared distances between original and masked records (Martínez 2012, eq. 6.2, 9.1)",
    "SST": "sum of squared distances between the originals and their centroid (Martínez 2012, eq. 6.3)",
    "L": "100 · SSE / SST (Martínez 2012, eq. 6.4)",
    "RMSE": "root mean square distance between original and masked values (Rodriguez-Garcia 2017, section 5; "
    "Rodriguez-Garcia 2019, section 4.1)",
    "loss share": "part of the column in the SSE: the sum of what it adds to a record's distance, times that distance",
    "target RMSE": "root mean square of the errors drawn (Rodriguez-Garcia 2017, section 5; "
    "Rodriguez-Garcia 2016, section 4)",
    "mean shift": "distance between the semantic means before and after (Rodriguez-Garcia 2017, section 5)",
    "variance": "mean squared distance to the semantic mean (Rodriguez-Garcia 2017, eq. 14)",
    "variance off target": "|after − (1 + α)·before|: noise of level α should add α of the variance "
    "(Rodriguez-Garcia 2017, section 5)",
    "sdVar": "distance variance (Rodriguez-Garcia 2017, eq. 20)",
    "sdCov": "distance covariance (Rodriguez-Garcia 2017, eq. 18)",
    "sdCov off target": "|after − (1 + α)·before| (Rodriguez-Garcia 2017, section 5)",
    "sdCor": "distance correlation (Rodriguez-Garcia 2017, eq. 19)",
    "unchanged": "share of values that are released unchanged",
    "LM": "loss metric (Iyengar 2002) with the column's own values as leaves",
    "NCP": "normalised certainty penalty (Xu et al. 2006) with the column's own values as leaves",
    "discernibility": "sum of squared sizes of groups of equal records, n for a suppressed record (Martínez 2012, "
    "eq. 5.2)",
    "KL divergence": "of the distributions of distinct tuples, ½ added to each tuple (Martínez 2012, eq. 9.2)",
    "vanished": "share of original records whose combination of values no masked record has",
    "suppressed": "records that are not released",
    "partition distance": "between Ward clusterings of original and masked records (Martínez 2012, eq. 5.3–5.6)",
    "accuracy": "of a logistic regression, tested on original records that were not used for training",
    "k": "size of the smallest group of equal released records",
    "uniques": "share of released records that are equal to no other",
    "average prosecutor risk": "mean of 1 / group size over released records: groups / records",
    "highest prosecutor risk": "1 / size of the smallest group",
    "population risk": "expected share of released records that are found in the population: the mean of E[1 / F | f], "
    "where F given f is negative binomial with p = f / sum of weights (Benedetti and Franconi 1998; Franconi and "
    "Polettini 2004)",
    "highest population risk": "the same for the group at highest risk",
    "RL": "masked records linked to their original by equal values, ties shared (Martínez 2012, eq. 5.7–5.8)",
    "MRL": "originals linked to their masked record by equal values, ties shared (Martínez 2012, eq. 8.3–8.6)",
    "SRL": "originals linked to their masked record by nearest meaning, ties shared (Martínez 2012, eq. 8.1–8.4)",
    "all columns k": "size of the smallest group of released records equal in all columns that are not confidential",
    "all columns uniques": "share of released records that are equal to no other in all columns that are not "
    "confidential",
    "all columns linked": "originals linked to their released record: of the records equal in the kept columns, the "
    "nearest in meaning in the masked columns, ties shared",
    "linked by method": "originals whose own released record has the highest posterior under the method, ties shared "
    "(transparency principle: Torra 2017)",
    "recovered": "original combinations that are the most probable given the released combination, the method and the "
    "distribution of the original",
    "worst linked": "the most records that any intruder links",
    "homogeneous": "share of released records in groups with a single confidential value; records of a group are "
    "equal in all columns that are not confidential (Machanavajjhala et al. 2007)",
    "minimality": "records whose confidential value becomes certain or at least 90 % likely by repeating the grouping "
    "without the requirement (Wong et al. 2007)",
    "downcoded": "generalised cells that are narrowed with certainty because generalisation is minimal (Cohen 2022)",
    "rank intersection": "records found by a guess in the intersection of swapping intervals (Nin et al. 2008)",
    "distinct l": "smallest number of distinct confidential values in a group (Machanavajjhala et al. 2007)",
    "entropy l": "smallest exp(entropy) of a group's confidential values (Machanavajjhala et al. 2007)",
    "t": "largest earth mover's distance between the confidential values of a group and of the table (Li et al. 2007)",
}


@dataclass(frozen=True)
class Measure:
    """One measure: its columns, its value (or both values, before and after), and a sentence on its meaning.

    Attributes
    ----------
    about
        ``utility`` or ``risk``.
    name
        Its short name, a key of `DEFINITIONS`.
    columns
        Its columns; empty for the whole table.
    value
        The measure after masking; for a statistic of the data, the difference between both tables.
    before, after
        The value in both tables, where each table has one. Linkage before masking is that of unmasked records.
    unit
        ``%`` or empty.
    is_meaningless
        Whether the measure has no meaning for this method. Then it has no value.
    """

    about: str
    name: str
    columns: tuple[str, ...]
    value: float | None
    meaning: str
    before: float | None = None
    after: float | None = None
    unit: str = ""
    is_meaningless: bool = False

    @property
    def definition(self) -> str:
        """Formula and source."""
        return DEFINITIONS[self.name]

    @property
    def title(self) -> str:
        """Name and columns."""
        return f"{self.name} of {' × '.join(self.columns)}" if self.columns else self.name

    @property
    def shown(self) -> str:
        """The value for reading."""
        if self.is_meaningless:
            return "not meaningful"
        if self.before is not None and self.after is not None:
            value = f"{_short(self.before)} → {_short(self.after)}"
        else:
            value = _short(self.value)
        return f"{value} %" if self.unit == "%" else value

    def as_row(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "about": self.about,
            "measure": self.name,
            "columns": " × ".join(self.columns),
            "before": self.before,
            "after": self.after,
            "value": self.value,
            "unit": self.unit,
            "meaning": str(self.meaning),
            "definition": self.definition,
        }


def _short(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) >= 1 else f"{value:.4g}"


def describe(score: Evaluation) -> Iterator[Measure]:
    """All measures of an evaluation, in the order in which they are shown."""
    yield from _table(score)
    yield from _attributes(score)
    yield from _pairs(score)
    yield from _mining(score)
    yield from _risk(score)


def typical_value(column: Column, before: Any, after: Any, control: DisclosureControl) -> Note:
    """The typical value of a column before and after masking. It is named only if it is not rare in the original."""
    if before is None or after is None:
        text = "there is no typical value: no comparable value was released."
        return Note.of("no-typical-value", text)
    if not all(_may_name(column, value, control) for value in (before, after)):
        text = "the typical value {change}; it is not named because few originals have it."
        return Note.of("typical-value-rare", text, change="stays the same" if before == after else "changes")
    first, last = (visible(v) if isinstance(v, str) else readable(rounded(v)) for v in (before, after))
    text = "the typical value stays {before}." if before == after else "the typical value: {before} → {after}."
    return Note.of("typical-value", text, before=first, after=last)


def _may_name(column: Column, value: Any, control: DisclosureControl) -> bool:
    return control.may_name_point(column.name, column.points_of_keys([value])[0], *column.names(value))


def _table(score: Evaluation) -> Iterator[Measure]:
    u = score.utility
    meaning = f"values moved {u.semantic_loss:.3g} on average. 0: no value moved."
    yield Measure("utility", "semantic loss", (), u.semantic_loss, meaning)
    yield Measure("utility", "SSE", (), u.sse, "large moves weigh more; compare with SST.")
    yield Measure("utility", "SST", (), u.sst, "the loss if every record became the centroid of all records.")
    lost = f"{u.loss_percent:.3g} % of the variation was lost." if u.sst > 0 else "there was no variation to lose."
    yield Measure("utility", "L", (), u.loss_percent, lost, unit="%")
    d = u.discernibility
    yield Measure("utility", "discernibility", (), d.difference, "higher: more records are equal.", d.before, d.after)
    yield Measure("utility", "KL divergence", (), u.kl_divergence, "0: the combinations are as frequent as before.")
    share = 100 * u.vanished
    meaning = f"{_percent(share)} of the records had a combination that no longer occurs."
    yield Measure("utility", "vanished", (), share, meaning, unit="%")
    yield Measure("utility", "suppressed", (), u.suppressed, _records(u.suppressed, "suppressed."))


def _attributes(score: Evaluation) -> Iterator[Measure]:
    for name, a in score.utility.attributes.items():
        at = (name,)
        yield Measure("utility", "RMSE", at, a.rmse, "how far a typical value moved. 0: no value moved.")
        share = 100 * a.loss_share
        yield Measure("utility", "loss share", at, share, f"{share:.3g} % of the loss is in this column.", unit="%")
        if a.target_rmse is not None:
            meaning = "how far it should move by the errors drawn."
            yield Measure("utility", "target RMSE", at, a.target_rmse, meaning)
        yield Measure("utility", "mean shift", at, a.mean_shift, score.typical[name])
        v = a.variance
        yield Measure("utility", "variance", at, v.difference, _spread(v.before, v.after), v.before, v.after)
        if score.alpha is not None:
            off = abs(v.after - (1 + score.alpha) * v.before)
            meaning = f"0: the noise added {score.alpha:g} of the variance."
            yield Measure("utility", "variance off target", at, off, meaning)
        s = a.distance_variance
        yield Measure("utility", "sdVar", at, s.difference, _spread(s.before, s.after), s.before, s.after)
        share = 100 * a.unchanged
        yield Measure("utility", "unchanged", at, share, f"{_percent(share)} of the values are unchanged.", unit="%")
        if a.lm is not None and a.ncp is not None:
            yield Measure(
                "utility", "LM", at, a.lm, "share of the column's values that a released value can stand for."
            )
            yield Measure("utility", "NCP", at, a.ncp, "the same, counting the value itself.")


def _percent(share: float) -> str:
    """A share of all as text. Rounded, 99.96 % would read as if it were all."""
    return "over 99.9 %" if 99.9 < share < 100 else f"{share:.3g} %"


def _pairs(score: Evaluation) -> Iterator[Measure]:
    for pair, cor in score.sdcor.items():
        cov = score.sdcov[pair]
        yield Measure("utility", "sdCov", pair, cov.difference, "how much they vary together.", cov.before, cov.after)
        if score.alpha is not None:
            off = abs(cov.after - (1 + score.alpha) * cov.before)
            meaning = f"0: the noise added {score.alpha:g} of the covariance."
            yield Measure("utility", "sdCov off target", pair, off, meaning)
        kept = "is kept" if cor.difference < 0.01 else "is weaker" if cor.after < cor.before else "is stronger"
        meaning = f"the dependence between them {kept} (0: none, 1: full)."
        yield Measure("utility", "sdCor", pair, cor.difference, meaning, cor.before, cor.after)


def _mining(score: Evaluation) -> Iterator[Measure]:
    found = score.clustering
    if found is not None:
        meaning = f"0: the same {found.clusters} clusters of {found.records:,} records as before; 1: nothing in common."
        yield Measure("utility", "partition distance", (), found.distance, meaning)
    learnt = score.classification
    if learnt is not None:
        meaning = (
            f"share predicted correctly, trained on originals and on masked records ({learnt.baseline:.3g} by chance)."
        )
        at = (learnt.target,)
        yield Measure("utility", "accuracy", at, abs(learnt.lost), meaning, learnt.original, learnt.masked)


def _risk(score: Evaluation) -> Iterator[Measure]:
    found, was = score.anonymity, score.anonymity_before
    # A release is the whole row, so every sentence names the columns that it is about.
    names = join_names(list(score.utility.attributes))
    if score.known_columns is not None and score.known_columns.knows_persons:
        names += " of all records under a pseudonym"
    if found is not None:
        unit = found.unit
        alone = f"one of the {unit} shares the released {names} with no other."
        meaning = (
            alone if found.k == 1 else f"everybody shares the released {names} with at least {found.k - 1:,} others."
        )
        yield _risk_of("k", was.k, found.k, meaning)
        share = found.percent_unique
        meaning = f"{_percent(share)} of the records are the only one with their {names}."
        yield _risk_of("uniques", was.percent_unique, share, meaning, unit="%")
        for name, how, before, after in (
            ("average prosecutor risk", "on average", was.average_risk, found.average_risk),
            ("highest prosecutor risk", "at worst", was.highest_risk, found.highest_risk),
        ):
            meaning = f"{how}, the chance to pick the right record of a person known to be in the table by {names}."
            yield _risk_of(name, before, after, meaning, unit="%")
    yield from _population(score, names)
    known = join_names(score.linkage.columns)
    for name, value, how in (
        ("RL", score.rl, f"of masked records lead back to their original by equal {known}."),
        ("MRL", score.mrl, f"of originals lead to their masked record by equal {known}."),
        ("SRL", score.srl, f"of originals lead to their masked record by nearest meaning of {known}."),
    ):
        if name != "SRL" and not score.keeps_values:
            meaning = "the method changes every record, so equal values say nothing about the risk."
            yield Measure("risk", name, (), None, meaning, unit="%", is_meaningless=True)
            continue
        yield _risk_of(name, score.linkage.before[name.lower()], value, f"{value:.3g} % {how}", unit="%")
    # Figures of the whole table before those of columns.
    yield from sorted(_intruders(score), key=lambda measure: bool(measure.columns))
    for name, c in score.confidential.items():
        at, b = (name,), score.confidential_before[name]
        single = f"a group with equal {names} has a single value, known to everybody who finds the group."
        least = f"every group with equal {names} has at least {c.distinct_l:,} values."
        meaning = single if c.distinct_l == 1 else least
        yield _risk_of("distinct l", b.distinct_l, c.distinct_l, meaning, at)
        meaning = "the worst group is as hard to guess as this many equally frequent values."
        yield _risk_of("entropy l", b.entropy_l, c.entropy_l, meaning, at)
        meaning = f"how far the worst group's values are from the table's (distance: {c.ground})."
        yield _risk_of("t", b.t, c.t, meaning, at)


def _population(score: Evaluation, names: str) -> Iterator[Measure]:
    """The chance to find a released record in the population, where weights say how large groups are there."""
    found, was = score.population_risk, score.population_risk_before
    if found is None or was is None:
        return
    size = rounded(float(found.population.sum()))
    meaning = f"on average, the chance to pick the right person of a population of about {size:,.0f} by {names}."
    yield _risk_of("population risk", was.average, found.average, meaning, unit="%")
    meaning = f"at worst, the chance to pick the right person of the population by {names}."
    yield _risk_of("highest population risk", was.highest, found.highest, meaning, unit="%")


def _intruders(score: Evaluation) -> Iterator[Measure]:
    """The findings of intruders who know more than the quasi-identifiers."""
    known = score.known_columns
    if known is not None and known.kept and known.anonymity is not None:
        names = join_names(known.columns)
        unit = known.anonymity.unit
        meaning = f"the fewest {unit} that are equal in {names}."
        yield Measure("risk", "all columns k", (), known.k, meaning)
        meaning = f"{known.uniques:.3g} % of the released rows are unique in {names}."
        yield Measure("risk", "all columns uniques", (), known.uniques, meaning, unit="%")
        meaning = f"{known.linked:.3g} % of the originals are linked by an intruder who knows {names}."
        yield Measure("risk", "all columns linked", (), known.linked, meaning, unit="%")
        for name, share in known.shares.items():
            meaning = f"if {name} were the only kept column; without it, the others give {share.linked_without:.3g} %."
            yield Measure("risk", "all columns linked", (name,), share.linked_alone, meaning, unit="%")
    if score.attacks is None:
        return
    for found in score.attacks.findings:
        measure = _FINDINGS.get((found.intruder, found.learns))
        if measure is not None:
            at = (found.column,) if found.column else ()
            yield Measure("risk", measure, at, found.percent, found.sentence, unit="%")
    worst = score.attacks.worst
    yield Measure("risk", "worst linked", (), worst.percent, worst.sentence, unit="%")


# Measures that are the finding of an intruder.
_FINDINGS = {
    ("method", "records"): "linked by method",
    ("method", "values"): "recovered",
    ("ranks", "records"): "rank intersection",
    ("homogeneity", "confidential values"): "homogeneous",
    ("minimality", "confidential values"): "minimality",
    ("downcoding", "values"): "downcoded",
}


def _risk_of(
    name: str, before: float, after: float, meaning: str, columns: tuple[str, ...] = (), unit: str = ""
) -> Measure:
    return Measure("risk", name, columns, after, meaning, before, after, unit)


def _spread(before: float, after: float) -> str:
    if before <= 0:
        return "the values did not vary." if after <= 0 else "the values did not vary before."
    change = 100 * (after / before - 1)
    if abs(change) < 0.5:
        return "the spread is kept."
    return f"the spread {'grew' if change > 0 else 'shrank'} by {abs(change):.3g} %."


def _records(number: int, what: str) -> str:
    return (
        f"{'no record' if number == 0 else '1 record'} was {what}" if number < 2 else f"{number:,} records were {what}"
    )
