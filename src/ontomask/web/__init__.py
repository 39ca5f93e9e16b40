"""The workbench in the browser: thin pages over `ontomask.job`, served to one person on their own machine."""

from __future__ import annotations

from ontomask.web.server import serve

__all__ = ["serve"]
