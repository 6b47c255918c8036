"""Who judges features on data that no search has seen: one predictor of every family.

A panel fits hundreds of them to small data. These are in closed form, or compiled, so that a fit takes a fraction of a
millisecond; scikit-learn's spend several on checks and copies before they begin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Self

import numpy as np
from scipy.linalg import solve
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from sweepless._typing import AnyArray, Values
from sweepless.dataset import Task
from sweepless.engine.portable import PortableRng
from sweepless.kernels.trees import tree_outputs

_CLIP = 3.0
_NEIGHBORS = 5
_TREES = 25
_MOST_ROWS = 1000  # of a kernel matrix
_CELLS = 1 << 23  # distances held at once

Family = Callable[[Values, Values, Values], Values]
"""Learns from standardized rows and their outputs, one per class or a single number, and returns those of new rows."""


def discriminant(known: Values, outputs: Values, new: Values) -> Values:
    """Normal classes of one covariance, to which the weight of four samples of independent features is added."""
    known, new = np.clip(known, -_CLIP, _CLIP), np.clip(new, -_CLIP, _CLIP)
    sizes = outputs.sum(axis=0)
    means = outputs.T @ known / sizes[:, None]
    inside = known - outputs @ means
    weights = _penalized(inside, means.T, 4.0, len(known))
    scores = new @ weights - 0.5 * np.sum(means.T * weights, axis=0) + np.log(sizes / len(known))
    return np.asarray(softmax(scores, axis=1))


def ridge(known: Values, outputs: Values, new: Values) -> Values:
    """Least squares with a penalty of one sample."""
    level = outputs.mean(axis=0)
    return np.asarray(level + new @ _penalized(known, known.T @ (outputs - level), 1.0, 1.0))


def _penalized(rows: Values, right: Values, penalty: float, scale: float) -> Values:
    """Return scale * (rows' rows + penalty)^-1 right, by the smaller of the two products of the rows."""
    if rows.shape[1] <= len(rows):
        gram = rows.T @ rows
        gram.flat[:: len(gram) + 1] += penalty
        return np.asarray(scale * solve(gram, right, assume_a="pos", check_finite=False))
    gram = rows @ rows.T
    gram.flat[:: len(gram) + 1] += penalty
    inner = solve(gram, rows @ right, assume_a="pos", check_finite=False)
    return np.asarray((scale / penalty) * (right - rows.T @ inner))


def radial(known: Values, outputs: Values, new: Values) -> Values:
    """Least squares with radial kernels of the usual width, on so many rows at most, evenly spread."""
    if len(known) > _MOST_ROWS:
        order = np.argsort(outputs @ np.arange(outputs.shape[1]), kind="stable")
        kept = order[np.linspace(0, len(known) - 1, _MOST_ROWS).round().astype(np.intp)]
        known, outputs = known[kept], outputs[kept]
    level, width = outputs.mean(axis=0), known.shape[1]
    matrix = np.exp(_squares(known, known) / -width)
    matrix.flat[:: len(matrix) + 1] += 1.0
    weights = solve(matrix, outputs - level, assume_a="pos", check_finite=False)
    return np.asarray(level + np.exp(_squares(new, known) / -width) @ weights)


def neighbors(known: Values, outputs: Values, new: Values) -> Values:
    """The mean of the five nearest rows; rows that are equally far share the places that are left."""
    height = max(1, _CELLS // len(known))
    parts = [new[start : start + height] for start in range(0, len(new), height)]
    return np.concatenate([_neighbors(known, outputs, part) for part in parts])


def _neighbors(known: Values, outputs: Values, new: Values) -> Values:
    k = min(_NEIGHBORS, len(known))
    distances = _squares(new, known)
    farthest = np.partition(distances, k - 1, axis=1)[:, k - 1 : k]
    doubt = 1e-12 * (1.0 + np.sum(new**2, axis=1, keepdims=True))  # what rounding may make of equal distances
    nearer, within = distances < farthest - doubt, distances <= farthest + doubt
    n_nearer, n_within = np.count_nonzero(nearer, axis=1), np.count_nonzero(within, axis=1)
    share = ((k - n_nearer) / (n_within - n_nearer))[:, None]
    return np.asarray((share * (within @ outputs) + (1.0 - share) * (nearer @ outputs)) / k)


def _squares(rows: Values, others: Values) -> Values:
    """Return the squared distances of all pairs."""
    found = rows @ (-2.0 * others.T)
    found += np.sum(rows**2, axis=1, keepdims=True)
    found += np.sum(others**2, axis=1)
    return found


def trees(known: Values, outputs: Values, new: Values) -> Values:
    """The mean of some trees of random splits, always the same draws."""
    n_outputs = outputs.shape[1]
    is_numbers = n_outputs == 1
    codes = outputs.argmax(axis=1)
    weights = outputs[:, 0] - outputs[:, 0].mean() if is_numbers else np.ones(len(known))
    n_tries = int(np.ceil(known.shape[1] / 3 if is_numbers else np.sqrt(known.shape[1])))
    rng, found = PortableRng(0), np.zeros((len(new), n_outputs))
    for _ in range(_TREES):
        draws = rng.uniforms(2 * n_tries * len(known)).reshape(len(known), -1)
        tree_outputs(known, codes, weights, n_outputs, draws, new, found)
    return found / _TREES + (outputs.mean() if is_numbers else 0.0)


FAMILIES: dict[Task, Mapping[str, Family]] = {
    "classification": {"linear": discriminant, "kernel": radial, "neighbors": neighbors, "trees": trees},
    "regression": {"linear": ridge, "neighbors": neighbors, "trees": trees},
}


class _Judge(BaseEstimator):  # type: ignore[misc]
    """Brings features to one scale and keeps them for its family.

    Parameters
    ----------
    family : callable
    """

    def __init__(self, family: Family) -> None:
        self.family = family

    def __sklearn_clone__(self) -> Self:
        return type(self)(self.family)  # hundreds of times, which should not ask for signatures

    def _learn(self, X: AnyArray, outputs: Values) -> None:
        rows = np.asarray(X, dtype=np.float64)
        with np.errstate(all="ignore"):
            mean, deviation = rows.mean(axis=0), rows.std(axis=0)
            varies = np.isfinite(deviation) & (deviation > 1e-13 * np.abs(mean))
        self._shift, self._scale = np.where(varies, mean, 0.0), np.where(varies, deviation, np.inf)
        self._known, self._outputs = self._scaled(rows), outputs

    def _scaled(self, rows: Values) -> Values:
        return (rows - self._shift) / self._scale

    def _predicted(self, X: AnyArray) -> Values:
        return self.family(self._known, self._outputs, self._scaled(np.asarray(X, dtype=np.float64)))


class ClassJudge(ClassifierMixin, _Judge):  # type: ignore[misc]
    """A classifier of a family."""

    def fit(self, X: AnyArray, y: AnyArray) -> ClassJudge:
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._learn(X, np.eye(len(self.classes_))[codes])
        return self

    def predict(self, X: AnyArray) -> AnyArray:
        return np.asarray(self.classes_[self._predicted(X).argmax(axis=1)])

    def predict_proba(self, X: AnyArray) -> Values:
        shares = np.clip(self._predicted(X), 1e-9, 1.0)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def score(self, X: AnyArray, y: AnyArray) -> float:
        return float(np.mean(self.predict(X) == y))


class NumberJudge(RegressorMixin, _Judge):  # type: ignore[misc]
    """A regressor of a family."""

    def fit(self, X: AnyArray, y: AnyArray) -> NumberJudge:
        self._learn(X, np.asarray(y, dtype=np.float64)[:, None])
        return self

    def predict(self, X: AnyArray) -> Values:
        return self._predicted(X)[:, 0]


def default_judges(task: Task) -> Mapping[str, ClassJudge | NumberJudge]:
    """Return an unfitted predictor of every family: linear, kernel (of classes), neighbors, trees."""
    kind = NumberJudge if task == "regression" else ClassJudge
    return {name: kind(family) for name, family in FAMILIES[task].items()}
