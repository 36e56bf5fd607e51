"""A small project, and edits to it that change what the plugin finds in modules that were not edited."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs

PROJECT: Final[Mapping[str, str]] = {
    "mypy.ini": """\
[mypy]
plugins = capdeco.check.mypy_plugin
enable_error_code = capdeco-unchecked

[mypy-*.*]
follow_imports = normal

[capdeco]
tool_modules = tools, exported, cycle_b, packs
""",
    "models.py": """\
import enum
from typing import NamedTuple, TypedDict

import attrs
import msgspec
import pydantic

class Base(TypedDict):
    columns: int

@attrs.define
class AttrsBase:
    columns: int = 1

@attrs.define
class Options(AttrsBase):
    ocr: bool = False

class Page(Base):
    number: int

class Point(NamedTuple):
    x: int

class StructBase(msgspec.Struct, rename="lower"):
    pass

class Struct(StructBase):
    first_page: int

class Model(pydantic.BaseModel):
    count: int = pydantic.Field(alias="number")

class Mode(enum.Enum):
    FAST = "fast"
    SLOW = "slow"

Alias = Options
""",
    "tools.py": """\
import models
from capdeco import tool
from names import TOLD

@tool
def read(path: str) -> str:
    '''d'''
    return path

@tool(name="lay_out")
def layout(columns: int = 1) -> None:
    '''d'''

@tool
def wide(columns: int) -> None:
    '''d'''

@tool
def first(first_page: int) -> None:
    '''d'''

@tool
def numbered(number: int) -> None:
    '''d'''

@tool
def positional(path: str, /) -> None:
    '''d'''

@tool(name=TOLD)
def by_constant(path: str) -> None:
    '''d'''

@tool
def moded(mode: models.Mode) -> None:
    '''d'''

@tool
def configured(options: models.Options) -> None:
    '''d'''

class Holder:
    @tool(name="held")
    @staticmethod
    def hold(path: str) -> None:
        '''d'''

def helper(path: str) -> None:
    '''d'''
""",
    "elsewhere.py": """\
from capdeco import tool

@tool
def faraway(path: str) -> None:
    '''d'''
""",
    "exported.py": """\
from elsewhere import faraway as faraway
""",
    "steps.py": """\
from capdeco import Step
from names import FIELD
from tools import layout, positional, read

READING = Step(read)
LAYING = Step(layout, from_=FIELD)
BOTH = (READING, LAYING)
NAMELESS = Step(positional)
""",
    "names.py": """\
from typing import Final

FIELD: Final = "options"
TOOL: Final = "read"
TOLD: Final = "told"
""",
    "base_ops.py": """\
from capdeco import Step, operation
from tools import read

class BaseOps:
    @operation(steps=[Step(read)])
    def inherited(self, path: str) -> None:
        '''d'''
""",
    "base_pack.py": """\
from capdeco import Step, operation
from tools import read

class BasePack:
    @operation(steps=[Step(read)])
    def packed(self, path: str) -> None:
        '''d'''
""",
    "packs.py": """\
from base_pack import BasePack
from capdeco import Step, capability, operation
from tools import read

@capability(id="pack", description="d")
class Pack(BasePack):
    @operation(steps=[Step(read)])
    def own(self, path: str) -> None:
        '''d'''

@capability(id="alone", description="d")
@operation(steps=[Step(read)])
def run(path: str) -> None:
    '''d'''
""",
    "cycle_a.py": """\
import cycle_b
from capdeco import Step, capability, operation

@capability(id="cyclea", description="d")
class CycleA:
    @operation(steps=[Step("in_other")])
    def run(self, path: str) -> None:
        '''d'''
""",
    "cycle_b.py": """\
import cycle_a
from capdeco import tool

@tool
def in_other(path: str) -> None:
    '''d'''

X: "cycle_a.CycleA | None" = None
""",
    "names_only.py": """\
from typing import Literal, TypedDict

from capdeco import Step, capability, operation

class Given(TypedDict):
    columns: int
    ocr: bool

@capability(id="names_only", description="d")
class NamesOnly:
    @operation(steps=[Step("read"), Step("faraway")])
    def files(self, path: str) -> None:
        '''d'''

    @operation(steps=[Step("moded"), Step("configured")])
    def classes(self, mode: Literal["fast", "slow"], options: Given) -> None:
        '''d'''

    @operation(steps=[Step("told"), Step("held")])
    def told(self, path: str) -> None:
        '''d'''

    @operation(steps=[Step("pack_own"), Step("pack_packed"), Step("alone_run")])
    def operations(self, path: str) -> None:
        '''d'''

    @operation(steps=[{"tool": "lay_out"}, {"tool": "wide"}])
    def fields(self, columns: int) -> None:
        '''d'''
""",
    "steps_only.py": """\
from capdeco import capability, operation
from steps import NAMELESS

@capability(id="steps_only", description="d")
class StepsOnly:
    @operation(steps=[NAMELESS])
    def run(self, path: str) -> None:
        '''d'''
""",
    # The one module with a mistake: a daemon checks such modules again each time, needed or not.
    "later.py": """\
from capdeco import Step, capability, operation

@capability(id="later", description="d")
class Later:
    @operation(steps=[Step("later")])
    def run(self, path: str) -> None:
        '''d'''
""",
    "ops.py": """\
from typing import Literal

import models
import steps
from base_ops import BaseOps
from capdeco import Step, capability, operation
from names import TOOL
from tools import first, layout, moded, numbered, positional, read, wide

@capability(id="ops", description="d")
class Ops(BaseOps):
    @operation(steps=[Step(read)])
    def by_function(self, path: str) -> None:
        '''d'''

    @operation(steps=[Step("read")])
    def by_name(self, path: str) -> None:
        '''d'''

    @operation(steps=[Step("lay_out", from_="options")])
    def by_told_name(self, options: models.Options) -> None:
        '''d'''

    @operation(steps=[Step("faraway")])
    def by_export(self, path: str) -> None:
        '''d'''

    @operation(steps=[Step(TOOL)])
    def by_constant(self, path: str) -> None:
        '''d'''

    @operation(steps=[steps.READING, steps.LAYING])
    def named(self, path: str, options: models.Options) -> None:
        '''d'''

    @operation(steps=steps.BOTH)
    def a_tuple(self, path: str, options: models.Alias) -> None:
        '''d'''

    @operation(steps=[Step(wide, from_="options")])
    def typed_dict(self, options: models.Page) -> None:
        '''d'''

    @operation(steps=[Step(first, from_="struct")])
    def struct(self, struct: models.Struct) -> None:
        '''d'''

    @operation(steps=[Step(numbered, from_="model")])
    def model(self, model: models.Model) -> None:
        '''d'''

    @operation(steps=[Step(positional)])
    def positional(self, path: str) -> None:
        '''d'''

    @operation(steps=[Step(moded)])
    def mode(self, mode: Literal["fast", "slow"]) -> None:
        '''d'''

    @operation(steps=[Step("ops_by_name"), Step("ops_inherited")])
    def operation(self, path: str) -> None:
        '''d'''
""",
}


@attrs.frozen
class Scenario:
    name: str
    file: str
    before: str = ""
    after: str | None = None
    """None: the file is deleted."""

    def applied(self) -> dict[str, str]:
        """Give the project after the edit."""
        if self.after is None:
            return {name: source for name, source in PROJECT.items() if name != self.file}
        source = PROJECT[self.file]
        assert source.count(self.before) == 1, (
            f"{self.name}: {self.before!r} is in {self.file} {source.count(self.before)}x"
        )
        return {**PROJECT, self.file: source.replace(self.before, self.after)}


SCENARIOS: Final = (
    Scenario("a parameter's type", "tools.py", "def read(path: str)", "def read(path: int)"),
    Scenario(
        "a parameter's name",
        "tools.py",
        "def read(path: str) -> str:\n    '''d'''\n    return path",
        "def read(file: str) -> str:\n    '''d'''\n    return file",
    ),
    Scenario("a parameter more", "tools.py", "def read(path: str)", "def read(path: str, lang: str)"),
    Scenario("a default taken away", "tools.py", "columns: int = 1", "columns: list[int]"),
    Scenario("a name that is told", "tools.py", 'name="lay_out"', 'name="lay_0ut"'),
    Scenario("a told name taken away", "tools.py", '@tool(name="lay_out")', "@tool"),
    Scenario("a tool taken away", "tools.py", "@tool\ndef read", "def read"),
    Scenario("a tool added", "tools.py", "def helper(", "@tool\ndef later("),
    Scenario(
        "a function turned into a tool",
        "tools.py",
        "def helper(path: str)",
        "@tool(name='later')\ndef helper(path: str)",
    ),
    Scenario("a parameter without a name", "tools.py", "def positional(path: str, /)", "def positional(file: str, /)"),
    Scenario("a name told by a constant", "names.py", 'TOLD: Final = "told"', 'TOLD: Final = "tolled"'),
    Scenario("a tool in a class", "tools.py", 'name="held"', 'name="hold"'),
    Scenario("a tool renamed in Python", "tools.py", "def numbered(number: int)", "def numbered(nummer: int)"),
    Scenario("an exported tool's type", "elsewhere.py", "path: str", "path: int"),
    Scenario("an exported tool's name", "elsewhere.py", "@tool", '@tool(name="far")'),
    Scenario("an export taken away", "exported.py", "from elsewhere import faraway as faraway\n", "X = 1\n"),
    Scenario(
        "a field of a base class",
        "models.py",
        "class AttrsBase:\n    columns: int = 1",
        "class AttrsBase:\n    columns: str = ''",
    ),
    Scenario(
        "a field of a class",
        "models.py",
        "ocr: bool = False",
        "ocr: bool = False\n    columns: str = ''  # type: ignore",
    ),
    Scenario(
        "a field of a base TypedDict",
        "models.py",
        "class Base(TypedDict):\n    columns: int",
        "class Base(TypedDict):\n    columns: str",
    ),
    Scenario(
        "a TypedDict that requires less", "models.py", "class Base(TypedDict):", "class Base(TypedDict, total=False):"
    ),
    Scenario("a rename of a Struct", "models.py", 'rename="lower"', 'rename="camel"'),
    Scenario("a field of a Struct", "models.py", "    first_page: int", "    first_page: str"),
    Scenario(
        "a field's name in a Struct", "models.py", "first_page: int", 'first_page: int = msgspec.field(name="first")'
    ),
    Scenario("an alias to validate by", "models.py", 'alias="number"', 'alias="number", validation_alias="nummer"'),
    Scenario(
        "a setting of a model", "models.py", "(pydantic.BaseModel)", "(pydantic.BaseModel, alias_generator=str.upper)"
    ),
    Scenario("a value of an enum", "models.py", '"fast"', '"quick"'),
    Scenario("an alias of a model", "models.py", 'alias="number"', 'alias="nummer"'),
    Scenario("a type alias", "models.py", "Alias = Options", "Alias = int"),
    Scenario("a constant field", "names.py", 'FIELD: Final = "options"', 'FIELD: Final = "optoins"'),
    Scenario("a constant tool", "names.py", 'TOOL: Final = "read"', 'TOOL: Final = "raed"'),
    Scenario("a constant no more", "names.py", 'TOOL: Final = "read"', 'TOOL = "read"'),
    Scenario("a named step's tool", "steps.py", "READING = Step(read)", "READING = Step(layout)"),
    Scenario("a named step's from", "steps.py", "READING = Step(read)", 'READING = Step(read, from_="path")'),
    Scenario("a tuple of steps", "steps.py", "(READING, LAYING)", "(READING, READING)"),
    Scenario(
        "an inherited operation's name",
        "base_ops.py",
        "@operation(steps=[Step(read)])",
        '@operation(steps=[Step(read)], name="named")',
    ),
    Scenario("an inherited operation taken away", "base_ops.py", "@operation(steps=[Step(read)])", ""),
    Scenario("an inherited operation's steps", "base_ops.py", "Step(read)", 'Step("ops_inherited")'),
    Scenario(
        "an inherited operation more",
        "base_ops.py",
        "class BaseOps:\n",
        "class BaseOps:\n    @operation(steps=[Step(read)], name='by_name')\n"
        "    def more(self, path: str) -> None:\n        '''d'''\n\n",
    ),
    Scenario(
        "the name of an operation that a tool module inherits",
        "base_pack.py",
        "@operation(steps=[Step(read)])",
        '@operation(steps=[Step(read)], name="packaged")',
    ),
    Scenario("the input of an operation that a tool module inherits", "base_pack.py", "path: str", "path: int"),
    Scenario("an id", "packs.py", 'id="pack"', 'id="package"'),
    Scenario("an id of a function", "packs.py", 'id="alone"', 'id="single"'),
    Scenario(
        "an operation's name in a tool module",
        "packs.py",
        "    @operation(steps=[Step(read)])",
        '    @operation(steps=[Step(read)], name="owned")',
    ),
    Scenario("a tool in a cycle", "cycle_b.py", "@tool", ""),
    Scenario("a name in a cycle", "cycle_b.py", "@tool\ndef in_other", '@tool(name="other")\ndef in_other'),
    Scenario("a type in a cycle, by name", "cycle_b.py", "def in_other(path: str)", "def in_other(path: int)"),
    Scenario("the operation itself", "ops.py", "def by_function(self, path: str)", "def by_function(self, pfad: str)"),
    Scenario("a tool module less", "mypy.ini", "tools, exported", "exported"),
    Scenario("what a tool module imports deleted", "elsewhere.py"),
    Scenario("types deleted", "models.py"),
    Scenario("constants deleted", "names.py"),
    Scenario("steps deleted", "steps.py"),
    Scenario("inherited operations deleted", "base_ops.py"),
)
