"""Every type that a parameter may have: its shape, its schema, what arrives, what is refused, what is filled in.

This table is the list of what is supported; a form that is not here is not promised.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import os
import pathlib
import re
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    Protocol,
    Required,
    TypedDict,
    TypeVar,
    Union,
)

import annotated_doc
import attrs
import jsonschema_rs
import msgspec
import pydantic
import pydantic.dataclasses
import pytest
import typing_extensions as te

from capdeco.bind.codec import body_of
from capdeco.declare.functions import FunctionInput
from capdeco.declare.json_schema import render
from capdeco.declare.shape import (
    ANY,
    NO_DEFAULT,
    NULL,
    Array,
    Const,
    Field,
    Object,
    Ref,
    Scalar,
    Shape,
    fill,
    union,
)
from capdeco.errors import DeclarationError, ToolError
from capdeco.host.protocol import Context
from capdeco.reading import FunctionShape, read_function, read_type
from capdeco.reading.problems import joined
from capdeco.result import Content

INTEGER, NUMBER, STRING, BOOLEAN = Scalar("integer"), Scalar("number"), Scalar("string"), Scalar("boolean")
DATE = Scalar("string", "date")
DAY = dt.date(2026, 1, 31)
ONE: Any = [1]
NONE: Any = None
NO_CONTEXT: Any = None


def optional(shape: Shape, default: Any) -> Field:
    return Field(shape, optional=True, filled=True, default=default)


# The types of the table


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mode(enum.StrEnum):
    FAST = "fast"


Name = NewType("Name", str)
T = TypeVar("T")
Bounded = TypeVar("Bounded", bound=int)


def to_words(text: str) -> list[str]:
    return text.split()


@attrs.frozen
class Layout:
    columns: int = attrs.field(default=1)
    day: dt.date | None = None

    @columns.validator
    def _positive(self, _: object, value: int) -> None:
        if value < 1:
            raise ValueError("columns must be at least 1")


@attrs.frozen
class Quirks:
    _private: str
    named: str = attrs.field(alias="given")
    words: list[str] = attrs.field(converter=to_words, default="a b")
    pair: tuple[int, ...] = attrs.field(converter=tuple, factory=list)
    made: int = attrs.field(init=False, default=7)
    first: str = attrs.field(default=attrs.Factory(lambda self: self._private[:1], takes_self=True), kw_only=True)


@dataclasses.dataclass(kw_only=True)
class Job:
    name: str
    layouts: list[Layout] = dataclasses.field(default_factory=list)
    made: int = dataclasses.field(init=False, default=7)


class Base(TypedDict):
    name: str


class Row(Base, total=False):
    day: Required[dt.date]
    note: te.ReadOnly[str]


class Quoted(TypedDict):
    kept: int
    gone: "NotRequired[dt.date]"  # noqa: UP037 - Python does not see the qualifier in the text


class OpenRow(te.TypedDict, extra_items=dt.date):  # type: ignore[call-arg]  # PEP 728, which mypy does not know yet
    name: str


class ClosedRow(te.TypedDict, closed=True):
    name: str


Odd = TypedDict("Odd", {"content-type": str, "class": NotRequired[int]})


class Point(NamedTuple):
    x: int
    day: dt.date = DAY


class Circle(msgspec.Struct, tag_field="kind", tag="circle", rename="camel"):
    line_width: int
    day: dt.date | None = None


class Square(msgspec.Struct, tag_field="kind", tag="square"):
    side: Annotated[int, msgspec.Meta(ge=1)] = 1


class Packed(msgspec.Struct, array_like=True, tag="packed"):
    x: int
    day: dt.date = DAY


class Model(pydantic.BaseModel):
    size: int = pydantic.Field(alias="Size", description="How big.", gt=0)
    day: dt.date | None = None
    raw: bytes = b""

    @pydantic.field_validator("day")
    @classmethod
    def _not_then(cls, value: dt.date | None) -> dt.date | None:
        if value == DAY:
            raise ValueError("not on that day")
        return value


class OpenModel(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")

    name: str


class Numbers(pydantic.RootModel[list[int]]):
    pass


class Choosy(pydantic.BaseModel):
    size: int = pydantic.Field(validation_alias=pydantic.AliasChoices("size", "Size"))


@pydantic.dataclasses.dataclass
class Checked:
    size: pydantic.PositiveInt


@attrs.frozen
class Page(Generic[T]):
    items: list[T]
    next: Page[T] | None = None


@attrs.frozen
class DayPage(Page[dt.date]):
    title: str = ""


@attrs.frozen
class Node:
    value: dt.date
    children: list[Node] = attrs.field(factory=list)


Json = te.TypeAliasType("Json", "dict[str, Json] | list[Json] | str | None")
Pair = te.TypeAliasType("Pair", tuple[T, T], type_params=(T,))


@attrs.frozen
class Cat:
    kind: Literal["cat"]
    lives: int = 9


@attrs.frozen
class Dog:
    kind: Literal["dog"]
    name: str = "Rex"


LAYOUT = Object({"columns": optional(INTEGER, 1), "day": optional(union([DATE, NULL]), None)})
LAYOUT_SCHEMA = {
    "type": "object",
    "properties": {
        "columns": {"type": "integer", "default": 1},
        "day": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": None},
    },
    "additionalProperties": False,
}
_nodes: dict[str, Shape] = {}
_nodes["Node"] = Object({"value": Field(DATE), "children": optional(Array(Ref("Node", _nodes)), [])})
NODE = Ref("Node", _nodes)
_json: dict[str, Shape] = {}
JSON = Ref("Json", _json)
_json["Json"] = union([Object({}, JSON), Array(JSON), STRING, NULL])


@attrs.frozen
class Case:
    """One form. `problems` are the paths of all that is wrong with `refused`, from the parameter `it`."""

    annotation: Any
    shape: Shape
    schema: dict[str, Any]
    given: Any
    arrives: Any
    refused: Any
    problems: list[str]
    default: Any = NO_DEFAULT
    filled: Any = NO_DEFAULT


FORMS: dict[str, Case] = {
    "bool": Case(bool, BOOLEAN, {"type": "boolean"}, True, True, 1, ["it"], False, False),
    "int": Case(int, INTEGER, {"type": "integer"}, 2.0, 2, 2.5, ["it"], 3, 3),
    "float": Case(float, NUMBER, {"type": "number"}, 2, 2.0, True, ["it"], 3, 3),
    "str": Case(str, STRING, {"type": "string"}, "ünï", "ünï", 1, ["it"], "", ""),
    "None": Case(None, NULL, {"type": "null"}, None, None, 0, ["it"], None, None),
    "Any": Case(Any, ANY, {}, {"a": [1]}, {"a": [1]}, NO_DEFAULT, [], 1, 1),
    "object": Case(object, ANY, {}, "x", "x", NO_DEFAULT, []),
    "unbound type variable": Case(T, ANY, {}, "x", "x", NO_DEFAULT, []),
    "bound type variable": Case(Bounded, INTEGER, {"type": "integer"}, 1, 1, "1", ["it"]),
    "NewType": Case(Name, STRING, {"type": "string"}, "x", "x", 1, ["it"], Name("n"), "n"),
    "Literal": Case(
        Literal["a", 1, True], Const(("a", 1, True)), {"enum": ["a", 1, True]}, True, True, False, ["it"], "a", "a"
    ),
    "Literal of enum members": Case(
        Literal[Color.RED], Const(("red",)), {"type": "string", "const": "red"}, "red", Color.RED, "blue", ["it"]
    ),
    "Literal with None": Case(
        Literal["a", None],
        union([Const(("a",)), NULL]),
        {"anyOf": [{"type": "string", "const": "a"}, {"type": "null"}]},
        None,
        None,
        "b",
        ["it"],
    ),
    "enum": Case(
        Color,
        Const(("red", "blue")),
        {"type": "string", "enum": ["red", "blue"]},
        "red",
        Color.RED,
        "RED",
        ["it"],
        Color.BLUE,
        "blue",
    ),
    "IntEnum": Case(Level, Const((1, 2)), {"type": "integer", "enum": [1, 2]}, 2, Level.HIGH, 3, ["it"], Level.LOW, 1),
    "StrEnum": Case(Mode, Const(("fast",)), {"type": "string", "const": "fast"}, "fast", Mode.FAST, "slow", ["it"]),
    "date": Case(
        dt.date, DATE, {"type": "string", "format": "date"}, "2026-01-31", DAY, "31.1.", ["it"], DAY, "2026-01-31"
    ),
    "datetime": Case(
        dt.datetime,
        Scalar("string", "date-time"),
        {"type": "string", "format": "date-time"},
        "2026-01-31T12:00:00Z",
        dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC),
        "2026-01-31",
        ["it"],
    ),
    "time": Case(
        dt.time, Scalar("string", "time"), {"type": "string", "format": "time"}, "12:00:00", dt.time(12), "noon", ["it"]
    ),
    "timedelta": Case(
        dt.timedelta,
        Scalar("string", "duration"),
        {"type": "string", "format": "duration"},
        "PT1M",
        dt.timedelta(minutes=1),
        "1 minute",
        ["it"],
        dt.timedelta(seconds=5),
        "PT5S",
    ),
    "UUID": Case(
        uuid.UUID,
        Scalar("string", "uuid"),
        {"type": "string", "format": "uuid"},
        "00000000-0000-0000-0000-000000000001",
        uuid.UUID(int=1),
        "1",
        ["it"],
    ),
    "Decimal": Case(
        decimal.Decimal,
        Scalar("string", "decimal"),
        {"type": "string", "format": "decimal"},
        "1.50",
        decimal.Decimal("1.50"),
        "much",
        ["it"],
        decimal.Decimal("0.1"),
        "0.1",
    ),
    "bytes": Case(
        bytes,
        Scalar("string", "byte"),
        {"type": "string", "contentEncoding": "base64"},
        "aGk=",
        b"hi",
        "h!",
        ["it"],
        b"hi",
        "aGk=",
    ),
    "Path": Case(
        pathlib.Path,
        Scalar("string", "path"),
        {"type": "string", "format": "path"},
        "a/b",
        pathlib.Path("a/b"),
        1,
        ["it"],
        pathlib.Path("c"),
        "c",
    ),
    "PathLike": Case(
        os.PathLike[str],
        Scalar("string", "path"),
        {"type": "string", "format": "path"},
        "a",
        pathlib.Path("a"),
        None,
        ["it"],
    ),
    "optional": Case(
        Optional[int],  # noqa: UP045 - the old spelling too
        union([INTEGER, NULL]),
        {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        None,
        None,
        "1",
        ["it"],
        None,
        None,
    ),
    "union of scalars": Case(
        Union[str, dt.date, None],  # noqa: UP007 - the old spelling too
        union([STRING, DATE, NULL]),
        {"anyOf": [{"type": "string"}, {"type": "string", "format": "date"}, {"type": "null"}]},
        "2026-01-31",
        DAY,
        1,
        ["it"],
        "today",
        "today",
    ),
    "text before bytes": Case(
        bytes | str,
        union([Scalar("string", "byte"), STRING]),
        {"anyOf": [{"type": "string", "contentEncoding": "base64"}, {"type": "string"}]},
        "aGk=",
        "aGk=",
        1,
        ["it"],
    ),
    "list": Case(
        list[int],
        Array(INTEGER),
        {"type": "array", "items": {"type": "integer"}},
        [1, 2.0],
        [1, 2],
        [1, "2", None],
        ["it[1]", "it[2]"],
        [3],
        [3],
    ),
    "bare list": Case(list, Array(ANY), {"type": "array"}, [1, "a"], [1, "a"], {}, ["it"]),
    "set": Case(
        set[dt.date],
        Array(DATE),
        {"type": "array", "items": {"type": "string", "format": "date"}},
        ["2026-01-31", "2026-01-31"],
        {DAY},
        ["x", "2026-01-31", "y"],
        ["it[0]", "it[2]"],
        {DAY},
        ["2026-01-31"],
    ),
    "frozenset": Case(
        frozenset[str],
        Array(STRING),
        {"type": "array", "items": {"type": "string"}},
        ["a"],
        frozenset("a"),
        "a",
        ["it"],
    ),
    "deque": Case(
        deque[int], Array(INTEGER), {"type": "array", "items": {"type": "integer"}}, [1], deque([1]), "a", ["it"]
    ),
    "tuple of any length": Case(
        tuple[int, ...],
        Array(INTEGER),
        {"type": "array", "items": {"type": "integer"}},
        [1],
        (1,),
        [None],
        ["it[0]"],
        (1, 2),
        [1, 2],
    ),
    "tuple": Case(
        tuple[int, dt.date],
        Array(union([INTEGER, DATE])),
        {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "string", "format": "date"}]}},
        [1, "2026-01-31"],
        (1, DAY),
        [1, "2026-01-31", 3],
        ["it"],
    ),
    "Sequence": Case(
        Sequence[dt.date],
        Array(DATE),
        {"type": "array", "items": {"type": "string", "format": "date"}},
        ["2026-01-31"],
        [DAY],
        "2026-01-31",
        ["it"],
        (DAY,),
        ["2026-01-31"],
    ),
    "dict": Case(
        dict[str, int],
        Object({}, INTEGER),
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"a": 1},
        {"a": 1},
        {"a": "1", "b": None},
        ["it.a", "it.b"],
        {"a": 1},
        {"a": 1},
    ),
    "bare dict": Case(
        dict, Object({}, ANY), {"type": "object", "additionalProperties": True}, {"a": 1}, {"a": 1}, [], ["it"]
    ),
    "Mapping": Case(
        Mapping[dt.date, Sequence[dt.date]],
        Object({}, Array(DATE)),
        {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string", "format": "date"}}},
        {"2026-01-31": ["2026-01-31"]},
        {DAY: [DAY]},
        {"x": ["2026-01-31", "y"]},
        ["it.x", "it.x[1]"],
    ),
    "keys of a Literal": Case(
        dict[Literal["a", "b"], str],
        Object({}, STRING),
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"a": "x"},
        {"a": "x"},
        {"c": "x"},
        ["it.c"],
    ),
    "whole numbers as keys": Case(
        dict[int, str],
        Object({}, STRING),
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"1": "x"},
        {1: "x"},
        {"one": "x"},
        ["it.one"],
        {1: "x"},
        {"1": "x"},
    ),
    "attrs": Case(
        Layout,
        LAYOUT,
        LAYOUT_SCHEMA,
        {"day": "2026-01-31"},
        Layout(1, DAY),
        {"colums": 1, "columns": "1"},
        ["it", "it.columns"],
        Layout(2),
        {"columns": 2, "day": None},
    ),
    "attrs, after validation": Case(
        list[Layout],
        Array(LAYOUT),
        {"type": "array", "items": LAYOUT_SCHEMA},
        [{}],
        [Layout()],
        [{"columns": 0}, {"day": "x"}],
        ["it[0]", "it[1].day"],
        [Layout()],
        [{"columns": 1, "day": None}],
    ),
    "attrs with aliases, converters and factories": Case(
        Quirks,
        Object(
            {
                "private": Field(STRING),
                "given": Field(STRING),
                "words": optional(STRING, "a b"),
                "pair": optional(Array(INTEGER), []),
                "first": Field(STRING, optional=True),
            }
        ),
        {
            "type": "object",
            "properties": {
                "private": {"type": "string"},
                "given": {"type": "string"},
                "words": {"type": "string", "default": "a b"},
                "pair": {"type": "array", "items": {"type": "integer"}, "default": []},
                "first": {"type": "string"},
            },
            "required": ["private", "given"],
            "additionalProperties": False,
        },
        {"private": "p", "given": "n", "words": "x y", "pair": [1]},
        Quirks("p", "n", "x y", ONE),
        {"private": "p", "given": "n", "made": 1, "named": 2},
        ["it"],
    ),
    "dataclass": Case(
        Job,
        Object({"name": Field(STRING), "layouts": optional(Array(LAYOUT), [])}),
        {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "layouts": {"type": "array", "items": LAYOUT_SCHEMA, "default": []},
            },
            "required": ["name"],
            "additionalProperties": False,
        },
        {"name": "n", "layouts": [{"columns": 2}]},
        Job(name="n", layouts=[Layout(2)]),
        {"made": 1, "layouts": [{"colums": 1}]},
        ["it", "it", "it.layouts[0]"],
    ),
    "TypedDict": Case(
        Row,
        Object({"name": Field(STRING), "day": Field(DATE), "note": Field(STRING, optional=True)}),
        {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "day": {"type": "string", "format": "date"},
                "note": {"type": "string"},
            },
            "required": ["name", "day"],
            "additionalProperties": False,
        },
        {"name": "n", "day": "2026-01-31"},
        {"name": "n", "day": DAY},
        {"note": 1},
        ["it", "it", "it.note"],
    ),
    "TypedDict with a quoted qualifier": Case(
        Quoted,
        Object({"kept": Field(INTEGER), "gone": Field(DATE, optional=True)}),
        {
            "type": "object",
            "properties": {"kept": {"type": "integer"}, "gone": {"type": "string", "format": "date"}},
            "required": ["kept"],
            "additionalProperties": False,
        },
        {"kept": 1},
        {"kept": 1},
        {"kept": 1, "gone": "x"},
        ["it.gone"],
    ),
    "TypedDict with extra items": Case(
        OpenRow,
        Object({"name": Field(STRING)}, DATE),
        {
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "required": ["name"],
            "additionalProperties": {"type": "string", "format": "date"},
        },
        {"name": "n", "x": "2026-01-31"},
        {"name": "n", "x": DAY},
        {"name": "n", "x": "y"},
        ["it.x"],
    ),
    "closed TypedDict": Case(
        ClosedRow,
        Object({"name": Field(STRING)}),
        {
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "required": ["name"],
            "additionalProperties": False,
        },
        {"name": "n"},
        {"name": "n"},
        {"name": "n", "x": 1},
        ["it"],
    ),
    "TypedDict with names that are no identifiers": Case(
        Odd,
        Object({"content-type": Field(STRING), "class": Field(INTEGER, optional=True)}),
        {
            "type": "object",
            "properties": {"content-type": {"type": "string"}, "class": {"type": "integer"}},
            "required": ["content-type"],
            "additionalProperties": False,
        },
        {"content-type": "x", "class": 1.0},
        {"content-type": "x", "class": 1},
        {"content_type": "x"},
        ["it", "it"],
    ),
    "nested NamedTuple": Case(
        Point,
        Array(union([INTEGER, DATE])),
        {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "string", "format": "date"}]}},
        [1],
        Point(1),
        ["2026-01-31", 2, 3],
        ["it"],
        Point(2),
        [2, "2026-01-31"],
    ),
    "Struct": Case(
        Circle,
        Object(
            {
                "kind": Field(Const(("circle",))),
                "lineWidth": Field(INTEGER),
                "day": optional(union([DATE, NULL]), None),
            }
        ),
        {
            "type": "object",
            "properties": {
                "kind": {"type": "string", "const": "circle"},
                "lineWidth": {"type": "integer"},
                "day": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": None},
            },
            "required": ["kind", "lineWidth"],
            "additionalProperties": False,
        },
        {"kind": "circle", "lineWidth": 1, "day": "2026-01-31"},
        Circle(1, DAY),
        {"kind": "square", "line_width": 1, "lineWidth": 1},
        ["it", "it.kind"],
        Circle(2),
        {"kind": "circle", "lineWidth": 2, "day": None},
    ),
    "Struct with bounds": Case(
        Square,
        Object({"kind": Field(Const(("square",))), "side": optional(INTEGER, 1)}),
        {
            "type": "object",
            "properties": {
                "kind": {"type": "string", "const": "square"},
                "side": {"type": "integer", "default": 1},
            },
            "required": ["kind"],
            "additionalProperties": False,
        },
        {"kind": "square", "side": 2},
        Square(2),
        {"kind": "square", "side": 0},
        ["it.side"],
    ),
    "array_like Struct": Case(
        Packed,
        Array(union([Const(("packed",)), INTEGER, DATE])),
        {
            "type": "array",
            "items": {
                "anyOf": [
                    {"type": "string", "const": "packed"},
                    {"type": "integer"},
                    {"type": "string", "format": "date"},
                ]
            },
        },
        ["packed", 1, "2026-01-31"],
        Packed(1, DAY),
        ["packed", 1, "x"],
        ["it[1]"],
        Packed(3),
        ["packed", 3, "2026-01-31"],
    ),
    "pydantic model": Case(
        Model,
        Object(
            {
                "Size": Field(Scalar("integer", doc="How big.")),
                "day": optional(union([DATE, NULL]), None),
                "raw": optional(STRING, ""),
            }
        ),
        {
            "type": "object",
            "properties": {
                "Size": {"type": "integer", "description": "How big."},
                "day": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": None},
                "raw": {"type": "string", "default": ""},
            },
            "required": ["Size"],
            "additionalProperties": False,
        },
        {"Size": 1, "day": "2026-02-01", "raw": "hi"},
        Model(Size=1, day=dt.date(2026, 2, 1), raw=b"hi"),
        {"Size": 0, "day": "2026-01-31"},
        ["it.Size", "it.day"],
        Model(Size=2),
        {"Size": 2, "day": None, "raw": ""},
    ),
    "open pydantic model": Case(
        OpenModel,
        Object({"name": Field(STRING)}, ANY),
        {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
        {"name": "n", "x": 1},
        OpenModel.model_validate({"name": "n", "x": 1}),
        {"x": 1},
        ["it"],
    ),
    "pydantic root model": Case(
        Numbers,
        Array(INTEGER),
        {"type": "array", "items": {"type": "integer"}},
        [1],
        Numbers([1]),
        ["1", None],
        ["it[0]", "it[1]"],
    ),
    "pydantic dataclass": Case(
        Checked,
        Object({"size": Field(INTEGER)}),
        {
            "type": "object",
            "properties": {"size": {"type": "integer"}},
            "required": ["size"],
            "additionalProperties": False,
        },
        {"size": 1},
        Checked(1),
        {"size": 0},
        ["it.size"],
    ),
    "a type that only pydantic knows": Case(
        pydantic.AnyUrl, STRING, {"type": "string"}, "x://y", pydantic.AnyUrl("x://y"), "nowhere", ["it"]
    ),
    "generic": Case(
        Page[dt.date],
        Ref("Page_date", {}),
        {
            "$ref": "#/$defs/Page_date",
        },
        {"items": [], "next": {"items": ["2026-01-31"]}},
        Page([], Page([DAY])),
        {"items": ["x"], "next": {"items": ["y"]}},
        ["it.items[0]", "it.next.items[0]"],
    ),
    "subclass of a generic": Case(
        Annotated[DayPage, te.Doc("Days.")],
        Object(
            {
                "items": Field(Array(DATE)),
                "next": optional(union([Ref("Page_date", {}), NULL]), None),
                "title": optional(STRING, ""),
            }
        ),
        {
            "type": "object",
            "properties": {
                "items": {"type": "array", "items": {"type": "string", "format": "date"}},
                "next": {"anyOf": [{"$ref": "#/$defs/Page_date"}, {"type": "null"}], "default": None},
                "title": {"type": "string", "default": ""},
            },
            "required": ["items"],
            "additionalProperties": False,
            "description": "Days.",
        },
        {"items": ["2026-01-31"], "title": "t"},
        DayPage([DAY], title="t"),
        {"items": [], "next": {"items": [], "title": "t"}},
        ["it.next"],
    ),
    "recursive class": Case(
        Node,
        NODE,
        {"$ref": "#/$defs/Node"},
        {"value": "2026-01-31", "children": [{"value": "2026-01-31"}]},
        Node(DAY, [Node(DAY)]),
        {"value": "x", "children": [{"value": "y"}]},
        ["it.value", "it.children[0].value"],
        Node(DAY, [Node(DAY)]),
        {"value": "2026-01-31", "children": [{"value": "2026-01-31", "children": []}]},
    ),
    "recursive alias": Case(
        Json,
        JSON,
        {"$ref": "#/$defs/Json"},
        {"a": ["b", None]},
        {"a": ["b", None]},
        {"a": [1]},
        ["it"],
        {"a": []},
        {"a": []},
    ),
    "generic alias": Case(
        Pair[dt.date],
        Array(DATE),
        {"type": "array", "items": {"type": "string", "format": "date"}},
        ["2026-01-31", "2026-01-31"],
        (DAY, DAY),
        ["x", "y"],
        ["it[0]", "it[1]"],
    ),
    "tagged union": Case(
        Cat | Dog,
        union(
            [
                Object({"kind": Field(Const(("cat",))), "lives": optional(INTEGER, 9)}),
                Object({"kind": Field(Const(("dog",))), "name": optional(STRING, "Rex")}),
            ]
        ),
        {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {
                        "kind": {"type": "string", "const": "cat"},
                        "lives": {"type": "integer", "default": 9},
                    },
                    "required": ["kind"],
                    "additionalProperties": False,
                },
                {
                    "type": "object",
                    "properties": {
                        "kind": {"type": "string", "const": "dog"},
                        "name": {"type": "string", "default": "Rex"},
                    },
                    "required": ["kind"],
                    "additionalProperties": False,
                },
            ]
        },
        {"kind": "dog"},
        Dog("dog"),
        {"kind": "dog", "lives": 1},
        ["it"],
        Cat("cat"),
        {"kind": "cat", "lives": 9},
    ),
    "union of an object, its array, and nothing": Case(
        Layout | list[Layout] | None,
        union([LAYOUT, Array(LAYOUT), NULL]),
        {"anyOf": [LAYOUT_SCHEMA, {"type": "array", "items": LAYOUT_SCHEMA}, {"type": "null"}]},
        [{}],
        [Layout()],
        [{"columns": 0}],
        ["it[0]"],
        Layout(),
        {"columns": 1, "day": None},
    ),
    "Doc": Case(
        Annotated[int, te.Doc("How many.")],
        INTEGER,
        {"type": "integer", "description": "How many."},
        1,
        1,
        "1",
        ["it"],
        1,
        1,
    ),
    "Doc of annotated_doc, nested": Case(
        list[Annotated[int, annotated_doc.Doc("One.")]],
        Array(INTEGER),
        {"type": "array", "items": {"type": "integer", "description": "One."}},
        [1],
        [1],
        ["1"],
        ["it[0]"],
    ),
    "bare text in Annotated": Case(
        Annotated[int, "How many."], INTEGER, {"type": "integer", "description": "How many."}, 1, 1, "1", ["it"]
    ),
    "pydantic Field": Case(
        Annotated[int, pydantic.Field(description="How many.", ge=3)],
        INTEGER,
        {"type": "integer", "description": "How many."},
        3,
        3,
        2,
        ["it"],
    ),
    "msgspec Meta": Case(
        Annotated[str, msgspec.Meta(description="Short.", max_length=2)],
        STRING,
        {"type": "string", "description": "Short."},
        "ab",
        "ab",
        "abc",
        ["it"],
    ),
}


def declared(annotation: Any, default: Any = NO_DEFAULT) -> tuple[FunctionInput, list[Any]]:
    """Make a function of one parameter, and a list of what arrived in it."""
    arrived: list[Any] = []

    def function(it: Any) -> None:
        arrived.append(it)

    function.__annotations__["it"] = annotation
    if default is not NO_DEFAULT:
        function.__defaults__ = (default,)
    return FunctionInput(function), arrived


def problems(takes: FunctionInput, arguments: dict[str, Any]) -> list[str]:
    """Give the paths of all problems, as a host finds them: by the schema, then by the body."""
    read = read_function(takes)
    found = [joined(*error.instance_path) for error in validator(read).iter_errors(arguments)]
    if found:
        return sorted(found)
    with pytest.raises(ToolError) as refused:
        body_of(takes, read)(arguments, NO_CONTEXT)
    assert refused.value.code == "INVALID_ARGS"
    assert "<" not in refused.value.message.replace("<=", "")
    return [each.split(":")[0] for each in refused.value.message.split("; ")]


def validator(read: FunctionShape) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(render(read.takes))


def over(cases: dict[str, Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in cases.items()])


@over(FORMS)
def test_the_shape_of_a_form(case: Case) -> None:
    takes, _ = declared(case.annotation)
    assert read_function(takes).takes == Object({"it": Field(case.shape)})


@over(FORMS)
def test_the_schema_of_a_form(case: Case) -> None:
    takes, _ = declared(case.annotation)
    assert render(read_function(takes).takes)["properties"]["it"] == case.schema


@over(FORMS)
def test_an_argument_arrives_as_the_right_object(case: Case) -> None:
    takes, arrived = declared(case.annotation)
    read = read_function(takes)
    assert list(validator(read).iter_errors({"it": case.given})) == []
    body_of(takes, read)({"it": case.given}, NO_CONTEXT)
    assert arrived == [case.arrives]
    assert type(arrived[0]) is type(case.arrives)


@over({name: case for name, case in FORMS.items() if case.refused is not NO_DEFAULT})
def test_a_wrong_argument_is_refused_with_all_problems_and_their_paths(case: Case) -> None:
    takes, arrived = declared(case.annotation)
    assert problems(takes, {"it": case.refused}) == case.problems
    assert arrived == []


@over({name: case for name, case in FORMS.items() if case.default is not NO_DEFAULT})
def test_a_default_is_filled_in(case: Case) -> None:
    takes, arrived = declared(case.annotation, case.default)
    read = read_function(takes)
    filled = fill(read.takes, {})
    assert filled == {"it": case.filled}
    assert list(validator(read).iter_errors(filled)) == []
    body_of(takes, read)({}, NO_CONTEXT)  # Python fills it in itself
    body_of(takes, read)(filled, NO_CONTEXT)
    assert arrived[0] == case.default


# Whole inputs: the fields of one parameter are the fields of the input


def unpacked(**input: te.Unpack[Row]) -> Any:
    return input


def odd(**input: te.Unpack[Odd]) -> Any:
    return input


def an_attrs_class(input: Quirks, /) -> Any:
    return input


def a_dataclass(input: Job, /) -> Any:
    return input


def a_typed_dict(input: Row, /) -> Any:
    return input


def a_named_tuple(input: Point, /) -> Any:
    return input


def a_struct(input: Circle, /) -> Any:
    return input


def a_model(input: Model, /) -> Any:
    return input


def a_recursive_class(input: Annotated[Node, "A tree."], /) -> Any:
    return input


def with_more(context: Context, input: Point, /, *, more: dt.date | None = None) -> Any:
    return input, more


@attrs.frozen
class Whole:
    function: Callable[..., Any]
    fields: list[str]
    given: dict[str, Any]
    returned: Any
    refused: dict[str, Any]
    problems: list[str]


WHOLE: dict[str, Whole] = {
    "Unpack": Whole(
        unpacked,
        ["name", "day", "note"],
        {"name": "n", "day": "2026-01-31"},
        {"name": "n", "day": DAY},
        {"name": "n", "day": "x"},
        ["day"],
    ),
    "Unpack of names that are no identifiers": Whole(
        odd, ["content-type", "class"], {"content-type": "x"}, {"content-type": "x"}, {}, [""]
    ),
    "attrs": Whole(
        an_attrs_class,
        ["private", "given", "words", "pair", "first"],
        {"private": "p", "given": "g"},
        Quirks("p", "g"),
        {"private": 1, "given": 2, "_private": "p"},
        ["", "given", "private"],
    ),
    "dataclass": Whole(
        a_dataclass,
        ["name", "layouts"],
        {"name": "n", "layouts": [{}]},
        Job(name="n", layouts=[Layout()]),
        {"name": "n", "layouts": [{"columns": 0}, {"day": "x"}]},
        ["layouts[0]", "layouts[1].day"],
    ),
    "TypedDict": Whole(
        a_typed_dict,
        ["name", "day", "note"],
        {"name": "n", "day": "2026-01-31"},
        {"name": "n", "day": DAY},
        {"name": "n", "day": "x"},
        ["day"],
    ),
    "NamedTuple": Whole(a_named_tuple, ["x", "day"], {"x": 1}, Point(1), {"x": 1, "day": "x"}, ["day"]),
    "Struct": Whole(
        a_struct,
        ["kind", "lineWidth", "day"],
        {"kind": "circle", "lineWidth": 1},
        Circle(1),
        {"kind": "circle", "lineWidth": 1, "day": "x"},
        ["day"],
    ),
    "pydantic model": Whole(
        a_model,
        ["Size", "day", "raw"],
        {"Size": 1},
        Model(Size=1),
        {"Size": 0, "day": "2026-01-31"},
        ["Size", "day"],
    ),
    "recursive class": Whole(
        a_recursive_class,
        ["value", "children"],
        {"value": "2026-01-31", "children": [{"value": "2026-01-31"}]},
        Node(DAY, [Node(DAY)]),
        {"value": "2026-01-31", "children": [{"value": "x"}]},
        ["children[0].value"],
    ),
    "beside other parameters and a context": Whole(
        with_more,
        ["more", "x", "day"],
        {"x": 1, "more": "2026-01-31"},
        (Point(1), DAY),
        {"x": 1, "day": "x", "more": "y"},
        ["more", "day"],
    ),
}
wholes = pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in WHOLE.items()])


@wholes
def test_the_fields_of_a_whole_input_are_the_input_fields(case: Whole) -> None:
    takes = FunctionInput(case.function)
    read = read_function(takes)
    assert list(read.takes.fields) == case.fields
    assert read.takes.rest is None
    assert read.whole == "input"
    assert render(read.takes)["type"] == "object"
    returned: list[Any] = []
    function = case.function

    def caught(*args: Any, **kwargs: Any) -> None:
        returned.append(function(*args, **kwargs))

    caught.__wrapped__ = function  # type: ignore[attr-defined]
    body_of(FunctionInput(caught), read)(dict(case.given), NO_CONTEXT)
    assert returned == [case.returned]
    assert problems(takes, dict(case.refused)) == case.problems


def test_ordinary_parameters_that_have_no_names() -> None:
    def function(one: int, two: Layout = Layout(3), /) -> Any:
        return [one, two]

    takes = FunctionInput(function)
    read = read_function(takes)
    assert list(read.takes.fields) == ["one", "two"]
    assert body_of(takes, read)({"one": 1}, NO_CONTEXT) == [1, {"columns": 3, "day": None}]
    assert body_of(takes, read)({"two": {"columns": 2}, "one": 1}, NO_CONTEXT) == [1, {"columns": 2, "day": None}]


def test_a_positional_parameter_that_is_no_object_is_a_field() -> None:
    def function(numbers: list[int], /) -> Any:
        return numbers

    takes = FunctionInput(function)
    assert list(read_function(takes).takes.fields) == ["numbers"]
    assert body_of(takes, read_function(takes))({"numbers": [1]}, NO_CONTEXT) == [1]


def test_typed_keywords_keep_the_input_open() -> None:
    def function(name: str, **days: dt.date) -> Any:
        return {name: days}

    takes = FunctionInput(function)
    read = read_function(takes)
    assert read.takes == Object({"name": Field(STRING)}, DATE)
    assert body_of(takes, read)({"name": "n", "a": "2026-01-31"}, NO_CONTEXT) == {"n": {"a": "2026-01-31"}}
    assert problems(takes, {"name": "n", "a": "x", "b": "y"}) == ["a", "b"]


@pytest.mark.parametrize("annotation", [Context, Context | None, Annotated[Context, "Not shown."]])
def test_a_context_is_given_and_is_no_field(annotation: Any) -> None:
    def function(name: str, context: Any) -> Any:
        return [name, context]

    function.__annotations__["context"] = annotation
    takes = FunctionInput(function)
    read = read_function(takes)
    assert list(read.takes.fields) == ["name"]
    assert read.context == "context"
    here: Any = "the context"
    assert body_of(takes, read)({"name": "n"}, here) == ["n", "the context"]


def test_a_default_that_is_another_each_time_is_made_by_python() -> None:
    @attrs.frozen
    class Stamped:
        id: uuid.UUID = attrs.field(factory=uuid.uuid4)

    field = read_type(Stamped)
    assert field == Object({"id": Field(Scalar("string", "uuid"), optional=True)})


def test_a_model_whose_wire_names_are_a_choice_is_read_by_pydantic_itself() -> None:
    shape = read_type(Choosy)
    assert isinstance(shape, Object)
    assert shape.fields == {"size": Field(INTEGER)}


# What is refused


class Pluggable(Protocol):
    name: str


class Bare:
    pass


class Flags(enum.Flag):
    A = 1


class Pairs(enum.Enum):
    A = (1, 2)


@dataclasses.dataclass
class Initial:
    seed: dataclasses.InitVar[int]
    name: str = ""


@attrs.frozen
class Handler:
    name: str
    on_event: Callable[[], None]
    rows: list[complex]


@attrs.frozen
class Other:
    columns: int = 1


@attrs.frozen
class Growing(Generic[T]):
    more: Any


Growing.__annotations__["more"] = "Growing[list[T]]"  # behind mypy's back, which follows it until its stack ends


@attrs.define(init=False)
class Unlike:
    name: str

    def __init__(self, title: str) -> None:
        self.name = title


Silly: Any = "list[Silly]"
NOWHERE: Any = "Nowhere"

REFUSED: dict[str, tuple[Any, str, str, str]] = {
    "Callable": (Callable[[], int], "type", "Callable has no JSON form", "pass the name of a tool instead"),
    "Protocol": (
        Pluggable,
        "type",
        "Pluggable is a Protocol: nothing says which object to make from JSON",
        "use an attrs class, a dataclass or a TypedDict",
    ),
    "complex": (complex, "type", "complex has no JSON form", "pass two numbers"),
    "Pattern": (
        re.Pattern[str],
        "type",
        "Pattern has no JSON form",
        "take the pattern as str, and compile it in the body",
    ),
    "type": (type[int], "type", "type has no JSON form", "take a name as str or Literal"),
    "Iterator": (Iterator[int], "type", "Iterator has no JSON form", "take a list"),
    "a class that is no data": (
        list[Bare],
        "type",
        "[]: Bare has no JSON form",
        "make it an attrs class, a dataclass or a TypedDict, or take what it is made from",
    ),
    "Flag": (Flags, "type", "Flags has no JSON form", "take a list of names"),
    "an enum of tuples": (
        Pairs,
        "type",
        "the enum member Pairs.A has a value that is no JSON scalar",
        "give the members text or numbers as values",
    ),
    "a Literal of bytes": (
        Literal[b"x"],
        "type",
        "the Literal b'x' has no JSON form",
        "use text, a number or a boolean",
    ),
    "InitVar": (
        Initial,
        "type",
        "seed: an InitVar is no field: it could be passed in, and never be seen again",
        "make it a field, or compute it in the body",
    ),
    "UNSET": (int | msgspec.UnsetType, "type", "UnsetType has no JSON form", "use None for no value"),
    "keys that are no text": (dict[bool, int], "type", "the keys of an object are text", "use dict[str, ...]"),
    "objects that cannot be told apart": (
        Layout | Other,
        "union",
        "an object {columns?, day?} and an object {columns?} cannot be told apart: a value may be either",
        "add a tag: a field with another Literal in each",
    ),
    "a mapping and an object": (
        dict[str, int] | Layout,
        "union",
        "dict[str, int] and an object {columns?, day?} cannot be told apart: a value may be either",
        "add a tag: a field with another Literal in each",
    ),
    "a generic that grows": (
        Growing[int],
        "type",
        ".".join(["more"] * 9) + ": Growing contains ever larger types of its own kind",
        "let it contain itself as it is",
    ),
    "a class made from other names than its fields": (
        Unlike,
        "type",
        "Unlike is not made from its fields: its __init__ does not take name",
        "let attrs or dataclasses write the __init__",
    ),
    "an unknown name": (
        NOWHERE,
        "annotation",
        'the name "Nowhere" in its annotation is not defined at run time',
        'move the import or pass types={"Nowhere": ...}',
    ),
    "an alias of itself": (
        Silly,
        "annotation",
        "[]: list[Silly] is part of itself under a plain name",
        "write the alias with a type statement, or as TypeAliasType",
    ),
    "text that is no type": (
        "int |",
        "annotation",
        "its annotation int | cannot be read: Forward reference must be an expression -- got 'int |'",
        "write a type",
    ),
}


@pytest.mark.parametrize(
    ("annotation", "rule", "what", "fix"), [pytest.param(*case, id=name) for name, case in REFUSED.items()]
)
def test_what_has_no_json_form_is_refused(annotation: Any, rule: str, what: str, fix: str) -> None:
    takes, _ = declared(annotation)
    with pytest.raises(DeclarationError) as refused:
        read_function(takes)
    (found,) = refused.value.diagnostics
    assert (found.code, found.rule, found.what, found.fix) == ("capdeco-declaration", rule, what, fix)
    assert found.subject == 'the parameter "it" of "function"'
    assert found.place is not None
    assert found.place.line == takes.function.__code__.co_firstlineno


DEFAULTS: dict[str, tuple[Any, Any, str, str]] = {
    "NaN": (float, float("nan"), "NaN and infinity have no JSON form", "use None for no value"),
    "infinity": (list[float], [float("-inf")], "NaN and infinity have no JSON form", "use None for no value"),
    "UNSET": (
        Any,
        msgspec.UNSET,
        "the default has no JSON form: a value of type UnsetType has no JSON form",
        "give one that has, or none",
    ),
    "an object": (
        Any,
        [object()],
        "the default has no JSON form: [0]: a value of type object has no JSON form",
        "give one that has, or none",
    ),
    "None": (int, None, "the default None is no value of int", "write int | None"),
    "another type": (int, "1", "the default '1' is no value of int", "change the default or the type"),
    "another member": (
        Literal["a"],
        "b",
        "the default 'b' is no value of Literal['a']",
        "change the default or the type",
    ),
}


@pytest.mark.parametrize(
    ("annotation", "default", "what", "fix"), [pytest.param(*case, id=name) for name, case in DEFAULTS.items()]
)
def test_a_default_that_is_no_value_of_its_type_is_refused(annotation: Any, default: Any, what: str, fix: str) -> None:
    takes, _ = declared(annotation, default)
    with pytest.raises(DeclarationError) as refused:
        read_function(takes)
    (found,) = refused.value.diagnostics
    assert (found.rule, found.what, found.fix) == ("default", what, fix)


def test_everything_that_is_wrong_is_said_at_once() -> None:
    def function(one: complex, two: Handler, three: int = NONE, *, four: str) -> re.Pattern[str]:
        raise NotImplementedError

    with pytest.raises(DeclarationError) as refused:
        read_function(FunctionInput(function))
    assert [(each.subject, each.what) for each in refused.value.diagnostics] == [
        ('the parameter "one" of "function"', "complex has no JSON form"),
        ('the parameter "two" of "function"', "on_event: Callable has no JSON form"),
        ('the parameter "two" of "function"', "rows[]: complex has no JSON form"),
        ('the parameter "three" of "function"', "the default None is no value of int"),
        ('the result of "function"', "Pattern has no JSON form"),
    ]


def test_two_parameters_cannot_give_the_input_one_field() -> None:
    def function(input: Point, /, x: int) -> None: ...

    with pytest.raises(DeclarationError, match='two parameters give the input a field "x"'):
        read_function(FunctionInput(function))


def test_a_whole_input_has_no_default() -> None:
    def function(input: Layout = Layout(), /) -> None: ...

    with pytest.raises(DeclarationError, match="the whole input has no default"):
        read_function(FunctionInput(function))


def test_a_fault_in_a_field_of_a_whole_input_is_said_of_that_field() -> None:
    def function(input: Handler, /) -> None: ...

    with pytest.raises(DeclarationError) as refused:
        read_function(FunctionInput(function))
    assert [(each.subject, each.what) for each in refused.value.diagnostics] == [
        ('the parameter "on_event" of "function"', "Callable has no JSON form"),
        ('the parameter "rows" of "function"', "[]: complex has no JSON form"),
    ]


# Results


@attrs.frozen
class Result:
    _private: str
    many: set[str] = attrs.field(factory=set)
    made: int = attrs.field(init=False, default=7)


class Summed(pydantic.BaseModel):
    size: int = pydantic.Field(serialization_alias="Size")

    @pydantic.computed_field  # type: ignore[prop-decorator]
    @property
    def double(self) -> int:
        return 2 * self.size


RESULTS: dict[str, tuple[Any, Any, Any]] = {
    "plain": (dict[str, Any], {"a": [1, 2.5, None, True]}, {"a": [1, 2.5, None, True]}),
    "attrs": (Result, Result("p", {"b", "a"}), {"private": "p", "many": ["a", "b"], "made": 7}),
    "dataclass": (
        Job,
        Job(name="n", layouts=[Layout()]),
        {"name": "n", "layouts": [{"columns": 1, "day": None}], "made": 7},
    ),
    "TypedDict": (Row, {"name": "n", "day": DAY}, {"name": "n", "day": "2026-01-31"}),
    "NamedTuple": (Point, Point(1), [1, "2026-01-31"]),
    "Struct": (Circle, Circle(1), {"kind": "circle", "lineWidth": 1, "day": None}),
    "array_like Struct": (Packed, Packed(1), ["packed", 1, "2026-01-31"]),
    "pydantic model": (Summed, Summed(size=1), {"Size": 1, "double": 2}),
    "a subclass": (Page[dt.date], DayPage([DAY]), {"items": ["2026-01-31"], "next": None, "title": ""}),
    "enum": (list[Color | Level], [Color.RED, Level.HIGH], ["red", 2]),
    "text": (
        Any,
        [DAY, dt.time(12), uuid.UUID(int=1), decimal.Decimal("1.50"), pathlib.Path("a"), b"hi", Name("n"), Mode.FAST],
        ["2026-01-31", "12:00:00", "00000000-0000-0000-0000-000000000001", "1.50", "a", "aGk=", "n", "fast"],
    ),
    "collections": (
        tuple[Any, ...],
        (frozenset([2, 1]), deque([1]), (1, "a"), range(2)),
        [[1, 2], [1], [1, "a"], [0, 1]],
    ),
    "keys": (dict[Any, int], {DAY: 1, 2: 2, Color.RED: 3}, {"2026-01-31": 1, "2": 2, "red": 3}),
}


@pytest.mark.parametrize(
    ("annotation", "value", "expected"), [pytest.param(*case, id=name) for name, case in RESULTS.items()]
)
def test_a_result_becomes_the_json_that_its_schema_describes(annotation: Any, value: Any, expected: Any) -> None:
    def function() -> Any:
        return value

    function.__annotations__["return"] = annotation
    takes = FunctionInput(function)
    read = read_function(takes)
    found = body_of(takes, read)({}, NO_CONTEXT)
    assert found == expected
    assert list(jsonschema_rs.Draft202012Validator(render(read.returns)).iter_errors(found)) == []


def test_content_keeps_its_blocks() -> None:
    def function() -> Content:
        return Content([DAY], [{"type": "text", "text": "t"}])

    takes = FunctionInput(function)
    read = read_function(takes)
    assert read.returns == ANY
    assert body_of(takes, read)({}, NO_CONTEXT) == Content(["2026-01-31"], [{"type": "text", "text": "t"}])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"rows": [object()]}, "the tool: what it returned: rows[0]: a value of type object has no JSON form"),
        ({(1, 2): 1}, "the tool: what it returned: the key (1, 2) is no text"),
        (Layout, "the tool: what it returned: a value of type type has no JSON form"),
    ],
)
def test_a_result_that_is_no_json_fails_the_call(value: Any, message: str) -> None:
    takes = FunctionInput(lambda: value)
    with pytest.raises(ToolError) as refused:
        body_of(takes, read_function(takes))({}, NO_CONTEXT)
    assert (refused.value.code, refused.value.message) == ("INVALID_TOOL_OUTPUT", message)


class ByName(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(validate_by_name=True, validate_by_alias=False)
    q: str = pydantic.Field(alias="query")


class ByEither(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(populate_by_name=True)
    q: str = pydantic.Field(alias="query")


class ByValidationAlias(pydantic.BaseModel):
    q: str = pydantic.Field(validation_alias="query")


class Around(pydantic.BaseModel):
    inner: ByName = ByName.model_validate({"q": "ink"})


@pydantic.dataclasses.dataclass(config=pydantic.ConfigDict(validate_by_name=True, validate_by_alias=False))
class DataByName:
    q: str = pydantic.Field(alias="query", description="What to find.")


@pytest.mark.parametrize(
    ("model", "given"),
    [
        (ByName, {"q": "ink"}),
        (ByEither, {"query": "ink"}),
        (ByValidationAlias, {"query": "ink"}),
        (Around, {"inner": {"q": "ink"}}),
        (DataByName, {"q": "ink"}),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_a_model_is_read_under_the_names_that_pydantic_takes(model: Any, given: dict[str, Any]) -> None:
    made = pydantic.TypeAdapter(model).validate_python(given)

    def function(one, two=made): ...  # type: ignore[no-untyped-def]

    function.__annotations__ = {"one": model, "two": model}
    takes = FunctionInput(function)
    read = read_function(takes)
    assert list(read.takes.fields["one"].shape.fields) == list(given)  # type: ignore[union-attr]
    assert read.takes.fields["two"].default == given
    function.__code__ = (lambda one, two=None: one == two).__code__
    assert body_of(takes, read)({"one": given}, NO_CONTEXT) is True


def test_the_notes_of_a_pydantic_dataclass_are_kept_and_its_generic_arguments_too() -> None:
    shape = read_type(DataByName)
    assert isinstance(shape, Object)
    assert shape.fields["q"].shape.doc == "What to find."

    @pydantic.dataclasses.dataclass
    class Box(Generic[T]):
        item: T

    assert read_type(Box[int]) == Object({"item": Field(INTEGER)})
