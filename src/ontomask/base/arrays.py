"""Array types."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["IntArray", "Records"]

IntArray = NDArray[np.int32]

Records = NDArray[np.int64] | None
"""The number of equal records that each entry stands for; ``None`` if each entry is one record."""
