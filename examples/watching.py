"""
Watching a run, stopping it, going on
=====================================

A search that takes hours should be seen, may be stopped at any moment, and should survive a power cut. A journal
records every step; whoever reads it sees the run, and whoever resumes it continues as if nothing had happened.
"""

# %%
# This run stops itself after 1,500 evaluations, as a crash would. A callback is told of every step.
import tempfile
from pathlib import Path

from matplotlib import pyplot as plt

from sweepless import Journal, make_madelon, resume, run
from sweepless.criteria import KNN
from sweepless.journal import WatchedRun

data = make_madelon(n_samples=400, n_features=300, seed=1)
path = Path(tempfile.mkdtemp()) / "run.jsonl"


def tell(progress):
    """Print a line when a better subset was found."""
    if progress.is_new_best:
        print(
            f"{progress.n_evaluations:>6,} evaluations: best {progress.best_value:.3f}, {progress.best_size} features"
        )


first = run("sSFFS", KNN(), data, max_size=20, budget=40, max_evaluations=1500, journal=Journal(path), callbacks=[tell])
print("stopped:", first.stop_reason.value)

# %%
# Another process, or the next day, can look at the journal. ``sweepless watch run.jsonl`` does so in a terminal, with
# ``--serve`` in a browser; in a program it is a :class:`~sweepless.journal.WatchedRun`.
watched = WatchedRun(path)
watched.read()
before = watched.to_dict()
print(watched.state, f"{before['n_advances']} advances, {before['n_retreats']} retreats")

# %%
# The run goes on from its journal, with a new limit. An undisturbed run takes the same steps.
whole = resume(path, KNN(), data, max_evaluations=4000)
undisturbed = run("sSFFS", KNN(), data, max_size=20, budget=40, max_evaluations=4000)
print("the same steps as an undisturbed run:", whole.trace == undisturbed.trace)

watched.read()
after = watched.to_dict()
figure, ax = plt.subplots(figsize=(9, 4.4), layout="constrained")
for state, look, name in ((after, "C0o-", "after it went on"), (before, "C1o-", "when it was stopped")):
    ax.plot(*zip(*state["curve"]), look, markersize=4, label=name)
ax.set(xlabel="features", title="Best value of every size, read from the journal")
ax.legend(frameon=False)
plt.show()
