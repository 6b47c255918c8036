"""All neighbors of a fitted linear model at once: steps with the second derivatives of the model they leave.

With B the inverse of these at the working subset, one feature more or less changes B by ± Y'S⁻¹Y, where Y has one row
for each output (see `criteria.schur`). Each step then costs two products with the members' columns. If along the way
to the optimum curvatures are between l and h times those at the start (l <= 1 <= h), a chord step, whose inverse is B,
from a point within r of the optimum ends within max(h - 1, 1 - l) r of it, so the step after the last gradient comes
with a proof of its own. The way there is by secant steps: a feature lowers all curvatures by much the same factor, so
that chord steps are too short in the same way. A hinge has no such ratios; see `kernels.linear.distances`.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from sweepless._typing import Features, Values
from sweepless.criteria.linear.smooth_base import Base, inverses_of, lengths_of
from sweepless.criteria.linear.smooth_fit import LARGEST_ROUNDING, ROUNDING, TINY
from sweepless.kernels.linear.approach import approach
from sweepless.kernels.linear.crossings import cross
from sweepless.kernels.linear.distances import bound_by_active, bound_by_curvature, bound_by_penalty, spans_with
from sweepless.kernels.linear.respond import add_scaled, respond

# The rounding that a fit from scratch may have, which leaves no doubt that this fit has a value.
_LARGEST_SHARE = 2.0**-3
_TAIL = 2.0**-4  # the least ratio of curvatures that is taken as it is


class Neighbors:
    """A batch of neighbors on their way to their optima, of every task.

    Whatever there is one of for each neighbor is numbered task after task: `left` and `entries` are such numbers.
    `some` are neighbors with all of their tasks.

    Parameters
    ----------
    base : Base
    columns : array of shape (candidates, samples) or None
        The training part of the features that enter; None if features leave.
    penalties : array
        Theirs.
    places : array
        The coefficients that leave.

    Attributes
    ----------
    decrements : array
        How far the last step went, in the norm of the second derivatives, or of the penalties of a hinge.
    swelling : array
        Bounds on how much greater second derivatives may be between here and the optimum.
    widest : array
        How far an output may move, squared, along a vector of length 1.
    distances : array
        Bounds on how far each neighbor is from its optimum: infinite if unknown.
    reach : array
        What `measure` keeps.
    """

    reach: Values

    _rows: Values  # Y
    _corner: Values  # the inverse of S
    _norms: Values  # bounds on the norm of the changed inverse, as it acts on differences of outputs
    _rounding: Values  # bounds on the relative error of solved systems
    _sharpness: Values  # the norm of the inverse of S, likewise
    _explained: Values  # how much of a candidate the members explain

    def __init__(self, base: Base, columns: Values | None, penalties: Values, places: Features) -> None:
        fit = base.fit
        self._base, self._fit, self._enters = base, fit, columns is not None
        self._columns = np.empty((len(places), 0)) if columns is None else columns
        self._penalties, self._own_penalties = np.tile(fit.penalties, fit.task.n_outputs), penalties
        self.n_tasks, self._n, n_outputs = len(base.inverse), len(places), fit.task.n_outputs
        n_entries = self.n_tasks * self._n
        self.decrements, self.swelling, self.distances = np.full((3, n_entries), np.inf)
        self._lengths, self._moved = np.full(n_entries, np.inf), np.zeros(n_entries)
        start = np.repeat(base.coefficients, self._n, axis=0)
        self._leaving = places[:, None] + len(fit.penalties) * np.arange(n_outputs)
        if columns is None:
            self._leave(start)
            farthest = None
        else:
            self._enter(columns)
            self._points = np.hstack([start, np.zeros((n_entries, n_outputs))])
            farthest = np.max(np.abs(columns), axis=1, initial=0.0)[:, None]
        self._last = np.zeros((3, *self._points.shape))  # points, gradients and solutions of the last step
        if columns is not None:
            own = (columns @ base.slopes.transpose(0, 2, 1)).reshape(n_entries, n_outputs)
            gradients = np.hstack([np.repeat(base.gradients, self._n, axis=0), own])
            self._approach(np.arange(n_entries), gradients)
            self._moved += self._lengths
        widest, squares = np.full((self.n_tasks, 1), base.widest), np.array([base.farthest])
        self.widest = np.ascontiguousarray(self._spans(widest, squares, farthest, np.arange(n_entries))[:, 0])
        self._by_active = np.full(n_entries, True)
        if not fit.task.is_slow:
            own = 0.0 if farthest is None else farthest[:, 0] ** 2 / penalties
            self._penalty_widest: Values = np.tile(base.penalty_widest + own * np.ones(self._n), self.n_tasks)
            near = (
                base.nearest,
                base.near,
                base.rows,
                base.pulled,
                self._columns,
                base.signs,
                base.missing,
                base.flatness,
            )
            cross(self._points, self._moved, self.widest, *near, self._rows, self._corner, self._enters)
            self._lengths[:] = self._moved if self._enters else np.inf

    def _leave(self, start: Values) -> None:
        base, rows = self._base, np.arange(len(start))[:, None]
        leaving = np.tile(self._leaving, (self.n_tasks, 1))
        tasks = rows // self._n
        self._rows = base.inverse[tasks, leaving]
        self._corner = inverses_of(base.inverse[tasks[:, :, None], leaving[:, :, None], leaving[:, None]])
        self._norms = np.repeat(base.breadth, self._n)
        self._rounding = np.repeat(ROUNDING * base.traces * base.norm, self._n)
        moves = np.einsum("ckl,cl->ck", self._corner, start[rows, leaving])
        self._moved += np.sqrt(np.einsum("ck,ck->c", moves, start[rows, leaving]))
        self._points = start - np.einsum("ck,ckp->cp", moves, self._rows)
        self._points[rows, leaving] = 0.0
        self._sharpness = self._explained = np.zeros(len(start))

    def _enter(self, columns: Values) -> None:
        fit, base = self._fit, self._base
        n_outputs, size = fit.coefficients.shape
        one, two = np.triu_indices(n_outputs, int(n_outputs > 1))
        bends = base.mixed[:, one, two]
        weighted = (bends[:, :, None] * fit.trained).reshape(-1, columns.shape[1])
        edges = np.zeros((self.n_tasks, self._n, n_outputs, n_outputs, size))
        found = (columns @ weighted.T).reshape(self._n, self.n_tasks, len(one), size)
        edges[:, :, one, two] = edges[:, :, two, one] = found.swapaxes(0, 1)
        corners = np.zeros((self.n_tasks, self._n, n_outputs, n_outputs))
        corners[:, :, one, two] = corners[:, :, two, one] = columns**2 @ bends.swapaxes(1, 2)
        places, n_entries = np.arange(n_outputs), self.n_tasks * self._n
        if n_outputs > 1:  # raising all outputs alike changes no loss
            edges[:, :, places, places] = -np.sum(edges, axis=2)
            corners[:, :, places, places] = -np.sum(corners, axis=2)
        corner = corners.reshape(n_entries, n_outputs, n_outputs)
        corner[:, places, places] += np.tile(self._own_penalties, self.n_tasks)[:, None]
        flat = edges.reshape(self.n_tasks, self._n * n_outputs, n_outputs * size)
        self._rows = (flat @ base.inverse).reshape(n_entries, n_outputs, n_outputs * size)
        explained = np.einsum("ckp,clp->ckl", flat.reshape(self._rows.shape), self._rows)
        self._corner = inverses_of(corner - explained)
        self._explained = np.maximum(np.trace(explained, axis1=1, axis2=2), 0.0)
        lengths = np.einsum("ckp,ckp->c", self._rows, self._rows) + n_outputs
        norms = np.repeat(base.norm, self._n) + lengths * lengths_of(self._corner)
        traces = np.repeat(base.traces, self._n) + np.trace(corner, axis1=1, axis2=2)
        self._rounding = ROUNDING * traces * norms
        apart = np.eye(n_outputs) - (1.0 / n_outputs if n_outputs > 1 else 0.0)
        self._sharpness = lengths_of(apart @ self._corner @ apart)
        self._norms = np.repeat(base.breadth, self._n) + lengths * self._sharpness

    def _approach(self, left: Features, gradients: Values) -> Values:
        """Take steps by gradients, and return the squared decrements."""
        squares, solved = np.empty(len(left)), np.empty_like(gradients)
        n_members = len(self._penalties)
        bounds = np.searchsorted(left // self._n, np.arange(self.n_tasks + 1))  # those of a task are side by side
        for inverse, (start, stop) in zip(self._base.inverse, pairwise(bounds.tolist()), strict=True):
            solved[start:stop, :n_members] = gradients[start:stop, :n_members] @ inverse
        each = self._rows, self._corner, self._rounding, self._last, self._points, self._lengths
        approach(left, gradients, solved, *each, squares, self._enters)
        return squares

    def advance(self, left: Features) -> None:
        """Take one step with some of the neighbors, and bound how far each may then be from its optimum."""
        fit, task, base = self._fit, self._fit.task, self._base
        n_outputs, size = fit.coefficients.shape
        n_left, n_members, points = len(left), n_outputs * size, self._points[left]
        ratios, gradients, (trained, samples) = np.ones((n_left, 2)), np.empty_like(points), base.tables
        flat = points[:, :n_members].reshape(n_left * n_outputs, size)
        slopes, products = np.empty((n_left, n_outputs, trained.shape[1])), np.empty((len(flat), samples.shape[1]))
        each = base.target, base.weights, base.reciprocals, left, self._columns, points, slopes, products
        respond(task.loss, flat, trained, samples, *each, gradients, ratios)
        gradients[:, :n_members] = products[:, :size].reshape(n_left, -1) + self._penalties * points[:, :n_members]
        if self._enters:
            gradients[:, n_members:] += self._own_penalties[left % self._n, None] * points[:, n_members:]
        else:  # the coefficients that left are not free to follow their gradients
            gradients[np.arange(n_left)[:, None], self._leaving[left % self._n]] = 0.0
        squares = self._approach(left, gradients)
        most = _LARGEST_SHARE * task.largest_error, _LARGEST_SHARE * LARGEST_ROUNDING
        bounds, sizes = (self.widest, self._norms, self._rounding, self._moved), (base.entry, base.largest)
        if task.is_slow:
            if (is_low := ratios[:, 0] < _TAIL).any():
                lines = slopes[is_low, :, : len(samples)]
                ratios[is_low, 0] = np.maximum(ratios[is_low, 0], self._without_tails(lines, left[is_low]))
            to = self.decrements, self.swelling, self.distances
            bound_by_curvature(left, squares, ratios, *bounds, *sizes, task.is_deviance, *most, *to)
        else:
            by_penalty, by_active = np.full((2, len(self.distances)), np.inf)
            change = fit.trained, base.inverse, self._rows, self._corner
            spans = base.weights, base.bends, base.roots, self._columns, self._explained, self._sharpness
            bound_by_active(left, squares, slopes, *change, *spans, *bounds, *sizes, *most, by_active)
            # What rounding leaves of a gradient may be some times the noise, here without anything that dampens it.
            strict = *sizes, _LARGEST_SHARE * most[0]
            members = base.coefficients, self._penalties, self._own_penalties, self._penalty_widest
            bound_by_penalty(left, gradients, points, *members, *strict, self.decrements, by_penalty)
            by_active[by_penalty == np.inf] = np.inf  # then a fit from scratch may have no value
            self._by_active[left] = (by_active**2 * self.widest < by_penalty**2 * self._penalty_widest)[left]
            self.distances[left] = np.where(self._by_active, by_active, by_penalty)[left]
        self._moved[left] += self._lengths[left]

    def _without_tails(self, slopes: Values, chosen: Features) -> Values:
        """Bound second derivatives from below, as a share of those at the start, without samples that lost most.

        These are mostly samples far on the right side, which curve so little that they are not missed.
        """
        base = self._base
        lost = ~(np.min(self._fit.task.bends(slopes) * base.reciprocals[0], axis=1) >= 2.0 * _TAIL)
        columns = self._columns if self._enters else None
        spans = self._spans(base.trained_spans, base.trained_squares, columns, chosen)
        return np.asarray(2.0 * _TAIL * (1.0 - np.sum(lost * base.bends * spans, axis=1)))

    def _ends(self, entries: Features) -> Values:
        """Return where the bounds hold: after a chord step; of a hinge, whose gradients are exact, before it."""
        points, _, solved = self._last[:, entries]
        return np.asarray(points - solved if self._fit.task.is_slow else points)

    def _entries(self, some: Features) -> Features:
        """Return the numbers of all tasks of some neighbors, (some, tasks)."""
        return np.asarray(some[:, None] + self._n * np.arange(self.n_tasks))

    def starts_of(self, neighbor: int) -> list[Values]:
        """Return the coefficients of one neighbor, that of the candidate last: where fits of its own may begin."""
        n_outputs, starts = self._fit.task.n_outputs, []
        for end in self._ends(self._entries(np.array([neighbor]))[0]):
            members, own = np.split(end, [len(self._penalties)])
            found = np.hstack([members.reshape(n_outputs, -1), own.reshape(n_outputs, -1)])
            starts.append(found if np.isfinite(found).all() else np.zeros_like(found))
        return starts

    def penalty(self, some: Features) -> Values:
        """Return half the penalized squares of all coefficients of some neighbors, of a single task."""
        members, own = np.split(self._ends(some), [len(self._penalties)], axis=1)
        squares = np.sum(members**2 * self._penalties, axis=1) + np.sum(own**2, axis=1) * self._own_penalties[some]
        return np.asarray(squares / 2.0)

    def tested(self, some: Features, columns: Values | None) -> Values:
        """Return the outputs of held-out samples, in which candidates have these columns: (some, outputs, samples)."""
        n_outputs, size = self._fit.coefficients.shape
        entries = self._entries(some).reshape(-1)
        tested, ends = self._base.tested, self._ends(entries)
        flat = ends[:, : n_outputs * size].reshape(len(entries) * n_outputs, size)
        outputs = (flat @ tested).reshape(len(entries), n_outputs, tested.shape[1])
        if columns is not None:
            add_scaled(outputs, ends, columns, entries)
        return outputs.reshape(len(some), self.n_tasks * n_outputs, tested.shape[1])

    @property
    def worst(self) -> Values:
        """The largest errors of outputs, (tasks, neighbors)."""
        widest = self.widest
        if not self._by_active.all():
            widest = np.where(self._by_active, widest, self._penalty_widest)
        return np.asarray(self.distances * np.sqrt(widest)).reshape(self.n_tasks, self._n)

    def behind(self, some: Features, share: float) -> Features:
        """Return the entries of some neighbors but for tasks whose errors are less than a share of the largest."""
        if self.n_tasks == 1:
            return some
        worst = self.worst[:, some]
        return np.asarray(self._entries(some).T[~(worst < share * np.max(worst, axis=0))])

    def measure(self, columns: Values | None, summarized: Callable[[Values], Values]) -> None:
        """Keep how far the outputs of held-out samples move along a vector of length 1, summarized over samples."""
        base, entries = self._base, np.arange(len(self.distances))
        self.reach = summarized(np.sqrt(self._spans(base.spans, base.squares, columns, entries)))
        self._tested, self._summarized = columns, summarized

    def errors(self, some: Features) -> Values:
        """Bound the errors of these outputs, or of their differences."""
        entries = self._entries(some)
        reach = self.reach[entries]
        by_active = self._by_active[entries]
        if not by_active.all():
            own = 0.0 if self._tested is None else self._tested[some] ** 2 / self._own_penalties[some, None]
            by_penalty = self._summarized(np.sqrt(self._base.penalty_spans + own * np.ones((len(some), 1))))
            reach = np.where(by_active[:, :, None], reach, by_penalty[:, None])
        each = (self.distances[entries] + 2.0 * TINY)[:, :, None] * reach  # a fit from scratch may be off, too
        # Those of one task bound their own differences.
        return np.asarray(each[:, 0] if self.n_tasks == 1 else 2.0 * np.max(each, axis=1))

    def errors_of_means(self, some: Features, slopes: Values, columns: Values | None) -> Values:
        """Bound the errors of means of functions of held-out outputs with such derivatives, of a single task.

        Their second derivatives must be at most a fourth; `measure` must have kept means.
        """
        n_outputs = self._fit.task.n_outputs
        gradients = (slopes.reshape(len(some) * n_outputs, -1) @ self._base.tested.T).reshape(len(some), -1)
        before = np.einsum("cp,cp->c", gradients, gradients @ self._base.inverse[0])
        along = np.einsum("ckp,cp->ck", self._rows[some], gradients)
        if columns is not None:
            along -= np.einsum("ckt,ct->ck", slopes, columns[some])
        change = np.einsum("ck,ckl,cl->c", along, self._corner[some], along)
        squares = np.maximum(before + change if self._enters else before - change, 0.0)
        squares += self._rounding[some] * (np.abs(before) + np.abs(change))
        distances, n_samples = self.distances[some] + 2.0 * TINY, slopes.shape[2]
        rest = n_samples * (distances * self.reach[some, 0]) ** 2 / 8.0  # squares sum up to at most a squared sum
        return np.asarray(distances * np.sqrt(squares) + rest)

    def _spans(self, spans: Values, squares: Values, columns: Values | None, entries: Features) -> Values:
        """Bound how far outputs may move, squared, along a vector of length 1; `spans` are those of the fits."""
        if columns is None:
            return np.asarray(spans[entries // self._n])  # a feature that leaves only takes from them
        each = self._explained, self._sharpness, self._norms
        return spans_with(entries, spans, squares, columns, *each, self._fit.doubled)
