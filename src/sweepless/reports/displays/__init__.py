"""Pictures of a fitted selector, in the manner of scikit-learn's displays."""
