"""What import refuses is refused from source too, and what is computed is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from capdeco.check.analyze.analysis import analyze_folder
from capdeco.codes import DECLARATION

HEAD = '''\
import dataclasses
import math
from typing import Unpack

import attrs
from attrs import define
from capdeco import Context, Step, Tool, capability, operation, tool

SECONDS = -2
HINTS = {"readonly": True}
OPTIONS = {"slots": False, "timeout": 1}


def plain() -> None:
    """d"""


@attrs.define
class Unrelated:
    x: int


def wrapping(function):
    return tool(function)


@wrapping
def wrapped() -> None:
    """d"""


@tool
def a() -> None:
    """d"""

'''


def refusals(source: str, folder: Path) -> list[tuple[int, str]]:
    """Give what is refused in *source*, and at which of its lines."""
    (folder / "plugin.py").write_text(HEAD + source, "utf-8")
    found = analyze_folder(folder).diagnostics
    assert {each.code for each in found} <= {DECLARATION}
    return [(each.place.line - HEAD.count("\n"), each.what) for each in found if each.place]


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ("timeout=-1", "timeout is a positive number of seconds, not -1"),
        ("timeout=SECONDS", "timeout is a positive number of seconds, not -2"),
        ("timeout=math.inf", "timeout is a positive number of seconds, not inf"),
        ('timeout="5"', "timeout is a positive number of seconds, not '5'"),
        ("annotations=HINTS", "there is no hint 'readonly'"),
        ('annotations={"read_only": None}', "the hint read_only is True or False, not None"),
        ("annotations=dict(title=True)", "the hint title is text, not True"),
        ("uses=[a, plain]", '"plain" is no tool: it does not carry @tool'),
    ],
)
def test_an_option_that_is_written_out_is_checked(options: str, what: str, tmp_path: Path) -> None:
    assert refusals(f'@tool({options})\ndef b() -> None:\n    """d"""\n', tmp_path) == [(1, what)]
    assert refusals(f"MADE = Tool.of(plain, {options})\n", tmp_path) == [(1, what)]


@pytest.mark.parametrize(
    "options",
    [
        "timeout=None, annotations=None, uses=()",
        'timeout=2.5, annotations={"title": "t", "read_only": True}, uses=[a, "elsewhere"]',
        "timeout=min(SECONDS, 3), annotations={str(SECONDS): 1}, uses=[min(plain, a)]",
        'timeout=-SECONDS, annotations={"read_only": bool(SECONDS)}, uses=[wrapped]',
        "**OPTIONS",
    ],
)
def test_an_option_that_is_right_or_computed_is_left_alone(options: str, tmp_path: Path) -> None:
    assert refusals(f'@tool({options})\ndef b() -> None:\n    """d"""\n', tmp_path) == []


@pytest.mark.parametrize(
    ("parameters", "what"),
    [
        ("one: Context, two: Context | None = None", "there is one context, and it is given already"),
        ('one: "Context", two: "Context"', "there is one context, and it is given already"),
        ("two: tuple[int, Unpack[tuple[str, ...]]]", "a tuple with an unpacked part has no JSON form"),
        ("two: list[tuple[int, *tuple[str, ...]]]", "a tuple with an unpacked part has no JSON form"),
    ],
)
def test_a_parameter_that_no_tool_takes(parameters: str, what: str, tmp_path: Path) -> None:
    [(line, said)] = refusals(f'@tool\ndef b({parameters}) -> None:\n    """d"""\n', tmp_path)
    assert line == 2
    assert said.startswith('the parameter "two"')
    assert said.endswith(what)


OPERATION = '''\
@capability(id="c", description="d")
class C:
    @operation(steps=[Step(a)])
    {decorator}
    def run({parameters}) -> None:
        """d"""
'''
NO_SELF = '"C.run" takes no self, so its first parameter is none of the operation\'s'


@pytest.mark.parametrize(
    ("decorator", "parameters", "found"),
    [
        ("", "", [NO_SELF]),
        ("", "here: int", [NO_SELF]),
        ("", "*, here: int", [NO_SELF]),
        ("", "this", []),
        ("", 'self: "C"', []),
        ("@staticmethod", "", []),
        ("@classmethod", "kind: type", []),
        (
            "",
            "self, context: Context",
            ['the parameter "context" of "run" is a context, and an operation has no body that could use it'],
        ),
    ],
)
def test_the_parameters_of_an_operation(decorator: str, parameters: str, found: list[str], tmp_path: Path) -> None:
    source = OPERATION.format(decorator=decorator, parameters=parameters)
    assert refusals(source, tmp_path) == [(5, each) for each in found]


@pytest.mark.parametrize(
    ("above", "lost"),
    [
        ("@attrs.define", True),
        ("@attrs.frozen(kw_only=True)", True),
        ("@define", True),
        ("@dataclasses.dataclass(slots=True)", True),
        ("@dataclasses.dataclass", False),
        ("@attrs.define(slots=False)", False),
        ("@attrs.define(slots=bool(SECONDS))", False),
        ("@attrs.define(**OPTIONS)", False),
    ],
)
def test_a_class_that_is_made_anew_above_a_capability(above: str, lost: bool, tmp_path: Path) -> None:
    shown = above.partition("(")[0]
    what = f'@capability was lost: {shown} stands above it, and makes another class "C"'
    capability = OPERATION.format(decorator="", parameters="self")
    assert refusals(f"{above}\n{capability}", tmp_path) == ([(1, what)] if lost else [])
    assert refusals(capability.replace("class C", f"{above}\nclass C"), tmp_path) == []
