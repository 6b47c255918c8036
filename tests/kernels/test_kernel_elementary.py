"""exp and log that vectorize are the library's to the last place."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sweepless.kernels.elementary import exp_of, log_of


def arguments(low, high):
    draws = np.random.default_rng(0)
    return np.concatenate([draws.uniform(low, high, 2000), np.linspace(low, high, 1001)]).tolist()


def test_log_is_within_one_unit_in_the_last_place():
    exponents = arguments(-700.0, 700.0)
    for x in [*(math.exp(e) for e in exponents), *arguments(0.5, 2.0), 1.0, 2.0**-1022, 1.7e308]:
        assert abs(log_of(x) - math.log(x)) <= math.ulp(math.log(x)), x
    assert log_of(1.0) == 0.0


def test_exp_is_within_two_units_in_the_last_place_also_below_the_normal_numbers():
    for x in [*arguments(-745.0, 0.0), *arguments(-1.0, 0.0), -1e-17, -708.4, -744.5]:
        assert abs(exp_of(x) - math.exp(x)) <= 2 * math.ulp(math.exp(x)), x
    assert exp_of(0.0) == exp_of(-0.0) == 1.0


@pytest.mark.parametrize("x", [-745.2, -746.0, -800.0, -1e300, -math.inf])
def test_exp_of_what_underflows_is_zero(x):
    assert exp_of(x) == 0.0
