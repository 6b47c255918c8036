"""The votes of neighbors, counted as digits of whole numbers, as classes and as shares.

Counts are of shape (round, candidate, row); each holds the votes for `n_digits` classes, `n_bits` for each of them.
"""

from __future__ import annotations

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import kernel


@kernel
def fill_winners(counts: Counts, rows: Counts, n_bits: int, n_digits: int, n_classes: int, labels: Counts) -> None:
    """Fill in the class with most votes, the lowest of equal ones, per candidate and row."""
    mask = (1 << n_bits) - 1
    for m in range(len(labels)):
        for t in range(len(rows)):
            winner, most = 0, 0
            for first in range(0, n_classes, n_digits):
                word = counts[first // n_digits, m, rows[t]]
                for c in range(first, min(first + n_digits, n_classes)):
                    votes = word & mask
                    winner = c if votes > most else winner
                    most = votes if votes > most else most
                    word >>= n_bits
            labels[m, t] = winner


@kernel
def fill_shares(counts: Counts, rows: Counts, n_bits: int, n_digits: int, steps: Values, shares: Values) -> None:
    """Fill in the shares of the votes, per candidate, class and row; `steps` are those that there are."""
    mask = (1 << n_bits) - 1
    for m in range(len(shares)):
        for c in range(shares.shape[1]):
            words, shift = counts[c // n_digits, m], n_bits * (c % n_digits)
            for t in range(len(rows)):
                shares[m, c, t] = steps[(words[rows[t]] >> shift) & mask]
