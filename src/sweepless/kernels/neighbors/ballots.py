"""The votes of neighbors, counted as digits of whole numbers and as shares.

Counts are of shape (round, candidate, row); each holds the votes for `n_digits` classes, `n_bits` for each of them.
"""

from __future__ import annotations

from sweepless._typing import Counts, Values
from sweepless.kernels._jit import kernel


@kernel
def fill_shares(counts: Counts, rows: Counts, n_bits: int, n_digits: int, steps: Values, shares: Values) -> None:
    """Fill in the shares of the votes, per candidate, class and row; `steps` are those that there are."""
    mask = (1 << n_bits) - 1
    for m in range(len(shares)):
        for c in range(shares.shape[1]):
            words, shift = counts[c // n_digits, m], n_bits * (c % n_digits)
            for t in range(len(rows)):
                shares[m, c, t] = steps[(words[rows[t]] >> shift) & mask]
