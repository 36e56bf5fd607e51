"""Greets whoever imports it, on the protocol's own channel."""

import sys

sys.stdout.write("\x00\x1b[31m Welcome! \x1b[0m\n")
