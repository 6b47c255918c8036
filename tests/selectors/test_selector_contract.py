"""Both selectors keep scikit-learn's contract."""

from __future__ import annotations

from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from sweepless import RankingSelector, SequentialSelector

SELECTORS = [
    SequentialSelector(cv=2, judge="linear"),
    SequentialSelector(LogisticRegression(max_iter=50), method="SFS", n_features_to_select=1, cv=2),
    SequentialSelector(GaussianNB(), method="sSBS", native=False, cv=2),
    RankingSelector(),
    RankingSelector(Ridge(), method="DAF1", n_probes=20, cv=2),
]


@parametrize_with_checks(SELECTORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
