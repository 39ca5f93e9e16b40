"""Covariances of errors: the nearest one, and its root."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask.masking.noise.errors import Block, is_covariance, nearest_covariance


@st.composite
def symmetric(draw):
    """Correlations of any kind between 0 and 1, with some variances."""
    p = draw(st.integers(2, 5))
    numbers = draw(st.lists(st.floats(0, 1), min_size=p * p, max_size=p * p))
    matrix = np.array(numbers).reshape(p, p)
    matrix = (matrix + matrix.T) / 2
    np.fill_diagonal(matrix, 1.0)
    deviation = np.array(draw(st.lists(st.floats(0.05, 1), min_size=p, max_size=p)))
    return matrix * np.outer(deviation, deviation)


@given(symmetric())
def test_nearest_is_a_covariance_matrix_with_the_same_diagonal(matrix):
    nearest = nearest_covariance(matrix)
    assert is_covariance(nearest)
    assert np.diag(nearest) == pytest.approx(np.diag(matrix), rel=1e-9)
    if is_covariance(matrix):
        assert nearest == pytest.approx(matrix, abs=1e-6)


@given(symmetric(), st.integers(0, 2**32 - 1))
def test_none_is_nearer(matrix, seed):
    deviation = np.sqrt(np.diag(matrix))
    scale = np.outer(deviation, deviation)
    nearest = nearest_covariance(matrix) / scale
    best = np.linalg.norm(nearest - matrix / scale)
    rng = np.random.default_rng(seed)
    for size in (0.01, 0.3):
        # Another correlation matrix, from the nearest one's neighbourhood.
        vectors = np.linalg.cholesky(nearest + 1e-9 * np.eye(len(nearest)))
        vectors = vectors + size * rng.standard_normal(vectors.shape)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        assert np.linalg.norm(vectors @ vectors.T - matrix / scale) >= best - 1e-6


def test_root_of_a_singular_matrix():
    covariance = np.array([[0.25, 0.5], [0.5, 1.0]])
    root = Block((0, 1), covariance).root
    assert root == pytest.approx(root.T)
    assert root @ root == pytest.approx(covariance)
