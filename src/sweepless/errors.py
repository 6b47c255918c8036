"""Everything that sweepless raises on purpose.

A message is one sentence with three parts: which, allowed, got. How a run ended is not an error
but a value (`sweepless.search.StopReason`).
"""

from __future__ import annotations

_LONGEST = 800  # characters of a message


class SweeplessError(Exception):
    """Base of all errors of this package.

    What a message quotes may come from a file that nobody has looked at: it is always one line that a terminal
    can show, and never a long one.
    """

    def __init__(self, message: object = "") -> None:
        super().__init__(_one_line(str(message)))


class InputError(SweeplessError, ValueError):
    """An argument that cannot be meant."""


class DataError(SweeplessError, ValueError):
    """Data that cannot be used: missing labels, NaN, one class, an unreadable file."""


class CriterionError(SweeplessError, RuntimeError):
    """A criterion that failed, or returned something that is not a finite number."""


class JournalError(SweeplessError, RuntimeError):
    """A journal that cannot be written, or that records something else than what is asked for."""


class SpecError(SweeplessError, ValueError):
    """A spec of a campaign that says something unknown or impossible."""


class CampaignError(SweeplessError, RuntimeError):
    """A run directory that cannot be used, or cells of a campaign that failed."""


class CampaignWarning(UserWarning):
    """A campaign that goes on with other versions than it was begun with."""


class JournalWarning(UserWarning):
    """A journal whose last record was cut short, or that was begun with other versions."""


class CacheWarning(UserWarning):
    """Something kept in the user's cache that is not as it was written, and was made again."""


class AuditWarning(UserWarning):
    """The value that a search optimised is higher than held-back data can confirm."""


class IncompleteWarning(UserWarning):
    """A limit, or Ctrl-C, ended a search before it had found a subset of the size asked for."""


def _one_line(text: str) -> str:
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST - 100]} … {text[-90:]}"
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)
