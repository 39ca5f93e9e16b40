"""Experiments on methods that make groups of at least k equal records (Martínez 2012)."""
