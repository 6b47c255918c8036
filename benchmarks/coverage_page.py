"""Which share of the uses of sequential selectors in public code is computed without fitting; writes its page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sweepless.criteria.scores.names import SCORES
from sweepless.selectors.native_linear import LINEAR
from sweepless.selectors.native_rules import RECOGNIZED

# 264 uses of sequential selectors were found in public code; 199 of them name their estimator. Shares in percent.
ESTIMATORS = {
    "random forest": (26, "RandomForestClassifier"),
    "linear regression": (22, "LinearRegression"),
    "logistic regression": (14, "LogisticRegression"),
    "nearest neighbors": (10, "KNeighborsClassifier"),
    "support vector machine": (7, "SVC"),
    "boosting": (6, "HistGradientBoostingClassifier"),
    "single tree": (5, "DecisionTreeClassifier"),
    "ridge": (4, "Ridge"),
    "linear support vector machine": (3, "LinearSVC"),
    "discriminant analysis": (2, "LinearDiscriminantAnalysis"),
}
EXPLICIT = {
    "accuracy": (50, ("accuracy",)),
    "R²": (13, ("r2",)),
    "F1 and its kin": (11, ("f1", "f1_macro", "f1_weighted", "precision", "recall")),
    "squared errors": (10, ("neg_mean_squared_error", "neg_root_mean_squared_error")),
    "area under the curve": (10, ("roc_auc",)),
}
BEFORE = 34  # percent, when only accuracy and squared errors of k-NN, naive Bayes, linear models and RBF were native


def page() -> str:
    """Return the page."""
    known = {kind.__name__ for kind in (*RECOGNIZED, *LINEAR)}
    native = sum(share for share, name in ESTIMATORS.values() if name in known)
    scored = sum(share for share, names in EXPLICIT.values() if all(name in SCORES for name in names))
    least = native * scored / 100
    lines = [
        "# How much of what people do is native?",
        "",
        "`python benchmarks/coverage_page.py` writes this page from what is recognized.",
        "",
        "Of 264 uses of sequential selectors in public code, 199 name their estimator. Their shares, and how we value",
        "subsets with such an estimator:",
        "",
        "| estimator | share of the uses | how |",
        "|---|---:|---|",
        *(
            f"| {what} | {share} % | {'computed without fitting' if name in known else 'fitted, raced fold by fold'} |"
            for what, (share, name) in ESTIMATORS.items()
        ),
        "",
        "| explicit score | share | native |",
        "|---|---:|---|",
        *(
            f"| {what} | {share} % | {'yes' if all(name in SCORES for name in names) else 'no'} |"
            for what, (share, names) in EXPLICIT.items()
        ),
        "",
        f"So {native} % of the uses name an estimator that is computed without fitting, and at least {scored} % of the",
        "scores that are named are native. If the two were independent, estimator *and* score would be native in",
        f"{least:.0f} % of the uses, and in more where no score is named; it was {BEFORE} % before. Parameters are not",
        "counted: a kernel or a penalty that is [not native](../guide/native.md) is fitted, and `criterion_.reason`",
        "says so.",
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = Path(__file__).resolve().parent.parent / "docs" / "results" / "coverage.md"
    parser.add_argument("--page", type=Path, default=default)
    parser.parse_args().page.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
