"""Loops over arrays that must be fast. Nothing here knows an object of ours or draws a number."""
