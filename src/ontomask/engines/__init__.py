"""Where rows live: in memory, in DuckDB or on Spark. Only engines see rows; everything else works on counts."""

from ontomask.engines.base import Source

__all__ = ["Source"]
