"""What the rows of a run show, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from sweepless._phrases import counted
from sweepless.reports.records import Run
from sweepless.reports.run_statistics import ArmMeans, Measure, arm_means, main_size, measures, paired_tests, subsets_at
from sweepless.stability import nogueira_stability

_LEVEL = 0.05


def sentences(run: Run, sizes: Sequence[int]) -> list[str]:
    """Return a few sentences of interpretation."""
    said = [_progress(run)]
    for measure in measures(run):
        found = arm_means(run, measure)
        said.append(f"{_peak(measure, found)}{_leaders(found)}.")
    said += [_optimism(run), _cost(run)]
    if sizes:
        size = main_size(run, sizes)
        said += [_tests(run, size), _stability(run, size)]
    return [sentence for sentence in said if sentence]


def _progress(run: Run) -> str:
    if not run.cells:
        return "No cell is finished yet."
    if not run.n_missing:
        return ""
    return (
        f"The run is not finished: {run.n_missing} of {run.n_planned} cells are missing, and all means are over the "
        "finished ones."
    )


def _peak(measure: Measure, found: Sequence[ArmMeans]) -> str:
    places = [(spread, size, one.arm) for one in found for size, spread in zip(one.sizes, one.spreads, strict=True)]
    spread, size, arm = max(places, key=lambda place: place[0].mean)
    deviation = "" if spread.std is None else f" ± {spread.std:.4f}"
    of = f"mean {measure.name}" if spread.n > 1 else measure.name
    what = f" by {arm}" if len(found) > 1 else ""
    return f"The highest {of} is {spread.mean:.4f}{deviation}, reached with {counted(size, 'feature')}{what}"


def _leaders(found: Sequence[ArmMeans]) -> str:
    """Say which arms lead at how many of the sizes that all arms report; arms with a single size do not count."""
    several = [one for one in found if len(one.sizes) > 1]
    common = sorted(set.intersection(*(set(one.sizes) for one in several))) if several else []
    if len(several) < 2 or len(common) < 2:
        return ""
    wins: dict[str, int] = {}
    ties = 0
    for size in common:
        means = {one.arm: spread.mean for one in several if (spread := one.at(size))}
        leaders = [arm for arm, mean in means.items() if mean == max(means.values())]
        ties += len(leaders) > 1
        for arm in leaders if len(leaders) == 1 else ():
            wins[arm] = wins.get(arm, 0) + 1
    ordered = sorted(wins, key=lambda arm: -wins[arm])
    parts = [f"{arm} leads at {wins[arm]}" if k == 0 else f"{arm} at {wins[arm]}" for k, arm in enumerate(ordered[:3])]
    if len(ordered) > 3:
        parts.append(f"{len(ordered) - 3} more at {sum(wins[arm] for arm in ordered[3:])}")
    if ties:
        parts.append(f"{ties} {'is' if ties == 1 else 'are'} shared")
    who = "all" if len(several) == len(found) else f"{len(several)} of the"
    return f"; of the {len(common)} sizes that {who} arms report, {', '.join(parts)}"


def _optimism(run: Run) -> str:
    """Compare what was optimized with the first classifier's holdout where both are known."""
    if not run.classifiers or Measure() not in measures(run):
        return ""
    holdout = Measure(run.classifiers[0])
    gaps = [
        row.value - audited
        for cell in run.cells
        for row in cell.rows
        if row.value is not None and (audited := holdout.of(row)) is not None
    ]
    if not gaps:
        return ""
    gap = fmean(gaps)
    return (
        f"Over all rows the optimized value is {abs(gap):.4f} {'above' if gap >= 0 else 'below'} the {holdout.name} "
        "on average."
    )


def _cost(run: Run) -> str:
    spent = {arm: fmean(cell.n_evaluations for cell in run.of(arm)) for arm in run.arms}
    spent = {arm: count for arm, count in spent.items() if count}  # some arms never ask the criterion
    if not spent:
        return ""
    most, least = max(spent, key=lambda arm: spent[arm]), min(spent, key=lambda arm: spent[arm])
    if most == least:
        return f"{most} spent {spent[most]:,.0f} evaluations per run on average."
    return (
        f"{least} spent the fewest evaluations, {spent[least]:,.0f} per run; {most} spent the most, "
        f"{spent[most]:,.0f}, which is {spent[most] / spent[least]:.1f} times as many."
    )


def _tests(run: Run, size: int) -> str:
    """Count small p values, for the value and the first classifier."""
    parts, most = [], 0
    for measure in measures(run)[:2]:
        ps = [test.t_p for test in paired_tests(run, measure, size) if test.t_p is not None]
        if ps:
            parts.append(f"in {sum(p < _LEVEL for p in ps)} of {len(ps)} on {measure.name}")
            most = max(most, len(ps))
    if not parts:
        return ""
    return (
        f"At {counted(size, 'feature')}, paired t tests between arms give p < {_LEVEL} {' and '.join(parts)} "
        f"(uncorrected: chance alone would give about {_LEVEL * most:.1f})."
    )


def _stability(run: Run, size: int) -> str:
    found = {}
    for arm in run.arms:
        if len(subsets := subsets_at(run, arm, size)) > 1:
            found[arm] = nogueira_stability(subsets, run.cells[0].n_features).value
    if not found:
        return ""
    best, at = max(found, key=lambda arm: found[arm]), f"At {counted(size, 'feature')}"
    if len(found) == 1:
        return f"{at}, the subsets of the seeds have a stability (Nogueira) of {found[best]:.2f}."
    worst = min(found, key=lambda arm: found[arm])
    return (
        f"{at}, {best} is the most stable over seeds (Nogueira {found[best]:.2f}) and {worst} the least "
        f"({found[worst]:.2f})."
    )
