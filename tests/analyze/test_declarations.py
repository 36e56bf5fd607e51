"""What import refuses is refused from source too, and what is computed is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from capdeco.check.analyze.analysis import analyze_folder
from capdeco.codes import DECLARATION
from capdeco.declare.shape import Object
from tests.analyze.plugins import said

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
    return [(each.place.line - HEAD.count("\n"), said(each)) for each in found if each.place]


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
    [(line, text)] = refusals(f'@tool\ndef b({parameters}) -> None:\n    """d"""\n', tmp_path)
    assert line == 2
    assert text.startswith('the parameter "two" of "b": ')
    assert text.endswith(what)


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
            ['the parameter "context" is a context, and an operation has no body that could use it'],
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


STEPS = '''\
@tool
def b(n: int) -> None:
    """d"""

ONE = (Step(b),)
TWO = [*ONE, Step(a)]
FIRST, *REST = TWO
ITSELF = [*ITSELF]
GROWN = [Step(b)]
GROWN.append(Step(a))

@capability(id="c", description="d")
class C:
    @operation(steps={steps})
    def run(self) -> None:
        """d"""
'''


@pytest.mark.parametrize(
    ("steps", "wrong"),
    [
        ("ONE", 1),
        ("TWO", 1),
        ("[*TWO, *ONE]", 2),
        ("ONE + [Step(a)] + [Step(b), *ONE]", 3),
        ("[*REST, Step(b)]", 1),
        ("REST", 0),
        ("ITSELF", 0),
        ("GROWN", 0),
        ("[Step(a)]", 0),
        ("[Step(b) for _ in ONE]", 0),
    ],
)
def test_steps_are_read_through_names_stars_and_sums(steps: str, wrong: int, tmp_path: Path) -> None:
    (tmp_path / "plugin.py").write_text(HEAD + STEPS.format(steps=steps), "utf-8")
    found = [each for each in analyze_folder(tmp_path).diagnostics if each.code != "capdeco-unchecked"]
    assert [each.code for each in found] == ["capdeco-missing"] * wrong
    assert {each.place.line - HEAD.count("\n") for each in found if each.place} <= {14}


@pytest.mark.parametrize(
    ("made", "fields"),
    [
        ('TypedDict("T", {"n": int, "from": NotRequired[str]})', ["n", "from"]),
        ('TypedDict("T", {"n": "int", "m": int}, total=False)', ["n", "m"]),
        ('NamedTuple("T", [("n", int), ("m", "list[T]")])', ["n", "m"]),
    ],
)
def test_a_class_that_is_made_by_a_call(made: str, fields: list[str], tmp_path: Path) -> None:
    source = f"from typing import NamedTuple, NotRequired, TypedDict\nfrom capdeco import tool\nT = {made}\n"
    (tmp_path / "plugin.py").write_text(f'{source}@tool\ndef b(given: T, /) -> None:\n    """d"""\n')
    [found] = analyze_folder(tmp_path).tools
    assert isinstance(found.takes, Object)
    assert list(found.takes.fields) == fields


@pytest.mark.parametrize(
    ("made", "what"),
    [
        ('Tool.of(plain, name="no spaces")', "a tool name is 1 to 64 of [A-Za-z0-9_-] (ASCII, the whole string)"),
        ('Tool.of(plain, description=" ")', 'the tool "plain" has no description'),
        ("Tool.of(undescribed)", 'the tool "undescribed" has no description'),
        ("tool(lambda: None)", "a tool name is 1 to 64 of [A-Za-z0-9_-] (ASCII, the whole string)"),
        ('tool(name="x")(lambda: None)', 'the tool "x" has no description'),
        ('tool(name="x", description="d")(lambda y: None)', 'the parameter "y" of "<lambda>" has no annotation'),
        ('Tool.of(unfit, description="d")', 'the parameter "x" of "unfit": Plain has no JSON form'),
        ("tool(uses=[len])(plain)", '"len" is no tool: it does not carry @tool'),
    ],
)
def test_a_tool_that_is_made_by_a_call(made: str, what: str, tmp_path: Path) -> None:
    functions = "def undescribed(): ...\nclass Plain: ...\ndef unfit(x: Plain): ...\n"
    found = refusals(f"{functions}MADE = {made}\n", tmp_path)
    assert found
    assert all(line == 4 and text.startswith(what) for line, text in (found[:1] if "lambda: None" in made else found))


@pytest.mark.parametrize(
    "made",
    [
        'Tool.of(plain, name="x", description="d")',
        "Tool.of(wrapped)",
        "Tool.of(elsewhere.function)",
        "Tool.of(plain, **OPTIONS)",
        'tool(name="x", description="d")(lambda: None)',
        "tool(plain)",
    ],
)
def test_a_tool_that_is_made_right(made: str, tmp_path: Path) -> None:
    assert refusals(f"import elsewhere\nMADE = {made}\n", tmp_path) == []


@pytest.mark.parametrize(("given", "exposed"), [("", True), (", expose=False", False), (", expose=True", True)])
def test_a_tool_that_is_made_by_a_call_may_be_internal(given: str, exposed: bool, tmp_path: Path) -> None:
    (tmp_path / "plugin.py").write_text(f'{HEAD}MADE = Tool.of(plain, name="made"{given})\n')
    found = analyze_folder(tmp_path)
    assert [each.exposed for each in found.tools if each.name == "made"] == [exposed]


def test_a_decorator_that_a_name_holds_is_what_it_was_made_as(tmp_path: Path) -> None:
    source = '''\
internal = tool(name="inner", expose=False)
doing = operation(steps=[Step("inner")])

@internal
def b(n: int) -> None:
    """d"""

@capability(id="c", description="d")
class C:
    @doing
    def run(self, n: str) -> None:
        """d"""
    @operation(steps=[Step(b), Step(wrapped)])
    def right(self, n: int) -> None:
        """d"""
'''
    (tmp_path / "plugin.py").write_text(HEAD + source)
    found = analyze_folder(tmp_path)
    assert [(each.name, each.exposed) for each in found.tools if each.name != "a"] == [("inner", False)]
    wrong = [each for each in found.diagnostics if each.code != "capdeco-unchecked"]
    assert [(each.code, each.subject) for each in wrong] == [("capdeco-type", "step 1 of c.run")]


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        ("class C: ...", True),
        ("class C:\n    def run(self) -> None: ...\n    x = 1", True),
        ("class C(elsewhere.Base): ...", False),
        ("class C(base()): ...", False),
        ("class C:\n    run = operation(steps=[Step(a)])(plain)", False),
        ("class C:\n    @wrapping\n    def run(self) -> None: ...", False),
        ("class C:\n    if SECONDS:\n        @operation(steps=[Step(a)])\n        def run(self) -> None: ...", False),
    ],
)
def test_only_a_class_that_surely_has_no_operations_is_refused(body: str, refused: bool, tmp_path: Path) -> None:
    (tmp_path / "plugin.py").write_text(f'{HEAD}import elsewhere\n@capability(id="c", description="d")\n{body}\n')
    found = [each.what for each in analyze_folder(tmp_path).diagnostics if each.code == DECLARATION]
    assert found == (['the capability "c" has no operations'] if refused else [])


def test_an_operation_above_its_capability_comes_too_late(tmp_path: Path) -> None:
    source = '@operation(steps=[Step(a)])\n@capability(id="c", description="d")\ndef run() -> None:\n    """d"""\n'
    assert refusals(source, tmp_path) == [(2, 'the capability "c" has no operations')]


def test_two_classes_of_one_shape_cannot_be_told_apart(tmp_path: Path) -> None:
    classes = "@attrs.define\nclass One:\n    x: int\n@attrs.define\nclass Two:\n    x: int\nEither = One | Two\n"
    ambiguous = '@tool\ndef b(given: Either) -> None:\n    """d"""\n'
    plain = '@tool\ndef c(given: One | None | One) -> None:\n    """d"""\n'
    assert refusals(classes + ambiguous + plain, tmp_path) == [
        (9, 'the parameter "given" of "b": an object {x} and an object {x} cannot be told apart: a value may be either')
    ]


@pytest.mark.parametrize(
    ("alias", "given", "right"),
    [
        ('TypeAliasType("Json", "dict[str, Json] | list[Json] | int")', "dict[str, list[int]]", True),
        ('TypeAliasType("Json", "dict[str, Json] | list[Json] | int")', "dict[str, list[str]]", False),
        ('TypeAliasType("Json", "Json | int")', "str", True),
    ],
)
def test_an_alias_that_holds_itself(alias: str, given: str, right: bool, tmp_path: Path) -> None:
    source = f'''\
from typing_extensions import TypeAliasType
Json = {alias}

@tool
def b(x: Json) -> None:
    """d"""

@capability(id="c", description="d")
@operation(steps=[Step(b)])
def run(x: {given}) -> None:
    """d"""
'''
    (tmp_path / "plugin.py").write_text(HEAD + source)
    found = [each.code for each in analyze_folder(tmp_path).diagnostics if each.code != "capdeco-unchecked"]
    assert found == ([] if right else ["capdeco-type"])


def test_recursive_classes_of_one_name_are_two(tmp_path: Path) -> None:
    for number, field in enumerate(("one: int", "two: str")):
        (tmp_path / f"plugin{number}.py").write_text(f'''\
import attrs
from capdeco import Step, capability, operation, tool

@attrs.frozen
class Node:
    {field}
    below: "list[Node]"

@tool
def tool{number}(x: Node) -> None:
    """d"""

@capability(id="c{number}", description="d")
@operation(steps=[Step(tool{number})])
def run(x: Node) -> None:
    """d"""
''')
    found = analyze_folder(tmp_path)
    assert found.diagnostics == ()
    takes = [tool.takes for tool in found.tools]
    assert all(isinstance(each, Object) for each in takes)
    assert [list(each.fields["x"].shape.target.fields) for each in takes] == [["one", "below"], ["two", "below"]]  # type: ignore[union-attr]


def test_a_class_under_a_tool_is_left_alone_as_at_run_time(tmp_path: Path) -> None:
    source = '@tool\nclass Made:\n    """d"""\n    def __init__(self, path: str) -> None: ...\n'
    assert refusals(source, tmp_path) == []
    step = OPERATION.format(decorator="", parameters="self, path: str").replace("Step(a)", "Step(Made)")
    (tmp_path / "plugin.py").write_text(HEAD + source + step, "utf-8")
    assert [each.code for each in analyze_folder(tmp_path).diagnostics if each.code == DECLARATION] == []
