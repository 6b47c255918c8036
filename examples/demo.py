"""The demo: find the features that matter only together, and say what it cost.

`make_madelon` hides 5 informative features and 15 mixtures of them among 480 columns of noise. Alone, most of them
look like noise too. A ranking misses them; a floating search finds them, but sweeps all 500 at every step; the
budgeted search looks at 100 candidates a step.
"""

from __future__ import annotations

import sys
from pathlib import Path

import sweepless as sw
from sweepless.cli.show import as_text
from sweepless.reports.page import render_page
from sweepless.selectors.progress import ProgressBar

REPORT = Path("demo-report.html")
COMMAND = "select --data make_madelon --split 50/50 --method sSFFS --max-size 30 --warmup 200@10 --seed 1"


def search(data: sw.Dataset, method: str, **options: object) -> sw.Trial:
    with ProgressBar(method) as progress:
        return sw.run_trial(method, sw.KNN(), data, split=sw.RandomSplits(), seed=1, callbacks=[progress], **options)


def told(label: str, trial: sw.Trial) -> str:
    """Say in one line what the best ten features are and what they took."""
    result, size = trial.result, 10
    names = result.names(result.archive[size].features)
    n_real = sum(not name.startswith("probe") for name in names)
    return (
        f"{label:<34}{n_real:>3} of {size} are real   value {result.archive[size].value:.3f}"
        f"   {result.n_evaluations:>6,} evaluations   {result.seconds:.1f} s"
    )


def main() -> int:
    print("Compiling the kernels (the first time only) …", flush=True)
    search(sw.make_madelon(n_samples=60, n_features=40), "sSFFS", max_size=4, budget=5, warm_up=sw.WarmUp(5, 3))
    data = sw.make_madelon(seed=1)
    print(f"{data.n_samples} samples, {data.n_features} features: 20 that matter, mostly together, and 480 of noise.\n")
    print(told("BIF, best individual features", search(data, "BIF", target=10)))
    print(told("SFFS, full sweeps", search(data, "SFFS", max_size=30)))
    floating = search(data, "sSFFS", max_size=30, warm_up=sw.WarmUp(200, 10))
    result = floating.result
    print(told("sSFFS, 100 candidates a step", floating), "\n")
    print(as_text(floating, data.name))

    page = render_page(floating.to_dict(), result.trajectory(), data.name, data.feature_names, COMMAND.split())
    REPORT.write_text(page, encoding="utf-8")
    print(f"\nThe curve, the trajectory and the best subset of every size: {REPORT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
