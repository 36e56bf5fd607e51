"""Every scenario of the conformance corpus, replayed on the embedded host and the binder."""
