"""Linear models by cross-validation."""
