"""What a comparison shows, in a few sentences that claim no more than the numbers allow."""

from __future__ import annotations

import numpy as np

from sweepless._phrases import counted
from sweepless.reports.comparison.results import ALL_JUDGES, VALUE, Results
from sweepless.reports.run_statistics import MINIMUM

SEARCH, SWEEP = "sSFFS", "SFFS"  # arms have the names of their methods
_NOTABLE = 0.01  # of accuracy or R²: an arm that is behind on every seed by less than this is still close
_LARGE_GAP = 0.02  # between criterion and holdout: from here on it is worth a sentence


def conclude(results: Results, same: str | None) -> list[str]:
    """Say which arms lead, which differences are noise, which values the holdout did not confirm, and the cost.

    `same` is the classifier or regressor of the holdout whose score the criterion itself estimates, or None if its
    values are no such score.
    """
    what, *others = judges(results, same)
    sentences = [_overview(results, what), *(_at_size(results, size, what) for size in results.sizes)]
    sentences += _against_sweep(results, what)
    sentences += _against_all(results, what)
    if same is not None and len(results.run.seeds) >= MINIMUM:
        sentences += _broken_promises(results, same)
    sentences += [_elsewhere(results, what, other) for other in others]
    return [*sentences, _caution(results)]


def judges(results: Results, same: str | None) -> list[str]:
    """Return who judges the holdout: all together, if they are several, then each, the criterion's own first."""
    each = sorted(results.run.classifiers, key=lambda name: name != same)
    return [ALL_JUDGES, *each] if len(each) > 1 else each


def spoken(results: Results, judge: str) -> str:
    """Return a judge in words."""
    *most, last = results.run.classifiers
    return f"the mean of {', '.join(most)} and {last}" if judge == ALL_JUDGES else judge


def _overview(results: Results, what: str) -> str:
    """Name the arms that are nowhere clearly behind."""
    top = [
        arm
        for arm in results.arms
        if all(
            arm in (here := results.arms_at(size, what)) and not _is_behind(results, here[0], arm, size, what)
            for size in results.sizes
        )
    ]
    judged = f"Judged by {spoken(results, what)} on data that no selector saw"
    if not top:
        return f"{judged}, no selector is the best or close to the best at every size."
    everyone = " (that is all of them)" if len(top) == len(results.arms) else ""
    return f"{judged}, these are the best or close to the best at every size: {', '.join(top)}{everyone}."


def _is_behind(results: Results, leader: str, arm: str, size: int, what: str) -> bool:
    """Return whether an arm is clearly behind another, or behind it on every seed."""
    if arm == leader:
        return False
    return results.difference(leader, arm, size, what).is_clear or _always_behind(results, leader, arm, size, what)


def _at_size(results: Results, size: int, what: str) -> str:
    leader, *here = results.arms_at(size, what)
    against = {arm: results.difference(leader, arm, size, what) for arm in here}
    behind = [arm for arm in here if against[arm].is_clear]
    unsure = [arm for arm in here if arm not in behind and _always_behind(results, leader, arm, size, what)]
    level = [arm for arm in here if arm not in behind and arm not in unsure]
    parts = [f"With {counted(size, 'feature')}, {leader} leads with {results.mean(leader, size, what):.3f}"]
    parts += [f"within noise: {', '.join(level)}"] if level else []
    parts += [f"behind on every seed, but by amounts too varied to be sure: {', '.join(unsure)}"] if unsure else []
    if behind:
        nearest = behind[0]
        reach = f"{nearest} (by {against[nearest].mean:.3f} ± {against[nearest].reach:.3f})"
        parts.append(f"clearly behind: {', '.join([reach, *behind[1:]])}")
    return "; ".join(parts) + "."


def _always_behind(results: Results, leader: str, arm: str, size: int, what: str) -> bool:
    differences = results.over_seeds(leader, size, what) - results.over_seeds(arm, size, what)
    return len(differences) >= MINIMUM and bool(np.all(differences > 0) and np.mean(differences) >= _NOTABLE)


def _against_sweep(results: Results, what: str) -> list[str]:
    if not {SEARCH, SWEEP} <= set(results.arms):
        return []
    share = results.n_evaluations(SEARCH) / results.n_evaluations(SWEEP)
    both = [size for size in results.sizes if results.has(SEARCH, size, what) and results.has(SWEEP, size, what)]
    gaps = [results.over_seeds(SEARCH, size, what) - results.over_seeds(SWEEP, size, what) for size in both]
    if not gaps:
        return []
    gap = results.paired(np.mean(gaps, axis=0))
    verdict = "" if gap.is_clear else ", within noise"
    return [
        f"sSFFS took {share:.2f} times the evaluations of the full sweep, SFFS; its holdout over all sizes differs by "
        f"{gap.mean:+.3f} ± {gap.reach:.3f}{verdict}."
    ]


def _against_all(results: Results, what: str) -> list[str]:
    every = results.reference
    if every is None or not results.has(every, 0, what):
        return []
    reference = results.mean(every, 0, what)
    places = [
        (results.mean(arm, size, what), arm, size) for size in results.sizes for arm in results.arms_at(size, what)
    ]
    best, arm, size = max(places, key=lambda place: (place[0], -place[2]))
    gap = results.paired(results.over_seeds(arm, size, what) - results.over_seeds(every, 0, what))
    word = "clearly better" if gap.mean > 0 else "clearly worse"
    return [
        f"Without any selection, all features reach {reference:.3f}; the best selection, {arm} with "
        f"{counted(size, 'feature')}, reaches {best:.3f}, which is {word if gap.is_clear else 'within noise of that'}."
    ]


def _broken_promises(results: Results, same: str) -> list[str]:
    gaps: dict[str, tuple[float, int]] = {}
    for arm in results.arms:
        for size in results.sizes:
            if results.has(arm, size, same) and results.has(arm, size, VALUE):
                gap = results.paired(results.over_seeds(arm, size, VALUE) - results.over_seeds(arm, size, same))
                if gap.mean >= _LARGE_GAP and gap.is_clear:
                    gaps[arm] = max(gaps.get(arm, (0.0, 0)), (gap.mean, size))
    if not gaps:
        return ["Nowhere did the criterion promise clearly more than the holdout kept."]
    listed = "; ".join(
        f"{arm} with {counted(size, 'feature')} promised {results.mean(arm, size, VALUE):.3f} and kept "
        f"{results.mean(arm, size, same):.3f}"
        for arm, (_, size) in sorted(gaps.items(), key=lambda item: -item[1][0])
    )
    return [f"The criterion promised more than the holdout kept: {listed}."]


def _elsewhere(results: Results, what: str, other: str) -> str:
    changed = {}
    for size in results.sizes:
        before, now = results.arms_at(size, what)[0], results.arms_at(size, other)[0]
        if before != now:
            is_clear = results.difference(now, before, size, other).is_clear
            changed[size] = f"{now} with {counted(size, 'feature')}{'' if is_clear else ' (within noise)'}"
    if not changed:
        return f"Judged by {other} alone, the same selectors lead at every size."
    return f"Judged by {other} alone, other selectors lead: {', '.join(changed.values())}."


def _caution(results: Results) -> str:
    if len(results.run.seeds) < MINIMUM:
        return f"Fewer than {MINIMUM} seeds cannot separate a difference from noise; compare on more of them."
    return (
        f"± is half a 95 % confidence interval of the paired difference over {len(results.run.seeds)} splits, "
        "corrected for the samples that the splits share (plain paired tests would look surer than they are), but not "
        "for looking at many sizes and arms."
    )
