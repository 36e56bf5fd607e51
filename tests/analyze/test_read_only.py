"""Analyzing a plugin changes nothing in its folder, and runs nothing of it."""

from __future__ import annotations

import os
from pathlib import Path

from capdeco.check.analyze.analysis import analyze_folder
from tests.analyze import plugins
from tests.analyze.test_golden import analyze


def snapshot(root: Path) -> dict[str, tuple[int, int, bytes]]:
    found = {}
    for folder, _, files in os.walk(root):
        for path in (Path(folder), *(Path(folder, name) for name in files)):
            status = path.stat()
            found[str(path)] = (status.st_size, status.st_mtime_ns, path.read_bytes() if path.is_file() else b"")
    return found


def test_names_sizes_bytes_and_times_stay_as_they_were(tmp_path: Path) -> None:
    for name, plugin in plugins.ALL.items():
        plugins.write(plugin, tmp_path / name)
    before = snapshot(tmp_path)
    for options in ((), ("--json",), ("--propose",), ("--json", "--propose")):
        assert analyze(str(tmp_path), *options, cwd=tmp_path).returncode == 0
    assert snapshot(tmp_path) == before


def test_a_plugin_whose_import_would_abort_the_process(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    plugin = tmp_path / "plugin"
    source = f"""
        import os
        import pathlib
        pathlib.Path({str(marker)!r}).touch()
        os.abort()
        from fastmcp import FastMCP
        mcp = FastMCP("x")
        @mcp.tool
        def still_found(): ...
    """
    plugins.write({"__init__.py": source, "conftest.py": source, "sitecustomize.py": source}, plugin)
    done = analyze("plugin", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.decode().count("still_found") >= 3
    assert not marker.exists()


def test_a_coding_line_loads_no_codec_of_the_plugin(tmp_path: Path) -> None:
    plugins.write({"a.py": "# coding: evil_codec\nx = 1\n", "evil_codec.py": "raise SystemExit"}, tmp_path)
    found = analyze_folder(tmp_path)
    assert [each.path for each in found.unread] == ["a.py"]
