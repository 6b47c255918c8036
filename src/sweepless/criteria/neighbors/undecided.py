"""The rows that are left open: one after the other, of those that share their result one for all."""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.criteria.neighbors.crowds import SHARE, Crowds
from sweepless.kernels._lanes import WIDTH, aligned
from sweepless.kernels.neighbors.abreast import FEW, lay_abreast
from sweepless.kernels.neighbors.definition import OFFSET, Frame
from sweepless.kernels.neighbors.filter import count_one_by_one
from sweepless.kernels.neighbors.grid import Pairs
from sweepless.kernels.neighbors.spots import share_rows


def count_correct(
    crowds: Crowds,
    frame: Frame,
    pairs: Pairs,
    unit: float,
    rows: Values,
    slots: Counts,
    columns: Values,
    places: Features,
    middles: Values,
    spans: Values,
    drift: float,
    sign: int,
    n_neighbors: int,
    manhattan: bool,
    some: Features,
    is_open: Mask,
    gains: Counts | None,
    correct: Counts,
) -> None:
    """Count the correctly classified rows among the open ones, which are some, or their points.

    `columns` holds the candidates at some `places`, a row each, with values around `middles`; `rows` holds the working
    subset's values per sample in ascending feature order, and `slots` the places of the candidates in that order.
    """
    spots, shares = np.arange(len(rows)), np.ones(len(is_open), dtype=np.int64)
    beside: AnyArray = np.empty((0, WIDTH), dtype=np.float32)
    if crowds.knows(rows) or SHARE * np.count_nonzero(is_open) > is_open.size:
        spots = crowds.spots(rows)
        if crowds.is_crowded and sign < 0:
            shares = share_rows(frame, spots, is_open)
            some = some[is_open[some].any(axis=1)]
        if sign < 0 and n_neighbors == 1:
            beside = aligned(len(rows), is_open.shape[1])
            lay_abreast(columns, places, middles, aligned(WIDTH, FEW), beside, 0, len(rows))
    step = rows, spots, slots, columns, places, middles, OFFSET * spans + drift, sign, n_neighbors, manhattan
    count_one_by_one(frame, pairs, unit, *step, some, is_open, shares, beside, gains, correct)
