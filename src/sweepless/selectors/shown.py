"""A fitted selector in a notebook: scikit-learn's diagram, and below it what was found."""

from __future__ import annotations

from typing import Any

from sweepless._notebook import as_html
from sweepless._phrases import counted, duration, shortened_list


class ShownMixin:
    """Adds the result to the diagram that scikit-learn draws of every estimator."""

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + found_html(self)  # type: ignore[misc]

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += found_html(self)
        return bundle


def found_html(selector: Any) -> str:
    """Return what a selector found, or nothing before it is fitted."""
    if not hasattr(selector, "subsets_"):
        return ""
    size = selector.best_size_
    chosen = selector.subsets_[size]
    facts = {
        "selected": f"{size} of {counted(selector.n_features_in_, 'feature')}: {shortened_list(chosen.names.tolist())}",
        "value": f"{chosen.value:.6g}, by {selector.criterion_}",
    }
    if selector.honest_score_ is not None:
        facts["honest score"] = f"{selector.honest_score_:.3f}, the mean on samples that no search saw"
    facts["cost"] = f"{counted(selector.n_evaluations_, 'evaluation')} in {duration(selector.fit_time_)}"
    facts["stopped"] = selector.stop_reason_
    return as_html(facts, {size: subset.value for size, subset in selector.subsets_.items()}, size)
