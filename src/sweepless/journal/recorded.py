"""What the header of a journal tells whoever wants to go on with its run."""

from __future__ import annotations

import os
from pathlib import Path

from sweepless.errors import InputError, JournalError
from sweepless.journal.describe import rebuilt
from sweepless.journal.journal import Journal
from sweepless.journal.lines import scan
from sweepless.search.sampled import WarmUp


class RecordedRun:
    """A run on record, read once.

    Parameters
    ----------
    path : str or path
        Its journal.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._found = scan(self.path)

    @property
    def seed(self) -> int:
        """The seed, which may have been drawn."""
        try:
            return int(self._found.header["run"]["rng"]["seed"])
        except (KeyError, TypeError, ValueError):
            raise JournalError(f"the header of the journal {self.path} must tell a seed, got none.") from None

    @property
    def warm_up(self) -> WarmUp | None:
        """The warm-up with which the run began, None if it had none; its extent may come from limits it had then."""
        try:
            warm_up = rebuilt(self._found.header["run"]["method"]["steps"].get("warm_up"))
        except (KeyError, TypeError, AttributeError, InputError, JournalError, RecursionError) as error:
            raise JournalError(
                f"the header of the journal {self.path} must describe the steps of a run, got: {error!r}."
            ) from None
        return warm_up if isinstance(warm_up, WarmUp) else None

    def journal(self) -> Journal:
        """Return the journal, ready to go on."""
        return Journal(self.path, resumes=self._found)
