"""Sequential feature selection without the sweep.

>>> from sweepless import KNN, Dataset, make_madelon, run
>>> result = run("sSFFS", KNN(), make_madelon(), target=10)

Everything is imported on first use: `import sweepless` compiles nothing and loads no heavy library.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sweepless._version import __version__

_HOMES = {
    "sweepless.criteria.base": ["Criterion", "Cursor"],
    "sweepless.criteria.bayes.gaussian": ["GaussianNB"],
    "sweepless.criteria.bayes.multinomial": ["MultinomialNB"],
    "sweepless.criteria.composite": ["Mean", "Memoized", "Penalized"],
    "sweepless.criteria.estimator": ["EstimatorCriterion"],
    "sweepless.criteria.filters": ["CFS", "JointMutualInformation"],
    "sweepless.criteria.gaussian.distances": ["GaussianBhattacharyya", "GaussianDivergence", "GeneralizedMahalanobis"],
    "sweepless.criteria.linear.ridge": ["RidgeCriterion"],
    "sweepless.criteria.svm": ["SVM"],
    "sweepless.criteria.units": ["Units"],
    "sweepless.criteria.function": ["FunctionCriterion"],
    "sweepless.criteria.neighbors.knn": ["KNN"],
    "sweepless.criteria.neighbors.regression": ["KNNRegression"],
    "sweepless.criteria.multinomial.bhattacharyya": ["MultinomialBhattacharyya"],
    "sweepless.data": ["load"],
    "sweepless.paper.reuters_files": ["read_reuters"],
    "sweepless.data.scaling": ["Scaler01"],
    "sweepless.data.synthetic": ["make_madelon"],
    "sweepless.dataset": ["Dataset"],
    "sweepless.direction": ["Direction"],
    "sweepless.errors": [
        "AuditWarning",
        "CacheWarning",
        "CampaignError",
        "CampaignWarning",
        "CriterionError",
        "DataError",
        "IncompleteWarning",
        "InputError",
        "JournalError",
        "JournalWarning",
        "SpecError",
        "SweeplessError",
    ],
    "sweepless.journal.journal": ["Journal"],
    "sweepless.journal.resume": ["resume"],
    "sweepless.reports.displays.anatomy": ["AnatomyDisplay"],
    "sweepless.reports.displays.curve": ["SubsetCurveDisplay"],
    "sweepless.reports.displays.scores": ["FeatureScoreDisplay"],
    "sweepless.reports.displays.stability": ["StabilityDisplay"],
    "sweepless.reports.displays.trajectory": ["TrajectoryDisplay"],
    "sweepless.engine.generator": ["PortableRng", "ReferenceRng", "Rng"],
    "sweepless.search.archive": ["Record"],
    "sweepless.search.budget": ["BudgetFraction"],
    "sweepless.search.cost": ["CostPrediction", "predict_cost"],
    "sweepless.search.cost_model": ["CostModel", "PAPER_COSTS"],
    "sweepless.search.methods": ["METHODS", "Method", "stochastic"],
    "sweepless.search.proposal": ["Proposal", "SoftmaxProposal", "TopKProposal", "UniformProposal"],
    "sweepless.search.ranking": ["DependencySteps", "IndividualSteps", "Ranking", "prefix_curve"],
    "sweepless.search.restricted": ["HybridSteps", "RestrictedSteps"],
    "sweepless.search.result": ["Result"],
    "sweepless.search.run": ["run"],
    "sweepless.search.sampled": ["SampledSteps", "WarmUp"],
    "sweepless.search.statistics": [
        "ContrastStatistics",
        "Frozen",
        "RawContrastStatistics",
        "RawMeanStatistics",
        "Statistics",
    ],
    "sweepless.search.stop": ["Limits", "StopReason"],
    "sweepless.search.sweep": ["SweepSteps"],
    "sweepless.selectors.consensus": ["Consensus", "agreement", "consensus"],
    "sweepless.selectors.permutation": ["PermutationReference", "permutation_reference"],
    "sweepless.selectors.repeats": ["Repetition"],
    "sweepless.validation.consistency": [
        "consistency",
        "inter_consistency",
        "inter_weighted_consistency",
        "majority_agreement",
        "relative_weighted_consistency",
        "shannon_consistency",
        "weighted_consistency",
        "weighted_consistency_bounds",
    ],
    "sweepless.validation.pairwise": [
        "inter_hamming_index",
        "inter_tanimoto_index",
        "normalized_hamming_index",
        "tanimoto_index",
    ],
    "sweepless.selectors.outcome": ["Coverage", "Subset"],
    "sweepless.selectors.pilot": ["CostEstimate"],
    "sweepless.selectors.ranking": ["RankingSelector"],
    "sweepless.selectors.sequential": ["SequentialSelector"],
    "sweepless.validation.holdout": ["holdout_accuracy"],
    "sweepless.validation.splits": ["RandomSplits", "Split"],
    "sweepless.validation.stability": ["Stability", "StabilityEstimate", "nogueira_stability", "stability"],
    "sweepless.validation.trial": ["Trial", "run_trial"],
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'sweepless' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
