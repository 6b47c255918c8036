"""`sweepless methods`: what there is, what each brought, what it costs."""

from __future__ import annotations

import argparse
from typing import Any

from sweepless.cli.output import add_json, put_json, require_json, say
from sweepless.cli.parser import add_command


def add_to(commands: Any) -> None:
    parser = add_command(
        commands,
        "methods",
        print_methods,
        "list all methods with what each added and its cost",
        guide="command-line",
        examples=("methods", "methods --json -"),
    )
    add_json(parser)


def print_methods(parsed: argparse.Namespace) -> int:
    from sweepless.search.methods import METHODS

    require_json(parsed)
    rows = [("method", "what it added", "evaluations")]
    rows += [(method.name, method.added, method.cost) for method in METHODS.values()]
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    for number, (name, added, cost) in enumerate(rows):
        say(parsed, f"{name:<{widths[0]}}  {added:<{widths[1]}}  {cost}".rstrip())
        if number == 0:
            say(parsed, f"{'-' * widths[0]}  {'-' * widths[1]}  {'-' * 11}")
    say(parsed, "\nD features, d size reached, y_f and y_b budgets per addition and removal, m0 warm-up probes,")
    say(parsed, "o swing depth, k pool size. A cost with 'at most' depends on the data; the others are exact.")
    return put_json(parsed, {"methods": [dict(zip(("name", "added", "cost"), row)) for row in rows[1:]]})
