"""The two readers of Python types, the one at run time and mypy's, make the same shape of the same annotation."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from capdeco.check.analyze.analysis import analyze_folder
from capdeco.codes import DECLARATION
from capdeco.declare.functions import FunctionInput
from capdeco.declare.json_schema import render
from capdeco.errors import DeclarationError, Diagnostic
from capdeco.reading import read_function

PRELUDE = """\
import collections
import dataclasses as dc
import datetime
import decimal
import enum
import os
import pathlib
import re
import typing
import uuid
from collections.abc import (
    Callable, Collection, Iterable, Iterator, Mapping, MutableMapping, MutableSequence, Sequence, Set,
)
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import (
    Annotated, Any, Generic, Literal, NamedTuple, Never, NewType, NoReturn, NotRequired, Protocol, Required, TypedDict,
    TypeVar, Union,
)

import attrs
import msgspec
import pydantic
import typing_extensions
from typing_extensions import ReadOnly, TypeAliasType

from capdeco import tool

T = TypeVar("T")
K = TypeVar("K")
Bound = TypeVar("Bound", bound=int)
Either = TypeVar("Either", int, str)
Id = NewType("Id", int)
Deep = NewType("Deep", Id)
Alias = list[int]
Named = TypeAliasType("Named", dict[str, int])
Json = TypeAliasType("Json", "dict[str, Json] | list[Json] | str | None")
Tree = TypeAliasType("Tree", "list[Tree]")
Nested = TypeAliasType("Nested", "T | list[Nested[T]]", type_params=(T,))


class Mixin: ...


class Text(enum.Enum):
    A = "a"
    B = "b"


class Mixed(enum.Enum):
    A = 1
    B = "b"
    C = True


class Number(enum.IntEnum):
    ONE = 1
    TWO = 2


class Auto(enum.Enum):
    ONE = enum.auto()
    TWO = enum.auto()


class Word(enum.StrEnum):
    RED = enum.auto()
    BLUE = "b"


class Flags(enum.Flag):
    A = 1


class Pair(enum.Enum):
    A = (1, 2)


class BytesValue(enum.Enum):
    A = b"x"


class NoValue(enum.Enum):
    A = None


class TextAuto(str, enum.Enum):
    A = enum.auto()
    B = enum.auto()


class TextOfAny(str, enum.Enum):
    A = 1
    B = True
    C = 1.5
    D = "d"


class IntOfAny(enum.IntEnum):
    A = "1"
    B = 2.7
    C = True


class FloatOfAny(float, enum.Enum):
    A = 1
    B = "2.5"


class Methods(str, enum.Enum):
    def shout(self) -> str:
        return self.value.upper()


class Heirs(Methods):
    A = 1


class OtherMixin(Mixin, enum.Enum):
    A = 1


class Empty(enum.Enum): ...


class MyStr(str): ...


class MyText(MyStr, enum.Enum):
    A = 1


class MyInt(int): ...


class MyList(list[int]): ...


class MyPath(pathlib.PurePosixPath): ...


class Plain: ...


class Proto(Protocol):
    x: int


@attrs.frozen
class A:
    a: int
    b: str = "b"


@attrs.define
class Private:
    _x: int
    y: int = 1
    z: int = attrs.field(init=False, default=3)
    w: int = attrs.field(alias="ww", default=0)
    f: list[int] = attrs.Factory(list)


@attrs.frozen
class SubA(A):
    c: bool = False


class Undecorated(A):
    d: int = 1


@attrs.frozen
class Box(Generic[T]):
    item: T
    more: list[T]


@attrs.frozen
class IntBox(Box[int]):
    extra: str


@attrs.frozen
class Node:
    value: int
    next: "Node | None" = None


@attrs.frozen
class GenericNode(Generic[T]):
    value: T
    children: "list[GenericNode[T]]"


@dataclass
class D:
    a: int
    b: A
    c: int = 3
    d: list[str] = field(default_factory=list)
    e: int = field(init=False, default=1)


@dataclass(kw_only=True)
class SubD(D):
    f: float


@dataclass
class Init:
    x: InitVar[int]
    y: int = 0


@dataclass
class Keywords:
    a: int = 0
    _: KW_ONLY
    b: int


@dataclass
class SubKeywords(Keywords):
    c: int = 1


@dataclass
class KeywordsToo(Generic[T]):
    __: "dc.KW_ONLY"
    b: T


@dataclass(init=False)
class OwnInit:
    a: int

    def __init__(self, text: str) -> None:
        self.a = int(text)


@dataclass(init=False)
class FittingInit:
    a: int

    def __init__(self, a: int) -> None:
        self.a = a


@dataclass(init=False)
class OpenInit:
    a: int

    def __init__(self, **given: int) -> None:
        self.a = given["a"]


@dataclass(init=False)
class NoInit:
    a: int


@dataclass
class MadeAgain(OwnInit):
    b: int


@attrs.define(init=False)
class AttrsOwnInit:
    a: int

    def __init__(self, text: str) -> None:
        self.a = int(text)


@attrs.define(init=False)
class AttrsFittingInit:
    _a: int

    def __init__(self, a: int) -> None:
        self.__attrs_init__(a)


class SubOwnInit(A):
    def __init__(self, text: str) -> None:
        super().__init__(int(text))


@dataclass
class Ever(Generic[T]):
    n: "Ever[list[T]] | None"


@dataclass
class EverOther(Generic[T]):
    n: "OtherEver[list[T]]"


@dataclass
class OtherEver(Generic[T]):
    m: EverOther[list[T]]


class TD(TypedDict):
    a: int
    b: NotRequired[str]


class Partial(TypedDict, total=False):
    a: Required[int]
    b: A


class SubTD(TD):
    c: bool


class Read(TypedDict):
    a: ReadOnly[int]
    b: Annotated[int, "doc"]


class GenericTD(TypedDict, Generic[T]):
    item: T


class RecursiveTD(TypedDict):
    children: "list[RecursiveTD]"


class Deepest(TypedDict):
    value: Tree


Functional = TypedDict("Functional", {"from": int, "class": str})


class NT(NamedTuple):
    x: int
    y: str = ""


class S(msgspec.Struct):
    a: int
    b: str = "b"


class Camel(msgspec.Struct, rename="camel"):
    page_count: int
    _private_name: int
    x: int = 1
    two__under: int = 0
    trailing_: int = 0
    explicit_name: int = msgspec.field(default=0, name="Explicit")


class SubCamel(Camel):
    sub_field: int = 0


class Kebab(msgspec.Struct, rename="kebab"):
    page_count: int
    _private_name: int
    trailing_: int = 0


class Pascal(msgspec.Struct, rename="pascal"):
    page_count: int
    _private_name: int
    trailing_: int = 0


class Upper(msgspec.Struct, rename="upper"):
    page_count: int


class Tagged(msgspec.Struct, tag=True):
    a: int


class TaggedField(msgspec.Struct, tag="t", tag_field="kind"):
    a: int


class SubTagged(Tagged):
    b: int


class ArrayLike(msgspec.Struct, array_like=True):
    a: int
    b: str


class KwStruct(msgspec.Struct, kw_only=True):
    a: int = 0
    b: str


class M(pydantic.BaseModel):
    a: int
    b: str = "b"
    c: int | None = None
    d: int = pydantic.Field(3, description="d")
    e: int = pydantic.Field(..., alias="ee")
    f: list[int] = pydantic.Field(default_factory=list)
    g: int = pydantic.Field(validation_alias="gg", alias="other")
    h: typing.ClassVar[int] = 1
    _hidden: int = 1


class SubM(M):
    a: str  # type: ignore[assignment]
    z: bool = False


class Open(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    a: int


class OpenByKeyword(pydantic.BaseModel, extra="allow"):
    a: int


class ByAlias(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(validate_by_name=True)
    q: int = pydantic.Field(alias="query")


class ByName(ByAlias):
    model_config = pydantic.ConfigDict(validate_by_alias=False)
    r: int = pydantic.Field(validation_alias="rest")


class ByNameToo(pydantic.BaseModel, validate_by_alias=False):
    q: int = pydantic.Field(alias="query")


class ByAliasAgain(ByName):
    model_config = {"validate_by_alias": True}


class GenericM(pydantic.BaseModel, Generic[T]):
    item: T


@pydantic.dataclasses.dataclass
class PD:
    a: int
    b: str = "b"


class One(TypedDict):
    kind: Literal["one"]
    a: int


class Two(TypedDict):
    kind: Literal["two"]
    b: int


def show(function: Callable[..., object]) -> None: ...
"""

PARAMETERS = (
    *(
        f"x: {each.strip()}"
        for each in """
        int; str; float; bool; None; bytes; bytearray; object; Any; complex; type; type[A]; Plain; Proto
        int | None; "int | str | None"; Union[int, str]; Literal["a", 1, True, None]; Literal["a"]; Literal[b"a"]
        Literal[Text.A]; Literal[Text.A, "x"]; Literal[Number.ONE]
        datetime.date; datetime.datetime; datetime.time; datetime.timedelta; uuid.UUID; decimal.Decimal
        pathlib.Path; pathlib.PurePath; os.PathLike[str]; re.Pattern[str]; range
        list[int]; list; set[int]; frozenset[str]; tuple[int, ...]; tuple[int, str]; tuple; tuple[()]
        collections.deque[int]; collections.OrderedDict[str, int]; collections.defaultdict[str, int]
        Sequence[int]; MutableSequence[int]; Collection[int]; Iterable[int]; Iterator[int]; Set[int]
        typing.List[int]; typing.Dict[str, int]; typing.Optional[int]
        dict[str, int]; dict; Mapping[str, A]; MutableMapping[str, Any]; dict[int, str]; dict[float, str]
        dict[tuple[int, int], int]; dict[A, int]; dict[Number, int]; dict[Mixed, int]; dict[Literal[1], int]
        dict[None, int]; dict[Any, int]; dict[str | int, int]; dict[bool | str, int]; Mapping[frozenset[int], int]
        dict[Node, int]; dict[str, dict[float, int]]; dict[MyInt, int]; dict[T, int]
        dict[bool, str]; dict[Text, int]; dict[Literal["a", "b"], int]; dict[uuid.UUID, int]; dict[str | None, int]
        Json | None; dict[str, Nested[int] | None]
        Callable[[], int]; Id; Deep; Alias; Named; Json; Tree; MyStr; MyInt; MyList; MyPath
        T; Bound; Either; list[Bound]
        Text; Mixed; Number; Auto; Word; Flags; Pair; Text | None; list[Text]
        BytesValue; NoValue; TextAuto; TextOfAny; IntOfAny; FloatOfAny; Heirs; OtherMixin; MyText; Literal[TextAuto.B]
        Literal[FloatOfAny.A]; Empty; Methods; Empty | None; enum.Enum; enum.IntEnum; enum.StrEnum; enum.Flag
        Never; NoReturn; list[Never]; int | Never; dict[str, NoReturn]
        Keywords; SubKeywords; KeywordsToo[int]; Ever[int]; EverOther[int]; GenericNode[int] | list[GenericNode[str]]
        OwnInit; FittingInit; OpenInit; NoInit; MadeAgain; AttrsOwnInit; AttrsFittingInit; SubOwnInit; list[OwnInit]
        A; Private; SubA; Undecorated; Box[int]; Box[A]; IntBox; Node; GenericNode[int]; Box[Box[str]]
        D; SubD; Init; TD; Partial; SubTD; Read; GenericTD[int]; RecursiveTD; Functional; NT; list[NT]
        S; Camel; SubCamel; Kebab; Pascal; Upper; Tagged; TaggedField; SubTagged; ArrayLike; KwStruct
        M; SubM; Open; OpenByKeyword; ByAlias; ByName; ByNameToo; ByAliasAgain; GenericM[int]; PD; list[M]
        list[Tree] | RecursiveTD | Node | Deepest
        One | Two; A | int; A | None; TD | A; list[One | Two]; A | dict[str, int]; One | Any
        Annotated[int, "doc"]; Annotated[A, "doc"] | None
        """.replace("\n", ";").split(";")
        if each.strip()
    ),
    *(
        """
        x: int, y: str = "";x: int, *, y: str;x: int, /;x: int, /, y: str;x: int, y: int, /;x: A, /;x: A, /, y: int
        x: A, y: A, /;x: A = A(1), /;x: NT, /;x: TD, /;x: M, /;x: ArrayLike, /;x: dict[str, int], /;x: A | None, /
        x: Node, /;x: Open, /
        **x: int;x: int, **y: str;**x: typing_extensions.Unpack[TD];x: int, **y: typing_extensions.Unpack[TD]
        x: One | Two, /;x: Tagged, /;x: Box[int], /;x: A, **rest: int;*, x: int = 1;x: S, /, *, y: int = 3;x: Proto, /
        """.strip()
        .replace("\n        ", ";")
        .split(";")
    ),
)  # fmt: skip


def _source() -> str:
    functions = [
        f'@tool\ndef f{number}({parameters}) -> None:\n    """d"""\nshow(f{number})\n'
        for number, parameters in enumerate(PARAMETERS)
    ]
    return PRELUDE + "\n\n".join(functions)


@pytest.fixture(scope="module")
def said_by_mypy(tmp_path_factory: pytest.TempPathFactory) -> str:
    directory = tmp_path_factory.mktemp("readers")
    (directory / "all_types.py").write_text(_source())
    (directory / "mypy.ini").write_text("[mypy]\nplugins = capdeco.check.mypy_plugin, tests.typing.show_shapes\n")
    command = [sys.executable, "-m", "mypy", "all_types.py"]
    root = Path(__file__).parents[2]
    done = subprocess.run(
        command, cwd=directory, capture_output=True, text=True, check=False, env={"PYTHONPATH": str(root), "PATH": ""}
    )
    assert not done.stderr, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def by_mypy(said_by_mypy: str) -> Mapping[int, tuple[bool, Any]]:
    """Number of the function -> whether it is refused, and its schema."""
    found = re.findall(r"SHAPE (\d+) (.*)", said_by_mypy)
    assert len(found) == len(PARAMETERS), said_by_mypy
    return {
        number: (refusals != "0", None if shown == "unknown" else json.loads(shown))
        for number, (refusals, shown) in enumerate(found)
    }


@pytest.fixture(scope="module")
def functions() -> ModuleType:
    module = ModuleType("all_types")
    sys.modules["all_types"] = module
    exec(compile(_source(), "all_types.py", "exec", dont_inherit=True), vars(module))
    return module


def _without_notes(schema: Any) -> Any:
    """Leave out what mypy does not know: defaults, descriptions; and orders."""
    if isinstance(schema, dict):
        kept = {key: _without_notes(each) for key, each in schema.items() if key not in ("default", "description")}
        if isinstance(kept.get("required"), list):
            kept["required"].sort()
        return kept
    return [_without_notes(each) for each in schema] if isinstance(schema, list) else schema


@pytest.mark.parametrize("number", range(len(PARAMETERS)), ids=PARAMETERS)
def test_both_readers_agree(number: int, by_mypy: Mapping[int, tuple[bool, Any]], functions: ModuleType) -> None:
    refused, schema = by_mypy[number]
    takes = FunctionInput(getattr(functions, f"f{number}"))
    if refused:
        with pytest.raises(DeclarationError):
            read_function(takes)
        return
    read = read_function(takes)
    assert _without_notes(schema) == _without_notes(render(read.takes))


@pytest.mark.parametrize("number", range(len(PARAMETERS)), ids=PARAMETERS)
def test_both_readers_say_the_same(
    number: int, said_by_mypy: str, by_mypy: Mapping[int, tuple[bool, Any]], functions: ModuleType
) -> None:
    said = re.findall(rf'error: (.* of "f{number}".*|"f{number}":.*)  \[capdeco-declaration\]', said_by_mypy)
    if not by_mypy[number][0]:
        assert said == []
        return
    with pytest.raises(DeclarationError) as caught:
        read_function(FunctionInput(getattr(functions, f"f{number}")))
    found = [f"{each.subject}: {each.what}; {each.fix}" for each in caught.value.diagnostics]
    assert said == [each.replace("NoReturn", "Never") for each in found]  # to mypy they are one


@pytest.fixture(scope="module")
def by_analyzer(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[Diagnostic]]:
    """Name of the function -> what the analyzer refuses in it."""
    directory = tmp_path_factory.mktemp("analyzed")
    (directory / "all_types.py").write_text(_source())
    found: dict[str, list[Diagnostic]] = defaultdict(list)
    for each in analyze_folder(directory).diagnostics:
        if each.code == DECLARATION:
            found[each.subject.split('"')[-2]].append(each)
    return found


@pytest.mark.parametrize("number", range(len(PARAMETERS)), ids=PARAMETERS)
def test_what_the_analyzer_says_is_said_at_run_time(
    number: int, by_analyzer: Mapping[str, list[Diagnostic]], functions: ModuleType
) -> None:
    """It stops at the first fault of a parameter's type."""
    name = f"f{number}"
    found: list[Diagnostic] = []
    try:
        read_function(FunctionInput(getattr(functions, name)))
    except DeclarationError as error:
        found = list(error.diagnostics)
    said = by_analyzer[name]
    assert bool(said) == bool(found)
    assert {_words(each) for each in said} <= {_words(each) for each in found}


def _words(diagnostic: Diagnostic) -> tuple[str, ...]:
    return diagnostic.rule, diagnostic.subject, diagnostic.what, diagnostic.fix
