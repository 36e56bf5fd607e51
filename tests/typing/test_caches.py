"""Whatever is cached, and in every mode, mypy with the plugin says what it says without a cache.

Some of the scenarios here; all of them, which takes minutes, with `CAPDECO_CACHES=all` in the environment.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

import mypy.api
import pytest
from mypy.dmypy_server import Server, process_start_options
from mypy.version import __version__ as mypy_version

from tests.typing.cache_scenarios import PROJECT, SCENARIOS

Check: TypeAlias = Callable[[], list[str]]
Answer: TypeAlias = dict[str, object]
FLAGS: Final = ("--no-error-summary", "--hide-error-context", "--show-column-numbers", "--cache-dir=.mypy_cache")
LIBRARIES: Final = (
    "import capdeco, attrs, msgspec, pydantic, typing\nfrom capdeco import Step, capability, operation, tool\n"
)
CHOSEN: Final = SCENARIOS if os.environ.get("CAPDECO_CACHES") == "all" else SCENARIOS[::10]
OPERATIONS: Final = ("ops.py", "later.py", "names_only.py", "steps_only.py", "cycle_a.py")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[str]]:
    """Scenario -> what mypy says after it when it has nothing cached of the project; "" is before any."""
    # The libraries' part of the cache is kept: no scenario changes them. The project's modules are empty there.
    libraries = tmp_path_factory.mktemp("libraries")
    _write(libraries, {**dict.fromkeys(PROJECT, ""), "mypy.ini": PROJECT["mypy.ini"], "libraries.py": LIBRARIES}, {})
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
    for name in PROJECT.keys() - sources.keys():
        (directory / name).unlink(missing_ok=True)
    for name, source in sources.items():
        path = directory / name
        if not path.exists() or path.read_text() != source:
            path.write_text(source)
            times[name] = times.get(name, 1_700_000_000) + 2
            os.utime(path, (times[name], times[name]))


def _run(directory: Path, *arguments: str, files: tuple[str, ...] = ()) -> list[str]:
    with contextlib.chdir(directory):
        printed, errors, status = mypy.api.run([*FLAGS, *arguments, *(files or _modules())])
    assert status in (0, 1), printed + errors
    return sorted(printed.splitlines())


def _warm(directory: Path) -> Check:
    return lambda: _run(directory)


def _only_operations(directory: Path) -> Check:
    return lambda: _run(directory, files=OPERATIONS)


def _parallel(directory: Path) -> Check:
    return lambda: _run(directory, "-n2")


def _no_local_partial_types(directory: Path) -> Check:
    return lambda: _run(directory, "--no-local-partial-types")


def _modules() -> list[str]:
    return sorted(path.name for path in Path().glob("*.py"))


def _daemon(directory: Path, again: Callable[[Server, Mapping[str, str]], Answer], *flags: str) -> Check:
    """Ask a daemon: at first to check, then *again*, which is given the sources of the time before."""
    server: list[Server] = []
    before: dict[str, str] = {}

    def run() -> list[str]:
        with contextlib.chdir(directory):
            sources = {path.name: path.read_text() for path in (Path("mypy.ini"), *map(Path, _modules()))}
            # Only `run` looks at the configuration and at plugins; in the other modes it is for the user to restart.
            changed = again is not _run_again and sources["mypy.ini"] != before.get("mypy.ini")
            answer = again(server[0], before) if server and not changed else {"restart": "nothing runs"}
            if "restart" in answer:
                server[:] = [Server(process_start_options([*FLAGS, *flags], False), "dmypy.json")]
                answer = _check_again(server[0], before)
            before.clear()
            before.update(sources)
        assert "out" in answer, answer
        assert not answer["err"], answer
        return sorted(str(answer["out"]).splitlines())

    return run


def _run_again(server: Server, _before: Mapping[str, str]) -> Answer:
    return server.cmd_run(mypy_version, [*FLAGS, *_modules()], False, False, 80)


def _check_again(server: Server, _before: Mapping[str, str]) -> Answer:
    return server.cmd_check(_modules(), False, False, 80)


def _recheck(server: Server, _before: Mapping[str, str]) -> Answer:
    return server.cmd_recheck(False, 80, False)


def _recheck_changed(server: Server, before: Mapping[str, str]) -> Answer:
    """Tell the daemon what was edited, as an editor does: it looks at no other file."""
    update = [name for name in _modules() if Path(name).read_text() != before.get(name)]
    remove = [name for name in before if not Path(name).exists()]
    return server.cmd_recheck(False, 80, False, remove=remove, update=update)


def _told(directory: Path) -> Check:
    # mypy takes a list of what changed only where it does not follow imports; PROJECT's mypy.ini still follows them
    # into the libraries.
    return _daemon(directory, _recheck_changed, "--follow-imports=error")


MODES: Final[Mapping[str, Callable[[Path], Check]]] = {
    "warm": _warm,
    "warm, only the operations": _only_operations,
    "parallel": _parallel,
    "--no-local-partial-types": _no_local_partial_types,
    "daemon, run": partial(_daemon, again=_run_again),
    "daemon, check": partial(_daemon, again=_check_again),
    "daemon, recheck": partial(_daemon, again=_recheck),
    "daemon, recheck of what changed": _told,
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
        when = f"after {name!r}" if name else f"after undoing {before!r}"
        _compare(check(), expected[name], when, wrong, mode)
        before = name
    assert not wrong, "\n".join(wrong)


def _compare(found: list[str], expected: list[str], when: str, wrong: list[str], mode: str) -> None:
    if mode == "warm, only the operations":
        expected = [line for line in expected if line.split(":")[0] in OPERATIONS]
        found = [line for line in found if line.split(":")[0] in OPERATIONS]
    # mypy points at its documentation once per process: where, and how often, depends on the mode.
    expected, found = ([line for line in each if "note: See https://mypy." not in line] for each in (expected, found))
    if found != expected:
        lost = "".join(f"\n    - {line}" for line in expected if line not in found)
        more = "".join(f"\n    + {line}" for line in found if line not in expected)
        wrong.append(f"{when}:{lost}{more}")
