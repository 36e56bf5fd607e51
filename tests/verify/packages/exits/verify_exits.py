"""A script that is taken for a module."""

import sys

sys.exit(3)
