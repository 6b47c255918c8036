"""Forests of a few trees: what they are, what is concluded from them, and that they never enter a value."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sweepless import Dataset, run
from sweepless.criteria import EstimatorCriterion
from sweepless.criteria.gains import ahead
from sweepless.criteria.short_looks import shortened
from tests.journal.twins import facts
from tests.search.test_racing import caution

DRAWS = np.random.default_rng(3)
Y = DRAWS.permutation(np.arange(75) % 3)
X = DRAWS.normal(size=(75, 9)) + (Y[:, None] == np.arange(9) % 4) * DRAWS.uniform(0.5, 1.5, 9)
DATA = Dataset(X, Y)
FOREST = RandomForestClassifier(30, random_state=0)


def scores(estimator, members, splits) -> list[np.ndarray]:
    """Return the hits on every fold, by definition."""
    return [
        (estimator.fit(X[train][:, members], Y[train]).predict(X[test][:, members]) == Y[test]).astype(float)
        for train, test in splits
    ]


def test_forests_have_smaller_ones_and_others_have_not():
    assert shortened(RandomForestClassifier(200)).n_estimators == 20
    assert (
        shortened(ExtraTreesRegressor(55, max_depth=3)).get_params() == ExtraTreesRegressor(5, max_depth=3).get_params()
    )
    assert shortened(make_pipeline(StandardScaler(), BaggingClassifier(n_estimators=40)))[-1].n_estimators == 4
    assert not shortened(RandomForestClassifier(50, oob_score=True)).oob_score
    for other in (
        RandomForestClassifier(29),
        GradientBoostingClassifier(),
        HistGradientBoostingClassifier(),
        NearestCentroid(),
    ):
        assert shortened(other) is None


def test_short_fits_stand_for_the_folds_without_whole_ones():
    cursor = EstimatorCriterion(FOREST, cv=3).bind(DATA)
    assert cursor.rungs == pytest.approx([0.1, 0.1 + 1 / 3, 0.1 + 2 / 3, 1.1])
    members, splits = np.array([1, 4]), cursor._fits.splits
    whole, short = (scores(forest, members, splits) for forest in (FOREST, RandomForestClassifier(3, random_state=0)))
    for rung in range(3):
        expected = np.mean([hits.mean() for hits in [*whole[:rung], *short[rung:]]])
        assert cursor.glimpse([members], rung)[0] == pytest.approx(expected, rel=1e-12)
    assert cursor.evaluate(members) == np.mean([hits.mean() for hits in whole])


@pytest.mark.parametrize("n_whole", [0, 1, 2])
@pytest.mark.parametrize("alike", [False, True])
def test_a_comparison_is_with_the_mean_of_rivals_by_the_same_fits(n_whole, alike):
    whole, short = DRAWS.normal(size=(2, 4, 60))
    if alike:
        whole[:3], short[:3] = whole[0], short[0]
    mixed = np.where(np.arange(60) < 20 * n_whole, whole, short)  # folds of one size
    added, differences = (whole - short)[:3], mixed[3] - mixed[:3].mean(axis=0)
    among = np.var(added, axis=0, ddof=1)
    pooled = among.mean() * (1 + 1 / 3) * caution(among)
    spread = np.sqrt(max(pooled, differences.var(ddof=1) / 2 * caution(differences**2)))
    ours, theirs, shortly = ([np.split(row, 3) for row in some] for some in (mixed[3:], whole[:3], short[:3]))
    found = ahead(ours, theirs, shortly, n_whole, 2.0)
    assert found == pytest.approx([differences.mean() + 2 * spread * np.sqrt(60 - 20 * n_whole) / 60])


def test_too_little_to_compare_with_is_no_reason_to_drop_anybody():
    folds, few = [np.split(np.zeros(60), 3)], [np.split(np.zeros(15), 3)] * 2
    assert np.all(ahead(folds, folds, folds, 0, 2.0) == np.inf)
    assert np.all(ahead(few, few, few, 0, 2.0) == np.inf)
    assert np.all(ahead(few, few, few, 0, 0.0) == 0.0)  # as good as the rivals, for all that is known


def test_trees_that_are_only_looked_at_count_as_work():
    trees = []

    class Counted(RandomForestClassifier):
        def fit(self, X, y):
            trees.append(self.n_estimators)
            return super().fit(X, y)

    raced = run("SFS", EstimatorCriterion(Counted(30, random_state=0), cv=3), DATA, target=2)
    assert sum(trees) / (30 * 3) == pytest.approx(raced.n_evaluations - raced.anatomy.spared)


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", "roc_auc_ovr"])
def test_a_search_by_short_looks_records_whole_values(scoring):
    criterion = EstimatorCriterion(FOREST, scoring, cv=3)
    raced = run("SFS", criterion, DATA, target=1)
    assert raced.anatomy.spared_share > 0.05
    cursor = criterion.bind(DATA)
    for record in raced.archive.values():
        assert record.value == cursor.evaluate(record.features)
    with parallel_config(backend="threading"):
        together = facts(run("SFS", EstimatorCriterion(FOREST, scoring, cv=3, n_jobs=2), DATA, target=1))
    told = together["told"] | {"criterion": facts(raced)["told"]["criterion"]}
    assert together | {"told": told} == facts(raced)
