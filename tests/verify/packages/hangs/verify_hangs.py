"""Waits for somebody who never comes, and so does a process that it started; both hold the lock while they live."""

import fcntl
import subprocess
import sys
import threading
from pathlib import Path

LOCK = (Path.home() / "alive").open("w")
fcntl.flock(LOCK, fcntl.LOCK_EX)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], pass_fds=[LOCK.fileno()])

threading.Event().wait()
