"""Python annotations as shapes, read from source."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from typing import Final

import attrs

from capdeco.check.analyze.python.enums import NoScalar, values_of
from capdeco.check.analyze.python.module import Scope, clipped
from capdeco.check.analyze.python.project import (
    Defined,
    Expression,
    External,
    Member,
    Project,
    Thing,
    parsed_annotation,
)
from capdeco.check.analyze.records import Dynamic
from capdeco.declare import unfit
from capdeco.declare.faults import Flaw, Refused
from capdeco.declare.shape import (
    ANY,
    NULL,
    Array,
    Const,
    JsonScalar,
    Object,
    Ref,
    Scalar,
    Shape,
    Union,
    Unknown,
    arms_of,
    documented,
    may_be_key,
    show,
    told_apart,
    union,
)

_DEEPEST: Final = 60
_LARGEST: Final = 5_000
"""Types within one type: those that hold each other twice grow without end."""
_MOST_REPEATED: Final = 8
"""A generic class inside itself with other arguments, more often than that, contains ever larger versions of itself."""


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
    {
        "builtins.list",
        "builtins.set",
        "builtins.frozenset",
        "collections.deque",
        "typing.AbstractSet",
        "collections.abc.Set",
    }
    | {f"typing.{each}" for each in ("List", "Set", "FrozenSet", "Deque")}
    | {
        f"{home}.{each}"
        for home in ("typing", "collections.abc")
        for each in ("Sequence", "MutableSequence", "Collection", "Iterable", "Reversible", "MutableSet")
    }
)
_MAPPINGS: Final = frozenset(
    {"builtins.dict", "typing.Dict"}
    | {f"{home}.{each}" for home in ("typing", "collections.abc") for each in ("Mapping", "MutableMapping")}
)
_WRAPPERS: Final = frozenset(
    f"typing.{each}" for each in ("Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "Unpack")
)
_NO_JSON: Final = frozenset(
    {"typing.Callable", "collections.abc.Callable", "typing.Protocol", "dataclasses.InitVar", "re.Pattern", "re.Match"}
    | {"typing.Pattern", "typing.Match", "builtins.complex", "builtins.type", "typing.Type", "builtins.range"}
    | {"builtins.memoryview", "builtins.slice", "enum.Flag", "msgspec.UnsetType"}
    | {"typing.Never", "typing.NoReturn"}
    | {f"collections.{each}" for each in ("OrderedDict", "defaultdict", "Counter", "ChainMap")}
    | {
        f"{home}.{kind}"
        for home in ("typing", "collections.abc")
        for kind in ("Awaitable", "Coroutine", "Iterator", "Generator", "AsyncIterator", "AsyncIterable", "Hashable")
    }
)


_BARE_ENUMS: Final = ("enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.ReprEnum")


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
    strict: bool = False
    """Hold types to the rules of capdeco's own declarations, not only to having a JSON form."""
    table: dict[str, Shape] = attrs.field(factory=dict)
    """Classes that contain themselves, by name: where a `Ref` leads."""
    _homes: dict[str, tuple[str, int, int, str]] = attrs.field(factory=dict)
    """Name in the table -> where that type stands, and its arguments."""
    _reading: list[tuple[ast.AST, str]] = attrs.field(factory=list, init=False)
    _recursive: set[tuple[ast.AST, str]] = attrs.field(factory=set, init=False)
    _variables: dict[str, Shape] = attrs.field(factory=dict, init=False)
    """What the type variables of the generic class that is being read stand for."""
    _path: list[str] = attrs.field(factory=list, init=False)
    _unions: list[tuple[list[str], Shape]] = attrs.field(factory=list, init=False)
    """Unions, and where they are: their arms can be told apart, or not, once all is read."""
    _classes: dict[int, tuple[Shape, tuple[ast.AST, str]]] = attrs.field(factory=dict, init=False)
    """The shapes of classes in what is being read, by their identity, and whose they are."""
    _depth: int = attrs.field(default=0, init=False)
    _budget: int = attrs.field(default=0, init=False)

    def read(self, annotation: ast.expr, scope: Scope) -> Shape:
        """Lower *annotation*.

        Raises:
            Refused: it has no JSON form.
        """
        if not self._depth:
            self._budget = _LARGEST
        self._budget -= 1
        if self._depth > _DEEPEST or self._budget < 0:
            return Unknown("its type is too large to be read")
        self._depth += 1
        try:
            shape = self._read(annotation, scope)
        finally:
            self._depth -= 1
            unions = self._unions
            if not self._depth:
                self._unions, self._classes = [], {}
        if not self._depth and self.strict:
            # A class that contains itself is whole only now.
            for path, joined in unions:
                _told_apart(joined, path)
        return shape

    def _within(self, step: str, annotation: ast.expr, scope: Scope) -> Shape:
        """Lower a part of a type."""
        with self.at(step):
            return self.read(annotation, scope)

    @contextmanager
    def at(self, step: str) -> Iterator[None]:
        """Read at *step* below: `columns`, or `[]`."""
        self._path.append(step)
        try:
            yield
        finally:
            self._path.pop()

    def refused(self, flaw: Flaw) -> Refused:
        """Make the exception for what is wrong with what is being read."""
        return Refused(flaw.within(self._path))

    def lenient(self, annotation: ast.expr | None, scope: Scope) -> Shape:
        """Lower an annotation of somebody else's framework, whose rules are not ours."""
        if annotation is None:
            return Unknown("it has no annotation")
        try:
            return self.read(annotation, scope)
        except Refused as refused:
            return Unknown(str(refused))

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
        flat = [each for arm in arms for each in (arm.arms if isinstance(arm, Union) else (arm,))]
        joined = union(flat)
        self._unions.append((list(self._path), joined))
        # Two classes of one shape are one arm by now, and a value may be either.
        objects = [each for each in flat if isinstance(each, Object) and id(each) in self._classes]
        for one, other in combinations(objects, 2):
            if one == other and self._classes[id(one)][1] != self._classes[id(other)][1]:
                self._unions.append((list(self._path), Union((one, other))))
        return joined

    def _named(self, node: ast.expr, scope: Scope) -> Shape:
        if isinstance(node, ast.Name) and node.id in self._variables:
            return self._variables[node.id]
        alias = self._alias(node, scope)
        if alias is not None:
            return alias
        thing = self.project.resolve(node, scope)
        name = plain(thing)
        if name == "typing.LiteralString" and self.strict:
            raise self.refused(unfit.no_form(name))
        if name in _SCALARS:
            return _SCALARS[name]
        if name in _ARRAYS or name in ("builtins.tuple", "typing.Tuple"):
            return Array(ANY)
        if name in _MAPPINGS:
            return Object({}, rest=ANY)
        if name in _BARE_ENUMS and self._is_only(name, node, scope):
            raise self.refused(unfit.enum_without_members(name.rsplit(".", 1)[-1]))
        if name in _NO_JSON:
            raise self.refused(unfit.no_form(name))
        if isinstance(thing, Defined):
            return self._class(thing)
        return Unknown(f"the type {clipped(node)} is not known from the source")

    def _is_only(self, name: str, node: ast.expr, scope: Scope) -> bool:
        """Tell whether *node* is *name* wherever it comes from: it may be imported in one of several ways."""
        found = scope.lookup(node.id, node) if isinstance(node, ast.Name) else None
        if found is None or not isinstance(node, ast.Name):
            return True
        bindings, where = found
        return all(plain(self.project.bound(each, where, node.id)) == name for each in bindings)

    def _alias(self, node: ast.expr, scope: Scope) -> Shape | None:
        """Follow `Path = str | None`, `UserId = NewType("UserId", str)`, `type Rows = list[Row]`, a `TypeVar`."""
        found = self.project.definition(node, scope)
        if found is None:
            return None
        value, where = found
        if not isinstance(value, ast.Call | ast.Subscript | ast.BinOp) and not _is_none(value):
            return None
        return self._alias_once(node, value, where, ())

    def _generic_alias(self, node: ast.expr, items: list[ast.expr], scope: Scope) -> Shape | None:
        """Follow `Tree[int]` where `Tree = TypeAliasType("Tree", "T | list[Tree[T]]", type_params=(T,))`."""
        found = self.project.definition(node, scope)
        if found is None or not isinstance(found[0], ast.Call):
            return None
        call, where = found
        given = next((each.value for each in found[0].keywords if each.arg == "type_params"), None)
        if plain(self.project.resolve(found[0].func, where)) != "typing.TypeAliasType" or not isinstance(
            given, ast.Tuple
        ):
            return None
        names = [each.id for each in given.elts if isinstance(each, ast.Name)]
        if not len(names) == len(given.elts) == len(items):
            return None
        arguments = tuple(self.read(each, scope) for each in items)
        if _is_large(arguments):
            return Unknown("its type is too large to be read")
        with self.standing_for(dict(zip(names, arguments, strict=True))):
            return self._alias_once(node, call, where, arguments)

    def _alias_once(self, node: ast.expr, value: ast.expr, where: Scope, arguments: tuple[Shape, ...]) -> Shape | None:
        key = (value, repr(arguments) if arguments else "")
        name = self._name_of(node.id if isinstance(node, ast.Name) else clipped(node), value, where, key[1])
        if key in self._reading:
            self._recursive.add(key)
            return Ref(name, self.table)
        if self._is_endless(value):
            return self._endless(name)
        self._reading.append(key)
        try:
            shape = self._made(value, where) if isinstance(value, ast.Call) else self.read(value, where)
        finally:
            self._reading.pop()
        if key not in self._recursive or shape is None:
            return shape
        self.table[name] = Unknown(f"{name} is itself") if _holds(shape, name) else shape
        return Ref(name, self.table)

    def _made(self, call: ast.Call, scope: Scope) -> Shape | None:
        maker = plain(self.project.resolve(call.func, scope))
        if maker == "typing.NewType" and len(call.args) > 1:
            return self.read(call.args[1], scope)
        if maker == "typing.TypeAliasType" and len(call.args) > 1:
            return self.read(call.args[1], scope)
        if maker == "typing.TypeVar":
            if len(call.args) > 1:
                return self._join([self.read(each, scope) for each in call.args[1:]])
            bound = next((each.value for each in call.keywords if each.arg == "bound"), None)
            return self.read(bound, scope) if bound is not None else ANY
        if maker in ("typing.TypedDict", "typing.NamedTuple", "collections.namedtuple"):
            is_read = isinstance(self.project.resolve(call, scope), Defined)
            return None if is_read else Unknown("its type is made by a call")
        if maker in ("enum.Enum", "enum.StrEnum", "enum.IntEnum"):
            return Unknown("its enum is made by a call")
        return None

    def _class(self, defined: Defined, arguments: tuple[Shape, ...] = ()) -> Shape:
        node = defined.node
        if not isinstance(node, ast.ClassDef):
            return Unknown(f"{node.name} is a function, not a type")
        if _is_large(arguments):
            return Unknown("its type is too large to be read")
        key = (node, repr(arguments) if arguments else "")
        if key in self._reading:
            self._recursive.add(key)
            return Ref(self._named_with(node, arguments, defined.scope), self.table)
        if self._is_endless(node):
            return self._endless(node.name)
        self._reading.append(key)
        try:
            with self.standing_for(dict(zip(self._parameters(defined), arguments, strict=False))):
                shape = self._class_shape(defined, node)
        finally:
            self._reading.pop()
        if key in self._recursive:
            name = self._named_with(node, arguments, defined.scope)
            self.table[name] = shape
            return Ref(name, self.table)
        self._classes[id(shape)] = shape, key
        return shape

    def _is_endless(self, node: ast.AST) -> bool:
        return sum(each is node for each, _ in self._reading) > (_MOST_REPEATED if self.strict else 0)

    def _endless(self, name: str) -> Shape:
        if self.strict:
            raise self.refused(unfit.endless(name))
        return Unknown(f"{name} contains itself with other types")

    @contextmanager
    def standing_for(self, variables: dict[str, Shape]) -> Iterator[None]:
        """Read what stands in a generic base with its own type variables."""
        outer, self._variables = self._variables, variables
        try:
            yield
        finally:
            self._variables = outer

    def variables_of(self, classes: Iterable[Defined]) -> dict[ast.AST, dict[str, Shape]]:
        """Class -> what its type variables stand for in the first of *classes*, which inherits from the others."""
        found: dict[ast.AST, dict[str, Shape]] = {}
        for each in classes:
            assert isinstance(each.node, ast.ClassDef)
            with self.standing_for(found.setdefault(each.node, self._variables if not found else {})):
                for base in each.node.bases:
                    generic = self.project.resolve(base, each.scope) if isinstance(base, ast.Subscript) else None
                    if isinstance(generic, Defined) and isinstance(base, ast.Subscript):
                        items = base.slice.elts if isinstance(base.slice, ast.Tuple) else [base.slice]
                        arguments = [self.read(item, each.scope) for item in items]
                        names = self._parameters(generic)
                        found.setdefault(generic.node, dict(zip(names, arguments, strict=False)))
        return found

    def _named_with(self, node: ast.ClassDef, arguments: tuple[Shape, ...], scope: Scope) -> str:
        name = "_".join([node.name, *map(self._short_name, arguments)])
        return self._name_of(name, node, scope, repr(arguments) if arguments else "")

    def _short_name(self, shape: Shape) -> str:
        known = self._classes.get(id(shape))
        if known is not None and isinstance(known[1][0], ast.ClassDef):
            return known[1][0].name
        return re.sub(r"\W+", "_", show(shape), flags=re.ASCII).strip("_")

    def _name_of(self, name: str, node: ast.stmt | ast.expr, scope: Scope, arguments: str = "") -> str:
        """Give a type's name in the table: two files may have types of one name."""
        home = (scope.module.path, node.lineno, node.col_offset, arguments)
        while self._homes.setdefault(name, home) != home:
            name += "_2"
        return name

    def _parameters(self, defined: Defined) -> list[str]:
        """The names of a generic class's type variables, in the order in which they are given."""
        assert isinstance(defined.node, ast.ClassDef)
        found: list[str] = [each.name for each in getattr(defined.node, "type_params", ())]
        for base in defined.node.bases:
            if isinstance(base, ast.Subscript):
                items = base.slice.elts if isinstance(base.slice, ast.Tuple) else [base.slice]
                found += [each.id for each in items if isinstance(each, ast.Name) and each.id not in found]
        return found

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
            elif isinstance(each, External) and not name.startswith("builtins.") and name != "abc.ABC":
                return Unknown(f"the class {node.name} inherits from {each.name}, which is not in the folder")
        if any(each.startswith("typing.Protocol") for each in known):
            raise self.refused(unfit.protocol(node.name))
        if node.decorator_list or node.keywords or not self._bases_known(defined):
            return Unknown(f"the class {node.name} is made in a way that the source does not tell")
        raise self.refused(unfit.no_form(node.name))

    def _bases_known(self, defined: Defined) -> bool:
        assert isinstance(defined.node, ast.ClassDef)
        return all(self.project.resolve(base, defined.scope) is not None for base in defined.node.bases)

    def _enum(self, defined: Defined, node: ast.ClassDef) -> Shape:
        if any(
            isinstance(each, External) and each.name in ("enum.Flag", "enum.IntFlag")
            for each in self.project.lineage(defined)
        ):
            raise self.refused(unfit.no_form("enum.Flag", node.name))
        values = values_of(self.project, defined)
        if values is None:
            return Unknown(f"the enum {node.name} has computed values")
        kept: list[JsonScalar] = []
        for name, value in values.items():
            if isinstance(value, NoScalar):
                raise self.refused(unfit.enum_value(f"{node.name}.{name}"))
            if value not in kept:  # else it is another name of that member
                kept.append(value)
        if not kept:
            raise self.refused(unfit.enum_without_members(node.name))
        return Const(tuple(kept))

    def member_value(self, member: Member) -> object:
        """Give the value that Python makes for a member of an enum; `Dynamic` where the source does not tell."""
        values = values_of(self.project, member.enum)
        return Dynamic() if values is None else values.get(member.name, Dynamic())

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
            if any(self._is_unpacked(each, scope) for each in items):
                raise self.refused(unfit.unpacked_tuple())
            if any(map(_is_ellipsis, items)):
                return Array(self._within("[]", items[0], scope))
            found = [self._within(f"[{number}]", each, scope) for number, each in enumerate(items)]
            return Array(union(found) if found else ANY)
        if name in _ARRAYS:
            return Array(self._within("[]", items[0], scope))
        if name == "os.PathLike":
            return Scalar("string", "path")
        if name in _MAPPINGS:
            if self.strict and not all(map(may_be_key, arms_of(self.read(items[0], scope)))):
                raise self.refused(unfit.keys())
            return Object({}, rest=self._within("*", items[-1], scope) if len(items) > 1 else ANY)
        if name in _NO_JSON or name in ("typing.Concatenate", "typing.ParamSpec"):
            raise self.refused(unfit.no_form(name))
        alias = self._generic_alias(value, items, scope)
        if alias is not None:
            return alias
        if isinstance(thing, Defined):
            return self._class(thing, tuple(self.read(each, scope) for each in items))
        return Unknown(f"the type {clipped(whole)} is not known from the source")

    def _is_unpacked(self, node: ast.expr, scope: Scope) -> bool:
        if isinstance(node, ast.Subscript):
            return plain(self.project.resolve(node.value, scope)) == "typing.Unpack"
        return isinstance(node, ast.Starred)

    def _literal(self, items: list[ast.expr], scope: Scope) -> Shape:
        arms: list[Shape] = []
        for item in items:
            thing = self.project.resolve(item, scope)
            value = self.member_value(thing) if isinstance(thing, Member) else self.project.value(item, scope)
            if isinstance(item, ast.Constant) and isinstance(item.value, bytes):
                raise self.refused(unfit.literal(repr(item.value)))
            if isinstance(thing, Member) and isinstance(value, float | NoScalar):
                raise self.refused(unfit.literal(f"{thing.enum.node.name}.{thing.name}"))
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
                wanted = next(
                    (each.value for each in extra.keywords if each.arg in ("description", "documentation")), None
                )
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


def _told_apart(joined: Shape, path: Sequence[str]) -> None:
    for one, other in combinations(arms_of(joined), 2):
        if not told_apart(one, other):
            raise Refused(unfit.same_arms(one, other).within(path))


def _is_large(shapes: tuple[Shape, ...]) -> bool:
    """Tell whether types, written out, grow without end: each may hold the one before it several times."""
    pending, left = list(shapes), _LARGEST
    while pending and left:
        left -= 1
        match pending.pop():
            case Array(item=item):
                pending.append(item)
            case Union(arms=arms):
                pending += arms
            case Object(fields=fields, rest=rest):
                pending += [each.shape for each in fields.values()]
                pending += [] if rest is None else [rest]
    return bool(pending)


def _holds(shape: Shape, name: str) -> bool:
    """Tell whether a type is an alternative of itself, which leads nowhere."""
    pending, seen = [shape], set[str]()
    while pending:
        each = pending.pop()
        if isinstance(each, Union):
            pending += each.arms
        elif isinstance(each, Ref) and each.name not in seen:
            seen.add(each.name)
            pending += [each.table[each.name]] if each.name in each.table else []
    return name in seen


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


__all__ = ["Shapes", "plain"]
