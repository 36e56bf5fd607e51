"""Which tools there are by name: those of the module itself, and those of the tool modules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import is_not
from pathlib import Path
from typing import Final

import attrs
from mypy.types import AnyType, CallableType, Instance, NoneType, ProperType, Type, get_proper_type

from mypy.checker import TypeChecker  # isort: skip
from mypy.nodes import (
    AssignmentStmt,
    CallExpr,
    Decorator,
    Expression,
    FuncDef,
    MypyFile,
    NameExpr,
    OverloadedFuncDef,
    RefExpr,
    Statement,
    StrExpr,
    SymbolNode,
    TypeInfo,
    Var,
)

from capdeco.check.mypy.internals import (
    depend_on_classes,
    depend_on_modules,
    fact_of,
    has_facts,
    is_daemon,
    modules_of,
    text_of,
    walk_names,
)
from capdeco.check.mypy.names import CAPABILITY_DECORATOR, OPERATION_DECORATOR, TOOL_DECORATOR, TOOL_RECORD
from capdeco.check.mypy.types import TypeReader
from capdeco.declare.names import generated_name
from capdeco.declare.shape import Unknown
from capdeco.declare.wiring import Absent, Input

TOOL: Final = "__capdeco_tool__"
"""Fact on a function: the name that it has as a tool."""
TAKES: Final = "__capdeco_takes__"
"""Fact on a `Tool`: the type of the function that it was made of."""
OPERATION: Final = "__capdeco_operation__"
"""Fact on a function: the name that it has as an operation."""
STEPS: Final = "__capdeco_steps__"
"""Fact on a function: the tools that its steps name and that it may itself become, joined by commas."""
CAPABILITY: Final = "__capdeco_capability__"
"""Fact on a function, and key in a class's metadata: the id of the capability that it is."""


@attrs.frozen
class FoundTool:
    """A tool that steps can name."""

    name: str
    node: SymbolNode | None
    skip_first: bool = False
    """Whether the function is seen from outside its class, with `self` or `cls` to leave out."""
    operation: bool = False
    """Whether it is an operation, under the name of the tool that it becomes."""
    doubtful: bool = False
    """Whether another function is declared under the same name: who runs, the program decides."""

    @property
    def owner(self) -> TypeInfo | None:
        """The class that defines it."""
        node = self.node.func if isinstance(self.node, Decorator) else self.node
        return (node.info or None) if isinstance(node, FuncDef | OverloadedFuncDef | Var) else None

    @property
    def module(self) -> str:
        """The module that defines it: its signature is no part of one that re-exports it."""
        if self.node is None:
            return ""
        return self.owner.module_name if self.owner is not None else self.node.fullname.rpartition(".")[0]

    @property
    def function(self) -> CallableType | None:
        """Its type by now: mypy may still be at it. `None` if it is not known."""
        return _signature(self.node) if self.node is not None and not self.doubtful else None


@attrs.frozen(eq=False)
class Index:
    """The tools of some modules by name, and the modules and classes that define them."""

    tools: Mapping[str, FoundTool] = {}
    modules: Collection[str] = ()
    classes: Collection[TypeInfo] = ()
    nameless: str = ""
    """A tool whose name is computed, so that any name may be one."""


def index_of(modules: Iterable[MypyFile]) -> Index:
    """Find the tools in *modules*, tools before operations."""
    modules = list(modules)
    tools: dict[str, FoundTool] = {}
    for each in sorted((each for module in modules for each in tools_in(module)), key=lambda each: each.operation):
        known = tools.setdefault(each.name, each)
        if known.operation == each.operation and not _same(known, each):
            tools[each.name] = attrs.evolve(known, doubtful=True)
    nameless = next((name for module in modules for name in _nameless_in(module)), "")
    homes = {module.fullname for module in modules} | {each.module for each in tools.values()}
    return Index(tools, homes, {each.owner for each in tools.values() if each.owner is not None}, nameless)


def _same(one: FoundTool, other: FoundTool) -> bool:
    """Tell whether it makes no difference which of two is meant: `b = tool(a)` is one function under two names."""
    first, second = one.function, other.function
    if one.node is other.node or first is None or second is None:
        return one.node is other.node
    return (first.arg_names, first.arg_kinds, first.arg_types) == (
        second.arg_names,
        second.arg_kinds,
        second.arg_types,
    )


@attrs.define(eq=False)
class ToolModules:
    """The tools of the tool modules, found once per run: a run, if it is no daemon, checks each module once."""

    names: Sequence[str]
    _read: tuple[MypyFile, ...] = ()
    _index: Index = Index()

    def index(self, loaded: Sequence[MypyFile], *, daemon: bool) -> Index:
        """Give the tools of the tool modules that are *loaded*."""
        if daemon or len(loaded) != len(self._read) or any(map(is_not, loaded, self._read)):
            self._read, self._index = tuple(loaded), index_of(loaded)
        return self._index


@attrs.define(eq=False)
class Catalog:
    """What steps of one module may name by string."""

    checker: TypeChecker
    reader: TypeReader
    tool_modules: ToolModules
    reachable: bool
    """Whether mypy was told that this module depends on the tool modules: else it may not have checked them yet."""
    _own: Index | None = None
    _elsewhere: Index | None = None

    def takes(self, name: str) -> Input | Absent:
        """Say what the tool called *name* takes."""
        own = self._in_module().get(name)
        if own is not None:
            return self._input_of(own)
        found = self._in_tool_modules().get(name)
        if found is not None:
            return self._input_of(found)
        self._own = None  # mypy infers this module's own functions while we ask: look again
        if name in self._in_module():
            return self._input_of(self._in_module()[name])
        doubt = self._doubt()
        if doubt:
            return Unknown(doubt)
        known = tuple(sorted({*self._in_module(), *self._in_tool_modules()}))
        return Absent(known, f"the tool modules {', '.join(self.tool_modules.names)} or in this module")

    def has_tool(self, name: str) -> bool:
        """Tell whether a function is known to be the tool *name*, not an operation."""
        found = self._in_module().get(name), self._in_tool_modules().get(name)
        return any(each is not None and not each.operation for each in found)

    def _input_of(self, tool: FoundTool) -> Input:
        if tool.doubtful:
            return Unknown(f'more than one function is the tool "{tool.name}"')
        if tool.function is None:
            return Unknown(f'the signature of "{tool.name}" cannot be read')
        return self.reader.signature(tool.function, skip_first=tool.skip_first).takes

    def _in_module(self) -> Mapping[str, FoundTool]:
        if self._own is None:
            self._own = index_of([self.checker.tree])
        return self._own.tools

    def _in_tool_modules(self) -> Mapping[str, FoundTool]:
        if self._elsewhere is None:
            self._elsewhere = self.tool_modules.index(self._loaded(), daemon=is_daemon(self.checker.options))
            depend_on_modules(self.checker, self._elsewhere.modules)
            depend_on_classes(self.checker, self._elsewhere.classes)
        return self._elsewhere.tools

    def _loaded(self) -> list[MypyFile]:
        modules = modules_of(self.checker)
        return [modules[name] for name in self.tool_modules.names if name in modules] if self.reachable else []

    def _doubt(self) -> str:
        """Why a name that is not found may be a tool all the same."""
        nameless = self._own.nameless if self._own is not None else ""
        if self._elsewhere is not None:
            nameless = nameless or self._elsewhere.nameless
        if nameless:
            return f'the name of the tool "{nameless}" is computed'
        if not self.tool_modules.names:
            return "no tool modules are configured, so only this module's own tools are known by name"
        if not self.reachable:
            return "mypy may not have read the tool modules yet: this one is one, or does not import capdeco itself"
        loaded = self._loaded()
        missing = set(self.tool_modules.names) - {module.fullname for module in loaded}
        if missing:
            return f"the tool module {sorted(missing)[0]} was not read by mypy"
        partial = next((module.fullname for module in loaded if "__getattr__" in module.names), None)
        if partial:
            return f"the tool module {partial} is a partial stub"
        hollow = next((module.fullname for module in loaded if _is_hollow(module, self.tool_modules.names)), None)
        if hollow:
            return f"the tool module {hollow} has no tools itself: those below it are tool modules if they are named"
        return "this module has decorators below that may be tools" if _may_have_more(self.checker.tree) else ""


def tools_in(module: MypyFile) -> Iterator[FoundTool]:
    """Find tools, and operations by the names of the tools that they become, in a module and its classes."""
    for _, symbol in walk_names(module.names):
        node = symbol.node
        if isinstance(node, TypeInfo):
            yield from _in_class(node)
        elif node is not None:
            yield from _in_function(node)
    for statement in module.defs:
        yield from _in_assignment(statement)


def _in_class(info: TypeInfo) -> Iterator[FoundTool]:
    owner = capability_id(info)
    for base in info.mro[:-1] if owner else [info]:  # the last is object
        for _, symbol in walk_names(base.names):
            node = symbol.node
            if isinstance(node, TypeInfo) and base is info:
                yield from _in_class(node)
            if not isinstance(node, Decorator):
                continue
            if base is info and (node.func.is_static or node.func.is_class):
                yield from _in_function(node, skip_first=node.func.is_class)
            operation = name_of(node, OPERATION, OPERATION_DECORATOR)
            if owner and operation:
                name = generated_name(owner, operation)
                yield FoundTool(name, node, skip_first=not node.func.is_static, operation=True)


def _in_function(node: SymbolNode, *, skip_first: bool = False) -> Iterator[FoundTool]:
    type_ = type_of_node(node)
    if type_ is not None and not has_facts(type_):
        return
    name = name_of(node, TOOL, TOOL_DECORATOR)
    if name:
        yield FoundTool(name, node, skip_first)
    operation = name_of(node, OPERATION, OPERATION_DECORATOR)
    if operation:
        owner = text_of(fact_of(type_of_node(node), CAPABILITY))
        if owner is None and isinstance(node, Decorator):
            owner = capability_in(node.decorators)
        if owner:
            yield FoundTool(generated_name(owner, operation), node, skip_first, operation=True)


def _in_assignment(statement: Statement) -> Iterator[FoundTool]:
    """`name = tool(...)(function)`, where mypy did not get to it yet."""
    if not isinstance(statement, AssignmentStmt) or not isinstance(statement.rvalue, CallExpr):
        return
    target, call = statement.lvalues[0], statement.rvalue
    if isinstance(target, NameExpr) and isinstance(target.node, Var) and target.node.type is None and call.args:
        function = call.args[0].node if isinstance(call.args[0], RefExpr) else None
        plain = function.name if isinstance(function, FuncDef) else ""
        name = _written_name(call.callee, TOOL_DECORATOR, plain)
        if name:
            yield FoundTool(name, function)


def _nameless_in(module: MypyFile) -> Iterator[str]:
    """Find the names of a module that surely or perhaps hold a tool whose own name is not known."""
    for name, symbol in walk_names(module.names):
        node = symbol.node
        type_ = type_of_node(node)
        if node is None or not node.fullname.startswith(f"{module.fullname}."):
            continue  # imported: its own module has it, if that is a tool module
        if isinstance(node, Decorator) and isinstance(type_, AnyType):
            yield name
        elif isinstance(type_, Instance) and type_.type.fullname == TOOL_RECORD:
            if text_of(fact_of(type_, TOOL)) is None:
                yield name
        elif isinstance(type_, CallableType):
            fact = fact_of(type_, TOOL)
            if fact is not None and text_of(fact) is None:
                yield name


def _is_hollow(module: MypyFile, named: Iterable[str]) -> bool:
    """Tell whether a module is a package that holds no tools itself, and modules of which none is *named*."""
    below = any(each.startswith(f"{module.fullname}.") for each in named)
    if below or not module.is_package_init_file() or any(True for _ in tools_in(module)):
        return False
    folder = Path(module.path).parent
    return any(each.suffix in (".py", ".pyi") or each.is_dir() for each in folder.glob("[a-zA-Z]*"))


def _may_have_more(module: MypyFile) -> bool:
    """Tell whether a function that mypy did not get to yet may turn out a tool: its decorator is what a name holds."""
    for statement in module.defs:
        if isinstance(statement, Decorator) and type_of_node(statement) is None:
            if any(isinstance(each, RefExpr) and isinstance(each.node, Var) for each in statement.decorators):
                return True
        elif isinstance(statement, AssignmentStmt) and isinstance(statement.rvalue, CallExpr):
            target, callee = statement.lvalues[0], statement.rvalue.callee
            waits = isinstance(target, NameExpr) and isinstance(target.node, Var) and target.node.type is None
            if waits and isinstance(callee, RefExpr) and isinstance(callee.node, Var):
                return True
    return False


def name_of(node: SymbolNode, fact: str, decorator: str) -> str | None:
    """Give the name under which a function is a tool or operation: noted by us, or else as its source has it."""
    type_ = type_of_node(node)
    if type_ is not None or not isinstance(node, Decorator):
        return text_of(fact_of(type_, fact))
    # mypy did not get to its decorators yet.
    return next((name for each in node.decorators if (name := _written_name(each, decorator, node.func.name))), None)


def _written_name(decorator: Expression, fullname: str, function: str) -> str | None:
    called = decorator.callee if isinstance(decorator, CallExpr) else decorator
    if not isinstance(called, RefExpr) or called.fullname != fullname:
        return None
    name = argument(decorator, "name")
    return function or None if name is None else written_text(name)


def _signature(node: SymbolNode) -> CallableType | None:
    """Give the type of a function, before mypy got to its decorators the one that it is declared with."""
    found = type_of_node(node)
    if found is None and isinstance(node, Decorator):
        found = get_proper_type(node.func.type) if node.func.type is not None else None
    return function_of(found)


def function_of(tool: ProperType | None) -> CallableType | None:
    """Give the type of the function that *tool* is, or was made of."""
    found = fact_of(tool, TAKES) or tool
    return found if isinstance(found, CallableType) else None


def without_first(function: CallableType) -> CallableType:
    """Give the type of a method as it is called: without `self`."""
    return function.copy_modified(
        arg_types=function.arg_types[1:], arg_kinds=function.arg_kinds[1:], arg_names=function.arg_names[1:]
    )


def is_none(type_: Type | None) -> bool:
    """Tell whether an option is not given, or given as `None`."""
    return type_ is None or isinstance(get_proper_type(type_), NoneType)


def type_of_node(node: SymbolNode | None) -> ProperType | None:
    """Give the type that carries facts: of an overloaded function, its implementation's."""
    if isinstance(node, OverloadedFuncDef):
        node = node.impl if isinstance(node.impl, Decorator) else None
    if isinstance(node, Decorator):
        node = node.var
    found = node.type if isinstance(node, Var | FuncDef) else None
    return get_proper_type(found) if found is not None else None


def argument(call: Expression, name: str) -> Expression | None:
    """Give the keyword argument *name* of a call."""
    if not isinstance(call, CallExpr):
        return None
    return call.args[call.arg_names.index(name)] if name in call.arg_names else None


def capability_in(decorators: Sequence[Expression]) -> str | None:
    """Give the id in a `capability(id=...)` among *decorators*, if it is written there."""
    for each in decorators:
        callee = each.callee if isinstance(each, CallExpr) else None
        if isinstance(callee, RefExpr) and callee.fullname == CAPABILITY_DECORATOR:
            return written_text(argument(each, "id"))
    return None


def is_operation(decorator: Expression) -> bool:
    """Tell whether a decorator is `operation(...)`."""
    callee = decorator.callee if isinstance(decorator, CallExpr) else None
    return isinstance(callee, RefExpr) and callee.fullname == OPERATION_DECORATOR


def written_text(expression: Expression | None) -> str | None:
    """Give the text that an expression is before mypy inferred its type: a literal, or a Final name."""
    if isinstance(expression, StrExpr):
        return expression.value
    if isinstance(expression, RefExpr) and isinstance(expression.node, Var) and expression.node.is_final:
        value = expression.node.final_value
        return value if isinstance(value, str) else text_of(expression.node.type)
    return None


def capability_id(info: TypeInfo) -> str | None:
    """Give the id of the capability that a class itself is."""
    noted = info.metadata.get(CAPABILITY)
    return str(noted["id"]) if noted else capability_in(info.defn.decorators)
