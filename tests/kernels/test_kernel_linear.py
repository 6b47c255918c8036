"""The sums of the linear criteria: in order where they define a value, right where they do not."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from sweepless.kernels.factor import add_gram, solve_transposed
from sweepless.kernels.linear.least_loss import least_loss
from sweepless.kernels.linear.left_out import WIDTH, left_out_squares
from sweepless.kernels.linear.residual import residual_of
from sweepless.kernels.linear.ridge import enter_paths, training_moments
from sweepless.kernels.linear.score_tests import slopes_and_curvatures
from sweepless.kernels.linear.sweeps import LANES, multiply_tiles, sweep_paths
from tests.reference.smooth_linear import optimum


def ordered_sum(values):
    total = 0.0
    for value in values:
        total += float(value)
    return total


@pytest.mark.parametrize(("start", "stop"), [(0, 0), (0, 3), (2, 10), (0, 17), (5, 19)])
def test_products_are_summed_row_after_row(start, stop):
    rows = np.random.default_rng(1).normal(size=(19, 7)) * 1e3
    found = np.triu(np.ones((7, 7)))
    add_gram(rows, start, stop, found)
    for i in range(7):
        for j in range(i, 7):
            assert found[i, j] == ordered_sum([1.0, *(rows[t, i] * rows[t, j] for t in range(start, stop))])
    assert not np.tril(found, -1).any()


@pytest.mark.parametrize(("size", "n_columns"), list(product([0, 1, 4, 11], [1, 9])))
def test_triangular_systems_are_solved_row_after_row(size, n_columns):
    draws = np.random.default_rng(size)
    upper, right = np.triu(draws.normal(size=(size, size))), draws.normal(size=(size, n_columns))
    expected = right.copy()
    for k in range(size):
        expected[k] /= upper[k, k]
        for i in range(k + 1, size):
            expected[i] -= upper[k, i] * expected[k]
    solve_transposed(upper, right)
    assert right.tolist() == expected.tolist()


@pytest.mark.parametrize("sizes", [[10, 10, 10], [1, 30, 2, 5], [0, 7, 6]])
@pytest.mark.parametrize("n_columns", [1, 2, 9])
def test_moments_of_training_parts_are_summed_sample_after_sample(sizes, n_columns):
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    columns = np.random.default_rng(2).normal(size=(n_columns, starts[-1])) + 5.0
    columns[0, starts[1] : starts[2]] = 3.0
    columns[-1, starts[2] :] = columns[-1, : starts[1]] = 2.5  # constant outside the second fold
    means, outer_means, squares = training_moments(columns, starts)
    for k in range(n_columns):
        parts = [columns[k, a:b] for a, b in pairwise(starts)]
        own = [ordered_sum(part) / max(1, len(part)) for part in parts]
        assert means[:, k].tolist() == own
        inner = [ordered_sum((x - mean) * (x - mean) for x in part) for part, mean in zip(parts, own)]
        for f in range(len(sizes)):
            others = [g for g in range(len(sizes)) if g != f]
            outer = ordered_sum(sizes[g] * own[g] for g in others) / (starts[-1] - sizes[f])
            rest = np.concatenate([parts[g] for g in others])
            terms = [inner[g] + sizes[g] * (own[g] - outer) * (own[g] - outer) for g in others]
            assert outer_means[f, k] == outer
            assert squares[f, k] == (ordered_sum(terms) if np.ptp(rest) > 0.0 else 0.0)
    assert squares[1, -1] == 0.0


@pytest.mark.parametrize("n_samples", [1, 2, 3, 8, 31, 200])
def test_paths_of_a_fold(n_samples):
    draws = np.random.default_rng(n_samples)
    columns, explained = draws.normal(size=(4, n_samples + 5)), draws.normal(size=(4, n_samples))
    centers, scales = draws.normal(size=(2, 4))
    paths = explained.copy()
    enter_paths(columns, 3, centers, scales, paths)
    expected = (columns[:, 3 : 3 + n_samples] - centers[:, None]) * scales[:, None] - explained
    assert np.array_equal(paths, expected)


@pytest.mark.parametrize(
    ("n_samples", "n_neighbors", "n_outputs"), [(1, 1, 1), (30, 7, 1), (12, WIDTH, 2), (40, 65, 5)]
)
def test_left_out_squares_are_those_of_every_output(n_samples, n_neighbors, n_outputs):
    draws = np.random.default_rng(n_samples)
    paths = draws.normal(size=(n_samples, n_neighbors))
    levers, moves = draws.uniform(0.0, 0.01, n_neighbors), draws.normal(size=(n_outputs, n_neighbors))
    leverages, residuals = draws.uniform(0.0, 0.5, n_samples), draws.normal(size=(n_outputs, n_samples))
    errors = residuals[:, :, None] - moves[:, None, :] * paths
    rests = 1.0 - leverages[:, None] - levers * paths**2
    squares = np.sum(errors**2, axis=0)
    expected = [np.sum(squares / rests**2, axis=0), np.sum(squares**2 / rests**4, axis=0), np.min(rests, axis=0)]
    found = left_out_squares(paths, levers, moves, leverages, residuals)
    assert found == pytest.approx(np.array(expected), rel=1e-12)


@pytest.mark.parametrize(("n_vectors", "n_samples", "n_tiles"), list(product([1, 2, 5], [1, 4, 23], [1, 3])))
def test_vectors_are_multiplied_with_all_tiles(n_vectors, n_samples, n_tiles):
    draws = np.random.default_rng(n_vectors)
    columns, left = draws.normal(size=(n_tiles, n_samples, LANES)), draws.normal(size=(n_vectors, n_samples))
    assert multiply_tiles(columns, left) == pytest.approx(np.einsum("ct,itk->ick", left, columns), abs=1e-13)


@pytest.mark.parametrize(("n_pending", "n_samples", "n_outputs"), list(product([0, 1, 2, 3, 6], [1, 4, 23], [1, 2, 5])))
def test_a_sweep_applies_every_pending_change(n_pending, n_samples, n_outputs):
    draws = np.random.default_rng(n_pending)
    columns, paths = draws.normal(size=(2, 3, n_samples, LANES))
    sigma, residuals = draws.uniform(30.0, 40.0, (3, LANES)), draws.normal(size=(n_outputs, n_samples))
    leverages = draws.uniform(0.1, 0.4, n_samples)
    vectors, scales = draws.normal(size=(n_pending, n_samples)), draws.choice([-0.01, 0.01], n_pending)
    shares = np.einsum("jt,itk->ijk", vectors, columns)
    expected = paths - np.einsum("j,jt,ijk->itk", scales, vectors, shares)
    left = sigma - np.einsum("j,ijk->ik", scales, shares**2)
    steps, sums = sweep_paths(columns, paths, sigma, vectors, scales, leverages, residuals)
    assert paths == pytest.approx(expected, rel=1e-12)
    assert sigma == pytest.approx(left, rel=1e-12)
    assert steps == pytest.approx(np.einsum("ct,itk->ick", residuals, columns), rel=1e-10)
    for i in range(3):
        moves = steps[i] / sigma[i]
        moved = left_out_squares(paths[i], 1.0 / sigma[i], moves, leverages, residuals)
        assert np.all(sums[i, 1] >= moved[1] * (1.0 - 1e-12))
        errors = np.sum((residuals[:, :, None] - moves[:, None] * paths[i]) ** 2, axis=0)
        errors /= (1.0 - leverages[:, None] - paths[i] ** 2 / sigma[i]) ** 2
        if n_outputs == 1:  # squares of the sums of four samples bound those of single ones
            whole = n_samples - n_samples % 4
            errors = np.concatenate([errors[:whole].reshape(-1, 4, LANES).sum(axis=1), errors[whole:]])
        moved[1] = np.sum(errors**2, axis=0)
        assert sums[i] == pytest.approx(moved, rel=1e-12)


@pytest.mark.parametrize("size", [0, 1, 12])
def test_residuals_are_rounded_once(size):
    """A target that is nearly explained leaves a residual of which a plain sum has lost most digits."""
    draws = np.random.default_rng(size)
    rows, weights = draws.normal(size=(size, 50)), draws.normal(size=size)
    target = weights @ rows + 1e-12 * draws.normal(size=50)
    exact = [
        float(Fraction(value) - sum(Fraction(weight) * Fraction(x) for weight, x in zip(weights, column, strict=True)))
        for value, column in zip(target, rows.T, strict=True)
    ]
    assert residual_of(target, weights, rows) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("alpha", [1e-2, 5.0])
@pytest.mark.parametrize("strength", [0.5, 20.0])
def test_the_least_logistic_loss_is_that_of_newtons_method(alpha, strength):
    """The second strength separates the classes."""
    draws = np.random.default_rng(3)
    rows = np.vstack([np.ones(60), draws.normal(size=(4, 60))])
    target = (strength * rows[1] + draws.normal(size=60) > 0.0).astype(float)
    penalties = np.array([0.0, *np.full(4, alpha)])
    best = optimum("logistic", rows.T, target, np.ones(60), penalties)
    expected = np.sum(np.logaddexp(0.0, best @ rows) - target * (best @ rows)) + np.sum(penalties * best**2) / 2.0
    for start in (np.zeros((1, 5)), draws.normal(size=(1, 5))):
        least, decrement, trace, inverse, largest = least_loss(rows, target, np.ones(60), penalties, start, 2.0**-20)
        assert least == pytest.approx(expected, rel=1e-11)
        assert decrement <= 2.0**-20
        shares = 1.0 / (1.0 + np.exp(-(best @ rows)))
        matrix = (rows * shares * (1.0 - shares)) @ rows.T + np.diag(penalties)
        assert [trace, inverse] == pytest.approx([np.trace(matrix), np.trace(np.linalg.inv(matrix))], rel=1e-4)
        assert largest == pytest.approx(np.abs(best @ rows).max(), rel=1e-5)


def test_a_start_that_leads_nowhere_has_an_infinite_loss():
    rows = np.vstack([np.ones(8), np.repeat([-1.0, 1.0], 4)])
    start = np.array([[np.nan, 0.0]])
    assert least_loss(rows, np.repeat([0.0, 1.0], 4), np.ones(8), np.ones(2), start, 2.0**-20)[0] == np.inf


@pytest.mark.parametrize("n_samples", [1, 4, 11])
def test_slopes_and_curvatures_are_sums_over_samples(n_samples):
    draws = np.random.default_rng(n_samples)
    columns, slopes, curvatures = (
        draws.normal(size=shape).astype(np.float32) for shape in ((n_samples, 1100), n_samples, n_samples)
    )
    expected = np.vstack([slopes @ columns, curvatures @ columns**2])
    assert slopes_and_curvatures(columns, slopes, curvatures) == pytest.approx(expected, rel=1e-4, abs=1e-5)
