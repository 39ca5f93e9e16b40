"""Intruders: what each of them learns from a release."""

__all__: list[str] = []
