"""What each family of methods does and what it is good for, in words for people who decide about a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from numbers import Real
from typing import Any, NamedTuple

from ontomask.masking import Method

__all__ = ["Family", "family_of", "parameters_of", "safe_name"]


class Family(NamedTuple):
    """What a method does, and what speaks for it."""

    what: str
    why: str


_NO_PROMISE = "It promises nothing beforehand: whether the release is safe is shown by the measured risks alone."

FAMILIES: Mapping[str, Family] = {
    "UncorrelatedNoise": Family(
        "Every value is moved in the taxonomy by a random error whose size follows the column's own spread: mostly to "
        "near concepts, sometimes to far ones. Each column is treated by itself.",
        f"It keeps what is typical of a column (N Table 9), but weakens how columns depend on each other. "
        f"{_NO_PROMISE}",
    ),
    "CorrelatedNoise": Family(
        "Every value is moved in the taxonomy by a random error, and the errors of a record depend on each other as "
        "the columns of the original do.",
        f"It is chosen where analyses relate columns to each other: their dependence is kept better than by noise on "
        f"each column alone (N Table 9). {_NO_PROMISE}",
    ),
    "RankSwapping": Family(
        "Values are exchanged between records that are near to each other in meaning. Nothing is invented: every "
        "column holds exactly the values it held before, with other records.",
        "It is chosen where the frequencies of each column must stay exact. Where most values occur very often, many "
        "are swapped for their like and come out unchanged: look at the shares below.",
    ),
    "DistributionalRankSwapping": Family(
        "Values are ranked by how often they occur and exchanged with values of near ranks, whatever they mean.",
        f"It is a yardstick: it shows what swapping costs when meaning is not looked at. {_NO_PROMISE}",
    ),
    "DataSwapping": Family(
        "The values of each column are exchanged between records at random.",
        f"It is a yardstick: frequencies of columns stay exact, and everything that relates columns is lost. "
        f"{_NO_PROMISE}",
    ),
    "Recoding": Family(
        "Every combination of values that too few share is replaced by the combination in the data that is nearest to "
        "it in meaning, until each is shared by at least k.",
        "Only combinations that really occur are released, so that how combinations are distributed is kept well; of "
        "the k-anonymous methods it had the best balance of loss and risk for k up to 5 (T Fig. 40).",
    ),
    "Microaggregation": Family(
        "Records that are near to each other in meaning form groups of at least k, and each group is released as its "
        "centroid: the concepts that are nearest to all of its members.",
        "Of the k-anonymous methods it kept the meaning of records best (T 9.2.3).",
    ),
    "Resampling": Family(
        "The records are dealt out to k samples, each sample is sorted by meaning, and the records at the same place "
        "of all samples are released as their centroid.",
        "It is the fastest of the k-anonymous methods, and the choice where the others take too long; it loses more of "
        "meaning and distribution (T 9.2.3).",
    ),
    "HeerResampling": Family(
        "Samples are drawn with replacement, sorted by meaning, and averaged place by place; the averages replace the "
        "sorted records.",
        f"It is a yardstick for resampling that guarantees k. {_NO_PROMISE}",
    ),
    "Generalisation": Family(
        "Values are replaced by what they are a kind of, as far up as it takes until every combination is shared by at "
        "least k.",
        "What is released is true, only less exact: nothing false is said of anybody. Since values can only move "
        "upwards, a group of values that are far from each other ends at a concept that says little.",
    ),
    "Suppression": Family(
        "What too few share is left out: whole records, or single cells, which then say nothing more than the root of "
        "their domain.",
        "Nothing is changed, so that what is released is exact; but what is rare, and often most interesting, is gone.",
    ),
    "NaiveDistortion": Family(
        "Every value is replaced by another of the column's values, all equally likely.",
        f"It is a yardstick for what masking costs when neither meaning nor frequency is looked at. {_NO_PROMISE}",
    ),
    "ProbabilisticDistortion": Family(
        "Every value is replaced by one drawn as often as it occurs in the column.",
        f"It is a yardstick for what masking costs when meaning is not looked at. {_NO_PROMISE}",
    ),
    "PRAM": Family(
        "Every value is kept or replaced by chance, with probabilities that are known and can be published.",
        f"Analysts who know the probabilities can correct frequencies for them; meaning is not looked at. "
        f"{_NO_PROMISE}",
    ),
}
"""By the name of the class."""

_UNKNOWN = Family(
    "This method is not one of the families that this report knows: its author can say what it does.",
    "What it guarantees and what it cost is told below as it was verified and measured.",
)


def family_of(method: Method) -> Family:
    """The texts of a method's class, or of the nearest one that it was derived from."""
    return next((FAMILIES[c.__name__] for c in type(method).__mro__ if c.__name__ in FAMILIES), _UNKNOWN)


def safe_name(method: Method) -> str:
    """A method with its parameters, as it prints itself, but for those that are more than one number or word.

    Such a parameter may hold values of the data (the matrices of PRAM) or something of every record (levels of noise).

    >>> import ontomask as om
    >>> safe_name(om.PRAM(stay=0.5, matrices={"job": (["spy"], [[1]])}))
    'PRAM(stay=0.5, matrices=…)'
    """
    told = sorted(fields(method), key=lambda f: f.kw_only is True)
    given = [(f.name, getattr(method, f.name)) for f in told if _is_set(f.default, getattr(method, f.name))]
    inside = (f"{name}={_plain(value)!r}" if _is_plain(value) else f"{name}=…" for name, value in given)
    return f"{type(method).__name__}({', '.join(inside)})"


def parameters_of(method: Method, columns: Mapping[str, Any]) -> dict[str, str]:
    """All parameters in words; of those that are more than a number or a word, for which columns they are given."""
    found = {}
    for field in fields(method):
        value = getattr(method, field.name)
        if field.name == "require":
            if value:
                found["require"] = "; ".join(requirement.text for requirement in value)
        elif _is_plain(value):
            found[field.name] = "not given" if value is None else str(value)
        else:
            found[field.name] = _told(value, columns)
    return found


def _told(value: Any, columns: Mapping[str, Any]) -> str:
    """How much is given, without what."""
    names = [name for name in columns if _mentions(value, name)]
    if names:
        return f"given for {', '.join(names)}"
    is_list = isinstance(value, (list, tuple)) and all(isinstance(part, Real) for part in value)
    return f"{len(value):,} numbers" if is_list else "given"


def _is_set(default: object, value: object) -> bool:
    """Whether a parameter is not left at its default; of what is no plain value, whether there is anything in it."""
    if _is_plain(value):
        return default is MISSING or value != default
    return not (isinstance(value, tuple) and not value)


def _plain(value: Any) -> Any:
    """A number of numpy as one of Python, which is shorter to write."""
    return value.item() if hasattr(value, "item") else value


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (bool, Real, str))


def _mentions(value: Any, name: str) -> bool:
    """Whether a dictionary by column, or a list of columns or pairs of them, names this one."""
    if isinstance(value, (Mapping, list, tuple)):
        return any(part == name if isinstance(part, str) else name in part for part in value if _is_listing(part))
    return False


def _is_listing(part: object) -> bool:
    return isinstance(part, (str, list, tuple))
