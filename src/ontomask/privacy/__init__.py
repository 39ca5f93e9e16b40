"""k, l and t of a released table: used to verify what a method guarantees, and to evaluate any table."""

from __future__ import annotations

from ontomask.privacy.anonymity import KAnonymity, k_anonymity
from ontomask.privacy.closeness import TCloseness, t_closeness
from ontomask.privacy.diversity import LDiversity, l_diversity
from ontomask.privacy.groups import Encoded, encode, group_records
from ontomask.privacy.population import PopulationRisk, population_risk

__all__ = [
    "Encoded",
    "KAnonymity",
    "LDiversity",
    "PopulationRisk",
    "TCloseness",
    "encode",
    "group_records",
    "k_anonymity",
    "l_diversity",
    "population_risk",
    "t_closeness",
]
