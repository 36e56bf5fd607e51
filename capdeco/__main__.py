"""`python -m capdeco` is `capdeco`."""

from capdeco.cli import main

main()
