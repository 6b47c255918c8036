"""Linear models by cross-validation: `ridge` for searches, `least_squares` for the digits of scikit-learn."""
