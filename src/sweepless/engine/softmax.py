"""Draws by a softmax over scores, without replacement and without some that are barred."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from sweepless._typing import Features, Values
from sweepless.kernels.sampling.proposal import softmax_weights
from sweepless.kernels.sampling.softmax import draw_by_softmax

Draw = Callable[[Values, Values, Values], Features]
"""From weights, preferences and uniform numbers to positions."""


class Temperature(Protocol):
    """The temperature of a softmax, derived from the scores if need be."""

    def __call__(self, scores: Values, n_lower: int = 0, n_higher: int = 0) -> float:
        """Return the temperature; so many of the lowest and highest scores do not count."""


def draw_from_rest(
    draw: Draw, scores: Values, sign: int, barred: Features, temperature: Temperature, uniforms: Values
) -> Features:
    """Copy the scores that are left and draw among them."""
    rest = np.ones(len(scores), dtype=np.bool_)
    rest[barred] = False
    left = np.flatnonzero(rest)
    preference = sign * scores[left]
    weights = softmax_weights(preference, temperature(scores[left]))
    return np.asarray(left[draw(weights, preference, uniforms)])


def draw_in_place(scores: Values, sign: int, barred: Features, temperature: Temperature, uniforms: Values) -> Features:
    """Draw without a copy of a million scores: those of the barred are infinitely bad for the moment."""
    if not scores.flags.writeable:
        scores = scores.copy()
    before = scores[barred]
    scores[barred] = -sign * np.inf
    try:
        n_lower, n_higher = (len(barred), 0) if sign > 0 else (0, len(barred))
        return draw_by_softmax(scores, sign, temperature(scores, n_lower, n_higher), uniforms)
    finally:
        scores[barred] = before
