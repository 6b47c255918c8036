"""The version, and nothing else, so that packaging can read it without importing us."""

__version__ = "0.1.0"
