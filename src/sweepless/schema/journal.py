"""The records of a journal: a header, values with the events between them, new limits, and the end."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from sweepless.schema.typed import Count, Finite

FORMAT = 4  # since a journal holds settings, values and events
Seconds = Annotated[float, Meta(ge=0, lt=1e15, description="a number of seconds of the run")]


class Fingerprint(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The data as criteria see them, described by hashes; see `journal/fingerprint.py`."""

    kind: Literal["dense", "sparse"]
    shape: tuple[Count, Count]
    dtype: str
    X: str
    y: str | None
    classes: str | None = None
    class_sizes: tuple[Count, ...] | None = None


class RunLimits(Struct, frozen=True, kw_only=True):
    """The limits of a run, which may change when it is resumed."""

    max_evaluations: Count | None = None
    max_seconds: Finite | None = None
    max_size: Count | None = None
    patience: Count | None = None
    tol: Finite = 0.0


class JournalHeader(Struct, frozen=True, kw_only=True):
    """The first record: the settings and data of the run, and the versions it began with.

    Attributes
    ----------
    settings : dict
        Settings of the search without its limits, as `SearchSettings.to_dict` writes them, and the position of the
        generator.
    direction : str
        The primary direction of the method.
    criterion : object
        A description, which is only compared.
    note : object
        The `note` of the `Journal`.
    """

    format: Annotated[int, Meta(ge=FORMAT, le=FORMAT, description=f"{FORMAT}, which this version of sweepless writes")]
    settings: dict[str, Any]
    direction: Literal["ADD", "REMOVE"]
    criterion: Any
    data: Fingerprint
    limits: RunLimits
    versions: dict[str, str]
    note: Any = None


class Resumed(Struct, frozen=True):
    """New limits of a run that was resumed."""

    limits: RunLimits


class Standing(Struct, frozen=True, kw_only=True):
    """The state of a search; `best_size` is None before the first subset is recorded."""

    n_evaluations: Count
    seconds: Seconds
    size: Count | None = None
    best_size: Count | None = None
    best_value: Finite | None = None


class ValuesRecord(Standing, frozen=True, kw_only=True):
    """The values since the last record.

    Attributes
    ----------
    phase : str
        What they were computed for: "probes", "forward", "backward" or, for estimates in a race, "glimpses".
    of : str
        A checksum of the features that were valued.
    values : str
        Doubles in base64.
    """

    phase: str
    of: str = ""
    values: str = ""


class StepRecord(Standing, frozen=True, kw_only=True):
    """A step: the features that it changed, the state after it, and the values since the last record.

    Long fields come last, so that `watch` does not have to read them.
    """

    size: Count
    value: Finite
    direction: Literal["forward", "backward", "recall"]
    features: tuple[Count, ...]
    phase: str
    of: str = ""
    values: str = ""


class EndRecord(Standing, frozen=True, kw_only=True):
    """How the run ended."""

    reason: str


RECORDS: dict[str, type[Struct]] = {
    "header": JournalHeader,
    "resumed": Resumed,
    "values": ValuesRecord,
    "step": StepRecord,
    "end": EndRecord,
}
"""The type of a record, by its kind."""
