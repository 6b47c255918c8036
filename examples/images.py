"""
Images: which pixels tell digits apart?
=======================================

Handwritten digits of 8 × 8 pixels. A search for the pixels by which the three nearest neighbors recognize digits shows
how few of them are needed, and where they are: spread out, because neighboring pixels say the same.
"""

# %%
# The selector recognizes the classifier and computes its cross-validated accuracy itself; nothing is fitted.
import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from sweepless import RankingSelector, SequentialSelector

X, y = load_digits(return_X_y=True)
seen, unseen, y_seen, y_unseen = train_test_split(X, y, train_size=0.5, random_state=0, stratify=y)
classifier = KNeighborsClassifier(3)
selector = SequentialSelector(
    classifier, method="SFFS", n_features_to_select=12, overshoot=2, scoring="accuracy", random_state=0
).fit(seen, y_seen)
ranked = RankingSelector(classifier, method="BIF", n_features_to_select=12, scoring="accuracy").fit(seen, y_seen)

# %%
# Half of the digits were not seen by the search. Twelve pixels that were found together stand beside the twelve that
# are best one by one, and beside all 64.
masks = {"found together": selector.support_, "best one by one": ranked.support_, "all": np.ones(64, dtype=bool)}
for name, mask in masks.items():
    accuracy = classifier.fit(seen[:, mask], y_seen).score(unseen[:, mask], y_unseen)
    print(f"{mask.sum():>2} pixels, {name:<16} {accuracy:.3f} of the other digits are recognized.")

# %%
# One search gives a subset of every size. The pictures show the mean digit and the pixels of three sizes.
figure, axes = plt.subplots(1, 4, figsize=(12, 3.4), layout="constrained")
for ax, size in zip(axes, (3, 6, 12, None)):
    mask = ranked.support_ if size is None else np.isin(np.arange(64), selector.subsets_[size].features)
    ax.imshow(X.mean(axis=0).reshape(8, 8), cmap="Greys", alpha=0.5)
    rows, columns = np.nonzero(mask.reshape(8, 8))
    ax.scatter(columns, rows, s=120, marker="s", color="0.35" if size is None else "tab:blue")
    ax.set(title="12 best one by one" if size is None else f"best {size} found", xticks=[], yticks=[])
plt.show()
