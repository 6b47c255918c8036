"""A number as the paper prints it, and the verdict on ours."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from sweepless.paper.measures import Measure, NotRun, Runs
from sweepless.reports.claims import OURS, Claim

_ROUNDING = 1e-9  # of the printed unit: halves that doubles cannot hold


@dataclass(frozen=True)
class Printed:
    """One number of the paper.

    Parameters
    ----------
    id : str
        Of the claim it belongs to, such as "C51".
    what : str
    number : str
        As printed, without its unit: the digits are the precision. "≥ .98" and "≤ .01" are bounds.
    measure : callable
        The same number out of our cells.
    within : float, optional
        How far ours may be off and still count as "within", in the printed unit.
    note : str
        Why ours is not equal, shown only where it is not.
    """

    id: str
    what: str
    number: str
    measure: Measure
    within: float | None = None
    note: str = ""

    @property
    def is_bound(self) -> bool:
        return self.number[0] in "≥≤"

    @property
    def value(self) -> float:
        return float(self.number.lstrip("≥≤ ").replace(",", ""))

    @property
    def n_decimals(self) -> int:
        return len(self.number.partition(".")[2])

    def judged(self, runs: Runs) -> Claim:
        """Measure ours, on fewer seeds if the rule leaves room for that, and compare."""
        runs.lenient, runs.fewer = False, {}
        try:
            ours = self.measure(runs)
        except NotRun as missing:
            if self.within is None and not self.is_bound:
                return self._missing(str(missing))
            try:
                runs.lenient = True
                ours = self.measure(runs)
            except NotRun:
                return self._missing(str(missing))
        if not isfinite(ours):
            return self._missing("is not defined on these cells")
        verdict = self._verdict(ours, bool(runs.fewer))
        if verdict == "differs" and runs.fewer:  # other seeds may make up for it: nothing is said against the paper
            return self._missing("; ".join(runs.fewer))
        notes = [*runs.fewer, self.note if verdict != "equal" else ""]
        return Claim(
            self.id,
            self.what,
            written(ours, self.n_decimals + 2 if self.n_decimals else 1 if ours != round(ours) else 0),
            self.number,
            written(ours - self.value, self.n_decimals + 2 if self.n_decimals else 1, "+"),
            verdict,
            "; ".join(filter(None, notes)),
        )

    def _verdict(self, ours: float, fewer_seeds: bool) -> str:
        unit = 10.0**-self.n_decimals
        if self.is_bound:
            good = ours >= self.value if self.number[0] == "≥" else ours <= self.value
            return "within" if good else "differs"
        off = abs(ours - self.value)
        if off <= unit * (0.5 + _ROUNDING) and not fewer_seeds:
            return "equal"
        return "within" if self.within is not None and off <= self.within * (1 + _ROUNDING) else "differs"

    def _missing(self, why: str) -> Claim:
        return Claim(self.id, self.what, None, self.number, None, "not computed", why)


@dataclass(frozen=True)
class Beside:
    """A number of ours that the paper does not have, beside its own.

    Parameters
    ----------
    what : str
    measure : callable
    n_decimals : int
        How many are shown.
    """

    what: str
    measure: Measure
    n_decimals: int

    def judged(self, runs: Runs) -> Claim:
        """Measure it, on all seeds."""
        runs.lenient, runs.fewer = False, {}
        try:
            ours = self.measure(runs)
        except NotRun as missing:
            return Claim("–", self.what, None, None, None, OURS, str(missing))
        return Claim("–", self.what, written(ours, self.n_decimals), None, None, OURS)


def written(number: float, n_decimals: int, sign: str = "") -> str:
    """Write a number as the paper does: thousands apart, no zero before the point, a true minus; nothing is 0."""
    if number == 0.0:
        return "0"
    text = f"{number:{sign},.{n_decimals}f}".replace("-", "−")
    return text.replace("0.", ".", 1) if text.lstrip("+−").startswith("0.") else text
