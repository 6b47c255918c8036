"""Short searches over random methods, criteria, data, seeds, limits and kill points, each held against the laws.

    make soak                            # 20 minutes
    make soak ARGS="--seconds 60"
    make soak ARGS="--only 12345"        # one case again, by the number that a broken law was reported with

One process draws searches and holds them against the laws of `soak_laws`; beside it another has theirs killed until
they get through (`soak_kills`), where there is `fork`. A quarter of the time goes into cross-validations computed
natively and by scikit-learn (`soak_native`), until there were 2,000.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

import sweepless as sw
from soak_cases import CRITERIA, KILLED, drawn_case, fixed_case
from soak_kills import Nursery
from soak_laws import laws
from soak_native import compare

# What a search may be refused for; any other sentence is a broken law, as only what is allowed is drawn.
REASONS: tuple[str, ...] = ()
COMPARISONS = 2000
_SHARE = 0.25  # of the time, for comparisons


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1200.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="the number of one case")
    given = parser.parse_args()
    warm()
    counts, began = Counter[str](), time.monotonic()
    first = given.seed * 1_000_000 if given.only is None else given.only
    with tempfile.TemporaryDirectory() as directory:
        nursery = Nursery(Path(directory)) if hasattr(os, "fork") else None  # before anything starts a thread
        number = killed = first
        comparing = 0.0
        while time.monotonic() - began < given.seconds:
            if nursery is not None and not nursery.is_busy:
                nursery.torment(killed)
                killed += 1
            soak(number, Path(directory), counts)
            number += 1
            comparing += compare_for(_SHARE * (time.monotonic() - began) - comparing, first, counts)
            if nursery is not None and (wrong := nursery.collect(counts)) is not None:
                report(wrong, counts)
            if given.only is not None:
                break
        if nursery is not None:
            if (wrong := nursery.collect(counts, None)) is not None:
                report(wrong, counts)
            nursery.close()
    print(summary(counts, time.monotonic() - began))
    return int(counts["broken"] > 0)


def warm() -> None:
    """Compile, so that no process after this one has to."""
    for name in CRITERIA:
        fixed_case("sSFFS", name).run()
    for method, name in KILLED:
        fixed_case(method, name).run()


def soak(number: int, directory: Path, counts: Counter[str]) -> None:
    """Draw a case and hold it against everything that must be true of it."""
    case, path = drawn_case(number), directory / f"{number}.jsonl"
    counts["searches"] += 1
    warnings.simplefilter("ignore")  # of records cut short, which are the point; anew, as threads may undo it
    try:
        for law, is_kept in laws(case, path, random.Random(number)):
            counts[f"law: {law}"] += 1
            counts["runs"] += law.endswith("the same")
            if not is_kept:
                raise AssertionError(f"{law}: {case}")
    except sw.errors.SweeplessError as error:
        if str(error) in REASONS:
            counts["refused"] += 1
        else:
            report(f"BROKEN, case {number} (--only {number}): refused: {error} {case}", counts)
    except Exception as error:
        traceback.print_exc(limit=-2)
        report(f"BROKEN, case {number} (--only {number}): {error} {case}", counts)
    path.unlink(missing_ok=True)


def compare_for(seconds: float, first: int, counts: Counter[str]) -> float:
    """Hold native cross-validations against scikit-learn's for some seconds; return how many it were."""
    began = time.monotonic()
    while time.monotonic() - began < seconds and counts["comparisons"] < COMPARISONS:
        number = first + counts["comparisons"]
        wrong, is_native = compare(number)
        counts["comparisons"] += 1
        counts["native"] += is_native
        if wrong is not None:
            report(f"BROKEN, python benchmarks/soak_native.py --only {number}: {wrong}", counts)
    return time.monotonic() - began


def report(wrong: str, counts: Counter[str]) -> None:
    counts["broken"] += 1
    print(wrong, flush=True)


def summary(counts: Counter[str], seconds: float) -> str:
    held = {name.removeprefix("law: "): counts[name] for name in sorted(counts) if name.startswith("law: ")}
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    here, killing = (used.ru_utime + used.ru_stime for used in usage)
    return (
        f"{counts['searches']} searches ({counts['runs']} runs and resumes) in {seconds:.0f} s\n"
        f"held against the laws: {', '.join(f'{name} {count}' for name, count in held.items())}\n"
        f"{counts['kills']} SIGKILLs, {counts['kills under way']} of them with steps on record, "
        f"{counts['torn']} left a torn record\n"
        f"{counts['resumed']} killed searches, {counts['identical']} identical to their undisturbed twins\n"
        f"{counts['comparisons']} cross-validations against scikit-learn's, {counts['native']} of them native\n"
        f"{counts['refused']} refused, {counts['broken']} broken\n"
        f"{here:.0f} s of processor time for laws, {killing:.0f} s for kills "
        f"({counts['kills'] / max(killing, 1e-9):.1f} kills and {counts['searches'] / (here + killing):.1f} searches "
        f"per second of it)"
    )


if __name__ == "__main__":
    sys.exit(main())
