"""What multinomial naive Bayes repeats of scikit-learn has its very bits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import MultinomialNB

from sweepless import Dataset, Direction
from sweepless._threads import one_thread
from sweepless.criteria.bayes.layout import Cells
from sweepless.criteria.bayes.literal import LiteralWords, shares_of
from sweepless.criteria.bayes.multinomial import MultinomialNB as Criterion
from sweepless.criteria.folds import Partition, Split

FORMS = {
    "counts": lambda X: X,
    "integers": lambda X: X.astype(np.int64),
    "shares": lambda X: X / (1.0 + X.sum(axis=1, keepdims=True)),
    "columns first": np.asfortranarray,
    "sparse": sparse.csr_matrix,
}
PRIORS = {
    "learned": (None, {}),
    "uniform": ("uniform", {"fit_prior": False}),
    "given": ((0.2, 0.3, 0.5), {"class_prior": [0.2, 0.3, 0.5]}),
}


def texts(n_classes, n_samples=240, n_features=30, seed=0):
    draws = np.random.default_rng(seed)
    y = draws.permutation(np.arange(n_samples) % n_classes)
    return draws.poisson(draws.gamma(0.7, 2.0, size=(n_classes, n_features))[y]).astype(float), y


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_probabilities_have_the_bits_of_the_estimator(form, prior, n_classes, is_weighted):
    X, y = texts(n_classes)
    X = FORMS[form](X)
    weight = np.random.default_rng(1).random(len(y)) if is_weighted else None
    shares, options = PRIORS[prior]
    if n_classes == 2 and prior == "given":
        shares, options = (0.3, 0.7), {"class_prior": [0.3, 0.7]}
    data, rows = Dataset(X, y), np.random.default_rng(2).permutation(len(y))
    folds = np.arange(len(y)) % 4
    for fold, given in ((1, Partition(folds)), (0, Split(rows[60:], rows[:60]))):
        train, test = (
            (rows[60:], rows[:60]) if isinstance(given, Split) else map(np.flatnonzero, (folds != 1, folds == 1))
        )
        cells = Cells.cross_validation(data, given, shares, None if weight is None else tuple(weight))
        literal = LiteralWords(data, cells, given, 0.5, shares)
        places = np.searchsorted(np.sort(test), cells.order[cells.bounds[fold, 0] : cells.bounds[fold, -1]])
        in_cells = np.argsort(test)[places]
        for members in (np.array([3]), np.array([0, 7, 12, 28]), np.arange(30)):
            found = literal.logarithms(members, fold)
            with one_thread():
                params = {} if weight is None else {"sample_weight": weight[train]}
                fitted = MultinomialNB(alpha=0.5, **options).fit(data.X[:, members][train], y[train], **params)
                tested = data.X[:, members][test]
                np.testing.assert_array_equal(found, fitted.predict_joint_log_proba(tested)[in_cells])
                np.testing.assert_array_equal(shares_of(found), fitted.predict_proba(tested)[in_cells])


@pytest.mark.parametrize("score", ["neg_log_loss", "roc_auc", "average_precision", "f1_macro"])
def test_overconfident_models_have_values_that_depend_on_the_set_alone(score):
    X, y = texts(2, seed=3)
    data = Dataset(100.0 * X, y)
    cursor = Criterion(4, ties="nan", score=score).bind(data)
    cursor.jump(np.array([1, 5, 6, 20]))
    for direction in Direction:
        pool = direction.pool(cursor.members)
        values = cursor.peek(direction, pool)
        assert np.isfinite(values).all()
        for feature, value in zip(pool, values, strict=True):
            alone = cursor.evaluate(np.flatnonzero(direction.applied(cursor.members, feature)))
            assert alone == value
