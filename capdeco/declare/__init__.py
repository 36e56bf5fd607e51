"""Declaring: decorators, records, shapes and the rules over them; no module here knows a host."""
