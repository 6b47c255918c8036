"""Classifiers and regressors of scikit-learn that only validate: no criterion of ours computes them."""

from __future__ import annotations

from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sweepless.criteria.estimator import EstimatorCriterion

_N_TREES = 100


def logistic() -> EstimatorCriterion:
    """Return logistic regression on features of one variance; sparse features keep their zeros."""
    return EstimatorCriterion(make_pipeline(StandardScaler(with_mean=False), LogisticRegression(max_iter=1000)))


def forest() -> EstimatorCriterion:
    """Return a forest of 100 trees that is the same every time."""
    return EstimatorCriterion(RandomForestClassifier(_N_TREES, random_state=0))


def regression_forest() -> EstimatorCriterion:
    """Return the forest for numbers."""
    return EstimatorCriterion(RandomForestRegressor(_N_TREES, random_state=0))
