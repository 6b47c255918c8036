"""The known name that a mistaken one is nearest to."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

_CLOSE = 0.6  # share of letters in common, in order
_MOST = 10_000  # names that are looked at: a table may have a million columns


def nearest(name: object, known: Iterable[object]) -> str | None:
    """Return the known name most like a given one, if there is one; case does not count."""
    from difflib import get_close_matches  # only a mistake has to wait for it

    by_letters = {str(one).lower(): str(one) for one in islice(known, _MOST)}
    near = get_close_matches(str(name).lower(), by_letters, 1, _CLOSE)
    return by_letters[near[0]] if near else None


def or_nearest(name: object, known: Iterable[object]) -> str:
    """Return the end of a sentence about a wrong name: a suggestion, or else a full stop."""
    near = nearest(name, known)
    return "." if near is None else f" (did you mean {near!r}?)."
