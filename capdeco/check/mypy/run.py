"""One run of mypy: each hook is handed to the checks of its module, and a fault of ours ends none."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Generic, TypeVar

import attrs
from mypy.plugin import FunctionContext, MethodContext
from mypy.types import AnyType, Type, TypeOfAny

from capdeco.check.mypy import names
from capdeco.check.mypy.checks import ModuleCheck
from capdeco.check.mypy.internals import checker_of, imports_capdeco, note_unchecked, with_facts
from capdeco.check.mypy.tools import OPERATION, TOOL, Catalog, ToolModules
from capdeco.check.mypy.types import TypeReader

ContextT = TypeVar("ContextT", FunctionContext, MethodContext)


@attrs.frozen
class Hook(Generic[ContextT]):
    """A check, and the fact that its result carries even where the check itself failed."""

    check: Callable[[ModuleCheck, ContextT], Type]
    fact: str = ""


_HOOKS: Final[Mapping[str, Hook[Any]]] = {
    names.STEP: Hook(ModuleCheck.step),
    names.TOOL_DECORATOR: Hook(ModuleCheck.tool, TOOL),
    names.TOOL_OF: Hook(ModuleCheck.tool_of, TOOL),
    names.ON_TOOL: Hook(ModuleCheck.tool_decorator, TOOL),
    names.ON_OPERATION: Hook(ModuleCheck.operation, OPERATION),
    names.ON_CAPABILITY: Hook(ModuleCheck.capability),
}


class Run:
    """The checks of all modules, one module after the other."""

    def __init__(self, tool_modules: Sequence[str], *, daemon: bool) -> None:
        self._hooks = {name: partial(self._guarded, hook) for name, hook in _HOOKS.items()}
        self._tool_modules = ToolModules(tool_modules)
        self._daemon = daemon
        self._current: ModuleCheck | None = None
        self._reader = TypeReader()

    def hook(self, fullname: str) -> Callable[[Any], Type]:
        """Give the check of what mypy knows as *fullname*."""
        return self._hooks[fullname]

    def _guarded(self, hook: Hook[ContextT], context: ContextT) -> Type:
        """Run a check. A fault of our own must not end the user's run: it becomes a note where it happened."""
        try:
            return hook.check(self._check_of(context), context)
        except Exception as error:  # noqa: BLE001 - whatever it is, mypy would stop
            where = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__} at {where.name}:{where.lineno}: {error}"
            note_unchecked(
                checker_of(context.api), f"a fault in capdeco's own plugin, please report it: {what}", context.context
            )
            self._current, self._reader = None, TypeReader()  # what they have read so far may be in pieces
            returned = context.default_return_type
            return with_facts(returned, {hook.fact: AnyType(TypeOfAny.special_form)}) if hook.fact else returned

    def _check_of(self, context: FunctionContext | MethodContext) -> ModuleCheck:
        checker = checker_of(context.api)
        if self._current is None or self._current.checker is not checker:
            self._reader.classes.clear()
            if self._daemon:  # what was read may have changed; else a run checks each module once
                self._reader = TypeReader()
            modules = self._tool_modules.names
            # Tool modules do not depend on each other: that would make one import cycle of them all.
            own = checker.tree.fullname
            reachable = (own not in modules and imports_capdeco(checker.tree)) or set(modules) <= {own}
            self._current = ModuleCheck(
                checker, self._reader, Catalog(checker, self._reader, self._tool_modules, reachable)
            )
        return self._current
