"""How a run is doing: in words, in one line, and as a block of text with a curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sweepless._phrases import counted, duration

STOP_REASONS = {
    "target": "the target size was reached",
    "completed": "the search was completed",
    "frontier": "the largest size was reached",
    "evaluations": "the limit of evaluations was reached",
    "seconds": "the time limit was reached",
    "patience": "there was no improvement for too long",
    "callback": "a callback ended it",
    "interrupted": "it was interrupted",
}
_PHASES = {
    "": "about to begin",
    "probes": "evaluating random subsets",
    "forward": "looking for a feature to add",
    "backward": "looking for a feature to remove",
}

_BARS = " ▁▂▃▄▅▆▇█"
_HEIGHT = 8  # lines
_WIDEST = 100


def heading(state: Mapping[str, Any]) -> str:
    """Name the run."""
    run = state["run"]
    if run is None:
        return "no run yet"
    target = "" if run["target"] is None else f", to {run['target']:,} features"
    shape = f"{run['n_samples']:,} samples × {run['n_features']:,} features"
    return f"{run['method']} · {run['criterion']} · {shape}{target} · seed {run['seed']}"


def doing(state: Mapping[str, Any]) -> str:
    """Say what the run is doing, or how it ended."""
    if state["state"] == "waiting":
        return "waiting for its first record"
    if state["state"] == "reading":
        return f"reading, {state['share_read']:.0%}"
    if state["stop_reason"] is not None:
        reason = state["stop_reason"]
        return f"ended: {STOP_REASONS.get(reason, reason)}"
    phase: str = state["phase"]
    return _PHASES.get(phase, phase)


def facts(state: Mapping[str, Any]) -> list[tuple[str, str]]:
    """List the facts about a run, each with its name."""
    moves = f"{state['n_advances']:,} advances, {state['n_retreats']:,} retreats"
    if state["n_recalls"]:
        moves += f", {state['n_recalls']:,} returns to a record"
    rate = "" if state["rate"] is None else f", {state['rate']:,.0f} per second"
    listed = [
        ("now", doing(state)),
        ("size", f"{state['size']:,}"),
        ("best", best(state)),
        ("evaluations", f"{state['n_evaluations']:,}{rate}"),
        ("steps", moves),
        ("time", f"{duration(state['seconds'])}{_silence(state)}{_lives(state)}"),
    ]
    if state["limits"]:
        listed.append(("limits", ", ".join(f"{name} {value:g}" for name, value in state["limits"].items())))
    return listed


def best(state: Mapping[str, Any]) -> str:
    if state["best_value"] is None:
        return "none yet"
    text = f"{state['best_value']:.6g} with {counted(state['best_size'], 'feature')}"
    target = state["run"]["target"]
    if state["target_value"] is not None and target != state["best_size"]:
        text += f"; {state['target_value']:.6g} with {counted(target, 'feature')}"
    return text


def one_line(state: Mapping[str, Any]) -> str:
    """Say in one line how a run is doing."""
    if state["run"] is None:
        return doing(state)
    moves = f"{state['n_advances']:,} advances, {state['n_retreats']:,} retreats"
    spent = f"{state['n_evaluations']:,} evaluations, {duration(state['seconds'])}"
    return f"size {state['size']:,}, best {best(state)}, {moves}, {spent}: {doing(state)}"


def _silence(state: Mapping[str, Any]) -> str:
    if state["age"] is None or state["stop_reason"] is not None:
        return ""
    return f", last record {duration(state['age'])} ago"


def _lives(state: Mapping[str, Any]) -> str:
    times = state["n_resumed"]
    return f", resumed {times} times" if times > 1 else ", resumed once" if times else ""


def block(state: Mapping[str, Any], width: int) -> list[str]:
    """Return everything about a run as lines of text."""
    lines = [heading(state), ""]
    if state["curve"]:
        lines += [*text_curve(state["curve"], min(width, _WIDEST)), ""]
    return lines + [f"{name:<12} {fact}" for name, fact in facts(state)]


def text_curve(points: Sequence[tuple[int, float]], width: int, height: int = _HEIGHT) -> list[str]:
    """Draw values over sizes as bars of text with axes; a column that holds several sizes shows the best of them."""
    low, high = min(value for _, value in points), max(value for _, value in points)
    margin = max(len(_value(low)), len(_value(high)))
    columns = _columns(points, max(1, width - margin - 3))
    span = (high - low) or 1.0
    eighths = [None if value is None else 1 + round((value - low) / span * (8 * height - 1)) for value in columns]
    lines = []
    for row in reversed(range(height)):
        label = _value(high) if row == height - 1 else _value(low) if row == 0 else ""
        bars = "".join(" " if level is None else _BARS[min(8, max(0, level - 8 * row))] for level in eighths)
        lines.append(f"{label:>{margin}} │{bars}".rstrip())
    first, last = f"{points[0][0]:,}", f"{points[-1][0]:,} features"
    gap = max(1, len(columns) - len(first) - len(last))
    return [*lines, " " * (margin + 2) + first + (" " * gap + last if len(points) > 1 else " features")]


def _columns(points: Sequence[tuple[int, float]], width: int) -> list[float | None]:
    """Return the value of every column; a size has several columns if there is room."""
    smallest, largest = points[0][0], points[-1][0]
    n_sizes = largest - smallest + 1
    each = max(1, min(4, width // n_sizes))
    n_columns = min(width, n_sizes * each)
    columns: list[float | None] = [None] * n_columns
    for size, value in points:
        first = (size - smallest) * n_columns // n_sizes
        for k in range(first, max(first + 1, (size - smallest + 1) * n_columns // n_sizes)):
            known = columns[k]
            columns[k] = value if known is None else max(known, value)
    return columns


def _value(value: float) -> str:
    return f"{value:.4g}"
