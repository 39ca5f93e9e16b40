"""Metric privacy and local differential privacy by meaning."""

from __future__ import annotations

from ontomask.masking.metric_privacy.method import MetricPrivacy
from ontomask.masking.metric_privacy.model import MetricPrivacyModel
from ontomask.masking.metric_privacy.synthetic import SyntheticRecords

__all__ = ["MetricPrivacy", "MetricPrivacyModel", "SyntheticRecords"]
