"""The spec of a campaign: the tables of a TOML file as written, and a checked spec with complete arms."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from sweepless.schema.typed import Wrong

Scale: TypeAlias = Literal["paper", "train", "none"]
Rng: TypeAlias = Literal["portable", "reference"]
Match: TypeAlias = Literal["evaluations", "cost"]

_MOST_CELLS = 1_000_000
_MOST_NUMBERS = 1 << 30  # in a synthetic data set
_SYNTHETIC = ("n_samples", "n_informative", "n_redundant", "n_features", "n_clusters_per_class", "seed")
_OF_KIND = {"a file": ("label", "drop"), "a named set": ("row_order",), "make_madelon": _SYNTHETIC}

_Line = Annotated[str, Meta(description="a line of text")]
_Percent = Annotated[int, Meta(ge=1, le=100)]
_Size = Annotated[int, Meta(ge=1, le=10**7)]
_Natural = Annotated[int, Meta(ge=0, le=10**9)]
_Column: TypeAlias = str | Annotated[int, Meta(ge=-(10**6), le=10**6)]
_Milliseconds = Annotated[float, Meta(ge=0, lt=1e9)]
_Limit: TypeAlias = Annotated[
    Annotated[int, Meta(ge=1, le=10**15)] | Literal["none"], Meta(description="a positive integer or none")
]
_Overshoot: TypeAlias = Annotated[
    Annotated[int, Meta(ge=0, le=10**15)] | Literal["none"], Meta(description="an integer of at least 0 or none")
]
_Seeds: TypeAlias = Annotated[
    str | Annotated[tuple[Annotated[int, Meta(ge=0)], ...], Meta(min_length=1, max_length=_MOST_CELLS)],
    Meta(description='distinct integers such as [1, 2, 3], or a range such as "1-10"'),
]
_Start: TypeAlias = Annotated[
    Literal["scores", "ranking", "random"] | Annotated[tuple[_Natural, ...], Meta(min_length=1)],
    Meta(description="one of scores, ranking, random, or a list of features"),
]


class SizeRange(Struct, frozen=True, forbid_unknown_fields=True, rename={"first": "from"}):
    """A range of sizes."""

    to: _Size
    first: _Size = 1
    step: _Size = 1

    def __post_init__(self) -> None:
        if self.first > self.to:
            raise Wrong("to")


Sizes: TypeAlias = Annotated[
    Literal["all"] | Annotated[tuple[_Size, ...], Meta(min_length=1)] | SizeRange,
    Meta(description='"all", a list of sizes, or {from = 1, to = 150, step = 5}'),
]


def sizes_asked_for(sizes: Sizes) -> Collection[int] | None:
    """Return sizes as a collection, or None for all sizes."""
    if isinstance(sizes, SizeRange):
        return range(sizes.first, sizes.to + 1, sizes.step)
    return None if sizes == "all" else frozenset(sizes)


def sizes_among(sizes: Sizes, available: Iterable[int]) -> list[int]:
    """Return those of the available sizes that are wanted, in ascending order."""
    asked = sizes_asked_for(sizes)
    return sorted(size for size in available if asked is None or size in asked)


class Table(Struct, frozen=True, forbid_unknown_fields=True):
    """A table of a spec."""

    def _require_lines(self, *names: str) -> None:
        for name in names:
            text = getattr(self, name)
            if text is not None and not (text.strip() and text.isprintable()):
                raise Wrong(name)


class Data(Table, frozen=True, omit_defaults=True):
    """The source of the data: a file, a benchmark set, or make_madelon with its parameters."""

    path: _Line | None = None
    label: Annotated[_Column, Meta(description="the name or the number of a column")] | None = None
    drop: Annotated[tuple[_Column, ...], Meta(description="a list of names and numbers of columns")] | None = None
    name: _Line | None = None
    row_order: Literal["auto", "paper", "file"] | None = None
    n_samples: _Natural | None = None
    n_informative: _Natural | None = None
    n_redundant: _Natural | None = None
    n_features: _Natural | None = None
    n_clusters_per_class: _Natural | None = None
    seed: _Natural | None = None
    scale: Scale | None = None

    def __post_init__(self) -> None:
        self._require_lines("path", "name")
        if (self.name is None) == (self.path is None):
            raise Wrong(allowed="a table with either a `name` or a `path`")
        if self.name is not None and not re.fullmatch(r"[\w-]+", self.name):
            raise Wrong("name", allowed="the name of a data set; a file is given by its `path`")
        kind = "a file" if self.path is not None else "a named set" if self.name != "make_madelon" else "make_madelon"
        for key in (key for keys in _OF_KIND.values() for key in keys):
            if key not in _OF_KIND[kind] and getattr(self, key) is not None:
                raise Wrong(key, allowed=f"left out for {kind}")
        n_samples, n_features = (2000 if self.n_samples is None else self.n_samples), self.n_features
        if n_samples * (500 if n_features is None else n_features) > _MOST_NUMBERS:
            raise Wrong("n_features", allowed=f"few enough for data of at most {_MOST_NUMBERS:,} numbers")

    @property
    def title(self) -> str:
        """The name of the data set, or of its file without the directory."""
        return self.name or re.split(r"[\\/]", self.path or "")[-1]

    def synthetic(self) -> dict[str, int]:
        """Return the given parameters of make_madelon."""
        return {key: value for key in _SYNTHETIC if (value := getattr(self, key)) is not None}


class Split(Table, frozen=True):
    """The percentages of each class to search on and to validate on."""

    train: _Percent
    test: _Percent


class Validation(Table, frozen=True):
    """The classifiers or regressors that validate reported subsets, and the sizes at which they do so."""

    classifiers: tuple[str, ...]
    sizes: Sizes = "all"


class Cost(Table, frozen=True):
    """Milliseconds per evaluation."""

    model: Annotated[
        Literal["fit"] | tuple[_Milliseconds, _Milliseconds],
        Meta(description='"fit", or [a, b] for a + b d milliseconds, not both zero'),
    ]

    def __post_init__(self) -> None:
        if not any(self.model):
            raise Wrong("model")


class Report(Table, frozen=True):
    """The sizes to report, by their best subsets."""

    sizes: Sizes


class Stop(Table, frozen=True):
    """Limits of a search; "none" removes a limit."""

    target: _Limit | None = None
    overshoot: _Overshoot | None = None
    max_size: _Limit | None = None
    max_evaluations: _Limit | None = None
    patience: _Limit | None = None

    def limits(self) -> dict[str, int | None]:
        """Return the given limits, with None for those that are removed."""
        given = {name: getattr(self, name) for name in Stop.__struct_fields__}
        return {name: None if value == "none" else value for name, value in given.items() if value is not None}


class WrittenArm(Stop, frozen=True, kw_only=True):
    """An arm as written in a spec, which may override settings shared by all arms; unknown keys are its options."""

    name: _Line
    method: str
    criterion: dict[str, Any] | None = None
    stop: Stop = Stop()
    report: Sizes | None = None
    start: _Start | None = None
    matches: _Line | None = None
    match: Match | None = None
    options: dict[str, Any] = {}

    def __post_init__(self) -> None:
        self._require_lines("name", "matches")


class WrittenSpec(Table, frozen=True, kw_only=True):
    """A spec as written in a file."""

    name: _Line
    title: _Line | None = None
    seeds: _Seeds
    rng: Rng = "portable"
    data: Data
    split: Split | None = None
    criterion: dict[str, Any]
    stop: Stop = Stop()
    report: Report = Report("all")
    validation: Validation = Validation(())
    cost: Cost | None = None
    arms: Annotated[tuple[WrittenArm, ...], Meta(min_length=1)]

    def __post_init__(self) -> None:
        self._require_lines("name", "title")
        seeds = self.every_seed()
        if not seeds or len(set(seeds)) < len(seeds):
            raise Wrong("seeds")
        if len(seeds) * len(self.arms) > _MOST_CELLS:
            raise Wrong("arms", allowed=f"few enough for at most {_MOST_CELLS:,} cells with these seeds")

    def every_seed(self) -> tuple[int, ...]:
        """Return all seeds, or an empty tuple if the range is not valid."""
        if not isinstance(self.seeds, str):
            return self.seeds
        found = re.fullmatch(r"(\d{1,19})-(\d{1,19})", self.seeds)
        first, last = map(int, found.groups()) if found else (1, 0)
        return tuple(range(first, last + 1)) if last - first < _MOST_CELLS else ()


class Arm(Struct, frozen=True):
    """A method with its options, criterion, limits and reported sizes, all as plain values.

    `matches` names the arm whose cost on the same seed becomes the budget of a DAF; `match` says how it is counted.
    """

    name: str
    method: str
    options: dict[str, Any]
    criterion: dict[str, Any]
    stop: dict[str, int | None]
    report: Sizes
    start: str | tuple[int, ...] | None = None
    matches: str | None = None
    match: Match | None = None


class Spec(Struct, frozen=True, omit_defaults=True):
    """A checked spec: plain values, comparable, replaceable part by part.

    Attributes
    ----------
    cost : (float, float), "fit" or None
        Milliseconds per evaluation, a + b d.
    text, folder : str
        The original TOML text, and the folder to which its paths are relative; neither decides results.
    """

    name: str
    seeds: tuple[int, ...]
    rng: Rng
    data: Data
    validation: Validation
    arms: tuple[Arm, ...]
    title: str | None = None
    split: Split | None = None
    cost: tuple[float, float] | Literal["fit"] | None = None
    text: str = ""
    folder: str = ""

    @property
    def percents(self) -> tuple[int, int] | None:
        """The percentages of each class to search on and to validate on; None without a split."""
        return None if self.split is None else (self.split.train, self.split.test)

    def kept(self) -> Spec:
        """Return the part of the spec that decides results, which depends neither on spelling nor on folders."""
        return msgspec.structs.replace(self, text="", folder="")
