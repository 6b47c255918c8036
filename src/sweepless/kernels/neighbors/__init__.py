"""Nearest neighbors: the definition, and the fast ways that prove its answer."""
