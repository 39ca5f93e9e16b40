"""Intruders: what each of them learns from a release. One intruder a module; `attack` runs them all."""
