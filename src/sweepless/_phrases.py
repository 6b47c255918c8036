"""Lists, counts, ranges and times in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def shortened_list(names: Sequence[object], most: int = 8) -> str:
    """List the first of many items, with an ellipsis if there are more."""
    return ", ".join([str(name) for name in names[:most]] + (["…"] if len(names) > most else []))


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, in the plural where it is due."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def ranges(numbers: Iterable[int]) -> str:
    """Write whole numbers with their gaps: 1–3, 7."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(f"{part[0]}–{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts)


def duration(seconds: float) -> str:
    """Write a duration in natural units."""
    if seconds < 100:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, whole = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {whole:02d} s"
