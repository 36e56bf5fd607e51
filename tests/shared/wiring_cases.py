"""One table of verdicts for every reader: a module with tools and one operation, and the codes of what is wrong."""

from __future__ import annotations

import textwrap
from typing import Final

import attrs

PRELUDE: Final = """\
from __future__ import annotations

import datetime
import decimal
import enum
import pathlib
import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from typing import Any, Generic, Literal, NamedTuple, NewType, NotRequired, Protocol, TypedDict, TypeVar, Unpack

import attrs
import msgspec
import pydantic

from capdeco import Context, Step, Tool, capability, operation, tool

T = TypeVar("T")


@attrs.frozen
class Options:
    columns: int = 1
    ocr: bool = False


@dataclass
class Size:
    width: int
    height: int = 0


class Page(TypedDict):
    number: int
    title: NotRequired[str]


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"
"""

_TOOL: Final = '''

@tool
def {signature} -> None:
    """Do a part of it."""
'''

_OPERATION: Final = '''

@capability(id="case", description="A case.")
class Case:
    @operation(steps=[{steps}])
    def run(self{parameters}) -> None:
        """Run it."""
'''

_TWO: Final = """
class One(TypedDict):
    kind: Literal["one"]


class Two(TypedDict):
    kind: Literal["two"]
    n: int
"""


@attrs.frozen
class Case:
    name: str
    source: str
    codes: frozenset[str]


def case(name: str, codes: str = "", *, tools: str, steps: str, takes: str = "", types: str = "") -> Case:
    """Make a case.

    Args:
        name: a sentence, as an identifier.
        codes: what is wrong, without the `capdeco-` of each; nothing: it is right.
        tools: one signature per line.
        steps: the steps, as in `steps=[...]`.
        takes: the parameters of the operation.
        types: source before the tools.
    """
    parts = [PRELUDE, "\n\n" + textwrap.dedent(types).strip() + "\n" if types else ""]
    parts += [_TOOL.format(signature=line.strip()) for line in tools.strip().splitlines()]
    parts.append(_OPERATION.format(steps=steps, parameters=f", {takes}" if takes else ""))
    return Case(name, "".join(parts), frozenset(f"capdeco-{code}" for code in codes.split()))


CASES: Final = (
    # Right
    case("whole_input", tools="a(path: str)", steps="Step(a)", takes="path: str"),
    case("no_input_at_all", tools="a()", steps="Step(a)"),
    case(
        "two_steps_share_the_input",
        tools="a(path: str)\nb(n: int)",
        steps="Step(a), Step(b)",
        takes="path: str, n: int",
    ),
    case("from_attrs", tools="a(columns: int)", steps='Step(a, from_="layout")', takes="layout: Options"),
    case("from_dataclass", tools="a(width: int)", steps='Step(a, from_="size")', takes="size: Size"),
    case("from_typed_dict", tools="a(number: int)", steps='Step(a, "page")', takes="page: Page"),
    case("mapping_steps", tools="a(columns: int)", steps='{"tool": "a", "from": "layout"}', takes="layout: Options"),
    case("step_by_name", tools="a(path: str)", steps='Step("a")', takes="path: str"),
    case("defaults_are_provided", tools="a(path: str)", steps="Step(a)", takes='path: str = "x"'),
    case("nested_defaults_are_provided", tools="a(height: int)", steps='Step(a, "size")', takes="size: Size"),
    case("optional_parameter_of_the_tool", tools="a(path: str, n: int = 1)", steps="Step(a)", takes="path: str"),
    case("int_into_float", tools="a(x: float)", steps="Step(a)", takes="x: int"),
    case("literal_into_str", tools="a(x: str)", steps="Step(a)", takes='x: Literal["p", "q"]'),
    case("literal_into_enum", tools="a(x: Colour)", steps="Step(a)", takes='x: Literal["red", "blue"]'),
    case("enum_into_str", tools="a(x: str)", steps="Step(a)", takes="x: Colour"),
    case("enum_into_literal", tools="a(x: Literal['red', 'blue', 'green'])", steps="Step(a)", takes="x: Colour"),
    case("date_into_str", tools="a(x: str)", steps="Step(a)", takes="x: datetime.date"),
    case("uuid_into_str", tools="a(x: str)", steps="Step(a)", takes="x: uuid.UUID"),
    case("decimal_into_str", tools="a(x: str)", steps="Step(a)", takes="x: decimal.Decimal"),
    case("str_into_path", tools="a(x: pathlib.Path)", steps="Step(a)", takes="x: str"),
    case("path_into_str", tools="a(x: str)", steps="Step(a)", takes="x: pathlib.Path"),
    case("str_into_bytes", tools="a(x: bytes)", steps="Step(a)", takes="x: str"),
    case(
        "new_type_both_ways",
        tools="a(x: int)\nb(x: Id)",
        steps="Step(a), Step(b)",
        takes="x: Id",
        types='Id = NewType("Id", int)',
    ),
    case("list_into_sequence", tools="a(x: Sequence[float])", steps="Step(a)", takes="x: list[int]"),
    case("set_into_list", tools="a(x: list[int])", steps="Step(a)", takes="x: set[int]"),
    case("tuple_into_list", tools="a(x: list[int])", steps="Step(a)", takes="x: tuple[int, int]"),
    case("object_into_mapping", tools="a(x: Mapping[str, int])", steps="Step(a)", takes="x: Size"),
    case(
        "class_into_class_of_the_same_shape",
        tools="a(x: Size)",
        steps="Step(a)",
        takes="x: Other",
        types="@attrs.frozen\nclass Other:\n    width: int\n    height: int = 3",
    ),
    case("narrow_union_into_wide", tools="a(x: int | str | None)", steps="Step(a)", takes="x: int | None"),
    case(
        "from_union_each_provides",
        tools="a(kind: str)",
        steps='Step(a, "shape")',
        takes="shape: One | Two",
        types=_TWO,
    ),
    case("open_tool_takes_every_field", tools="a(**rest: int)", steps="Step(a)", takes="x: int, y: int"),
    case(
        "whole_typed_dict",
        tools="a(number: int)",
        steps="Step(a)",
        takes="**page: Unpack[Wanted]",
        types="class Wanted(TypedDict):\n    number: int",
    ),
    case("whole_attrs", tools="a(columns: int, ocr: bool)", steps="Step(a)", takes="given: Options, /"),
    case(
        "whole_named_tuple",
        tools="a(x: int)",
        steps="Step(a)",
        takes="given: Point, /",
        types="class Point(NamedTuple):\n    x: int",
    ),
    case(
        "whole_struct",
        tools="a(x: int)",
        steps="Step(a)",
        takes="given: Given, /",
        types="class Given(msgspec.Struct):\n    x: int",
    ),
    case(
        "whole_model",
        tools="a(x: int)",
        steps="Step(a)",
        takes="given: Given, /",
        types="class Given(pydantic.BaseModel):\n    x: int",
    ),
    case(
        "from_of_a_whole_input",
        tools="a(width: int)",
        steps='Step(a, "size")',
        takes="given: Given, /",
        types="@attrs.frozen\nclass Given:\n    size: Size",
    ),
    case(
        "tool_with_whole_input", tools="a(given: Options, /)", steps="Step(a)", takes="columns: int, ocr: bool = True"
    ),
    case(
        "struct_rename",
        tools="a(pageCount: int)",
        steps='Step(a, "given")',
        takes="given: Given",
        types='class Given(msgspec.Struct, rename="camel"):\n    page_count: int',
    ),
    case(
        "struct_field_name",
        tools="a(n: int)",
        steps='Step(a, "given")',
        takes="given: Given",
        types='class Given(msgspec.Struct):\n    count: int = msgspec.field(name="n")',
    ),
    case(
        "attrs_alias",
        tools="a(n: int)",
        steps='Step(a, "given")',
        takes="given: Given",
        types='@attrs.frozen\nclass Given:\n    count: int = attrs.field(alias="n")',
    ),
    case(
        "attrs_private",
        tools="a(count: int)",
        steps='Step(a, "given")',
        takes="given: Given",
        types="@attrs.frozen\nclass Given:\n    _count: int\n    other: int = attrs.field(init=False, default=1)",
    ),
    case(
        "model_alias",
        tools="a(n: int)",
        steps='Step(a, "given")',
        takes="given: Given",
        types='class Given(pydantic.BaseModel):\n    count: int = pydantic.Field(alias="n")',
    ),
    case(
        "generic_class",
        tools="a(item: int)",
        steps='Step(a, "box")',
        takes="box: Box[int]",
        types="@attrs.frozen\nclass Box(Generic[T]):\n    item: T",
    ),
    case(
        "recursive_class",
        tools="a(tree: Tree)",
        steps="Step(a)",
        takes="tree: Tree",
        types="@attrs.frozen\nclass Tree:\n    value: int\n    children: list[Tree] = attrs.field(factory=list)",
    ),
    case("context_is_no_field", tools="a(path: str, context: Context)", steps="Step(a)", takes="path: str"),
    case("anything_into_anything", tools="a(x: Any)", steps="Step(a)", takes="x: dict[str, object]"),
    case(
        "inherited_fields",
        tools="a(width: int, depth: int)",
        steps='Step(a, "box")',
        takes="box: Box",
        types="@dataclass\nclass Box(Size):\n    depth: int = 0",
    ),
    case("positional_scalar_is_a_field", tools="a(path: str, /)", steps="Step(a)", takes="path: str, /"),
    case(
        "two_positional_objects_are_fields",
        tools="a(width: int)",
        steps='Step(a, "one"), Step(a, "two")',
        takes="one: Size, two: Size, /",
    ),
    # capdeco-from
    case(
        "from_no_such_field", "from", tools="a(columns: int)", steps='Step(a, from_="layuot")', takes="layout: Options"
    ),
    case("from_a_scalar", "from", tools="a(columns: int)", steps='Step(a, from_="layout")', takes="layout: int"),
    case(
        "from_a_list", "from", tools="a(columns: int)", steps='Step(a, from_="layout")', takes="layout: list[Options]"
    ),
    case(
        "from_may_be_none",
        "from",
        tools="a(columns: int)",
        steps='Step(a, from_="layout")',
        takes="layout: Options | None",
    ),
    case(
        "from_may_be_absent",
        "from",
        tools="a(number: int)",
        steps='Step(a, from_="page")',
        takes="**given: Unpack[Given]",
        types="class Given(TypedDict, total=False):\n    page: Page",
    ),
    case(
        "from_a_python_name_that_is_renamed",
        "from",
        tools="a(width: int)",
        steps='Step(a, from_="size")',
        takes="given: Given, /",
        types='@attrs.frozen\nclass Given:\n    size: Size = attrs.field(alias="extent")',
    ),
    case(
        "from_mapping_step",
        "from",
        tools="a(columns: int)",
        steps='{"tool": "a", "from": "x"}',
        takes="layout: Options",
    ),
    case(
        "from_a_named_tuple",
        "from",
        tools="a(x: int)",
        steps='Step(a, from_="point")',
        takes="point: Point",
        types="class Point(NamedTuple):\n    x: int",
    ),
    case(
        "from_an_array_like_struct",
        "from",
        tools="a(x: int)",
        steps='Step(a, from_="point")',
        takes="point: Point",
        types="class Point(msgspec.Struct, array_like=True):\n    x: int",
    ),
    # capdeco-missing
    case("missing_from_the_input", "missing", tools="a(path: str, lang: str)", steps="Step(a)", takes="path: str"),
    case(
        "missing_from_the_field",
        "missing",
        tools="a(columns: int, dpi: int)",
        steps='Step(a, "layout")',
        takes="layout: Options",
    ),
    case("missing_because_not_required", "missing", tools="a(title: str)", steps='Step(a, "page")', takes="page: Page"),
    case(
        "missing_from_one_of_a_union",
        "missing",
        tools="a(n: int)",
        steps='Step(a, "shape")',
        takes="shape: One | Two",
        types=_TWO,
    ),
    case(
        "missing_by_its_python_name",
        "missing",
        tools="a(page_count: int)",
        steps='Step(a, "given")',
        takes="given: Given",
        types='class Given(msgspec.Struct, rename="camel"):\n    page_count: int',
    ),
    # capdeco-type
    case("str_into_int", "type", tools="a(x: int)", steps="Step(a)", takes="x: str"),
    case("bool_into_int", "type", tools="a(x: int)", steps="Step(a)", takes="x: bool"),
    case("float_into_int", "type", tools="a(x: int)", steps="Step(a)", takes="x: float"),
    case("str_into_sequence_of_str", "type", tools="a(x: Sequence[str])", steps="Step(a)", takes="x: str"),
    case("str_into_date", "type", tools="a(x: datetime.date)", steps="Step(a)", takes="x: str"),
    case("str_into_literal", "type", tools="a(x: Literal['p'])", steps="Step(a)", takes="x: str"),
    case("str_into_enum", "type", tools="a(x: Colour)", steps="Step(a)", takes="x: str"),
    case("wider_literal", "type", tools="a(x: Literal['p'])", steps="Step(a)", takes="x: Literal['p', 'q']"),
    case("nullable_into_plain", "type", tools="a(x: int)", steps="Step(a)", takes="x: int | None"),
    case("nullable_into_plain_with_default", "type", tools="a(x: int = 1)", steps="Step(a)", takes="x: int | None"),
    case("items_of_a_list", "type", tools="a(x: list[int])", steps="Step(a)", takes="x: list[str]"),
    case("values_of_a_dict", "type", tools="a(x: dict[str, int])", steps="Step(a)", takes="x: dict[str, str]"),
    case(
        "nested_field",
        "type",
        tools="a(x: Size)",
        steps="Step(a)",
        takes="x: Other",
        types="@attrs.frozen\nclass Other:\n    width: str\n    height: int = 3",
    ),
    case("field_of_a_from", "type", tools="a(columns: str)", steps='Step(a, "layout")', takes="layout: Options"),
    case(
        "object_holds_more",
        "type",
        tools="a(x: Size)",
        steps="Step(a)",
        takes="x: Other",
        types="@attrs.frozen\nclass Other:\n    width: int\n    height: int\n    depth: int",
    ),
    case(
        "recursive_classes_differ_below",
        "type",
        tools="a(x: Two)",
        steps="Step(a)",
        takes="x: One",
        types="@attrs.frozen\nclass One:\n    value: str\n    next: One | None\n\n\n"
        "@attrs.frozen\nclass Two:\n    value: int\n    next: Two | None",
    ),
    case(
        "generic_argument",
        "type",
        tools="a(item: str)",
        steps='Step(a, "box")',
        takes="box: Box[int]",
        types="@attrs.frozen\nclass Box(Generic[T]):\n    item: T",
    ),
    case("into_an_open_tool", "type", tools="a(**rest: int)", steps="Step(a)", takes="x: str"),
    # capdeco-tool
    case("runs_itself", "tool", tools="a(path: str)", steps='Step(a), Step("case_run")', takes="path: str"),
    # capdeco-unused
    case("unused", "unused", tools="a(path: str)", steps="Step(a)", takes="path: str, lang: str"),
    case(
        "unused_beside_a_from",
        "unused",
        tools="a(columns: int)",
        steps='Step(a, "layout")',
        takes="layout: Options, lang: str = 'en'",
    ),
    case("unused_part_of_a_whole_input", "unused", tools="a(width: int)", steps="Step(a)", takes="given: Size, /"),
    case("misspelt_is_missing_only", "missing", tools="a(language: str)", steps="Step(a)", takes="langauge: str"),
    case(
        "no_follow_up_after_an_error",
        "from",
        tools="a(columns: int)",
        steps='Step(a, "nix")',
        takes="layout: Options, lang: str",
    ),
    # capdeco-declaration
    case(
        "protocol",
        "declaration",
        tools="a(x: Any)",
        steps="Step(a)",
        takes="x: P",
        types="class P(Protocol):\n    x: int",
    ),
    case("callable", "declaration", tools="a(x: Any)", steps="Step(a)", takes="x: Callable[[], int]"),
    case(
        "init_var",
        "declaration",
        tools="a()",
        steps='Step(a, "x")',
        takes="x: Given",
        types="@dataclass\nclass Given:\n    x: InitVar[int]",
    ),
    case("pattern", "declaration", tools="a(x: Any)", steps="Step(a)", takes="x: re.Pattern[str]"),
    case("iterator", "declaration", tools="a(x: Any)", steps="Step(a)", takes="x: Iterator[int]"),
    case(
        "plain_class",
        "declaration",
        tools="a(x: Any)",
        steps="Step(a)",
        takes="x: Plain",
        types="class Plain:\n    x: int = 1",
    ),
    case(
        "union_without_a_tag",
        "declaration",
        tools="a(x: Any)",
        steps="Step(a)",
        takes="x: One | Two",
        types="class One(TypedDict):\n    n: int\n\n\nclass Two(TypedDict):\n    n: str",
    ),
    case("keys_that_are_no_text", "declaration", tools="a(x: Any)", steps="Step(a)", takes="x: dict[float, int]"),
    case("no_steps", "declaration", tools="a()", steps="", takes="x: int"),
    case("illegal_tool_name", "declaration", tools="a()", steps='Step("a b")'),
    case("unknown_key", "declaration", tools="a()", steps='{"tool": "a", "frm": "x"}'),
    case("no_tool_in_a_step", "declaration", tools="a()", steps='{"from": "x"}', takes="x: Options"),
    case("nan", "declaration", tools="a(x: float)", steps="Step(a)", takes='x: float = float("nan")'),
    case("no_tool", "declaration", tools="a()", steps="Step(plain)", types="def plain(x: int) -> None:\n    ..."),
    case("star_args", "declaration", tools="a()", steps="Step(a)", takes="*x: int"),
    case("two_contexts", "declaration", tools="a(one: Context, two: Context)", steps="Step(a)"),
    case("context_of_an_operation", "declaration", tools="a()", steps="Step(a)", takes="context: Context"),
    case(
        "tuple_with_an_unpacked_part",
        "declaration",
        tools="a(x: Any)",
        steps="Step(a)",
        takes="x: tuple[int, Unpack[tuple[str, ...]]]",
    ),
    case(
        "tool_made_of_a_function",
        tools="a()",
        steps="Step(MADE)",
        takes="path: str",
        types='def plain(path: str) -> None:\n    """d"""\n\n\nMADE = Tool.of(plain, name="made")',
    ),
    case(
        "tool_made_of_a_function_that_takes_more",
        "missing",
        tools="a()",
        steps='Step("made"), Step(MADE)',
        types='def plain(path: str) -> None:\n    """d"""\n\n\nMADE = Tool.of(plain, name="made")',
    ),
    case(
        "negative_timeout",
        "declaration",
        tools="a()",
        steps="Step(a)",
        types='@tool(timeout=-1)\ndef b() -> None:\n    """d"""',
    ),
    case(
        "misspelt_hint",
        "declaration",
        tools="a()",
        steps="Step(a)",
        types='@tool(annotations={"readonly": True})\ndef b() -> None:\n    """d"""',
    ),
    case(
        "method_without_self",
        "declaration",
        tools="a()",
        steps="Step(a)",
        types="""\
@capability(id="other", description="d")
class Other:
    @operation(steps=[Step("b")])
    def run(path: str) -> None:  # type: ignore[misc]
        \'\'\'d\'\'\'


@tool
def b(path: str) -> None:
    \'\'\'d\'\'\'""",
    ),
    case("tool_with_a_callable", "declaration", tools="a(x: Callable[[], object] = print)", steps="Step(a)"),
)
