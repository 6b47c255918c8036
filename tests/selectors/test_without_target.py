"""A criterion may do without a target, and so may a selector."""

from __future__ import annotations

import numpy as np

from sweepless import SequentialSelector
from sweepless.criteria import FunctionCriterion


def test_a_criterion_without_target_is_fitted_on_features_alone() -> None:
    X = np.random.default_rng(0).normal(size=(20, 6)) * [1, 5, 1, 3, 1, 1]
    variance = FunctionCriterion(lambda members, data: float(data.columns(members).var(axis=1).sum()), needs_data=True)
    selector = SequentialSelector(variance, n_features_to_select=2).fit(X)
    assert selector.get_support(indices=True).tolist() == [1, 3]
