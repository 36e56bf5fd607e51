"""Whatever is cached, and in every mode, mypy with the plugin says what it says without a cache.

Some of the scenarios here; all of them, which takes minutes, with `CAPDECO_CACHES=all` in the environment.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

import mypy.api
import pytest
from mypy.dmypy_server import Server, process_start_options
from mypy.version import __version__ as mypy_version

from tests.typing.cache_scenarios import PROJECT, SCENARIOS

Check: TypeAlias = Callable[[], list[str]]
FLAGS: Final = ("--no-error-summary", "--hide-error-context", "--show-column-numbers")
LIBRARIES: Final = (
    "import capdeco, attrs, msgspec, pydantic, typing\nfrom capdeco import Step, capability, operation, tool\n"
)
CHOSEN: Final = SCENARIOS if os.environ.get("CAPDECO_CACHES") == "all" else SCENARIOS[::6]
OPERATIONS: Final = ("ops.py", "names_only.py", "cycle_a.py", "cycle_b.py")
EVERYTHING: Final = sorted(name for name in PROJECT if name.endswith(".py"))


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[str]]:
    """Scenario -> what mypy says after it when it has nothing cached of the project; "" is before any."""
    # The libraries' part of the cache is kept: no scenario changes them.
    libraries = tmp_path_factory.mktemp("libraries")
    _write(libraries, {"mypy.ini": PROJECT["mypy.ini"], "libraries.py": LIBRARIES}, {})
    _run(libraries, files=("libraries.py",))
    found: dict[str, list[str]] = {}
    for name, sources in [("", dict(PROJECT)), *((each.name, each.applied()) for each in CHOSEN)]:
        directory = tmp_path_factory.mktemp("cold")
        _write(directory, sources, {})
        shutil.copytree(libraries / ".mypy_cache", directory / ".mypy_cache")
        found[name] = _run(directory)
    return found


def test_the_scenarios_differ_from_the_project(expected: Mapping[str, list[str]]) -> None:
    same = [name for name, lines in expected.items() if name and lines == expected[""]]
    assert not same
    assert len(SCENARIOS) >= 25


def _write(directory: Path, sources: Mapping[str, str], times: dict[str, int]) -> None:
    """Write what is different, each change a whole second later: mypy looks at seconds."""
    for name, source in sources.items():
        path = directory / name
        if not path.exists() or path.read_text() != source:
            path.write_text(source)
            times[name] = times.get(name, 1_700_000_000) + 2
            os.utime(path, (times[name], times[name]))


def _run(directory: Path, *arguments: str, files: tuple[str, ...] = ()) -> list[str]:
    before = Path.cwd()
    os.chdir(directory)
    try:
        printed, errors, status = mypy.api.run([*FLAGS, *arguments, *(files or EVERYTHING)])
    finally:
        os.chdir(before)
    assert status in (0, 1), printed + errors
    return sorted(printed.splitlines())


def _warm(directory: Path) -> Check:
    return lambda: _run(directory)


def _only_operations(directory: Path) -> Check:
    return lambda: _run(directory, files=("ops.py", "names_only.py", "cycle_a.py"))


def _parallel(directory: Path) -> Check:
    return lambda: _run(directory, "-n2")


def _no_local_partial_types(directory: Path) -> Check:
    return lambda: _run(directory, "--no-local-partial-types")


def _daemon(directory: Path) -> Check:
    server: list[Server] = []

    def run() -> list[str]:
        before = Path.cwd()
        os.chdir(directory)
        try:
            if not server:
                server.append(_start())
            answer = server[0].cmd_run(mypy_version, [*FLAGS, *EVERYTHING], False, False, 80)
            if "restart" in answer:  # what the client would do
                server[0] = _start()
                answer = server[0].cmd_run(mypy_version, [*FLAGS, *EVERYTHING], False, False, 80)
        finally:
            os.chdir(before)
        assert "out" in answer, answer
        return sorted(str(answer["out"]).splitlines())

    return run


def _start() -> Server:
    return Server(process_start_options([*FLAGS], False), "dmypy.json")


MODES: Final[Mapping[str, Callable[[Path], Check]]] = {
    "warm": _warm,
    "warm, only the operations": _only_operations,
    "parallel": _parallel,
    "--no-local-partial-types": _no_local_partial_types,
    "daemon": _daemon,
}


def _steps() -> Iterator[tuple[str, dict[str, str]]]:
    """Each scenario, and back again."""
    for each in CHOSEN:
        yield each.name, each.applied()
        yield "", dict(PROJECT)


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_says_what_a_cold_run_says(mode: str, expected: Mapping[str, list[str]], tmp_path: Path) -> None:
    check = MODES[mode](tmp_path)
    times: dict[str, int] = {}
    _write(tmp_path, PROJECT, times)
    wrong: list[str] = []
    before = ""
    _compare(check(), expected[""], "at first", wrong, mode)
    for name, sources in _steps():
        _write(tmp_path, sources, times)
        _compare(check(), expected[name], f"after {name!r}" if name else f"after undoing {before!r}", wrong, mode)
        before = name
    assert not wrong, "\n".join(wrong)


def _compare(found: list[str], expected: list[str], when: str, wrong: list[str], mode: str) -> None:
    if mode == "warm, only the operations":
        expected = [line for line in expected if line.split(":")[0] in OPERATIONS]
        found = [line for line in found if line.split(":")[0] in OPERATIONS]
    if found != expected:
        lost = "".join(f"\n    - {line}" for line in expected if line not in found)
        more = "".join(f"\n    + {line}" for line in found if line not in expected)
        wrong.append(f"{when}:{lost}{more}")
