"""`sweepless select`: one search, shown readably or as JSON."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sweepless._needs import require
from sweepless._writing import require_writable
from sweepless.cli import arguments
from sweepless.cli.output import add_json, put_json, require_json, say, wrote
from sweepless.cli.parser import add_command
from sweepless.cli.show import as_text
from sweepless.criteria.registry import CRITERIA
from sweepless.errors import InputError

if TYPE_CHECKING:
    from sweepless.cli.settings import Request
    from sweepless.selectors.decide_settings import Decision
    from sweepless.validation.trial import Trial

_ABOUT = """What is not given is as in Python's SequentialSelector. The exit code is 0 if there is a result, also after
a limit, Ctrl-C or SIGTERM, 1 if there is none, 2 for wrong usage or input."""
_EXAMPLES = (
    "select --data genes.csv --label tissue",
    "select --data genes.csv --label tissue --drop patient --method sSFS --target 50 --budget 200",
    "select --data houses.csv --label price --task regression",
    "select --data text.svmlight --criterion multinomial --method sSFFS --max-size 100",
)


def add_to(commands: Any) -> None:
    parser = add_command(
        commands,
        "select",
        select,
        "search for the best subset of every size",
        guide="getting-started",
        examples=_EXAMPLES,
        about=_ABOUT,
    )
    data = parser.add_argument_group("data")
    data.add_argument(
        "--data",
        required=True,
        help="madelon, gisette, dorothea, reuters, make_madelon, or a file: CSV, TSV, Parquet, NPZ, ARFF, TRN, "
        "svmlight",
    )
    arguments.add_columns(data)
    arguments.add_data_dir(data)
    data.add_argument(
        "--row-order",
        choices=["auto", "paper", "file"],
        help="row order of a named set (default: the paper's if it is there)",
    )
    data.add_argument(
        "--split",
        metavar="A/B",
        type=arguments.split,
        help="search on A %% of the samples (of each class), validate on B %%, for example 50/50",
    )
    data.add_argument(
        "--scale",
        choices=["auto", "paper", "train", "none"],
        default="auto",
        help="scale features to [0,1] over the whole data (paper) or the training part (default for k-NN and svm)",
    )
    criterion = parser.add_argument_group("criterion")
    criterion.add_argument(
        "--criterion",
        choices=["auto", *CRITERIA],
        default="auto",
        help="what a subset is worth (default auto: several are compared by outer cross-validation first)",
    )
    criterion.add_argument(
        "--judge",
        choices=["linear", "kernel", "neighbors", "trees"],
        help="what auto compares by (default: one predictor of each of these kinds)",
    )
    criterion.add_argument(
        "--n-neighbors", type=arguments.whole, metavar="K", help="of k-NN (default 1; knn-regression: 5)"
    )
    criterion.add_argument("--folds", type=arguments.whole, metavar="N", help="of cross-validation (default 5)")
    criterion.add_argument(
        "--ties", choices=["class", "index"], help="which of equally near samples is nearer (default class)"
    )
    criterion.add_argument(
        "--score",
        metavar="SCORE",
        help="ridge: r2, mse, accuracy, class_r2; knn-regression: r2, mse, rmse (default r2, of classes accuracy)",
    )
    criterion.add_argument(
        "--alpha", type=arguments.number, metavar="A", help="the penalty of ridge, the prior of multinomial-nb"
    )
    criterion.add_argument("--class-weight", choices=["balanced"], help="all classes count alike in ridge's class_r2")
    criterion.add_argument(
        "--tie-break",
        choices=["smooth", "first"],
        default="smooth",
        help="what decides between candidates of equal value: a smooth second value (default), or their order; "
        "the reference generator implies first",
    )
    # What is not given here is not parsed either: `SearchSettings` has the defaults.
    search = parser.add_argument_group("search", argument_default=argparse.SUPPRESS)
    search.add_argument("--method", help="see `sweepless methods` (default sSFFS; auto: that of each criterion)")
    search.add_argument(
        "--target", type=arguments.whole, metavar="N", help="the size wanted; without it the best size wins"
    )
    search.add_argument(
        "--overshoot",
        type=arguments.number_or("none"),
        metavar="N|none",
        help="how far past the target a floating search may go (default 5)",
    )
    search.add_argument("--start", type=arguments.start, help="scores, ranking, random, or features as 3,14,15")
    search.add_argument("--seed", type=arguments.whole, metavar="N", help="of all random numbers (default 0)")
    search.add_argument("--rng", choices=["portable", "reference"], help="their generator (default portable)")
    search.add_argument(
        "--racing",
        choices=["auto", "none"],
        help="whether to drop candidates that cannot win by their first folds, where a criterion can (default auto)",
    )
    search.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="any other option of the method, for example max_depth=5, l=3, n_probes=1000",
    )
    steps = parser.add_argument_group("sampled steps", argument_default=argparse.SUPPRESS)
    steps.add_argument(
        "--budget",
        type=arguments.budget,
        metavar="N|F|auto|paper|full",
        help="candidates per addition: a count, a fraction of the pool below 1, all of them (full), 100 (paper), or by "
        "what they cost (auto, the default)",
    )
    steps.add_argument(
        "--backward-budget",
        type=arguments.budget,
        metavar="N|F|auto|paper|full",
        help="candidates per removal (paper: 50)",
    )
    steps.add_argument(
        "--floor-fraction", type=arguments.number, metavar="F", help="share of the budget that explores (default 0.2)"
    )
    steps.add_argument(
        "--temperature", type=arguments.number, metavar="T", help="of the softmax (default: from the scores)"
    )
    steps.add_argument(
        "--horizon", type=arguments.whole, metavar="N", help="updates after which statistics forget (default 100)"
    )
    steps.add_argument(
        "--warm-up",
        type=arguments.warm_up,
        metavar="M@R|none",
        help="M random probes of R features (default: none where there is a prior)",
    )
    steps.add_argument(
        "--prior",
        choices=["auto", "none"],
        help="begin with R² of single features (auto, the default unless a warm-up is asked for), or with nothing",
    )
    steps.add_argument("--proposal", choices=["softmax", "uniform", "top-k"])
    steps.add_argument("--statistics", choices=["contrast", "raw-mean", "raw-contrast", "frozen"])
    steps.add_argument("--tuple-size", type=arguments.whole, metavar="C", help="features per step")
    limits = parser.add_argument_group(
        "limits (any of them, Ctrl-C and SIGTERM leave a valid result)", argument_default=argparse.SUPPRESS
    )
    arguments.add_limits(
        limits, max_size="stop right after the first step to N features (default 100 without a --target)"
    )
    parser.add_argument(
        "--consensus",
        type=arguments.whole,
        metavar="N",
        help="search N times, on 80 %% of the samples each, and select what most of the searches select",
    )
    output = parser.add_argument_group("output")
    output.add_argument("--journal", metavar="FILE", help="record the run in a new file, for `sweepless resume FILE`")
    add_json(output)
    output.add_argument("--report", metavar="FILE", help="write a page with the curve and the features (needs plotly)")
    arguments.add_quiet(output)


def select(parsed: argparse.Namespace) -> int:
    if parsed.journal is None:
        return search(parsed)
    from sweepless.journal.journal import Journal

    if parsed.consensus is not None:
        raise InputError("--journal records one search, so it must go without --consensus, got both.")
    require_writable(parsed.journal)
    if Path(parsed.journal).exists():  # refused before the data are read
        raise InputError(f"--journal must name a new file, got {parsed.journal}: resume it, or name another.")
    return search(parsed, Journal(parsed.journal, note={"command": parsed.command_line}))


def search(parsed: argparse.Namespace, journal: Any = None, recorded: dict[str, Any] | None = None) -> int:
    """Run what was parsed, and show or write the result; `recorded` settings of a resumed run replace parsed ones."""
    import sweepless.paper  # noqa: F401 - adds its data sets by name
    from sweepless.cli.settings import read_request, read_settings
    from sweepless.criteria.base import Criterion
    from sweepless.data import load
    from sweepless.selectors.progress import ProgressBar
    from sweepless.validation.trial import Parts

    require_json(parsed)
    if parsed.report is not None:
        require_writable(parsed.report)
        require("a page")
    settings = read_settings(parsed)
    data = load(
        parsed.data,
        label=arguments.label(parsed.label),
        drop=parsed.drop,
        data_dir=parsed.data_dir,
        row_order=parsed.row_order,
        seed=settings.seed if parsed.data == "make_madelon" else None,
    )
    request = read_request(parsed, settings, data)
    parts = Parts.of(request.data, request.settings, parsed.split, request.scale)
    settings, criterion, decision = request.settings, request.criterion, None
    if not isinstance(criterion, Criterion):
        began = time.monotonic()
        try:
            decision = criterion.decide(parts.train, None if journal is None else journal.path, not parsed.quiet)
        except KeyboardInterrupt:
            return _gave_up(journal)
        criterion, settings = decision.criterion, decision.settings
        if settings.max_seconds is not None:
            settings = replace(settings, max_seconds=max(settings.max_seconds - (time.monotonic() - began), 1e-3))
        if settings.max_evaluations is not None and decision.choice is not None:  # the panel took its share
            left = settings.max_evaluations - decision.choice.outside.n_evaluations
            settings = replace(settings, max_evaluations=max(1, left))
    settings = replace(settings, **recorded or {})
    bar = ProgressBar(
        str(settings.method),
        shown=not parsed.quiet,
        max_seconds=settings.max_seconds,
        max_evaluations=settings.max_evaluations,
        max_size=settings.max_size or settings.target,
    )
    with bar as progress:
        trial = parts.search(
            settings,
            criterion,
            callbacks=[progress],
            journal=journal,
            choice=None if decision is None else decision.choice,
            validate=None if decision is None else decision.validate,
            consensus=parsed.consensus,
        )
    return _show(parsed, trial, request, decision)


def _gave_up(journal: Any) -> int:
    """Say that there is nothing to show yet, and how to go on."""
    kept = "--journal FILE would keep what was compared"
    if journal is not None:
        kept = f"what was compared is kept in {journal.path}.panel, and the same command goes on"
    print(f"sweepless: interrupted before the search, while criteria were compared; {kept}.", file=sys.stderr)
    return 1


def _show(parsed: argparse.Namespace, trial: Trial, request: Request, decision: Decision | None) -> int:
    """Show and write the result; what cannot be written is printed instead, so that it is not lost."""
    data, code = request.data, 0 if trial.result.best is not None else 1
    code = put_json(parsed, trial.to_dict() | request.to_dict()) or code
    say(parsed, as_text(trial, request, None if decision is None else decision.said))
    if parsed.report is not None:  # the page comes last: whatever happens to it, the result is out
        from sweepless.reports.search_page import render_search

        page = render_search(trial.to_dict(), trial.result.trajectory(), data.name, data.feature_names, sys.argv[1:])
        if not wrote(parsed.report, page):
            return 1
        say(parsed, f"report    {parsed.report}")
    return code
