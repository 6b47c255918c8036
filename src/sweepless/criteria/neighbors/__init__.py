"""Nearest neighbors by cross-validation."""
