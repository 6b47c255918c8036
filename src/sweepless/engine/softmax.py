"""Draw by a softmax over scores, without replacement and without barred positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from sweepless._typing import Features, Values
from sweepless.kernels.sampling.proposal import softmax_weights
from sweepless.kernels.sampling.softmax import draw_by_softmax

Draw = Callable[[Values, Values, Values], Features]
"""Turns weights, preferences and uniform numbers into positions."""


class Temperature(Protocol):
    """The temperature of a softmax, which may depend on the scores."""

    def __call__(self, scores: Values, n_lower: int = 0, n_higher: int = 0) -> float:
        """Return the temperature; the `n_lower` lowest and `n_higher` highest scores are left out."""


def draw_from_rest(
    draw: Draw, scores: Values, sign: int, barred: Features, temperature: Temperature, uniforms: Values
) -> Features:
    """Copy the scores that are not barred and draw among them."""
    rest = np.ones(len(scores), dtype=np.bool_)
    rest[barred] = False
    left = np.flatnonzero(rest)
    preference = sign * scores[left]
    masked = np.where(rest, scores, -np.inf)  # positions stay what they are, by which a temperature is found faster
    weights = softmax_weights(preference, temperature(masked, len(barred)))
    return np.asarray(left[draw(weights, preference, uniforms)])


def draw_in_place(scores: Values, sign: int, barred: Features, temperature: Temperature, uniforms: Values) -> Features:
    """Draw without copying all scores (unless low ones are sought), by setting those of the barred to infinity."""
    if not scores.flags.writeable:
        scores = scores.copy()
    before = scores[barred]
    scores[barred] = -sign * np.inf
    try:
        n_lower, n_higher = (len(barred), 0) if sign > 0 else (0, len(barred))
        degree = temperature(scores, n_lower, n_higher)
        return draw_by_softmax(scores if sign > 0 else -scores, degree, uniforms)
    finally:
        scores[barred] = before
