"""A run that is still going on, shown in the terminal or as a page of a local server.

Everything here is made from the plain values that a watched journal gives.
"""
