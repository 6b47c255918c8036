"""What must be true of every search, whatever it is."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from joblib import parallel_config

import sweepless as sw
from soak_cases import Case
from sweepless.search.sampled import sweep_cost

_MOST = 6  # records, candidates and so on that are looked at, of many


def facts(result: sw.Result) -> dict[str, Any]:
    """Return everything that a result tells but the time."""
    return result.to_dict() | {
        "seconds": None,
        "trace": result.trajectory(),
        "anatomy": result.anatomy.to_dict(),
        "scores": None if result.scores is None else result.scores.tobytes(),
        "order": None if result.order is None else result.order.tolist(),
        "tried": None if result.tried is None else result.tried.tolist(),
    }


def laws(case: Case, path: Path, rng: random.Random) -> Iterator[tuple[str, bool]]:
    """Hold a case against every law; yield each with whether it is kept."""
    path.unlink(missing_ok=True)
    result = case.run()
    expected = facts(result)
    yield "journalled, the same", facts(case.run(journal=sw.Journal(path))) == expected
    yield "resumed, the same", facts(_cut_and_resumed(case, path, rng)) == expected
    place = _other_place(case, rng)
    if place is not None:
        criterion: Any = replace(case.criterion, n_jobs=place[0])  # type: ignore[type-var]
        with parallel_config(backend=place[1]):
            yield f"{place[0]} {place[1]} jobs, the same", facts(replace(case, criterion=criterion).run()) == expected
    yield "limits", _keeps_limits(case, result)
    yield "budget per step", _keeps_budget(case, result)
    yield "archive and books", _archive_is_trace(result)
    yield "true values", _values_are_true(case, result, rng)
    yield "peek is evaluate", _peeks_are_true(case, result, rng)


def _cut_and_resumed(case: Case, path: Path, rng: random.Random) -> sw.Result:
    """Cut a journal anywhere after its header, and go on."""
    content = path.read_bytes()
    path.write_bytes(content[: rng.randint(content.index(b"\n") + 1, len(content))])
    return sw.resume(path, case.criterion, case.data)


def _other_place(case: Case, rng: random.Random) -> tuple[int, str] | None:
    """Choose threads, and once in fifty times processes, which take seconds to come up."""
    if not hasattr(case.criterion, "n_jobs"):
        return None
    n_jobs = rng.choice((2, 4))
    is_fitted = isinstance(case.criterion, sw.criteria.EstimatorCriterion)
    return n_jobs, "loky" if is_fitted and rng.random() < 0.02 else "threading"


def _keeps_limits(case: Case, result: sw.Result) -> bool:
    given = case.options
    grown = [step.size for step in result.trace[:-1] if step.direction == sw.Direction.ADD.label]
    if result.n_evaluations > given.get("max_evaluations", np.inf):
        return False
    if "max_size" in given and max(grown, default=0) >= given["max_size"]:
        return False
    if result.stop_reason is sw.search.StopReason.TARGET and result.best is not None:
        return bool(result.best.size == given["target"])
    return True


def _keeps_budget(case: Case, result: sw.Result) -> bool:
    """Every step spent min(budget, pool)."""
    method = sw.METHODS[case.method]
    if not case.method.startswith("s") or method.traits.sets_tuples:
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


def _archive_is_trace(result: sw.Result) -> bool:
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
    parts = books.warm_up + books.ranking + books.start + books.forward + books.backward + books.filter
    return spent <= result.n_evaluations == parts and all(found[size] >= value for size, value in best.items())


def _values_are_true(case: Case, result: sw.Result, rng: random.Random) -> bool:
    cursor = case.criterion.bind(case.data)
    return all(cursor.evaluate(record.features) == record.value for record in _some(result.archive.values(), rng))


def _peeks_are_true(case: Case, result: sw.Result, rng: random.Random) -> bool:
    """Around a subset on record, what is peeked at is what would be evaluated there."""
    if not result.archive:
        return True
    cursor = case.criterion.bind(case.data)
    cursor.jump(rng.choice(list(result.archive.values())).features)
    for direction in sw.Direction:
        pool = np.array(sorted(_some(direction.pool(cursor.members), rng)), dtype=np.int64)
        if not direction.is_legal(cursor.size, cursor.n_features, 1) or not len(pool):
            continue
        expected = [cursor.evaluate(np.flatnonzero(direction.applied(cursor.members, np.array([k])))) for k in pool]
        if not np.array_equal(cursor.peek(direction, pool), expected):
            return False
    return True


def _some(things: Any, rng: random.Random) -> list[Any]:
    everything = list(things)
    return rng.sample(everything, min(_MOST, len(everything)))
