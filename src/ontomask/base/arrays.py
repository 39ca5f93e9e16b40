"""Array types."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["IntArray"]

IntArray = NDArray[np.int32]
