"""What the mypy plugin does: facts are read from mypy's types, `declare` gives the verdict, faults get their place."""
