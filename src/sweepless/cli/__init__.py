"""The command line: parse, call one library function, print."""

from sweepless.cli.main import main

__all__ = ["main"]
