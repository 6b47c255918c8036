"""Weights of samples, as estimators of scikit-learn take them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import Pipeline

from sweepless._typing import Counts, Values
from sweepless.dataset import Dataset
from sweepless.selectors.native_scores import NotNative

WEIGHTED = (LinearRegression, Ridge, RidgeClassifier, GaussianNB, MultinomialNB)
"""Estimators whose native criterion takes `sample_weight`."""
_NO_WEIGHT = 1e-7  # scikit-learn takes weights of up to 1e-8 for none
_MOST_LOST = 1000.0  # the total that a grid is made for, in units of a class: its sums still have twelve digits


def sample_weight_of(
    estimator: Any, final: Any, params: Mapping[str, Any], data: Dataset, splits: Any
) -> Values | None:
    """Return the weights among the parameters of `fit`; raise `NotNative` unless they are all that is given."""
    if not params:
        return None
    name = f"{estimator.steps[-1][0]}__sample_weight" if isinstance(estimator, Pipeline) else "sample_weight"
    if set(params) != {name} or type(final) not in WEIGHTED:
        raise NotNative("only the estimator itself knows what to do with these parameters for fit")
    weights = np.asarray(params[name])
    if weights.shape != (data.n_samples,) or weights.dtype.kind not in "biuf":
        raise NotNative("`sample_weight` is not one number per sample")
    if not np.all((weights >= 0.0) & (weights < np.inf)):
        raise NotNative("`sample_weight` is negative or infinite somewhere")
    if any(not weights[train].sum() > 0.0 for train, _ in splits):
        raise NotNative("`sample_weight` is zero for a whole training part")
    if type(final) in (GaussianNB, MultinomialNB):
        least = _least_class(weights, data.codes, splits)
        if not least > _NO_WEIGHT:
            raise NotNative("`sample_weight` is zero for a whole class of a training part")
        largest = float(weights.max()) * data.n_samples * data.n_features
        if type(final) is MultinomialNB and largest > _MOST_LOST * least and not _is_whole(data.X, weights):
            raise NotNative("sums of so many counts, weighed so differently, have too few digits on one grid")
    return weights.astype(np.float64)


def _least_class(weights: Values, codes: Counts, splits: Any) -> float:
    """Return the least weight of a class in a training part that holds it."""
    return min(float(weights[train][codes[train] == code].sum()) for train, _ in splits for code in set(codes[train]))


def _is_whole(X: Any, weights: Values) -> bool:
    """Tell whether weighted counts are whole numbers, whose sums lose nothing."""
    return all(np.array_equal(some, np.rint(some)) for some in (weights, X.data if sparse.issparse(X) else X))
