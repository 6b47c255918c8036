"""Run the command line as `python -m sweepless`."""

import sys

from sweepless.cli import main

sys.exit(main())
