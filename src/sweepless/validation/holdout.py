"""What subsets are worth on held-back data, by a predictor of any family, also another than guided the search (C48)."""

from __future__ import annotations

from sweepless._typing import Features
from sweepless.criteria.registry import make_predictor
from sweepless.dataset import Dataset, Task


def holdout_accuracy(classifier: str, train: Dataset, test: Dataset, features: Features) -> float:
    """Return the share of `test` that a classifier trained on all of `train`, on some features, gets right.

    Parameters
    ----------
    classifier : {"knn", "svm", "multinomial-nb", "gaussian-nb", "ridge"}
        1-NN; radial support vector machine with C = 1 and scikit-learn's "scale" width; the paper's multinomial
        naive Bayes; Gaussian naive Bayes; least squares on ±1 with a penalty of 1.
    train, test : Dataset
        The test part is used once, here.
    features : array of int
    """
    return make_predictor(classifier, "classification").validate(train, test, features)


def holdout_score(predictor: str, train: Dataset, test: Dataset, features: Features) -> float:
    """Return the accuracy of a classifier where the target of the training part is classes, R² of a regressor else.

    Parameters
    ----------
    predictor : str
        As for `holdout_accuracy`; for numbers "ridge" (penalty 1) or "knn-regression" (five neighbours).
    train, test, features : as for `holdout_accuracy`
    """
    task: Task = "classification" if train.has_classes else "regression"
    return make_predictor(predictor, task).validate(train, test, features)
