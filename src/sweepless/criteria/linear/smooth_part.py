"""One training part of a linear model, the samples it is tested on, and the optimum of the working subset."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import Any

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Values
from sweepless.criteria.linear.held_out import HeldOut
from sweepless.criteria.linear.held_out_numbers import HeldOutNumbers
from sweepless.criteria.linear.smooth_base import Base
from sweepless.criteria.linear.smooth_fit import TINY, Fit, Task, class_weights
from sweepless.criteria.linear.smooth_neighbors import Neighbors
from sweepless.criteria.scores.names import score_of
from sweepless.direction import Direction
from sweepless.kernels.linear.losses import LOGISTIC, SOFTMAX, SQUARED_HINGE
from sweepless.kernels.linear.newton import combine

# Then a fit of its own costs less than further steps with the second derivatives of another subset; later if it has
# several outputs, if its curvature jumps, or if a loss needs more digits.
_FEW_STEPS, _MANY_STEPS = 6, 40
_HOPELESS = 1.0  # squared errors of outputs with which no score can be proven


def class_parts(criterion: Any, codes: Counts, labels: AnyArray, splits: list[tuple[Counts, Counts]]) -> list[Part]:
    """Return the parts of a classifier; each numbers the classes that it trains on."""
    parts: list[Part] = []
    score = score_of(criterion.score, "labels", "outputs", "probabilities")
    for train, test in splits:
        present = np.unique(codes[train])
        target = np.searchsorted(present, codes[train])
        weights = class_weights(criterion.class_weight, target, labels[present].tolist())
        is_binary = len(present) == 2
        loss = SQUARED_HINGE if criterion.loss == "squared_hinge" else LOGISTIC if is_binary else SOFTMAX
        task = Task(loss, target.astype(np.float64), weights, 1 if is_binary else len(present))
        held_out = HeldOut(score, codes[test], labels, present, task.close, criterion.ties)
        parts.append(HeldOutPart(criterion, task, held_out, train, test))
    return parts


class Part(ABC):
    """One training part, the samples that it is tested on, and the optimum of the working subset."""

    enough: float
    """The error of a value that needs no further steps."""
    refits_soon = False
    """Whether a fit of its own costs a neighbour less than steps that lead nowhere yet."""

    _rows: Values  # the constant and the members, training part first
    _penalties: Values
    _start: Values | None  # where the next fit begins
    _fitted: Fit | None  # made when first asked for
    _base: Base | None  # what its neighbours share, made with the first of them

    def __init__(self, criterion: Any, task: Task, train: Counts, test: Counts) -> None:
        self._task = task
        self._order, self._n_train = np.concatenate([train, test]), len(train)
        self._is_ordered = bool(np.all(self._order[:-1] < self._order[1:]))
        self._n_constants = int(criterion.fit_intercept)
        is_free = criterion.intercept_scaling == np.inf
        self._constant = np.full((self._n_constants, len(self._order)), 1.0 if is_free else criterion.intercept_scaling)
        self._constant_penalty = np.full(self._n_constants, 0.0 if is_free else 1.0 / criterion.C)

    def _own(self, columns: Values) -> Values:
        """Return the columns in the order of this part."""
        is_ordered = self._is_ordered and columns.shape[1] == len(self._order)
        return columns if is_ordered else np.take(columns, self._order, axis=1)

    def from_scratch(self, columns: Values, penalties: Values) -> float:
        """Return the value of a subset: the definition."""
        rows = np.vstack([self._constant, self._own(columns)])
        fit = self._fit(rows, np.concatenate([self._constant_penalty, self._task.strength * penalties]), None)
        return self._settled(fit, self._tested(rows)) if fit.is_sound else np.nan

    @property
    def _most_steps(self) -> int:
        """After how many steps each neighbour that is left gets a fit of its own."""
        is_cheap = self._task.n_outputs == 1 and self._task.is_slow and not self.enough
        return _FEW_STEPS if is_cheap else _MANY_STEPS

    @abstractmethod
    def _tested(self, rows: Values) -> Values:
        """Return the columns over the samples that are predicted."""

    @abstractmethod
    def _settled(self, fit: Fit, tested: Values) -> float:
        """Return the value of a fit: the definition."""

    @abstractmethod
    def _judged(
        self, batch: Neighbors, distances: Values, columns: Values | None, places: Features
    ) -> tuple[Values, Values]:
        """Return the values of neighbours so far from their optima, and their errors."""

    @abstractmethod
    def _judged_alone(self, fit: Fit, tested: Values) -> tuple[float, float]:
        """Return the value of a fit that did not begin at the origin, and its error."""

    def _fit(self, rows: Values, penalties: Values, start: Values | None) -> Fit:
        if start is None:
            start = np.zeros((self._task.n_outputs, len(rows)))
            start[:, : self._n_constants] = self._task.middle
        return Fit(self._task, np.ascontiguousarray(rows[:, : self._n_train]), penalties, start)

    @property
    def fitted(self) -> Fit:
        """The optimum of the working subset."""
        if self._fitted is None:
            self._fitted = self._fit(self._rows, self._penalties, self._start)
            self._base = None
        return self._fitted

    def neighbors(self, block: tuple[Values, Values] | None, places: Features) -> tuple[Values, Values]:
        """Return the values with the columns of a block, or without the members at some places, and their errors."""
        values, doubts = np.full(len(places), np.nan), np.full(len(places), np.inf)
        if not self.fitted.is_sound:
            return values, doubts
        if self._base is None:
            self._base = Base(self.fitted, self._tested(self._rows))
        trained_columns = tested_columns = None
        penalties = np.ones(len(places))
        if block is not None:
            columns = self._own(block[0])
            trained_columns = np.ascontiguousarray(columns[:, : self._n_train])
            tested_columns, penalties = self._tested(columns), self._task.strength * block[1]
        batch = Neighbors(self._base, trained_columns, penalties, places + self._n_constants)
        left = np.arange(len(places))
        for _ in range(self._most_steps):
            before = batch.decrements
            distances = batch.advance()
            if not np.any(distances**2 * self._base.widest < _HOPELESS):
                if self.refits_soon:
                    break
                continue
            distances = distances + 2.0 * TINY  # a fit from scratch may be off, too
            values[left], doubts[left] = self._judged(batch, distances, tested_columns, places[left])
            is_open = doubts[left] > self.enough
            if not is_open.all():
                batch.keep(is_open)
                left, before = left[is_open], before[is_open]
                tested_columns = None if tested_columns is None else tested_columns[is_open]
            if not np.any((batch.decrements < 0.75 * before) & (batch.decrements > TINY)):
                break
        for k, candidate in enumerate(left.tolist()):
            column = None if block is None else columns[candidate]
            start = batch.start_of(k)
            values[candidate], doubts[candidate] = self._refit(column, penalties[candidate], places[candidate], start)
        return values, doubts

    def _refit(self, column: Values | None, penalty: float, place: int, start: Values) -> tuple[float, float]:
        """Return the value of one neighbour by a fit of its own, which begins near its optimum, and its error."""
        rows, penalties, start = self._changed(column, penalty, place, start)
        fit = self._fit(rows, penalties, start)
        return self._judged_alone(fit, self._tested(rows)) if fit.is_sound else (np.nan, np.inf)

    def _changed(
        self, column: Values | None, penalty: float, place: int, start: Values
    ) -> tuple[Values, Values, Values]:
        """Return rows, penalties and starting point of a neighbour."""
        if column is not None:
            return np.vstack([self._rows, column]), np.append(self._penalties, penalty), start
        place += self._n_constants
        return (
            np.delete(self._rows, place, axis=0),
            np.delete(self._penalties, place),
            np.delete(start, place, axis=1),
        )

    def step(self, direction: Direction, place: int, columns: Values, penalties: Values) -> None:
        place += self._n_constants
        self._rows = direction.spliced_rows(self._rows, place, self._own(columns)[0])
        self._penalties = direction.spliced(self._penalties, place, self._task.strength * penalties[0])
        if self._fitted is not None:
            self._start = self._fitted.coefficients if self._fitted.is_sound else None
        if self._start is not None:
            self._start = direction.spliced(self._start, place, 0.0)
        self._fitted = None

    def rebuild(self, columns: Values, penalties: Values) -> None:
        self._rows = np.vstack([self._constant, self._own(columns)])
        self._penalties = np.concatenate([self._constant_penalty, self._task.strength * penalties])
        self._start = self._fitted = None


class HeldOutPart(Part):
    """A training part that is tested on other samples."""

    def __init__(
        self, criterion: Any, task: Task, held_out: HeldOut | HeldOutNumbers, train: Counts, test: Counts
    ) -> None:
        super().__init__(criterion, task, train, test)
        self._held_out, self.enough = held_out, held_out.enough

    def _tested(self, rows: Values) -> Values:
        return np.ascontiguousarray(rows[:, self._n_train :])

    def _settled(self, fit: Fit, tested: Values) -> float:
        errors = fit.errors(tested)
        if not np.max(errors, initial=0.0) <= self._task.largest_error:
            return np.nan
        return self._held_out.settled(combine(fit.coefficients, tested), errors, lambda _: tested.T)

    def _judged(
        self, batch: Neighbors, distances: Values, columns: Values | None, places: Features
    ) -> tuple[Values, Values]:
        rows = partial(self._tested_rows, columns, places)
        return self._held_out.judged(batch.tested(columns), batch.errors(distances, columns), rows)

    def _judged_alone(self, fit: Fit, tested: Values) -> tuple[float, float]:
        errors = fit.errors(tested)
        # From scratch, rounding may be some times as much.
        if not np.max(errors, initial=0.0) <= self._task.largest_error / 16.0:
            return np.nan, np.inf
        outputs = combine(fit.coefficients, tested)
        value, doubt = self._held_out.judged(outputs[None], 2.0 * errors[None], lambda _: tested.T)
        return float(value[0]), float(doubt[0])

    def _tested_rows(self, columns: Values | None, places: Features, candidate: int) -> Values:
        """Return the features of the held-out samples, a sample per row, with or without one candidate."""
        tested = self._rows[:, self._n_train :]
        if columns is None:
            return np.delete(tested, places[candidate] + self._n_constants, axis=0).T
        return np.vstack([tested, columns[candidate]]).T
