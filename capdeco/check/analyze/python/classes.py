"""Classes of fields (attrs, dataclass, TypedDict, NamedTuple, msgspec, pydantic) as objects, read from source."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, Literal

import attrs

from capdeco.check.analyze.python.module import Assigned, Scope
from capdeco.check.analyze.python.project import Defined, External, Member
from capdeco.check.analyze.python.shapes import Shapes, plain
from capdeco.check.analyze.records import Dynamic
from capdeco.check.renames import RENAMES
from capdeco.declare import faults, unfit
from capdeco.declare.faults import Flaw
from capdeco.declare.shape import (
    ANY,
    NO_DEFAULT,
    Array,
    Const,
    Field,
    Object,
    Ref,
    Shape,
    Union,
    Unknown,
    admits,
    documented,
    union,
)

Family = Literal["attrs", "dataclass", "typeddict", "namedtuple", "msgspec", "pydantic"]

_DECORATORS: Final[dict[str, Family]] = {
    **dict.fromkeys(
        ("attrs.define", "attrs.frozen", "attrs.mutable", "attr.define", "attr.frozen", "attr.mutable"), "attrs"
    ),
    **dict.fromkeys(("attr.s", "attr.attrs", "attr.attributes", "attr.dataclass"), "attrs"),
    **dict.fromkeys(("dataclasses.dataclass", "pydantic.dataclasses.dataclass"), "dataclass"),
}
_BASES: Final[dict[str, Family]] = {
    "typing.TypedDict": "typeddict",
    "typing.NamedTuple": "namedtuple",
    "msgspec.Struct": "msgspec",
    "pydantic.BaseModel": "pydantic",
    "pydantic.main.BaseModel": "pydantic",
}
_OVERWRITING: Final = ("attr.s", "attr.attrs", "attr.attributes", "attr.dataclass")
_FIELD_CALLS: Final = (
    "attrs.field", "attr.field", "attr.ib", "attr.attrib", "dataclasses.field", "msgspec.field",
    "pydantic.Field", "pydantic.fields.Field", "pydantic.dataclasses.Field",
)  # fmt: skip
_EMPTY: Final[dict[str, object]] = {"builtins.list": [], "builtins.dict": {}, "builtins.set": [], "builtins.tuple": []}


@attrs.frozen
class Record:
    """A class as an object; `array` if it travels as one unless it is a whole input."""

    object: Object | Unknown
    array: bool = False
    named: bool = False
    """It is a NamedTuple: an array that can be made from names too."""


def fields_of(shapes: Shapes, defined: Defined) -> Shape | None:
    """Give the shape of a class of fields as part of something else; `None` if it is none."""
    record = record_of(shapes, defined)
    if record is None:
        return None
    if record.array and isinstance(record.object, Object):
        items = [field.shape for field in record.object.fields.values()]
        return Array(union(items) if items else ANY)
    return record.object


def record_of(shapes: Shapes, defined: Defined) -> Record | None:
    """Read a class of fields; `None` if it is none that we know."""
    family = _family(shapes, defined)
    if family is None or not isinstance(defined.node, ast.ClassDef):
        return None
    classes: list[Defined] = []
    for each in shapes.project.lineage(defined):
        if isinstance(each, Defined):
            classes.append(each)
        elif plain(each) not in _BASES and plain(each) not in ("builtins.object", "abc.ABC", "typing.Generic"):
            return Record(
                Unknown(f"the class {defined.node.name} inherits from {each.name}, which is not in the folder")
            )
    if not all(shapes.project.resolve(base, each.scope) for each in classes for base in _bases(each)):
        return Record(Unknown(f"a base of the class {defined.node.name} is computed"))
    reader = _Reader(shapes, family, defined.node.name)
    variables = shapes.variables_of(classes)
    for each in reversed(classes):
        # A class without a decorator of its own has the fields that it inherits, whatever it says.
        if family not in ("attrs", "dataclass") or _own_family(shapes, each) is not None:
            with shapes.standing_for(variables.get(each.node, {})):
                reader.add(each)
    reader.finish()
    if shapes.strict and family in ("attrs", "dataclass") and not reader.unknown:
        reader.unknown = _own_init(shapes, classes, defined.node.name, reader.fields)
    if reader.unknown:
        return Record(Unknown(reader.unknown))
    return Record(
        Object(reader.fields, rest=reader.rest),
        array=family == "namedtuple" or reader.array,
        named=family == "namedtuple",
    )


def _own_init(shapes: Shapes, classes: list[Defined], name: str, fields: Iterable[str]) -> str:
    """Look at the `__init__` that a class really has; give why it cannot be known.

    Raises:
        Refused: it is written out, and does not take the fields.
    """
    taken: list[str] = []
    for each in classes:
        made = _made_init(shapes, each)
        own = shapes.project.inside(each).names
        if "__new__" in own or made is None:
            return f"how the class {name} is made is not known from the source"
        if made:
            return ""
        if "__init__" in own:
            written = own["__init__"][0]
            if len(own["__init__"]) > 1 or not isinstance(written, ast.FunctionDef) or written.decorator_list:
                return f"the __init__ of the class {name} is not known from the source"
            if written.args.kwarg is not None:
                return ""
            arguments = written.args
            taken = [each.arg for each in (*arguments.posonlyargs, *arguments.args)][1:]
            taken += [each.arg for each in arguments.kwonlyargs]
            break
    for field in fields:
        if field not in taken:
            raise shapes.refused(unfit.other_init(name, field))
    return ""


def _made_init(shapes: Shapes, defined: Defined) -> bool | None:
    """Tell whether a decorator writes the `__init__` of a class itself; `None` if the source does not tell."""
    for decorator in defined.node.decorator_list:
        written, scope = shapes.project.decorator(decorator, defined.scope)
        called = written.func if isinstance(written, ast.Call) else written
        name = plain(shapes.project.resolve(called, scope))
        if name not in _DECORATORS:
            continue
        if name.startswith("pydantic."):
            return True  # pydantic has a look at it itself
        keywords = written.keywords if isinstance(written, ast.Call) else []
        given = {each.arg: each.value for each in keywords if each.arg}
        is_written = "__init__" in shapes.project.inside(defined).names
        if len(given) < len(keywords) or ("auto_detect" in given and is_written):
            return None
        if "init" in given and not _says(given, "init", value=True):
            return False if _says(given, "init", value=False) else None
        # attr.s writes its own over one that is there; the others leave that be.
        return name in _OVERWRITING or not is_written
    return False


def _bases(defined: Defined) -> list[ast.expr]:
    return defined.node.bases if isinstance(defined.node, ast.ClassDef) else []


def _family(shapes: Shapes, defined: Defined) -> Family | None:
    for each in shapes.project.lineage(defined):
        if isinstance(each, External):
            if plain(each) in _BASES:
                return _BASES[plain(each)]
            continue
        own = _own_family(shapes, each)
        if own is not None:
            return own
    return None


def _own_family(shapes: Shapes, defined: Defined) -> Family | None:
    for decorator in defined.node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = plain(shapes.project.resolve(called, defined.scope))
        if name in _DECORATORS:
            return _DECORATORS[name]
    return None


@attrs.define(eq=False)
class _Reader:
    """Collects the fields of one class and its bases."""

    shapes: Shapes
    family: Family
    name: str
    fields: dict[str, Field] = attrs.field(factory=dict)
    wire: dict[str, str] = attrs.field(factory=dict)
    """Python name -> wire name, so that an override replaces its field."""
    rest: Shape | None = None
    array: bool = False
    unknown: str = ""
    rename: Callable[[str], str] | None = None
    tag: object = None
    tag_field: object = "type"
    by_name: bool = False
    """pydantic reads the fields by the names of the attributes, whatever their aliases."""

    def add(self, defined: Defined) -> None:
        assert isinstance(defined.node, ast.ClassDef)
        self._options(defined.node, defined.scope)
        extra = next((each.value for each in defined.node.keywords if each.arg == "extra_items"), None)
        if extra is not None and self.family == "typeddict":
            self.rest = self.shapes.read(extra, defined.scope)
        total = not any(
            each.arg == "total" and isinstance(each.value, ast.Constant) and each.value.value is False
            for each in defined.node.keywords
        )
        scope = self.shapes.project.inside(defined)
        filled_by_method = {
            decorator.value.id
            for method in defined.node.body
            if isinstance(method, ast.FunctionDef)
            for decorator in method.decorator_list
            if isinstance(decorator, ast.Attribute)
            and decorator.attr == "default"
            and isinstance(decorator.value, ast.Name)
        }
        for statement in defined.node.body:
            match statement:
                case ast.AnnAssign(target=ast.Name(id=name)):
                    field = self._field(name, statement, scope, total=total)
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if self.family == "attrs":
                    if plain(self.shapes.project.resolve(call.func, scope)) not in _FIELD_CALLS:
                        continue
                    field = self._field(
                        name, ast.AnnAssign(ast.Name(name), ast.Name("object"), call, 1), scope, total=True
                    )
                case _:
                    continue
            if field is not None:
                if name in filled_by_method:
                    # What a method gives may be another each time: it is not filled in beforehand.
                    field = (field[0], attrs.evolve(field[1], optional=True, filled=False))
                self.fields.pop(self.wire.get(name, ""), None)
                self.wire[name] = field[0]
                self.fields[field[0]] = field[1]

    def _options(self, node: ast.ClassDef, scope: Scope) -> None:
        project = self.shapes.project
        if self.family == "msgspec":
            for keyword in node.keywords:
                value = project.value(keyword.value, scope)
                if keyword.arg == "array_like":
                    self.array = value is True
                elif keyword.arg == "rename" and value is not None:
                    self.rename = RENAMES.get(value) if isinstance(value, str) else None
                    if self.rename is None:
                        self.unknown = f"the fields of {self.name} have computed names"
                elif keyword.arg == "tag":
                    self.tag = value
                elif keyword.arg == "tag_field":
                    self.tag_field = value
        if self.family == "pydantic":
            self._pydantic(node, scope)

    def finish(self) -> None:
        """Put the tag first, which heirs have too: each its own name where the tag is `True`."""
        if self.by_name:
            self.fields = {name: self.fields[wire] for name, wire in self.wire.items() if wire in self.fields}
        if self.tag is None or self.tag is False:
            return
        tag = self.name if self.tag is True else self.tag
        if isinstance(tag, str | int):
            self.fields = {str(self.tag_field): Field(Const((tag,))), **self.fields}
        else:
            self.unknown = f"the tag of {self.name} is computed"

    def _pydantic(self, node: ast.ClassDef, scope: Scope) -> None:
        inside = scope.below(node)
        if any(
            each.arg == "extra" and self.shapes.project.value(each.value, scope) == "allow" for each in node.keywords
        ):
            self.rest = ANY
        for keyword in node.keywords:
            if keyword.arg == "validate_by_alias":
                self._by_alias(self.shapes.project.value(keyword.value, scope))
        if "Config" in inside.names or "__get_pydantic_core_schema__" in inside.names:
            self.unknown = f"the model {self.name} has a configuration of its own"
        for binding in inside.names.get("model_config", ()):
            value = binding.value if isinstance(binding, Assigned) else None
            options = self.shapes.project.value(value, inside) if value is not None else Dynamic()
            if isinstance(value, ast.Call):
                options = {each.arg: self.shapes.project.value(each.value, inside) for each in value.keywords}
            if not isinstance(options, dict) or "alias_generator" in options:
                self.unknown = f"the fields of {self.name} have computed names"
                continue
            if options.get("extra") == "allow":
                self.rest = ANY
            if "validate_by_alias" in options:
                self._by_alias(options["validate_by_alias"])

    def _by_alias(self, value: object) -> None:
        self.by_name = value is False
        if not isinstance(value, bool) and value is not None:
            self.unknown = f"the fields of {self.name} have computed names"

    def _field(self, name: str, statement: ast.AnnAssign, scope: Scope, *, total: bool) -> tuple[str, Field] | None:
        shapes, annotation = self.shapes, statement.annotation
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            try:
                annotation = ast.parse(annotation.value, mode="eval").body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return name, Field(Unknown("its annotation is no expression"))
        marks = list(_marks(annotation, shapes, scope))
        if "typing.ClassVar" in marks or "dataclasses.KW_ONLY" in marks:
            return None
        if "dataclasses.InitVar" in marks:
            raise shapes.refused(unfit.init_var(name))
        if self.family == "pydantic" and name.startswith("_"):
            return None
        call = statement.value if isinstance(statement.value, ast.Call) else None
        if call is not None and plain(shapes.project.resolve(call.func, scope)) not in _FIELD_CALLS:
            call = None
        options = {each.arg: each.value for each in call.keywords if each.arg} if call else {}
        if _says(options, "init", value=False):
            return None
        wire = name if self.family == "typeddict" else self._wire(name, options, annotation, scope)
        with shapes.at(wire):
            shape = self._shape(annotation, scope, options)
            if "typing.NotRequired" in marks:
                return name, Field(shape, optional=True)
            if "typing.Required" in marks or self.family == "typeddict":
                return name, Field(shape, optional=not total and "typing.Required" not in marks)
            return wire, self._defaulted(shape, statement.value, call, options, scope)

    def _shape(self, annotation: ast.expr, scope: Scope, options: dict[str, ast.expr]) -> Shape:
        shape = self._converted(options, scope) or self.shapes.read(annotation, scope)
        doc = options.get("description")
        text = self.shapes.project.value(doc, scope) if doc is not None else ""
        return documented(shape, text) if isinstance(text, str) else shape

    def _converted(self, options: dict[str, ast.expr], scope: Scope) -> Shape | None:
        """What a converter says it takes is what its field takes."""
        converter = options.get("converter")
        if converter is None or self.family != "attrs":
            return None
        thing = self.shapes.project.resolve(converter, scope)
        if isinstance(thing, Defined) and isinstance(thing.node, ast.FunctionDef) and thing.node.args.args:
            taken = thing.node.args.args[0].annotation
            return self.shapes.read(taken, thing.scope) if taken is not None else None
        if isinstance(converter, ast.Lambda) or (isinstance(thing, External) and thing.name.startswith("builtins.")):
            return None
        return Unknown(f"the converter of a field of {self.name} is not known from the source")

    def _defaulted(
        self, shape: Shape, value: ast.expr | None, call: ast.Call | None, options: dict[str, ast.expr], scope: Scope
    ) -> Field:
        default, factory = value, options.get("default_factory", options.get("factory"))
        if call is not None:
            default = options.get("default")
            if default is None and call.args and self.family == "pydantic":
                default = call.args[0]
            if default is not None and _attrs_factory(default, self.shapes, scope):
                assert isinstance(default, ast.Call)
                if any(each.arg == "takes_self" for each in default.keywords):
                    return Field(shape, optional=True)
                factory, default = (default.args[0] if default.args else default), None
        if factory is not None:
            made = _EMPTY.get(plain(self.shapes.project.resolve(factory, scope)), NO_DEFAULT)
            return Field(shape, optional=True, filled=True, default=made)
        if default is None or _is_required(default, self.shapes, scope):
            return Field(shape)
        if not self.shapes.strict and plain(self.shapes.project.resolve(default, scope)) == "msgspec.UNSET":
            return Field(shape, optional=True)
        given = json_default(default, self.shapes, scope)
        check_default(shape, given, self.shapes)
        return Field(shape, optional=True, filled=True, default=given)

    def _wire(self, name: str, options: dict[str, ast.expr], annotation: ast.expr, scope: Scope) -> str:
        keys = {"attrs": ("alias",), "msgspec": ("name",), "pydantic": ("validation_alias", "alias")}
        found = next((options[key] for key in keys.get(self.family, ()) if key in options), None)
        if found is None and self.family == "pydantic":
            found = _alias_in_annotation(annotation, self.shapes, scope)
        if found is not None:
            value = self.shapes.project.value(found, scope)
            if isinstance(value, str):
                return value
            if value is not None:
                self.unknown = f"the fields of {self.name} have computed names"
        if self.family == "attrs":
            return name.lstrip("_")
        return self.rename(name) if self.rename is not None else name


def _says(options: dict[str, ast.expr], key: str, *, value: object) -> bool:
    found = options.get(key)
    return isinstance(found, ast.Constant) and found.value is value


def _marks(annotation: ast.expr, shapes: Shapes, scope: Scope) -> Iterator[str]:
    """The special forms around a type: `Annotated[NotRequired[...]]`, `ClassVar[...]`."""
    while True:
        yield plain(shapes.project.resolve(annotation, scope))
        if not isinstance(annotation, ast.Subscript):
            return
        index = annotation.slice
        annotation = index.elts[0] if isinstance(index, ast.Tuple) and index.elts else index


def _alias_in_annotation(annotation: ast.expr, shapes: Shapes, scope: Scope) -> ast.expr | None:
    for node in ast.walk(annotation):
        if isinstance(node, ast.Call) and plain(shapes.project.resolve(node.func, scope)) in _FIELD_CALLS:
            for keyword in node.keywords:
                if keyword.arg in ("alias", "validation_alias"):
                    return keyword.value
    return None


def _attrs_factory(node: ast.expr, shapes: Shapes, scope: Scope) -> bool:
    if not isinstance(node, ast.Call):
        return False
    return plain(shapes.project.resolve(node.func, scope)) in ("attrs.Factory", "attr.Factory")


def _is_required(node: ast.expr, shapes: Shapes, scope: Scope) -> bool:
    if isinstance(node, ast.Constant) and node.value is Ellipsis:
        return True
    name = plain(shapes.project.resolve(node, scope))
    return name in ("attrs.NOTHING", "attr.NOTHING", "msgspec.NODEFAULT", "dataclasses.MISSING") or name.endswith(
        ".PydanticUndefined"
    )


def check_default(shape: Shape, value: object, shapes: Shapes) -> None:
    """Hold a default that is known to its type.

    Raises:
        Refused: it is no value of it.
    """
    if (
        shapes.strict
        and value is not NO_DEFAULT
        and not isinstance(_readable(shape), Unknown)
        and not admits(shape, value)
    ):
        raise shapes.refused(faults.default_misfit(value, shape))


def _readable(shape: Shape) -> Shape:
    """Give *shape*, or `Unknown` for a class that is still being read."""
    return (
        Unknown()
        if any(isinstance(arm, Ref) for arm in (shape.arms if isinstance(shape, Union) else (shape,)))
        else shape
    )


def json_default(node: ast.expr, shapes: Shapes, scope: Scope) -> object:
    """Give a default as JSON; `NO_DEFAULT` where it is computed.

    Raises:
        Refused: it is known, and has no JSON form.
    """
    thing = shapes.project.resolve(node, scope)
    if plain(thing) == "msgspec.UNSET":
        raise shapes.refused(_without_form("UnsetType"))
    if isinstance(node, ast.Lambda) or isinstance(thing, Defined):
        is_class = isinstance(thing, Defined) and isinstance(thing.node, ast.ClassDef)
        raise shapes.refused(_without_form("type" if is_class else "function"))
    if _is_not_finite(node, shapes, scope):
        raise shapes.refused(faults.default_not_finite())
    if isinstance(node, ast.Constant) and isinstance(node.value, complex):
        raise shapes.refused(_without_form("complex"))
    if isinstance(thing, Member):
        made = shapes.member_value(thing)
        return made if isinstance(made, bool | int | float | str) else NO_DEFAULT
    value = shapes.project.value(node, scope)
    return NO_DEFAULT if _is_computed(value) else value


def _without_form(type_: str) -> Flaw:
    return faults.default_without_form(faults.value_without_form(type_))


def _is_not_finite(node: ast.expr, shapes: Shapes, scope: Scope) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    if plain(shapes.project.resolve(node, scope)) in ("math.nan", "math.inf"):
        return True
    if isinstance(node, ast.Constant) and isinstance(node.value, float):
        return not math.isfinite(node.value)
    match node:
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str() as text)]):
            return bool(re.fullmatch(r"\s*[+-]?(nan|inf|infinity)\s*", text, re.IGNORECASE))
        case _:
            return False


def _is_computed(value: object) -> bool:
    if isinstance(value, list):
        return any(map(_is_computed, value))
    if isinstance(value, dict):
        return any(map(_is_computed, value.values()))
    return isinstance(value, Dynamic)
