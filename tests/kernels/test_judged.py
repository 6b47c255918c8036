"""Scores on their grid and their bounds, beside those of plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from sweepless.criteria.schur import Factor
from sweepless.kernels.linear.judged import judge
from tests.reference.linear import judged

N_SAMPLES, SPACING = 80, 2.0**-26


@pytest.mark.parametrize("size", [0, 1, 9])
@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("drift", [0.0, 1e-11, 1e-9, 1e-3])
def test_what_is_decided_is_what_bounds_allow(size, n_outputs, drift):
    draws = np.random.default_rng(size)
    rows = draws.normal(size=(size, N_SAMPLES)) / np.sqrt(N_SAMPLES)
    factor = Factor(rows @ rows.T + np.diag(1.0 - np.sum(rows**2, axis=1)), N_SAMPLES)
    sigma = draws.uniform(0.01, 1.0, 500)
    sigma[:3] = np.nan, 0.0, 1e-14
    sums = draws.uniform(0.2, 0.9, (3, 500))
    sums[2, 3:6] = 0.0, -0.5, np.nan
    sums[0, 6:9] = np.inf, np.nan, -1e-20
    steps, fit = draws.normal(size=(n_outputs, 500)) / 10.0, (2.0, 1.0, 0.3)
    with np.errstate(invalid="ignore"):
        change = factor.entering(sigma)
    expected, room = judged(factor, change, steps, sums, fit, drift, N_SAMPLES, 1.0, 0.7, SPACING)
    values, undecided = np.empty(500), ~change.is_sound
    norms = factor.spectral_noise, factor.norm, *fit
    lengths = np.sqrt(np.sum(steps**2, axis=0))
    sizes = change.sigma, change.reach, change.growth, lengths, sums
    judge(*sizes, *norms, drift, N_SAMPLES, n_outputs, 1.0, 0.7, SPACING, values, undecided)
    assert np.array_equal(values, expected, equal_nan=True)
    clear = ~(np.abs(room) < 1e-9)
    assert undecided[clear].tolist() == (~(room > 0.0))[clear].tolist()
    assert undecided[:9].all() and np.all(clear)
    assert np.all(undecided) if drift == 1e-3 else drift == 1e-9 or np.mean(undecided[9:]) < 0.5
