"""The kernels of smooth linear models against plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless.kernels._jit import kernel
from sweepless.kernels.linear import losses
from sweepless.kernels.linear.approach import approach
from sweepless.kernels.linear.distances import bound_by_active, bound_by_curvature, bound_by_penalty, spans_with
from sweepless.kernels.linear.newton import combine, project, weighted_gram
from sweepless.kernels.linear.products import as_table, multiply
from sweepless.kernels.linear.respond import add_scaled, respond
from tests.reference.smooth_linear import LOSSES, approached, hinge_distance, optimum, shares

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


def _responded(loss, outputs, *others):
    """Let every sample be a member of its own, so that coefficients are outputs; return the slopes."""
    (n_left, n_outputs, n_samples), table = outputs.shape, as_table(np.eye(outputs.shape[2]))
    flat, products = outputs.reshape(-1, n_samples).copy(), np.empty((n_left * n_outputs, table.shape[1]))
    *first, gradients, ratios = others
    slopes = np.empty((n_left, n_outputs, table.shape[1]))
    respond(loss, flat, table, table, *first, slopes, products, gradients, ratios)
    slopes = slopes[:, :, :n_samples]
    np.testing.assert_array_equal(products[:, :n_samples], slopes.reshape(flat.shape))
    return slopes


@pytest.mark.parametrize("n_rows", [1, 7, 8, 43])
@pytest.mark.parametrize("shape", [(1, 1), (21, 50), (50, 21), (3, 8)])
def test_products_are_those_of_matrices(n_rows, shape):
    table, rows = DRAWS.normal(size=shape), DRAWS.normal(size=(n_rows, shape[0] + 2))
    found = np.full((n_rows, len(as_table(table)[0])), np.nan)
    multiplied(rows, as_table(table), found)
    np.testing.assert_allclose(found[1:, : shape[1]], rows[1:, : shape[0]] @ table, atol=1e-12)
    assert np.isnan(found[0]).all()  # which was not asked for
    assert np.all(found[1:, shape[1] :] == 0.0)


@kernel
def multiplied(rows, table, out):
    multiply(rows, 1, len(rows), table, out)


@pytest.mark.parametrize("enters", [True, False])
@pytest.mark.parametrize("name", LOSSES)
def test_many_candidates_respond_like_one_after_the_other(name, enters):
    """Two tasks of three candidates each, of which one is left out."""
    left, y = np.array([0, 1, 3, 5]), np.array([TARGETS[name], TARGETS[name][::-1]])
    outputs, weights = Z + DRAWS.normal(size=(4, len(Z))), np.array([WEIGHTS, WEIGHTS[::-1]])
    columns, points = DRAWS.normal(size=(3, len(Z) if enters else 0)), DRAWS.normal(size=(4, 3))
    ratios, gradients = np.ones((4, 2)), np.empty((4, 3))
    curvatures = np.array([LOSSES[name][2](Z, each) for each in y])
    with np.errstate(divide="ignore"):
        of_tasks = y, weights, 1.0 / curvatures[:, None]
        found = _responded(NUMBERS[name], outputs[:, None], *of_tasks, left, columns, points, gradients, ratios)
    for k, entry in enumerate(left):
        task, candidate = divmod(entry, 3)
        row = outputs[k] + (points[k, -1] * columns[candidate] if enters else 0.0)
        one, second = np.empty((1, len(Z))), np.empty(len(Z))
        losses.derivatives(NUMBERS[name], row[None], y[task], weights[task], one, second)
        np.testing.assert_array_equal(found[k, 0], one[0])
        if enters:
            assert gradients[k, -1] == pytest.approx(one[0] @ columns[candidate], rel=1e-10)
        if name != "squared_hinge":
            expected = second / weights[task] / curvatures[task]
            np.testing.assert_allclose(ratios[k], [expected.min(), expected.max()], rtol=1e-12)


def test_several_outputs_share_one():
    outputs = DRAWS.normal(size=(4, 3, 50)) * 5.0
    y, weights, start = DRAWS.integers(0, 3, 50).astype(float), np.ones(50), shares(DRAWS.normal(size=(3, 50)))
    ratios, none = np.empty((4, 2)), np.empty((4, 0))
    of_task = y[None], weights[None], 1.0 / start[None]
    found = _responded(losses.SOFTMAX, outputs, *of_task, np.arange(4), none, none, none, ratios)
    for row, slopes, ratio in zip(outputs, found, ratios, strict=True):
        share, first = np.empty((3, 50)), np.empty((3, 50))
        losses.softmax(row[None], share[None])
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
    outputs, columns, points = np.zeros((3, 2, 4)), DRAWS.normal(size=(4, 4)), DRAWS.normal(size=(3, 5))
    add_scaled(outputs, points, columns, np.array([0, 3, 5]))
    np.testing.assert_array_equal(outputs, points[:, -2:, None] * columns[[0, 3, 1], None])


def _changed(matrix, n_outputs):
    """Return the inverse over the members, and by Y and S⁻¹ what a feature with the last coefficients changes."""
    inverse = np.linalg.inv(matrix[:-n_outputs, :-n_outputs])
    rows = matrix[-n_outputs:, :-n_outputs] @ inverse
    corner = np.linalg.inv(matrix[-n_outputs:, -n_outputs:] - rows @ matrix[:-n_outputs, -n_outputs:])
    return inverse, rows, corner


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("enters", [True, False])
def test_secant_steps_are_those_of_the_formula(n_outputs, enters):
    size, left = 4 * n_outputs, np.array([2, 0])
    factors = DRAWS.normal(size=(3, size + n_outputs, 30))
    matrices = factors @ factors.transpose(0, 2, 1)
    parts = [_changed(matrix, n_outputs) for matrix in matrices]
    if enters:
        inverses, rows, corner = np.linalg.inv(matrices), *(np.array([part[k] for part in parts]) for k in (1, 2))
    else:  # the last of the members leave
        whole = np.linalg.inv(matrices)
        inverses, rows = np.zeros_like(whole), whole[:, -n_outputs:]
        inverses[:, :size, :size] = [part[0] for part in parts]
        corner = np.linalg.inv(whole[:, -n_outputs:, -n_outputs:])
    width = size + n_outputs
    gradients, points = DRAWS.normal(size=(2, 2, width)), DRAWS.normal(size=(3, width))
    if not enters:
        gradients[:, :, size:] = points[:, size:] = 0.0
    last, lengths, squares, before = np.zeros((3, 3, width)), np.full(3, np.inf), np.empty(2), None
    for gradient in gradients:
        if before is not None:  # whose rise is along the step, as that of a convex function
            gradient = before[1] + (points[left] - before[0]) @ np.diag(np.arange(1.0, width + 1.0))
        here, solved = points[left].copy(), np.zeros((2, width))
        base = [parts[c][0] if enters else np.linalg.inv(matrices[c]) for c in left]
        for k in range(2):
            solved[k, : len(base[k])] = base[k] @ gradient[k, : len(base[k])]
        approach(left, gradient, solved, rows, corner, np.zeros(3), last, points, lengths, squares, enters)
        np.testing.assert_allclose(points[left], approached(here, before, gradient, inverses[left]), atol=1e-9)
        np.testing.assert_allclose(squares, np.einsum("cp,cpq,cq->c", gradient, inverses[left], gradient), rtol=1e-9)
        np.testing.assert_array_equal(last[:2, left], [here, gradient])
        moves = points[left] - here
        if enters:
            assert np.all(lengths[left] >= np.sqrt(np.einsum("cp,cpq,cq->c", moves, matrices[left], moves)) - 1e-9)
        before = here, gradient


def test_spans_bound_those_of_the_changed_inverse():
    X, own = DRAWS.normal(size=(40, 4)), DRAWS.normal(size=(2, 40))
    own[1] = X[:, 0] + 1e-7 * own[1]
    inverse = np.linalg.inv(X.T @ X + np.eye(4))
    explained, sharpness, norms, exact = [], [], [], []
    for column in own:
        whole = np.column_stack([X, column])
        changed = np.linalg.inv(whole.T @ whole + np.diag([1.0] * 4 + [1e-9]))
        explained.append(column @ X @ inverse @ X.T @ column)
        sharpness.append(changed[-1, -1])
        norms.append(np.trace(changed))
        exact.append(np.sum(whole * (whole @ changed), axis=1))
    spans, squares = np.sum(X * (X @ inverse), axis=1), np.sum(X**2, axis=1)
    each = np.array(explained), np.array(sharpness), np.array(norms)
    found = spans_with(np.arange(2), spans[None], squares, own, *each, 1.0)
    slant = np.abs(own) + np.sqrt(np.outer(explained, spans))
    wide = np.minimum(spans + each[1][:, None] * slant**2, each[2][:, None] * (squares + own**2))
    np.testing.assert_allclose(found, wide, rtol=1e-12)
    assert np.all(found >= np.array(exact) * (1.0 - 1e-6))


@pytest.mark.parametrize("seed", range(20))
def test_hinges_are_as_near_as_they_say(seed):
    draws = np.random.default_rng(seed)
    X, y, weights = draws.normal(size=(60, 3)), draws.integers(0, 2, 60).astype(float), draws.uniform(0.5, 2.0, 60)
    penalties, (_, first, second) = np.array([1.0, 2.0, 0.5]), LOSSES["squared_hinge"]
    best = optimum("squared_hinge", X, y, weights, penalties)
    start = best + draws.choice([0.1, 0.3, 1.0]) * draws.normal(size=3)
    inverse = np.linalg.inv((X.T * weights * second(X @ start, y)) @ X + np.diag(penalties))
    point = best + 10.0 ** -draws.integers(1, 6) * draws.normal(size=3)
    slopes = weights * first(X @ point, y)
    gradient, zeros, none = X.T @ slopes + penalties * point, np.zeros(1), np.empty((1, 0))
    bends, roots = weights * second(X @ start, y), np.sqrt(np.sum(X * (X @ inverse), axis=1))
    found, by_penalty, decrement = np.empty(1), np.empty(1), np.empty(1)
    change = np.ascontiguousarray(X.T), inverse[None], np.zeros((1, 1, 3)), np.zeros((1, 1, 1))
    samples = slopes[None, None], *change, weights[None], bends[None], roots[None], none, zeros, zeros
    sizes = np.ones(1), np.ones(1), zeros, zeros, 0.0, 1.0, 1.0, 1.0
    bound_by_active(np.arange(1), np.array([gradient @ inverse @ gradient]), *samples, *sizes, found)
    assert found[0] == pytest.approx(hinge_distance(point, gradient, X, y, weights, start, inverse), rel=1e-9)
    away = best - point
    assert found[0] >= np.sqrt(away @ np.linalg.solve(inverse, away)) * (1.0 - 1e-6)
    members = start[None], penalties, np.ones(1), np.ones(1)
    bound_by_penalty(np.arange(1), gradient[None], point[None], *members, 0.0, 1.0, 1.0, decrement, by_penalty)
    assert by_penalty[0] == decrement[0] == pytest.approx(np.sqrt(np.sum(gradient**2 / penalties)))
    assert by_penalty[0] >= np.sqrt(np.sum(penalties * away**2)) * (1.0 - 1e-6)


@pytest.mark.parametrize("decrement", [0.0, 1e-9, 0.1, 10.0, np.nan])
def test_distances_by_curvature_are_those_of_the_formula(decrement):
    low, high, reach, noise = 0.8, 1.5, 0.5, 1e-12
    found, each = np.empty((3, 1)), (np.array([reach**2]), np.ones(1), np.zeros(1), np.zeros(1))
    entry = noise / (1.0 + 2.0 + reach * decrement)
    ratios, most = np.array([[low, high]]), (2.0**-20, 1.0)
    bound_by_curvature(np.arange(1), np.array([decrement**2]), ratios, *each, entry, 2.0, False, *most, *found)
    share = reach * (decrement + noise) / low
    if not share < 0.5:
        assert not found[2, 0] < np.inf
        return
    within = -np.log1p(-share)
    rate = max(high * np.exp(within) - 1.0, 1.0 - low * np.exp(-within))
    assert found[2, 0] == pytest.approx(min(rate * within, within + reach * decrement) / reach + noise, rel=1e-9)
    assert found[1, 0] == pytest.approx(high * np.exp(max(within, reach * decrement)))
