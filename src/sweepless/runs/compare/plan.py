"""What is compared, and what is left out and why: decided before anything is computed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sweepless.criteria.registry import criteria_for, fitting_task, predictor_of, score_for
from sweepless.dataset import Dataset, Task
from sweepless.errors import InputError
from sweepless.runs.compare.cell import ALL, RANDOM
from sweepless.runs.compare.peers.models import Elimination
from sweepless.runs.compare.peers.registry import (
    ABESS,
    AUTO,
    BORUTA,
    ELIMINATION,
    F_TEST,
    FOREST,
    INFORMATION,
    L1,
    MRMR,
    missing_package,
)
from sweepless.runs.compare.request import (
    Request,
    fitting_judges,
    fitting_sizes,
    require_classes,
    require_numbers,
)
from sweepless.schema.spec import Arm
from sweepless.search.cost import least_cost
from sweepless.search.plan import plan as planned_for
from sweepless.search.settings import SearchSettings
from sweepless.search.warm_up import automatic_probes

SEARCH, SWEEP, DROPPING = "sSFFS", "SFFS", "FBED"
# A quick look spends about ten seconds a seed on mutual information: some 3 ms a feature, and 5 us more a sample.
_QUICK_INFORMATION = 2_000_000
_SAMPLES_PER_FEATURE = 600
_AFFORDABLE = 5  # times what the sampled search costs at least
_FEW = 400  # features, below which a budget of 100 would be nearly the sweep
_FOLDS = 5  # of the selector
_LEAST_BUDGET = 5  # leaves one candidate a step for exploration


@dataclass(frozen=True)
class Plan:
    """Arms of a campaign as the text of its spec, the peers, and what a reader must know about them."""

    spec: str
    peers: tuple[Arm, ...]
    same: str | None  # the classifier or regressor whose score the criterion estimates, if it estimates one
    task: Task
    notes: tuple[str, ...]


def plan(request: Request, data: Dataset) -> Plan:
    """Choose sizes, budgets and arms for some data."""
    task = fitting_task(request.task, request.criterion, data.has_classes)
    name = request.criterion or criteria_for(task)[0]
    known = [one for one in criteria_for(task) if predictor_of(one) is not None]
    if name not in known:
        raise InputError(f"--criterion must be one of {', '.join(known)} to compare by, got {name}.")
    data = data.with_task(task)
    if task == "classification":
        require_classes(request, data)
    else:
        require_numbers(request, data)
    sizes = fitting_sizes(request, data.n_features)
    largest, notes = sizes[-1], []
    budget = request.budget
    if budget is None:
        budget = 100 if data.n_features >= _FEW else max(_LEAST_BUDGET, data.n_features // 4)
    if budget >= data.n_features:
        notes.append(
            f"sSFFS with a budget of {budget} looks at all of the {data.n_features} features in every step: here it is "
            "SFFS. A smaller --budget makes a difference."
        )
    sampled: dict[str, Any] = {"budget": budget, "backward_budget": max(min(budget, _LEAST_BUDGET), budget // 2)}
    least = {SEARCH: _least(SEARCH, data, largest, **sampled), SWEEP: _least(SWEEP, data, largest)}
    least[DROPPING] = _least("SFS", data, min(2, largest))  # nothing is dropped before the second addition
    probes = automatic_probes(data.n_features, least[SEARCH])
    n_probes = probes.n_probes
    limit: dict[str, Any] = {}
    if request.max_evaluations is not None:
        limit = {"max_evaluations": request.max_evaluations}
        n_probes = min(n_probes, max(1, request.max_evaluations // 2))
    arms: list[dict[str, Any]] = [
        {"name": SEARCH, "method": SEARCH, **sampled, "warm_up": f"{n_probes}@{probes.probe_size}", **limit},
        {"name": SWEEP, "method": SWEEP, **limit},
        {"name": DROPPING, "method": DROPPING, "n_returns": largest, **limit},
        {"name": "BIF", "method": "BIF"},
        {"name": "DAF", "method": "DAF0", "matches": SEARCH, "probe_sizes": [1, largest]},
    ]
    too_dear = _too_dear(request, least)
    notes += too_dear.values()
    arms = [arm for arm in arms if arm["name"] not in too_dear]
    judges = fitting_judges(request, name, task)
    criterion, scale = {"name": name} | score_for(name, task), _scale(name)
    spec = _toml(
        {
            "name": "compare",
            "title": f"Selectors compared on {data.name}",
            "seeds": list(request.seeds),
            "data": _data(request, scale),
            "split": {"train": request.split[0], "test": request.split[1]},
            "criterion": criterion,
            "stop": {"target": largest, "overshoot": min(5, data.n_features - largest)},
            "report": {"sizes": list(sizes)},
            "validation": {"classifiers": ["same", *judges]},
        },
        arms,
    )
    elimination = Elimination.affordable(data.n_features, largest)
    fits = elimination.n_fits(data.n_features, sizes)
    kind, model = ("classif", "RidgeClassifier") if task == "classification" else ("regression", "Ridge")
    peers: dict[str, tuple[str, dict[str, Any]]] = {
        AUTO: ("SequentialSelector()", {}),
        F_TEST: (f"SelectKBest(f_{kind})", {}),
        INFORMATION: (f"SelectKBest(mutual_info_{kind})", {}),
        MRMR: ("F over mean correlation", {}),
        ELIMINATION: (f"RFE({model})", {"step": elimination.step, "n_fits": fits}),
        L1: ("L1-logistic" if task == "classification" else "LassoCV", {}),
        FOREST: ("importances of 500 trees", {}),
        BORUTA: ("BorutaPy", {}),
        ABESS: ("abess", {}),
        RANDOM: ("best of random", {}),
        ALL: ("no selection", {}),
    }
    for left_out, reason in (_too_slow(request, data) | _too_few(request, data) | _not_there(request)).items():
        notes.append(reason)
        del peers[left_out]
    arms_of_peers = tuple(
        Arm(name, method, options, criterion, {}, sizes, matches=SEARCH if name == RANDOM else None)
        for name, (method, options) in peers.items()
    )
    same = None if name == "multinomial" else predictor_of(name)
    return Plan(spec, arms_of_peers, same, task, (*notes, *_explained(elimination, fits, largest, task)))


def _least(name: str, data: Dataset, largest: int, **options: Any) -> int:
    """Return what a search to the largest size costs at least."""
    overshoot = min(5, data.n_features - largest)
    settings = SearchSettings(method=name, target=largest, overshoot=overshoot, **options)
    return least_cost(planned_for(settings, data.n_features)).total()


def _too_dear(request: Request, least: dict[str, int]) -> dict[str, str]:
    """Say why searches that do not sample are left out, if they are."""
    reasons = {}
    for name in (SWEEP, DROPPING):
        needs = f"{name} was left out: it takes at least {least[name]:,} evaluations a seed"
        if name == SWEEP and request.sweep == "never":
            reasons[name] = f"{name} was left out as asked for."
        elif request.max_evaluations is not None and least[name] > request.max_evaluations:
            reasons[name] = f"{needs}, more than the {request.max_evaluations:,} of --max-evaluations."
        elif request.sweep != "always" and least[name] > _AFFORDABLE * least[SEARCH]:
            times = least[name] / least[SEARCH]
            reasons[name] = f"{needs}, {times:.0f} times as many as sSFFS; --sweep always insists."
    return reasons


def _too_slow(request: Request, data: Dataset) -> dict[str, str]:
    """Say why mutual information is left out of a quick look, if it is."""
    n_train = data.n_samples * request.split[0] // 100
    if not request.is_quick or data.n_features * (_SAMPLES_PER_FEATURE + n_train) <= _QUICK_INFORMATION:
        return {}
    return {
        INFORMATION: f"{INFORMATION} was left out: mutual information of {data.n_features:,} features takes longer "
        "than the rest of a quick look; without --quick it takes part."
    }


def _too_few(request: Request, data: Dataset) -> dict[str, str]:
    """Say why auto is left out, if no class fills its five folds."""
    if not data.has_classes or int(data.class_sizes.max()) * request.split[0] // 100 >= _FOLDS:
        return {}
    return {AUTO: f"{AUTO} was left out: it needs a class with at least {_FOLDS} samples to search on."}


def _not_there(request: Request) -> dict[str, str]:
    """Say which peers of other packages are left out, and why."""
    reasons = {
        name: f"{name} was left out: {package} is not installed; sweepless[peers] has it."
        for name in (BORUTA, ABESS)
        if (package := missing_package(name))
    }
    slow = {BORUTA: f"{BORUTA} was left out of a quick look; without --quick it takes part."}
    return (slow if request.is_quick else {}) | reasons


def _explained(elimination: Elimination, fits: int, largest: int, task: Task) -> list[str]:
    model = "ridge classifier" if task == "classification" else "ridge regression"
    step = f"{elimination.step} features at a time down to {largest}, then one" if elimination.step > 1 else "one"
    return [
        "sSFFS sees a warm-up, then at most its budget of candidates a step; DAF ranks by as many random probes as "
        "sSFFS took evaluations on the same seed; random subsets are the best of as many, shared out evenly among "
        "the sizes.",
        "FBED drops candidates that do not improve, lets them return as often as that helps, and ends where nothing "
        "improves: it may have no subset of the larger sizes.",
        "auto is SequentialSelector() as it is without an argument; its evaluations are its own and not counted. The "
        f"other selectors value no subsets. RFE drops features of a {model} on standardized features, {step} at a "
        f"time: {fits:,} fits.",
    ]


def _data(request: Request, scale: str) -> dict[str, Any]:
    # What was loaded without an extension has a name: files are read by their extension.
    given: dict[str, Any] = {"path" if Path(request.source).suffix else "name": request.source, "scale": scale}
    if request.label is not None:
        given["label"] = request.label
    return given | {"drop": list(request.drop)} if request.drop else given


def _scale(criterion: str) -> str:
    """Scale to [0, 1] over the training part, except counts, which must stay counts."""
    return "none" if criterion.startswith("multinomial") else "train"


def _toml(tables: dict[str, Any], arms: list[dict[str, Any]]) -> str:
    """Write a spec; JSON's texts, numbers and lists are TOML's."""
    plain = [f"{key} = {json.dumps(value)}" for key, value in tables.items() if not isinstance(value, dict)]
    parts = ["\n".join(plain)]
    for key, table in [item for item in tables.items() if isinstance(item[1], dict)] + [
        ("[arms]", arm) for arm in arms
    ]:
        parts.append("\n".join([f"[{key}]", *(f"{name} = {json.dumps(value)}" for name, value in table.items())]))
    return "\n\n".join(parts) + "\n"
