"""What a campaign shall run, read from TOML and checked before anything is computed."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sweepless.criteria.registry import CLASSIFIERS, REGRESSORS, default_scale, predictor_of, task_of
from sweepless.dataset import Task
from sweepless.engine.generator import make_rng
from sweepless.errors import InputError, SpecError
from sweepless.runs.arms import Arm, checked_matches, read_arm, read_criterion, read_stop
from sweepless.runs.sizes import Sizes, read_sizes
from sweepless.runs.tables import Table, is_whole
from sweepless.validation.splits import RandomSplits

_PREDICTORS: dict[Task, tuple[str, ...]] = {"classification": CLASSIFIERS, "regression": REGRESSORS}
_MOST_BYTES = 1 << 20
_MOST_DOTS = 500  # in a line: the time that a dotted key takes to be read grows with the square of its length
_MOST_CELLS = 1_000_000
_MOST_NUMBERS = 1 << 30  # in a synthetic data set
_KEYS = "name, title, seeds, rng, data, split, criterion, stop, report, validation, cost, arms"
_SYNTHETIC = ("n_samples", "n_informative", "n_redundant", "n_features", "n_clusters_per_class")


@dataclass(frozen=True)
class Spec:
    """A checked spec: plain values, comparable, replaceable part by part.

    Attributes
    ----------
    name, title : str
    seeds : tuple of int
    rng : {"portable", "reference"}
    data : dict
        `name` or `path`, and how to read and scale it.
    split : (int, int) or None
        Percent of each class to search on and to validate on.
    validation : dict
        `classifiers` (of numbers: regressors) and `sizes`.
    cost : list of two numbers, "fit" or None
        Milliseconds per evaluation, a + b d.
    arms : tuple of Arm
    text, folder
        The TOML as it was written, and where paths in it start from; not part of what is compared.
    """

    name: str
    title: str | None
    seeds: tuple[int, ...]
    rng: str
    data: dict[str, Any]
    split: tuple[int, int] | None
    validation: dict[str, Any]
    cost: list[float] | str | None
    arms: tuple[Arm, ...]
    text: str = field(default="", compare=False, repr=False)
    folder: Path = field(default=Path(), compare=False)

    @property
    def task(self) -> Task:
        """What the target is to all arms: numbers if every criterion predicts numbers, else classes."""
        return _common_task(self.arms)

    def to_dict(self) -> dict[str, Any]:
        """Return the spec as plain values, every arm complete."""
        return {
            "name": self.name,
            "title": self.title,
            "seeds": list(self.seeds),
            "rng": self.rng,
            "data": self.data,
            "split": None if self.split is None else {"train": self.split[0], "test": self.split[1]},
            "validation": self.validation,
            "cost": self.cost,
            "arms": [arm.to_dict() for arm in self.arms],
        }


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
        raise SpecError(f"{file}: a spec must be TOML, got: {str(error).rstrip('.')}.") from None
    top = Table(values, file)
    name, title = top.text("name"), top.text("title", None)
    seeds = _read_seeds(top)
    rng = top.text("rng", "portable", allowed=("portable", "reference"))
    for seed in (min(seeds), max(seeds)):
        try:
            make_rng(rng, seed)
        except InputError as error:
            raise SpecError(f"{file}: `seeds`: {error}") from None
    criterion = read_criterion(top.table("criterion"), file)
    data = _read_data(top, str(criterion["name"]))
    split = _read_split(top)
    stop = read_stop(top.table("stop"))
    report = top.table("report")
    sizes = read_sizes(report, "sizes") if report else "all"
    if report:
        report.close("sizes")
    cost = _read_cost(top)
    given = top.pop("arms")
    if not isinstance(given, list) or not given or len(given) * len(seeds) > _MOST_CELLS:
        raise top.wrong("arms", f"tables [[arms]], with the seeds at most {_MOST_CELLS:,} cells", given)
    arms = tuple(
        read_arm(Table(arm, file, f"arms[{number}]"), criterion, stop, sizes) for number, arm in enumerate(given)
    )
    checked_matches(arms, cost is not None, file)
    validation = _read_validation(top, split is not None, _common_task(arms))
    if "same" in validation["classifiers"]:
        for number, arm in enumerate(arms):
            if predictor_of(arm.criterion["name"]) is None:
                raise SpecError(
                    f"{file}: `validation.classifiers` must not have `same` where a criterion has no classifier, "
                    f"got it with {arm.criterion['name']} in `arms[{number}]`."
                )
    top.close(_KEYS)
    return Spec(name, title, seeds, rng, data, split, validation, cost, arms, text, folder or Path.cwd())


def _read_seeds(top: Table) -> tuple[int, ...]:
    """Read a list of seeds, or a range such as "1-10"."""
    given = top.pop("seeds")
    wanted = 'distinct integers such as [1, 2, 3], or a range such as "1-10"'
    if isinstance(given, str) and (found := re.fullmatch(r"(\d{1,19})-(\d{1,19})", given)):
        first, last = map(int, found.groups())
        if not 0 <= last - first < _MOST_CELLS:
            raise top.wrong("seeds", wanted, given)
        return tuple(range(first, last + 1))
    good = isinstance(given, list) and given and all(is_whole(seed, 0, 2**64 - 1) for seed in given)
    if not good or len(set(given)) < len(given) or len(given) > _MOST_CELLS:
        raise top.wrong("seeds", wanted, given)
    return tuple(given)


def _read_data(top: Table, criterion: str) -> dict[str, Any]:
    table = top.table("data")
    if table is None:
        raise SpecError(f"{top.file}: `data` must be given, got none.")
    if ("name" in table) == ("path" in table):
        raise SpecError(f"{top.file}: `data` must have either a `name` or a `path`, got both or neither.")
    read: dict[str, Any] = {}
    if "path" in table:
        read["path"] = table.text("path")
        label = table.pop("label", None)
        if label is not None:
            if not isinstance(label, str) and not is_whole(label, -(10**6), 10**6):
                raise table.wrong("label", "the name or the number of a column", label)
            read["label"] = label
        if "drop" in table:
            drop = table.pop("drop")
            if not isinstance(drop, list) or not all(isinstance(c, str) or is_whole(c, -(10**6), 10**6) for c in drop):
                raise table.wrong("drop", "a list of names and numbers of columns", drop)
            read["drop"] = drop
        keys = "path, label, drop, scale"
    elif (name := table.text("name")) == "make_madelon":
        read["name"] = name
        for key in _SYNTHETIC:
            if key in table:
                read[key] = table.whole(key, least=0)
        if "seed" in table:
            read["seed"] = table.whole("seed", least=0)
        if read.get("n_samples", 2000) * read.get("n_features", 500) > _MOST_NUMBERS:
            raise table.wrong("n_features", f"so many that the data have at most {_MOST_NUMBERS:,} numbers", read)
        keys = f"name, {', '.join(_SYNTHETIC)}, seed, scale"
    else:
        if not re.fullmatch(r"[\w-]+", name):
            raise table.wrong("name", "the name of a data set; a file is given by its `path`", name)
        read["name"] = name
        read["row_order"] = table.text("row_order", "auto", allowed=("auto", "paper", "file"))
        keys = "name, row_order, scale"
    read["scale"] = table.text("scale", default_scale(criterion), allowed=("paper", "train", "none"))
    table.close(keys)
    return read


def _read_split(top: Table) -> tuple[int, int] | None:
    table = top.table("split")
    if table is None:
        return None
    train, test = table.whole("train", least=1, most=100), table.whole("test", least=1, most=100)
    table.close("train, test")
    try:
        RandomSplits(1, train, test)
    except InputError as error:
        raise SpecError(f"{top.file}: `split`: {error}") from None
    return train, test


def _common_task(arms: tuple[Arm, ...]) -> Task:
    tasks = {task_of(arm.criterion["name"], arm.criterion) for arm in arms}
    return "regression" if tasks == {"regression"} else "classification"


def _read_validation(top: Table, is_split: bool, task: Task) -> dict[str, Any]:
    table = top.table("validation")
    if table is None:
        return {"classifiers": [], "sizes": "all"}
    classifiers, allowed = table.pop("classifiers"), ("same", *_PREDICTORS[task])
    good = isinstance(classifiers, list) and all(name in allowed for name in classifiers)
    if not good or len(set(classifiers)) < len(classifiers):
        wanted = f"a list of {', '.join(allowed)}, each at most once"
        raise table.wrong("classifiers", wanted if task == "classification" else f"{wanted}, for numbers", classifiers)
    if classifiers and not is_split:
        raise SpecError(f"{top.file}: `validation` must go with a `split`, which leaves data to validate on, got none.")
    sizes: Sizes = read_sizes(table, "sizes") if "sizes" in table else "all"
    table.close("classifiers, sizes")
    return {"classifiers": classifiers, "sizes": sizes}


def _read_cost(top: Table) -> list[float] | str | None:
    table = top.table("cost")
    if table is None:
        return None
    model = table.pop("model")
    table.close("model")
    if model == "fit":
        return "fit"
    numbers = isinstance(model, list) and len(model) == 2
    if not numbers or not all(type(part) in (int, float) and 0 <= part < 1e9 for part in model) or not any(model):
        raise table.wrong("model", '"fit", or [a, b] for a + b d milliseconds, not both zero', model)
    return [float(part) for part in model]
