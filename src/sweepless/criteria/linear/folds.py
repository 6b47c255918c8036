"""Ridge regression by k-fold cross-validation, for a subset and for all its neighbors at once.

Products with the members are computed within folds and summed over the other folds, so all k training parts cost
one pass over the samples. No terms of a sum cancel: the deviations within folds and those of the fold means both refer
to the mean of the training part.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sweepless._typing import Counts, Features, Mask, Values
from sweepless.criteria.base import Cursor, require_members
from sweepless.criteria.linear.members import TINY_PENALTY
from sweepless.criteria.linear.targets import Targets, squared_error, winners
from sweepless.criteria.schur import Factor, MomentTable, bordered, fit_errors
from sweepless.criteria.value_grid import snap, snap_all
from sweepless.dataset import Dataset
from sweepless.direction import Direction
from sweepless.kernels.linear.ridge import enter_paths, fold_correct, fold_predictions, scaled, training_moments

_BLOCK = 2**19  # numbers that are worked on at once: larger arrays do not stay in the cache


class Block(NamedTuple):
    """Some features: columns of mean 0 and norm 1, and how the training part of every fold scales them."""

    columns: Values
    means: Values  # in the fold
    outer_means: Values  # in its training part
    scales: Values  # so that squared norm and penalty sum to 1 there; 0 for a constant
    floors: Values  # the least that a squared pivot can be


class Layout(NamedTuple):
    """Samples in the order of their folds."""

    order: Counts
    starts: Counts

    @property
    def sizes(self) -> Counts:
        return np.diff(self.starts)


class FoldsCursor(Cursor):
    """Keeps the members' columns, centered within folds, and their products within folds."""

    _features: Features
    _members_block: Block
    _inner: Values  # columns minus fold means
    _products: Values  # fold, feature, feature
    _targets_with: Values  # fold, output, feature
    _fits: list[_Fit]  # one for each fold, made when first asked for

    def __init__(self, data: Dataset, targets: Targets, alpha: float, folds: Counts, n_folds: int) -> None:
        super().__init__(data)
        self._alpha, self._n_folds = alpha, n_folds
        starts = np.concatenate([[0], np.cumsum(np.bincount(folds, minlength=n_folds))])
        self._layout = Layout(np.argsort(folds, kind="stable"), starts.astype(np.int64))
        self._is_ordered = bool(np.all(self._layout.order[:-1] < self._layout.order[1:]))
        self._targets = targets.ordered(self._layout.order)
        self._means, self._outer_means, _ = training_moments(targets.outputs, self._layout.starts)
        self._moments = MomentTable(data.n_features)
        self._folds = [fold for fold, size in enumerate(self._layout.sizes) if size]  # an empty one counts 0
        self._scales = [self._scale(fold) for fold in range(n_folds)]
        self._clear()

    def _predicted(self, block: Block, fold: int) -> Values:
        """Return what a fit to the other folds predicts for one fold: the definition."""
        start, stop = self._layout.starts[fold : fold + 2]
        return fold_predictions(
            block.columns,
            self._targets.outputs,
            block.outer_means[fold],
            block.scales[fold],
            self._outer_means[fold],
            block.floors[fold],
            start,
            stop,
        )

    def evaluate(self, members: Features) -> float:
        members = require_members(members)
        block = self._block(members)
        total = 0.0
        for fold in self._folds:
            predicted, part = self._predicted(block, fold), self._part(fold)
            if self._targets.counts:
                right = winners(predicted) == self._targets.truth[part]
                total += int(np.count_nonzero(right)) / int(self._layout.sizes[fold])
            else:
                error = squared_error(predicted, self._targets.outputs[:, part])
                total += self._targets.best - error * self._scales[fold]
        value = total / self._n_folds
        return value if self._targets.counts else snap(value, self._targets.unit)

    def _part(self, fold: int) -> slice:
        return slice(int(self._layout.starts[fold]), int(self._layout.starts[fold + 1]))

    def _scale(self, fold: int) -> float:
        """Return what a squared error in the fold is worth."""
        part = self._part(fold)
        if self._targets.score == "mse":
            return self._targets.square / max(1, int(self._layout.sizes[fold]))
        values = self._targets.outputs[:, part]
        spread = squared_error(np.broadcast_to(self._means[fold][:, None], values.shape), values)
        return 1.0 / spread if spread > 0.0 else float("inf")

    def _block(self, features: Features) -> Block:
        columns = self.data.columns(features)
        if not self._is_ordered:
            columns = np.ascontiguousarray(columns[:, self._layout.order])
        found = self._moments.of(features, columns)
        norms = found[:, 2]
        with np.errstate(all="ignore"):
            inverse = np.where(np.isfinite(1.0 / norms), 1.0 / norms, 0.0)
            penalties = np.minimum(self._alpha / norms / norms, 2.0**200)
        columns = scaled(columns, found, inverse)
        means, outer_means, squares = training_moments(columns, self._layout.starts)
        varies = squares > 0.0
        safe = np.where(varies, squares, 1.0)
        fixed = np.where(varies, penalties, 0.0) + TINY_PENALTY * safe
        scales = np.where(varies, 1.0 / np.sqrt(safe + fixed), 0.0)
        return Block(columns, means, outer_means, scales, np.where(varies, fixed / (safe + fixed), 1.0))

    def _peek(self, direction: Direction, candidates: Features) -> Values:
        if not self._fits:
            self._fits = [self._fit(fold) for fold in range(self._n_folds)]
        values, undecided = np.empty(len(candidates)), np.empty(len(candidates), dtype=np.bool_)
        width = max(1, _BLOCK // self.data.n_samples)
        for start in range(0, len(candidates), width):
            part = slice(start, start + width)
            values[part], undecided[part] = self._neighbors(direction, candidates[part])
        return self._settled(values, undecided, direction, candidates)

    def _neighbors(self, direction: Direction, candidates: Features) -> tuple[Values, Mask]:
        """Return the values of neighbors, and which of them have to be computed from scratch."""
        total, doubts = np.zeros(len(candidates)), np.zeros(len(candidates))
        entering = self._entering(candidates) if direction.adds else None
        places = np.searchsorted(self._features, candidates)
        with np.errstate(all="ignore"):  # values that overflow are computed from scratch
            for fold in self._folds:
                value, doubt = self._shares(fold, places, entering)
                total += value
                doubts += doubt
        values = total / self._n_folds
        if self._targets.counts:
            return values, ~(doubts == 0.0)
        return snap_all(values, doubts / self._n_folds + 2.0**-48 * np.abs(values), self._targets.unit)

    def _shares(self, fold: int, places: Features, entering: _Entering | None) -> tuple[Values, Values]:
        """Return one fold's share of every value, and a bound on its error (of a share of samples: 0 or infinity)."""
        fit = self._fits[fold]
        part, widest = self._part(fold), fit.widest
        if entering is None:
            change = fit.factor.shrink(places)
            paths = change.columns.T @ fit.rows
            steps = fit.weights[places]
        else:
            scales = entering.block.scales[fold]
            shared = self._outer(fold, entering.products, self._members_block[1:3], entering.block)
            change = fit.factor.grow(shared * fit.scales[:, None] * scales)
            paths = change.columns.T @ fit.rows
            enter_paths(entering.block.columns, part.start, entering.block.outer_means[fold], scales, paths)
            steps = self._target_products(fold, entering.targets, entering.block) - change.columns.T @ fit.products
            widest = np.maximum(widest, scales)
        moves = change.sign * steps / change.sigma[:, None]
        lengths = np.einsum("kt,kt->k", paths, paths)
        sizes = np.sqrt(np.einsum("kc,kc->k", steps, steps))
        errors = widest * fit_errors(fit.factor, change, sizes, np.sqrt(lengths), fit.spread, fit.weight, fit.target)
        if self._targets.counts:
            correct, leads = fold_correct(fit.predicted, moves, paths, self._targets.truth[part])
            # Both the winner and the second may be off.
            return correct / int(self._layout.sizes[fold]), np.where(leads > 2.0 * errors, 0.0, np.inf)
        # The residuals of all outputs move along the same path, so their squares need no loop over outputs.
        whole = fit.square + lengths * np.einsum("kc,kc->k", moves, moves)
        squares = np.maximum(whole - 2.0 * np.einsum("kc,kc->k", moves, paths @ fit.residuals.T), 0.0)
        doubt = 2.0 * np.sqrt(squares) * errors + errors**2 + 2.0**-48 * whole
        return self._targets.best - squares * self._scales[fold], doubt * self._scales[fold]

    def _entering(self, candidates: Features) -> _Entering:
        block = self._block(candidates)
        inner = self._centered(block)
        return _Entering(block, self._products_with(inner), self._products_with(inner, self._inner_targets()))

    def _centered(self, block: Block) -> Values:
        """Return the columns minus their fold means."""
        return block.columns - np.repeat(block.means.T, self._layout.sizes, axis=1)

    def _inner_targets(self) -> Values:
        return self._targets.outputs - np.repeat(self._means.T, self._layout.sizes, axis=1)

    def _products_with(self, inner: Values, left: Values | None = None) -> Values:
        """Return products within every fold: (fold, member or target, other)."""
        left = self._inner if left is None else left
        products = np.empty((self._n_folds, len(left), len(inner)))
        for fold in range(self._n_folds):
            np.matmul(left[:, self._part(fold)], inner[:, self._part(fold)].T, out=products[fold])
        return products

    def _outer(self, fold: int, products: Values, means: tuple[Values, Values], other: Block) -> Values:
        """Return products over the training part of a fold, both sides centered there."""
        rest = [part for part in range(self._n_folds) if part != fold]
        left = (means[0][rest] - means[1][fold]) * self._layout.sizes[rest, None]
        shared: Values = left.T @ (other.means[rest] - other.outer_means[fold])
        for part in rest:
            shared += products[part]
        return shared

    def _target_products(self, fold: int, products: Values, block: Block) -> Values:
        shared = self._outer(fold, products, (self._means, self._outer_means), block)
        return np.asarray((shared * block.scales[fold]).T)

    def _fit(self, fold: int) -> _Fit:
        block, part = self._members_block, self._part(fold)
        scales = block.scales[fold]
        matrix = self._outer(fold, self._products, self._members_block[1:3], block) * scales * scales[:, None]
        np.fill_diagonal(matrix, 1.0)
        products = self._target_products(fold, self._targets_with, block)
        rows = (block.columns[:, part] - block.outer_means[fold][:, None]) * scales[:, None]
        means, outputs = self._outer_means[fold][:, None], self._targets.outputs
        factor = Factor(matrix, self.data.n_samples)
        return _Fit(factor, rows, products, scales, means, outputs[:, part], float(np.linalg.norm(outputs - means)))

    def _step(self, direction: Direction, feature: int) -> None:
        place = int(np.searchsorted(self._features, feature))
        block = self._block(np.array([feature]))
        inner = self._centered(block)
        edge = self._products_with(inner)[:, :, 0]
        alone = np.array([float(np.sum(inner[0, self._part(f)] ** 2)) for f in range(self._n_folds)])
        spliced = direction.spliced
        old = self._members_block
        self._features = spliced(self._features, place, feature)
        self._members_block = Block(
            direction.spliced_rows(old.columns, place, block.columns[0]),
            *(spliced(kept, place, new[:, 0]) for kept, new in zip(old[1:], block[1:], strict=True)),
        )
        self._inner = direction.spliced_rows(self._inner, place, inner[0])
        self._products = bordered(direction, self._products, place, edge, alone)
        shared = self._products_with(inner, self._inner_targets())[:, :, 0]
        self._targets_with = spliced(self._targets_with, place, shared)
        self._fits = []

    def _rebuild(self) -> None:
        self._clear()
        features = np.flatnonzero(self.members)
        if len(features):
            self._features, self._members_block = features, self._block(features)
            self._inner = self._centered(self._members_block)
            self._products = self._products_with(self._inner)
            self._targets_with = self._products_with(self._inner, self._inner_targets())

    def _clear(self) -> None:
        nothing = np.empty((self._n_folds, 0))
        self._features = np.empty(0, dtype=np.intp)
        self._members_block = Block(np.empty((0, self.data.n_samples)), nothing, nothing, nothing, nothing)
        self._inner = np.empty((0, self.data.n_samples))
        self._products = np.empty((self._n_folds, 0, 0))
        self._targets_with = np.empty((self._n_folds, len(self._targets.outputs), 0))
        self._fits = []


class _Entering(NamedTuple):
    """Candidates, and their products with the members and with the targets within folds."""

    block: Block
    products: Values
    targets: Values


class _Fit:
    """The fit of the working subset to the training part of one fold."""

    def __init__(
        self,
        factor: Factor,
        rows: Values,
        products: Values,
        scales: Values,
        means: Values,
        outputs: Values,
        target: float,
    ) -> None:
        self.factor, self.rows, self.products, self.scales, self.target = factor, rows, products, scales, target
        self.weights = factor.solve(products)
        self.predicted = means + self.weights.T @ rows
        self.residuals = outputs - self.predicted
        self.square = float(np.sum(self.residuals**2))
        self.weight = float(np.linalg.norm(self.weights))
        self.spread = float(np.sum(factor.half(rows) ** 2))
        # Fold means are exact to the last digit of the whole column, which may vary less in the training part.
        self.widest = max(1.0, float(np.max(scales, initial=0.0)))
