"""All neighbours of a fitted linear model at once: chord steps with the second derivatives of the model they leave.

With B the inverse of these at the working subset, one feature more or less changes B by ± Y'S⁻¹Y, where Y has one row
for each output (see `criteria.schur`). Each step then costs two matrix products for the whole batch. If along the way
to the optimum curvatures are between l and h times those at the start (l <= 1 <= h), a step from a point within r of
the optimum ends within max(h - 1, 1 - l) r of it, so the step after the last gradient comes with a proof of its own.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Features, Mask, Values
from sweepless.criteria.linear.smooth_base import Base
from sweepless.criteria.linear.smooth_fit import LARGEST_ROUNDING, ROUNDING
from sweepless.kernels.linear.losses import SOFTMAX, add_scaled, respond, respond_softmax

# The rounding that a fit from scratch may have, which leaves no doubt that this fit has a value.
_LARGEST_SHARE = 2.0**-3
_TAIL = 2.0**-4  # the least ratio of curvatures that is taken as it is


class Neighbors:
    """A batch of neighbours on their way to their optima.

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
    coefficients, own : array
        Those of the members, output after output, and of the candidates, one column for each output.
    decrements : array
        How far the last step went, in the norm of the second derivatives.
    swelling : array
        Bounds on how much greater second derivatives may be between here and the optimum.
    """

    _rows: Values  # Y
    _corner: Values  # the inverse of S
    _norms: Values  # bounds on the norm of the changed inverse, as it acts on differences of outputs
    _rounding: Values  # bounds on the relative error of solved systems
    _sharpness: Values  # the norm of the inverse of S, likewise
    _explained: Values  # how much of a candidate the members explain
    _next: Values  # where the next step begins, for members and candidates
    _own_next: Values
    _last: tuple[Values, Values, Values] | None  # gradients of members and candidates and squared decrements of a step

    # What there is one of for each neighbour.
    _EACH = (
        *("coefficients", "own", "decrements", "swelling", "_next", "_own_next", "_own_penalties", "_moved"),
        *("_rows", "_corner", "_norms", "_rounding", "_sharpness", "_explained", "_widest"),
    )

    def __init__(self, base: Base, columns: Values | None, penalties: Values, places: Features) -> None:
        fit = base.fit
        self._base, self._fit, self._columns = base, fit, columns
        self._penalties = np.tile(fit.penalties, fit.task.n_outputs)
        self._own_penalties = penalties
        n_outputs, size = fit.coefficients.shape
        start = fit.coefficients.reshape(-1)
        self._leaving: Features | None = None
        self.decrements = self.swelling = np.full(len(penalties) if columns is None else len(columns), np.inf)
        if columns is None:
            self._leaving = leaving = places[:, None] + size * np.arange(n_outputs)
            self._rows = base.inverse[leaving]
            self._corner = _inverses(base.inverse[leaving[:, :, None], leaving[:, None]])
            self._norms = np.full(len(places), base.breadth)
            self._rounding = np.full(len(places), ROUNDING * fit.trace * base.norm)
            moves = np.einsum("ckl,cl->ck", self._corner, start[leaving])
            self.coefficients = start - np.einsum("ck,ckp->cp", moves, self._rows)
            self.coefficients[np.arange(len(places))[:, None], leaving] = 0.0
            self.own = np.zeros((len(places), 0))
            self._sharpness = self._explained = np.zeros(len(places))
        else:
            self._enter(columns)
            gradients = np.broadcast_to(fit.gradient.reshape(-1), (len(columns), len(start)))
            step, own, _ = self._solve(gradients, columns @ fit.slopes.T)
            self.coefficients, self.own = start + step, own
        self._moved = np.zeros(len(self.coefficients))
        farthest = None if columns is None else np.max(np.abs(columns), axis=1, initial=0.0)[:, None]
        widest = np.full((len(self._moved), 1), base.widest)
        self._widest = self._spans(widest, np.array([base.farthest]), farthest)[:, 0]
        self._next, self._own_next, self._last = self.coefficients, self.own, None

    def _enter(self, columns: Values) -> None:
        fit, base = self._fit, self._base
        n_outputs, size = fit.coefficients.shape
        edges = np.empty((len(columns), n_outputs, n_outputs, size))
        corner = np.empty((len(columns), n_outputs, n_outputs))
        for k in range(n_outputs):
            for other in range(k, n_outputs):
                weighted = columns * base.mixed[k, other]
                edges[:, k, other] = edges[:, other, k] = weighted @ fit.trained.T
                corner[:, k, other] = corner[:, other, k] = np.einsum("ct,ct->c", weighted, columns)
        places = np.arange(n_outputs)
        corner[:, places, places] += self._own_penalties[:, None]
        flat = edges.reshape(len(columns), n_outputs, n_outputs * size)
        self._rows = (flat.reshape(len(columns) * n_outputs, n_outputs * size) @ base.inverse).reshape(flat.shape)
        explained = np.einsum("ckp,clp->ckl", flat, self._rows)
        self._corner = _inverses(corner - explained)
        self._explained = np.maximum(np.trace(explained, axis1=1, axis2=2), 0.0)
        lengths = np.einsum("ckp,ckp->c", self._rows, self._rows) + n_outputs
        norms = base.norm + lengths * _lengths(self._corner)
        self._rounding = ROUNDING * (fit.trace + np.trace(corner, axis1=1, axis2=2)) * norms
        apart = np.eye(n_outputs) - (1.0 / n_outputs if n_outputs > 1 else 0.0)
        self._sharpness = _lengths(apart @ self._corner @ apart)
        self._norms = base.breadth + lengths * self._sharpness

    def _solve(self, gradients: Values, own: Values) -> tuple[Values, Values, Values]:
        """Return the Newton steps of members and candidates, and the squared decrements."""
        solved = gradients @ self._base.inverse
        sign = 1.0 if self._columns is not None else -1.0
        along = np.einsum("ckp,cp->ck", self._rows, gradients)
        if self._columns is not None:
            along -= own
        moves = np.einsum("ckl,cl->ck", self._corner, along)
        before, change = np.einsum("cp,cp->c", gradients, solved), np.einsum("ck,ck->c", along, moves)
        squares = np.maximum(before + sign * change, 0.0) + self._rounding * (np.abs(before) + np.abs(change))
        solved += sign * np.einsum("ck,ckp->cp", moves, self._rows)
        return -solved, moves if self._columns is not None else own, squares

    def advance(self) -> Values:
        """Take one step, and return how far each neighbour may then be from its optimum: infinite if unknown."""
        fit, task = self._fit, self._fit.task
        n_outputs, size = fit.coefficients.shape
        n_candidates = len(self.coefficients)
        outputs = self._next.reshape(n_candidates * n_outputs, size) @ fit.trained
        if self._columns is not None:
            add_scaled(outputs, self._own_next, self._columns)
        ratios = np.ones((n_candidates, 2))
        if task.loss == SOFTMAX:
            respond_softmax(
                outputs.reshape(n_candidates, n_outputs, -1), task.target, task.weights, self._base.reciprocals, ratios
            )
        else:
            respond(task.loss, outputs, task.target, task.weights, self._base.reciprocals, ratios)
        gradients = (outputs @ fit.trained.T).reshape(n_candidates, n_outputs * size) + self._penalties * self._next
        own = np.zeros((n_candidates, 0))
        if self._columns is not None:
            slopes = outputs.reshape(n_candidates, n_outputs, -1)
            own = np.einsum("ckt,ct->ck", slopes, self._columns) + self._own_penalties[:, None] * self._own_next
        steps, own_steps, squares = self._solve(gradients, own)
        self._go_on(steps, own_steps, gradients, own, squares)
        if not task.is_slow:
            return self._by_penalty(steps, own_steps, gradients, own)
        is_low = ratios[:, 0] < _TAIL
        if is_low.any():
            slopes = outputs.reshape(n_candidates, n_outputs, -1)[is_low]
            ratios[is_low, 0] = np.maximum(ratios[is_low, 0], self._without_tails(slopes, is_low))
        return self._by_curvature(np.sqrt(squares), ratios)

    def _go_on(self, steps: Values, own_steps: Values, gradients: Values, own: Values, squares: Values) -> None:
        """Move to the end of a step, and choose where to take the next one from: beyond it by Anderson's secant.

        A strong feature lowers all curvatures by much the same factor, so that steps are too short in the same way.
        """
        before, own_before = self.coefficients, self.own
        self.coefficients = self._next + steps
        self.own = self._own_next + own_steps if self._columns is not None else self.own
        self._next, self._own_next = self.coefficients, self.own
        if self._last is not None:
            shared = -np.sum(self._last[0] * steps, axis=1) - np.sum(self._last[1] * own_steps, axis=1)
            share = (squares - shared) / (squares - 2.0 * shared + self._last[2])
            share = np.clip(np.nan_to_num(share), -16.0, 0.5)[:, None]
            self._next = self.coefficients - share * (self.coefficients - before)
            self._own_next = self.own - share * (self.own - own_before)
        self._last = gradients, own, squares

    def _without_tails(self, slopes: Values, chosen: Mask) -> Values:
        """Bound second derivatives from below, as a share of those at the start, without samples that lost most.

        These are mostly samples far on the right side, which curve so little that they are not missed.
        """
        base = self._base
        lost = ~(np.min(self._fit.task.bends(slopes) * base.reciprocals, axis=1) >= 2.0 * _TAIL)
        columns = None if self._columns is None else self._columns[chosen]
        spans = self._spans(base.trained_spans[None], base.trained_squares, columns, chosen)
        return np.asarray(2.0 * _TAIL * (1.0 - np.sum(lost * base.bends * spans, axis=1)))

    def _by_curvature(self, decrements: Values, ratios: Values) -> Values:
        self.decrements = decrements
        self._moved += decrements
        reach = np.sqrt(self._widest)
        low, high = np.minimum(ratios[:, 0], 1.0), np.maximum(ratios[:, 1], 1.0)
        noise = self._entry(reach, high) * np.sqrt(self._norms)
        is_sound = reach * noise <= _LARGEST_SHARE * self._fit.task.largest_error * low
        is_sound &= self._rounding * high <= _LARGEST_SHARE * LARGEST_ROUNDING * low
        noise = np.where(is_sound, noise + self._rounding * decrements, np.inf)
        share = reach * (decrements + noise) / low
        within = np.where(share < 0.5, -np.log1p(-np.minimum(share, 0.5)), np.inf)
        self.swelling = high * np.exp(np.maximum(within, reach * decrements))
        rate = np.maximum(high * np.exp(within) - 1.0, 1.0 - low * np.exp(-within))
        return np.asarray(np.minimum(rate * within / reach, within / reach + decrements) + noise)

    def _by_penalty(self, steps: Values, own_steps: Values, gradients: Values, own: Values) -> Values:
        if self._leaving is not None:  # the coefficients that left are not free to follow their gradients
            gradients[np.arange(len(gradients))[:, None], self._leaving] = 0.0
        taken = np.sum(steps**2 * self._penalties, axis=1)
        left = np.sum(gradients**2 / self._penalties, axis=1)
        weights = np.full(len(steps), np.sum(1.0 / self._penalties))
        if self._columns is not None:
            taken += np.sum(own_steps**2, axis=1) * self._own_penalties
            left += np.sum(own**2, axis=1) / self._own_penalties
            weights += 1.0 / self._own_penalties
        self.decrements = np.sqrt(left)
        self._moved += np.sqrt(taken)
        noise = self._entry(np.sqrt(self._widest), np.ones(len(steps))) * np.sqrt(weights)
        # What rounding leaves of a gradient may be some times the noise, here without anything that dampens it.
        largest = _LARGEST_SHARE**2 * self._fit.task.largest_error
        noise = np.where(np.sqrt(self._widest) * noise <= largest, noise, np.inf)
        return np.asarray(np.sqrt(taken) + self.decrements + noise)

    def keep(self, chosen: Mask) -> None:
        """Drop the other neighbours."""
        for name in self._EACH:
            setattr(self, name, getattr(self, name)[chosen])
        if self._last is not None:
            self._last = self._last[0][chosen], self._last[1][chosen], self._last[2][chosen]
        self._columns = None if self._columns is None else self._columns[chosen]
        self._leaving = None if self._leaving is None else self._leaving[chosen]

    def start_of(self, neighbor: int) -> Values:
        """Return the coefficients of one neighbour, that of the candidate last: where a fit of its own may begin."""
        members = self.coefficients[neighbor].reshape(self._fit.coefficients.shape)
        own = self.own[neighbor][:, None] if self._columns is not None else np.empty((len(members), 0))
        found = np.hstack([members, own])
        return found if np.isfinite(found).all() else np.zeros_like(found)

    def penalty(self) -> Values:
        """Return half the penalized squares of all coefficients of every neighbour."""
        own = np.sum(self.own**2, axis=1) * self._own_penalties if self._columns is not None else 0.0
        return np.asarray((np.sum(self.coefficients**2 * self._penalties, axis=1) + own) / 2.0)

    def tested(self, columns: Values | None) -> Values:
        """Return the outputs of held-out samples: (candidates, outputs, samples)."""
        n_outputs, size = self._fit.coefficients.shape
        tested = self._base.tested
        flat = self.coefficients.reshape(len(self.own) * n_outputs, size)
        outputs = (flat @ tested).reshape(len(self.own), n_outputs, tested.shape[1])
        if columns is not None:
            outputs += self.own[:, :, None] * columns[:, None]
        return np.asarray(outputs)

    def errors(self, distances: Values, columns: Values | None) -> Values:
        """Bound the errors of these outputs, or of their differences, at a distance from the optimum."""
        return np.asarray(
            distances[:, None] * np.sqrt(self._spans(self._base.spans[None], self._base.squares, columns))
        )

    def _spans(
        self, spans: Values, squares: Values, columns: Values | None, chosen: Mask | slice = slice(None)
    ) -> Values:
        """Bound how far outputs may move, squared, along a vector of length 1.

        `spans` are those of the fit, `squares` those of the members' values. A change Y'S⁻¹Y of the inverse adds Yx
        squared over S, where |Yx| is at most the candidate's own value and what the members explain of it times the
        span. Where they explain nearly all, the norm of the changed inverse is the better bound.
        """
        if columns is None:
            return spans  # a feature that leaves only takes from them
        if not self._fit.task.is_slow:
            return np.asarray(spans + columns**2 / self._own_penalties[chosen, None])
        slant = np.abs(columns) + np.sqrt(self._explained[chosen, None] * spans)
        wide = spans + self._fit.doubled * self._sharpness[chosen, None] * slant**2
        return np.asarray(np.minimum(wide, self._fit.doubled * self._norms[chosen, None] * (squares + columns**2)))

    def _entry(self, reach: Values, high: Values) -> Values:
        """Bound the rounding error of every entry of a gradient, as in `Fit`, if curvatures have grown by a factor."""
        task, largest, moved = self._fit.task, self._base.largest, reach * self._moved
        sizes = (1.0 + largest) * high * (1.0 + moved) if task.is_deviance else 1.0 + largest + moved
        return np.asarray(2.0**-50 * sizes * float(np.sqrt(np.sum(task.weights**2))))


def _lengths(matrices: Values) -> Values:
    """Return the roots of the sums of squares of some matrices."""
    return np.asarray(np.sqrt(np.einsum("ckl,ckl->c", matrices, matrices)))


def _inverses(matrices: Values) -> Values:
    """Return the inverses of some symmetric matrices, NaN of those that have none."""
    if matrices.shape[1] == 1:
        return np.asarray(1.0 / matrices)
    try:
        return np.asarray(np.linalg.inv(matrices))
    except np.linalg.LinAlgError:
        is_regular = np.linalg.det(matrices) > 0.0
        found = np.full_like(matrices, np.nan)
        found[is_regular] = np.linalg.inv(matrices[is_regular])
        return found
