"""The demo: which genes tell three tumors apart, and how sure can one be? Then the search behind it, and a page.

The genes are made up, so the truth is known: 24 of 1,000 belong to six pathways whose activity differs between the
tumors, the others only share fluctuations. And because they are made up, more patients can be drawn, of whom no search
and no cross-validation knew anything: they tell what a score was worth.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import textwrap
import webbrowser
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import sweepless as sw
from sweepless.criteria import KNN
from sweepless.search import WarmUp
from sweepless.selectors import ProgressBar

TABLE, FOUND, REPORT = Path("demo-genes.csv"), Path("demo-genes.json"), Path("demo-report.html")
PATHWAYS = ("cell cycle", "repair", "hypoxia", "immune", "lipids", "growth")
ACTIVITY = np.array([[2, 0, 0, 1, 0, -1], [0, 2, -1, 0, 1, 0], [-1, 0, 2, 0, -1, 1]])  # of the pathways in each tumor
N_PATIENTS, N_GENES, N_EACH = 150, 1000, 4
SIZE, LARGEST = 10, 20


def say(text: str = "") -> None:
    """Print a paragraph no wider than a page."""
    print(textwrap.fill(text, 92), flush=True)


def loud(text: str) -> str:
    """Return a text in bold where that can be shown."""
    return f"\033[1m{text}\033[0m" if sys.stdout.isatty() and "NO_COLOR" not in os.environ else text


def patients(n_patients: int, seed: int) -> sw.Dataset:
    """Draw patients: pathways move genes together, other fluctuations move all genes, and measurements are skewed."""
    genes, rng = np.random.default_rng(1), np.random.default_rng(seed)
    tumor = rng.integers(0, len(ACTIVITY), n_patients)
    levels = ACTIVITY[tumor] + rng.normal(size=(n_patients, len(PATHWAYS)))
    fluctuations = rng.normal(size=(n_patients, 5)) @ genes.normal(size=(5, N_GENES))
    X = rng.normal(size=(n_patients, N_GENES)) + 0.5 * fluctuations
    X[:, : N_EACH * len(PATHWAYS)] += np.repeat(levels, N_EACH, axis=1)
    names = [f"{pathway} {number}" for pathway in PATHWAYS for number in range(1, N_EACH + 1)]
    names += [f"gene {number}" for number in range(len(names), N_GENES)]
    order = genes.permutation(N_GENES)
    return sw.Dataset(np.exp(X[:, order]), np.array(["A", "B", "C"])[tumor], feature_names=np.array(names)[order])


def write_table(data: sw.Dataset, path: Path) -> None:
    """Write patients as a table, as a laboratory would send it."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow([*data.feature_names, "tumor"])
        table.writerows([*map("{:.3f}".format, row), label] for row, label in zip(data.X, data.y, strict=True))


def accuracy(known: sw.Dataset, new: sw.Dataset, genes: list[int]) -> float:
    """Fit four classifiers to some genes of the known patients, and return their mean accuracy on new ones."""
    judges = (LogisticRegression(), SVC(), KNeighborsClassifier(), RandomForestClassifier(random_state=0))
    fitted = [
        make_pipeline(StandardScaler(), clone(judge)).fit(known.X[:, genes], known.y).score(new.X[:, genes], new.y)
        for judge in judges
    ]
    return float(np.mean(fitted))


def genes() -> None:
    """Ask which genes matter, as anybody would, and then ask 2,000 patients whether it is true."""
    known, new = patients(N_PATIENTS, seed=0), patients(2000, seed=1)
    print(loud("\nWhich genes?"))
    say(
        f"{N_PATIENTS} patients with one of three tumors, {N_GENES:,} genes each. Nothing is said about what to "
        "maximize, so several criteria are compared on patients that their searches do not see. (The first time, "
        "kernels are compiled, which takes a little longer.)"
    )
    write_table(known, TABLE)
    words = ["select", "--data", TABLE, "--label", "tumor", "--max-size", LARGEST, "--json", FOUND, "--report", REPORT]
    command = [str(word) for word in words]
    print(f"\n  {loud(' '.join(['sweepless', *command]))}\n", flush=True)
    subprocess.run([sys.executable, "-m", "sweepless", *command], check=True)
    result = json.loads(FOUND.read_text(encoding="utf-8"))
    chosen, n_chosen = result["features"], result["size"]
    honest = result["panel"]["honest_score"]
    n_real = sum(not name.startswith("gene") for name in result["feature_names"])
    importances = RandomForestClassifier(500, random_state=0).fit(known.X, known.y).feature_importances_
    others = {
        "F test": SelectKBest(k=n_chosen).fit(known.X, known.y).get_support(indices=True).tolist(),
        "forest importances": np.argsort(-importances)[:n_chosen].tolist(),
        "all genes": list(range(N_GENES)),
    }
    print(loud("\nIs it true?"))
    say(
        f"{n_real} of the {n_chosen} genes belong to the pathways that differ. The honest score, from cross-validation "
        f"around the searches, promised {honest:.3f}. Here are 2,000 patients that nobody has seen, and the mean "
        "accuracy of four classifiers on them:"
    )
    print(loud(f"\n  {f'{n_chosen} genes by sweepless':<32}{accuracy(known, new, chosen):.3f}"))
    for name, features in others.items():
        label = name if len(features) == N_GENES else f"{n_chosen} genes by {name}"
        print(f"  {label:<32}{accuracy(known, new, features):.3f}", flush=True)


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


def together() -> None:
    """Three ways to look for features that matter together, by a criterion that was named."""
    data = sw.make_madelon(seed=1)
    print(loud("\nWhere features matter only together"))
    say(
        f"{data.n_samples:,} samples, {data.n_features} features: 20 of them matter, hardly any alone; the other 480 "
        "are noise. A nearest-neighbor classifier that uses all of them comes close to guessing. Which ten to keep?"
    )
    options = {"SFFS": {}, "sSFFS": {"budget": "paper", "warm_up": WarmUp(200, 10)}}
    for method in options:  # whose kernels are compiled before anything is timed
        search(data, method, max_size=3, **options[method])
    print(f"\n  {'':<30}{'real':>9}{'value':>9}{'holdout':>9}{'evaluations':>13}{'time':>10}")
    print(as_row("ranking, one by one (BIF)", search(data, "BIF", target=SIZE)), flush=True)
    print(as_row("floating, full sweeps (SFFS)", search(data, "SFFS", max_size=LARGEST)), flush=True)
    sampled = search(data, "sSFFS", max_size=LARGEST, **options["sSFFS"])
    print(loud(as_row("floating, sampled (sSFFS)", sampled)), "\n", flush=True)
    values = [record.value for record in sampled.result.archive.values()]
    say(
        f"`value` is what the search maximized on its half of the data, `holdout` what the other half says. One run of "
        f"sSFFS holds the best subset of every size up to {LARGEST}, with values from {min(values):.3f} to "
        f"{max(values):.3f}, and it looked at 100 candidates a step instead of all."
    )


def is_watched() -> bool:
    """Tell whether somebody sits at a screen where a page can be opened."""
    display = sys.platform in ("darwin", "win32") or any(os.environ.get(v) for v in ("DISPLAY", "WAYLAND_DISPLAY"))
    return display and sys.stdout.isatty() and not os.environ.get("CI")


def main() -> int:
    genes()
    together()
    print(loud("\nThe genes as a page"), f"\n\n  {REPORT.absolute().as_uri()}\n")
    say("What every criterion was worth outside, the best subset of every size, the way of the search, genes by name.")
    say("On your own data: sweepless select --data table.csv --label COLUMN --report page.html")
    say("Which selector suits them: sweepless compare table.csv --label COLUMN")
    if is_watched():
        webbrowser.open(REPORT.absolute().as_uri())
    return 0


if __name__ == "__main__":
    sys.exit(main())
