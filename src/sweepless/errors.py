"""The errors and warnings of sweepless.

A message is one sentence that says, where that is natural, what is wrong, what is allowed and what was found. How a
run ended is not an error but a value (`sweepless.search.StopReason`).
"""

from __future__ import annotations

_LONGEST = 800  # most characters of a message


class SweeplessError(Exception):
    """Base of all errors of this package.

    Messages may quote untrusted files, so they are always a single short line without control characters.
    """

    def __init__(self, message: object = "") -> None:
        super().__init__(_one_line(str(message)))


class InputError(SweeplessError, ValueError):
    """An argument that is not valid."""


class DataError(SweeplessError, ValueError):
    """Data that cannot be used: missing labels, NaN, one class, an unreadable file."""


class CriterionError(SweeplessError, RuntimeError):
    """A criterion that failed, or returned something that is not a finite number."""


class JournalError(SweeplessError, RuntimeError):
    """A journal that cannot be read or written, or that records a different run."""


class SpecError(SweeplessError, ValueError):
    """A campaign spec that is not valid."""


class CampaignError(SweeplessError, RuntimeError):
    """A run directory that cannot be used, or cells of a campaign that failed."""


class CampaignWarning(UserWarning):
    """A campaign continues with other versions than it began with."""


class JournalWarning(UserWarning):
    """The last record of a journal was cut short, or its run began with other versions."""


class CacheWarning(UserWarning):
    """A damaged file in the user's cache was made again."""


class AuditWarning(UserWarning):
    """The value that a search optimized is higher than held-out data can confirm."""


class SaturationWarning(UserWarning):
    """Many candidates shared the best value in many steps, so that the criterion did not tell them apart."""


class IncompleteWarning(UserWarning):
    """A limit or Ctrl-C ended a search before it had found a subset of the requested size."""


def _one_line(text: str) -> str:
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST - 100]} … {text[-90:]}"
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)
