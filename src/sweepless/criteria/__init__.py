"""Criteria: what a subset of features is worth.

A criterion is a frozen description of J; `criterion.bind(data)` returns a cursor, which values the neighbors of the
subset it stands at. All names below are imported on first use.

Your own criterion takes two classes. A subclass of `Criterion`, best a frozen dataclass, defines `bind(data)`; a
subclass of `Cursor` defines `evaluate(members)`, which returns J of a subset from scratch. Greater is better, and
the same subset must always have the same value. That is enough for every search. To be faster, a cursor also defines
`_peek(direction, candidates)`, which must agree with `evaluate` to the last bit, and `_rebuild()` and
`_step(direction, feature)`, which keep what `_peek` needs up to date. Define `validate(train, test, members)` on the
criterion for holdout values. `sweepless.testing.check_criterion` checks all of this. Without classes,
`FunctionCriterion` takes any function of the subset.
"""

from sweepless._lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__)
