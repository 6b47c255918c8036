"""One training part of a linear model, the samples it is tested on, and the optimum of the working subset."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import Any

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.criteria.class_weights import weights_by_label
from sweepless.criteria.linear.held_out import LIKE_SCRATCH, HeldOut
from sweepless.criteria.linear.held_out_numbers import HeldOutNumbers
from sweepless.criteria.linear.smooth_base import Base
from sweepless.criteria.linear.smooth_fit import TINY, Fit, Task
from sweepless.criteria.linear.smooth_neighbors import Neighbors
from sweepless.criteria.scores.names import score_of
from sweepless.direction import Direction
from sweepless.kernels.linear.losses import LOGISTIC, SOFTMAX, SQUARED_HINGE
from sweepless.kernels.linear.newton import combine

# Then a fit of its own costs less than further steps with the second derivatives of another subset; later if it has
# several outputs, if its curvature jumps, or if a loss needs more digits.
_FEW_STEPS, _MANY_STEPS = 6, 40
_MORE = 1.25  # by how much a neighbor may be harder to prove than the working subset, for a first trial
_AHEAD = 2.0**-2  # a task whose distance from its optimum is a lesser share of the greatest waits for the others


def class_parts(criterion: Any, codes: Counts, labels: AnyArray, splits: list[tuple[Counts, Counts]]) -> list[Part]:
    """Return the parts of a classifier; each numbers the classes that it trains on."""
    parts: list[Part] = []
    score = score_of(criterion.score, "labels", "outputs", "probabilities")
    for train, test in splits:
        present = np.unique(codes[train])
        target = np.searchsorted(present, codes[train])
        weights = weights_by_label(criterion.class_weight, target, labels[present].tolist())
        tasks = _tasks(criterion.loss, target, weights, len(present))
        held_out = HeldOut(score, codes[test], labels, present, tasks[0].close, criterion.ties)
        parts.append(HeldOutPart(criterion, tasks, held_out, train, test))
    return parts


def _tasks(loss: str, target: Counts, weights: Values, n_classes: int) -> list[Task]:
    if loss == "logistic":
        kind, n_outputs = (LOGISTIC, 1) if n_classes == 2 else (SOFTMAX, n_classes)
        return [Task(kind, target.astype(np.float64), weights, n_outputs)]
    if n_classes == 2:
        return [Task(SQUARED_HINGE, target.astype(np.float64), weights, 1)]
    ones = [(target == k).astype(np.float64) for k in range(n_classes)]
    # One machine for each class against all others, which then have no weights of their own (as in liblinear).
    return [Task(SQUARED_HINGE, one, np.where(one > 0.0, weights, 1.0), 1) for one in ones]


class Part(ABC):
    """One training part, the samples that it is tested on, and the optimum of the working subset.

    All outputs are those of one task, or each is that of its own.
    """

    close = 2.0**-16
    """The decrement with which a fit is good enough to start from."""
    enough: float
    """The error of a value that needs no further steps."""
    refits_soon = False
    """Whether a fit of its own costs a neighbor less than steps that lead nowhere yet."""

    _rows: Values  # the constant and the members, training part first
    _penalties: Values
    _starts: list[Values] | None  # where the next fits begin
    _fits: list[Fit] | None  # made when first asked for
    _base: Base | None  # what their neighbors share, made with the first of them
    _batch: Neighbors | None  # those that were valued last

    def __init__(self, criterion: Any, tasks: list[Task], train: Counts, test: Counts) -> None:
        self._tasks, self._task = tasks, tasks[0]
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
        fits = self._fitted_to(rows, np.concatenate([self._constant_penalty, self._task.strength * penalties]), None)
        return self._settled(fits, self._tested(rows)) if _are_sound(fits) else np.nan

    @property
    def _most_steps(self) -> int:
        """After how many steps each neighbor that is left gets a fit of its own."""
        is_cheap = self._task.n_outputs == 1 and self._task.is_slow and not self.enough
        return _FEW_STEPS if is_cheap else _MANY_STEPS

    def _apart(self, columns: Values) -> tuple[Values, Values]:
        """Return columns over the training part and over the samples that are predicted."""
        own = self._own(columns)
        return np.ascontiguousarray(own[:, : self._n_train]), self._tested(own)

    @abstractmethod
    def _tested(self, rows: Values) -> Values:
        """Return the columns over the samples that are predicted."""

    @abstractmethod
    def _settled(self, fits: list[Fit], tested: Values) -> float:
        """Return the value of sound fits: the definition."""

    @abstractmethod
    def _wanted(self, batch: Neighbors, columns: Values | None) -> Values:
        """Return the distances from their optima with which neighbors may be proven."""

    def _are_near(self, batch: Neighbors, some: Features, wanted: Values) -> Mask:
        """Tell which neighbors may be proven."""
        return np.asarray(batch.distances[some] <= wanted)

    @abstractmethod
    def _judged(
        self, batch: Neighbors, some: Features, columns: Values | None, places: Features
    ) -> tuple[Values, Values]:
        """Return the values of some neighbors so far from their optima, and their errors."""

    @abstractmethod
    def _judged_alone(self, fits: list[Fit], tested: Values) -> tuple[float, float]:
        """Return the value of sound fits that did not begin at the origin, and its error."""

    def _fitted_to(self, rows: Values, penalties: Values, starts: list[Values] | None, close: float = 0.0) -> list[Fit]:
        if starts is None:
            start = np.zeros((self._task.n_outputs, len(rows)))
            start[:, : self._n_constants] = self._task.middle
            starts = [start] * len(self._tasks)
        trained = np.ascontiguousarray(rows[:, : self._n_train])
        return [Fit(task, trained, penalties, start, close) for task, start in zip(self._tasks, starts, strict=True)]

    @property
    def fits(self) -> list[Fit]:
        """The optimum of the working subset, or a point close to it, for every task."""
        if self._fits is None:
            fits = self._fitted_to(self._rows, self._penalties, self._starts, self.close)
            self._fits, self._base, self._batch = fits, None, None
        return self._fits

    def neighbors(self, block: tuple[Values, Values] | None, places: Features) -> tuple[Values, Values]:
        """Return the values with the columns of a block, or without the members at some places, and their errors."""
        values, doubts = np.full(len(places), np.nan), np.full(len(places), np.inf)
        if not _are_sound(self.fits):
            return values, doubts
        if self._base is None:
            self._base = Base(self.fits, self._tested(self._rows))
        trained_columns = tested_columns = None
        penalties = np.ones(len(places))
        if block is not None:
            trained_columns, tested_columns = self._apart(block[0])
            penalties = self._task.strength * block[1]
        batch = self._batch = Neighbors(self._base, trained_columns, penalties, places + self._n_constants)
        wanted = self._wanted(batch, tested_columns)
        going, near = np.arange(len(places)), np.arange(0)
        for step in range(self._most_steps, 0, -1):
            entries = batch.behind(going, _AHEAD)
            before = batch.decrements[entries]
            batch.advance(entries)
            now = batch.decrements[entries]
            helps = bool(np.any((now < 0.75 * before) & (now > TINY)))
            helps &= not self.refits_soon or bool(np.any(batch.worst[:, going] < 1.0))
            is_near = self._are_near(batch, going, wanted[going])
            near, going = np.append(near, going[is_near]), going[~is_near]
            if len(near) and not (self.enough and helps and len(going) and step > 1):
                values[near], doubts[near] = self._judged(batch, near, tested_columns, places)
                if self.enough:  # errors shrink with the distance
                    wanted[near] = batch.distances[near] * np.clip(self.enough / doubts[near], 2.0**-4, 1.0)
                    helps = True
                going, near = np.append(going, near[doubts[near] > self.enough]), near[:0]
            if not (helps and len(going)):
                break
        for candidate in np.flatnonzero(doubts > self.enough).tolist():
            column = None if block is None else self._own(block[0][candidate : candidate + 1])[0]
            starts = batch.starts_of(candidate)
            values[candidate], doubts[candidate] = self._refit(column, penalties[candidate], places[candidate], starts)
        return values, doubts

    def _refit(self, column: Values | None, penalty: float, place: int, starts: list[Values]) -> tuple[float, float]:
        """Return the value of one neighbor by fits of its own, which begin near its optimum, and its error."""
        rows, penalties, starts = self._changed(column, penalty, place, starts)
        fits = self._fitted_to(rows, penalties, starts)
        return self._judged_alone(fits, self._tested(rows)) if _are_sound(fits) else (np.nan, np.inf)

    def _changed(
        self, column: Values | None, penalty: float, place: int, starts: list[Values]
    ) -> tuple[Values, Values, list[Values]]:
        """Return rows, penalties and starting points of a neighbor."""
        if column is not None:
            return np.vstack([self._rows, column]), np.append(self._penalties, penalty), starts
        place += self._n_constants
        return (
            np.delete(self._rows, place, axis=0),
            np.delete(self._penalties, place),
            [np.delete(start, place, axis=1) for start in starts],
        )

    def step(self, direction: Direction, place: int, columns: Values, penalties: Values, valued: int | None) -> None:
        """Take a step; `valued` is the number of this neighbor in the last batch, if it was one of them."""
        place += self._n_constants
        starts, size, self._starts = self._starts, len(self._penalties), None
        if self._fits is not None:
            starts = [fit.coefficients for fit in self._fits] if _are_sound(self._fits) else None
        if valued is not None and self._batch is not None and np.isfinite(self._batch.worst[:, valued]).all():
            starts = self._batch.starts_of(valued)
        elif starts is not None:
            starts = [np.pad(start, ((0, 0), (0, 1))) for start in starts]
        if starts is not None:  # of the members, and of the feature that enters
            self._starts = [direction.spliced(start[:, :size], place, start[:, -1]) for start in starts]
        self._rows = direction.spliced_rows(self._rows, place, self._own(columns)[0])
        self._penalties = direction.spliced(self._penalties, place, self._task.strength * penalties[0])
        self._fits = self._batch = None

    def rebuild(self, columns: Values, penalties: Values) -> None:
        self._rows = np.vstack([self._constant, self._own(columns)])
        self._penalties = np.concatenate([self._constant_penalty, self._task.strength * penalties])
        self._starts = self._fits = self._batch = None


class HeldOutPart(Part):
    """A training part that is tested on other samples."""

    def __init__(
        self, criterion: Any, tasks: list[Task], held_out: HeldOut | HeldOutNumbers, train: Counts, test: Counts
    ) -> None:
        super().__init__(criterion, tasks, train, test)
        self._held_out, self.enough = held_out, held_out.enough

    def _apart(self, columns: Values) -> tuple[Values, Values]:
        train, test = np.split(self._order, [self._n_train])
        return np.take(columns, train, axis=1), np.take(columns, test, axis=1)

    def _tested(self, rows: Values) -> Values:
        return np.ascontiguousarray(rows[:, self._n_train :])

    def _settled(self, fits: list[Fit], tested: Values) -> float:
        errors = _errors([fit.errors(tested) for fit in fits])
        if not np.max(errors, initial=0.0) <= self._task.largest_error:
            return np.nan
        return self._held_out.settled(_outputs(fits, tested), errors, lambda _: tested.T)

    def _wanted(self, batch: Neighbors, columns: Values | None) -> Values:
        batch.measure(columns, self._held_out.summarized)
        outputs = _outputs(self.fits, self._tested(self._rows))
        wanted = self._held_out.wanted(outputs)
        if not self.enough:
            return np.full(len(batch.distances), wanted)
        reach = np.mean(batch.reach, axis=1)
        slopes = self._held_out.slopes(outputs[None])
        if slopes is not None and self._base is not None:  # those of neighbors are much alike
            reach = np.fmin(reach, _MORE * self._base.moves(slopes[0]))
        return np.asarray(wanted / reach)

    def _are_near(self, batch: Neighbors, some: Features, wanted: Values) -> Mask:
        return super()._are_near(batch, some, wanted) if self.enough else batch.errors(some)[:, 0] <= wanted

    def _judged(
        self, batch: Neighbors, some: Features, columns: Values | None, places: Features
    ) -> tuple[Values, Values]:
        outputs, errors = batch.tested(some, columns), batch.errors(some)
        slopes = self._held_out.slopes(outputs)
        if slopes is not None:
            errors = np.fmin(errors, batch.errors_of_means(some, slopes, columns)[:, None])
        # The errors of a hinge are those of its curvature, from scratch those of its penalties, which may be greater.
        rows = partial(self._tested_rows, some, columns, places)
        return self._held_out.judged(outputs, errors, rows, foresees=self._task.is_slow)

    def _judged_alone(self, fits: list[Fit], tested: Values) -> tuple[float, float]:
        errors = _errors([fit.errors(tested) for fit in fits])
        # From scratch, rounding may be some times as much.
        hangs = any(1.0 < fit.certainty <= LIKE_SCRATCH for fit in fits)
        if hangs or not np.max(errors, initial=0.0) <= self._task.largest_error / 16.0:
            return np.nan, np.inf
        errors = 2.0 * _errors([fit.errors(tested, 2.0 * TINY) for fit in fits])
        outputs = _outputs(fits, tested)[None]
        value, doubt = self._held_out.judged(outputs, errors[None], lambda _: tested.T, foresees=True)
        return float(value[0]), float(doubt[0])

    def _tested_rows(self, some: Features, columns: Values | None, places: Features, candidate: int) -> Values:
        """Return the features of the held-out samples, a sample per row, with or without one of some candidates."""
        tested = self._rows[:, self._n_train :]
        if columns is None:
            return np.delete(tested, places[some[candidate]] + self._n_constants, axis=0).T
        return np.vstack([tested, columns[some[candidate]]]).T


def _are_sound(fits: list[Fit]) -> bool:
    return all(fit.is_sound for fit in fits)


def _outputs(fits: list[Fit], tested: Values) -> Values:
    return np.concatenate([combine(fit.coefficients, tested) for fit in fits])


def _errors(errors: list[Values]) -> Values:
    """Bound the errors of differences between the outputs of several tasks; those of one task bound their own."""
    return errors[0] if len(errors) == 1 else np.asarray(2.0 * np.max(errors, axis=0))
