"""Python annotations as shapes, read from source."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any, Final

import attrs

from capdeco.check.analyze.py_module import Scope, clipped
from capdeco.check.analyze.py_project import (
    Defined,
    Expression,
    External,
    Member,
    Project,
    Thing,
    parsed_annotation,
)
from capdeco.check.analyze.records import Dynamic
from capdeco.declare.shape import (
    ANY,
    NULL,
    Array,
    Const,
    Object,
    Ref,
    Scalar,
    Shape,
    Unknown,
    arms_of,
    documented,
    told_apart,
    union,
)


class Refused(Exception):  # noqa: N818 - becomes a diagnostic
    """A type that has no JSON form, whatever a declaration does with it."""


_TYPING: Final = ("typing.", "typing_extensions.")

_SCALARS: Final[dict[str, Shape]] = {
    "builtins.str": Scalar("string"),
    "builtins.int": Scalar("integer"),
    "builtins.float": Scalar("number"),
    "builtins.bool": Scalar("boolean"),
    "builtins.bytes": Scalar("string", "byte"),
    "builtins.bytearray": Scalar("string", "byte"),
    "builtins.None": NULL,
    "types.NoneType": NULL,
    "typing.LiteralString": Scalar("string"),
    "typing.Text": Scalar("string"),
    "datetime.date": Scalar("string", "date"),
    "datetime.datetime": Scalar("string", "date-time"),
    "datetime.time": Scalar("string", "time"),
    "datetime.timedelta": Scalar("string", "duration"),
    "uuid.UUID": Scalar("string", "uuid"),
    "decimal.Decimal": Scalar("string", "decimal"),
    "pathlib.Path": Scalar("string", "path"),
    "pathlib.PurePath": Scalar("string", "path"),
    "pathlib.PosixPath": Scalar("string", "path"),
    "pathlib.PurePosixPath": Scalar("string", "path"),
    "pathlib.WindowsPath": Scalar("string", "path"),
    "pathlib.PureWindowsPath": Scalar("string", "path"),
    "builtins.object": ANY,
    "typing.Any": ANY,
}

_ARRAYS: Final = frozenset(
    {"builtins.list", "builtins.set", "builtins.frozenset", "collections.deque"}
    | {f"typing.{each}" for each in ("List", "Set", "FrozenSet", "Sequence", "MutableSequence", "Collection", "Deque")}
    | {f"typing.{each}" for each in ("Iterable", "AbstractSet", "MutableSet")}
    | {f"collections.abc.{each}" for each in ("Sequence", "MutableSequence", "Collection", "Iterable", "Set", "MutableSet")}
)
_MAPPINGS: Final = frozenset(
    {"builtins.dict", "collections.OrderedDict", "collections.defaultdict"}
    | {f"typing.{each}" for each in ("Dict", "Mapping", "MutableMapping", "OrderedDict", "DefaultDict")}
    | {f"collections.abc.{each}" for each in ("Mapping", "MutableMapping")}
)
_WRAPPERS: Final = frozenset(
    f"typing.{each}" for each in ("Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "Unpack")
)
_NO_JSON: Final = frozenset(
    {"typing.Callable", "collections.abc.Callable", "typing.Protocol", "dataclasses.InitVar", "re.Pattern", "re.Match"}
    | {"typing.Pattern", "typing.Match", "builtins.complex", "builtins.type", "typing.Type", "builtins.range"}
    | {"builtins.memoryview", "builtins.slice"}
    | {f"{home}.{kind}" for home in ("typing", "collections.abc") for kind in ("Awaitable", "Coroutine", "Iterator")}
)


def plain(thing: Thing | None) -> str:
    """Give the full name of something external, `typing_extensions` read as `typing`; else the empty text."""
    if not isinstance(thing, External):
        return ""
    name = thing.name
    return "typing." + name.removeprefix("typing_extensions.") if name.startswith("typing_extensions.") else name


@attrs.define(eq=False)
class Shapes:
    """Lowers annotations of one project."""

    project: Project
    fields_of: Callable[[Shapes, Defined], Shape | None]
    """Reads a class of fields (attrs, dataclass, TypedDict...); `None`: it is no such class."""
    table: dict[str, Shape] = attrs.field(factory=dict)
    """Classes that contain themselves, by name: where a `Ref` leads."""
    _reading: list[ast.AST] = attrs.field(factory=list)
    _recursive: set[ast.AST] = attrs.field(factory=set)
    _depth: int = 0

    def read(self, annotation: ast.expr, scope: Scope) -> Shape:
        """Lower *annotation*.

        Raises:
            Refused: it has no JSON form.
        """
        if self._depth > 60:  # noqa: PLR2004 - aliases that lead to aliases
            return Unknown("its type is nested too deeply to be read")
        self._depth += 1
        try:
            return self._read(annotation, scope)
        finally:
            self._depth -= 1

    def lenient(self, annotation: ast.expr | None, scope: Scope) -> Shape:
        """Lower an annotation of somebody else's framework, whose rules are not ours."""
        if annotation is None:
            return Unknown("it has no annotation")
        try:
            return self.read(annotation, scope)
        except Refused as refusal:
            return Unknown(str(refusal))

    def _read(self, annotation: ast.expr, scope: Scope) -> Shape:
        match annotation:
            case ast.Constant(value=None):
                return NULL
            case ast.Constant(value=str() as text):
                parsed = parsed_annotation(text)
                return self.read(parsed, scope) if parsed else Unknown("its annotation is no expression")
            case ast.BinOp(op=ast.BitOr(), left=left, right=right):
                return self._join([self.read(left, scope), self.read(right, scope)])
            case ast.Subscript(value=value, slice=index):
                return self._subscript(value, index, annotation, scope)
            case ast.Name() | ast.Attribute():
                return self._named(annotation, scope)
            case _:
                return Unknown(f"the type {clipped(annotation)} is computed")

    def _join(self, arms: Iterable[Shape]) -> Shape:
        joined = union(arms)
        objects = [arm for arm in arms_of(joined) if isinstance(arm, Object)]
        for number, one in enumerate(objects):
            for other in objects[number + 1 :]:
                if not told_apart(one, other):
                    raise Refused("the objects of this union cannot be told apart; add a tag: a Literal field")
        return joined

    def _named(self, node: ast.expr, scope: Scope) -> Shape:
        alias = self._alias(node, scope)
        if alias is not None:
            return alias
        thing = self.project.resolve(node, scope)
        name = plain(thing)
        if name in _SCALARS:
            return _SCALARS[name]
        if name in _ARRAYS or name in ("builtins.tuple", "typing.Tuple"):
            return Array(ANY)
        if name in _MAPPINGS:
            return Object({}, rest=ANY)
        if name in _NO_JSON:
            raise Refused(f"{name.rsplit('.', 1)[-1]} has no JSON form")
        if isinstance(thing, Defined):
            return self._class(thing)
        return Unknown(f"the type {clipped(node)} is not known from the source")

    def _alias(self, node: ast.expr, scope: Scope) -> Shape | None:
        """`Path = str | None`, `UserId = NewType("UserId", str)`, `type Rows = list[Row]`, `T = TypeVar("T", bound=X)`."""
        found = self.project.definition(node, scope)
        if found is None:
            return None
        value, where = found
        if isinstance(value, ast.Call):
            return self._made(value, where)
        if isinstance(value, ast.Subscript | ast.BinOp) or (isinstance(value, ast.Constant) and value.value is None):
            return self.read(value, where)
        return None

    def _made(self, call: ast.Call, scope: Scope) -> Shape | None:
        maker = plain(self.project.resolve(call.func, scope))
        if maker == "typing.NewType" and len(call.args) > 1:
            return self.read(call.args[1], scope)
        if maker == "typing.TypeAliasType" and len(call.args) > 1:
            return self.read(call.args[1], scope)
        if maker == "typing.TypeVar":
            bound = next((each.value for each in call.keywords if each.arg == "bound"), None)
            return self.read(bound, scope) if bound is not None else ANY
        if maker in ("typing.TypedDict", "typing.NamedTuple", "collections.namedtuple"):
            return Unknown("its type is made by a call")
        if maker in ("enum.Enum", "enum.StrEnum", "enum.IntEnum"):
            return Unknown("its enum is made by a call")
        return None

    def _class(self, defined: Defined) -> Shape:
        node = defined.node
        if not isinstance(node, ast.ClassDef):
            return Unknown(f"{node.name} is a function, not a type")
        if node in self._reading:
            self._recursive.add(node)
            return Ref(node.name, self.table)
        self._reading.append(node)
        try:
            shape = self._class_shape(defined, node)
        finally:
            self._reading.pop()
        if node in self._recursive:
            self.table[node.name] = shape
            return Ref(node.name, self.table)
        return shape

    def _class_shape(self, defined: Defined, node: ast.ClassDef) -> Shape:
        if self.project.is_enum(defined):
            return self._enum(defined, node)
        fields = self.fields_of(self, defined)
        if fields is not None:
            return fields
        known: list[str] = []
        for each in self.project.lineage(defined):
            name = plain(each) if isinstance(each, External) else ""
            if name in _SCALARS and name != "builtins.object":
                return _SCALARS[name]  # `class UserId(str)`
            if name in ("typing.Protocol", "typing.Generic") or name.startswith("typing.Protocol"):
                known.append(name)
            elif isinstance(each, External) and name not in ("builtins.object", "abc.ABC"):
                return Unknown(f"the class {node.name} inherits from {each.name}, which is not in the folder")
        if any(each.startswith("typing.Protocol") for each in known):
            raise Refused(f"the Protocol {node.name} has no JSON form")
        if node.decorator_list or node.keywords or not self._bases_known(defined):
            return Unknown(f"the class {node.name} is made in a way that the source does not tell")
        raise Refused(f"the class {node.name} has no JSON form")

    def _bases_known(self, defined: Defined) -> bool:
        assert isinstance(defined.node, ast.ClassDef)
        return all(self.project.resolve(base, defined.scope) is not None for base in defined.node.bases)

    def _enum(self, defined: Defined, node: ast.ClassDef) -> Shape:
        scope = self.project.inside(defined)
        values: list[Any] = []
        for name, bindings in scope.names.items():
            if name.startswith("_") or not isinstance(getattr(bindings[-1], "value", None), ast.expr):
                continue
            member = self.project.member(defined, name)
            value = self.project.value_of(member, node.bases[0], scope) if isinstance(member, Member) else Dynamic()
            if isinstance(value, Dynamic) or not isinstance(value, bool | int | float | str):
                return Unknown(f"the enum {node.name} has computed values")
            values.append(value)
        return Const(tuple(values)) if values else Unknown(f"the enum {node.name} has no members")

    def _subscript(self, value: ast.expr, index: ast.expr, whole: ast.expr, scope: Scope) -> Shape:
        thing = self.project.resolve(value, scope)
        name = plain(thing)
        items = list(index.elts) if isinstance(index, ast.Tuple) else [index]
        if name == "typing.Annotated" and items:
            return documented(self.read(items[0], scope), self.doc(items[1:], scope))
        if name == "typing.Optional":
            return self._join([self.read(items[0], scope), NULL])
        if name == "typing.Union":
            return self._join([self.read(each, scope) for each in items])
        if name == "typing.Literal":
            return self._literal(items, scope)
        if name in _WRAPPERS:
            return self.read(items[0], scope)
        if name in ("builtins.tuple", "typing.Tuple"):
            found = [self.read(each, scope) for each in items if not _is_ellipsis(each)]
            return Array(union(found) if found else ANY)
        if name in _ARRAYS:
            return Array(self.read(items[0], scope))
        if name in _MAPPINGS:
            return Object({}, rest=self.read(items[-1], scope) if len(items) > 1 else ANY)
        if name in _NO_JSON or name in ("typing.Concatenate", "typing.ParamSpec"):
            raise Refused(f"{name.rsplit('.', 1)[-1]} has no JSON form")
        if isinstance(thing, Defined):
            shape = self._class(thing)
            return Unknown("it is generic") if isinstance(shape, Object) else shape
        return Unknown(f"the type {clipped(whole)} is not known from the source")

    def _literal(self, items: list[ast.expr], scope: Scope) -> Shape:
        arms: list[Shape] = []
        for item in items:
            value = self.project.value(item, scope)
            if isinstance(value, Dynamic | list | dict):
                alias = self._alias(item, scope) if isinstance(item, ast.Name | ast.Attribute) else None
                if alias is None:
                    return Unknown(f"the literal {clipped(item)} is computed")
                arms.append(alias)
            else:
                arms.append(NULL if value is None else Const((value,)))  # type: ignore[arg-type]  # scalars by now
        return union(arms) if arms else ANY

    def doc(self, extras: list[ast.expr], scope: Scope) -> str:
        """Give the description in what follows a type in `Annotated`: `Doc`, `Field`, `Meta`, or a bare text."""
        for extra in extras:
            text: object = None
            if isinstance(extra, ast.Call):
                made = self.project.resolve(extra.func, scope)
                name = made.name if isinstance(made, External) else ""
                wanted = next((each.value for each in extra.keywords if each.arg in ("description", "documentation")), None)
                if name.endswith(".Doc") and extra.args:
                    wanted = extra.args[0]
                text = self.project.value(wanted, scope) if wanted is not None else None
            elif isinstance(extra, ast.Constant):
                text = extra.value
            elif isinstance(extra, ast.Name | ast.Attribute):
                thing = self.project.resolve(extra, scope)
                text = self.project.value(extra, scope) if isinstance(thing, Expression) else None
            if isinstance(text, str):
                return text
        return ""


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def is_call_of(project: Project, node: ast.expr | None, scope: Scope, *names: str) -> bool:
    """Tell whether *node* calls something that is known by one of these full names."""
    if not isinstance(node, ast.Call):
        return False
    return plain(project.resolve(node.func, scope)) in names


__all__ = ["Refused", "Shapes", "is_call_of", "plain"]
