"""A cursor for distances between normal models, which keeps the class covariances of the subset factorized."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Features, Values
from sweepless.criteria.base import Cursor, require_members
from sweepless.criteria.gaussian.terms import Batch, Mixtures, Recipe
from sweepless.criteria.schur import MomentTable, bordered
from sweepless.criteria.value_grid import snap, snap_all
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.factor import add_gram
from sweepless.kernels.gaussian import class_deviations, factors, inverse_form, log_determinant


class GaussianCursor(Cursor):
    """Keeps the members' deviations and class covariances; every entry is computed once, so nothing drifts."""

    _features: Features
    _deviations: Values  # a feature per row, samples by class
    _means: Values  # class, feature
    _covariances: Values  # class, feature, feature
    _mixtures: Mixtures | None  # made when first asked for

    def __init__(self, data: Dataset, recipe: Recipe, regularization: float) -> None:
        super().__init__(data)
        self._recipe = recipe
        self._weights = np.array(recipe.mixtures)
        # In units of the norm over all samples a variance of 1 is 1 / (n - 1); distances do not depend on the unit.
        self._ridge = regularization / max(1, data.n_samples - 1)
        self._order = np.argsort(data.codes, kind="stable")
        sizes = data.class_sizes[data.class_sizes > 0]
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self._freedoms = np.maximum(sizes - 1, 1).astype(np.float64)
        self._moments = MomentTable(data.n_features)
        self._clear()

    def evaluate(self, members: Features) -> float:
        members = require_members(members)
        recipe = self._recipe
        deviations, means = self._described(members)
        rows = np.ascontiguousarray(deviations.T)
        covariances = np.zeros((recipe.n_classes, len(members), len(members)))
        for c, freedom in enumerate(self._freedoms):
            add_gram(rows, self._starts[c], self._starts[c + 1], covariances[c])
            covariances[c] /= freedom
        uppers = factors(covariances, self._weights, self._ridge)
        value = recipe.per_feature * len(members)
        for upper, weight in zip(uppers, recipe.determinants, strict=True):
            if weight:
                value += weight * log_determinant(upper)
        for k, i, j, weight in recipe.forms:
            value += weight * inverse_form(uppers[k], (means[i] - means[j])[:, None].copy())
        for k, other, weight in recipe.traces:
            value += weight * inverse_form(uppers[k], uppers[other].T.copy())
        return snap(value)

    def _described(self, features: Features) -> tuple[Values, Values]:
        """Return deviations (a feature per row, samples by class) and class means of some features."""
        columns = np.ascontiguousarray(self.data.columns(features)[:, self._order])
        return class_deviations(columns, self._moments.of(features, columns), self._starts)

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        if self._mixtures is None:
            self._mixtures = Mixtures(self._recipe, self._mixed(self._covariances), self._means, self.data.n_samples)
        with np.errstate(all="ignore"):  # values that overflow are computed from scratch
            values, errors = self._mixtures.values(self._batch(direction, candidates))
        return self._settled(*snap_all(values, errors, 1.0), direction, candidates)

    def _batch(self, direction: Direction, candidates: Features) -> Batch:
        if direction.adds:
            deviations, means = self._described(candidates)
            products, variances = self._covariances_with(deviations)
            ridged = np.tensordot(self._weights, variances, 1) + self._ridge
            return Batch(direction, candidates, np.tensordot(self._weights, products, 1), ridged, means)
        places = np.searchsorted(self._features, candidates)
        ridged = np.tensordot(self._weights, np.einsum("cii->ci", self._covariances)[:, places], 1) + self._ridge
        return Batch(direction, places, np.empty(0), ridged, self._means[:, places])

    def _covariances_with(self, deviations: Values) -> tuple[Values, Values]:
        """Return class covariances with the members (class, member, other) and class variances."""
        n_classes = self._recipe.n_classes
        products = np.empty((n_classes, len(self._features), len(deviations)))
        variances = np.empty((n_classes, len(deviations)))
        for c, freedom in enumerate(self._freedoms):
            part = slice(self._starts[c], self._starts[c + 1])
            products[c] = self._deviations[:, part] @ deviations[:, part].T / freedom
            variances[c] = np.einsum("kt,kt->k", deviations[:, part], deviations[:, part]) / freedom
        return products, variances

    def _mixed(self, covariances: Values) -> Values:
        mixed = np.tensordot(self._weights, covariances, 1)
        mixed[:, np.arange(len(mixed.T)), np.arange(len(mixed.T))] += self._ridge
        return mixed

    def _step(self, direction: Direction, feature: int) -> None:
        place = int(np.searchsorted(self._features, feature))
        deviations, means = self._described(np.array([feature]))
        products, variances = self._covariances_with(deviations)
        self._features = direction.spliced(self._features, place, feature)
        self._means = direction.spliced(self._means, place, means[:, 0])
        self._deviations = np.ascontiguousarray(direction.spliced(self._deviations.T, place, deviations[0]).T)
        self._covariances = bordered(direction, self._covariances, place, products[:, :, 0], variances[:, 0])
        self._mixtures = None

    def _rebuild(self) -> None:
        self._clear()
        features = np.flatnonzero(self.members)
        if len(features):
            self._deviations, self._means = self._described(features)
            self._features = features
            self._covariances, _ = self._covariances_with(self._deviations)

    def _clear(self) -> None:
        n_classes = self._recipe.n_classes
        self._features = np.empty(0, dtype=np.intp)
        self._deviations = np.empty((0, self._starts[-1]))
        self._means = np.empty((n_classes, 0))
        self._covariances = np.empty((n_classes, 0, 0))
        self._mixtures = None
