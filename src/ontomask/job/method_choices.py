"""The masking methods as choices: what each does, and its parameters as fields of a form."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, Literal

from ontomask.errors import JobError, Wording
from ontomask.job.column_roles import Words
from ontomask.job.methods import SHARED
from ontomask.job.parameter_words import ParameterWords, parameter_words
from ontomask.masking import METHODS, Method
from ontomask.masking.description import About, Rule

__all__ = ["KEEP_WORDS", "MethodChoice", "Parameter", "check_aims", "method_choices", "read_parameter"]

Input = Literal["int", "number", "text", "flag"]

KEEP_WORDS: Mapping[str, Words] = {
    "meaning": Words("What the records mean", "Released records stay near in meaning. The usual choice."),
    "truth": Words("Only true statements", "Values become wider, such as ranges or broader terms, but never false."),
    "correlation": Words("How columns relate", "For studies of how one column depends on another."),
    "mean": Words("Averages", "For studies of what is typical."),
    "frequencies": Words("How often each value occurs", "For tables that count one column at a time."),
    "distribution": Words("How often each combination occurs", "For tables that count several columns together."),
    "balance": Words("A balance of loss and risk", "As little loss as possible for as little risk as possible."),
}
"""What the released table is needed for (`ontomask.advise`, ``keep``), in words."""

_INPUTS: Mapping[type, Input] = {bool: "flag", int: "int", float: "number", str: "text"}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a method.

    Attributes
    ----------
    input
        What a form asks for.
    options
        The values to choose from; empty if it is typed.
    expected
        What it must be, in words.
    default
        Its default; ``None`` if it has none.
    words
        Its name, meaning and values in words; ``None`` if only experts need it.
    """

    name: str
    input: Input
    options: tuple[str, ...]
    expected: str | Wording
    default: Any
    words: ParameterWords | None


@dataclass(frozen=True)
class MethodChoice:
    """A method with its parameters that a form can ask for."""

    name: str
    about: About
    parameters: tuple[Parameter, ...]

    @property
    def title(self) -> str:
        """Its name as words: ``Rank swapping``."""
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", self.name).split()
        return " ".join([words[0], *(word if word.isupper() else word.lower() for word in words[1:])])


def method_choices() -> list[MethodChoice]:
    """All methods of the package, those to release data with first.

    >>> choice = method_choices()[0]
    >>> choice.title, choice.parameters[0].name, choice.parameters[0].expected
    ('Microaggregation', 'k', 'an int ≥ 2')
    """
    found = [MethodChoice(name, cls.about, _parameters(cls)) for name, cls in METHODS.items()]
    return sorted(found, key=lambda choice: choice.about.baseline)


def _parameters(cls: type[Method]) -> tuple[Parameter, ...]:
    made = []
    for field in fields(cls):
        rule: Rule | None = field.metadata.get("rule")
        default = None if field.default is MISSING else field.default
        asked = rule.type if rule is not None and rule.type is not None else type(default)
        hidden = field.name in SHARED or field.metadata.get("private") or field.metadata.get("files")
        if rule is None or not field.init or hidden or asked not in _INPUTS:
            continue
        choices = tuple(map(str, rule.choices))
        if choices or _INPUTS[asked] != "text":
            words = parameter_words(cls.__name__, field.name)
            made.append(Parameter(field.name, _INPUTS[asked], choices, rule.expected, default, words))
    return tuple(made)


def read_parameter(parameter: Parameter, text: str) -> Any:
    """A text from a form as the value of a parameter. A text that is not one is left for the method to refuse."""
    text = text.strip()
    kinds: Mapping[Input, Any] = {"int": int, "number": float}
    if parameter.input == "flag":
        return text in ("true", "on")
    if parameter.input not in kinds:
        return text
    try:
        return kinds[parameter.input](text)
    except ValueError:
        return text


def check_aims(
    method: Method,
    asked: Sequence[Mapping[str, Any]],
    *,
    guarantee: bool,
    k: int | None,
    require: Sequence[Mapping[str, Any]],
) -> None:
    """Raise a `JobError` if a method gives less than a person asks for.

    Parameters
    ----------
    method, asked
        The method of a job, and its requirements as the job spells them.
    guarantee, k, require
        The aims: whether a guarantee must hold, how many people must look alike, and what groups must not give away.
    """
    if not guarantee:
        return
    problems = []
    given = getattr(method, "k", None)
    title, how = type(method).__name__, "Ask for a recommendation and use it, or choose a method with it."
    if not method.about.guarantees:
        problems.append(("aims.guarantee", f"{title} in the job guarantees nothing. {how} Or answer with no."))
    elif k is not None and given is not None and given < k:
        problems.append(("aims.k", f"You ask for {k}, but {title} in the job has k = {given}. {how}"))
    for aim in require:
        column = aim["column"]
        same = [one for one in asked if one.get("column") == column]
        if "l" in aim and not any(one.get("l", 0) >= aim["l"] for one in same):
            problems.append((f"aims.l.{column}", f"The method in the job does not give l = {aim['l']}. {how}"))
        if "t" in aim and not any(one.get("t", math.inf) <= aim["t"] for one in same):
            problems.append((f"aims.t.{column}", f"The method in the job does not give t = {aim['t']}. {how}"))
    if problems:
        raise JobError("", problems, code="aims")
