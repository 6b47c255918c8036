"""What was learned, kept now and then, so that a resumed run need not learn it again."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from sweepless._typing import AnyArray, Mask
from sweepless.engine.generator import Rng
from sweepless.errors import JournalError
from sweepless.journal.encoding import unzipped, zipped
from sweepless.journal.lines import Record
from sweepless.search.statistics import Statistics

if TYPE_CHECKING:
    from sweepless.journal.journal import Journal

_FEW = 64  # steps that are in any case sooner learned again
_AGAIN, _AGAIN_SHARE = 0.4, 0.01  # seconds of learning, and share of the run, that a resume may have to do again
_SPARED = 25.0  # a snapshot may take one so-manieth of the time
_DEAR = 0.8  # so much of the time that a whole one takes, and it is time for a whole one


class Snapshots:
    """All that is known about the features: whole at first, then what has changed since.

    Attributes
    ----------
    position : int
        Of the generator after the last step that was learned from.
    """

    def __init__(self, journal: Journal, statistics: Statistics | None, rng: Rng | None) -> None:
        self._journal, self._statistics, self._rng = journal, statistics, rng
        self.position = 0 if rng is None else rng.position
        self._n_since, self._learning = 0, 0.0  # steps since the last one, and the seconds it took to learn from them
        self._rested, self._took = 0.0, 0.0  # when the last one was taken, and for how long
        self._took_whole = 0.0
        self._base: tuple[int, dict[str, AnyArray]] | None = None  # the last whole one, and the number of its record
        self._whole: Record | None = None  # the same, as it stands on record

    def learned(self, seconds: float, position: int) -> None:
        """Note that a step was learned from, in so many seconds."""
        self._n_since += 1
        self._learning += seconds
        self.position = position

    def take_in_turn(self, seconds: float, tried: Mask) -> None:
        """Take a snapshot if it is time for one."""
        is_due = self._n_since >= _FEW and self._learning >= max(_AGAIN, _AGAIN_SHARE * seconds)
        if is_due and seconds - self._rested >= _SPARED * self._took:
            self._take(seconds, tried)

    def rest(self, seconds: float, tried: Mask) -> None:
        """Take a last one, unless what it holds is sooner learned again."""
        if self._learning > self._took:
            self._take(seconds, tried)

    def _take(self, seconds: float, tried: Mask) -> None:
        state = {} if self._statistics is None else self._statistics.state()
        if self._rng is None or not state:  # all steps will be learned again
            return
        began = time.perf_counter()
        number, base = self._base or (None, {})
        arrays = {name: zipped(array, base.get(name)) for name, array in state.items()}
        fields = {"rng": self.position, "statistics": arrays, "tried": zipped(np.packbits(tried))}
        written = self._journal.write("snapshot", fields if number is None else fields | {"base": number})
        if number is None:
            self._base = written, {name: array.copy() for name, array in state.items()}
        self._rested, self._took = seconds, time.perf_counter() - began
        if number is None:
            self._took_whole = self._took
        elif self._took > _DEAR * self._took_whole:
            self._base = None
        self._n_since, self._learning = 0, 0.0

    # Telling

    def pass_over(self, record: Record) -> None:
        """Go past one that is not the last; keep it if others are told by what changed since."""
        if record.get("base") is None:
            self._whole = record

    def restore(self, record: Record, n_features: int) -> Mask:
        """Take up what was learned so far; return the features tried, as far as steps before do not tell them."""
        tape, statistics, rng, whole = self._journal.tape, self._statistics, self._rng, self._whole
        assert tape is not None  # nosec B101 # only tells the type
        state = {} if statistics is None else statistics.state()
        if record.get("base") is None:
            whole = record
        elif whole is None or whole["n"] != record["base"]:
            raise tape.misfit(record, f"must follow the whole snapshot {record['base']}, got another or none")
        if statistics is None or rng is None or any(set(r["statistics"]) != set(state) for r in (whole, record)):
            raise tape.misfit(record, f"must hold {', '.join(state) or 'nothing'}, got a snapshot of something else")
        try:
            base = {name: unzipped(whole["statistics"][name], array) for name, array in state.items()}
            now = base
            if whole is not record:
                told = record["statistics"]
                now = {name: unzipped(told[name], array, base[name]) for name, array in state.items()}
            bits = unzipped(record.get("tried"), np.packbits(np.zeros(n_features, dtype=np.bool_)))
            tried: Mask = np.unpackbits(bits, count=n_features).astype(np.bool_)
            statistics.restore(now)
            rng.seek(record["rng"])
        except (JournalError, TypeError, ValueError, OverflowError) as error:
            raise tape.misfit(record, f"must hold a snapshot, got: {str(error).rstrip('.')}") from None
        self._base, self._whole = (whole["n"], base), None
        self._n_since, self._learning, self.position = 0, 0.0, record["rng"]
        return tried
