"""A pool of 157 tools over 8 domains, and 15 operations over them: what a large installation looks like."""
