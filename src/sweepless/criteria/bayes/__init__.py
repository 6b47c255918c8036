"""Naive Bayes by cross-validation."""
