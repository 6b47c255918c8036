"""Runs that are killed at random moments, again and again, until one life gets through. Needs `fork`.

Every life is a process of its own that is killed (SIGKILL) after a random time; the next one resumes the journal that
it left. What comes of it must be what the undisturbed twin found, bit for bit. A `Nursery` is the one process that all
lives are forked from: everything is loaded and compiled there, and no thread was ever started.
"""

from __future__ import annotations

import multiprocessing as mp
import os
import random
import signal
import sys
import time
import warnings
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from soak_cases import Case, killed_case
from soak_laws import facts
from sweepless import Journal, Result, resume

_MOST_KILLS = 12  # of one run; then it may live


class Nursery:
    """Torments one case after another, beside the process that asks for it.

    Parameters
    ----------
    directory : Path
        For journals.
    """

    def __init__(self, directory: Path) -> None:
        context = mp.get_context("fork")
        self._line, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, directory), daemon=False)
        self._process.start()
        self.is_busy = False

    def torment(self, number: int) -> None:
        self._line.send(number)
        self.is_busy = True

    def collect(self, counts: Counter[str], seconds: float | None = 0.0) -> str | None:
        """Add up what is done by now, or within some seconds; return what is wrong with it, if anything."""
        if not self.is_busy or not self._line.poll(seconds):
            return None
        done, wrong = self._line.recv()
        self.is_busy = False
        counts.update(done)
        return wrong

    def close(self) -> None:
        self._line.send(None)
        self._process.join()


def _serve(line: Connection, directory: Path) -> None:
    warnings.simplefilter("ignore")  # of records cut short, which are the point
    while (number := line.recv()) is not None:
        counts, wrong = Counter[str](), None
        try:
            trial(number, directory / f"{number}-killed.jsonl", counts)
        except Exception as error:
            wrong = f"BROKEN, killed case {number} (--only {number}): {type(error).__name__}: {error}"
        line.send((counts, wrong))


def trial(number: int, path: Path, counts: Counter[str]) -> None:
    """Kill the run of that number until it gets through, and compare."""
    case, rng = killed_case(number), random.Random(number)
    expected, seconds = timed(case)
    counts.update({"searches": 1, "runs": 2})
    found = tormented(case, path, seconds, rng, counts)
    counts["resumed"] += counts["kills"] > 0
    if facts(found) != facts(expected):
        raise AssertionError(f"killed, then another result; the journal is {path}: {case}")
    counts["identical"] += counts["kills"] > 0
    path.unlink()


def timed(case: Case) -> tuple[Result, float]:
    """Run undisturbed, the second time for the clock."""
    case.run()
    began = time.monotonic()
    return case.run(), time.monotonic() - began


def tormented(case: Case, path: Path, seconds: float, rng: random.Random, counts: Counter[str]) -> Result:
    """Kill a run until it once gets through; count the kills, and return its result."""
    kills = 0
    while True:
        child = os.fork()
        if child == 0:
            _live(case, path)
        if kills < _MOST_KILLS:
            # ever longer, or short runs would never end; a new process needs some milliseconds before it begins
            time.sleep(rng.uniform(0.0, 0.005 + (1.2 + kills / 5) * seconds))
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        counts["runs"] += 1
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0:
            return resume(path, case.criterion, case.data)
        if os.WIFEXITED(status):
            raise RuntimeError(f"a life failed; its journal is {path}: {case}")
        kills += 1
        left = path.read_bytes() if path.exists() else b""
        counts.update({"kills": 1, "kills under way": left.count(b"\n") > 1, "torn": left[-1:] not in (b"", b"\n")})


def _live(case: Case, path: Path) -> Any:
    """Begin or go on, and leave without looking back."""
    try:
        if path.exists() and b"\n" in path.read_bytes():
            resume(path, case.criterion, case.data)
        else:
            path.unlink(missing_ok=True)  # killed before its header was whole: there is nothing to resume
            case.run(journal=Journal(path))
        os._exit(0)
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(1)
