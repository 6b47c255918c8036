"""One way to select, as a spec describes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sweepless.criteria.registry import make_criterion
from sweepless.errors import InputError, SpecError
from sweepless.runs.registry import read_options
from sweepless.runs.sizes import Sizes, read_sizes
from sweepless.runs.tables import Table, is_whole
from sweepless.search.methods import METHODS
from sweepless.search.plan import applied, named
from sweepless.search.ranking import DependencySteps, IndividualSteps

_STOPS = ("target", "overshoot", "max_size", "max_evaluations", "patience")


@dataclass(frozen=True)
class Arm:
    """A method with its options, criterion, limits and reported sizes, all of them plain values.

    `matches` names the arm whose cost on the same seed a DAF gets, counted as `match` says.
    """

    name: str
    method: str
    options: dict[str, Any]
    criterion: dict[str, Any]
    stop: dict[str, int | None]
    report: Sizes
    start: str | list[int] | None = None
    matches: str | None = None
    match: str | None = None

    @property
    def ranks(self) -> bool:
        """Whether its subsets are the prefixes of a ranking."""
        return isinstance(METHODS[self.method].steps, (IndividualSteps, DependencySteps))

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


def read_criterion(table: Table | None, file: str) -> dict[str, Any]:
    """Take a criterion: its name and its parameters."""
    if table is None:
        raise SpecError(f"{file}: `criterion` must be given, got none.")
    name = table.text("name")
    parameters = table.rest()
    try:
        make_criterion(name, parameters)
    except (InputError, TypeError) as error:
        raise SpecError(f"{file}: `{table.place}`: {_said(error)}.") from None
    return {"name": name, **parameters}


def read_stop(table: Table | None) -> dict[str, int | None]:
    """Take limits; `none` takes one back."""
    if table is None:
        return {}
    read = _limits(table)
    table.close(", ".join(_STOPS))
    return read


def read_arm(table: Table, criterion: dict[str, Any], stop: dict[str, int | None], report: Sizes) -> Arm:
    """Take one arm, which may override what the campaign says for all."""
    name = table.text("name")
    method = table.text("method", allowed=METHODS)
    if "criterion" in table:
        criterion = read_criterion(table.table("criterion"), table.file)
    stop = stop | read_stop(table.table("stop")) | _limits(table)
    if "report" in table:
        report = read_sizes(table, "report")
    start = _start(table)
    matches = table.text("matches", None)
    match = table.text("match", "evaluations" if matches else None, allowed=("evaluations", "cost"))
    options = table.rest()
    _check_options(table, method, options)
    steps = METHODS[method].steps
    if matches is not None and (not isinstance(steps, DependencySteps) or "n_probes" in options):
        raise table.wrong("matches", "for DAF0 or DAF1 without `n_probes`", f"{matches} for {method}")
    if match is not None and matches is None:
        raise table.wrong("match", "given together with `matches`", match)
    if METHODS[method].traits.needs_target and stop.get("target") is None:
        raise SpecError(f"{table.file}: `{table.key('target')}` must be given for {method}, got none.")
    if stop.get("max_size") is not None and not METHODS[method].direction.adds:
        raise table.wrong("max_size", "left out for searches that shrink (or none)", stop["max_size"])
    return Arm(name, method, options, criterion, stop, report, start, matches, match)


def checked_matches(arms: tuple[Arm, ...], has_cost: bool, file: str) -> None:
    """Refuse arms with one name, and matches that lead nowhere or round in a circle."""
    by_name: dict[str, Arm] = {}
    for number, arm in enumerate(arms):
        if arm.name in by_name:
            raise SpecError(f"{file}: `arms[{number}].name` must be given once, got {arm.name!r} twice.")
        by_name[arm.name] = arm
    for number, arm in enumerate(arms):
        if arm.matches is not None and arm.matches not in by_name:
            raise SpecError(f"{file}: `arms[{number}].matches` must be the name of an arm, got {arm.matches!r}.")
        if arm.match == "cost" and not has_cost:
            raise SpecError(f"{file}: `arms[{number}].match` by cost must go with a `cost.model`, got none.")
    ends: set[str] = set()  # arms from which matches are known to end
    for number, arm in enumerate(arms):
        followed: Arm | None = arm
        way: dict[str, None] = {}
        while followed is not None and followed.name not in ends:
            if followed.name in way:
                raise SpecError(f"{file}: `arms[{number}].matches` must not lead back to itself, got {arm.matches!r}.")
            way[followed.name] = None
            followed = None if followed.matches is None else by_name[followed.matches]
        ends.update(way)


def _limits(table: Table) -> dict[str, int | None]:
    read: dict[str, int | None] = {}
    for name in _STOPS:
        if name in table:
            value = table.pop(name)
            if value != "none" and not is_whole(value, 0 if name == "overshoot" else 1, 10**15):
                raise table.wrong(name, "a positive integer or none", value)
            read[name] = None if value == "none" else value
    return read


def _start(table: Table) -> str | list[int] | None:
    start = table.pop("start", None)
    known = ("scores", "ranking", "random")
    is_list = isinstance(start, list) and start and all(is_whole(feature, 0, 10**9) for feature in start)
    if start is not None and start not in known and not is_list:
        raise table.wrong("start", f"one of {', '.join(known)}, or a list of features", start)
    return start  # type: ignore[no-any-return]


def _check_options(table: Table, method: str, options: dict[str, Any]) -> None:
    """Refuse options that the method does not have, or cannot have so."""
    for name in options:
        try:
            read_options(method, {name: options[name]})
        except (InputError, TypeError, ValueError) as error:
            raise SpecError(f"{table.file}: `{table.key(name)}`: {_said(error)}.") from None
    try:
        applied(named(method), read_options(method, options))
    except (InputError, TypeError, ValueError) as error:
        raise SpecError(f"{table.file}: `{table.place}`: {_said(error)}.") from None


def _said(error: Exception) -> str:
    return str(error).rstrip(".")
