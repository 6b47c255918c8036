"""Data the search never saw, used once."""
