"""Checks of parameters and columns that several methods share."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

from ontomask.base.text import join_some
from ontomask.errors import MaskingError
from ontomask.masking.base import Method
from ontomask.microdata import Microdata

__all__ = ["nominal_only", "one_of", "share", "yes_or_no"]


def one_of(method: Method, name: str, value: object, choices: Sequence[str]) -> None:
    """Refuse a parameter that is not one of the choices."""
    if value not in choices:
        raise MaskingError(
            f"The {name!r} parameter of {type(method).__name__} must be one of {', '.join(choices)}. Got {value!r} "
            f"instead.",
            parameter=name,
        )


def yes_or_no(method: Method, *names: str, or_none: bool = False) -> None:
    """Refuse parameters that are not booleans (or ``None``, with ``or_none``)."""
    for name in names:
        value = getattr(method, name)
        if not isinstance(value, bool) and not (or_none and value is None):
            wanted = "True, False or None" if or_none else "True or False"
            raise MaskingError(
                f"The {name!r} parameter of {type(method).__name__} must be {wanted}. Got {value!r} instead.",
                parameter=name,
            )


def share(method: Method, name: str, value: object) -> None:
    """Refuse a parameter that is not a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise MaskingError(
            f"The {name!r} parameter of {type(method).__name__} must be a number from 0 to 1. Got {value!r} instead.",
            parameter=name,
        )


def nominal_only(method: Method, data: Microdata, why: str) -> None:
    """Refuse quasi-identifiers that are not nominal; ``why`` says the reason and what to do."""
    cannot = [name for name, column in data.quasi_identifiers.items() if column.space.domain is None]
    if cannot:
        raise MaskingError(f"{type(method).__name__} cannot mask {join_some(cannot)}: {why}.")
