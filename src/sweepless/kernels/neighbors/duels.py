"""Votes of a few neighbors among two classes, from the nearest columns of either, for sixteen candidates at once.

Of k neighbors the row's class has at least i if its ith nearest column comes before the (k + 1 - i)th of the other. So
k duels tell its votes, and one of them who wins. This needs neither an order of all columns nor a second look.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sweepless._typing import AnyArray, Counts
from sweepless.kernels._jit import index, inlined, integer
from sweepless.kernels._lane_choices import add_where, note_where
from sweepless.kernels._lanes import WIDTH, aligned, every, greatest, least, load, minus, store, with_term
from sweepless.kernels.neighbors.lists import FAR32
from sweepless.kernels.neighbors.looks import Look

MOST_NEIGHBORS = 5
_ZERO, _ONE = np.float32(0.0), np.int32(1)


class Duels(NamedTuple):
    """Working space: the distances that meet, and the votes for the row's class plus one, or 0 where they are open."""

    own: AnyArray
    other: AnyArray
    votes: AnyArray  # a single row


def room_for_duels() -> Duels:
    """Return working space."""
    return Duels(aligned(MOST_NEIGHBORS, WIDTH), aligned(MOST_NEIGHBORS, WIDTH), aligned(1, WIDTH, np.int32))


def points_for(gains: Counts, n_neighbors: int) -> Counts:
    """Return what the votes for its own class are worth for a row of either class, behind a 0 (see `Duels`)."""
    votes = np.arange(n_neighbors + 1)
    if len(gains):
        own, first, second = gains[0], gains[1], gains[min(2, len(gains) - 1)]
        of_first, of_second = own + first + second[n_neighbors - votes], own + second + first[n_neighbors - votes]
    else:  # the class that wins
        of_first, of_second = (2 * votes < n_neighbors).astype(np.int64), (2 * votes > n_neighbors).astype(np.int64)
    return np.pad(np.stack([of_first, of_second]), ((0, 0), (1, 0)))


@inlined
def needed(n_neighbors: int, label: int, all_votes: bool) -> tuple[int, int]:
    """Return by how many of its own neighbors a row's class wins, and by how many of others it loses.

    Equal votes go to the first class. If all votes are asked for, nobody wins.
    """
    if all_votes:
        return n_neighbors + 1, n_neighbors + 1
    own = (n_neighbors + integer(1) + integer(label > 0)) // 2
    return own, n_neighbors + 1 - own


@inlined
def value_winner(
    look: Look,
    ends: tuple[int, int, int],
    beside: AnyArray,
    here: int,
    c: int,
    sign: int,
    manhattan: bool,
    needs: tuple[int, int],
) -> tuple[Any, Any]:
    """Return the distances of the duel that decides who wins: of the row's class and of the other."""
    far = every(FAR32)
    three = far, far, far
    own = _three_least(look, ends[0], ends[1], beside, here, c, sign, manhattan, three)
    other = _three_least(look, index(0), ends[0], beside, here, c, sign, manhattan, three)
    other = _three_least(look, ends[1], ends[2], beside, here, c, sign, manhattan, other)
    n_own, n_other = needs
    return (
        own[0] if n_own == 1 else own[1] if n_own == 2 else own[2],
        other[0] if n_other == 1 else other[1] if n_other == 2 else other[2],
    )


@inlined
def _three_least(
    look: Look,
    first: int,
    last: int,
    beside: AnyArray,
    here: int,
    c: int,
    sign: int,
    manhattan: bool,
    least_so_far: tuple[Any, Any, Any],
) -> tuple[Any, Any, Any]:
    """Return the three least distances of some columns and of those before, in order."""
    signed, value = np.float32(sign), load(beside, here, c)
    one, two, three = least_so_far
    for k in range(first, last):
        there = load(beside, index(look.sample[k]), c)
        distance = with_term(every(look.base[k]), signed, value, there, manhattan)
        after_one = greatest(one, distance)
        one = least(one, distance)
        three = least(three, greatest(two, after_one))
        two = least(two, after_one)
    return one, two, three


@inlined
def value_duels(
    look: Look,
    ends: tuple[int, int, int],
    beside: AnyArray,
    here: int,
    c: int,
    sign: int,
    manhattan: bool,
    n_neighbors: int,
    duels: Duels,
) -> Any:
    """Fill in the distances of all duels; return that of the last neighbor."""
    far, zero, last = every(FAR32), index(0), every(_ZERO)
    five = far, far, far, far, far
    own = _five_least(look, ends[0], ends[1], beside, here, c, sign, manhattan, five)
    other = _five_least(look, index(0), ends[0], beside, here, c, sign, manhattan, five)
    other = _five_least(look, ends[1], ends[2], beside, here, c, sign, manhattan, other)
    for k in range(MOST_NEIGHBORS):
        store(duels.own, index(k), zero, own[k])
        store(duels.other, index(k), zero, other[k])
    for k in range(index(n_neighbors)):
        last = greatest(last, least(*_duel(duels, k, n_neighbors)))
    return last


@inlined
def _five_least(
    look: Look,
    first: int,
    last: int,
    beside: AnyArray,
    here: int,
    c: int,
    sign: int,
    manhattan: bool,
    least_so_far: tuple[Any, Any, Any, Any, Any],
) -> tuple[Any, Any, Any, Any, Any]:
    """Return the five least distances of some columns and of those before, in order."""
    signed, value = np.float32(sign), load(beside, here, c)
    one, two, three, four, five = least_so_far
    for k in range(first, last):
        there = load(beside, index(look.sample[k]), c)
        after = with_term(every(look.base[k]), signed, value, there, manhattan)
        one, after = least(one, after), greatest(one, after)
        two, after = least(two, after), greatest(two, after)
        three, after = least(three, after), greatest(three, after)
        four, after = least(four, after), greatest(four, after)
        five = least(five, after)
    return one, two, three, four, five


@inlined
def _duel(duels: Duels, k: int, n_neighbors: int) -> tuple[Any, Any]:
    other = load(duels.other, index(n_neighbors) - index(1) - index(k), index(0))
    return load(duels.own, index(k), index(0)), other


@inlined
def gap_of(duels: Duels, n_neighbors: int, limit: Any) -> Any:
    """Return by how much all duels are decided, if other columns keep a limit."""
    gap = every(FAR32)
    for k in range(index(n_neighbors)):
        own, other = _duel(duels, k, n_neighbors)
        first = least(own, other)
        gap = least(gap, least(minus(greatest(own, other), first), minus(limit, first)))
    return gap


@inlined
def add_points(
    duels: Duels, n_neighbors: int, proved: Any, label: int, points: Counts, tally: AnyArray, account: int, c: int
) -> None:
    """Add the points of the votes for a row's class where they are proved."""
    votes, zero = every(_ONE), index(0)
    for k in range(index(n_neighbors)):
        own, other = _duel(duels, k, n_neighbors)
        votes = add_where(votes, _ONE, own, other)
    store(duels.votes, zero, zero, every(np.int32(0)))
    note_where(duels.votes, zero, zero, proved, votes)
    for k in range(index(WIDTH)):
        tally[account, c + k] += points[label, index(duels.votes[0, k])]
