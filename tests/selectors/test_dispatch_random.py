"""A few of the random comparisons with scikit-learn that `benchmarks/soak_native.py` makes by the thousand."""

from __future__ import annotations

import pytest

from tests.scikit_learn import VERSION

soak_native = pytest.importorskip("soak_native")


# The last four are discriminant analysis, which is native from scikit-learn 1.9 on.
@pytest.mark.parametrize("kind", range(len(soak_native.ESTIMATORS) - 4 * (VERSION < (1, 9))))
def test_native_values_are_those_of_cross_validation(kind):
    n_native = 0
    for number in range(kind, 5 * len(soak_native.ESTIMATORS), len(soak_native.ESTIMATORS)):
        wrong, is_native = soak_native.compare(number)
        assert wrong is None
        n_native += is_native
    assert n_native >= 1
