"""How far neighbors may be from their optima, by their gradients (see `criteria.linear.smooth_neighbors`)."""

from __future__ import annotations

import math

import numpy as np

from sweepless._typing import Features, Values
from sweepless.kernels._jit import in_wide_vectors, index, inner_maker, kernel, maker
from sweepless.kernels.linear.respond import LANES, long_dot

_MOST_LOST = 8.0  # a trace beyond which a norm is not worth its computation
_SLIP = 2.0**-10  # rounding of such a norm


@maker
def spans_with(
    entries: Features,
    spans: Values,
    squares: Values,
    columns: Values,
    explained: Values,
    sharpness: Values,
    norms: Values,
    doubled: float,
) -> Values:
    """Bound how far outputs of samples may move, squared, along a vector of length 1 with one feature more.

    A change Y'S⁻¹Y of the inverse adds Yx squared over S, where |Yx| is at most the candidate's own value and what the
    members explain of it times the span. Where they explain nearly all, the norm of the changed inverse is the better
    bound.

    Parameters
    ----------
    entries : array
        The neighbors, of which all of the first task come first.
    spans : array of shape (tasks, samples)
        Those without the feature.
    squares : array
        The squared lengths of the members' values.
    columns : array of shape (candidates, samples)
    explained, sharpness, norms : array
        As in `Neighbors`.
    doubled : float
        What turns bounds on outputs into bounds on their differences, squared.
    """
    found = np.empty((len(entries), len(squares)))
    for i in range(len(entries)):
        c = entries[i]
        line, column, span = found[i], columns[c % len(columns)], spans[c // len(columns)]
        own, sharp, norm = explained[c], doubled * sharpness[c], doubled * norms[c]
        for t in range(index(len(line))):
            x = column[t]
            slant = abs(x) + math.sqrt(own * span[t])
            line[t] = min(span[t] + sharp * slant * slant, norm * (squares[t] + x * x))
    return found


@kernel
def bound_by_curvature(
    left: Features,
    squares: Values,
    ratios: Values,
    widest: Values,
    norms: Values,
    rounding: Values,
    moved: Values,
    entry: float,
    largest: float,
    grows: bool,
    most_noise: float,
    most_rounding: float,
    decrements: Values,
    swelling: Values,
    distances: Values,
) -> None:
    """Bound the distance after one more chord step from points with these squared decrements.

    Parameters
    ----------
    left : array
        Which neighbors these are.
    squares, ratios : array
        Their squared decrements, and the least and the greatest ratio of curvatures to those at the start.
    widest, norms, rounding : array
        How far an output moves along a vector of length 1, squared, the norm of the inverse, and the relative error
        of solved systems, for every neighbor.
    moved : array
        How far every neighbor is from the start.
    entry, largest : float
        The rounding error of an entry of the gradient, relative to the size of outputs, and that at the start.
    grows : bool
        Whether rounding errors grow with the curvatures.
    most_noise, most_rounding : float
        Of outputs and of solved systems; with more, nothing is known.
    decrements, swelling, distances : array
        Get the decrements, how much greater curvatures may be up to the optimum, and the bounds.
    """
    for i in range(len(left)):
        c = left[i]
        decrement, reach = math.sqrt(squares[i]), math.sqrt(widest[c])
        low, high = min(ratios[i, 0], 1.0), max(ratios[i, 1], 1.0)
        out = reach * (moved[c] + decrement)
        size = (1.0 + largest) * high * (1.0 + out) if grows else 1.0 + largest + out
        noise = entry * size * math.sqrt(norms[c])
        is_sound = reach * noise <= most_noise * low and rounding[c] * high <= most_rounding * low
        noise = noise + rounding[c] * decrement if is_sound else np.inf
        share = reach * (decrement + noise) / low
        within = -math.log1p(-share) if share < 0.5 else np.inf
        rate = max(high * math.exp(within) - 1.0, 1.0 - low * math.exp(-within))
        decrements[c] = decrement
        swelling[c] = high * math.exp(max(within, reach * decrement))
        distances[c] = min(rate * within, within + reach * decrement) / reach + noise


@kernel
def bound_by_penalty(
    left: Features,
    gradients: Values,
    points: Values,
    start: Values,
    penalties: Values,
    own_penalties: Values,
    widest: Values,
    entry: float,
    largest: float,
    most_noise: float,
    decrements: Values,
    distances: Values,
) -> None:
    """Bound the distance of points, in the norm of the penalties, by the gradients there.

    `penalties` are those of the members, which began at `start`, a row for each task; `own_penalties` those of the
    candidates. All neighbors of the first task come first.
    """
    size, n_candidates = len(penalties), len(own_penalties)
    for i in range(len(left)):
        c = left[i]
        begin = start[c // n_candidates]
        square, moved, weights = 0.0, 0.0, 0.0
        for j in range(gradients.shape[1]):
            penalty, begun = (penalties[j], begin[j]) if j < size else (own_penalties[c % n_candidates], 0.0)
            square += gradients[i, j] * gradients[i, j] / penalty
            moved += (points[i, j] - begun) * (points[i, j] - begun) * penalty
            weights += 1.0 / penalty
        reach = math.sqrt(widest[c])
        noise = entry * (1.0 + largest + reach * math.sqrt(moved)) * math.sqrt(weights)
        decrements[c] = math.sqrt(square)
        distances[c] = decrements[c] + noise if reach * noise <= most_noise else np.inf


@inner_maker
def _norm_of_lost(
    lost: Values, bend: Values, trained: Values, column: Values, inverse: Values, row: Values, scale: float
) -> float:
    """Bound lost second derivatives by all of these at the start: the root of the sum of squared eigenvalues."""
    size, enters = len(trained), len(column) > 0
    width = size + 1 if enters else size
    gram, changed, x = np.zeros((width, width)), np.empty((width, width)), np.empty(width)
    for t in range(len(lost)):
        if lost[t] * bend[t] > 0.0:
            for i in range(size):
                x[i] = trained[i, t]
            if enters:
                x[size] = column[t]
            for i in range(width):
                for j in range(width):
                    gram[i, j] += bend[t] * x[i] * x[j]
    for i in range(size):
        for j in range(size):
            changed[i, j] = inverse[i, j] + (scale if enters else -scale) * row[i] * row[j]
        if enters:
            changed[i, size] = changed[size, i] = -scale * row[i]
    if enters:
        changed[size, size] = scale
    total, product = 0.0, np.zeros((width, width))
    for i in range(width):
        for k in range(width):
            for j in range(width):
                product[i, j] += gram[i, k] * changed[k, j]
    for i in range(width):
        for j in range(width):
            total += product[i, j] * product[j, i]
    return math.sqrt(max(total, 0.0))


@maker
def bound_by_active(
    left: Features,
    squares: Values,
    slopes: Values,
    trained: Values,
    inverse: Values,
    rows: Values,
    corner: Values,
    weights: Values,
    bends: Values,
    roots: Values,
    columns: Values,
    explained: Values,
    sharpness: Values,
    widest: Values,
    norms: Values,
    rounding: Values,
    moved: Values,
    entry: float,
    largest: float,
    most_noise: float,
    most_rounding: float,
    distances: Values,
) -> None:
    """Bound the distance of hinges, in the norm of the second derivatives at the start, by what stays of these nearby.

    Let λ be the decrement, and θ the sum of x'Bx over the samples that curved at the start and may not curve everywhere
    within 2λ of here, each times its curvature. There, second derivatives are at least 1 - θ times those at the start.
    So the gradient points outwards at a distance of λ / (1 - θ), which is at most 2λ if θ is at most 1/2, and the
    optimum is nearer than that. What is lost has a trace of θ; if that is too much, its norm does as well.

    Parameters
    ----------
    slopes : array of shape (left, 1, samples)
        The weighted first derivatives, from which margins can be read where a hinge curves.
    trained, inverse, rows, corner : array
        The members' values, the inverse at the start of every task, and by Y and S⁻¹ how every neighbor changes it.
    weights, bends : array of shape (tasks, samples)
        Of the samples, and their second derivatives at the start.
    roots : array of shape (tasks, samples)
        How far outputs move along a vector of length 1 at the start.
    columns : array of shape (candidates, samples)
        The features that enter; with no samples if features leave.
    explained, sharpness : array
        As in `Neighbors`.
    """
    in_wide_vectors()
    enters = columns.shape[1] > 0
    lost, sums = np.empty(weights.shape[1]), np.empty(LANES)
    for i in range(len(left)):
        c = left[i]
        decrement, reach = math.sqrt(squares[i]), math.sqrt(widest[c])
        noise = entry * (1.0 + largest + reach * (moved[c] + decrement)) * math.sqrt(norms[c])
        is_sound = reach * noise <= most_noise and rounding[c] <= most_rounding
        length = decrement + noise + rounding[c] * decrement
        task = c // len(columns)
        row, column, w, bend, out = slopes[i, 0], columns[c % len(columns)], weights[task], bends[task], roots[task]
        root, sharp, factor = math.sqrt(explained[c]), sharpness[c], 16.0 * length * length
        if enters:
            for t in range(index(len(lost))):
                slant = abs(column[t]) + root * out[t]
                span = out[t] * out[t] + sharp * slant * slant
                may_flatten = row[t] * row[t] <= factor * w[t] * w[t] * span
                lost[t] = span if may_flatten else 0.0
        else:
            for t in range(index(len(lost))):
                span = out[t] * out[t]
                may_flatten = row[t] * row[t] <= factor * w[t] * w[t] * span
                lost[t] = span if may_flatten else 0.0
        share = long_dot(lost, bend, sums)
        if 0.5 < share < _MOST_LOST:
            norm = _norm_of_lost(lost, bend, trained, column, inverse[task], rows[c, 0], corner[c, 0, 0])
            share = norm + rounding[c] * share + _SLIP
        distances[c] = length / (1.0 - share) if is_sound and share <= 0.5 else np.inf
