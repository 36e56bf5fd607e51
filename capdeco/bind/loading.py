"""Loading plugins: import a module or package, and find what it declares."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from collections.abc import AsyncGenerator, Awaitable, Coroutine, Generator, Iterable, Iterator
from types import ModuleType
from typing import Final

from capdeco.codes import DECLARATION, HOST
from capdeco.declare.capabilities import Capability, capability_carried_by, capability_module
from capdeco.declare.functions import place_of
from capdeco.declare.operations import operation_carried_by
from capdeco.declare.tools import Tool, tool_carried_by, tool_module
from capdeco.errors import BindError, CapdecoError, DeclarationError, Diagnostic, Place, near_misses

_OURS: Final = os.path.dirname(__file__) + os.sep
"""No line of ours is the one at fault."""
_NAME_IT: Final = "name one as in package.module, that is installed or in a folder on sys.path"


def import_plugin(name: str) -> list[ModuleType]:
    """Import *name*, and every module below it if it is a package; give them, the package itself first.

    Raises:
        BindError: one of them cannot be imported; it says which line failed.
    """
    root = import_one(name)
    modules = [root]
    if hasattr(root, "__path__"):
        below = pkgutil.walk_packages(root.__path__, prefix=f"{name}.", onerror=import_one)
        modules += [import_one(info.name) for info in below if not info.name.endswith(".__main__")]
    return modules


def import_one(name: str) -> ModuleType:
    """Import the module *name*.

    Raises:
        BindError: there is no such module, or it cannot be imported; it says which line failed.
        CapdecoError: a declaration in it was refused; it says where.
    """
    if not name.strip(".") or name.startswith("."):
        raise BindError(Diagnostic(HOST, f'"{name}" is no name of a module', _NAME_IT, rule="import"))
    try:
        return importlib.import_module(name)
    except CapdecoError:
        raise
    except ModuleNotFoundError as error:
        # What the module itself fails to import has another name.
        if error.name is not None and _is_part(name, error.name):
            raise _no_such_module(error.name) from None
        raise plugin_error(name, error) from error
    except (Exception, SystemExit) as error:
        raise plugin_error(name, error) from error


def _no_such_module(name: str) -> BindError:
    parent, _, _ = name.rpartition(".")
    path = getattr(sys.modules.get(parent), "__path__", []) if parent else None
    prefix = f"{parent}." if parent else ""
    near = near_misses(name, {info.name for info in pkgutil.iter_modules(path, prefix)})
    fix = "did you mean " + " or ".join(f'"{each}"' for each in near) + "?" if near else _NAME_IT
    return BindError(Diagnostic(HOST, f'there is no module "{name}"', fix, rule="import"))


def plugin_error(name: str, error: BaseException) -> BindError:
    """Say that the plugin *name* failed to load, and at which of its lines."""
    if isinstance(error, BindError):
        return error
    if isinstance(error, CapdecoError):
        return BindError(*error.diagnostics)
    refusal = BindError(
        Diagnostic(
            HOST,
            f'the plugin "{name}" failed to load: {type(error).__name__}: {error}',
            "mend it; nothing of it was registered",
            place=_failing_line(error),
            rule="import",
        )
    )
    refusal.__cause__ = error  # whoever only reports it still has the traceback
    return refusal


def check_done(plugin: str, setup: object, outcome: object) -> None:
    """Check that what the *setup* of *plugin* gave back is not something that has yet to run.

    Raises:
        BindError: it is; nobody would run it, and the plugin would be loaded without its tools.
    """
    if isinstance(outcome, Awaitable | Generator | AsyncGenerator):
        if isinstance(outcome, Coroutine):
            outcome.close()  # Python would warn of it when it is gone
        given = f"an unfinished {type(outcome).__name__}, which nobody waits for"
        fix = "let it register everything before it returns, in a plain function; nothing of it was registered"
        raise BindError(
            Diagnostic(HOST, f'the setup of "{plugin}" gave back {given}', fix, place=place_of(setup), rule="setup")
        )


def _failing_line(error: BaseException) -> Place | None:
    if isinstance(error, SyntaxError) and error.filename:
        return Place(error.filename, error.lineno or 0)
    trace, found = error.__traceback__, None
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if "importlib" not in file and not file.startswith(_OURS):
            found = Place(file, trace.tb_lineno)
        trace = trace.tb_next
    return found


def declared_in(modules: list[ModuleType], plugin: str) -> tuple[list[Tool], list[Capability]]:
    """Find the tools and capabilities that *plugin* itself defines, in order of definition, each once.

    What it merely imported from elsewhere is not its own.

    Raises:
        DeclarationError: a record was lost under another decorator, or an operation belongs to no capability.
        BindError: two tools have one name.
    """
    tools: dict[int, Tool] = {}
    capabilities: dict[int, Capability] = {}
    for module in modules:
        for value in _defined(module, plugin):
            tool, capability = tool_carried_by(value), capability_carried_by(value)
            if tool is not None:
                tools[id(tool)] = tool
            if capability is not None:
                capabilities[id(capability)] = capability
            elif not isinstance(value, type | staticmethod | classmethod) and operation_carried_by(value) is not None:
                raise DeclarationError(
                    Diagnostic(
                        DECLARATION,
                        f'"{getattr(value, "__name__", value)}" carries @operation alone',
                        'put @capability(id="...", description="...") above it',
                        place=place_of(value),
                        rule="capability-shape",
                    )
                )
    check_names(tools.values())
    return list(tools.values()), list(capabilities.values())


def check_names(tools: Iterable[Tool]) -> None:
    """Check that no two of *tools* have one name.

    Raises:
        BindError: two have; it says where both are.
    """
    seen: dict[str, Tool] = {}
    for each in tools:
        other = seen.setdefault(each.name, each)
        if other is not each:
            what = f'the tool name "{each.name}" is already taken' + (f", at {other.place}" if other.place else "")
            raise BindError(
                Diagnostic(DECLARATION, what, "rename one of them", place=each.place, rule="duplicate-tool")
            )


def _defined(module: ModuleType, plugin: str) -> Iterator[object]:
    for value in list(vars(module).values()):
        # A tool is its declarer's, who may make it of somebody else's function.
        own = not isinstance(value, Tool) and _is_part(getattr(value, "__module__", None), plugin)
        if own or _is_part(tool_module(value), plugin) or _is_part(capability_module(value), plugin):
            yield value
        if own and isinstance(value, type):
            yield from _nested(value)


def _is_part(module: object, plugin: str) -> bool:
    return isinstance(module, str) and (module == plugin or module.startswith(f"{plugin}."))


def _nested(owner: type) -> Iterator[object]:
    """Tools that are static or class methods, and capabilities that are nested classes."""
    for value in vars(owner).values():
        if isinstance(value, staticmethod | classmethod):
            yield value
        elif isinstance(value, type) and value.__qualname__.startswith(f"{owner.__qualname__}."):
            yield value
            yield from _nested(value)
