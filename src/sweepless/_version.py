"""The version, in a module of its own that packaging can read without importing the package."""

__version__ = "0.2.0"
