"""Public domains of small taxonomies."""

from __future__ import annotations

import pandas as pd

import ontomask as om
from ontomask.kinds.public import PublicDomain

__all__ = ["public_domain"]


def public_domain(taxonomy: om.Taxonomy, distance: str | None = "log_sc") -> PublicDomain:
    """All concepts of a taxonomy as candidates."""
    data = om.Microdata(pd.DataFrame({"x": [taxonomy.root]}), {"x": om.Nominal(taxonomy, domain=taxonomy.root)})
    return data.quasi_identifiers["x"].public_domain(distance)
