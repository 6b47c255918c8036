"""Distances between multinomial class models."""
