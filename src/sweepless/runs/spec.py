"""Read what a campaign shall run from TOML, and check it before anything is computed."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from sweepless.criteria.registry import (
    default_scale,
    make_criterion,
    predictor_of,
    predictors_for,
    task_of,
)
from sweepless.dataset import Task
from sweepless.engine.generator import make_rng
from sweepless.errors import InputError, SpecError
from sweepless.schema.spec import Arm, Sizes, Spec, Validation, WrittenArm, WrittenSpec
from sweepless.schema.typed import brief, typed
from sweepless.search.methods import METHODS
from sweepless.search.plan import settings_in_words
from sweepless.search.ranking import DependencySteps
from sweepless.validation.splits import RandomSplits

_MOST_BYTES = 1 << 20
_MOST_DOTS = 500  # in a line: the time that a dotted key takes to be read grows with the square of its length


def read_spec(path: str | Path) -> Spec:
    """Read and check a spec.

    Parameters
    ----------
    path : path-like
        A TOML file; paths in it are relative to where it is.
    """
    path = Path(path)
    if path.exists() and not path.is_file():  # a FIFO would keep its reader waiting
        raise SpecError(f"{path}: a spec must be a regular file, got something else.")
    with path.open("rb") as stream:
        content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise SpecError(f"{path}: a spec must have at most {_MOST_BYTES:,} bytes, got more.")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SpecError(f"{path}: a spec must be UTF-8 text, got another byte at position {error.start}.") from None
    return parse_spec(text, str(path), path.absolute().parent)


def parse_spec(text: str, file: str = "spec", folder: Path | None = None) -> Spec:
    """Check the text of a spec; `file` is what messages call it."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > _MOST_DOTS:
            raise SpecError(f"{file}, line {number}: a line must have at most {_MOST_DOTS} dots, got more.")
    try:
        values = tomllib.loads(text.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise SpecError(f"{file}: a spec must be TOML, got: {_said(error)}.") from None
    if isinstance(values.get("arms"), list):
        values["arms"] = [_with_options(arm) if isinstance(arm, dict) else arm for arm in values["arms"]]
    written = typed(values, WrittenSpec, file, SpecError)
    try:
        return replace(_checked(written), text=text, folder=str(folder or Path.cwd()))
    except SpecError as error:
        raise SpecError(f"{file}: {error}") from None


def common_task(arms: Iterable[Arm]) -> Task:
    """Return what the target is to all arms: numbers if every criterion predicts numbers, else classes."""
    tasks = {task_of(arm.criterion["name"], arm.criterion) for arm in arms}
    return "regression" if tasks == {"regression"} else "classification"


def _with_options(arm: dict[str, Any]) -> dict[str, Any]:
    """Put the options of an arm's method into a table of their own."""
    fields = set(WrittenArm.__struct_fields__) - {"options"}
    options = {key: value for key, value in arm.items() if key not in fields}
    return {key: value for key, value in arm.items() if key in fields} | {"options": options}


# What types cannot say, because it depends on methods, criteria or other arms


def _checked(written: WrittenSpec) -> Spec:
    seeds, split, data = written.every_seed(), written.split, written.data
    with _at("seeds"):
        make_rng(written.rng, min(seeds))
        make_rng(written.rng, max(seeds))
    with _at("split"):
        if split is not None:
            RandomSplits(1, split.train, split.test)
    _check_criterion("criterion", written.criterion)
    arms = tuple(_arm(arm, f"arms[{number}]", written) for number, arm in enumerate(written.arms))
    _check_matches(arms, written.cost is not None)
    is_named = data.name not in (None, "make_madelon")
    return Spec(
        name=written.name,
        title=written.title,
        seeds=seeds,
        rng=written.rng,
        data=replace(
            data,
            scale=data.scale or default_scale(written.criterion["name"]),
            row_order=data.row_order or ("auto" if is_named else None),
        ),
        split=split,
        validation=_validation(written, arms),
        cost=None if written.cost is None else written.cost.model,
        arms=arms,
    )


def _arm(arm: WrittenArm, place: str, spec: WrittenSpec) -> Arm:
    """Return one arm with what holds for all, unless it says otherwise."""
    if arm.method not in METHODS:
        raise _wrong(f"{place}.method", f"one of {', '.join(METHODS)}", repr(arm.method))
    method = METHODS[arm.method]
    if arm.criterion is not None:
        _check_criterion(f"{place}.criterion", arm.criterion)
    for name, word in arm.options.items():
        with _at(f"{place}.{name}"):
            settings_in_words(arm.method, {name: word})
    with _at(place):
        settings_in_words(arm.method, arm.options)
    stop = spec.stop.limits() | arm.stop.limits() | arm.limits()
    if arm.matches is not None and (not isinstance(method.steps, DependencySteps) or "n_probes" in arm.options):
        raise _wrong(f"{place}.matches", "for DAF0 or DAF1 without `n_probes`", f"{arm.matches} for {arm.method}")
    if arm.match is not None and arm.matches is None:
        raise _wrong(f"{place}.match", "given together with `matches`", arm.match)
    if method.traits.needs_target and stop.get("target") is None:
        raise _wrong(f"{place}.target", f"given for {arm.method}", "none")
    if stop.get("max_size") is not None and not method.direction.adds:
        raise _wrong(f"{place}.max_size", "left out for searches that shrink (or none)", str(stop["max_size"]))
    return Arm(
        name=arm.name,
        method=arm.method,
        options=arm.options,
        criterion=arm.criterion or spec.criterion,
        stop=stop,
        report=_ascending(spec.report.sizes if arm.report is None else arm.report),
        start=arm.start,
        matches=arm.matches,
        match=arm.match or ("evaluations" if arm.matches else None),
    )


def _check_criterion(place: str, criterion: dict[str, Any]) -> None:
    if "name" not in criterion:
        raise _wrong(f"{place}.name", "given", "none")
    with _at(place):
        make_criterion(criterion["name"], {key: value for key, value in criterion.items() if key != "name"})


def _check_matches(arms: tuple[Arm, ...], has_cost: bool) -> None:
    """Refuse arms with one name, and matches that lead nowhere or round in a circle."""
    by_name: dict[str, Arm] = {}
    for number, arm in enumerate(arms):
        if arm.name in by_name:
            raise _wrong(f"arms[{number}].name", "given once", f"{arm.name!r} twice")
        by_name[arm.name] = arm
    for number, arm in enumerate(arms):
        if arm.matches is not None and arm.matches not in by_name:
            raise _wrong(f"arms[{number}].matches", "the name of an arm", repr(arm.matches))
        if arm.match == "cost" and not has_cost:
            raise SpecError(f"`arms[{number}].match` by cost must go with a `cost.model`, got none.")
    ends: set[str] = set()  # arms from which matches are known to end
    for number, arm in enumerate(arms):
        followed: Arm | None = arm
        way: dict[str, None] = {}
        while followed is not None and followed.name not in ends:
            if followed.name in way:
                raise SpecError(f"`arms[{number}].matches` must not lead back to itself, got {arm.matches!r}.")
            way[followed.name] = None
            followed = None if followed.matches is None else by_name[followed.matches]
        ends.update(way)


def _validation(written: WrittenSpec, arms: tuple[Arm, ...]) -> Validation:
    given, task = written.validation.classifiers, common_task(arms)
    allowed = ("same", *predictors_for(task))
    if not set(given) <= set(allowed) or len(set(given)) < len(given):
        numbers = "" if task == "classification" else ", for numbers"
        wanted = f"a list of {', '.join(allowed)}, each at most once{numbers}"
        raise _wrong("validation.classifiers", wanted, brief(list(given)))
    if given and written.split is None:
        raise SpecError("`validation` must go with a `split`, which leaves data to validate on, got none.")
    for number, arm in enumerate(arms):
        if "same" in given and predictor_of(arm.criterion["name"]) is None:
            raise SpecError(
                "`validation.classifiers` must not have `same` where a criterion has no classifier, got it with "
                f"{arm.criterion['name']} in `arms[{number}]`."
            )
    return Validation(given, _ascending(written.validation.sizes))


def _ascending(sizes: Sizes) -> Sizes:
    return tuple(sorted(set(sizes))) if isinstance(sizes, tuple) else sizes


@contextmanager
def _at(place: str) -> Iterator[None]:
    """Say where in the spec something is that others have something against."""
    try:
        yield
    except (InputError, TypeError, ValueError) as error:
        raise SpecError(f"`{place}`: {_said(error)}.") from None


def _wrong(place: str, allowed: str, got: str) -> SpecError:
    return SpecError(f"`{place}` must be {allowed}, got {got}.")


def _said(error: Exception) -> str:
    return str(error).rstrip(".")
