"""Run mypy with capdeco's plugin switched on, whatever its configuration says."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mypy import util
from mypy.fscache import FileSystemCache
from mypy.main import process_options, run_build

PLUGIN: Final = "capdeco.check.mypy_plugin"


def run_mypy(arguments: Sequence[str]) -> int:
    """Check as `mypy ARGUMENTS` would, the configuration it finds included, plus the plugin.

    mypy has no option for a plugin, so its own steps are taken one by one here (tested per supported version).

    Returns:
        mypy's exit code: 0 clean, 1 errors found, 2 it could not check.
    """
    # Deeply nested source needs what mypy's own entry point asks for.
    sys.setrecursionlimit(2**14)
    cache = FileSystemCache()
    sources, options = process_options(list(arguments), stdout=sys.stdout, stderr=sys.stderr, fscache=cache)
    if PLUGIN not in options.plugins:
        options.plugins.append(PLUGIN)
    if not options.config_file:
        # Without a configuration file mypy loads no plugin; ours finds its own section beside it.
        project = Path("pyproject.toml")
        options.config_file = str(project if project.is_file() else Path(__file__).with_name("alone.ini"))
    _, messages, blocked = run_build(sources, options, cache, time.time(), sys.stdout, sys.stderr)
    errors, notes, files = util.count_stats(messages)
    if options.error_summary:
        formatter = util.FancyFormatter(sys.stdout, sys.stderr, options.hide_error_codes)
        color = options.color_output
        if errors:
            summary = formatter.format_error(errors, files, len(sources), blockers=blocked, use_color=bool(color))
            sys.stdout.write(summary + "\n")
        elif not blocked:  # else a wrong setting stopped it before it had looked at a file
            sys.stdout.write(formatter.format_success(len(sources), bool(color)) + "\n")
    sys.stdout.flush()
    return 2 if blocked else 1 if len(messages) > notes else 0
