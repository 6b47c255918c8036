"""Short searches over random methods, criteria, data, seeds, limits and kill points, each held against the laws.

    make soak                            # 20 minutes
    make soak ARGS="--seconds 60"
    make soak ARGS="--only 12345"        # one case again, by the number that a broken law was reported with

Every third case is one of the four methods and three criteria of `soak_kills`, killed until it gets through.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from joblib import parallel_config
from sklearn.naive_bayes import GaussianNB as ScikitNB

import sweepless as sw
from soak_kills import CRITERIA, METHODS, Case, facts, fixed_case, timed, tormented
from sweepless.search.sampled import sweep_cost

FIXED = list(product(METHODS, CRITERIA))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1200.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="the number of one case")
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # of records cut short, which are the point
    counts, began, number = Counter[str](), time.monotonic(), given.seed * 1_000_000
    with tempfile.TemporaryDirectory() as directory:
        while time.monotonic() - began < given.seconds:
            number = number + 1 if given.only is None else given.only
            try:
                soak(number, Path(directory), counts)
            except Exception as error:
                counts["broken"] += 1
                traceback.print_exc(limit=-2)
                print(f"BROKEN, case {number} (--only {number}): {error}", flush=True)
            if given.only is not None:
                break
    print(summary(counts, time.monotonic() - began))
    return int(counts["broken"] > 0)


def summary(counts: Counter[str], seconds: float) -> str:
    checks = ", ".join(f"{name} {counts[name]}" for name in sorted(counts) if name.startswith("law: ")).replace(
        "law: ", ""
    )
    return (
        f"{counts['searches']} searches ({counts['runs']} runs and resumes) in {seconds:.0f} s\n"
        f"{counts['refused']} others were refused with a sentence\n"
        f"{counts['kills']} SIGKILLs in {counts['killed']} of them, {counts['torn']} left a torn record\n"
        f"held against the laws: {checks}\n"
        f"{counts['broken']} broken"
    )


def soak(number: int, directory: Path, counts: Counter[str]) -> None:
    """Draw a case and hold it against everything that must be true of it."""
    rng = random.Random(number)
    is_fixed = number % 3 == 0
    case = fixed_case(*FIXED[number // 3 % len(FIXED)]) if is_fixed else drawn_case(rng)
    path = directory / f"{number}.jsonl"
    try:
        result, seconds = timed(case)
    except (sw.InputError, sw.DataError):  # arguments drawn together that cannot be meant together
        counts["refused"] += 1
        return
    counts.update({"searches": 1, "runs": 2})

    def hold(law: str, is_kept: bool) -> None:
        counts[f"law: {law}"] += 1
        if not is_kept:
            raise AssertionError(f"{law}: {case}")

    expected = facts(result)
    hold("same seed, same trajectory", facts(case.run()) == expected)
    if not is_fixed:
        hold("budget per step", keeps_budget(case, result))
        hold("archive only improves", archive_is_trace(result))
        hold("a value is that of its subset", values_are_true(case, result))
        hold("peek equals evaluate", peeks_are_true(case, result, rng))
        for name, other in elsewhere(case, rng):
            with parallel_config(backend=name.split()[1]):
                hold(f"jobs ({name})", facts(other.run()) == expected)
        resumed = cut_and_resumed(case, path, rng)
        hold("resumed equals uninterrupted", all(facts(again) == expected for again in resumed))
        counts["runs"] += 2 + len(resumed)
    if hasattr(os, "fork") and (is_fixed or rng.random() < 0.2):
        path.unlink(missing_ok=True)
        kills, torn, found = tormented(case, path, seconds, rng)
        counts.update({"kills": kills, "torn": torn, "killed": kills > 0, "runs": kills + 2})
        hold("killed equals undisturbed", facts(found) == expected)
    path.unlink(missing_ok=True)


# Cases


def drawn_case(rng: random.Random) -> Case:
    n_samples, n_features = rng.randint(12, 40), rng.randint(3, 14)
    draws = np.random.default_rng(rng.randrange(2**32))
    X = draws.integers(0, rng.choice((2, 5, 50)), (n_samples, n_features)).astype(rng.choice(("f8", "f4", "i4")))
    y = (X[:, 0] + X[:, -1] * X[:, 1] + draws.integers(0, 3, n_samples) > np.median(X)).astype(int)
    y[:4] = [0, 1, 0, 1]
    folds = rng.choice((2, 3, 5))
    criterion: Any = rng.choice(
        [
            *(sw.KNN(), sw.KNN(n_neighbors=3, folds=folds), sw.KNN(metric="manhattan"), sw.MultinomialBhattacharyya()),
            *(sw.GaussianNB(), sw.MultinomialNB(), sw.RidgeCriterion(score="accuracy"), sw.CFS()),
            *(sw.GaussianBhattacharyya(), sw.EstimatorCriterion(ScikitNB(), cv=2), sw.Penalised(sw.KNN(), 0.01)),
        ]
    )
    name = rng.choice(list(sw.METHODS))
    method, options = sw.METHODS[name], {"seed": rng.randrange(1000), "rng": rng.choice(("portable", "reference"))}
    if method.needs_target or method.pivots or rng.random() < 0.5:
        options["target"] = rng.randint(1, n_features)
    if method.overshoots:
        options["overshoot"] = rng.choice((None, 0, 2))
    if name.startswith("s"):
        options |= {"budget": rng.randint(3, 12), "backward_budget": rng.choice((None, 3, 6))}
        options["warm_up"] = rng.choice((None, sw.WarmUp(6, 2)))
    if name.startswith("DAF"):
        options |= {"n_probes": rng.randint(4, 60), "probe_sizes": (1, min(4, n_features))}
    limit = rng.choice(("none", "none", "max_evaluations", "patience", "max_size"))
    if limit == "max_size" and not method.direction.adds:
        limit = "none"
    if limit != "none":
        options[limit] = rng.randint(1, n_features) if limit == "max_size" else rng.randint(2, 150)
    return Case(name, criterion, sw.Dataset(X, y), options)


def elsewhere(case: Case, rng: random.Random) -> list[tuple[str, Case]]:
    """The same case on more workers: threads always, processes now and then."""
    if not hasattr(case.criterion, "n_jobs"):
        return []
    is_fitted = isinstance(case.criterion, sw.EstimatorCriterion)
    places = [(2, "threading"), (4, "threading")] + ([(2, "loky")] if is_fitted and rng.random() < 0.15 else [])
    return [
        (f"{n_jobs} {backend}", replace(case, criterion=replace(case.criterion, n_jobs=n_jobs)))
        for n_jobs, backend in places
    ]


# Laws


def keeps_budget(case: Case, result: sw.Result) -> bool:
    """Every step spent min(budget, pool)."""
    method = sw.METHODS[case.method]
    if not case.method.startswith("s") or method.sets_tuples:
        return True
    budgets = {True: case.options["budget"], False: case.options["backward_budget"]}
    directions = {direction.label: direction for direction in sw.Direction}
    for step in result.trace:
        if step.direction not in directions:  # a recall, which is free
            continue
        direction = directions[step.direction]
        before = step.size - direction.sign * len(step.features)
        pool = sweep_cost(direction, before, result.n_features, len(step.features))
        allowed = budgets[direction.adds]
        if step.n_proposed != (pool if allowed is None else min(allowed, pool)):
            return False
    return True


def archive_is_trace(result: sw.Result) -> bool:
    """Of every size the best step is on record, and what a step spent is counted once."""
    best: dict[int, float] = {}
    spent = 0
    for step in result.trace:
        best[step.size] = max(best.get(step.size, -np.inf), step.value)
        if step.n_evaluations < spent:
            return False
        spent = step.n_evaluations
    found = {size: record.value for size, record in result.archive.items()}
    books = result.anatomy
    parts = books.warmup + books.ranking + books.start + books.forward + books.backward + books.filter
    return spent <= result.n_evaluations == parts and all(found[size] >= value for size, value in best.items())


def values_are_true(case: Case, result: sw.Result) -> bool:
    cursor = case.criterion.bind(case.data)
    return all(cursor.evaluate(record.features) == record.value for record in result.archive.values())


def peeks_are_true(case: Case, result: sw.Result, rng: random.Random) -> bool:
    """Around a subset on record, what is peeked at is what would be evaluated there."""
    if not result.archive:
        return True
    cursor = case.criterion.bind(case.data)
    cursor.jump(rng.choice(list(result.archive.values())).features)
    for direction in sw.Direction:
        pool = direction.pool(cursor.members)
        if not direction.is_legal(cursor.size, cursor.n_features, 1) or not len(pool):
            continue
        expected = [cursor.evaluate(np.flatnonzero(direction.applied(cursor.members, np.array([k])))) for k in pool]
        if not np.array_equal(cursor.peek(direction, pool), expected):
            return False
    return True


def cut_and_resumed(case: Case, path: Path, rng: random.Random) -> list[sw.Result]:
    """Keep a journal, cut it anywhere after its header, go on."""
    results = [case.run(journal=sw.Journal(path))]
    content = path.read_bytes()
    for _ in range(2):
        path.write_bytes(content[: rng.randint(content.index(b"\n") + 1, len(content))])
        results.append(sw.resume(path, case.criterion, case.data))
    return results


if __name__ == "__main__":
    sys.exit(main())
