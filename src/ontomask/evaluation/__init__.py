"""Utility and disclosure risk of a masked table, and both in one object."""

from __future__ import annotations

from ontomask.evaluation.compute import evaluate
from ontomask.evaluation.evaluation import Evaluation
from ontomask.evaluation.linkage import Linkage
from ontomask.evaluation.utility import Change

__all__ = ["Change", "Evaluation", "Linkage", "evaluate"]
