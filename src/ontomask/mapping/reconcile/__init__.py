"""A reconciliation service: OpenRefine and other clients map values to the concepts of a local ontology."""

from __future__ import annotations

from ontomask.mapping.reconcile.server import make_server
from ontomask.mapping.reconcile.service import ReconciliationService

__all__ = ["ReconciliationService", "make_server"]
