"""Rows whose nearest samples are listed, but too close to call in float32: by doubles, or by the definition."""

from __future__ import annotations

import numpy as np

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import integer, kernel
from sweepless.kernels.neighbors.definition import ABREAST, rooted, sum_some, term
from sweepless.kernels.neighbors.lists import Lists


@kernel
def settle_ties(
    lists: Lists,
    row_sample: Counts,
    row_class: Counts,
    row_account: Counts,
    sample_class: Counts,
    rank: Counts,
    values: Values,
    order: Counts,
    slots: Counts,
    columns: Values,
    drift: float,
    sign: int,
    manhattan: bool,
    tied_candidate: Counts,
    tied_row: Counts,
    near: Values,
    correct: Counts,
) -> None:
    """Count, per candidate and account, the tied rows whose nearest sample is of their class.

    `near` is working space. Other arguments are as in `settle_by_lists` and `sum_some`.
    """
    some, totals = np.empty(ABREAST, dtype=np.int64), np.empty(ABREAST)
    signed = np.float32(sign)
    for c, r in zip(tied_candidate, tied_row):
        i, own = row_sample[r], row_class[r]
        same, other = np.inf, np.inf
        for k in range(lists.n_listed[r]):
            j = lists.sample[r, k]
            near[k] = lists.distance[r, k] + sign * term(columns[c, i] - columns[c, j], manhattan)
            if sample_class[j] == own:
                same = near[k] if near[k] < same else same
            else:
                other = near[k] if near[k] < other else other
        if abs(same - other) > 2.0 * drift:
            correct[c, row_account[r]] += integer(same < other)
            continue
        reach = (same if same > other else other) + 2.0 * drift
        nearest, winner, n_some = np.inf, integer(-1), integer(0)
        for k in range(lists.n_listed[r]):
            if near[k] <= reach:
                some[n_some] = lists.sample[r, k]
                n_some += 1
            if n_some == ABREAST or k == lists.n_listed[r] - 1:
                sum_some(values, order, columns[c], slots[c], signed, manhattan, i, some, n_some, totals)
                for p in range(n_some):
                    distance, j = rooted(totals[p], manhattan), some[p]
                    if distance < nearest or (distance == nearest and rank[j] < rank[winner]):
                        nearest, winner = distance, j
                n_some = integer(0)
        correct[c, row_account[r]] += integer(sample_class[winner] == own)
