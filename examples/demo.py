"""The demo: find the features that matter only together, and say honestly what it cost and what it is worth.

`make_madelon` hides 5 informative features and 15 mixtures of them among 480 columns of noise. Alone, most of them look
like noise, too. A ranking misses them; a floating search finds them, but sweeps all features at every step; the
budgeted search looks at 100 candidates a step. The same on real measurements with names, and a page with everything.
"""

from __future__ import annotations

import os
import sys
import tempfile
import textwrap
import webbrowser
from pathlib import Path

from sklearn.datasets import load_breast_cancer

import sweepless as sw
from sweepless.criteria import KNN
from sweepless.reports import read_run, render_runs
from sweepless.runs import parse_spec, run_campaign
from sweepless.search import WarmUp
from sweepless.selectors import ProgressBar

REPORT = Path("demo-report.html")
SIZE, LARGEST = 10, 20
CAMPAIGN = f"""
name = "demo"
title = "Twenty features that matter, mostly together, among 500"
seeds = "1-3"
data = {{ name = "make_madelon", seed = 1 }}
split = {{ train = 50, test = 50 }}
criterion = {{ name = "knn" }}
stop = {{ max_size = {LARGEST} }}
validation = {{ classifiers = ["same"] }}

[[arms]]
name = "BIF"
method = "BIF"

[[arms]]
name = "SFFS"
method = "SFFS"

[[arms]]
name = "sSFFS"
method = "sSFFS"
budget = "paper"
warm_up = "200@10"
"""


def say(text: str = "") -> None:
    """Print a paragraph no wider than a page."""
    print(textwrap.fill(text, 92), flush=True)


def loud(text: str) -> str:
    """Return a text in bold where that can be shown."""
    return f"\033[1m{text}\033[0m" if sys.stdout.isatty() and "NO_COLOR" not in os.environ else text


def search(data: sw.Dataset, method: str, **options: object) -> sw.Trial:
    """Run one search on half of the data, with a live bar, and validate it on the other half."""
    with ProgressBar(method, max_size=options.get("max_size")) as progress:  # type: ignore[arg-type]
        return sw.run_trial(method, KNN(), data, split=sw.RandomSplits(), seed=1, callbacks=[progress], **options)


def as_row(label: str, trial: sw.Trial) -> str:
    """Say in one line what the best ten features are, what they are worth and what they took."""
    result = trial.result
    record = result.archive[SIZE]
    n_real = sum(not name.startswith("probe") for name in result.names(record.features))
    holdout = KNN().validate(trial.train, trial.test, record.features)
    return (
        f"  {label:<30}{n_real:>3} of {SIZE}{record.value:>9.3f}{holdout:>9.3f}{result.n_evaluations:>13,}"
        f"{result.seconds:>8.1f} s"
    )


def hidden() -> None:
    """Three ways to look for what is hidden in noise."""
    data = sw.make_madelon(seed=1)
    print(loud("\nA problem where features matter together"))
    say(
        f"{data.n_samples:,} samples, {data.n_features} features: 20 of them matter, hardly any alone; the other 480 "
        "are noise. A nearest-neighbour classifier that uses all of them comes close to guessing. Which ten to keep?"
    )
    print(f"\n  {'':<30}{'real':>9}{'value':>9}{'holdout':>9}{'evaluations':>13}{'time':>10}")
    print(as_row("ranking, one by one (BIF)", search(data, "BIF", target=SIZE)), flush=True)
    print(as_row("floating, full sweeps (SFFS)", search(data, "SFFS", max_size=LARGEST)), flush=True)
    sampled = search(data, "sSFFS", max_size=LARGEST, budget="paper", warm_up=WarmUp(200, 10))
    print(loud(as_row("floating, sampled (sSFFS)", sampled)), "\n", flush=True)
    values = [record.value for record in sampled.result.archive.values()]
    say(
        f"`value` is what the search maximised on its half of the data, `holdout` what the other half says. One run of "
        f"sSFFS holds the best subset of every size up to {LARGEST}, with values from {min(values):.3f} to "
        f"{max(values):.3f}."
    )


def measured() -> None:
    """A few named measurements instead of thirty."""
    table = load_breast_cancer()
    data = sw.Dataset(table.data, table.target, feature_names=table.feature_names, name="breast cancer")
    trial = search(data, "sSFFS", target=5, budget=10, backward_budget=5)
    every = KNN().validate(trial.train, trial.test, range(data.n_features))
    print(loud("\nReal measurements, with names"))
    say(f"{data.n_samples} tumours, {data.n_features} measurements each; benign or malignant? Five that do together:")
    print(f"\n  {loud(', '.join(trial.result.names(trial.result.features)))}\n")
    say(
        f"Value {trial.result.value:.3f}, but {trial.holdout:.3f} on tumours that the search never saw; all "
        f"{data.n_features} measurements give {every:.3f} there. {trial.result.n_evaluations:,} evaluations, "
        f"{trial.result.seconds:.1f} s. The higher value is the one that was optimised: believe the other."
    )


def page() -> None:
    """The same three methods on three splits, as a page."""
    print(loud("\nOne split may be luck"))
    say("The three methods again on three splits, side by side, on all cores …")
    with tempfile.TemporaryDirectory() as folder:
        run_campaign(parse_spec(CAMPAIGN), folder, n_jobs=-1, show_progress=True, command=["make", "demo"])
        run = read_run(folder)
    REPORT.write_text(render_runs(run, sizes=[5, SIZE, LARGEST]), encoding="utf-8")
    print(f"\n  {loud(REPORT.absolute().as_uri())}\n")
    say("Curves with spread, what the evaluations were spent on, paired tests, stability, features by name.")
    say("On your own data: sweepless compare table.csv --label COLUMN")
    if is_watched():
        webbrowser.open(REPORT.absolute().as_uri())


def is_watched() -> bool:
    """Tell whether somebody sits at a screen where a page can be opened."""
    display = sys.platform in ("darwin", "win32") or any(os.environ.get(v) for v in ("DISPLAY", "WAYLAND_DISPLAY"))
    return display and sys.stdout.isatty() and not os.environ.get("CI")


def main() -> int:
    print("Compiling (the first time only) …", flush=True)
    search(sw.make_madelon(n_samples=60, n_features=40), "sSFFS", max_size=4, budget=5, warm_up=WarmUp(5, 3))
    hidden()
    measured()
    page()
    return 0


if __name__ == "__main__":
    sys.exit(main())
