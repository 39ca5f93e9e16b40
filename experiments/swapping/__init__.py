"""Experiments on rank swapping (Rodriguez-Garcia 2019)."""
