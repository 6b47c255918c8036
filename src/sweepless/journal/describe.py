"""What a run is made of, as plain values that can be compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from sweepless.journal.fingerprint import content

_LONG = 64  # items that are listed; of more, a hash is kept
_DEEPEST = 12
_IDLE = ("n_jobs", "verbose", "memory_limit")  # values do not depend on them


def described(thing: Any, depth: int = 0) -> Any:
    """Describe anything by what it is made of: equal descriptions are meant to be equal things."""
    if isinstance(thing, np.generic):
        thing = thing.item()
    if thing is None or isinstance(thing, bool | int | str):
        return thing
    if isinstance(thing, float):
        return thing if np.isfinite(thing) else repr(thing)
    if isinstance(thing, Enum):
        return thing.name
    if isinstance(thing, np.ndarray):
        if thing.dtype.kind == "O":
            return described(thing.tolist(), depth)
        return {"array": list(thing.shape), "hash": content(np.atleast_1d(thing))}
    if depth == _DEEPEST:
        return _name(type(thing))
    if isinstance(thing, Mapping):
        return {str(key): described(value, depth + 1) for key, value in thing.items()}
    if isinstance(thing, Sequence | set | frozenset):
        items = [described(item, depth + 1) for item in thing]
        if isinstance(thing, set | frozenset):
            items.sort(key=json.dumps)
        return items if len(items) <= _LONG else {"items": len(items), "hash": _hash(items)}
    if isinstance(thing, type) or hasattr(thing, "__qualname__"):
        return _name(thing)
    return {"is": _name(type(thing))} | {name: described(value, depth + 1) for name, value in _parts(thing)}


def _parts(thing: Any) -> Iterator[tuple[str, Any]]:
    """List what something is made of, but not what it has only learned or what values do not depend on."""
    if is_dataclass(thing):
        for field in fields(thing):
            value = getattr(thing, field.name)
            if (
                field.init
                and field.name not in _IDLE
                and (field.repr or (isinstance(value, np.ndarray) and value.size))
            ):
                yield field.name, value
        return
    given = thing.get_params(deep=False) if hasattr(thing, "get_params") else getattr(thing, "__dict__", {})
    yield from ((name, value) for name, value in sorted(given.items()) if name not in _IDLE)


def difference(recorded: Any, given: Any, place: str = "") -> str | None:
    """Tell in a few words where two descriptions differ first."""
    if isinstance(recorded, dict) and isinstance(given, dict) and recorded.get("is") == given.get("is"):
        for name in (*recorded, *(set(given) - set(recorded))):
            found = difference(recorded.get(name), given.get(name), f"{place}.{name}" if place else name)
            if found:
                return found
        return None
    if recorded == given:
        return None
    return f"{place} {_short(recorded)}, got {_short(given)}"


def _short(thing: Any) -> str:
    text = thing["is"].rpartition(".")[2] if isinstance(thing, dict) and "is" in thing else json.dumps(thing)
    return text if len(text) <= 60 else text[:57] + "…"


def _name(thing: Any) -> str:
    return str(thing.__qualname__)


def _hash(items: Any) -> str:
    return hashlib.sha256(json.dumps(items).encode()).hexdigest()[:32]
