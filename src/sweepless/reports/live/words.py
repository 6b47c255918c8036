"""How a run is doing, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweepless._phrases import duration

STOP_REASONS = {
    "target": "the target size was reached",
    "completed": "the search came to its end",
    "frontier": "the largest size was reached",
    "evaluations": "the evaluations were used up",
    "seconds": "the time was used up",
    "patience": "there was no improvement for long",
    "callback": "a callback ended it",
    "interrupted": "it was interrupted",
}
_PHASES = {
    "": "about to begin",
    "probes": "valuing random subsets",
    "ranking": "ranking single features",
    "start": "valuing the start",
    "forward": "looking for a feature to add",
    "backward": "looking for a feature to remove",
}


def heading(state: Mapping[str, Any]) -> str:
    """Name the run."""
    run = state["run"]
    if run is None:
        return "no run yet"
    target = "" if run["target"] is None else f", to {run['target']:,} features"
    shape = f"{run['n_samples']:,} samples × {run['n_features']:,} features"
    return f"{run['method']} · {run['criterion']} · {shape}{target} · seed {run['seed']}"


def doing(state: Mapping[str, Any]) -> str:
    """Say what goes on, or how it ended."""
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
    """List what there is to know, each with its name."""
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
    text = f"{state['best_value']:.6g} with {_features(state['best_size'])}"
    target = state["run"]["target"]
    if state["target_value"] is not None and target != state["best_size"]:
        text += f"; {state['target_value']:.6g} with {_features(target)}"
    return text


def one_line(state: Mapping[str, Any]) -> str:
    """Say in one line how a run is doing."""
    if state["run"] is None:
        return doing(state)
    moves = f"{state['n_advances']:,} advances, {state['n_retreats']:,} retreats"
    spent = f"{state['n_evaluations']:,} evaluations, {duration(state['seconds'])}"
    return f"size {state['size']:,}, best {best(state)}, {moves}, {spent}: {doing(state)}"


def _features(count: int) -> str:
    return f"{count:,} feature" if count == 1 else f"{count:,} features"


def _silence(state: Mapping[str, Any]) -> str:
    if state["age"] is None or state["stop_reason"] is not None:
        return ""
    return f", last record {duration(state['age'])} ago"


def _lives(state: Mapping[str, Any]) -> str:
    times = state["n_resumed"]
    return f", resumed {times} times" if times > 1 else ", resumed once" if times else ""
