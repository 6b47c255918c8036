"""What `make bench` measured, version by version: one line per version and machine, and the page that draws them.

`python benchmarks/history.py` draws the page again from the committed lines.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

import sweepless as sw

HERE = Path(__file__).resolve().parent
LINES = HERE / "results" / "history.jsonl"
PAGE = HERE.parent / "docs" / "results" / "history.md"
_DRAWN = 10  # curves; there are no more colors

Line = dict[str, Any]


def line(rows: list[dict[str, Any]], version: str, date: str, machine: str) -> Line:
    """Keep of every row what can be compared later: the ratio to its peer if it has one, else milliseconds."""
    ratios = {row["work"]: round(row["ratio"], 2) for row in rows if row.get("ratio")}
    times = {row["work"]: round(row["ours_ms"], 4) for row in rows if not row.get("ratio")}
    return {"version": version, "date": date, "machine": machine, "ratio": ratios, "ms": times}


def append(rows: list[dict[str, Any]], path: Path = LINES) -> None:
    """Add the line of this version on this machine, in the place of an earlier one."""
    commit = _git("log", "-1", "--format=%h %cs") or "unknown unknown"
    version, date = commit.split()
    new = line(rows, f"{sw.__version__} ({version})", date, machine())
    old = [each for each in read(path) if (each["version"], each["machine"]) != (new["version"], new["machine"])]
    path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in [*old, new]), encoding="utf-8")


def read(path: Path = LINES) -> list[Line]:
    return [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def machine() -> str:
    """Say what kind of machine this is, not which."""
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {_processor()}"


def _processor() -> str:
    cpus = Path("/proc/cpuinfo")
    models = [text for text in cpus.read_text().splitlines() if "model name" in text] if cpus.exists() else []
    return models[0].partition(":")[2].strip() if models else platform.processor()


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=HERE, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def write_page(lines: list[Line], page: Path = PAGE) -> None:
    """Write a table per kind of number, a column per line, and a picture of the ratios."""
    heads = [f"{each['version']}, {each['date']}" for each in lines]
    machines = "\n".join(f"- {head}: {each['machine']}" for head, each in zip(heads, lines, strict=True))
    parts = [
        "# Speed, version by version",
        "One column per version and machine, made by `make bench` from `benchmarks/results/history.jsonl`. Ratios are "
        "those to a peer in the same run: greater is better.\nOn a shared machine they change by a third from run to "
        "run; milliseconds mean nothing on another machine.",
        f"![Ratios to peers, version by version]({page.with_suffix('.svg').name})",
        _table("times as fast as the peer", "ratio", heads, lines),
        _table("milliseconds", "ms", heads, lines),
        f"Machines:\n\n{machines}",
    ]
    page.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    _draw(lines, page.with_suffix(".svg"))


def _table(title: str, kind: str, heads: list[str], lines: list[Line]) -> str:
    works = dict.fromkeys(work for each in reversed(lines) for work in each[kind])
    rows = [f"| {work} | " + " | ".join(_number(each[kind].get(work)) for each in lines) + " |" for work in works]
    return "\n".join([f"| {title} | " + " | ".join(heads) + " |", "|---|" + "---:|" * len(heads), *rows])


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.2g}"


def _draw(lines: list[Line], path: Path) -> None:
    import matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.5, 4.5), layout="constrained")
    axes = figure.subplots()
    works = list(lines[-1]["ratio"])[:_DRAWN]
    for work in works:
        points = [(k, each["ratio"][work]) for k, each in enumerate(lines) if work in each["ratio"]]
        axes.semilogy(*zip(*points, strict=True), "o-", markersize=4, linewidth=1.6, label=work)
    axes.set_xticks(range(len(lines)), [each["version"].replace(" ", "\n") for each in lines], fontsize=8)
    axes.set_ylabel("times as fast as the peer")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper", fontsize=8, frameon=False)
    with matplotlib.rc_context({"svg.hashsalt": "sweepless", "svg.fonttype": "none"}):
        figure.savefig(path, format="svg", metadata={"Date": None})


def main() -> int:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    write_page(read())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
