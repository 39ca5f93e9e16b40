"""Experiments on noise addition (Rodriguez-Garcia 2016 and 2017)."""
