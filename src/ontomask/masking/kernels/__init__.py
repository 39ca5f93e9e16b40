"""Compiled loops of the masking methods, a module a family."""
