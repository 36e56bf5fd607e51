"""Runs mypy with the plugin over many small files at once."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

from capdeco.errors import Diagnostic

_EXPECTED: Final = re.compile(r"#\s*E:\s*([\w, -]+)")
_ERROR: Final = re.compile(r"^(?P<file>[^:]+\.pyi?):(?P<line>\d+): (?P<kind>error|note): (?P<text>.*)$")
_CODE: Final = re.compile(r"\[([\w-]+)\]$")
_UNCHECKED: Final = "(capdeco-unchecked)"

HERE: Final = Path(__file__).parent
PACKAGES: Final = ("tests/__init__.py", "tests/typing/__init__.py")
CONFIG: Final = "[mypy]\nstrict = True\nplugins = capdeco.check.mypy_plugin\n"


@attrs.frozen
class Message:
    file: str
    line: int
    code: str
    text: str


def run_mypy(directory: Path, *arguments: str, config: str = CONFIG) -> list[Message]:
    """Check *directory* in a process of its own; the messages, notes other than ours left out."""
    (directory / "mypy.ini").write_text(config)
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--hide-error-context", *(arguments or (".",))]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return parse(done.stdout)


def parse(output: str) -> list[Message]:
    """Read what mypy printed."""
    found: list[Message] = []
    for line in output.splitlines():
        match = _ERROR.match(line)
        assert match or ": note: " in line, f"mypy said something else: {output}"
        if match is None:
            continue
        text = match["text"]
        code = _CODE.search(text)
        if match["kind"] == "error":
            found.append(Message(match["file"], int(match["line"]), code[1] if code else "", text))
        elif text.endswith(_UNCHECKED):
            found.append(Message(match["file"], int(match["line"]), "capdeco-unchecked", text))
    return found


def write(directory: Path, sources: Mapping[str, str]) -> None:
    """Write files, by path below *directory*."""
    for name, source in sources.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)


def sources_of(folder: str) -> dict[str, str]:
    """Give the sources in a folder beside this file, by the path that makes them the modules that they are here."""
    files = {f"tests/typing/{path.relative_to(HERE)}": path.read_text() for path in (HERE / folder).rglob("*.py")}
    return {**dict.fromkeys(PACKAGES, ""), **dict(sorted(files.items()))}


def expected_in(source: str) -> list[tuple[int, str]]:
    """Give the (line, code) pairs that `# E: code, code` comments announce."""
    return sorted(
        (number, code.strip())
        for number, line in enumerate(source.splitlines(), start=1)
        if (match := _EXPECTED.search(line))
        for code in match[1].split(",")
    )


def as_mypy(diagnostic: Diagnostic) -> str:
    """Give the text that mypy is to say where another reader gives *diagnostic*.

    The part of a function that is at fault is named by all; what else a subject names, mypy points at.
    """
    part = f"{diagnostic.subject}: " if diagnostic.subject.startswith("the ") else ""
    return f"{part}{'; '.join(filter(None, [diagnostic.what, diagnostic.fix]))}  [{diagnostic.code}]"


def found_in(messages: Sequence[Message]) -> list[tuple[int, str]]:
    """Give the (line, code) pairs of *messages*, each once."""
    return sorted({(each.line, each.code) for each in messages})
