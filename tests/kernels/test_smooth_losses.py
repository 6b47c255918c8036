"""The kernels of smooth linear models against plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless.kernels.linear import losses
from sweepless.kernels.linear.newton import combine, project, weighted_gram
from tests.reference.smooth_linear import LOSSES, shares

DRAWS = np.random.default_rng(0)
NUMBERS = {name: getattr(losses, name.upper()) for name in LOSSES}
Z = np.concatenate([DRAWS.normal(size=60) * 3.0, [0.0, -0.0, 1.0, -1.0, 30.0, -30.0]])
WEIGHTS = DRAWS.uniform(0.5, 2.0, len(Z))
Y = DRAWS.integers(0, 2, len(Z)).astype(float)
TARGETS = {"logistic": Y, "squared_hinge": Y, "poisson": 3.0 * Y, "gamma": Y + 0.5}


@pytest.mark.parametrize("name", LOSSES)
def test_losses_and_their_derivatives_are_those_of_their_formulas(name):
    y, (value, first, second) = TARGETS[name], LOSSES[name]
    found, curvature = np.empty((1, len(Z))), np.empty(len(Z))
    losses.derivatives(NUMBERS[name], Z[None], y, WEIGHTS, found, curvature)
    np.testing.assert_allclose(found[0], WEIGHTS * first(Z, y), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(curvature, WEIGHTS * second(Z, y), rtol=1e-12, atol=1e-25)
    total = losses.total_loss(NUMBERS[name], Z[None], y, WEIGHTS)
    assert total == pytest.approx(np.sum(WEIGHTS * value(Z, y)), rel=1e-13)


@pytest.mark.parametrize("name", LOSSES)
def test_many_candidates_respond_like_one_after_the_other(name):
    y = TARGETS[name]
    outputs = Z + DRAWS.normal(size=(5, len(Z)))
    found, ratios, curvatures = outputs.copy(), np.ones((5, 2)), np.empty(len(Z))
    losses.derivatives(NUMBERS[name], Z[None], y, np.ones(len(Z)), np.empty((1, len(Z))), curvatures)
    with np.errstate(divide="ignore"):
        losses.respond(NUMBERS[name], found, y, WEIGHTS, 1.0 / curvatures, ratios)
    for row, slopes, ratio in zip(outputs, found, ratios, strict=True):
        one, second = np.empty((1, len(Z))), np.empty(len(Z))
        losses.derivatives(NUMBERS[name], row[None], y, WEIGHTS, one, second)
        np.testing.assert_array_equal(slopes, one[0])
        if name != "squared_hinge":
            expected = second / WEIGHTS / curvatures
            np.testing.assert_allclose(ratio, [expected.min(), expected.max()], rtol=1e-12)


def test_several_outputs_share_one():
    outputs = DRAWS.normal(size=(4, 3, 50)) * 5.0
    y, weights, start = DRAWS.integers(0, 3, 50).astype(float), np.ones(50), shares(DRAWS.normal(size=(3, 50)))
    found, ratios = outputs.copy(), np.empty((4, 2))
    losses.respond_softmax(found, y, weights, 1.0 / start, ratios)
    for row, slopes, ratio in zip(outputs, found, ratios, strict=True):
        share, first = np.empty((3, 50)), np.empty((3, 50))
        losses.softmax(row, share)
        losses.derivatives(losses.SOFTMAX, row, y, weights, first, np.empty(50))
        np.testing.assert_allclose(share, shares(row), rtol=1e-13, atol=1e-300)
        np.testing.assert_allclose(first, shares(row) - (np.arange(3)[:, None] == y), atol=1e-14)
        np.testing.assert_allclose(slopes, first, atol=1e-15)
        np.testing.assert_allclose(ratio, [(share / start).min(), (share / start).max()], rtol=1e-12)
    total = losses.total_loss(losses.SOFTMAX, outputs[0], y, weights)
    assert total == pytest.approx(-np.log(shares(outputs[0])[y.astype(int), np.arange(50)]).sum(), rel=1e-12)


@pytest.mark.parametrize("shape", [(9, 1), (50, 6), (3, 5), (4, 0)])
def test_sums_are_products_of_matrices(shape):
    samples = DRAWS.normal(size=shape)
    weights, rows = DRAWS.normal(size=shape[0]), np.ascontiguousarray(samples.T)
    np.testing.assert_allclose(weighted_gram(samples, weights), (samples.T * weights) @ samples, atol=1e-12)
    coefficients, slopes = DRAWS.normal(size=(2, shape[1])), DRAWS.normal(size=(2, shape[0]))
    np.testing.assert_allclose(combine(coefficients, rows), coefficients @ rows, atol=1e-12)
    np.testing.assert_allclose(project(slopes, samples), slopes @ samples, atol=1e-12)
    outputs, columns, scales = np.zeros((6, 4)), DRAWS.normal(size=(3, 4)), DRAWS.normal(size=(3, 2))
    losses.add_scaled(outputs, scales, columns)
    np.testing.assert_array_equal(outputs.reshape(3, 2, 4), scales[:, :, None] * columns[:, None])
