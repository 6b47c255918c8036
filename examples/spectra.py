"""
Spectra: bands instead of wavelengths
=====================================

Regression on near-infrared spectra. An instrument with a few filters measures bands, not single wavelengths, so bands
are selected as wholes; and the temperature of the sample is always known, so it is always used.
"""

# %%
# Three substances overlap, the baseline drifts, peaks move with the temperature. The amount of the first is wanted.
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from scipy.signal import savgol_filter
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sweepless import SequentialSelector
from sweepless.reports import SubsetCurveDisplay

WAVES = np.arange(1000, 2500, 5)  # nanometres


def spectra(n_samples: int = 300, seed: int = 0):
    """First derivatives of spectra with the temperature, and the amount of the first substance."""
    rng = np.random.default_rng(seed)
    amounts, warmth = rng.uniform(size=(n_samples, 3)), rng.normal(size=n_samples)
    light = rng.normal(scale=0.3, size=(n_samples, 1)) * (WAVES / 1000 - 1.7)
    for substance, peaks in enumerate([(1210, 1730, 2310), (1190, 1450, 2290), (1940, 1700, 2100)]):
        for peak in peaks:
            light += amounts[:, [substance]] * np.exp(-(((WAVES - peak - 6 * warmth[:, None]) / 45) ** 2))
    light += rng.normal(scale=0.05, size=light.shape)
    slopes = pd.DataFrame(savgol_filter(light, 11, 2, deriv=1), columns=[f"{wave} nm" for wave in WAVES])
    return slopes.assign(temperature=warmth), amounts[:, 0]


X, y = spectra()
seen, unseen, y_seen, y_unseen = train_test_split(X, y, random_state=0)

# %%
# ``feature_groups`` names the columns of each band, and ``"1se"`` takes the smallest size that is as good as the best,
# within one standard error.
bands = [[f"{wave} nm" for wave in WAVES[first : first + 10]] for first in range(0, len(WAVES), 10)]
model = make_pipeline(StandardScaler(), KNeighborsRegressor())
selector = SequentialSelector(
    model, method="SFFS", n_features_to_select="1se", max_size=10, scoring="r2", overshoot=1,
    feature_groups=bands, fixed_features=["temperature"], random_state=0,
).fit(seen, y_seen)  # fmt: skip

chosen = [f"{band[0].split()[0]}-{band[-1]}" for band in bands if band[0] in selector.get_feature_names_out()]
print(f"{len(bands)} bands of 10 wavelengths, {selector.n_evaluations_:,} subsets valued.")
print(f"Chosen: {', '.join(chosen)} and the temperature; R² {selector.best_score_:.3f} over the folds.")
few = model.fit(selector.transform(seen), y_seen).score(selector.transform(unseen), y_unseen)
everything = model.fit(seen, y_seen).score(unseen, y_unseen)
print(f"Samples never seen: R² {few:.3f} with these {selector.n_features_} columns, {everything:.3f} with all.")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.6), layout="constrained")
right.plot(WAVES, X.iloc[:25, :-1].T, color="0.6", linewidth=0.6)
right.fill_between(WAVES, *right.get_ylim(), where=selector.support_[:-1], alpha=0.3, linewidth=0)
right.set(title="First derivatives of 25 spectra, and the chosen bands", xlabel="wavelength in nm", yticks=[])
SubsetCurveDisplay.from_selector(selector, ax=left)
plt.show()
