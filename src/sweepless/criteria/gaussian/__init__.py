"""Distances between normal models."""
