from __future__ import annotations

import sys
from pathlib import Path

# Scripts find their neighbours beside them, as where they are run.
sys.path.insert(0, str(Path(__file__).parents[2] / "experiments"))
