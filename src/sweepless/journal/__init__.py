"""A crash-safe record of one run, and its exact continuation."""
