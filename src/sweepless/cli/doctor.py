"""`sweepless doctor`: what is installed, what is missing, and where compiled code and data are kept."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from sweepless._needs import NEEDS
from sweepless._phrases import counted
from sweepless.cli.output import add_json, put_json, require_json, say
from sweepless.cli.parser import add_command

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "NUMBA_DISABLE_JIT")


def add_to(commands: Any) -> None:
    parser = add_command(
        commands,
        "doctor",
        doctor,
        "show versions, caches, threads, and what is installed or missing",
        guide="command-line",
        examples=("doctor", "doctor --json -"),
    )
    add_json(parser)


def doctor(parsed: argparse.Namespace) -> int:
    """Print how things stand; 1 if something keeps sweepless from working well."""
    require_json(parsed)
    found = examine()
    cache = found["cache"]
    lines = [
        f"versions  {', '.join(f'{name} {number}' for name, number in found['versions'].items())}",
        f"machine   {found['platform']}, {counted(found['n_cores'], 'core')}",
        f"threads   {', '.join(f'{name} {n}' for name, n in found['threads'].items())}"
        + "".join(f"; {name}={value}" for name, value in found["environment"].items()),
        f"cache     {cache['path']}: {counted(cache['n_kernels'], 'compiled kernel')}"
        + (f" and {cache['n_shipped']:,} that came with the wheel" if cache["n_shipped"] else "")
        + ("" if cache["is_writable"] else ", not writable: every process compiles again"),
        f"data      {found['data']['path'] or 'no named sets: SWEEPLESS_DATA is not set'}"
        + (", which does not exist" if found["data"]["path"] and not found["data"]["is_there"] else ""),
    ]
    for feature, what in found["features"].items():
        has = ", ".join(f"{name} {number}" for name, number in what["installed"].items())
        lines.append(f"{'ok' if not what['missing'] else 'missing':<9} {feature}: {has}")
        if what["missing"]:
            lines[-1] += f"{'; ' * bool(has)}no {' and '.join(what['missing'])} (pip install '{what['install']}')"
    lines += [f"problem   {problem}" for problem in found["problems"]]
    say(parsed, "\n".join(lines if found["problems"] else [*lines, "all is well; what is missing is optional"]))
    return put_json(parsed, found) or int(bool(found["problems"]))


def examine() -> dict[str, Any]:
    """Look at everything that the speed and the features of this installation depend on."""
    from sweepless._versions import versions

    cache, data = _cache(), os.environ.get("SWEEPLESS_DATA")
    problems = []
    if not cache["is_writable"]:
        problems.append(f"compiled kernels cannot be kept in {cache['path']}; name a place by NUMBA_CACHE_DIR")
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        problems.append("NUMBA_DISABLE_JIT is set, so that nothing is compiled, and searches are slow")
    if data is not None and not Path(data).expanduser().is_dir():
        problems.append(f"SWEEPLESS_DATA must name a directory, got {data}")
    return {
        "versions": versions(),
        "platform": platform.platform(),
        "n_cores": os.cpu_count() or 1,
        "threads": _threads(),
        "environment": {name: os.environ[name] for name in _THREADS if name in os.environ},
        "cache": cache,
        "data": {"path": data, "is_there": data is not None and Path(data).expanduser().is_dir()},
        "features": {feature: _installed(*what) for feature, what in NEEDS.items()},
        "is_terminal": sys.stdout.isatty(),
        "no_color": bool(os.environ.get("NO_COLOR")),
        "problems": problems,
    }


def _threads() -> dict[str, int]:
    """Return the number of threads of every library that has some."""
    import scipy.linalg  # noqa: F401 - loads the libraries that are asked
    import threadpoolctl

    return {one["internal_api"]: one["num_threads"] for one in threadpoolctl.threadpool_info()}


def _cache() -> dict[str, Any]:
    """Find where compiled kernels are kept, and how many there are."""
    from sweepless.kernels._cache import SHIPPED, n_shipped
    from sweepless.kernels.gaussian import class_deviations

    if (stats := getattr(class_deviations, "stats", None)) is None:  # nothing is compiled here
        return {"path": None, "is_writable": True, "n_kernels": 0, "n_shipped": 0}
    folder = Path(stats.cache_path).parent  # of all kernels: each of their rooms has a folder in it
    there = next(path for path in (folder, *folder.parents) if path.exists())
    return {
        "path": str(folder),
        "is_writable": os.access(there, os.W_OK),
        "n_kernels": sum(SHIPPED not in file.parents for file in folder.rglob("*.nbi")),
        "n_shipped": n_shipped(),
    }


def _installed(modules: tuple[str, ...], source: str) -> dict[str, Any]:
    found, missing = {}, []
    for package in dict.fromkeys(module.partition(".")[0] for module in modules):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            missing.append(package)
    return {"installed": found, "missing": missing, "install": source}
