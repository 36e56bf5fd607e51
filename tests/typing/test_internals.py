"""What the plugin assumes of mypy beyond its documented API; each test fails with a sentence if it is no longer so."""

from __future__ import annotations

import inspect

import pytest
from mypy import types
from mypy.checker import TypeChecker
from mypy.messages import MessageBuilder
from mypy.nodes import Decorator, FuncDef, ImportFrom, MypyFile, OverloadedFuncDef, SymbolTableNode, TypeInfo, Var
from mypy.options import Options
from mypy.plugin import CheckerPluginInterface, Plugin
from mypy.server import update
from mypy.server.trigger import make_trigger, make_wildcard_trigger
from mypy.subtypes import find_member
from mypy.version import __version__ as mypy_version

from capdeco.check.mypy.internals import search


def has(owner: object, *names: str) -> None:
    for name in names:
        annotated = {key for each in getattr(owner, "__mro__", ()) for key in getattr(each, "__annotations__", {})}
        assert hasattr(owner, name) or name in annotated, f"mypy's {owner} has no {name} any more"


def test_the_checker_behind_the_plugin_interface_is_a_type_checker() -> None:
    assert issubclass(TypeChecker, CheckerPluginInterface), "hooks are not given the TypeChecker any more"
    has(TypeChecker, "lookup_type_or_none", "named_generic_type", "tree", "modules", "module_refs", "msg", "options")


def test_a_function_can_carry_a_fact_on_its_fallback() -> None:
    has(types.Instance, "copy_with_extra_attr")
    assert hasattr(types.Instance, "extra_attrs"), "instances have no extra attributes"
    has(types.CallableType, "copy_modified", "fallback")


def test_errors_have_an_origin() -> None:
    parameters = inspect.signature(MessageBuilder.fail).parameters
    assert "origin_context" in parameters, "`# type: ignore` on another line of a step is not found any more"
    assert "code" in inspect.signature(MessageBuilder.note).parameters, "notes have no code any more"


def test_modules_are_found_without_knowing_the_files_that_are_checked() -> None:
    assert search("attrs", Options()) == "found", "an installed module is not found any more"
    assert search("no.such.module", Options()) == "nowhere"


def test_the_daemon_is_told_by_triggers() -> None:
    assert make_trigger("a.b") == "<a.b>"
    assert make_wildcard_trigger("a") == "<a[wildcard]>"
    has(MypyFile, "plugin_deps", "names", "defs", "imports", "is_stub")


def test_the_daemon_wakes_who_depends_on_a_module_of_which_a_part_changed() -> None:
    # The plugin looks for this helper to tell; without it every name of the module is depended on, as before mypy 2.3.
    newer = tuple(map(int, mypy_version.split("+")[0].split(".")[:2])) >= (2, 3)
    assert hasattr(update, "wildcard_triggers_for_changes") == newer, "the helper has another name: look what it is now"


def test_attributes_are_found_with_type_arguments_filled_in() -> None:
    assert list(inspect.signature(find_member).parameters)[:3] == ["name", "itype", "subtype"]


def test_nodes_have_what_is_read_of_them() -> None:
    has(FuncDef, "arguments", "body", "is_static", "is_class", "is_coroutine", "is_property", "info", "type")
    has(Decorator, "decorators", "func", "var")
    has(
        TypeInfo,
        "get",
        "self_type",
        "metadata",
        "mro",
        "names",
        "is_newtype",
        "is_enum",
        "enum_members",
        "is_protocol",
        "fallback_to_any",
    )
    has(Var, "type", "is_final", "final_value")
    has(SymbolTableNode, "node", "plugin_generated")
    has(OverloadedFuncDef, "unanalyzed_items", "impl")
    has(FuncDef, "unanalyzed_type")
    has(ImportFrom, "is_mypy_only", "names")


@pytest.mark.parametrize(
    "hook",
    ["get_function_hook", "get_method_hook", "get_customize_class_mro_hook", "get_additional_deps", "set_modules"],
)
def test_the_hooks_exist(hook: str) -> None:
    assert hasattr(Plugin, hook), f"mypy's plugins have no {hook} any more"
