"""Methods and scikit-learn's own selectors side by side on one's own data, at matched evaluations."""
