"""The mypy plugin, `plugins = capdeco.check.mypy_plugin`: which of mypy's hooks leads to which check.

Every run of mypy imports this module, also one that has nothing to check again: the checks are imported when the
first of them is called for.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from mypy.errors import CompileError
from mypy.nodes import MypyFile, TypeInfo
from mypy.options import Options
from mypy.plugin import ClassDefContext, FunctionContext, MethodContext, Plugin
from mypy.types import Type

from capdeco.check.mypy import names
from capdeco.check.mypy.config import Config, ConfigError, load_config
from capdeco.check.mypy.internals import imports_capdeco, is_daemon
from capdeco.check.mypy.search import missing_modules

if TYPE_CHECKING:
    from capdeco.check.mypy.run import Run

VERSION: Final = "8"
"""Raised with each change of what is found: mypy then checks again what it has cached."""

_FUNCTIONS: Final = (names.STEP, names.TOOL_DECORATOR, names.TOOL_OF)
_METHODS: Final = (names.TOOL_OF, names.ON_TOOL, names.ON_OPERATION, names.ON_CAPABILITY)


class CapdecoPlugin(Plugin):
    """Hands what mypy calls it with to the checks."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._config, self._wrong = Config(), ""
        try:
            self._config = load_config(options)
        except ConfigError as error:
            self._wrong = f"{error}"
        self._looked = False
        self._run: Run | None = None
        # mypy asks a plugin's module for its version when it decides what of its cache, or of its daemon, is still
        # true: the configuration is a part of it.
        globals()["__version__"] = f"{VERSION}+{self._wrong or ','.join(self._config.tool_modules)}"
        # Asked for twice per module, and written into the cache of each.
        self._data = {"version": VERSION, "tool_modules": zlib.crc32(",".join(self._config.tool_modules).encode())}

    def report_config_data(self, ctx: object) -> object:
        """Say what results depend on besides the source: mypy checks again when it changes."""
        return self._data

    def get_additional_deps(self, file: MypyFile) -> list[tuple[int, str, int]]:
        """Have the tool modules read before every module that declares something."""
        if not self._config.tool_modules or not imports_capdeco(file) or file.fullname in self._config.tool_modules:
            return []
        return [(10, module, -1) for module in self._config.tool_modules]

    def set_modules(self, modules: dict[str, MypyFile]) -> None:
        """Stop before anything is checked if the configuration cannot be meant.

        A daemon takes no error while it makes a plugin, but it does here; once it runs, mypy has the word.
        """
        super().set_modules(modules)
        if not self._looked:
            self._looked = True
            wrong = self._wrong or missing_modules(self._config, self.options, modules)
            if wrong:
                raise CompileError(wrong.splitlines())  # mypy prints the lines, and stops with exit code 2

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        """`Step(...)`, `@tool` and `tool(...)`."""
        return self._checks().hook(fullname) if fullname in _FUNCTIONS else None

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        """Give the check of what our decorators are put on: they are objects, since mypy has no hook for functions."""
        return self._checks().hook(fullname) if fullname in _METHODS else None

    def get_customize_class_mro_hook(self, fullname: str) -> Callable[[ClassDefContext], None] | None:
        """Structs and models: their bodies are read while mypy has them."""
        # Asked for every class, and the first plugin with an answer is the only one that mypy lets see it.
        found = self.lookup_fully_qualified(fullname)
        info = found.node if found else None
        if isinstance(info, TypeInfo):
            for base in info.mro:
                if base.fullname in (names.MODEL, names.STRUCT) and base is not info:
                    return _note_wire
        return None

    def _checks(self) -> Run:
        if self._run is None:
            from capdeco.check.mypy.run import Run  # noqa: PLC0415 - see above

            self._run = Run(self._config.tool_modules, daemon=is_daemon(self.options))
        return self._run


def _note_wire(context: ClassDefContext) -> None:
    from capdeco.check.mypy.wire import note_wire  # noqa: PLC0415 - see above

    note_wire(context)


def plugin(version: str) -> type[Plugin]:
    """Give mypy the plugin."""
    return CapdecoPlugin


__all__ = ["CapdecoPlugin", "plugin"]
