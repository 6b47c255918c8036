"""What single samples contribute to a score, so that two subsets can be compared sample by sample."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

import numpy as np
from sklearn import metrics
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.pipeline import Pipeline

from sweepless._typing import AnyArray, Values

NONE: Values = np.empty(0)
"""The gains by a score that is no mean over samples."""
_LEAST = 2.0**-52  # a probability counts as no less
_FEWEST = 20  # fewer samples tell too little of how much they differ
_CAUTION = 6.0  # how many times more a variance counts that a single sample tells


@dataclass(frozen=True)
class Gains:
    """Numbers per sample whose mean is the score, but for rounding.

    Parameters
    ----------
    method : str
        The method of the estimator by which the scorer has its samples predicted.
    of : callable
        Takes the truth, what is predicted and the classes, if there are any, and returns a number per sample.
    sign : int
        1, or -1 for a loss.
    least : float
        The least that a predicted probability counts as.
    """

    method: str
    of: Callable[[AnyArray, AnyArray, Any], AnyArray]
    sign: int = 1
    least: float = 0.0

    def scored(self, scorer: Any, fitted: Any, table: Any, truth: AnyArray) -> tuple[Any, Values]:
        """Return the score and the gains of the predictions that it was made from; none if there were not any."""
        last = last_of(fitted)
        with _overheard(last, self.method) as predicted:
            score = scorer(fitted, table, truth)
        if len(predicted) != 1:
            return score, NONE
        found = np.maximum(predicted[0], self.least) if self.least else predicted[0]
        return score, np.asarray(self.sign * self.of(truth, found, getattr(last, "classes_", None)))


@contextmanager
def _overheard(fitted: Any, method: str) -> Iterator[list[AnyArray]]:
    """Keep what a method returns meanwhile."""
    heard: list[AnyArray] = []
    tell = getattr(fitted, method)

    @wraps(tell)
    def listening(*arguments: Any, **params: Any) -> Any:
        heard.append(tell(*arguments, **params))
        return heard[-1]

    setattr(fitted, method, listening)
    try:
        yield heard
    finally:
        delattr(fitted, method)


def _hits(truth: AnyArray, predicted: AnyArray, _: Any) -> AnyArray:
    return np.asarray(truth == predicted, dtype=np.float64)


def _logarithms(truth: AnyArray, predicted: AnyArray, classes: Any) -> AnyArray:
    shares = predicted[np.arange(len(truth)), np.searchsorted(classes, truth)]
    return np.asarray(-np.log(np.maximum(shares, _LEAST)))


def _squares(truth: AnyArray, predicted: AnyArray, _: Any) -> AnyArray:
    return np.asarray((truth - predicted) ** 2)


def _absolutes(truth: AnyArray, predicted: AnyArray, _: Any) -> AnyArray:
    return np.asarray(np.abs(truth - predicted))


def _explained(truth: AnyArray, predicted: AnyArray, _: Any) -> AnyArray:
    with np.errstate(divide="ignore", invalid="ignore"):  # nothing can be explained: nothing is known
        return np.asarray(1.0 - (truth - predicted) ** 2 / np.var(truth))


_ACCURACY, _R2 = Gains("predict", _hits), Gains("predict", _explained)
_OF_METRICS = {
    metrics.accuracy_score: _ACCURACY,
    metrics.log_loss: Gains("predict_proba", _logarithms),
    metrics.mean_squared_error: Gains("predict", _squares),
    metrics.mean_absolute_error: Gains("predict", _absolutes),
    metrics.r2_score: _R2,
}


def gains_of(estimator: Any, scorer: Any, target: AnyArray) -> Gains | None:
    """Return the gains by a scorer of scikit-learn; None where the score is no mean over samples, or is not known."""
    if target.ndim != 1 or getattr(scorer, "_kwargs", None):
        return None
    if hasattr(scorer, "_score_func"):
        known = _OF_METRICS.get(scorer._score_func)
        return None if known is None else replace(known, sign=scorer._sign)
    if not hasattr(scorer, "_estimator"):  # a function of the user's
        return None
    own = getattr(type(last_of(estimator)), "score", None)
    return {ClassifierMixin.score: _ACCURACY, RegressorMixin.score: _R2}.get(own)


def ahead(
    ours: list[list[Values]],
    whole: list[list[Values]],
    short: list[list[Values]],
    n_whole: int,
    n_errors: float,
    doubt: float = 0.0,
) -> Values:
    """Return by how much subsets will be ahead of the mean of some rivals, plus so many standard errors.

    Parameters
    ----------
    ours : list of lists of arrays
        The gains of every subset, fold by fold: by whole fits on the first `n_whole` folds and, if there are short
        ones, by those on the rest.
    whole, short : lists of lists of arrays
        The gains of every rival on every fold, by whole fits and, if there are any, by short ones.
    doubt : float
        The variance with which the gains of subsets may be off, if they were predicted and not seen.

    Notes
    -----
    Subsets and rivals are compared by the same fits. Without short ones, the samples of the first folds are a draw of
    all samples, without replacement. With them, only what whole fits will add to short ones is not known of the
    rest. How much that differs is what it does among the rivals, but they may be much alike: at least half of the
    variance by which a subset and the rivals have differed so far. If few samples make the difference, as where nearly
    all are predicted alike, a variance is known badly and counts for more (`_caution`). Every fold counts the same.
    """
    sizes = np.array([len(gains) for gains in whole[0]])
    n_samples, n_seen = sizes.sum(), sizes[:n_whole].sum()
    n_left = n_samples - n_seen
    if (n_samples if short else n_seen) < _FEWEST or n_left == 0 or len(whole) < 2:
        return np.full(len(ours), np.inf if n_errors else 0.0)
    weights = np.repeat(sizes.mean() / sizes, sizes)
    theirs = _rows(whole) * weights
    if short:
        shortly = _rows(short) * weights
        unknown, known = theirs - shortly, np.concatenate([theirs[:, :n_seen], shortly[:, n_seen:]], axis=1)
        error = np.sqrt(n_left) / n_samples  # of the mean of deviations 1
    else:
        unknown, known = theirs, theirs[:, :n_seen]
        error = n_left / n_samples * np.sqrt(1.0 / n_seen + 1.0 / n_left)
    differences = _rows(ours) * weights[: known.shape[1]] - known.mean(axis=0)
    among = np.var(unknown, axis=0, ddof=1)
    pooled = among.mean() * (1.0 + 1.0 / len(whole)) * _caution(among)
    own = differences.var(axis=1, ddof=1) / 2.0 * _caution(differences**2)
    variance = error**2 * np.maximum(pooled, own) + doubt / known.shape[1]
    return np.asarray(differences.mean(axis=1) + n_errors * np.sqrt(variance))


def _caution(squares: Values) -> Values:
    """Return how many times a variance counts that is made of these squares, by the number of samples that tell it.

    That is the number of those that differ, if they do so alike.
    """
    total, fourth = squares.sum(axis=-1), (squares**2).sum(axis=-1)
    n_telling = np.divide(total**2, fourth, out=np.ones_like(total), where=fourth > 0)
    return np.asarray(1.0 + _CAUTION / n_telling)


def _rows(gains: list[list[Values]]) -> Values:
    return np.array([np.concatenate(one) for one in gains])


def last_of(estimator: Any) -> Any:
    """Return the last estimator of a pipeline, or the estimator itself."""
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator
