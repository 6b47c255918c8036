"""Run the panel for a search that settings describe, as the command line does, instead of a selector."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike
from textwrap import fill
from time import monotonic

import numpy as np

from sweepless._checks import whole
from sweepless._typing import Features
from sweepless.criteria.base import Criterion
from sweepless.criteria.tie_break import TieBreak, smooth_second
from sweepless.dataset import Dataset
from sweepless.search.plan import checked_target, named
from sweepless.search.settings import MAX_SIZE, OWN, SearchSettings
from sweepless.selectors.auto import Panel, judged_sizes, make_panel, require_panel
from sweepless.selectors.decide import compare, most_features, shortened, undecided
from sweepless.selectors.layout import make_layout
from sweepless.selectors.sizes import SizeRule
from sweepless.selectors.translate import goal_settings
from sweepless.validation.choice import PanelChoice
from sweepless.validation.panel import Member, Outer, judged


@dataclass(frozen=True)
class Decision:
    """What a search without a criterion goes on with.

    Attributes
    ----------
    criterion : Criterion
    settings : SearchSettings
        Those of the search that is to come.
    choice : PanelChoice or None
        None if nothing could be compared.
    said : str
        What was chosen and why, in words.
    panel : Panel
    """

    criterion: Criterion
    settings: SearchSettings
    choice: PanelChoice | None
    said: str
    panel: Panel

    def validate(self, train: Dataset, test: Dataset, features: Features) -> float:
        """Return the mean score of the judges of the panel, as the honest score is one."""
        return float(np.mean(judged(self.panel.judges, self.panel.scoring, train, test, features)))


@dataclass(frozen=True)
class Unasked:
    """How to search if no criterion was named.

    Attributes
    ----------
    settings : SearchSettings
        Without limits that only follow from the number of features.
    has_method : bool
        Whether the method was asked for; else every criterion brings its own.
    breaks_ties : bool
        Whether a smooth second value decides between equal candidates.
    judge : str, optional
    """

    settings: SearchSettings
    has_method: bool
    breaks_ties: bool = True
    judge: str | None = None

    def decide(self, data: Dataset, path: str | PathLike[str] | None = None, is_shown: bool = False) -> Decision:
        """Compare the panel on some data, by outer cross-validation; see `compare`."""
        require_panel(data)
        settings, limits = self.settings, self.settings.limits  # which are checked by this
        panel = make_panel(data, self.judge, None, None, None, settings.seed)
        rule = self._rule(data)
        sizes = judged_sizes(rule.low, rule.high, rule.name == "number" or limits.max_size is not None)
        until = np.inf if limits.max_seconds is None else monotonic() + limits.max_seconds / 2
        searches = {member.name: self._of_member(member, data, rule, sizes[-1], panel) for member in panel.members}
        outer = Outer(
            data,
            self._criterion,
            searches,
            {size: size for size in sizes},
            lambda features: features,
            panel.judges,
            panel.scoring,
            until,
            most_features(searches.values()),
        )
        choice = compare(
            panel,
            outer,
            settings.seed,
            smallest=True,
            allowed=np.ones(len(sizes), dtype=np.bool_),
            max_seconds=limits.max_seconds,
            path=path,
            is_shown=is_shown,
        )
        member = panel.members[0] if choice is None else panel.member(choice.member)
        said = fill(undecided(panel), 100) if choice is None else str(choice)
        return Decision(self._criterion(member, data), self._own(member), choice, said, panel)

    def _criterion(self, member: Member, data: Dataset) -> Criterion:
        criterion = member.make(data)
        second = smooth_second(criterion, data) if self.breaks_ties else None
        return criterion if second is None else TieBreak(criterion, second)

    def _own(self, member: Member) -> SearchSettings:
        """Return the settings, with the member's own method and budget unless a method was asked for."""
        if self.has_method:
            return self.settings
        asked = self.settings.budget
        return replace(self.settings, method=member.method, budget=member.budget if asked in (OWN, "auto") else asked)

    def _rule(self, data: Dataset) -> SizeRule:
        """Return the sizes that may be chosen, as for a selector."""
        most = data.n_features
        if (target := self.settings.target) is not None:
            size = whole("target", target, 1, most)
            return SizeRule("number", size, size)
        grows = named(self.settings.method).direction.adds
        high = self.settings.max_size or (MAX_SIZE if grows else most)
        return SizeRule("1se", 1, min(high, most))

    def _of_member(self, member: Member, data: Dataset, rule: SizeRule, largest: int, panel: Panel) -> SearchSettings:
        """Return how a member is searched on the training parts: as by a selector, no farther than it is judged."""
        settings = self._own(member.outside)
        method = named(settings.method)
        checked_target(method, data.n_features, settings.target)
        layout = make_layout(data.n_features, None, None, None, None)
        step = method.steps.tuple_size if settings.tuple_size is OWN else settings.tuple_size
        goal = goal_settings(method, rule, layout, settings.overshoot, settings.start, step)
        own = replace(settings, method=method.name, max_seconds=None, **{"max_size": None} | goal)
        return shortened(own, largest, panel, settings.max_evaluations)
