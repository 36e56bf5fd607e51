"""Everything that the plugin uses of mypy beyond its documented API; `test_internals.py` tests each assumption."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal

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
from mypy.build import default_data_dir
from mypy.errorcodes import ErrorCode
from mypy.modulefinder import FindModuleCache, ModuleNotFoundReason, compute_search_paths
from mypy.nodes import (
    GDEF,
    Context,
    Expression,
    FuncDef,
    Import,
    ImportBase,
    ImportFrom,
    MypyFile,
    SymbolTable,
    SymbolTableNode,
    TypeInfo,
    Var,
)
from mypy.options import Options
from mypy.plugin import CheckerPluginInterface
from mypy.server.trigger import make_trigger, make_wildcard_trigger
from mypy.subtypes import find_member

from capdeco import codes


def checker_of(api: CheckerPluginInterface) -> TypeChecker:
    """Give the checker behind the interface that hooks are given: one lives per module."""
    assert isinstance(api, TypeChecker), f"mypy's plugin interface is now a {type(api).__name__}"
    return api


# Finding


def search(module: str, options: Options) -> Literal["found", "without types", "nowhere"]:
    """Look for a module where mypy does, whichever files it is given to check."""
    found = FindModuleCache(compute_search_paths([], options, default_data_dir()), None, options).find_module(module)
    if isinstance(found, str):
        return "found"
    return "nowhere" if found is ModuleNotFoundReason.NOT_FOUND else "without types"


# Reading


def type_of(checker: TypeChecker, expression: Expression) -> ProperType | None:
    """Give the type that mypy already inferred; asking it to infer would report its errors twice."""
    found = checker.lookup_type_or_none(expression)
    return get_proper_type(found) if found is not None else None


def text_of(type_: Type | None) -> str | None:
    """Give the text that a type says a value surely is: a literal, a Final name, a `Literal[...]`."""
    proper = get_proper_type(type_)
    if isinstance(proper, Instance):
        proper = proper.last_known_value
    if isinstance(proper, LiteralType) and isinstance(proper.value, str) and not proper.is_enum_literal():
        return proper.value if proper.fallback.type.fullname == "builtins.str" else None
    return None


def text_type(checker: TypeChecker) -> Instance:
    """Give the type `str`."""
    return checker.named_generic_type("builtins.str", [])


def member_type(owner: Instance, name: str) -> Type | None:
    """Give the declared type of an attribute, type arguments of *owner* filled in."""
    return find_member(name, owner, owner)


# Facts ride on types: whatever mypy does with a type (caching it, passing it on through names and imports) it does
# with them. A function really has the attributes that are noted here, so nothing that mypy infers becomes wrong.


def with_facts(type_: Type, facts: Mapping[str, Type]) -> Type:
    """Give *type_* with attributes more that only we ask for."""
    match get_proper_type(type_):
        case CallableType() as function:
            return function.copy_modified(fallback=_carrying(function.fallback, facts))
        case Overloaded() as overloaded:
            items = [with_facts(item, facts) for item in overloaded.items]
            return Overloaded([item for item in items if isinstance(item, CallableType)])
        case Instance() as instance:
            return _carrying(instance, facts)
    return type_


def _carrying(instance: Instance, facts: Mapping[str, Type]) -> Instance:
    for key, fact in facts.items():
        instance = instance.copy_with_extra_attr(key, fact)
    return instance


def fact_of(type_: Type | None, key: str) -> ProperType | None:
    """Give what `with_facts` noted under *key*."""
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

_ROOT: Final = ErrorCode("capdeco", "Capabilities are declared and wired right", "Capdeco")
_CODES: Final = {
    name: ErrorCode(name, what, "Capdeco", sub_code_of=_ROOT, default_enabled=name != codes.UNCHECKED)
    for name, what in {
        codes.DECLARATION: "A declaration is right in itself",
        codes.TOOL: "A step's tool is known",
        codes.FROM: "A step's from names an object field that is surely there",
        codes.MISSING: "What a tool requires is surely provided",
        codes.TYPE: "A field fits the parameter that it reaches",
        codes.UNUSED: "A declared parameter reaches a step",
        codes.UNCHECKED: "Say what could not be checked",
    }.items()
}
"""mypy knows a code from when it is made: the configuration may name it once the plugin is loaded."""


def report(checker: TypeChecker, code: codes.Code, text: str, place: Context, statement: Context | None = None) -> None:
    """Report an error; `# type: ignore` may also stand on any line of *statement*."""
    checker.msg.fail(text, place, code=_CODES[code], origin_context=statement)


def note_unchecked(checker: TypeChecker, why: str, place: Context) -> None:
    """Say in a note what could not be checked; mypy prints notes without their code."""
    checker.msg.note(f"{why} ({codes.UNCHECKED})", place, code=_CODES[codes.UNCHECKED])


# Dependencies


def imports_capdeco(file: MypyFile) -> bool:
    """Tell whether a file imports capdeco itself: its imports are all that mypy has of it when it asks."""
    return any(map(_is_ours, file.imports))


def _is_ours(each: ImportBase) -> bool:
    if isinstance(each, Import):
        return any(name.partition(".")[0] == "capdeco" for name, _ in each.ids)
    return isinstance(each, ImportFrom) and not each.relative and each.id.partition(".")[0] == "capdeco"


def depend_on_modules(checker: TypeChecker, modules: Iterable[str]) -> None:
    """Have this module checked again when the interface of one of *modules* changes."""
    for module in modules:
        if module == checker.tree.fullname or not module:
            continue
        checker.module_refs.add(module)  # for runs from the cache
        if is_daemon(checker.options):
            _wake_for_names(checker, module, checker.modules[module].names if module in checker.modules else ())


def depend_on_classes(checker: TypeChecker, classes: Iterable[TypeInfo]) -> None:
    """Have this module checked again when one of *classes* changes, or a base of one."""
    for info in classes:
        for base in info.mro:
            if base.module_name not in _STEADY:
                checker.module_refs.add(base.module_name)
                if is_daemon(checker.options):
                    _wake_for_names(checker, base.fullname, base.names)


_STEADY: Final = frozenset({"builtins", "typing", "abc", "enum", "types"})
"""Modules whose classes change only with mypy itself."""


# The daemon compares the names of a module and of its classes, and their types, with those of before: not what else a
# class carries, and not the fallback of a function. What is noted there is told again under a hidden name.


def publish_facts(checker: TypeChecker, function: FuncDef, type_: Type) -> None:
    """Let the daemon see the facts on the type of a function."""
    carrier = get_proper_type(type_)
    if is_daemon(checker.options) and isinstance(carrier, CallableType) and carrier.fallback.extra_attrs is not None:
        noted = {key: text_of(fact) for key, fact in carrier.fallback.extra_attrs.attrs.items()}
        owner = function.info or checker.tree
        publish(checker.options, owner, function.name, LiteralType(repr(noted), text_type(checker)))


def publish(options: Options, owner: TypeInfo | MypyFile, name: str, what: LiteralType) -> None:
    """Let the daemon see what is noted of *name* in a module or class."""
    if is_daemon(options):
        hidden = Var(f"{name}{_HIDDEN}", what)
        hidden._fullname = f"{owner.fullname}.{hidden.name}"
        owner.names[hidden.name] = SymbolTableNode(GDEF, hidden, plugin_generated=True, module_public=False)


def depend_on_facts(checker: TypeChecker, function: str) -> None:
    """Have this module checked again by the daemon when what is noted of a function changes."""
    if is_daemon(checker.options):
        _wake(checker, make_trigger(f"{function}{_HIDDEN}"))


_HIDDEN: Final = "@capdeco"


def _wake(checker: TypeChecker, trigger: str) -> None:
    # What `add_plugin_dependency` does, which only semantic analysis has. The target is the module, since errors of
    # decorators belong to it, and the daemon clears the errors of what it checks again only.
    checker.tree.plugin_deps.setdefault(trigger, set()).add(checker.tree.fullname)


def _wake_for_names(checker: TypeChecker, owner: str, names: Iterable[str]) -> None:
    from mypy.server import update  # noqa: PLC0415 - the daemon has it loaded, and only the daemon

    _wake(checker, make_trigger(owner))
    _wake(checker, make_wildcard_trigger(owner))
    # Before mypy 2.3 that is not enough: for a part of a module that it checked again it wakes who depends on the names
    # that changed, and nobody else.
    if not hasattr(update, "wildcard_triggers_for_changes"):
        for name in names:
            _wake(checker, make_trigger(f"{owner}.{name}"))


def is_daemon(options: Options) -> bool:
    """Tell whether modules may be checked again in this process, or in a daemon that begins with what is cached now."""
    return options.fine_grained_incremental or options.cache_fine_grained


def modules_of(checker: TypeChecker) -> dict[str, MypyFile]:
    """Give the modules that are loaded: those that something checked so far depends on."""
    return checker.modules


def walk_names(table: SymbolTable) -> Iterator[tuple[str, SymbolTableNode]]:
    """Give the names of a module or class, our own hidden ones left out."""
    return ((name, node) for name, node in list(table.items()) if "@" not in name)
