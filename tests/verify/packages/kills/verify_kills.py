"""Ends its process with a signal that nobody can catch."""

import os
import signal

os.kill(os.getpid(), signal.SIGKILL)
