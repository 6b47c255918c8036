"""`sweepless compare`: selectors side by side on one's own data."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sweepless._needs import require
from sweepless._writing import require_writable, require_writable_directory, write_whole
from sweepless.cli import arguments
from sweepless.cli.output import add_json, put_json, require_json, say
from sweepless.cli.parser import add_command
from sweepless.criteria.registry import CRITERIA
from sweepless.errors import InputError

_WIDTH = 100
_ABOUT = """auto (the selector without any argument), sSFFS, SFFS and FBED where they are affordable, BIF, DAF,
SelectKBest (F test, mutual information), mRMR, RFE, L1 penalties, forest importances, Boruta and abess where they are
installed, random subsets and all features, on the same random splits. Every selector sees the training part only. DAF
and the random subsets get as many evaluations as sSFFS took. The same command continues a comparison that was
stopped."""
_EXAMPLES = (
    "compare genes.csv --label tissue",
    "compare genes.csv --label tissue --quick",
    "compare genes.csv --label tissue --judges logistic,forest",
    "compare text.svmlight --criterion multinomial --sizes 25,100,300 --seeds 1-10",
)


def add_to(commands: Any) -> None:
    parser = add_command(
        commands,
        "compare",
        compare,
        "compare selectors, also scikit-learn's, on your own data",
        guide="comparing",
        examples=_EXAMPLES,
        about=_ABOUT,
    )
    parser.add_argument(
        "data", metavar="DATA", help="a file (CSV, TSV, Parquet, NPZ, ARFF, TRN, svmlight) or a named set"
    )
    arguments.add_columns(parser)
    parser.add_argument("-o", "--output", metavar="DIR", help="run directory and page (default: compare-DATA)")
    parser.add_argument(
        "--criterion", choices=CRITERIA, help="what searches maximize (default: knn for classes, ridge for numbers)"
    )
    parser.add_argument(
        "--judges",
        type=lambda text: tuple(text.split(",")),
        metavar="NAME,NAME…",
        help="who judges the holdout beside the criterion's own predictor (default: one of every family)",
    )
    parser.add_argument("--sizes", type=arguments.numbers, metavar="N,N…", help="subset sizes (default: up to 50)")
    parser.add_argument("--seeds", type=arguments.numbers, metavar="A-B", help="random splits (default 1-5)")
    parser.add_argument(
        "--budget",
        type=arguments.positive,
        metavar="N",
        help="candidates per step of sSFFS (default 100, fewer of few)",
    )
    parser.add_argument("--max-evaluations", type=arguments.positive, metavar="N", help="limit of every search")
    parser.add_argument(
        "--split", type=arguments.split, default="50/50", metavar="A/B", help="percent to search and test on"
    )
    parser.add_argument(
        "--sweep",
        choices=["auto", "always", "never"],
        default="auto",
        help="whether to run SFFS with full sweeps (always: FBED, too)",
    )
    arguments.add_n_jobs(parser, default=-1)
    arguments.add_data_dir(parser)
    parser.add_argument("--quick", action="store_true", help="a first look: three seeds, sizes up to 10, no slow peers")
    arguments.add_quiet(parser)
    add_json(parser)


def compare(parsed: argparse.Namespace) -> int:
    import sweepless.paper  # noqa: F401 - adds its data sets by name
    from sweepless.reports.comparison.report import read_comparison
    from sweepless.runs.compare.request import Request
    from sweepless.runs.compare.run import compare as run

    require_json(parsed)
    require("a page")
    if parsed.split.test_percent == 0:
        raise InputError("--split must leave samples to test on, as 50/50 does, got 0 percent.")
    folder = Path(parsed.output or f"compare-{Path(parsed.data).name.split('.')[0]}")
    page = folder / "report.html"
    require_writable_directory(folder)
    if folder.is_dir():
        require_writable(page)
    request = Request(
        parsed.data,
        label=arguments.label(parsed.label),
        drop=tuple(parsed.drop),
        task=parsed.task,
        criterion=parsed.criterion,
        judges=parsed.judges,
        sizes=parsed.sizes,
        seeds=parsed.seeds or ((1, 2, 3) if parsed.quick else (1, 2, 3, 4, 5)),
        budget=parsed.budget,
        max_evaluations=parsed.max_evaluations,
        split=(parsed.split.train_percent, parsed.split.test_percent),
        sweep=parsed.sweep,
        is_quick=parsed.quick,
    )
    try:
        plan = run(
            request,
            folder,
            n_jobs=parsed.n_jobs,
            data_dir=parsed.data_dir,
            show_progress=not parsed.quiet,
            command=parsed.command_line,
        )
    except KeyboardInterrupt:
        print(
            f"sweepless: interrupted; what is finished is kept in {folder}; the same command continues it.",
            file=sys.stderr,
        )
        return 1
    found = read_comparison(folder, plan)
    say(parsed, f"{found.headline()}\n")
    for table in found.tables():
        say(parsed, table.text())
    say(parsed, _list("What it shows", found.conclusions()))
    say(parsed, _list("How it was done", plan.notes))
    write_whole(page, found.page())
    say(parsed, f"page      {page}")
    return put_json(parsed, found.to_dict() | {"page": str(page)})


def _list(title: str, sentences: Iterable[str]) -> str:
    filled = [textwrap.fill(each, _WIDTH, initial_indent="- ", subsequent_indent="  ") for each in sentences]
    return "\n".join([title, *filled, ""])
