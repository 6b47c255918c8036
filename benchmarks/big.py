"""Searches among 100,000 and 1,000,000 sparse features: wall time, evaluations, memory.

(a) dorothea, 800 x 100,000 binary: sSFFS with the multinomial Bhattacharyya distance to 100 features.
(b) made-up text, 20,000 x 1,000,000 counts: words follow Zipf's law, and a few hundred of them are more frequent
    in one class each; sSFFS to 50 features. How many of those found are such words says whether the search works.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time

import numpy as np
from scipy import sparse

import sweepless as sw
from sets import find_data

N_DOCUMENTS, N_WORDS, N_CLASSES = 20_000, 1_000_000, 10
N_TOPICAL = 300  # informative words, of frequency ranks from 100 on
LENGTHS = (50, 100)  # of documents, in words
BLOCK = 1_000  # documents made at a time


def peak() -> float:
    """Return the most memory this process has held so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 2**20)


def made_up_text(seed: int = 0) -> tuple[sw.Dataset, np.ndarray]:
    """Make documents block by block; return them with the informative words, whose columns are scattered."""
    rng = np.random.default_rng(seed)
    zipf = np.cumsum(1.0 / np.arange(1, N_WORDS + 1))
    column = rng.permutation(N_WORDS)  # where the word of a rank stands
    topical = 100 + rng.choice(20_000, N_TOPICAL, replace=False)
    codes = np.arange(N_DOCUMENTS) % N_CLASSES
    blocks = []
    for start in range(0, N_DOCUMENTS, BLOCK):
        labels = codes[start : start + BLOCK]
        lengths = rng.integers(*LENGTHS, len(labels))
        rows = np.repeat(np.arange(len(labels)), lengths)
        ranks = np.searchsorted(zipf, rng.random(len(rows)) * zipf[-1])
        # One word in ten is a word of the document's class.
        own = rng.random(len(rows)) < 0.1
        drawn = rng.integers(0, N_TOPICAL // N_CLASSES, own.sum()) * N_CLASSES + labels[rows[own]]
        ranks[own] = topical[drawn]
        ones = np.ones(len(rows), dtype=np.int32)
        blocks.append(sparse.csr_matrix((ones, (rows, column[ranks])), shape=(len(labels), N_WORDS)))
    return sw.Dataset(sparse.vstack(blocks, "csc"), codes, name="made-up text"), np.sort(column[topical])


def reported(data: sw.Dataset, target: int, **options: object) -> sw.Result:
    stored = sum(part.nbytes for part in (data.X.data, data.X.indices, data.X.indptr)) / 2**20
    print(
        f"{data.name}: {data.n_samples:,} x {data.n_features:,}, {data.X.nnz:,} nonzeros, "
        f"{stored:.0f} MB, peak memory {peak():.0f} MB"
    )
    start = time.perf_counter()
    result = sw.run(
        "sSFFS", sw.criteria.MultinomialBhattacharyya(), data, target=target, budget="paper", seed=1, **options
    )
    seconds = time.perf_counter() - start
    n_steps = len(result.trace)
    print(
        f"  sSFFS to {target}: {seconds:.2f} s, {result.n_evaluations:,} evaluations, {n_steps} steps taken, "
        f"{1e3 * seconds / (result.n_evaluations / 100):.2f} ms per 100 evaluations, peak memory {peak():.0f} MB, "
        f"J = {result.value:.6g}"
    )
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=("dorothea", "text"))
    parsed = parser.parse_args()
    if parsed.only != "text":
        reported(sw.load("dorothea", data_dir=find_data()), 100, warm_up=None)
    if parsed.only != "dorothea":
        data, topical = made_up_text()
        result = reported(data, 50, warm_up=sw.search.WarmUp(1_000, 1_000))
        n_topical = len(np.intersect1d(result.features, topical))
        print(f"  {n_topical} of the {len(result.features)} are among the {N_TOPICAL} informative words")
    return 0


if __name__ == "__main__":
    sys.exit(main())
