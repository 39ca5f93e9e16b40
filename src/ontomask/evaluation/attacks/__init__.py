"""Intruders: what each of them learns from a release."""
