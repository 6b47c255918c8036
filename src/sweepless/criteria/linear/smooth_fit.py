"""The optimum of a penalized linear model on one training part, with a proof of how far it may be off.

Let F be the objective, a weighted sum of smooth convex losses and a penalty μw²/2 on every coefficient, and H its
second derivative at a point. For losses that bend slowly (see `kernels.linear.losses`), second derivatives elsewhere
are at least e^-d H, where d is how far any output is from that point. So the gradient g at w proves that the optimum is
within -log(1 - Aλ) / A of w in the norm of H, where λ² = g'H⁻¹g and A bounds how far an output moves along a vector of
length 1. Of several outputs only differences matter: raising all of them alike changes no loss, and second derivatives
keep such moves apart from all others, so A is taken over the others. The squared hinge has no such bound. There the
penalties μ alone prove how far the optimum may be, in their own norm: by the root of the sum of g²/μ. If no sample is
as near to its bend as that, H is the same all the way to the optimum, which then is at a distance of λ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sweepless._typing import Features, Values
from sweepless.kernels.factor import factorize, solve_transposed, solve_upper
from sweepless.kernels.linear.losses import GAMMA, LOGISTIC, POISSON, SQUARED_HINGE, derivatives, softmax, total_loss
from sweepless.kernels.linear.newton import combine, project, weighted_gram

TINY = 2.0**-40
"""A decrement that moves no output by anything that matters."""

ROUNDING = 2.0**-48
"""What a solved system may be off by, relative to the condition of its matrix: some units in the last place."""
LARGEST_ROUNDING = 2.0**-8
"""The largest relative error of a solved system with which a fit has a value."""

_MOST_STEPS = 100
_SMALL = 2.0**-20  # a decrement below which Newton steps that do not help have met rounding
_CAUTIOUS = 2.0**-3  # a decrement above which a step must prove that it lowers the objective
_HINGE_TINY = 2.0**-46  # a hinge has no curvature to bound the rest by
_SHORTEST = 2.0**-30
_OBJECTIVE_ROUNDING = 2.0**-46  # a step may lower the objective by less than it is rounded


@dataclass(frozen=True)
class Task:
    """What is fitted: one loss, the targets and weights of the training part, and how many outputs there are.

    Penalties are multiplied by `strength`, and an intercept begins at the output `middle`.
    """

    loss: int
    target: Values
    weights: Values
    n_outputs: int
    strength: float = 1.0
    middle: float = 0.0

    @property
    def close(self) -> float:
        """The difference from which on outputs are never equal: far more than the error of an optimum with a value."""
        return 2.0**-27 if self.n_outputs == 1 and self.is_slow else 2.0**-22

    @property
    def largest_error(self) -> float:
        """The largest error of an output with which a fit has a value."""
        return self.close / 4.0

    @property
    def is_slow(self) -> bool:
        """Whether the curvature of the loss changes slowly, so that the second derivatives prove something."""
        return self.loss != SQUARED_HINGE

    @property
    def enough_help(self) -> float:
        """The share of a decrement that the next must not exceed, or else second derivatives are taken anew.

        Those of several outputs cost many steps. Those of a hinge are the right ones, or they are not.
        """
        return 2.0**-2 if self.n_outputs > 1 else 2.0**-4 if self.is_slow else 2.0**-16

    @property
    def is_deviance(self) -> bool:
        """Whether slopes grow with the exponential of an output."""
        return self.loss in (POISSON, GAMMA)

    def bends(self, slopes: Values) -> Values:
        """Return second derivatives without weights, or the shares of several outputs, by the first derivatives."""
        if self.loss == GAMMA:
            return np.asarray(1.0 - slopes / self.weights)
        target = self.target if self.n_outputs == 1 else np.arange(self.n_outputs)[:, None] == self.target
        shares = slopes / self.weights + target
        return np.asarray(shares * (1.0 - shares) if self.loss == LOGISTIC else shares)


class Fit:
    """The optimum of one subset.

    Parameters
    ----------
    task : Task
    trained : array of shape (coefficients, samples)
        The columns over the training part, one per row; a constant first if there is an intercept.
    penalties : array
        Those of the coefficients; an intercept without one has 0.
    start : array of shape (outputs, coefficients), optional
        Where to begin; the origin if not given.
    close : float
        A decrement that is small enough; by default what rounding leaves.

    Attributes
    ----------
    samples : array
        The columns transposed.
    coefficients, outputs, slopes : array
        One row for each output.
    is_sound : bool
        Whether the optimum was found, to the last digits.
    error : float
        A bound on how far it may be off, in the norm of the second derivatives, or of the penalties of a hinge.
    half : array
        The transposed inverse of the factor of the second derivatives.
    breadth : float
        The trace of the inverse of the second derivatives, without moves of several outputs alike; not of a hinge.
    """

    def __init__(
        self, task: Task, trained: Values, penalties: Values, start: Values | None = None, close: float = 0.0
    ) -> None:
        self.task, self.trained, self.penalties = task, trained, penalties
        # A hinge is exact but for rounding, and its bound needs that.
        self._close = max(close, TINY if task.is_slow else _HINGE_TINY)
        self.samples = np.ascontiguousarray(trained.T)
        self.coefficients = np.zeros((task.n_outputs, len(trained))) if start is None else start.copy()
        self.is_sound, self.error = False, np.inf
        self._factored: Values | None = None  # the curvatures of which the factor is
        with np.errstate(all="ignore"):
            self._solve()

    def _solve(self) -> None:
        self._derive()
        self._factorize()
        before, age = np.inf, 0  # the decrement of the last step, and how many steps ago second derivatives were taken
        for _ in range(_MOST_STEPS):
            step = self._half_step()
            decrement = float(np.sqrt(np.sum(step**2)))
            solve_upper(self.factor, step)
            if not np.isfinite(decrement):
                return
            helps = decrement <= self.task.enough_help * before
            if decrement <= self._close or (not helps and age == 1 and before <= _SMALL):  # only rounding is left
                if age:  # a proof needs the second derivatives of this point
                    self._factorize()
                self._prove(float(np.sqrt(np.sum(self._half_step() ** 2))))
                return
            if not helps and age:
                self._factorize()
                age = 0
                continue
            before, age = decrement, age + 1
            if not self._take(step.reshape(self.coefficients.shape), decrement):
                return

    def _half_step(self) -> Values:
        """Return the gradient divided by the transposed factor; its length is the decrement."""
        half = self.gradient.reshape(-1, 1).copy()
        solve_transposed(self.factor, half)
        return half

    def _take(self, step: Values, decrement: float) -> bool:
        """Take a Newton step, a part of it if the whole does not lower the objective; tell whether one did."""
        start, length = self.coefficients, 1.0
        if decrement <= (_CAUTIOUS if self.task.is_slow else _SMALL):  # a hinge may send steps to and fro
            self.coefficients = start - step
            self._derive()
            return True
        here = self.objective()
        here += _OBJECTIVE_ROUNDING * abs(here)
        while length >= _SHORTEST:
            self.coefficients = start - length * step
            self.outputs = combine(self.coefficients, self.trained)
            if self.objective() <= here - 0.25 * length * decrement**2:
                self._derive()
                return True
            length /= 2.0
        return False

    def objective(self) -> float:
        """Return the losses and penalties here."""
        task = self.task
        penalty = float(np.sum(self.penalties * self.coefficients**2)) / 2.0
        return float(total_loss(task.loss, self.outputs, task.target, task.weights)) + penalty

    def _derive(self) -> None:
        task = self.task
        self.outputs = combine(self.coefficients, self.trained)
        self.slopes, self.curvatures = np.empty_like(self.outputs), np.empty(self.outputs.shape[1])
        derivatives(task.loss, self.outputs, task.target, task.weights, self.slopes, self.curvatures)
        self.gradient = project(self.slopes, self.samples) + self.penalties * self.coefficients

    def _factorize(self) -> None:
        task, size = self.task, len(self.trained)
        if task.n_outputs == 1:
            if self._factored is not None and np.array_equal(self.curvatures, self._factored):
                return  # no sample has crossed the bend of a hinge
            self._factored = self.curvatures
            matrix = weighted_gram(self.samples, self.curvatures)
        else:
            matrix = self._of_several(task.n_outputs, size)
            # All intercepts may rise together; this holds their sum at zero, where it is.
            free = np.flatnonzero(np.tile(self.penalties == 0.0, task.n_outputs))
            matrix[np.ix_(free, free)] += np.sum(task.weights)
        matrix[np.diag_indices(len(matrix))] += np.tile(self.penalties, task.n_outputs)
        self.trace = float(np.trace(matrix))
        factorize(matrix, np.zeros(len(matrix)))
        self.factor = matrix

    def _of_several(self, n_outputs: int, size: int) -> Values:
        """Return the second derivatives of the losses by the coefficients of several outputs."""
        weights = self.task.weights
        if not self.coefficients.any():  # then all shares are alike
            alike = (np.eye(n_outputs) - 1.0 / n_outputs) / n_outputs
            return np.asarray(np.kron(alike, weighted_gram(self.samples, weights)), dtype=np.float64)
        shares = np.empty_like(self.outputs)
        softmax(self.outputs[None], shares[None])
        blocks = np.zeros((n_outputs, size, n_outputs, size))
        for k, other in zip(*np.triu_indices(n_outputs, 1), strict=True):
            block = weighted_gram(self.samples, weights * shares[k] * shares[other])
            blocks[k, :, other] = blocks[other, :, k] = -block
            blocks[k, :, k] += block  # raising all outputs alike changes no loss
            blocks[other, :, other] += block
        return blocks.reshape((n_outputs * size,) * 2)

    def _prove(self, decrement: float) -> None:
        self._apart = self.half = np.eye(len(self.factor))
        solve_transposed(self.factor, self.half)
        # Rounding errors of outputs, slopes and sums in every entry of the gradient, as if independent; twice doubled.
        entry = 2.0**-50 * (1.0 + self.largest) * float(np.sqrt(np.sum(self.task.weights**2)))
        self._rounding = ROUNDING * self.trace * float(np.sum(self.half**2)) / LARGEST_ROUNDING
        if self.task.n_outputs > 1:
            parts = self.half.reshape(len(self.factor), self.task.n_outputs, len(self.trained))
            self._apart = (parts - parts.mean(axis=1, keepdims=True)).reshape(self.half.shape)
        self.breadth = trace = float(np.sum(self._apart**2))
        self.error = self._by_curvature = 1.01 * (decrement + entry * np.sqrt(trace))
        if self.task.is_slow:
            widest = 2.0 * trace * float(np.max(np.sum(self.trained**2, axis=0), initial=0.0))
            self.is_sound = bool(self._rounding < 1.0 and widest * self.error**2 < 2.0**-16)
        else:
            noise = entry * float(np.sqrt(np.sum(1.0 / self.penalties)))
            self.error = float(np.sqrt(np.sum(self.gradient**2 / self.penalties))) + noise
            self.is_sound = bool(np.isfinite(self.error))
            self._by_curvature = max(self._by_curvature, TINY)  # as of a slow loss: outputs are rounded, too

    @cached_property
    def certainty(self) -> float:
        """How often the error fits between samples and the bend of a hinge; above 1 it keeps its second derivatives."""
        if self.task.is_slow:
            return np.inf
        missing = np.abs(1.0 - (2.0 * self.task.target - 1.0) * self.outputs[0])
        with np.errstate(all="ignore"):
            times = missing / (self.error * np.sqrt(self.penalty_spans(self.trained)))
            return float(np.minimum(np.min(times), 1.0 / self._rounding))

    @property
    def largest(self) -> float:
        """The size of the numbers that slopes are made of, of which rounding errors are a share."""
        sizes, target = np.abs(self.outputs), np.abs(self.task.target)
        if not self.task.is_deviance:
            return float(np.max(sizes, initial=0.0)) + float(np.max(target, initial=1.0))
        slopes = float(np.max((1.0 + sizes) * self.curvatures / self.task.weights, initial=0.0))
        return slopes + (float(np.max(target, initial=0.0)) if self.task.loss == POISSON else 0.0)

    @property
    def bends(self) -> Values:
        """The second derivatives of every loss, one row for each output."""
        if self.task.n_outputs == 1:
            return self.curvatures[None]
        shares = self.task.bends(self.slopes)
        return np.asarray(self.task.weights * shares * (1.0 - shares))

    def wald(self, places: Features) -> Values:
        """Return by how much the objective seems to rise without the coefficients at some places."""
        size = len(self.penalties)
        spread = np.sum(self._apart**2, axis=0).reshape(self.task.n_outputs, size)
        return np.asarray(np.sum(self.coefficients[:, places] ** 2 / (2.0 * spread[:, places]), axis=0))

    @property
    def doubled(self) -> float:
        """What turns a bound on outputs into one on differences of two outputs, squared."""
        return 2.0 if self.task.n_outputs > 1 else 1.0

    @property
    def spread(self) -> Values:
        """The matrix by which outputs of a sample, or their differences, move, squared, along vectors of length 1."""
        halves = self._apart.reshape(len(self._apart) * self.task.n_outputs, len(self.penalties))
        return np.asarray(self.doubled * (halves.T @ halves))

    def penalty_spans(self, rows: Values) -> Values:
        """Return how far outputs move, squared, along a vector of length 1 in the norm of the penalties."""
        return np.asarray(np.sum(rows**2 / self.penalties[:, None], axis=0))

    def errors(self, rows: Values, more: float = 0.0) -> Values:
        """Bound how far outputs of samples (columns), or their differences, are off if the optimum is `more` away."""
        if not self.certainty > 1.0:
            return np.asarray((self.error + more) * np.sqrt(self.penalty_spans(rows)))
        total, size = np.zeros(rows.shape[1]), len(rows)
        for k in range(self.task.n_outputs):
            total += np.sum(combine(self._apart[:, k * size : (k + 1) * size].copy(), rows) ** 2, axis=0)
        return np.asarray((self._by_curvature + more) * np.sqrt(self.doubled * total))
