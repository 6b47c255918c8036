"""Check for optional packages before the work begins that needs them."""

from __future__ import annotations

from importlib import import_module

from sweepless.errors import SweeplessError

NEEDS = {
    "a page": (("jinja2", "plotly", "plotly.offline"), "sweepless[reports]"),
    "a picture": (("matplotlib", "matplotlib.figure"), "sweepless[plots]"),
    "a Parquet file": (("pyarrow", "pyarrow.parquet"), "sweepless[parquet]"),
    "a page of a run": (("jinja2", "starlette", "uvicorn"), "sweepless[serve]"),
    "the dask backend": (("distributed",), "sweepless[dask]"),
    "the ray backend": (("ray", "ray.util.joblib"), "ray"),
    "a bar of progress": (("rich",), "sweepless[progress]"),
    "fast reading of large tables": (("polars",), "sweepless[csv]"),
    "stemming": (("snowballstemmer",), "sweepless[text]"),
}
"""For every feature, the modules that it imports and what to install."""


def require(feature: str, kind: type[SweeplessError] = SweeplessError) -> None:
    """Raise an error of the given type unless everything that a feature needs can be imported."""
    modules, source = NEEDS[feature]
    missing = [module for module in modules if not _can_import(module)]
    if missing:
        packages = " and ".join(dict.fromkeys(module.partition(".")[0] for module in missing))
        raise kind(f"{feature} needs {packages}; install {source}.")


def _can_import(module: str) -> bool:
    try:
        import_module(module)
    except ImportError:
        return False
    return True
