"""Shrunk covariances in the axes of the members' covariance, which are the same for all candidates.

A shrunk covariance is a S + b I, where a and b depend on the candidate. With S = Q diag(l) Q' its inverse is
Q diag(1 / (a l + b)) Q', so that a candidate costs a few products instead of an elimination.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import Values
from sweepless.criteria.discriminant.models import Scored, Side, rounding


def score_in_axes(
    kept: Values,
    added: Values,
    scatter: Values,
    edges: Values,
    corners: Values,
    members: Side,
    entering: Side,
    units: tuple[Values, Values],
    priors: Values,
) -> Scored:
    """Return the scores of one model per class with each candidate, as `models.score` does but for rounding.

    Parameters
    ----------
    kept, added : array of shape (class, candidate)
        a and b.
    scatter, edges, corners : arrays
        S with the candidates, in the units that are given with it: (class, member, member), (class, member, candidate)
        and (class, candidate).
    members, entering : Side
    units : pair of arrays of shape (class, feature)
        The units of members and candidates in which S is.
    priors : array
    """
    size = scatter.shape[1] + 1
    values, axes = np.linalg.eigh(scatter)
    inverse = 1.0 / (kept[:, :, None] * values[:, None, :] + added[:, :, None])  # class, candidate, axis
    turned = kept[:, :, None] * (edges.swapaxes(1, 2) @ axes)
    slopes = turned * inverse
    rest = kept * corners + added - np.einsum("cka,cka->ck", turned, slopes)
    # Side by side are what the members explain, and what the candidate adds to it.
    tested = axes.swapaxes(1, 2) @ (members.tested * (members.units / units[0])[:, :, None])
    new = entering.tested * (entering.units / units[1])[:, :, None] - slopes @ tested
    squares = inverse @ (tested * tested)
    new *= new
    new /= rest[:, :, None]
    squares += new
    logs = np.log(rest) - np.log(inverse).sum(axis=2)
    logs += 2.0 * (np.log(units[0]).sum(axis=1)[:, None] + np.log(units[1]))
    squares += logs[:, :, None]
    squares *= -0.5
    squares += np.log(priors)[:, None, None]
    diagonals = inverse @ (axes * axes).swapaxes(1, 2) + (slopes @ axes.swapaxes(1, 2)) ** 2 / rest[:, :, None]
    diagonals = (diagonals / (units[0] ** 2)[:, None, :]).max(axis=2, initial=0.0)
    inverses = size * np.maximum(diagonals, 1.0 / rest / units[1] ** 2)
    top, offsets = (
        np.maximum(old.max(axis=1, initial=0.0)[:, None], each)
        for old, each in ((members.units, entering.units), (members.offsets, entering.offsets))
    )
    doubts = rounding(size, top**2 * inverses, offsets, centers=True)
    scores = np.ascontiguousarray(squares.swapaxes(0, 1))
    return Scored(scores, doubts.max(axis=0), inverses.max(axis=0), np.empty((len(scores), size, 0)))
