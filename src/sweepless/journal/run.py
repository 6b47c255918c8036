"""Run a search, with or without a journal, and resume it from its journal."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

import msgspec

from sweepless.criteria.base import Criterion
from sweepless.dataset import Dataset
from sweepless.engine.generator import Rng, make_rng
from sweepless.errors import InputError, JournalError, SweeplessError
from sweepless.journal.journal import Journal, RecordedRun
from sweepless.journal.recording import RecordedCursor
from sweepless.search.budget import Budget
from sweepless.search.cost_model import CostModel
from sweepless.search.drive import conduct
from sweepless.search.events import Listener
from sweepless.search.ledger import Clock
from sweepless.search.methods import Method
from sweepless.search.plan import Plan, plan_for
from sweepless.search.proposal import Proposal
from sweepless.search.result import Result
from sweepless.search.settings import LIMITS, OWN, Default, SearchSettings
from sweepless.search.statistics import Statistics
from sweepless.search.threads import with_threads
from sweepless.search.warm_up import WarmUp


def run(
    method: str | Method,
    criterion: Criterion,
    data: Dataset,
    *,
    target: int | None = None,
    overshoot: int | None = 5,
    start: Any = None,
    max_size: int | None = None,
    max_evaluations: int | None = None,
    max_seconds: float | None = None,
    patience: int | None = None,
    tol: float = 0.0,
    seed: int = 0,
    rng: str | Rng = "portable",
    racing: str | None = "auto",
    budget: Budget | str | Default = OWN,
    backward_budget: Budget | str | Default = OWN,
    proposal: Proposal | str | Default = OWN,
    floor_fraction: float | Default = OWN,
    temperature: float | Default | None = OWN,
    statistics: Statistics | str | Default = OWN,
    horizon: int | Default = OWN,
    warm_up: WarmUp | str | Default | None = OWN,
    prior: Any = OWN,
    screen: Any = OWN,
    tuple_size: int | Default = OWN,
    measure: str | Default | None = OWN,
    ties: str | Default = OWN,
    normalized: bool | Default = OWN,
    n_probes: int | Default | None = OWN,
    probe_sizes: tuple[int, int] | Default = OWN,
    max_cost: float | Default | None = OWN,
    cost_model: CostModel | Default | None = OWN,
    drop_duplicates: bool | Default = OWN,
    pool_size: int | Default = OWN,
    n_returns: int | Default = OWN,
    min_gain: float | Default = OWN,
    l: int | Default = OWN,  # noqa: E741 - the literature's name
    r: int | Default = OWN,
    r_max: int | Default = OWN,
    neighborhood: int | Default = OWN,
    max_depth: int | Default = OWN,
    reuse_ends: bool | Default = OWN,
    options: Mapping[str, Any] | None = None,
    callbacks: Iterable[Listener] = (),
    journal: Journal | None = None,
) -> Result:
    """Search for good subsets of every size.

    Parameters
    ----------
    method : str or Method
        A name from `sweepless.METHODS`: "SFFS", "sSFFS", "OS", "BIF" …
    criterion : Criterion
    data : Dataset
    target, overshoot, start, max_size, max_evaluations, max_seconds, patience, tol, seed, rng, racing, …
        Settings, which `SearchSettings` explains. An option that the method does not have is an error.
    callbacks : iterable of callables
        Called with a `Progress` after every step, and from time to time during long ones.
    journal : Journal, optional
        Records the run in a file, such as `Journal("run.jsonl")`, so that it can be resumed if it is killed.

    Returns
    -------
    Result

    Examples
    --------
    >>> from sweepless import make_madelon, run
    >>> from sweepless.criteria import KNN
    >>> data = make_madelon(n_samples=200, n_features=40, seed=1)
    >>> result = run("sSFFS", KNN(), data, target=5, budget=20, backward_budget=5)
    >>> result.size, round(result.value, 3), result.features.tolist()
    (5, 0.81, [1, 19, 24, 29, 30])
    >>> round(result.archive[2].value, 3)  # the best pair that the search met
    0.669
    """
    given = dict(locals())
    settings = SearchSettings(**{field.name: given[field.name] for field in fields(SearchSettings)})
    return run_settings(settings, criterion, data, callbacks=callbacks, journal=journal)


def run_settings(
    settings: SearchSettings,
    criterion: Criterion,
    data: Dataset,
    *,
    callbacks: Iterable[Listener] = (),
    journal: Journal | None = None,
) -> Result:
    """Run the search with these settings; see `run`."""
    if not isinstance(criterion, Criterion):
        raise InputError(f"`criterion` must be a Criterion, got {criterion!r}.")
    if not isinstance(data, Dataset):
        raise InputError(f"`data` must be a Dataset, got {type(data).__name__}.")
    if journal is not None and not isinstance(journal, Journal):
        raise InputError(f"`journal` must be a Journal, as in Journal('run.jsonl'), got {journal!r}.")
    clock = Clock()
    planned = plan_for(settings, criterion, data)
    return run_plan(planned, criterion, data, callbacks, journal, clock)


def run_plan(
    planned: Plan,
    criterion: Criterion,
    data: Dataset,
    callbacks: Iterable[Listener] = (),
    journal: Journal | None = None,
    clock: Clock | None = None,
) -> Result:
    """Run a planned search."""
    clock = clock or Clock()
    cursor = with_threads(criterion, planned, data).bind(data)
    if journal is None:
        return conduct(planned, cursor, str(criterion), callbacks, clock)
    with journal.recording(planned, criterion, data) as recording:
        recorded = RecordedCursor(cursor, recording)
        result = conduct(planned, recorded, str(criterion), (recording.listen, *callbacks), recording.clock)
        recording.end(result)
        return result


def resume(
    path: str | os.PathLike[str],
    criterion: Criterion,
    data: Dataset,
    *,
    callbacks: Iterable[Listener] = (),
    fsync_every: float = 1.0,
    **settings: Any,
) -> Result:
    """Continue a run from its journal; the result is the same as that of an uninterrupted run.

    Recorded values are not computed again, but everything else is: a resume takes as long as the search takes
    besides its evaluations.

    Parameters
    ----------
    path : str or path
        The journal. If its run is finished, the result is returned again.
    criterion : Criterion
    data : Dataset
        The same criterion and data as before, which is checked.
    callbacks : iterable of callables
        Called with all steps, including the recorded ones.
    fsync_every : float
        As in `Journal`.
    **settings
        New limits: max_evaluations, max_seconds, max_size, patience, tol. They are totals, including the recorded part;
        a run that is past them ends where they would have ended it. Parts of your own (a method, a proposal …)
        must be given again, because a file cannot hold them.

    Returns
    -------
    Result

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sweepless import Journal, make_madelon, resume, run
    >>> from sweepless.criteria import KNN
    >>> data = make_madelon(n_samples=200, n_features=40, seed=1)
    >>> path = Path(tempfile.mkdtemp()) / "run.jsonl"
    >>> stopped = run("SFFS", KNN(), data, target=5, max_evaluations=60, journal=Journal(path))
    >>> whole = resume(path, KNN(), data, max_evaluations=None)
    >>> stopped.size, whole.size
    (2, 5)
    >>> whole.trace == run("SFFS", KNN(), data, target=5).trace
    True
    """
    recorded = RecordedRun(path)
    known = [field.name for field in fields(SearchSettings)]
    for name in settings:
        if name not in known:
            raise InputError(f"only {', '.join(LIMITS)} may change when a run is resumed, got `{name}`.")
    try:
        plain = {name: value for name, value in recorded.settings.items() if name not in settings}
        rng = make_rng(plain.pop("rng"), recorded.seed)
        rng.seek(int(plain.pop("rng_position")))
        if "warm_up" in plain:
            plain["warm_up"] = recorded.warm_up
        before = replace(SearchSettings.from_dict(plain | msgspec.to_builtins(recorded.found.limits)), rng=rng)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError, RecursionError) as error:
        raise _unreadable(path, error) from None
    now = replace(before, **settings)
    try:
        planned = plan_for(now, criterion, data)
    except (TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise _unreadable(path, error) from None
    journal = Journal(path, resumes=recorded.found, fsync_every=fsync_every)
    return run_plan(planned, criterion, data, callbacks, journal)


def _unreadable(path: str | os.PathLike[str], error: Exception) -> JournalError:
    why = str(error).rstrip(".") if isinstance(error, SweeplessError) else repr(error)
    return JournalError(f"the header of the journal {path} must describe a run, got: {why}.")
