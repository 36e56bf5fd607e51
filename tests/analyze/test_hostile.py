"""Hostile input is normal input: every file that was not read is listed with its reason, and the run ends."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from capdeco.check.analyze.analysis import analyze_folder
from capdeco.check.analyze.files import Limits
from capdeco.check.analyze.records import Found
from tests.analyze.test_golden import analyze

TOOL = b'from fastmcp import FastMCP\nm = FastMCP("x")\n@m.tool\ndef fine(): ...\n'


def names(found: Found) -> list[object]:
    return [tool.name for tool in found.tools]


def reasons(found: Found) -> dict[str, str]:
    return {each.path: each.reason for each in found.unread}


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("broken.py", b"def x(:\n", "no syntax of Python"),
        ("python2.py", b'print "x"\n', "no syntax of Python"),
        ("binary.py", b"\x00\x01\x02", "binary"),
        ("utf16.py", "x = 'é'".encode("utf-16"), "binary"),
        ("latin.py", b"x = '\xe9'\n", "no syntax of Python"),
        ("punycode.py", b"# coding: punycode\nx = 1\n", "encoding punycode is not read"),
        ("unknown.py", b"# coding: no-such-thing\nx = 1\n", "unknown encoding"),
        ("huge.py", b"x = 1\n" * 400_000, "larger than 2000000 bytes"),
        ("parens.py", b"(" * 5_000, "too many nested"),
        ("minus.py", b"x = " + b"-" * 100_000 + b"1", "nested too deeply"),
        ("attributes.py", b"x = a" + b".b" * 60_000, "nested too deeply"),
        ("indent.py", b"".join(b" " * i + b"if x:\n" for i in range(150)), "too many levels of indentation"),
    ],
)
def test_a_python_file_that_cannot_be_read_is_listed_and_the_others_are_read(
    name: str, data: bytes, reason: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(data)
    (tmp_path / "good.py").write_bytes(TOOL)
    found = analyze_folder(tmp_path)
    assert reason in reasons(found)[name]
    assert names(found) == ["fine"]
    assert found.complete


def test_declared_encodings_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    (tmp_path / "latin.py").write_bytes(b"# coding: latin-1\n" + TOOL.replace(b"fine", b"l\xe9ger"))
    (tmp_path / "bom.py").write_bytes(b"\xef\xbb\xbf" + TOOL)
    assert names(analyze_folder(tmp_path)) == ["fine", "léger"]


def test_string_escapes_that_python_warns_of_are_nobody_s_error(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(TOOL + b"x = '\\d'\ny = 1 is 1\n")
    assert names(analyze_folder(tmp_path)) == ["fine"]


@pytest.mark.parametrize(
    "source",
    [
        "{" * 20_000,
        "[" * 20_000 + "tool({",
        "`${" * 5_000,
        'tool({ name: "x", description: `a ${`b ${"c"}`} }`, parameters: {} ',
        "/* tool({name: 'x'}) */ // tool(\nconst s = '\\' tool({ name: \"y\" })';",
        "a" + ".tool" * 20_000 + "()",
        "const a = b; const b = a; defineTool({ name: a, description: b, parameters: a })",
        "f(" * 3_000 + "tool" + ")" * 3_000,
    ],
)
def test_javascript_of_any_form_is_read_to_its_end(source: str, tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text(source)
    (tmp_path / "good.js").write_text('server.tool("fine", async () => {});')
    found = analyze_folder(tmp_path)
    assert "fine" in names(found)
    assert "x" not in names(found)
    assert "y" not in names(found)
    assert found.complete


def test_comments_and_strings_make_no_tool(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        '''"""@mcp.tool def a(): ..."""\n# @tool\nx = "{'name': 'b', 'parameters': {}}"\ny = f"tool {x!r} {{"\n'''
    )
    (tmp_path / "b.ts").write_text(
        '// server.tool("a", f)\nconst s = `server.tool("b", ${"f"})`;\nconst r = /tool\\("c", f/;\n'
    )
    found = analyze_folder(tmp_path)
    assert names(found) == []
    assert found.unread == ()


def test_imports_and_aliases_in_circles_end(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "from b import *\nfrom b import NAME as N2\nA = B\nB = A\nclass C(D): ...\nclass D(C): ...\n"
    )
    (tmp_path / "b.py").write_text(
        "from a import *\nfrom a import N2 as NAME, C\n@C().tool(name=NAME)\ndef x(y: 'C', z: A): ...\n" + TOOL.decode()
    )
    assert "fine" in names(analyze_folder(tmp_path))


def test_links_are_listed_and_never_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_bytes(TOOL)
    plugin = tmp_path / "plugin"
    (plugin / "inner").mkdir(parents=True)
    (plugin / "good.py").write_bytes(TOOL)
    (plugin / "loop").symlink_to(plugin)
    (plugin / "inner" / "up").symlink_to("..")
    (plugin / "out").symlink_to(outside)
    (plugin / "out.py").symlink_to(outside / "secret.py")
    (plugin / "self.py").symlink_to("self.py")
    (plugin / "nowhere.py").symlink_to("missing.py")
    found = analyze_folder(plugin)
    assert names(found) == ["fine"]
    assert reasons(found) == {
        "inner/up": "a link within the folder, not followed",
        "loop": "a link within the folder, not followed",
        "nowhere.py": "a link that leads nowhere, or to itself",
        "out": "a link out of the folder",
        "out.py": "a link out of the folder",
        "self.py": "a link that leads nowhere, or to itself",
    }


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_that_is_called_like_a_module_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    assert reasons(analyze_folder(tmp_path)) == {"pipe.py": "no regular file"}


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may read everything")
def test_unreadable_files_and_folders_are_listed(tmp_path: Path) -> None:
    (tmp_path / "no.py").write_bytes(TOOL)
    (tmp_path / "no.py").chmod(0)
    (tmp_path / "closed").mkdir(mode=0)
    found = reasons(analyze_folder(tmp_path))
    (tmp_path / "closed").chmod(0o700)
    assert set(found) == {"closed", "no.py"}


def test_a_file_that_vanishes_or_cannot_be_opened_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "no.py").write_bytes(TOOL)

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("capdeco.check.analyze.files.os.open", refuse)
    assert reasons(analyze_folder(tmp_path)) == {"no.py": "cannot be read: Permission denied"}


@pytest.mark.skipif(sys.platform == "darwin", reason="its file systems refuse such names")
def test_a_name_that_is_no_text_is_spelt_out(tmp_path: Path) -> None:
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\x1b[31m.py"))).write_bytes(TOOL)
    done = analyze(".", cwd=tmp_path)
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout
    assert b"fine" in done.stdout
    assert analyze(".", "--json", cwd=tmp_path).returncode == 0


def test_names_that_would_drive_a_terminal_are_spelt_out(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "from fastmcp import FastMCP\nm = FastMCP('x')\n"
        "@m.tool(name='\\x1b]0;pwned\\x07', description='\\u202eabc')\ndef f(): ...\n"
    )
    for options in ((), ("--propose",), ("--json",)):
        printed = analyze(".", *options, cwd=tmp_path).stdout
        assert b"\x1b" not in printed
        assert "\u202e".encode() not in printed


def test_packages_and_caches_are_listed_not_read(tmp_path: Path) -> None:
    for folder in ("node_modules/x", ".venv/lib", "__pycache__"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.py").write_bytes(TOOL)
    assert set(reasons(analyze_folder(tmp_path))) == {"node_modules", ".venv", "__pycache__"}


def test_the_time_limit_ends_the_run_with_a_report(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"m{number:03}.py").write_bytes(TOOL + b"x = [1, 2, 3]\n" * 3_000)
    started = time.monotonic()
    found = analyze_folder(tmp_path, Limits(seconds=0.5))
    assert time.monotonic() - started < 5
    assert not found.complete
    assert found.read + sum("time limit" in reason for reason in reasons(found).values()) >= 200
    assert len(names(found)) - found.read in (0, 1)  # what was found in the file that the time ran out in stays found


def test_the_time_limit_holds_inside_one_javascript_file(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("{[(`tool" * 240_000)
    started = time.monotonic()
    found = analyze_folder(tmp_path, Limits(seconds=0.3))
    assert time.monotonic() - started < 5
    assert reasons(found) == {"a.js": "the time limit was reached"}


def test_a_million_lines_are_within_the_limits(tmp_path: Path) -> None:
    (tmp_path / "lines.py").write_bytes(b"\n" * 1_000_000 + TOOL)
    (tmp_path / "long.py").write_bytes(b"x = 1\n" * 1_000_000)
    found = analyze_folder(tmp_path)
    assert names(found) == ["fine"]
    assert set(reasons(found)) == {"long.py"}


def test_without_the_grammars_the_reason_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    (tmp_path / "a.js").write_text("x")
    (tmp_path / "a.py").write_bytes(TOOL)
    found = analyze_folder(tmp_path)
    assert names(found) == ["fine"]
    assert reasons(found) == {"a.js": 'needs tree-sitter: pip install "capdeco[analyze]"'}


DOUBLED = 45


@pytest.mark.parametrize(
    ("name", "first", "again", "last"),
    [
        (
            "values.py",
            "A0 = ['x']\n",
            "A{n} = [A{m}, A{m}]\n",
            "T = {'name': 'fine', 'parameters': {'type': 'object', 'properties': {'x': {'enum': A{m}}}}}\n",
        ),
        (
            "aliases.py",
            "from capdeco import tool\nA0 = int\n",
            "A{n} = tuple[A{m}, A{m}]\n",
            "@tool\ndef fine(x: A{m}) -> int:\n    'D.'\n",
        ),
        (
            "classes.py",
            "from capdeco import tool\nimport attrs\n@attrs.frozen\nclass A0:\n    x: int\n",
            "@attrs.frozen\nclass A{n}:\n    x: A{m}\n    y: A{m}\n",
            "@tool\ndef fine(x: A{m}) -> int:\n    'D.'\n",
        ),
        (
            "names.py",
            "from fastmcp import FastMCP\nm = FastMCP('x')\nx0 = y\n",
            "x{n}: x{m}() = x{m}()\n",
            "@m.tool\ndef fine(a: x{m} = x{m}): ...\n",
        ),
        (
            "values.js",
            "const a0 = ['x'];\n",
            "const a{n} = [a{m}, a{m}];\n",
            "defineTool({ name: 'fine', parameters: { type: 'object', properties: { x: { enum: a{m} } } } })",
        ),
        (
            "zod.js",
            "const a0 = z.string();\n",
            "const a{n} = z.object({ x: a{m}, y: a{m} });\n",
            "defineTool({ name: 'fine', description: 'b', parameters: a{m} })",
        ),
    ],
    ids=lambda each: each if "." in each and len(each) < 12 else "",
)
def test_what_doubles_at_every_step_ends(name: str, first: str, again: str, last: str, tmp_path: Path) -> None:
    def at(text: str, number: int) -> str:
        return text.replace("{n}", str(number)).replace("{m}", str(number - 1))

    source = first + "".join(at(again, number) for number in range(1, DOUBLED)) + at(last, DOUBLED)
    (tmp_path / name).write_text(source)
    started = time.monotonic()
    assert names(analyze_folder(tmp_path)) == ["fine"]
    assert time.monotonic() - started < 10
