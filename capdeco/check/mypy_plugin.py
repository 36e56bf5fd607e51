"""The mypy plugin, `plugins = capdeco.check.mypy_plugin`: which of mypy's hooks leads to which check."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from functools import partial
from typing import Final, Generic, TypeVar

import attrs
from mypy.errors import CompileError
from mypy.nodes import Import, ImportBase, ImportFrom, MypyFile, TypeInfo
from mypy.options import Options
from mypy.plugin import ClassDefContext, FunctionContext, MethodContext, Plugin
from mypy.types import AnyType, Type, TypeOfAny

from capdeco import errors
from capdeco.check.mypy_checks import CODES, ModuleCheck
from capdeco.check.mypy_config import ConfigError, load_config
from capdeco.check.mypy_internals import checker_of, note, with_fact
from capdeco.check.mypy_steps import STEP
from capdeco.check.mypy_tools import OPERATION, TOOL, TOOL_DECORATOR, Catalog, ToolModules
from capdeco.check.mypy_types import TypeReader
from capdeco.check.mypy_wire import MODEL, STRUCT, note_wire

VERSION: Final = "1"
"""Raised with each change of what is found: mypy then checks again what it has cached."""

ContextT = TypeVar("ContextT", FunctionContext, MethodContext)


@attrs.frozen
class Hook(Generic[ContextT]):
    """A check, and the fact that its result carries even where the check itself failed."""

    check: Callable[[ModuleCheck, ContextT], Type]
    fact: str = ""


_FUNCTIONS: Final = {STEP: Hook(ModuleCheck.step), TOOL_DECORATOR: Hook(ModuleCheck.tool, TOOL)}
_METHODS: Final = {
    "capdeco.declare.tools.ToolDecorator.__call__": Hook(ModuleCheck.tool_decorator, TOOL),
    "capdeco.declare.operations.OperationDecorator.__call__": Hook(ModuleCheck.operation, OPERATION),
    "capdeco.declare.capabilities.CapabilityDecorator.__call__": Hook(ModuleCheck.capability),
}


class CapdecoPlugin(Plugin):
    """Hands what mypy calls it with to the checks of the module at hand."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        try:
            self._config = load_config(options)
        except ConfigError as error:
            # mypy prints the messages of this error, and stops with exit code 2.
            raise CompileError([f"{error}"]) from None
        self._current: ModuleCheck | None = None
        self._tool_modules = ToolModules(self._config.tool_modules)
        # mypy asks a plugin's module for its version when it decides what of its cache, or of its daemon, is still
        # true: the configuration is a part of it.
        globals()["__version__"] = f"{VERSION}+{','.join(self._config.tool_modules)}"

    def report_config_data(self, ctx: object) -> object:
        """Say what results depend on besides the source: mypy checks again when it changes."""
        return {"version": VERSION, "tool_modules": list(self._config.tool_modules)}

    def get_additional_deps(self, file: MypyFile) -> list[tuple[int, str, int]]:
        """Have the tool modules read before every module that declares something."""
        if file.fullname in self._config.tool_modules or not imports_capdeco(file):
            return []
        return [(10, module, -1) for module in self._config.tool_modules]

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        """`Step(...)`, `@tool` and `tool(...)`."""
        hook = _FUNCTIONS.get(fullname)
        return partial(self._guarded, hook) if hook else None

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        """Give the check of what our decorators are put on: they are objects, since mypy has no hook for functions."""
        hook = _METHODS.get(fullname)
        return partial(self._guarded, hook) if hook else None

    def get_customize_class_mro_hook(self, fullname: str) -> Callable[[ClassDefContext], None] | None:
        """Structs and models: their bodies are read while mypy has them."""
        # Asked for every class, and the first plugin with an answer is the only one that mypy lets see it.
        found = self.lookup_fully_qualified(fullname)
        info = found.node if found else None
        if isinstance(info, TypeInfo) and info.mro and any(base.fullname in (MODEL, STRUCT) for base in info.mro[1:]):
            return note_wire
        return None

    def _guarded(self, hook: Hook[ContextT], context: ContextT) -> Type:
        """Run a check. A fault of our own must not end the user's run: it becomes a note where it happened."""
        try:
            return hook.check(self._check_of(context), context)
        except Exception as error:  # noqa: BLE001 - whatever it is, mypy would stop
            where = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__} at {where.name}:{where.lineno}: {error}"
            text = f"a fault in capdeco's own plugin, please report it: {what} ({errors.UNCHECKED})"
            note(checker_of(context.api), CODES[errors.UNCHECKED], text, context.context)
            self._current = None  # what it has read so far may be in pieces
            returned = context.default_return_type
            return with_fact(returned, hook.fact, AnyType(TypeOfAny.special_form)) if hook.fact else returned

    def _check_of(self, context: FunctionContext | MethodContext) -> ModuleCheck:
        checker = checker_of(context.api)
        if self._current is None or self._current.checker is not checker:
            modules = self._config.tool_modules
            reader = TypeReader()
            # Tool modules do not depend on each other: that would make one import cycle of them all.
            own = checker.tree.fullname
            reachable = (own not in modules and imports_capdeco(checker.tree)) or set(modules) <= {own}
            self._current = ModuleCheck(checker, reader, Catalog(checker, reader, self._tool_modules, reachable))
        return self._current


def imports_capdeco(file: MypyFile) -> bool:
    """Tell whether a file imports capdeco itself: its imports are all that mypy has of it when it asks."""
    return any(map(_is_ours, file.imports))


def _is_ours(each: ImportBase) -> bool:
    if isinstance(each, Import):
        return any(name.partition(".")[0] == "capdeco" for name, _ in each.ids)
    return isinstance(each, ImportFrom) and not each.relative and each.id.partition(".")[0] == "capdeco"


def plugin(version: str) -> type[Plugin]:
    """Give mypy the plugin."""
    return CapdecoPlugin


__all__ = ["CapdecoPlugin", "plugin"]
