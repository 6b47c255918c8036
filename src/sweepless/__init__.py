"""Sequential feature selection without the sweep.

>>> from sweepless import make_madelon, run
>>> from sweepless.criteria import KNN
>>> result = run("sSFFS", KNN(), make_madelon(), target=10)

What most people need is here; `docs/api.md` lists it, and the namespaces that hold the rest. Everything is imported on
first use: `import sweepless` compiles nothing and loads no heavy library.
"""

from sweepless._lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__)
