"""A script that is taken for a module."""

import sys
from pathlib import Path

sys.exit(f"no settings in {Path.home()}")
