"""Run the panel of a selector, and go on with the member that was worth most outside."""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections.abc import Iterable
from dataclasses import replace
from math import inf
from os import PathLike
from typing import Any

import msgspec
import numpy as np

from sweepless._typing import Mask
from sweepless.errors import IncompleteWarning
from sweepless.journal.describe import described
from sweepless.journal.fingerprint import fingerprint
from sweepless.search.plan import named
from sweepless.search.settings import SearchSettings
from sweepless.selectors.auto import MANY, Panel, judged_sizes
from sweepless.selectors.problem import Problem, by_member
from sweepless.selectors.progress import make_display
from sweepless.selectors.sizes import SizeRule
from sweepless.validation.choice import PanelChoice, choose, left_behind
from sweepless.validation.panel import Outer, judge_panel
from sweepless.validation.panel_record import PanelRecord


def decide(selector: Any, problem: Problem, panel: Panel, max_seconds: float | None) -> Problem:
    """Return the problem with the member of the panel that is chosen, and with the choice."""
    rule, sizes = sizes_of(selector, problem)
    searches, n_searched = outer_searches(selector, problem, panel, sizes[-1])
    outer = Outer(
        problem.data,
        lambda member, data: by_member(selector, problem, member, data).criterion,
        searches,
        {size: size - problem.layout.n_fixed for size in sizes},
        problem.layout.features,
        panel.judges,
        panel.scoring,
        np.inf if max_seconds is None else time.monotonic() + max_seconds / 2,
        n_searched,
    )
    path = selector.journal if selector._resumed is None else selector._resumed.path
    allowed = np.array([rule.low <= size <= rule.high for size in sizes])
    choice = compare(
        panel,
        outer,
        problem.seed,
        smallest=rule.name != "best",
        allowed=allowed,
        max_seconds=selector.max_seconds,
        is_resumed=selector._resumed is not None,
        n_jobs=selector.n_jobs,
        path=path,
        is_shown=bool(selector.verbose),
    )
    if choice is None:
        warnings.warn(undecided(panel), IncompleteWarning, stacklevel=4)
        return problem
    member = panel.member(choice.member)
    return replace(by_member(selector, problem, member, problem.data, choice.reason), choice=choice)


def outer_searches(
    selector: Any, problem: Problem, panel: Panel, largest: int
) -> tuple[dict[str, SearchSettings], int | None]:
    """Return how every member is searched outside, and among how many features; None for all."""
    searches = {}
    for member in panel.members:
        own, _ = selector._settings(by_member(selector, problem, member.outside, problem.data), None)
        searches[member.name] = shortened(own, largest - problem.layout.n_fixed, panel, selector.max_evaluations)
    is_plain = problem.layout.units is None and problem.costs is None
    return searches, most_features(searches.values()) if is_plain else None


def most_features(searches: Iterable[SearchSettings]) -> int | None:
    """Return how many features are worth searching outside; None for all, if a search is told something about them."""
    for own in searches:
        is_forward = named(own.method).direction.adds
        if not is_forward or own.start is not None or isinstance(own.prior, np.ndarray) or (own.target or inf) > MANY:
            return None
    return MANY


def sizes_of(selector: Any, problem: Problem) -> tuple[SizeRule, list[int]]:
    """Return the rule by which a selector chooses a size, and the sizes that are judged for it."""
    rule: SizeRule = selector._settings(problem, None)[1]
    return rule, judged_sizes(rule.low, rule.high, rule.name == "number" or selector.max_size is not None)


def compare(
    panel: Panel,
    outer: Outer,
    seed: int,
    *,
    smallest: bool,
    allowed: Mask,
    max_seconds: float | None = None,
    is_resumed: bool = False,
    n_jobs: int | None = None,
    path: str | PathLike[str] | None = None,
    is_shown: bool = False,
) -> PanelChoice | None:
    """Judge the panel outside and choose a member and a size; None if nothing could be judged.

    Parameters
    ----------
    panel, outer, seed
    smallest, allowed : as in `choose`
    max_seconds : float, optional
        The limit of the whole run, by which the scores of cells may differ.
    is_resumed : bool
        Whether the run has been compared before, so that the choice stays, whatever the limits are now.
    n_jobs : int, optional
    path : str or path, optional
        The journal of the search; what is judged is kept beside it.
    is_shown : bool
        Whether to show how far it is.
    """
    if not panel.splits:
        return None
    record = None
    if path is not None:
        settings = None if is_resumed else _hash([*map(described, outer.settings_of.values()), max_seconds])
        record = PanelRecord(f"{path}.panel", _name_of(panel, outer, seed), settings)
    display = make_display() if is_shown else None

    def show(done: int, most: int) -> None:
        if display is not None:
            display.show(f"comparing {len(panel.members)} criteria outside, {done} of {most} searches", done / most)

    try:
        scores = judge_panel(
            panel.members,
            outer,
            panel.splits,
            panel.n_per_round,
            seed,
            n_jobs=n_jobs,
            is_out=left_behind,
            record=record,
            show=show,
        )
    finally:
        if display is not None:
            display.stop()
    if not np.isfinite(scores.scores[:, :, allowed]).any():
        return None
    return choose(scores, smallest=smallest, allowed=allowed)


def undecided(panel: Panel) -> str:
    """Say why nothing could be compared, and what is used instead."""
    why = "There are too few samples" if not panel.splits else "The limits left no room"
    return f"{why} to compare criteria outside: {panel.members[0].name} is used, without an honest score."


def shortened(own: SearchSettings, largest: int, panel: Panel, max_evaluations: int | None) -> SearchSettings:
    """Return the settings of a search that goes no farther than it is judged; half of the evaluations are for all."""
    shorter: dict[str, Any] = {"target": min(own.target, largest)} if own.target is not None else {}
    if max_evaluations is not None:
        shorter["max_evaluations"] = max(1, max_evaluations // (2 * len(panel.members) * max(1, len(panel.splits))))
    return replace(own, **shorter)


def _name_of(panel: Panel, outer: Outer, seed: int) -> str:
    """Return a hash of everything that the scores of a panel depend on, besides how its members are searched."""
    parts = {
        "data": msgspec.to_builtins(fingerprint(outer.data)),
        "members": [described(member.make(outer.data)) for member in panel.members],
        "splits": described([np.concatenate([train, [-1], test]) for train, test in panel.splits]),
        "judges": described(outer.judges),
        "scoring": described(outer.scoring),
        "sizes": list(outer.sizes),
        "searched": outer.most_features,
        "seed": seed,
    }
    return _hash(parts)


def _hash(parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
