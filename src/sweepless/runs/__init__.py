"""Many runs: a spec becomes cells, cells become rows in a run directory, resumably and on any joblib backend."""

from __future__ import annotations

from sweepless.runs.execute import Summary, run_campaign
from sweepless.runs.spec import parse_spec, read_spec
from sweepless.schema.spec import Spec

__all__ = ["Spec", "Summary", "parse_spec", "read_spec", "run_campaign"]
