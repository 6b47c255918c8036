"""Sequential feature selection without the sweep.

>>> from sweepless import make_madelon, run
>>> from sweepless.criteria import KNN
>>> result = run("sSFFS", KNN(), make_madelon(), target=10)

The most common names are here; `docs/api.md` lists them together with the namespaces that hold the rest. Names are
imported on first use, so `import sweepless` compiles nothing and loads no heavy library.
"""

from sweepless._lazy import public_names

__getattr__, __dir__, __all__ = public_names(__name__)
