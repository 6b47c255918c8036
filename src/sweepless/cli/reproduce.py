"""`sweepless reproduce`: the paper's tables and figures, ours beside the printed numbers."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sweepless._needs import require
from sweepless._writing import require_writable_directory, write_whole
from sweepless.cli import arguments
from sweepless.cli.output import add_json, put_json, require_json, say
from sweepless.cli.parser import add_command

_EXAMPLES = (
    "reproduce madelon-collapse",
    "reproduce all --quick --n-jobs 2",
    "reproduce gisette-ladder --seeds 1 -o paper",
)
_NAMES = {
    "madelon-retention": "Figure 1: how much of full floating search a budget retains",
    "madelon-anatomy": "Figure 2: where the evaluations go",
    "madelon-collapse": "Figure 3: uniform and informed budgets",
    "madelon-ablation": "the ladder of ingredients at 20 features",
    "madelon-tradeoff": "Figures 4 and 5: quality against compute",
    "gisette-ladder": "Table 2: the budget ladder",
    "gisette-frontier": "one run to 1,000 of 5,000 features",
    "reuters": "Table 3: extreme dimensionality",
    "stability": "agreement of repeated selections",
    "cross-classifier": "validated by another classifier",
    "all": "all of them",
}


def add_to(commands: Any) -> None:
    targets = "\n".join(f"  {name:<18} {what}" for name, what in _NAMES.items())
    parser = add_command(
        commands,
        "reproduce",
        reproduce,
        "compute a table or figure of the paper and compare",
        guide="reproducibility",
        examples=_EXAMPLES,
        about=f"targets:\n{targets}",
    )
    parser.add_argument("target", choices=_NAMES, metavar="TARGET", help="what to reproduce; see below")
    parser.add_argument("--seeds", type=arguments.numbers, metavar="1-10", help="only these of the paper's seeds")
    parser.add_argument("--quick", action="store_true", help="few cells; what they cannot decide is named")
    parser.add_argument(
        "-o", "--output", default="reproduced", metavar="DIR", help="run directories and pages (default: reproduced)"
    )
    arguments.add_n_jobs(parser, default=1)
    arguments.add_data_dir(parser)
    arguments.add_quiet(parser)
    add_json(parser)


def reproduce(parsed: argparse.Namespace) -> int:
    """Reproduce target after target; 1 if some of them could not be run."""
    from sweepless.paper.reproduction import reproduce as run_target
    from sweepless.paper.targets import TARGETS
    from sweepless.reports.claims import claims_table, verdicts_counted

    require_json(parsed)
    require("a page")
    require_writable_directory(parsed.output)
    targets = list(TARGETS.values()) if parsed.target == "all" else [TARGETS[parsed.target]]
    found = []
    for target in targets:
        one = run_target(
            target,
            parsed.output,
            seeds=parsed.seeds,
            quick=parsed.quick,
            n_jobs=parsed.n_jobs,
            data_dir=parsed.data_dir,
            show_progress=not parsed.quiet,
            command=["sweepless", *parsed.command_line],
        )
        found.append(one)
        say(parsed, _text(one))
        say(parsed, f"  {one.seconds:,.0f} s; {' and '.join(map(str, one.files))}\n")
    if len(found) > 1:
        claims = [claim for one in found for claim in one.claims]
        summary = Path(parsed.output) / "all.md"
        tables = [claims_table(one.claims, title=f"{one.target.name}: {one.target.title}") for one in found]
        write_whole(summary, "\n".join(table.markdown() for table in tables))
        say(parsed, f"{verdicts_counted(claims)} {sum(one.seconds for one in found):,.0f} s; {summary}")
    code = put_json(parsed, {"targets": [_plain(one) for one in found]})
    return 1 if any(one.problems for one in found) else code


def _plain(one: Any) -> dict[str, Any]:
    return {
        "name": one.target.name,
        "title": one.target.title,
        "claims": [asdict(claim) for claim in one.claims],
        "problems": one.problems,
        "files": one.files,
        "seconds": one.seconds,
    }


def _text(one: Any) -> str:
    """Write the table for a terminal; below it every note once, with the claims that it is about."""
    from sweepless.reports.claims import claims_table

    table = claims_table(one.claims, title=f"{one.target.name}: {one.target.title}", notes=False)
    lines = [table.text()]
    about: dict[tuple[str, str], dict[str, None]] = {}
    for claim in one.claims:
        if claim.note:
            about.setdefault((claim.verdict, claim.note), {})[claim.id] = None
    lines += [f"  {', '.join(ids)} ({verdict}): {note}" for (verdict, note), ids in about.items()]
    return "\n".join(lines + [f"  not run: {problem}" for problem in one.problems])
