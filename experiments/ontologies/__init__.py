"""Experiments on distances and hierarchies (Martínez 2012, Ayala-Rivera 2014)."""
