"""One training part of a linear model, the samples it is tested on, and the optimum of the working subset."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Values
from sweepless.criteria.linear.held_out import HeldOut
from sweepless.criteria.linear.smooth_fit import Fit, Task, class_weights
from sweepless.criteria.linear.smooth_neighbors import Base, Neighbors
from sweepless.criteria.scores.names import score_of
from sweepless.direction import Direction
from sweepless.kernels.linear.losses import LOGISTIC, SOFTMAX, SQUARED_HINGE
from sweepless.kernels.linear.newton import combine

_MOST_STEPS = 40


def class_parts(criterion: Any, codes: Counts, labels: AnyArray, splits: list[tuple[Counts, Counts]]) -> list[Part]:
    """Return the parts of a classifier; each numbers the classes that it trains on."""
    parts, score = [], score_of(criterion.score, "labels", "outputs", "probabilities")
    for train, test in splits:
        present = np.unique(codes[train])
        target = np.searchsorted(present, codes[train])
        weights = class_weights(criterion.class_weight, target, labels[present].tolist())
        is_binary = len(present) == 2
        loss = SQUARED_HINGE if criterion.loss == "squared_hinge" else LOGISTIC if is_binary else SOFTMAX
        task = Task(loss, target.astype(np.float64), weights, 1 if is_binary else len(present))
        held_out = HeldOut(score, codes[test], labels, present, task.close, criterion.ties)
        parts.append(Part(criterion, task, held_out, train, test))
    return parts


class Part:
    """One training part and its held-out samples."""

    _rows: Values  # the constant and the members, training part first
    _penalties: Values
    _start: Values | None  # where the next fit begins
    _base: Base | None  # made when first asked for

    def __init__(self, criterion: Any, task: Task, held_out: HeldOut, train: Counts, test: Counts) -> None:
        self._task, self._held_out = task, held_out
        self._order, self._n_train = np.concatenate([train, test]), len(train)
        self._is_ordered = bool(np.all(self._order[:-1] < self._order[1:]))
        self._n_constants = int(criterion.fit_intercept)
        is_free = criterion.intercept_scaling == np.inf
        self._constant = np.full((self._n_constants, len(self._order)), 1.0 if is_free else criterion.intercept_scaling)
        self._constant_penalty = np.full(self._n_constants, 0.0 if is_free else 1.0 / criterion.C)

    def _own(self, columns: Values) -> Values:
        """Return the columns in the order of this part."""
        return columns if self._is_ordered else np.take(columns, self._order, axis=1)

    def from_scratch(self, columns: Values, penalties: Values) -> float:
        """Return the value of a subset: the definition."""
        rows = np.vstack([self._constant, self._own(columns)])
        fit = self._fit(rows, np.concatenate([self._constant_penalty, penalties]), None)
        tested = np.ascontiguousarray(rows[:, self._n_train :])
        if not fit.is_sound or not np.max(fit.errors(tested), initial=0.0) <= self._task.largest_error:
            return np.nan
        return self._held_out.settled(combine(fit.coefficients, tested), lambda _: tested.T)

    def _fit(self, rows: Values, penalties: Values, start: Values | None) -> Fit:
        return Fit(self._task, np.ascontiguousarray(rows[:, : self._n_train]), penalties, start)

    def neighbors(self, block: tuple[Values, Values] | None, places: Features) -> tuple[Values, Values]:
        """Return the values with the columns of a block, or without the members at some places, and their errors."""
        if self._base is None:
            tested = np.ascontiguousarray(self._rows[:, self._n_train :])
            self._base = Base(self._fit(self._rows, self._penalties, self._start), tested)
        n_train = self._n_train
        values, doubts = np.full(len(places), np.nan), np.full(len(places), np.inf)
        if not self._base.fit.is_sound:
            return values, doubts
        trained_columns = tested_columns = None
        penalties = np.ones(len(places))
        if block is not None:
            columns = self._own(block[0])
            trained_columns = np.ascontiguousarray(columns[:, :n_train])
            tested_columns, penalties = columns[:, n_train:], block[1]
        batch = Neighbors(self._base, trained_columns, penalties, places + self._n_constants)
        left = np.arange(len(places))
        for _ in range(_MOST_STEPS):
            before = batch.decrements
            distances = batch.advance()
            errors = batch.errors(distances, tested_columns)
            rows = partial(self._tested_rows, tested_columns, places[left])
            values[left], doubts[left] = self._held_out.judged(batch.tested(tested_columns), errors, rows)
            goes_on = (doubts[left] > self._held_out.enough) & (batch.decrements < 0.75 * before)
            if not goes_on.any():
                break
            if not goes_on.all():
                batch.keep(goes_on)
                left = left[goes_on]
                tested_columns = None if tested_columns is None else tested_columns[goes_on]
        return values, doubts

    def _tested_rows(self, columns: Values | None, places: Features, candidate: int) -> Values:
        """Return the features of the held-out samples, a sample per row, with or without one candidate."""
        tested = self._rows[:, self._n_train :]
        if columns is None:
            return np.delete(tested, places[candidate] + self._n_constants, axis=0).T
        return np.vstack([tested, columns[candidate]]).T

    def step(self, direction: Direction, place: int, columns: Values, penalties: Values) -> None:
        place += self._n_constants
        self._rows = direction.spliced_rows(self._rows, place, self._own(columns)[0])
        self._penalties = direction.spliced(self._penalties, place, penalties[0])
        if self._base is not None:
            self._start = self._base.fit.coefficients if self._base.fit.is_sound else None
        if self._start is not None:
            self._start = direction.spliced(self._start, place, 0.0)
        self._base = None

    def rebuild(self, columns: Values, penalties: Values) -> None:
        self._rows = np.vstack([self._constant, self._own(columns)])
        self._penalties = np.concatenate([self._constant_penalty, penalties])
        self._start = self._base = None
