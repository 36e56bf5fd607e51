"""What JavaScript says a tool takes: JSON Schemas, maps of parameters, zod, TypeBox."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import attrs

from capdeco.check.analyze.javascript.module import (
    JsProject,
    JsScope,
    JsWritten,
    argument_nodes,
    clipped,
    properties,
    text_of,
    unwrapped,
)
from capdeco.check.analyze.records import Dynamic
from capdeco.check.analyze.schemas import parameters_of
from capdeco.declare.shape import (
    ANY,
    NO_DEFAULT,
    NULL,
    Array,
    Const,
    Field,
    Object,
    Scalar,
    Shape,
    Unknown,
    documented,
    union,
)
from capdeco.declare.wiring import Input

if TYPE_CHECKING:
    from tree_sitter import Node

_SCALARS: Final[dict[str, Shape]] = {
    "string": Scalar("string"),
    "email": Scalar("string"),
    "url": Scalar("string"),
    "uuid": Scalar("string", "uuid"),
    "number": Scalar("number"),
    "int": Scalar("integer"),
    "integer": Scalar("integer"),
    "boolean": Scalar("boolean"),
    "null": NULL,
    "any": ANY,
    "unknown": ANY,
}
_OPTIONAL: Final = ("optional", "nullish", "default", "catch", "prefault")


_LARGEST: Final = 5_000
"""Types within what one tool takes: constants that hold each other twice grow without end."""


@attrs.define(eq=False)
class JsShapes:
    """Reads schemas of one folder."""

    project: JsProject
    _budget: int = attrs.field(default=0, init=False)

    def input_at(self, node: Node | None, scope: JsScope) -> Input:
        """Read what a tool takes, in any form: a schema, a map, a zod object, or a plain map of zod types."""
        if node is None:
            return Object()
        self._budget = _LARGEST
        value = unwrapped(node)
        thing = self.project.resolve(value, scope)
        where = scope
        if isinstance(thing, JsWritten):
            value, where = thing.node, thing.scope
        if value.type == "call_expression":
            field = self._field(value, where)
            if isinstance(field.shape, Object):
                return field.shape
            return Unknown(f"its parameters are computed: {clipped(value)}")
        if value.type != "object":
            return Unknown(f"its parameters are computed: {clipped(node)}")
        calls = [each for each in properties(value).values() if self._is_zod(each, where)]
        if calls:
            return self._object(value, where)
        return parameters_of(self.project.value(value, where))

    def _is_zod(self, node: Node, scope: JsScope) -> bool:
        node = unwrapped(node)
        if node.type == "identifier":
            thing = self.project.resolve(node, scope)
            return (
                isinstance(thing, JsWritten)
                and thing.node.type == "call_expression"
                and self._is_zod(thing.node, thing.scope)
            )
        return node.type == "call_expression" and self._chain(node) is not None

    def _chain(self, node: Node) -> list[tuple[str, Node]] | None:
        """Unroll `z.string().min(1).optional()` to its calls, the first one first; `None` if it is something else."""
        calls: list[tuple[str, Node]] = []
        while node.type == "call_expression":
            function = node.child_by_field_name("function")
            if function is None or function.type != "member_expression":
                return None
            owner, name = function.child_by_field_name("object"), text_of(function.child_by_field_name("property"))
            calls.append((name, node))
            if owner is None:
                return None
            node = unwrapped(owner)
        base = text_of(node).rsplit(".", 1)[-1]
        if base not in ("z", "zod", "schema", "Type", "coerce", "zod3", "zod4"):
            return None
        return list(reversed(calls))

    def _object(self, node: Node, scope: JsScope) -> Object:
        return Object({name: self._field(value, scope) for name, value in properties(node).items()})

    def _field(self, node: Node, scope: JsScope, depth: int = 0) -> Field:
        self._budget -= 1
        if self._budget < 0:
            return Field(Unknown("its type is too large to be read"))
        node = unwrapped(node)
        if node.type in ("identifier", "member_expression", "shorthand_property_identifier"):
            thing = self.project.resolve(node, scope)
            if isinstance(thing, JsWritten):
                node, scope = thing.node, thing.scope
        chain = self._chain(node) if node.type == "call_expression" and depth < 20 else None
        if not chain:
            return Field(Unknown(f"its type is computed: {clipped(node)}"))
        (name, call), rest = chain[0], chain[1:]
        if text_of(call.child_by_field_name("function")).startswith("Type."):
            return self._typebox(name, call, scope, depth)
        shape = self._made(name, argument_nodes(call), scope, depth)
        field = Field(shape)
        for method, each in rest:
            field = self._changed(field, method, argument_nodes(each), scope)
        return field

    def _made(self, name: str, arguments: list[Node], scope: JsScope, depth: int) -> Shape:
        def below(node: Node) -> Shape:
            return self._field(node, scope, depth + 1).shape

        first = arguments[0] if arguments else None
        if name in _SCALARS:
            return _SCALARS[name]
        if name in ("object", "strictObject", "looseObject") and first is not None:
            thing = self.project.resolve(first, scope)
            if isinstance(thing, JsWritten) and thing.node.type == "object":
                return attrs.evolve(
                    Object(
                        {
                            key: self._field(value, thing.scope, depth + 1)
                            for key, value in properties(thing.node).items()
                        }
                    ),
                    rest=ANY if name == "looseObject" else None,
                )
        makers: dict[str, Callable[[Node], Shape]] = {
            "array": lambda node: Array(below(node)),
            "set": lambda node: Array(below(node)),
            "optional": below,
            "nullable": lambda node: union([below(node), NULL]),
            "literal": lambda node: self._constants(node, scope),
            "enum": lambda node: self._constants(node, scope),
            "nativeEnum": lambda node: self._constants(node, scope),
            "record": lambda _: Object({}, rest=below(arguments[-1])),
        }
        if name in makers and first is not None:
            return makers[name](first)
        if name in ("union", "discriminatedUnion") and arguments and arguments[-1].type == "array":
            arms = [below(each) for each in arguments[-1].named_children]
            return union(arms) if arms else ANY
        return Unknown(f"its type is computed: z.{name}")

    def _constants(self, node: Node, scope: JsScope) -> Shape:
        value = self.project.value(node, scope)
        values: list[Any] = (
            value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else [value]
        )
        if value is None or not values or any(not isinstance(each, bool | int | float | str) for each in values):
            return NULL if value is None else Unknown(f"its values are computed: {clipped(node)}")
        return Const(tuple(values))

    def _changed(self, field: Field, method: str, arguments: list[Node], scope: JsScope) -> Field:
        if method == "describe" and arguments:
            text = self.project.value(arguments[0], scope)
            return attrs.evolve(field, shape=documented(field.shape, text)) if isinstance(text, str) else field
        if method == "int" and field.shape == Scalar("number"):
            return attrs.evolve(field, shape=attrs.evolve(Scalar("integer"), doc=field.shape.doc))
        if method in ("nullable", "nullish"):
            field = attrs.evolve(field, shape=documented(union([field.shape, NULL]), field.shape.doc))
        if method == "array":
            return Field(Array(field.shape))
        if method in ("passthrough", "loose") and isinstance(field.shape, Object):
            return attrs.evolve(field, shape=attrs.evolve(field.shape, rest=ANY))
        if method in ("partial", "extend", "merge", "pick", "omit", "and", "or", "transform", "pipe", "shape"):
            return Field(Unknown(f"its type is computed by .{method}()"))
        if method in _OPTIONAL:
            default = self.project.value(arguments[0], scope) if method == "default" and arguments else NO_DEFAULT
            return attrs.evolve(field, optional=True, default=NO_DEFAULT if _computed(default) else default)
        return field

    def _typebox(self, name: str, call: Node, scope: JsScope, depth: int) -> Field:
        arguments = argument_nodes(call)
        if name == "Optional" and arguments:
            return attrs.evolve(self._field(arguments[0], scope, depth + 1), optional=True)
        if name == "Object" and arguments and unwrapped(arguments[0]).type == "object":
            fields = properties(unwrapped(arguments[0]))
            shape: Shape = Object({key: self._field(value, scope, depth + 1) for key, value in fields.items()})
        elif name == "Array" and arguments:
            shape = Array(self._field(arguments[0], scope, depth + 1).shape)
        elif name == "Literal" and arguments:
            shape = self._constants(arguments[0], scope)
        else:
            shape = _SCALARS.get(name.lower(), Unknown(f"its type is computed: Type.{name}"))
        options = self.project.value(arguments[-1], scope) if arguments and arguments[-1].type == "object" else None
        described = options.get("description") if isinstance(options, dict) and name != "Object" else None
        return Field(documented(shape, described) if isinstance(described, str) else shape)


def _computed(value: object) -> bool:
    if isinstance(value, list):
        return any(map(_computed, value))
    if isinstance(value, dict):
        return any(map(_computed, value.values()))
    return isinstance(value, Dynamic)
