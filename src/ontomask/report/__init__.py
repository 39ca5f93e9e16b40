"""Results as a report that can be shared: plain data first, then text, JSON or one page of HTML."""

from __future__ import annotations

from ontomask.report.building import build_report
from ontomask.report.report import Report

__all__ = ["Report", "build_report"]
