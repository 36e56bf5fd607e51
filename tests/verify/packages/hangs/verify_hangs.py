"""Waits for somebody who never comes."""

import threading

threading.Event().wait()
