"""k-NN for the neighbors of a subset: a float32 filter decides what it can prove, the definition decides the rest.

The filter computes base ± term in float32 from centered columns. Its error is the one bounded in
`neighbors.definition` plus `drift`, which the incremental doubles may have lost. Where the distances of two classes
differ by less than the errors, every column that may be among the nearest is computed by the definition.
"""

from __future__ import annotations

import numpy as np

from sweepless._typing import AnyArray, Counts, Features, Mask, Values
from sweepless.kernels._jit import index, integer, kernel
from sweepless.kernels._lanes import WIDTH, aligned, every, load, store, with_term
from sweepless.kernels.neighbors.by_definition import ABREAST, nearest_by_definition, room_for_distances
from sweepless.kernels.neighbors.decision import decide
from sweepless.kernels.neighbors.definition import SLOPE, Frame, ballot_for, points, vote
from sweepless.kernels.neighbors.grid import Pairs, bring_row, show_row
from sweepless.kernels.neighbors.rivals import Rivals, find_least, hide_repeated, keep_rivals, room_for_rivals

_INF32 = np.float32(np.inf)


def count_one_by_one(
    frame: Frame,
    pairs: Pairs,
    unit: float,
    rows: Values,
    spots: Counts,
    slots: Counts,
    columns: Values,
    places: Features,
    middles: Values,
    offsets: Values,
    sign: int,
    n_neighbors: int,
    manhattan: bool,
    some: Features,
    is_open: Mask,
    shares: Counts,
    beside: AnyArray,
    gains: Counts | None,
    correct: Counts,
) -> None:
    """Count the correctly classified rows among the open ones, which are some, or their points.

    `columns` holds the candidates at some `places`, a row each, with values around `middles`; `offsets` are the errors
    of their distances that do not grow with them. `rows` holds the working subset's values per sample in ascending
    feature order, and `slots` the places of the candidates in it. `shares` is for how many rows each one stands.
    `beside` holds the values of features that may leave side by side, sample by sample, if many pairs are open.
    """
    n_columns = frame.col_sample.shape[1]
    whole, near = room_for_distances(n_columns), room_for_distances(n_columns)
    _count_one_by_one(
        frame,
        pairs,
        unit,
        some[np.argsort(frame.row_group[some], kind="stable")],
        is_open,
        shares,
        rows,
        spots,
        slots,
        columns,
        places,
        middles,
        offsets,
        sign,
        n_neighbors,
        manhattan,
        aligned(len(places), near.shape[1]),
        np.full(len(places), -1),
        room_for_rivals(frame, len(rows)),
        beside,
        aligned(2, beside.shape[1]),
        whole,
        whole.view(np.int32),
        near,
        near.view(np.int32),
        np.empty(ABREAST, dtype=np.int64),
        np.empty(ABREAST),
        np.empty(n_neighbors + 1),
        np.empty(n_neighbors + 1, dtype=np.int64),
        ballot_for(frame, n_neighbors, gains),
        gains,
        correct,
    )


@kernel
def _count_one_by_one(
    frame: Frame,
    pairs: Pairs,
    unit: float,
    some: Features,
    is_open: Mask,
    shares: Counts,
    rows: Values,
    spots: Counts,
    slots: Counts,
    columns: Values,
    places: Features,
    middles: Values,
    offsets: Values,
    sign: int,
    n_neighbors: int,
    manhattan: bool,
    gathered: AnyArray,
    gathered_for: Counts,
    rivals: Rivals,
    beside: AnyArray,
    least_near: AnyArray,
    whole: AnyArray,
    whole_bits: AnyArray,
    near: AnyArray,
    bits: AnyArray,
    listed: Counts,
    totals: Values,
    best: Values,
    best_column: Counts,
    votes: Counts | None,
    gains: Counts | None,
    correct: Counts,
) -> None:
    """Count in `some` rows, which come group by group.

    The arguments from `gathered` to `votes` are working space. Mostly one neighbor needs no votes; code for an argument
    that is None is not compiled.
    """
    signed, largest_offset, last_group = np.float32(sign), 0.0, integer(-1)
    n_columns = frame.col_sample.shape[1]
    shown, shown_bits = whole[0, : n_columns + 1], whole_bits[0, : n_columns + 1]
    for c in range(len(offsets)):
        largest_offset = max(largest_offset, offsets[c])
    for p in range(len(some)):
        r = some[p]
        here, group, own, account = frame.row_sample[r], frame.row_group[r], frame.row_class[r], frame.row_account[r]
        place = bring_row(frame, pairs, r, manhattan)
        show_row(pairs, place, unit, shown)
        samples, labels, ranks = frame.col_sample[group], frame.col_class[group], frame.col_rank[group]
        class_start, n_near = frame.class_start[group], integer(n_columns)
        if sign < 0:
            if group != last_group:
                hide_repeated(rivals, frame.col_order[group], samples, spots, n_neighbors)
            n_near = keep_rivals(
                rivals,
                frame,
                group,
                pairs,
                place,
                unit,
                largest_offset,
                n_neighbors,
                shown,
                shown_bits,
                best,
                best_column,
                votes,
            )
            samples, labels, ranks = rivals.sample[:n_near], rivals.label[:n_near], rivals.rank[:n_near]
            class_start = rivals.class_start
            if votes is None and len(beside) > 0:
                find_least(rivals, own, here, shown, beside, manhattan, least_near)
                for c in range(len(places)):
                    same, other = float(least_near[0, c]), float(least_near[1, c])
                    is_proved = is_open[r, c] & (abs(same - other) > SLOPE * (same + other) + 2.0 * offsets[c])
                    is_open[r, c] ^= is_proved
                    correct[c, account] += shares[r] * integer(is_proved & (same < other))
        last_group = group
        n_abreast = index(-(-n_near // WIDTH) * WIDTH)
        for j in range(index(n_near), n_abreast):
            whole[0, j] = _INF32
        for c in range(len(places)):
            if not is_open[r, c]:
                continue
            column = columns[index(places[c])]
            if sign < 0 or gathered_for[c] != group:
                gathered_for[c] = group
                for j in range(index(n_near)):
                    gathered[c, j] = np.float32(column[index(samples[j])] - middles[c])
                for j in range(index(n_near), n_abreast):
                    gathered[c, j] = np.float32(0.0)
            value, offset = np.float32(column[here] - middles[c]), offsets[c]
            values = every(value)
            for j in range(index(0), n_abreast, index(WIDTH)):
                there = load(gathered, index(c), j)
                store(near, index(0), j, with_term(load(whole, index(0), j), signed, values, there, manhattan))
            winner, reach = decide(
                near[0, : n_near + 1],
                bits[0, : n_near + 1],
                own,
                class_start,
                labels,
                n_neighbors,
                SLOPE,
                offset,
                best,
                best_column,
                votes,
            )
            if reach >= 0.0:
                n_found = nearest_by_definition(
                    rows,
                    spots,
                    column,
                    here,
                    samples,
                    class_start,
                    ranks,
                    slots[c],
                    signed,
                    manhattan,
                    near,
                    bits,
                    reach,
                    offset,
                    n_neighbors,
                    listed,
                    totals,
                    best,
                    best_column,
                )
                winner = vote(best_column, n_found, labels, votes)
            correct[c, account] += shares[r] * points(winner, own, votes, gains)
