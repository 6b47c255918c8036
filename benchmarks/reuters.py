"""A whole sampled search on Reuters, against what scikit-learn needs for 2,000 subsets of one size.

The search is the paper's: sSFFS with y=100 and y_b=50 after 2000@25 probes, until 500 of ten thousand terms are
reached. Both are measured in processor time of one thread, in the same process.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import MultinomialNB
from threadpoolctl import threadpool_limits

import sweepless as sw
from sets import find_data


def search(train: sw.Dataset, seed: int, max_size: int = 500, n_probes: int = 2000) -> sw.Result:
    return sw.run(
        "sSFFS",
        sw.criteria.MultinomialBhattacharyya(),
        train,
        max_size=max_size,
        overshoot=None,
        seed=seed,
        budget=100,
        backward_budget=50,
        warm_up=sw.search.WarmUp(n_probes, 25),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=2000, help="of cross_val_score; fewer are scaled up")
    parser.add_argument("--cv", type=int, default=5, help="folds of cross_val_score")
    parsed = parser.parse_args()
    warnings.simplefilter("ignore")  # classes smaller than the number of folds

    data = sw.load("reuters", data_dir=find_data())
    train, test = next(sw.RandomSplits(1, 50, 40).split(data, sw.engine.PortableRng(parsed.seed))).apply(data)
    search(train, parsed.seed, 60, 10)  # compile
    with threadpool_limits(1):
        began = time.process_time()
        result = search(train, parsed.seed)
        searching = time.process_time() - began

        draws = np.random.default_rng(parsed.seed)
        X, y = train.X.tocsr(), train.y
        columns = [X[:, draws.choice(train.n_features, 300, replace=False)] for _ in range(20)]
        began = time.process_time()
        for call in range(parsed.calls):
            cross_val_score(MultinomialNB(), columns[call % 20], y, cv=parsed.cv)
        calling = (time.process_time() - began) * 2000 / parsed.calls

    print(f"{train.n_samples} documents, {train.n_features} terms, {len(train.classes)} topics")
    each = 1e6 * searching / result.n_evaluations
    print(f"search: {result.n_evaluations} evaluations in {searching:.1f} s, {each:.1f} us each")
    print(
        f"2,000 calls of cross_val_score at d=300, {parsed.cv} folds: {calling:.1f} s ({parsed.calls} calls measured)"
    )
    print(f"the search takes {searching / calling:.2f} of that")
    for size in (25, 100, 300, 500):
        record = result.archive[size]
        holdout = sw.criteria.MultinomialBhattacharyya().validate(train, test, record.features)
        print(f"  d={size}: J={record.value:.3f}, holdout {holdout:.3f}")


if __name__ == "__main__":
    main()
