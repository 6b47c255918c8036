"""Words of the command line into what they mean."""

from __future__ import annotations

import argparse
import ast
from typing import Any

from sweepless.errors import InputError

_MOST = 10_000  # numbers in a range


def literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def label(text: str | None) -> str | int | None:
    if text is not None and text.lstrip("-").isdigit():
        return int(text)
    return text


def start(text: str | None) -> Any:
    if text is None or not text.replace(",", "").replace(" ", "").isdigit():
        return text
    return [int(part) for part in text.split(",") if part.strip()]


def numbers(text: str) -> tuple[int, ...]:
    """Read 5,10,20 or 1-5 or both together."""
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not (first.isdigit() and (last.isdigit() or not dash)) or len(first + last) > 12:
            raise argparse.ArgumentTypeError(f"it must be whole numbers such as 5,10,20 or 1-5, got {text!r}")
        if int(last or first) - int(first) >= _MOST or int(last or first) < int(first):
            raise argparse.ArgumentTypeError(f"a range must be ascending with at most {_MOST:,} numbers, got {part!r}")
        found += range(int(first), int(last or first) + 1)
    return tuple(dict.fromkeys(found))


def positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"it must be a positive whole number, got {text!r}")
    return int(text)


def split(text: str) -> Any:
    from sweepless.validation.splits import RandomSplits

    train, _, test = text.partition("/")
    if not (train.isdigit() and test.isdigit()):
        raise argparse.ArgumentTypeError(f"--split must look like 50/50, got {text!r}")
    try:
        return RandomSplits(1, int(train), int(test))
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error).rstrip(".")) from error


def number_or(word: str) -> Any:
    def parse(text: str) -> int | None:
        if text == word:
            return None
        if not text.isdigit():
            raise argparse.ArgumentTypeError(f"it must be a whole number or {word}, got {text!r}")
        return int(text)

    return parse


def budget(text: str) -> Any:
    from sweepless.search.budget import BudgetFraction, checked_budget

    try:
        if text == "full":
            return text
        if "." in text:
            return BudgetFraction(float(text))
        return checked_budget("budget", int(text))
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error).rstrip(".")) from error
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"a budget must be a positive count, a fraction or full, got {text!r}"
        ) from None


def warm_up(text: str) -> Any:
    from sweepless.search.sampled import WarmUp

    if text == "none":
        return "full"
    try:
        return WarmUp.parse(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error).rstrip(".")) from error
