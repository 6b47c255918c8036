"""The records of a journal: a header, values with the events between them, new limits, and the end."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from sweepless.schema.typed import Count, Finite

FORMAT = 4  # since a journal holds settings, values and events
Seconds = Annotated[float, Meta(ge=0, lt=1e15, description="a number of seconds of the run")]


class Fingerprint(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a criterion can see of the data, as hashes; see `journal/fingerprint.py`."""

    kind: Literal["dense", "sparse"]
    shape: tuple[Count, Count]
    dtype: str
    X: str
    y: str | None
    classes: str | None = None
    class_sizes: tuple[Count, ...] | None = None


class RunLimits(Struct, frozen=True, kw_only=True):
    """How far a run may go; what may change when it is resumed."""

    max_evaluations: Count | None = None
    max_seconds: Finite | None = None
    max_size: Count | None = None
    patience: Count | None = None
    tol: Finite = 0.0


class JournalHeader(Struct, frozen=True, kw_only=True):
    """The first record: which run this is, on which data, begun with which versions.

    Attributes
    ----------
    settings : dict
        Those of the search but for its limits, as `SearchSettings.to_dict` writes them, with the generator's position.
    direction : str
        In which the method goes.
    criterion : object
        A description that is compared, not rebuilt.
    note : object
        Anything that was given for it.
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
    """The run goes on with other limits."""

    limits: RunLimits


class Standing(Struct, frozen=True, kw_only=True):
    """Where a search stands; `best_size` is None before there is a best subset."""

    n_evaluations: Count
    seconds: Seconds
    size: Count | None = None
    best_size: Count | None = None
    best_value: Finite | None = None


class ValuesRecord(Standing, frozen=True, kw_only=True):
    """Values since the last record.

    Attributes
    ----------
    phase : str
        What they were computed for: "probes", "forward" or "backward".
    of : str
        A checksum of the features that were asked for.
    values : str
        Doubles in base64.
    """

    phase: str
    of: str = ""
    values: str = ""


class StepRecord(Standing, frozen=True, kw_only=True):
    """A step was taken: the features that changed, and where it led; with the values since the last record.

    What is long comes last, so that it need not be read by those who only watch.
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
"""What a record holds, by its kind."""
