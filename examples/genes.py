"""
Genes: which matter, and is it true?
====================================

150 samples of four tissues with 1,000 genes each. Which genes tell the tissues apart, what are they worth on other
samples, and would other runs find the same ones?
"""

# %%
# The data are made up, so the truth is known: the first 20 genes matter. And because they are made up, there are 1,000
# more samples that no search sees.
from matplotlib import pyplot as plt
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sweepless import SequentialSelector, permutation_reference
from sweepless.reports import PanelDisplay, SubsetCurveDisplay

X, y = make_classification(
    n_samples=1150, n_features=1000, n_informative=8, n_redundant=12, n_classes=4, n_clusters_per_class=1,
    class_sep=1.5, shuffle=False, random_state=1,
)  # fmt: skip
X, X_new, y, y_new = train_test_split(X, y, train_size=150, stratify=y, random_state=0)

# %%
# Without an estimator, a panel of smooth criteria is compared on samples that their searches do not see. The other
# selector maximizes the accuracy of the nearest neighbor, which is easily fooled by so few samples: compare what each
# promises with what new samples say.
by_panel = SequentialSelector(max_size=10, random_state=0).fit(X, y)
size = by_panel.n_features_
by_accuracy = SequentialSelector(KNeighborsClassifier(1), n_features_to_select=size, random_state=0).fit(X, y)

model = make_pipeline(StandardScaler(), SVC())
for name, selector, promised in [
    ("without an estimator", by_panel, by_panel.honest_score_),
    ("by the accuracy of 1-NN", by_accuracy, by_accuracy.best_score_),
]:
    new = model.fit(selector.transform(X), y).score(selector.transform(X_new), y_new)
    real = sum(selector.get_support(indices=True) < 20)
    print(f"{name:<24} {real:>2} of {size} real; promised {promised:.3f}, on 1,000 new samples {new:.3f}.")

# %%
# What does the same search find where there is nothing to find? Shuffled labels tell. The values are those of the
# criterion that the panel chose.
chosen = SequentialSelector(by_panel.criterion_.criterion, method="sSFS", max_size=10, random_state=0)
noise = permutation_reference(chosen, X, y, n_shuffles=9, random_state=0)
print(f"Best value on the labels as they are {noise.best_observed:.3f}, shuffled {noise.best_shuffled.mean():.3f}.")

# %%
# The panel as a picture, and the search beside what chance achieves.
figure, (left, right) = plt.subplots(1, 2, figsize=(14, 5.2), layout="constrained")
PanelDisplay.from_selector(by_panel, ax=left)
SubsetCurveDisplay.from_selector(chosen.fit(X, y), permutation=noise, ax=right)
plt.show()
