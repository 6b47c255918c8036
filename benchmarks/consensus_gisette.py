"""100 of gisette's 5,000 features by the default with `consensus=20`: what they reach, and how much halves agree."""

from __future__ import annotations

import argparse
import sys
import time
import warnings

import numpy as np

from honest_sets import halves
from recipe_gisette import SIZE, accuracy
from sweepless import SequentialSelector
from sweepless.stability import nogueira_stability, relative_weighted_consistency


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--consensus", type=int, default=20, help="1 for none")
    parsed = parser.parse_args()
    found = []
    for seed in parsed.seeds:
        X, y, X_test, y_test = halves("gisette", seed)
        repeated = parsed.consensus if parsed.consensus > 1 else None
        selector = SequentialSelector(n_features_to_select=SIZE, consensus=repeated, random_state=seed)
        began = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            features = selector.fit(X, y).get_support(indices=True)
        seconds = time.process_time() - began
        reached = accuracy(X[:, features], y, X_test[:, features], y_test)
        inside = "" if selector.stability_ is None else f", CW_rel of its searches {selector.stability_.cw_rel:.2f}"
        print(f"half {seed}: {selector.chosen_.member}, accuracy {reached:.3f}, {seconds:.0f} s{inside}", flush=True)
        found.append((features, reached))
    subsets = [features for features, _ in found]
    if len(found) > 1:
        agree = relative_weighted_consistency(subsets, 5000)
        print(
            f"mean accuracy {np.mean([reached for _, reached in found]):.4f}; between halves CW_rel {agree:.3f}, ",
            end="",
        )
        print(f"Nogueira {nogueira_stability(subsets, 5000).value:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
