"""The parameters of masking methods in words, for people who choose a method in a form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["ParameterWords", "parameter_words"]


@dataclass(frozen=True)
class ParameterWords:
    """A parameter in words.

    Attributes
    ----------
    title, meaning
        What it is, and what it means for the person who sets it.
    options
        Words for its values.
    """

    title: str
    meaning: str
    options: Mapping[str, str] = field(default_factory=dict)


_WORDS: Mapping[str, ParameterWords] = {
    "k": ParameterWords("People who look alike, at least (k)", "A larger k is safer and loses more detail."),
    "RankSwapping.k": ParameterWords(
        "Swap among this many near records (k)", "A larger k is safer and loses more detail. It guarantees nothing."
    ),
    "prefer": ParameterWords(
        "Prefer",
        "Groups can be formed for little loss alone, or also for little risk. The step Compare shows what this costs.",
        {"loss": "little loss", "balance": "a balance of loss and risk", "risk": "little risk"},
    ),
    "centroid": ParameterWords(
        "A group is released as",
        "What stands for people who look alike.",
        {
            "semantic": "the values nearest to all its members",
            "lcs": "the narrowest term or range that covers all",
            "mode": "its most frequent record",
        },
    ),
    "mode": ParameterWords(
        "How widely",
        "Local changes lose less. With one level for each column, all values of a column are equally exact.",
        {"local": "each group as little as it needs", "full_domain": "one level for each column, as in ARX"},
    ),
    "Suppression.mode": ParameterWords(
        "Leave out",
        "Whole records, or single cells.",
        {"records": "records that too few others resemble", "cells": "single cells"},
    ),
    "suppression": ParameterWords(
        "Records that may be left out (share)", "From 0 to 1. Few rare records left out can save much detail."
    ),
    "limit": ParameterWords(
        "Left out at most (share)", "From 0 to 1. If more would have to be left out, nothing is released."
    ),
    "objective": ParameterWords(
        "What must be lost least",
        "How loss is counted while the method searches.",
        {
            "": "the usual",
            "balanced": "width and meaning, equally",
            "ncp": "width of terms and ranges",
            "semantic_loss": "meaning",
            "L": "meaning, large changes above all",
            "discernibility": "records that can be told apart",
        },
    ),
    "semantics": ParameterWords(
        "A suppressed cell counts as",
        "As any value, fewer cells are suppressed, and people are protected less.",
        {"equality": "a value of its own", "wildcard": "any value, as in sdcMicro"},
    ),
    "alpha": ParameterWords(
        "Noise level (alpha)", "1 changes values about as much as they differ; 0.3 is a usual start."
    ),
    "epsilon": ParameterWords("Privacy budget (epsilon)", "A smaller one is safer and loses more detail."),
    "records_per_person": ParameterWords(
        "Records of a person, at most", "Needed if persons have several rows: their budget is shared among these."
    ),
}
# Parameters that only studies of methods need have no words.


def parameter_words(method: str, name: str) -> ParameterWords | None:
    """The words for a parameter of a method; ``None`` if only experts need it."""
    return _WORDS.get(f"{method}.{name}", _WORDS.get(name))
