"""Naive twins of everything fast, written from the description of the method and from nothing else."""
