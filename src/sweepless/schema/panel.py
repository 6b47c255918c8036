"""What a panel of criteria was worth outside, as JSON beside a result."""

from __future__ import annotations

from msgspec import Struct

from sweepless.schema.typed import Count, Finite


class SavedMember(Struct, frozen=True, kw_only=True):
    """One criterion of a panel.

    Attributes
    ----------
    name : str
    scores, errors : list of float or None
        The mean outer score at every size of the panel, and its standard error; None for sizes it did not reach, and
        for errors that one split alone does not have.
    n_splits : int
        On how many splits it was judged, before it left the race.
    seconds : float
    """

    name: str
    scores: list[Finite | None]
    errors: list[Finite | None]
    n_splits: Count
    seconds: float


class SavedPanel(Struct, frozen=True, kw_only=True):
    """What was tried before a search, what each was worth outside, what was chosen and why.

    Attributes
    ----------
    members : list of SavedMember
        The preferred first.
    sizes : list of int
    judges : list of str
    n_splits, n_evaluations : int
    chosen, best : str
        The member that was chosen, and the one of the best mean.
    size : int
        The size that was chosen.
    reason : str
    honest_score, honest_error : float or None
        The mean outer score of the chosen member at that size, and its standard error.
    """

    members: list[SavedMember]
    sizes: list[Count]
    judges: list[str]
    n_splits: Count
    n_evaluations: Count
    chosen: str
    best: str
    size: Count
    reason: str
    honest_score: Finite
    honest_error: Finite | None
