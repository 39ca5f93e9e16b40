"""``python -m ontomask`` is the command ``ontomask``."""

from __future__ import annotations

from ontomask.cli import main

if __name__ == "__main__":
    main()
