"""Which features help on data nobody saw? Our default and ten peers, judged by four classifiers on the other half.

A stratified random half is for choosing and fitting, the other is used once. Every finished cell is kept in --cells,
so a run that was stopped goes on; --page-only writes tables and pictures from what is there of what is asked for.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # cells are what is parallel

from joblib import Parallel, delayed

from honest_arms import ARMS
from honest_cells import Row, cell, planned, read_rows, write_rows
from honest_sets import SETS

_HERE = Path(__file__).resolve().parent
_LIMIT = 900.0  # seconds of one processor that an arm may take on a half


def main() -> int:
    arms = list(dict.fromkeys(arm for task in ARMS.values() for arm in task))
    sets = [name for task in SETS.values() for name in task]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", nargs="+", choices=arms, metavar="ARM", help=f"of {', '.join(arms)}")
    parser.add_argument("--sets", nargs="+", choices=sets, default=sets, metavar="SET", help=f"of {', '.join(sets)}")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3, 4, 5])
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=_LIMIT, help="seconds of one processor for an arm on a half")
    parser.add_argument("--cells", type=Path, default=_HERE / "results" / "honest.jsonl.gz")
    parser.add_argument("--out", type=Path, default=_HERE / "results" / "honest.json")
    parser.add_argument("--page", type=Path, default=_HERE.parent / "docs" / "results" / "honest.md")
    parser.add_argument("--page-only", action="store_true", help="compute nothing")
    parser.add_argument("--cells-only", action="store_true", help="write no page")
    parsed = parser.parse_args()
    if not parsed.page_only:
        _compute(parsed)
    if not parsed.cells_only:
        from honest_page import write_page

        wanted = set(planned(parsed.sets, parsed.seeds, parsed.arms))
        rows = {key: row for key, row in read_rows(parsed.cells).items() if key in wanted}
        write_page(rows, parsed.out, parsed.page)
    return 0


def _compute(parsed: argparse.Namespace) -> None:
    there = read_rows(parsed.cells)
    waiting = [key for key in planned(parsed.sets, parsed.seeds, parsed.arms) if key not in there]
    found = Parallel(n_jobs=parsed.n_jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs")(
        delayed(cell)(*key, parsed.limit) for key in waiting
    )
    for number, row in enumerate(found, 1):
        there[row["set"], row["seed"], row["arm"]] = row
        write_rows(parsed.cells, there)
        print(f"{number}/{len(waiting)} {_line(row)}", file=sys.stderr, flush=True)


def _line(row: Row) -> str:
    said = row.get("skipped") or " ".join(
        f"{size}:{sum(judged.values()) / len(judged):.3f}" for size, judged in row["scores"].items()
    )
    return f"{row['set']} {row['seed']} {row['arm']}: {said}" + (f" ({row['cpu']:.1f} s)" if "cpu" in row else "")


if __name__ == "__main__":
    sys.exit(main())
