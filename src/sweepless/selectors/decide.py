"""Run the panel of a selector, and go on with the member that was worth most outside."""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from sweepless.errors import IncompleteWarning
from sweepless.journal.describe import described
from sweepless.journal.fingerprint import fingerprint
from sweepless.search.settings import SearchSettings
from sweepless.selectors.auto import Panel, judged_sizes
from sweepless.selectors.problem import Problem, by_member
from sweepless.selectors.progress import make_display
from sweepless.selectors.sizes import SizeRule
from sweepless.validation.choice import choose, left_behind
from sweepless.validation.panel import Outer, PanelScores, judge_panel
from sweepless.validation.panel_record import PanelRecord


def decide(selector: Any, problem: Problem, panel: Panel, max_seconds: float | None) -> Problem:
    """Return the problem with the member of the panel that is chosen, and with the choice."""
    rule: SizeRule = selector._settings(problem, None)[1]
    sizes = judged_sizes(rule.low, rule.high, rule.name == "number" or selector.max_size is not None)
    settings = {}
    for member in panel.members:
        own, _ = selector._settings(by_member(selector, problem, member, problem.data), None)
        settings[member.name] = _shortened(own, sizes[-1] - problem.layout.n_fixed, panel, selector.max_evaluations)
    outer = Outer(
        problem.data,
        lambda member, data: by_member(selector, problem, member, data).criterion,
        settings,
        {size: size - problem.layout.n_fixed for size in sizes},
        problem.layout.features,
        panel.judges,
        panel.scoring,
        np.inf if max_seconds is None else time.monotonic() + max_seconds / 2,
    )
    scores = _judged(selector, panel, outer, problem) if panel.splits else None
    if scores is None or not np.isfinite(scores.scores).any():
        why = "there are too few samples" if not panel.splits else "the limits left no room"
        warnings.warn(
            f"{why} to compare criteria outside: {panel.members[0].name} is used, without an honest score.",
            IncompleteWarning,
            stacklevel=5,
        )
        return problem
    allowed = np.array([rule.low <= size <= rule.high for size in sizes])
    choice = choose(scores, smallest=rule.name != "best", allowed=allowed)
    member = next(member for member in panel.members if member.name == choice.member)
    return replace(by_member(selector, problem, member, problem.data, choice.reason), choice=choice)


def _judged(selector: Any, panel: Panel, outer: Outer, problem: Problem) -> PanelScores:
    path = selector.journal if selector._resumed is None else selector._resumed.path
    record = None if path is None else PanelRecord(f"{path}.panel", _name_of(panel, outer, problem.seed))
    display = make_display() if selector.verbose else None

    def show(done: int, most: int) -> None:
        if display is not None:
            display.show(f"comparing {len(panel.members)} criteria outside, {done} of {most} searches", done / most)

    try:
        return judge_panel(
            panel.members,
            outer,
            panel.splits,
            panel.n_per_round,
            problem.seed,
            n_jobs=selector.n_jobs,
            is_out=left_behind,
            record=record,
            show=show,
        )
    finally:
        if display is not None:
            display.stop()


def _shortened(own: SearchSettings, largest: int, panel: Panel, max_evaluations: int | None) -> SearchSettings:
    """Return the settings of a search that goes no farther than it is judged; half of the evaluations are for all."""
    shorter: dict[str, Any] = {"target": min(own.target, largest)} if own.target is not None else {}
    if max_evaluations is not None:
        shorter["max_evaluations"] = max(1, max_evaluations // (2 * len(panel.members) * max(1, len(panel.splits))))
    return replace(own, **shorter)


def _name_of(panel: Panel, outer: Outer, seed: int) -> str:
    """Return a hash of everything that the scores of a panel depend on."""
    parts = {
        "data": msgspec.to_builtins(fingerprint(outer.data)),
        "members": [described(member.make(outer.data)) for member in panel.members],
        "settings": [described(settings) for settings in outer.settings_of.values()],
        "splits": described([np.concatenate([train, [-1], test]) for train, test in panel.splits]),
        "judges": described(outer.judges),
        "scoring": described(outer.scoring),
        "sizes": list(outer.sizes),
        "seed": seed,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
