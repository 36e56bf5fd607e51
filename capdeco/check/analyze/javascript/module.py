"""One JavaScript or TypeScript file as a tree-sitter tree, and what its names mean across the files of a folder."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

import attrs

from capdeco.check.analyze.files import Clock, Language, TimeUp
from capdeco.check.analyze.records import Dynamic, Text

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

NEEDS: Final = 'needs tree-sitter: pip install "capdeco[analyze]"'
_DEPTH: Final = 40
_LARGEST: Final = 20_000
"""Parts of one value: constants that hold each other twice are as large as they like."""


def make_parser(language: Language) -> Parser | None:
    """Load the grammar of *language*; `None` where the extra is not installed."""
    try:
        import tree_sitter  # noqa: PLC0415 - an extra, wanted only where there is JavaScript
        import tree_sitter_javascript  # noqa: PLC0415
        import tree_sitter_typescript  # noqa: PLC0415
    except ModuleNotFoundError:
        return None
    grammar = {
        "javascript": tree_sitter_javascript.language,
        "typescript": tree_sitter_typescript.language_typescript,
        "tsx": tree_sitter_typescript.language_tsx,
    }[language]
    return tree_sitter.Parser(tree_sitter.Language(grammar()))


@attrs.frozen(eq=False)
class JsModule:
    """A parsed file."""

    path: str
    root: Node
    data: bytes
    _scopes: dict[int, JsScope] = attrs.field(factory=dict, init=False)

    @property
    def scope(self) -> JsScope:
        """The scope of the file itself."""
        return self.scope_of(self.root, None)

    def scope_of(self, node: Node, parent: JsScope | None) -> JsScope:
        """Give the scope of a file or function, the same one each time."""
        if node.id not in self._scopes:
            self._scopes[node.id] = JsScope(self, node, parent)
        return self._scopes[node.id]

    def is_reset(self, name: str) -> bool:
        """Tell whether *name* is assigned more than where it is declared."""
        found = re.findall(
            rb"(?<![\w$.])" + re.escape(name.encode()) + rb"\s*(?:[-+*/|&?]{0,3}=(?![=>])|\+\+|--)", self.data
        )
        return len(found) > 1


@attrs.frozen(eq=False)
class JsImport:
    """`import {name} from source`; the name is `default`, or `*` for all of it."""

    source: str
    name: str


@attrs.frozen(eq=False)
class JsValue:
    """`const name = node`, or a function, class or enum of that name."""

    node: Node
    is_const: bool = True
    pick: str = ""
    """The property of the value that is meant, as in `const {a} = x`."""


@attrs.frozen(eq=False)
class JsComputed:
    """Bound in a way that says nothing before it runs: a parameter, a pattern."""

    node: Node


JsBinding: TypeAlias = "JsImport | JsValue | JsComputed"


@attrs.frozen(eq=False)
class JsScope:
    """A file or a function, and what its names are bound to; blocks count to their function."""

    module: JsModule
    node: Node
    parent: JsScope | None
    _names: dict[str, list[JsBinding]] = attrs.field(factory=dict, init=False)
    _read: list[bool] = attrs.field(factory=list, init=False)

    @property
    def names(self) -> Mapping[str, list[JsBinding]]:
        """Name -> what binds it, in order; read when it is first asked for."""
        if not self._read:
            self._read.append(True)
            for name, binding in _bindings(self.node):
                self._names.setdefault(name, []).append(binding)
        return self._names

    def lookup(self, name: str) -> tuple[list[JsBinding], JsScope] | None:
        """Find what *name* means here: the bindings, and the scope that they stand in."""
        scope: JsScope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name], scope
            scope = scope.parent
        return None

    def below(self, node: Node) -> JsScope:
        """Give the scope of a function that stands in this one."""
        return self.module.scope_of(node, self)


FUNCTIONS: Final = frozenset(
    {"function_declaration", "function_expression", "arrow_function", "method_definition", "generator_function"}
    | {"generator_function_declaration", "function"}
)
_WRAPPED: Final = frozenset(
    {"as_expression", "satisfies_expression", "parenthesized_expression", "non_null_expression", "await_expression"}
)


def text_of(node: Node | None) -> str:
    """Give the source of a node; empty for none."""
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")


def unwrapped(node: Node) -> Node:
    """Take off parentheses, casts and `await`."""
    while node.type in _WRAPPED and node.named_children:
        node = node.named_children[0]
    return node


def string_value(node: Node) -> str | None:
    """Give the text of a string or of a template without substitutions."""
    if node.type not in ("string", "template_string"):
        return None
    parts: list[str] = []
    for child in node.named_children:
        if child.type == "string_fragment":
            parts.append(text_of(child))
        elif child.type == "escape_sequence":
            parts.append(_unescaped(text_of(child)))
        else:
            return None
    return "".join(parts)


_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}


def _unescaped(text: str) -> str:
    body = text[1:]
    if body[:1] in ("x", "u"):
        try:
            code = int(body[1:].strip("{}"), 16)
            return chr(code) if not 0xD800 <= code < 0xE000 else "\ufffd"
        except (ValueError, OverflowError):
            return text
    return _ESCAPES.get(body, body)


def key_of(node: Node | None) -> str | None:
    """Give a property's name, where it is written."""
    if node is None:
        return None
    if node.type in ("property_identifier", "shorthand_property_identifier", "identifier", "number"):
        return text_of(node)
    return string_value(node)


def clipped(node: Node, limit: int = 60) -> str:
    """Spell a node as source, shortened."""
    text = " ".join(text_of(node)[: limit * 4].split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _bindings(owner: Node) -> Iterator[tuple[str, JsBinding]]:
    parameters = owner.child_by_field_name("parameters") or owner.child_by_field_name("parameter")
    if parameters is not None:
        yield from _patterns(parameters)
    pending = list(reversed(owner.named_children))
    while pending:
        node = pending.pop()
        kind = node.type
        if kind in ("lexical_declaration", "variable_declaration"):
            const = node.child(0) is not None and text_of(node.child(0)) == "const"
            for child in node.named_children:
                if child.type == "variable_declarator":
                    yield from _declared(child, const)
        elif kind in (
            "function_declaration",
            "class_declaration",
            "enum_declaration",
            "generator_function_declaration",
        ):
            name = node.child_by_field_name("name")
            yield text_of(name), JsValue(node)
            continue
        elif kind == "import_statement":
            yield from _imported(node)
            continue
        if kind not in FUNCTIONS and kind != "class_body":
            pending += reversed(node.named_children)


def _declared(node: Node, const: bool) -> Iterator[tuple[str, JsBinding]]:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None:
        return
    if name.type == "identifier":
        yield text_of(name), JsValue(value, const) if value is not None else JsComputed(node)
    elif name.type == "object_pattern" and value is not None:
        for child in name.named_children:
            if child.type == "shorthand_property_identifier_pattern":
                yield text_of(child), JsValue(value, const, text_of(child))
            elif child.type == "pair_pattern":
                key, bound = key_of(child.child_by_field_name("key")), child.child_by_field_name("value")
                if key and bound is not None and bound.type == "identifier":
                    yield text_of(bound), JsValue(value, const, key)
    else:
        yield from _patterns(name)


def _patterns(node: Node) -> Iterator[tuple[str, JsBinding]]:
    """Names that a pattern binds to what only running it tells."""
    if node.type in ("identifier", "shorthand_property_identifier_pattern"):
        yield text_of(node), JsComputed(node)
        return
    pending = list(node.named_children)
    while pending:
        each = pending.pop()
        if each.type in ("identifier", "shorthand_property_identifier_pattern"):
            yield text_of(each), JsComputed(each)
        elif each.type in ("required_parameter", "optional_parameter"):
            pattern = each.child_by_field_name("pattern")
            pending += [pattern] if pattern is not None else []
        elif each.type in ("object_pattern", "array_pattern", "rest_pattern", "assignment_pattern", "pair_pattern"):
            pending += each.named_children


def _imported(node: Node) -> Iterator[tuple[str, JsBinding]]:
    source = node.child_by_field_name("source")
    path = string_value(source) if source is not None else None
    if path is None:
        return
    for clause in node.named_children:
        if clause.type != "import_clause":
            continue
        for each in clause.named_children:
            if each.type == "identifier":
                yield text_of(each), JsImport(path, "default")
            elif each.type == "namespace_import":
                yield text_of(each.named_children[0]) if each.named_children else "", JsImport(path, "*")
            elif each.type == "named_imports":
                for specifier in each.named_children:
                    name, alias = specifier.child_by_field_name("name"), specifier.child_by_field_name("alias")
                    yield text_of(alias or name), JsImport(path, key_of(name) or "")


# What names mean


@attrs.frozen
class JsExternal:
    """Something of a package: `ai#tool`, or a member of it."""

    package: str
    name: str


@attrs.frozen(eq=False)
class JsWritten:
    """A value, function, class or enum that is written down, and where."""

    node: Node
    scope: JsScope


@attrs.frozen(eq=False)
class JsFile:
    """All of another file, as `import * as` names it."""

    module: JsModule


JsThing: TypeAlias = JsExternal | JsWritten | JsFile

_SUFFIXES: Final = (
    "",
    ".ts",
    ".tsx",
    ".mts",
    ".cts",
    ".js",
    ".mjs",
    ".cjs",
    ".jsx",
    "/index.ts",
    "/index.js",
    "/index.mjs",
)


@attrs.define(eq=False)
class JsProject:
    """The JavaScript and TypeScript files of one folder, parsed when they are asked for."""

    languages: Mapping[str, Language]
    load: Callable[[str], bytes | None]
    clock: Clock
    room: int = 4_000_000
    _parsers: dict[str, Parser | None] = attrs.field(factory=dict, init=False)
    _kept: dict[str, JsModule] = attrs.field(factory=dict, init=False)
    _known: dict[tuple[int, JsScope], JsThing | None] = attrs.field(factory=dict, init=False)
    _depth: int = attrs.field(default=0, init=False)
    _nested: int = attrs.field(default=0, init=False)
    _budget: int = attrs.field(default=0, init=False)

    def parser(self, language: Language) -> Parser | None:
        """Give the parser of *language*; `None` where the extra is not installed."""
        if language not in self._parsers:
            self._parsers[language] = make_parser(language)
        return self._parsers[language]

    def add(self, path: str, data: bytes) -> JsModule | None:
        """Parse one file; `None` where the grammars are not installed.

        Raises:
            TimeUp: the time limit was reached.
        """
        parser = self.parser(self.languages[path])
        if parser is None:
            return None
        self.clock.check()

        def more(offset: int, _: object) -> bytes:
            return data[offset : offset + 65_536]

        try:
            tree = parser.parse(more, progress_callback=lambda _offset, _error: self.clock.over)
        except ValueError:
            tree = None  # what tree-sitter raises for a parse that was halted
        if tree is None:
            parser.reset()
            raise TimeUp
        module = JsModule(path, tree.root_node, data)
        self._kept[path] = module
        while sum(len(each.data) for each in self._kept.values()) > self.room and len(self._kept) > 1:
            self._kept.pop(next(iter(self._kept)))
        return module

    def module_at(self, path: str) -> JsModule | None:
        """Parse the file at *path*, or give it as it was parsed; `None` if it cannot be read."""
        if path in self._kept:
            return self._kept[path]
        data = self.load(path)
        return None if data is None else self.add(path, data)

    def imported_file(self, source: str, module: JsModule) -> JsModule | None:
        """Find what a relative import names; TypeScript writes `./a.js` for `a.ts`."""
        if not source.startswith("."):
            return None
        path = posixpath.normpath(posixpath.join(posixpath.dirname(module.path), source))
        stems = [path] + ([posixpath.splitext(path)[0]] if path.endswith((".js", ".mjs", ".cjs")) else [])
        for stem in stems:
            for suffix in _SUFFIXES:
                if stem + suffix in self.languages:
                    return self.module_at(stem + suffix)
        return None

    def resolve(self, node: Node, scope: JsScope) -> JsThing | None:
        """Say what *node* is; `None` where only running it would tell."""
        node = unwrapped(node)
        key = (node.id, scope)
        if key in self._known:
            return self._known[key]
        if self._depth > _DEPTH:
            return None
        self._known[key] = None  # what is met again while it is being resolved leads in a circle
        self._depth += 1
        try:
            self._known[key] = thing = self._resolve(node, scope)
        finally:
            self._depth -= 1
        return thing

    def forget(self) -> None:
        """Drop what names were resolved to, which keeps modules alive."""
        self._known.clear()

    def _resolve(self, node: Node, scope: JsScope) -> JsThing | None:
        if node.type in ("identifier", "shorthand_property_identifier", "type_identifier"):
            return self.named(text_of(node), scope)
        if node.type == "member_expression":
            owner, name = node.child_by_field_name("object"), node.child_by_field_name("property")
            thing = self.resolve(owner, scope) if owner is not None else None
            return None if thing is None else self.member(thing, text_of(name))
        if node.type == "call_expression":
            called = text_of(node.child_by_field_name("function"))
            arguments = argument_nodes(node)
            if called == "require" and arguments:
                source = string_value(arguments[0])
                return self._whole(source, scope.module) if source is not None else None
            if called in ("Object.freeze", "Object.seal") and arguments:
                return self.resolve(arguments[0], scope)
        return JsWritten(node, scope)

    def named(self, name: str, scope: JsScope) -> JsThing | None:
        """Say what *name* is in *scope*."""
        found = scope.lookup(name)
        if found is None or len(found[0]) != 1:
            return None
        binding, where = found[0][0], found[1]
        if isinstance(binding, JsImport):
            return self._import(binding, where.module)
        if isinstance(binding, JsComputed) or (not binding.is_const and where.module.is_reset(name)):
            return None
        thing = self.resolve(binding.node, where)
        return thing if not binding.pick or thing is None else self.member(thing, binding.pick)

    def _whole(self, source: str, module: JsModule) -> JsThing:
        found = self.imported_file(source, module)
        return JsFile(found) if found else JsExternal(source, "*")

    def _import(self, binding: JsImport, module: JsModule) -> JsThing | None:
        whole = self._whole(binding.source, module)
        return whole if binding.name == "*" else self.member(whole, binding.name)

    def member(self, owner: JsThing, name: str) -> JsThing | None:
        """Say what `owner.name` is."""
        if self._depth > _DEPTH:
            return None
        self._depth += 1
        try:
            match owner:
                case JsExternal(package=package, name=whole):
                    return JsExternal(package, name if whole == "*" else f"{whole}.{name}")
                case JsFile(module=module):
                    return self._exported(module, name)
                case JsWritten(node=node, scope=scope) if node.type == "object":
                    value = properties(node).get(name)
                    return self.resolve(value, scope) if value is not None else None
                case JsWritten(node=node, scope=scope) if node.type == "enum_declaration":
                    body = node.child_by_field_name("body")
                    for each in body.named_children if body is not None else ():
                        value = each.child_by_field_name("value")
                        if value is not None and key_of(each.child_by_field_name("name")) == name:
                            return JsWritten(value, scope)
                    return None
                case JsWritten(node=node, scope=scope) if node.type in ("class_declaration", "class"):
                    value = fields_of(node).get(name)
                    return JsWritten(value, scope) if value is not None else None
                case _:
                    return None
        finally:
            self._depth -= 1

    def _exported(self, module: JsModule, name: str) -> JsThing | None:
        if name != "default" and name in module.scope.names:
            return self.named(name, module.scope)
        for node in module.root.named_children:
            if node.type == "export_statement":
                found = self._export(node, name, module)
                if found is not None:
                    return found
            elif node.type == "expression_statement" and node.named_children:
                found = self._common_export(node.named_children[0], name, module)
                if found is not None:
                    return found
        return None

    def _export(self, node: Node, name: str, module: JsModule) -> JsThing | None:
        value = node.child_by_field_name("value") or node.child_by_field_name("declaration")
        is_default = any(child.type == "default" for child in node.children)
        if name == "default" and is_default and value is not None:
            return self.resolve(value, module.scope) if value.type == "identifier" else JsWritten(value, module.scope)
        source = node.child_by_field_name("source")
        path = string_value(source) if source is not None else None
        for clause in node.named_children:
            if clause.type == "export_clause":
                for each in clause.named_children:
                    inner, alias = each.child_by_field_name("name"), each.child_by_field_name("alias")
                    if key_of(alias or inner) == name:
                        if path is not None:
                            return self._import(JsImport(path, key_of(inner) or ""), module)
                        return self.named(text_of(inner), module.scope)
        if path is not None and any(child.type == "*" for child in node.children) and name != "default":
            file = self.imported_file(path, module)
            return self.member(JsFile(file), name) if file is not None else None
        return None

    def _common_export(self, node: Node, name: str, module: JsModule) -> JsThing | None:
        """`module.exports = {...}`, `exports.name = ...`, `module.exports.name = ...`."""
        if node.type != "assignment_expression":
            return None
        left, right = text_of(node.child_by_field_name("left")), node.child_by_field_name("right")
        if right is None:
            return None
        if left in (f"exports.{name}", f"module.exports.{name}") or (left == "module.exports" and name == "default"):
            return self.resolve(right, module.scope)
        if left == "module.exports" and right.type == "object":
            value = properties(right).get(name)
            return self.resolve(value, module.scope) if value is not None else None
        return None

    # Values

    def text(self, node: Node | None, scope: JsScope) -> Text | None:
        """Give the text that *node* is, `Dynamic` if the program computes it, `None` if there is none."""
        if node is None:
            return None
        value = self.value(node, scope)
        if value is None or isinstance(value, str | Dynamic):
            return value
        return Dynamic(clipped(node))

    def value(self, node: Node, scope: JsScope) -> object:
        """Give *node* as plain data, with `Dynamic` for each part that the program computes."""
        if not self._nested:
            self._budget = _LARGEST
        self._budget -= 1
        if self._budget < 0 or self._nested > _DEPTH:
            return Dynamic(clipped(node))
        self._nested += 1
        try:
            return self._value(unwrapped(node), scope)
        finally:
            self._nested -= 1

    def _value(self, node: Node, scope: JsScope) -> object:
        match node.type:
            case "string" | "template_string":
                text = string_value(node)
                return Dynamic(clipped(node)) if text is None else text
            case "number":
                return _number(text_of(node))
            case "true" | "false":
                return node.type == "true"
            case "null" | "undefined":
                return None
            case "array":
                return self._array(node, scope)
            case "object":
                return self._object(node, scope)
            case "binary_expression":
                return joined_literals(node) or Dynamic(clipped(node))
            case "unary_expression":
                value = self.value(node.named_children[0], scope) if node.named_children else None
                negative = text_of(node.child(0)) == "-" and isinstance(value, int | float)
                return -value if negative and isinstance(value, int | float) else Dynamic(clipped(node))
            case "identifier" | "member_expression" | "shorthand_property_identifier" | "call_expression":
                thing = self.resolve(node, scope)
                if isinstance(thing, JsWritten) and thing.node.id != node.id and thing.node.type not in FUNCTIONS:
                    return self.value(thing.node, thing.scope)
                return Dynamic(clipped(node))
            case _:
                return Dynamic(clipped(node))

    def _array(self, node: Node, scope: JsScope) -> list[object]:
        found: list[object] = []
        for each in node.named_children:
            if each.type == "spread_element" and each.named_children:
                inner = self.value(each.named_children[0], scope)
                found += inner if isinstance(inner, list) else [Dynamic(clipped(each))]
            elif each.type != "comment":
                found.append(self.value(each, scope))
        return found

    def _object(self, node: Node, scope: JsScope) -> object:
        found: dict[str, object] = {}
        for each in node.named_children:
            if each.type == "spread_element" and each.named_children:
                inner = self.value(each.named_children[0], scope)
                if isinstance(inner, dict):
                    found.update(inner)
                else:
                    found["..."] = Dynamic(clipped(each))
        for key, value in properties(node).items():
            found[key] = self.value(value, scope)
        return found


def properties(node: Node) -> dict[str, Node]:
    """Give what an object literal holds: name -> value, a method as itself."""
    found: dict[str, Node] = {}
    for each in node.named_children:
        if each.type == "pair":
            key, value = key_of(each.child_by_field_name("key")), each.child_by_field_name("value")
            if key is not None and value is not None:
                found[key] = value
        elif each.type == "shorthand_property_identifier":
            found[text_of(each)] = each
        elif each.type == "method_definition":
            found[key_of(each.child_by_field_name("name")) or ""] = each
    return found


def fields_of(node: Node) -> dict[str, Node]:
    """Give the fields and methods that a class body sets."""
    body = node.child_by_field_name("body")
    found: dict[str, Node] = {}
    for each in body.named_children if body is not None else ():
        name = key_of(each.child_by_field_name("property") or each.child_by_field_name("name"))
        if each.type in ("field_definition", "public_field_definition"):
            value = each.child_by_field_name("value")
            if name is not None and value is not None:
                found[name] = value
        elif each.type == "method_definition" and name is not None:
            found.setdefault(name, each)
    return found


def argument_nodes(call: Node) -> list[Node]:
    """Give the arguments of a call or of `new`."""
    arguments = call.child_by_field_name("arguments")
    return [] if arguments is None else [each for each in arguments.named_children if each.type != "comment"]


def joined_literals(node: Node) -> str | None:
    """Give the text of literals joined by `+`, as a long text is written; `None` if anything else is in it."""
    parts: list[str] = []
    pending = [node]
    while pending:
        each = unwrapped(pending.pop())
        if each.type == "binary_expression" and text_of(each.child_by_field_name("operator")) == "+":
            left, right = each.child_by_field_name("left"), each.child_by_field_name("right")
            if left is None or right is None:
                return None
            pending += [right, left]
            continue
        text = string_value(each)
        if text is None:
            return None
        parts.append(text)
    return "".join(parts)


def _number(text: str) -> object:
    try:
        return int(text.replace("_", ""), 0) if "." not in text and "e" not in text.lower() else float(text)
    except ValueError:
        return Dynamic(text)


def first_error(root: Node) -> int:
    """Give the line, from 1, of the first syntax error."""
    node = root
    while True:
        broken = next((each for each in node.children if each.has_error or each.is_missing), None)
        if broken is None or node.is_error:
            return node.start_point[0] + 1
        node = broken
