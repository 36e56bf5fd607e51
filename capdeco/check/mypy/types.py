"""mypy's types -> Shape: the second reader, which reads every type as `capdeco.reading` does at run time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, combinations, count
from typing import Final

import attrs
from mypy.types import (  # first, as in internals
    AnyType,
    CallableType,
    FunctionLike,
    Instance,
    LiteralType,
    NoneType,
    TupleType,
    Type,
    TypeAliasType,
    TypedDictType,
    TypeType,
    TypeVarType,
    UninhabitedType,
    UnionType,
    UnpackType,
    flatten_nested_unions,
    get_proper_type,
)

from mypy.nodes import ARG_STAR, ARG_STAR2, FuncDef, TypeInfo  # isort: skip

from capdeco.check.mypy.enums import Computed, enum_constants, literal_constants
from capdeco.check.mypy.internals import member_type
from capdeco.check.mypy.names import CONTENT
from capdeco.check.mypy.parameters import parameters_of, whole_of
from capdeco.check.mypy.wire import Members, members_of
from capdeco.declare import faults, unfit
from capdeco.declare.faults import Flaw
from capdeco.declare.shape import (
    NULL,
    Array,
    Const,
    Field,
    Object,
    Ref,
    Scalar,
    Shape,
    Unknown,
    arms_of,
    may_be_key,
    told_apart,
    union,
)
from capdeco.declare.wiring import Input


@attrs.frozen
class Signature:
    """What a function takes."""

    takes: Input
    parameter_of: Mapping[str, str]
    """Field -> the parameter that it is, or is a part of."""
    flaws: tuple[tuple[str, Flaw], ...] = ()
    """Parameter -> what is wrong with its type, its path from the input."""
    classes: frozenset[TypeInfo] = frozenset()
    """Classes that were looked into for it."""


def _is_content(type_: Type) -> bool:
    match get_proper_type(type_):
        case UnionType(items=items):
            return any(map(_is_content, items))
        case Instance(type=info):
            return info.fullname == CONTENT
    return False


_DEEPEST: Final = 8
"""A generic class inside itself with other arguments, more often than that, contains ever larger versions of itself."""


@attrs.frozen
class _Named:
    """A type that may contain itself: a class or alias with its arguments."""

    short: str = attrs.field(eq=False)
    """What is shown."""
    owner: str
    """The full name of its class or alias, which is generic perhaps."""
    arguments: str


def _named(short: str, owner: str, arguments: Sequence[Type]) -> _Named:
    return _Named(short, owner, ", ".join(map(str, arguments)))


def _short_name(type_: Type) -> str:
    """Give a name as at run time: `Page[int]` is not `Page[str]`."""
    match get_proper_type(type_):
        case Instance(type=info, args=arguments):
            return "_".join([info.name, *map(_short_name, arguments)])
        case TypedDictType(fallback=owner):
            return owner.type.name
    return "any"


@attrs.define(eq=False)
class TypeReader:
    """Reads types, each once. A type that contains itself becomes a `Ref` where it is met again.

    What mypy had not inferred yet when it was asked is not remembered: it may know more later.
    """

    classes: set[TypeInfo] = attrs.field(factory=set)
    """Classes that were looked into since somebody last emptied this."""
    _objects: dict[Instance, tuple[Shape, frozenset[TypeInfo]]] = attrs.field(factory=dict)
    """Classes that were read, and had nothing to report -> the classes looked into for them."""
    _signatures: dict[tuple[int, bool], tuple[CallableType, Signature]] = attrs.field(factory=dict)
    """By identity of the function's type, which is kept alive for that: mypy hashes a type slowly."""
    _seen: set[TypeInfo] = attrs.field(factory=set)
    """Classes that were looked into for what is being read."""
    _hasty: bool = False
    """Whether what is being read met something that mypy does not know yet."""
    _table: dict[str, Shape] = attrs.field(factory=dict)
    _names: dict[str, _Named] = attrs.field(factory=dict)
    """Names in the table -> the types that have them."""
    _open: dict[_Named, str] = attrs.field(factory=dict)
    """Types that are being read -> their names, once they were met again inside themselves."""
    _endless: set[str] = attrs.field(factory=set)
    """Generic classes that contain ever larger versions of themselves: one way down says it."""
    _path: list[str] = attrs.field(factory=list)
    _flaws: list[Flaw] = attrs.field(factory=list)
    _unions: list[tuple[list[str], list[Shape]]] = attrs.field(factory=list)
    """Unions, and where they are: their arms can be told apart, or not, once all types are read."""

    # Functions

    def signature(self, function: CallableType, *, skip_first: bool = False, keep: bool = True) -> Signature:
        """Read what *function* takes; *skip_first* leaves out `self` or `cls`; *keep* if it may be asked for again."""
        known = self._signatures.get((id(function), skip_first))
        if known is not None:
            self.classes |= known[1].classes
            return known[1]
        self._hasty = False
        self._seen = set()
        read = attrs.evolve(self._signature(function, skip_first=skip_first), classes=frozenset(self._seen))
        self.classes |= self._seen
        if keep and not self._hasty:
            self._signatures[id(function), skip_first] = function, read
        return read

    def _signature(self, function: CallableType, *, skip_first: bool) -> Signature:
        if function.is_ellipsis_args or function.param_spec() is not None:
            return Signature(Unknown("its parameters are not known"), {})
        parameters = parameters_of(function)[skip_first:]
        if any(each.name is None or each.kind == ARG_STAR for each in parameters):
            return Signature(Unknown("it has parameters without names"), {})
        fields: dict[str, Field] = {}
        rest: Shape | None = None
        owners: dict[str, str] = {}
        flaws: list[tuple[str, Flaw]] = []
        whole = whole_of(parameters)
        for each in parameters:
            own = str(each.name)
            shape, found = self.read(each.type, whole=each is whole)
            flaws += [(own, flaw if each is whole else flaw.within([own])) for flaw in found]
            if each is whole:
                if isinstance(shape, Ref):
                    shape = shape.target
                if not isinstance(shape, Object):
                    return Signature(Unknown(getattr(shape, "reason", "")), {}, tuple(flaws))
                if each.kind.is_optional():
                    flaws.append((own, faults.default_of_whole_input().within([own])))
                fields |= shape.fields
                rest = shape.rest if rest is None else rest
                owners |= dict.fromkeys(shape.fields, own)
            elif each.kind == ARG_STAR2:
                rest = shape
            else:
                if own in fields:  # of the whole input
                    flaws.append((own, faults.field_twice(own).within([own])))
                fields[own] = Field(shape, optional=each.kind.is_optional(), filled=each.kind.is_optional())
                owners[own] = own
        return Signature(Object(fields, rest), owners, tuple(flaws))

    def result(self, type_: Type) -> tuple[Flaw, ...]:
        """Say what in the type of a result has no JSON form."""
        if not _is_content(type_) and not isinstance(get_proper_type(type_), UninhabitedType):
            self._seen = set()
            self._shape(type_)
            self.classes |= self._seen
        self._unions.clear()  # Python knows which class a result is: any union will do
        return self._finish()

    # Types

    def read(self, type_: Type, *, whole: bool = False) -> tuple[Shape, tuple[Flaw, ...]]:
        """Give the shape of *type_*, and what in it has no JSON form; *whole* reads a NamedTuple as an object."""
        proper = get_proper_type(type_)
        if whole and isinstance(proper, TupleType) and proper.partial_fallback.type.is_named_tuple:
            shape: Shape = self._named_tuple(proper)
        else:
            shape = self._shape(type_)
        return shape, self._finish()

    def _finish(self) -> tuple[Flaw, ...]:
        for path, arms in self._unions:
            for one, other in combinations([each for arm in arms for each in arms_of(arm)], 2):
                if not told_apart(one, other):
                    self._path = path
                    self._refuse(unfit.same_arms(one, other))
        self._path = []
        self._unions = []
        self._endless.clear()
        found, self._flaws = tuple(dict.fromkeys(self._flaws)), []
        return found

    def _within(self, step: str, type_: Type) -> Shape:
        """Read a part of a type."""
        self._path.append(step)
        shape = self._shape(type_)
        self._path.pop()
        return shape

    def _shape(self, type_: Type) -> Shape:
        if isinstance(type_, TypeAliasType) and type_.is_recursive:
            alias = type_.alias
            assert alias is not None
            return self._once(_named(alias.name, alias.fullname, type_.args), lambda: self._proper(type_))
        return self._proper(type_)

    def _proper(self, type_: Type) -> Shape:
        proper = get_proper_type(type_)
        match proper:
            case NoneType():
                return NULL
            case Instance():
                return self._instance(proper)
            case LiteralType():
                return self._constants(literal_constants(proper))
            case UnionType():
                return self._union(proper)
            case TypedDictType():
                return self._typed_dict(proper)
            case TupleType():
                # A NamedTuple is an object only as a whole input: nested it travels as the array that it is.
                if any(isinstance(each, UnpackType) for each in proper.items):
                    return self._refuse(unfit.unpacked_tuple())
                items = [self._within(f"[{number}]", each) for number, each in enumerate(proper.items)]
                return Array(union(items) if items else Unknown("it is empty"))
            case TypeVarType():
                return self._type_variable(proper)
            case AnyType():
                return Unknown("its type is Any, or cannot be resolved")
            case FunctionLike():
                return self._refuse(unfit.no_form("typing.Callable"))
            case UninhabitedType(ambiguous=False):
                return self._refuse(unfit.no_form("typing.Never"))
            case TypeType():
                return self._refuse(unfit.no_form("builtins.type"))
        return self._not_yet("mypy does not know its type")

    def _any_of(self, items: Sequence[Type]) -> Shape:
        return union([self._within("[]", each) for each in items]) if items else Unknown("it has no items")

    def _union(self, proper: UnionType) -> Shape:
        # Two classes of one shape are two arms here, though one in the shape: which of them is a value?
        items = dict.fromkeys(
            each if isinstance(each, TypeAliasType) and each.is_recursive else get_proper_type(each)
            for each in flatten_nested_unions(proper.items, handle_recursive=False)
        )
        arms = [self._shape(each) for each in items]
        self._unions.append((list(self._path), arms))
        return union(arms)

    def _type_variable(self, proper: TypeVarType) -> Shape:
        if proper.has_default():
            return self._shape(proper.default)
        if proper.values:
            return union([self._shape(each) for each in proper.values])
        bound = get_proper_type(proper.upper_bound)
        if isinstance(bound, Instance) and bound.type.fullname == "builtins.object":
            return Unknown(f'"{proper.name}" may be any type')
        return self._shape(bound)

    def _constants(self, found: Const | Flaw | Computed) -> Shape:
        match found:
            case Flaw():
                return self._refuse(found)
            case Computed(why=why):
                return self._not_yet(why)
        return found

    def _typed_dict(self, proper: TypedDictType) -> Shape:
        self._seen.add(proper.fallback.type)

        def fields() -> Object:
            return Object(
                {
                    name: Field(self._within(name, type_), optional=name not in proper.required_keys)
                    for name, type_ in proper.items.items()
                }
            )

        info = proper.fallback.type
        return self._once(_named(info.name, info.fullname, [proper]), fields)

    def _named_tuple(self, proper: TupleType) -> Shape:
        info = proper.partial_fallback.type
        self._seen.add(info)
        new = info.get_method("__new__")
        if not isinstance(new, FuncDef) or not isinstance(new.type, CallableType):
            return self._not_yet(f'the fields of "{info.name}" are not known')
        names, kinds = new.type.arg_names[1:], new.type.arg_kinds[1:]
        return Object(
            {
                str(name): Field(self._within(str(name), type_), optional=kind.is_optional(), filled=kind.is_optional())
                for name, kind, type_ in zip(names, kinds, proper.items, strict=True)
            }
        )

    # Classes

    def _instance(self, proper: Instance) -> Shape:
        info = proper.type
        self._seen.add(info)
        if info.fullname == "msgspec.UnsetType":  # an enum to mypy
            return self._refuse(unfit.no_form(info.fullname))
        if info.is_newtype and info.bases:
            return self._shape(info.bases[0])
        if info.fullname in _SCALARS:
            return _SCALARS[info.fullname]
        if info.fullname == "builtins.object" or info.fallback_to_any:
            return Unknown(f'"{info.name}" may be anything')
        if info.is_enum:
            return self._constants(enum_constants(info))
        container = self._container(proper)
        if container is not None:
            return container
        return self._read_once(proper, info)

    def _class(self, proper: Instance, info: TypeInfo) -> Shape:
        members = members_of(info)
        if members is None:
            return self._foreign(info)
        if members.unknown:
            return self._not_yet(members.unknown)
        if members.refused:
            return self._refuse(members.refused)
        name = _named(_short_name(proper), info.fullname, proper.args)
        return self._once(name, lambda: self._object(proper, members))

    def _read_once(self, proper: Instance, info: TypeInfo) -> Shape:
        """Read a class; one that stands alone and has nothing to report is not read again."""
        known = self._objects.get(proper)
        if known is not None:
            self._seen |= known[1]
            return known[0]
        if self._open:
            return self._class(proper, info)
        outer, self._seen = self._seen, {info}
        hasty, self._hasty = self._hasty, False
        before = len(self._flaws), len(self._unions)
        shape = self._class(proper, info)
        if not self._hasty and before == (len(self._flaws), len(self._unions)):
            self._objects[proper] = shape, frozenset(self._seen)
        self._seen |= outer
        self._hasty = self._hasty or hasty
        return shape

    def _not_yet(self, why: str) -> Unknown:
        self._hasty = True
        return Unknown(why)

    def _object(self, owner: Instance, members: Members) -> Shape:
        fields: dict[str, Field] = {}
        if members.tag is not None:
            fields[members.tag[0]] = Field(Const((members.tag[1],)))
        for member in members.fields:
            type_ = member_type(owner, member.attribute)
            if type_ is None or member.converted:
                shape: Shape = self._not_yet(f'what "{member.attribute}" takes is not known')
            else:
                shape = self._within(member.wire, type_)
            fields[member.wire] = Field(shape, optional=member.optional, filled=member.optional)
        if members.array:
            return Array(union([each.shape for each in fields.values()]) if fields else Unknown("it has no items"))
        return Object(fields, Unknown("it may hold other fields") if members.open else None)

    def _container(self, proper: Instance) -> Shape | None:
        name, arguments = proper.type.fullname, proper.args
        if name in _ARRAYS:
            return Array(self._within("[]", arguments[0]) if arguments else Unknown("nothing says what is in it"))
        if name not in _MAPPINGS:
            return None
        if len(arguments) != 2:
            return Object({}, Unknown("nothing says what is in it"))
        if not all(map(may_be_key, arms_of(self._shape(arguments[0])))):
            return self._refuse(unfit.keys())
        return Object({}, self._within("*", arguments[1]))

    def _foreign(self, info: TypeInfo) -> Shape:
        if info.get("__get_pydantic_core_schema__"):
            return Unknown(f'only pydantic knows what "{info.name}" takes')
        for base in info.mro:
            if base.fullname in _HEIRS:
                return _SCALARS[base.fullname]
        if info.is_protocol and not unfit.is_known(info.fullname):
            return self._refuse(unfit.protocol(info.name))
        return self._refuse(unfit.no_form(info.fullname))

    def _once(self, named: _Named, read: Callable[[], Shape]) -> Shape:
        """Read a type that may contain itself: where it is met again inside, a reference stands for it."""
        if named in self._open:
            name = self._open[named] = self._open[named] or self._unique(named)
            return Ref(name, self._table)
        if named.owner in self._endless:
            return self._not_yet("it contains ever larger types")
        if sum(each.owner == named.owner for each in self._open) > _DEEPEST:
            self._endless.add(named.owner)
            return self._refuse(unfit.endless(named.owner.rpartition(".")[2]))
        self._open[named] = ""
        shape = read()
        name = self._open.pop(named)
        if not name:
            return shape
        self._table[name] = shape
        return Ref(name, self._table)

    def _unique(self, named: _Named) -> str:
        """Give the name that no other type goes by."""
        numbers = (f"{named.short}_{number}" for number in count(2))
        return next(name for name in chain([named.short], numbers) if self._names.setdefault(name, named) == named)

    def _refuse(self, flaw: Flaw) -> Shape:
        self._flaws.append(flaw.within(self._path))
        return Unknown(flaw.what)


_PATH: Final = Scalar("string", "path")
_SCALARS: Final[Mapping[str, Shape]] = {
    "builtins.str": Scalar("string"),
    "builtins.int": Scalar("integer"),
    "builtins.float": Scalar("number"),
    "builtins.bool": Scalar("boolean"),
    "builtins.bytes": Scalar("string", "byte"),
    "builtins.bytearray": Scalar("string", "byte"),
    "datetime.date": Scalar("string", "date"),
    "datetime.datetime": Scalar("string", "date-time"),
    "datetime.time": Scalar("string", "time"),
    "datetime.timedelta": Scalar("string", "duration"),
    "uuid.UUID": Scalar("string", "uuid"),
    "decimal.Decimal": Scalar("string", "decimal"),
    "_decimal.Decimal": Scalar("string", "decimal"),
    "os.PathLike": _PATH,
    "pathlib.PurePath": _PATH,
}
_HEIRS: Final = ("builtins.str", "builtins.int", "builtins.float", "pathlib.PurePath")
"""Scalars whose subclasses travel as they do."""
_ARRAYS: Final = frozenset(
    {"builtins.list", "builtins.set", "builtins.frozenset", "builtins.tuple", "collections.deque"}
    | {f"typing.{name}" for name in ("Sequence", "MutableSequence", "Collection", "Iterable", "Reversible")}
    | {f"typing.{name}" for name in ("AbstractSet", "MutableSet")}
)
_MAPPINGS: Final = frozenset({"builtins.dict", "typing.Mapping", "typing.MutableMapping"})
