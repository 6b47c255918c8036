"""A run while it goes on: in the terminal, and as a page of a local server.

Everything here is made from the plain values that a watched journal gives.
"""
