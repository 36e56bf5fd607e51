"""Everything that the plugin uses of mypy beyond its documented API; `test_internals.py` tests each assumption."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from mypy.types import (  # first: other orders are circular when mypy is imported as a library
    CallableType,
    Instance,
    LiteralType,
    Overloaded,
    ProperType,
    Type,
    get_proper_type,
)

from mypy.checker import TypeChecker  # isort: skip
from mypy.errorcodes import ErrorCode
from mypy.nodes import GDEF, Context, Expression, MypyFile, SymbolTable, SymbolTableNode, TypeInfo, Var
from mypy.plugin import CheckerPluginInterface
from mypy.server.trigger import make_trigger, make_wildcard_trigger
from mypy.subtypes import find_member


def checker_of(api: CheckerPluginInterface) -> TypeChecker:
    """Give the checker behind the interface that hooks are given: one lives per module."""
    assert isinstance(api, TypeChecker), f"mypy's plugin interface is now a {type(api).__name__}"
    return api


# Reading


def type_of(checker: TypeChecker, expression: Expression) -> ProperType | None:
    """Give the type that mypy already inferred; asking it to infer would report its errors twice."""
    found = checker.lookup_type_or_none(expression)
    return get_proper_type(found) if found is not None else None


def text_of(type_: Type | None) -> str | None:
    """Give the text that a type says a value surely is: a literal, a Final name, a `Literal[...]`."""
    proper = get_proper_type(type_)
    if isinstance(proper, Instance) and proper.last_known_value is not None:
        proper = proper.last_known_value
    if isinstance(proper, LiteralType) and isinstance(proper.value, str) and not proper.is_enum_literal():
        return proper.value if proper.fallback.type.fullname == "builtins.str" else None
    return None


def literal(checker: TypeChecker, text: str) -> LiteralType:
    """Give the type `Literal[text]`."""
    return LiteralType(text, checker.named_generic_type("builtins.str", []))


def member_type(owner: Instance, name: str) -> Type | None:
    """Give the declared type of an attribute, type arguments of *owner* filled in."""
    return find_member(name, owner, owner)


# Facts ride on types: whatever mypy does with a type (caching it, passing it on through names and imports) it does
# with them. A function really has the attributes that are noted here, so nothing that mypy infers becomes wrong.


def with_fact(type_: Type, key: str, fact: Type) -> Type:
    """Give *type_* with an attribute more that only we ask for."""
    match get_proper_type(type_):
        case CallableType() as function:
            return function.copy_modified(fallback=function.fallback.copy_with_extra_attr(key, fact))
        case Overloaded() as overloaded:
            items = [with_fact(item, key, fact) for item in overloaded.items]
            return Overloaded([item for item in items if isinstance(item, CallableType)])
        case Instance() as instance:
            return instance.copy_with_extra_attr(key, fact)
    return type_


def fact_of(type_: Type | None, key: str) -> ProperType | None:
    """Give what `with_fact` noted under *key*."""
    match get_proper_type(type_):
        case CallableType(fallback=carrier) | Overloaded(fallback=carrier):
            pass
        case Instance() as carrier:
            pass
        case _:
            return None
    if carrier.extra_attrs is None or key not in carrier.extra_attrs.attrs:
        return None
    return get_proper_type(carrier.extra_attrs.attrs[key])


def has_facts(type_: ProperType) -> bool:
    """Tell whether anything is noted on a function or object: a quick look before closer ones."""
    match type_:
        case CallableType(fallback=carrier) | Overloaded(fallback=carrier) | (Instance() as carrier):
            return carrier.extra_attrs is not None
    return False


# Reporting


def report(checker: TypeChecker, code: ErrorCode, text: str, place: Context, statement: Context | None = None) -> None:
    """Report an error; `# type: ignore` may also stand on any line of *statement*."""
    checker.msg.fail(text, place, code=code, origin_context=statement)


def note(checker: TypeChecker, code: ErrorCode, text: str, place: Context) -> None:
    """Report a note, which mypy prints without its code."""
    checker.msg.note(text, place, code=code)


# Dependencies


def depend_on_modules(checker: TypeChecker, modules: Iterable[str]) -> None:
    """Have this module checked again when the interface of one of *modules* changes."""
    for module in modules:
        if module == checker.tree.fullname or not module:
            continue
        checker.module_refs.add(module)  # for runs from the cache
        if is_daemon(checker):
            _wake(checker, make_wildcard_trigger(module))
            _wake(checker, make_trigger(module))


def depend_on_classes(checker: TypeChecker, classes: Iterable[TypeInfo]) -> None:
    """Have this module checked again when one of *classes* changes, or a base of one."""
    for info in classes:
        for base in info.mro:
            if base.module_name not in _STEADY:
                checker.module_refs.add(base.module_name)
                if is_daemon(checker):
                    _wake(checker, make_trigger(base.fullname))
                    _wake(checker, make_wildcard_trigger(base.fullname))


_STEADY: Final = frozenset({"builtins", "typing", "abc", "enum", "types"})
"""Modules whose classes change only with mypy itself."""


def publish(checker: TypeChecker, table: SymbolTable, owner: str, name: str, fact: Type) -> None:
    """Let the daemon see a fact on a type: it compares signatures, and names of a table, but not fallbacks."""
    if is_daemon(checker):
        hidden = Var(f"{name}@capdeco", fact)
        hidden._fullname = f"{owner}.{hidden.name}"
        table[hidden.name] = SymbolTableNode(GDEF, hidden, plugin_generated=True, module_public=False)


def _wake(checker: TypeChecker, trigger: str) -> None:
    # What `add_plugin_dependency` does, which only semantic analysis has. The target is the module, since errors of
    # decorators belong to it, and the daemon clears the errors of what it checks again only.
    checker.tree.plugin_deps.setdefault(trigger, set()).add(checker.tree.fullname)


def is_daemon(checker: TypeChecker) -> bool:
    """Tell whether modules may be checked again in this process, or in a daemon that begins with what is cached now."""
    return checker.options.fine_grained_incremental or checker.options.cache_fine_grained


def modules_of(checker: TypeChecker) -> dict[str, MypyFile]:
    """Give the modules that are loaded: those that something checked so far depends on."""
    return checker.modules


def walk_names(table: SymbolTable) -> Iterator[tuple[str, SymbolTableNode]]:
    """Give the names of a module or class, our own hidden ones left out."""
    return ((name, node) for name, node in list(table.items()) if "@" not in name)
