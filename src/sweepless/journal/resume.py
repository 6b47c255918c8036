"""Go on with a run from its journal."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from sweepless.criteria.base import Criterion
from sweepless.dataset import Dataset
from sweepless.engine.generator import Rng, make_rng
from sweepless.errors import InputError, JournalError, SweeplessError
from sweepless.journal.describe import rebuilt
from sweepless.journal.journal import Journal
from sweepless.journal.limits import last_limits
from sweepless.journal.lines import Record, scan
from sweepless.search.marks import Progress
from sweepless.search.methods import METHODS, Method
from sweepless.search.result import Result
from sweepless.search.run import check_arguments, run
from sweepless.search.stop import Limits


def resume(
    path: str | os.PathLike[str],
    criterion: Criterion,
    data: Dataset,
    *,
    method: Method | None = None,
    callbacks: Iterable[Callable[[Progress], None]] = (),
    fsync_every: float = 1.0,
    **limits: Any,
) -> Result:
    """Go on with a run from its journal: the result is that of the run that nothing had interrupted.

    Parameters
    ----------
    path : str or path
        A journal. A finished run just gives its result again.
    criterion : Criterion
    data : Dataset
        The same as before, which is checked.
    method : Method, optional
        Needed only if the method had parts of your own making.
    callbacks : iterable of callables
        Told of all steps, also of those on record. One that ends the run where it had gone on before leaves
        it without `scores` and `tried`.
    fsync_every : float
        As in `Journal`.
    **limits
        Other limits than it had last: max_evaluations, max_seconds, max_size, patience, tol. They are totals, which
        count what is on record.

    Returns
    -------
    Result
    """
    path = Path(path)
    found = scan(path)
    header = found.header
    known = [field.name for field in fields(Limits)]
    for name in limits:
        if name not in known:
            raise InputError(f"a resumed run must be as before but for {', '.join(known)}, got `{name}`.")
    Limits(**limits)
    try:
        described = header["run"]
        arguments = {name: described[name] for name in ("target", "overshoot", "start")}
        arguments |= last_limits(found) | limits
        method = method or _method(described["method"])
        engine = _engine(described["rng"])
        options = dict(described["options"])
        check_arguments(method, options, criterion.n_features(data), arguments)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError, RecursionError, JournalError) as error:
        why = str(error).rstrip(".") if isinstance(error, SweeplessError) else repr(error)
        raise JournalError(f"the header of the journal {path} must describe a run, got: {why}.") from None
    journal = Journal(path, resumes=found, fsync_every=fsync_every)
    try:
        return run(method, criterion, data, rng=engine, callbacks=callbacks, journal=journal, **arguments, **options)
    except InputError as error:  # which is about the arguments on record, unless it says that it is not
        if str(path) in str(error):
            raise
        raise JournalError(f"the journal {path} must describe a run that can go on, got: {error}") from error


def _method(described: Record) -> Method:
    if described["name"] not in METHODS:
        raise JournalError(f"a journal can rebuild only a method of sweepless, got {described['name']}: pass `method`.")
    return replace(METHODS[described["name"]], steps=rebuilt(described["steps"]))


def _engine(described: Record) -> Rng:
    engine = make_rng(described["name"], described["seed"])
    engine.seek(int(described["position"]))
    return engine
