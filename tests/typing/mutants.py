"""Plants one wiring fault of each kind into every valid declaration, and counts what each reader finds of them.

    python -m tests.typing.mutants

The readers are the mypy plugin, the binder, and the analyzer of source; they are to give the same verdicts. For mypy
and the analyzer a mutant of a file has the same kind of fault in each of its operations: they do not depend on each
other, and each fault has its own line, where it is to be found. Importing a module stops at its first fault, so the
binder is handed a module with each fault alone. Exit code 1 if a fault is not found, or anything else is.
"""

from __future__ import annotations

import ast
import importlib
import linecache
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Final, Literal, TypeAlias, get_args

import attrs

from capdeco import Binder, CapdecoError, EmbeddedHost
from capdeco.bind.loading import declared_in
from capdeco.check.analyze.analysis import analyze_folder
from capdeco.check.analyze.files import Limits
from capdeco.codes import UNCHECKED
from capdeco.declare.capabilities import Capability, capability_carried_by
from capdeco.declare.tools import Tool
from tests.typing.harness import CONFIG, as_mypy, expected_in, run_mypy, sources_of, write

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

LOST: Final = """
from collections.abc import Callable as _Callable
from functools import update_wrapper as _update_wrapper
from typing import ParamSpec as _ParamSpec

_P = _ParamSpec("_P")
_R = _TypeVar("_R")


def _wraps(function: _Callable[_P, _R]) -> _Callable[_P, _R]:
    made: _Any = lambda: None
    return _update_wrapper(made, function)  # type: ignore[no-any-return]
"""
TOOL: Final = '\n\n@_tool(name="extra")\ndef _extra(wanted: int) -> None:\n    """d"""\n'
HEAD: Final = (
    "from typing import Any as _Any, NotRequired as _NotRequired, TypedDict as _TypedDict, TypeVar as _TypeVar\n"
    "from capdeco import Step as _Step, tool as _tool\n"
    '_F = _TypeVar("_F")\n'
)


@attrs.frozen
class Edit:
    """A change of source text; lines are 1-based, columns in characters."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@attrs.frozen
class Fault:
    """What to change, and the code to expect at a line of the source; at line 0, the new text itself is marked."""

    edits: tuple[Edit, ...]
    line: int
    code: str


@attrs.frozen
class Operation:
    """One operation in the source."""

    function: Function
    call: ast.Call
    decorator: ast.expr
    steps: tuple[ast.expr, ...]
    """The steps that are written here: none if they are computed, or anything among them is."""
    owner: str


def operations_in(tree: ast.Module) -> Iterator[Operation]:
    """Find the operations of a module."""

    def visit(body: list[ast.stmt], owner: str) -> Iterator[Operation]:
        for node in body:
            if isinstance(node, ast.ClassDef):
                yield from visit(node.body, node.name)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for decorator in node.decorator_list:
                    if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "operation":
                        yield Operation(node, decorator, decorator, tuple(_steps(decorator)), owner)
                yield from visit(node.body, owner)

    return visit(tree.body, "")


def _steps(call: ast.Call) -> list[ast.expr]:
    value = next((each.value for each in call.keywords if each.arg == "steps"), None)
    return list(value.elts) if isinstance(value, ast.List) else []


def from_of(step: ast.expr) -> ast.Constant | None:
    """Give the text in `from_=` of a step, where it is written."""
    if isinstance(step, ast.Call):
        found = next((each.value for each in step.keywords if each.arg == "from_"), None)
        found = found or (step.args[1] if len(step.args) > 1 else None)
    elif isinstance(step, ast.Dict):
        keys = [each.value if isinstance(each, ast.Constant) else None for each in step.keys]
        found = step.values[keys.index("from")] if "from" in keys else None
    else:
        found = None
    return found if isinstance(found, ast.Constant) and isinstance(found.value, str) else None


def parameters_of(operation: Operation) -> list[ast.arg]:
    """Give the parameters that are fields of the input each; none where one object is the whole input."""
    arguments = operation.function.args
    if arguments.posonlyargs or arguments.kwarg:
        return []
    return [each for each in (*arguments.args, *arguments.kwonlyargs) if each.arg not in ("self", "cls")]


def default_of(operation: Operation, parameter: ast.arg) -> ast.expr | None:
    """Give the default of a parameter."""
    arguments = operation.function.args
    defaults: list[ast.expr | None] = [None] * (len(arguments.args) - len(arguments.defaults)) + [*arguments.defaults]
    return dict(zip([*arguments.args, *arguments.kwonlyargs], [*defaults, *arguments.kw_defaults], strict=True)).get(
        parameter
    )


def replace(node: ast.expr | ast.arg, text: str) -> Edit:
    """Replace a node."""
    return Edit(node.lineno, node.col_offset, *end_of(node), text)


def end_of(node: ast.expr | ast.arg | ast.stmt) -> tuple[int, int]:
    """Give line and column where a node ends."""
    return node.end_lineno or 0, node.end_col_offset or 0


def insert(line: int, column: int, text: str) -> Edit:
    """Insert text."""
    return Edit(line, column, line, column, text)


# One function per kind of fault: an operation -> the fault, or nothing where it cannot be planted


def misspelt_from(operation: Operation) -> Fault | None:
    for step in operation.steps:
        source = from_of(step)
        if source is not None:
            return Fault((replace(source, f'"{source.value!s}x"'),), source.lineno, "capdeco-from")
    return None


def _retyped_from(operation: Operation, retype: Callable[[str], str], value: str) -> Fault | None:
    for step in operation.steps:
        source = from_of(step)
        for parameter in parameters_of(operation):
            if operation.function.name == "two_uses":
                return None  # another step takes the field as it is
            if source is not None and parameter.arg == source.value and parameter.annotation is not None:
                changed = replace(parameter.annotation, retype(ast.unparse(parameter.annotation)))
                default = default_of(operation, parameter)
                return Fault((changed, *([replace(default, value)] if default else [])), source.lineno, "capdeco-from")
    return None


def non_object_from(operation: Operation) -> Fault | None:
    return _retyped_from(operation, lambda _: "int", "0")


def optional_from(operation: Operation) -> Fault | None:
    return _retyped_from(operation, lambda annotation: f"{annotation} | None", "None")


def list_from(operation: Operation) -> Fault | None:
    return _retyped_from(operation, lambda annotation: f"list[{annotation}]", "[]")


def absent_field(operation: Operation) -> Fault | None:
    """The field of a from may be absent: the parameters become one TypedDict that does not require it."""
    found = misspelt_from(operation)
    parameters = parameters_of(operation)
    arguments = operation.function.args
    if found is None or not parameters or arguments.kwonlyargs or operation.function.name == "two_uses":
        return None
    if any(isinstance(node, ast.Name) and node.id in ("T", "N") for node in ast.walk(arguments)):
        return None
    sources = {str(source.value) for step in operation.steps if (source := from_of(step))}
    fields = ", ".join(
        f'"{each.arg}": "{shown}"' if each.arg not in sources else f'"{each.arg}": "_NotRequired[{shown}]"'
        for each in parameters
        for shown in [ast.unparse(each.annotation or each)]
    )
    name = f"Absent{operation.function.lineno}"
    first, last = parameters[0], parameters[-1]
    default = default_of(operation, last)
    end = default or last
    changed = Edit(first.lineno, first.col_offset, *end_of(end), f"given: {name}, /")
    top = insert(-1, 0, f'\n{name} = _TypedDict("{name}", {{{fields}}})\n')
    return Fault((changed, top), found.line, "capdeco-from")


def renamed_tool(operation: Operation) -> Fault | None:
    for step in operation.steps:
        tool: ast.expr | None = None
        if isinstance(step, ast.Call):
            tool = step.args[0] if step.args else None
        elif isinstance(step, ast.Dict):
            keys = [each.value if isinstance(each, ast.Constant) else None for each in step.keys]
            tool = step.values[keys.index("tool")]
        if isinstance(tool, ast.Constant) and isinstance(tool.value, str):
            return Fault((replace(tool, f'"{tool.value}_2"'),), tool.lineno, "capdeco-tool")
    return None


def dropped_parameter(operation: Operation) -> Fault | None:
    """A step more that requires what the operation does not have."""
    if not operation.steps:
        return None
    last = operation.steps[-1]
    return Fault(
        (insert(*end_of(last), ", _Step(_extra)"), insert(0, 0, TOOL)),
        end_of(last)[0],
        "capdeco-missing",
    )


def renamed_parameter(operation: Operation) -> Fault | None:
    """A required parameter has another name than the tool's."""
    for parameter, step in _required(operation):
        return Fault((insert(parameter.lineno, parameter.col_offset, "x_"),), step.lineno, "capdeco-missing")
    return None


def changed_type(operation: Operation) -> Fault | None:
    """A required parameter has a type that fits nothing."""
    for parameter, step in _required(operation):
        assert parameter.annotation is not None
        return Fault((replace(parameter.annotation, "dict[str, list[None]]"),), step.lineno, "capdeco-type")
    return None


REQUIRED: Final = frozenset({"path", "text", "width", "number", "colour", "weight", "words"})
"""Parameters that the shared tools require, none of which takes a mapping or an object of any kind."""
SHARED: Final = frozenset(
    {"read_file", "write_file", "spell", "resize", "open_page", "paint", "index", "plant", "trim", "Box.pack"}
    | {"READING", "named.READING", "'read_file'", "'trim_text'", "TOOL"}
)


def _required(operation: Operation) -> Iterator[tuple[ast.arg, ast.expr]]:
    """A parameter that the first whole-input step of the operation requires."""
    whole = [step for step in operation.steps if from_of(step) is None and not isinstance(step, ast.Starred)]
    whole = [step for step in whole if ast.unparse(step) not in ("LAYING",)]
    if not whole or len(whole) > 1:
        return
    step = whole[0]
    tool: ast.expr = step
    if isinstance(step, ast.Call) and step.args:
        tool = step.args[0]
    elif isinstance(step, ast.Dict):
        tool = step.values[0]
    if ast.unparse(tool) not in SHARED:
        return
    for parameter in parameters_of(operation):
        if parameter.arg in REQUIRED and default_of(operation, parameter) is None:
            yield parameter, step


def nested_type(operation: Operation) -> Fault | None:
    """A field inside an object has another type than the tool's parameter wants."""
    for step in operation.steps:
        source = from_of(step)
        for parameter in parameters_of(operation):
            if source is None or parameter.arg != source.value or parameter.annotation is None:
                continue
            field = {"Options": "columns", "Size": "width", "Page": "number"}.get(ast.unparse(parameter.annotation))
            if field is None or default_of(operation, parameter) is not None:
                continue
            name = f"Nested{operation.function.lineno}"
            top = insert(-1, 0, f'\n{name} = _TypedDict("{name}", {{"{field}": list[str]}})\n')
            return Fault((replace(parameter.annotation, f'"{name}"'), top), step.lineno, "capdeco-type")
    return None


def unused_parameter(operation: Operation) -> Fault | None:
    arguments = operation.function.args
    if not operation.steps or arguments.kwarg or _takes_everything(operation):
        return None
    after = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    line, column = _after_parameters(operation, after)
    star = "" if arguments.kwonlyargs else "*, " if not after else ", *, "
    star = ", " if arguments.kwonlyargs else star
    return Fault((insert(line, column, f"{star}never_used: int = 0"),), line, "capdeco-unused")


def _after_parameters(operation: Operation, after: list[ast.arg]) -> tuple[int, int]:
    function = operation.function
    if not after:
        word = "async def " if isinstance(function, ast.AsyncFunctionDef) else "def "
        return function.lineno, function.col_offset + len(f"{word}{function.name}(")
    last = after[-1]
    end = default_of(operation, last) or last
    if function.args.posonlyargs and not function.args.args:
        line, column = end_of(last)
        return line, column + len(", /")
    return end_of(end)


OPEN: Final = ("whatever", "count", "python_keywords")


def _takes_everything(operation: Operation) -> bool:
    """Whether a step takes every field, or cannot be known."""
    names = {node.id for step in operation.steps for node in ast.walk(step) if isinstance(node, ast.Name)}
    starred = any(isinstance(each, ast.Starred) for each in operation.steps)
    return bool(names & set(OPEN)) or (starred and not names <= {"OWN_TUPLE", "BOTH", "Step", "spell"})


def no_steps(operation: Operation) -> Fault | None:
    value = next((each.value for each in operation.call.keywords if each.arg == "steps"), None)
    marked = "[  # E: capdeco-declaration\n]"
    return Fault((replace(value, marked),), 0, "capdeco-declaration") if value is not None else None


def illegal_name(operation: Operation) -> Fault | None:
    if any(each.arg == "name" for each in operation.call.keywords):
        return None
    line, column = operation.call.keywords[0].value.lineno, operation.call.keywords[0].value.col_offset
    return Fault((insert(line, column - len("steps="), 'name="No-name", '),), line, "capdeco-declaration")


def a_body(operation: Operation) -> Fault | None:
    last = operation.function.body[-1]
    if last.lineno == operation.function.lineno:
        return Fault((replace_statement(last, "return None"),), last.lineno, "capdeco-declaration")
    indent = "\n" + " " * last.col_offset
    marked = f"{indent}return  # E: capdeco-declaration"
    return Fault((insert(*end_of(last), marked),), 0, "capdeco-declaration")


def replace_statement(node: ast.stmt, text: str) -> Edit:
    """Replace a statement."""
    return Edit(node.lineno, node.col_offset, *end_of(node), text)


def lost_decorator(operation: Operation) -> Fault | None:
    line, column = operation.decorator.lineno, operation.decorator.col_offset - 1
    marked = "@_wraps  # E: capdeco-declaration\n" + " " * column
    return Fault((insert(line, column, marked), insert(0, 0, LOST)), 0, "capdeco-declaration")


def duplicate(operation: Operation) -> Fault | None:
    """Another operation of the class has the same name."""
    function = operation.function
    if not operation.owner or not operation.steps or any(each.arg == "name" for each in operation.call.keywords):
        return None
    if len(function.decorator_list) > 1 or _is_overloaded(operation) or _is_base(operation):
        return None
    indent = " " * function.col_offset
    twin = (
        f'\n\n{indent}@_operation(steps=[_Step("nothing")], name="{function.name}")\n'
        f'{indent}def twin_{function.name}(self) -> None:  # E: capdeco-declaration\n{indent}    """d"""\n'
    )
    end = function.body[-1]
    edits = (
        insert(*end_of(end), twin),
        insert(0, 0, "from capdeco import operation as _operation\n"),
    )
    return Fault(edits, 0, "capdeco-declaration")


def _is_overloaded(operation: Operation) -> bool:
    return operation.owner == "Overloads"


def _is_base(operation: Operation) -> bool:
    """Whether it is in a class that others inherit: a duplicate in it is found where they are capabilities."""
    return operation.owner in ("Base", "Generated")


KINDS: Final[tuple[Callable[[Operation], Fault | None], ...]] = (
    misspelt_from,
    non_object_from,
    optional_from,
    list_from,
    absent_field,
    renamed_tool,
    dropped_parameter,
    renamed_parameter,
    changed_type,
    nested_type,
    unused_parameter,
    no_steps,
    illegal_name,
    a_body,
    lost_decorator,
    duplicate,
)


@attrs.frozen
class Mutant:
    """One fault: where mypy and the analyzer are to find it, and the module that has it alone."""

    kind: str
    code: str
    file: str
    line: int
    module: str
    """The valid module that it was made of."""
    alone: str
    """The source with this fault and no other."""


def planted_in(source: str, faults: Iterable[Fault]) -> str:
    """Plant *faults* into the source of a module, each marked where it is to be found."""
    lines, faults = source.split("\n"), list(faults)
    for line, code in {(fault.line, fault.code) for fault in faults if fault.line}:
        lines[line - 1] += f"  # E: {code}"
    edits = {edit for fault in faults for edit in fault.edits}
    for edit in sorted(edits, key=lambda each: (each.line, each.column), reverse=True):
        if edit.line > 0:
            first = lines[edit.line - 1].encode()[: edit.column].decode()
            last = lines[edit.end_line - 1].encode()[edit.end_column :].decode()
            lines[edit.line - 1 : edit.end_line] = (first + edit.text + last).split("\n")
    after = next(number for number, line in enumerate(lines) if re.match(r"(import|from (?!__future__))", line))
    head = [HEAD, *sorted(edit.text for edit in edits if edit.line == 0)]
    tail = sorted(edit.text for edit in edits if edit.line == -1)
    return "\n".join([*lines[:after], *head, *lines[after:], *tail])


def mutants_of(sources: Mapping[str, str]) -> tuple[dict[str, str], list[Mutant]]:
    """Plant every kind of fault into every operation: the files with all faults of one kind, and the faults."""
    files: dict[str, str] = {}
    mutants: list[Mutant] = []
    for path, source in sources.items():
        operations = list(operations_in(ast.parse(source))) if "@operation(" in source else []
        for kind in KINDS:
            faults = [fault for each in operations if (fault := kind(each)) is not None]
            if not faults:
                continue
            name = kind.__name__
            file = f"mutants/{name}_{Path(path).stem}.py"
            files[file] = planted_in(source, faults)
            for (line, code), fault in zip(expected_in(files[file]), faults, strict=True):
                mutants.append(Mutant(name, code, file, line, Path(path).stem, planted_in(source, [fault])))
    return files, mutants


# The readers

Reader = Literal["mypy", "binder", "analyzer"]
READERS: Final[tuple[Reader, ...]] = get_args(Reader)
VALID: Final = "tests.typing.valid"
TOOL_MODULES: Final = ("tools", "classes", "functions")
SETTINGS: Final = f"{CONFIG}[capdeco]\ntool_modules = {', '.join(f'{VALID}.{each}' for each in TOOL_MODULES)}\n"
BESIDE: Final = {"steps": TOOL_MODULES}
"""Module -> those whose declarations it names; of any other, the tools."""

Texts: TypeAlias = set[str]
"""What a reader says at a line, as mypy prints it."""
Said: TypeAlias = dict[str, dict[int, Texts]]
"""File -> line -> what a reader says there."""
OTHER_WORDS: Final[Mapping[str, Reader]] = {
    "lost_decorator": "binder",  # at run time, the decorator that stands above ours has no name
    "renamed_tool": "binder",  # what it does not find in a host, others do not find in modules
    "mutants/list_from_records.py": "binder",  # it alone knows a field's name that is computed
}
"""Kind of fault, or file of mutants -> the reader that knows another thing of it, and so says it in other words."""


def codes_in(texts: Texts) -> set[str]:
    """Give the codes of what is said."""
    return {each.rpartition("[")[2].rstrip("]") for each in texts}


def by_mypy(directory: Path) -> Said:
    """Run mypy over a folder, which is given the settings that the analyzer reads too."""
    said: Said = defaultdict(lambda: defaultdict(set))
    for each in run_mypy(directory, config=SETTINGS):
        if "capdeco" in each.code or not each.file.startswith("mutants/"):
            said[each.file][each.line].add(each.text)
    return said


def by_analyzer(directory: Path) -> Said:
    """Run the analyzer over a folder."""
    said: Said = defaultdict(lambda: defaultdict(set))
    found = analyze_folder(directory, Limits(seconds=600))
    assert found.complete
    for each in found.diagnostics:
        assert each.place is not None
        if each.code != UNCHECKED:
            said[each.place.file][each.place.line].add(as_mypy(each))
    return said


def by_binder(module: str, source: str) -> Texts:
    """Import *source*, made of the valid module *module*, and register all that it declares: what is said of it.

    A refusal at import is the binder's: it would have nothing to register.
    """
    name, made = f"mutants.{module}", ModuleType(f"mutants.{module}")
    file = f"<{name}>"
    sys.modules[name] = made
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    try:
        exec(compile(source, file, "exec", dont_inherit=True), vars(made))
        tools, capabilities = declared(made)
        Binder(EmbeddedHost()).register(*_beside(module), *tools, *capabilities)
    except CapdecoError as error:
        return {as_mypy(each) for each in error.diagnostics if each.code != UNCHECKED}
    finally:
        del sys.modules[name], linecache.cache[file]
    return set()


def declared(module: ModuleType) -> tuple[list[Tool], list[Capability]]:
    """Give all that a valid module declares, what its `factory` declares when it is called too; each id once."""
    tools, capabilities = declared_in([module], module.__name__)
    local = capability_carried_by(module.factory()) if hasattr(module, "factory") else None
    return tools, list({each.id: each for each in (*capabilities, *([local] if local else []))}.values())


def _beside(module: str) -> list[Tool | Capability]:
    found: dict[str, Tool | Capability] = {}
    for each in BESIDE.get(module, ("tools",)):
        tools, capabilities = declared(importlib.import_module(f"{VALID}.{each}"))
        found |= {tool.name: tool for tool in tools} | {capability.id: capability for capability in capabilities}
    return list(found.values())


# The report


def main(*, binder_takes_each: int = 1) -> int:
    """Make the mutants, run every reader over them, and print what was found; *binder_takes_each*: each n-th only."""
    sources = sources_of("valid")
    files, mutants = mutants_of(sources)
    with tempfile.TemporaryDirectory() as name:
        write(Path(name), {**sources, **files})
        said: dict[Reader, Said] = {"mypy": by_mypy(Path(name)), "analyzer": by_analyzer(Path(name))}
    verdicts: dict[Reader, dict[Mutant, Texts]] = {
        reader: {each: found[each.file][each.line] for each in mutants} for reader, found in said.items()
    }
    verdicts["binder"] = {each: by_binder(each.module, each.alone) for each in mutants[::binder_takes_each]}
    alarms = [each for reader, found in said.items() for each in _alarms(reader, found, mutants)]
    alarms += [
        f"binder: {path}: {', '.join(sorted(texts))}"
        for path, source in sources.items()
        if "@operation(" in source and (texts := by_binder(Path(path).stem, source))
    ]
    return _report(mutants, verdicts, alarms)


def _alarms(reader: Reader, said: Said, mutants: Collection[Mutant]) -> Iterator[str]:
    """What a reader says at a line where nothing was planted."""
    planted = {(each.file, each.line) for each in mutants}
    for file, lines in said.items():
        for line, texts in lines.items():
            if texts and (file, line) not in planted:
                yield f"{reader}: {file}:{line}: {', '.join(sorted(texts))}"


def _report(mutants: list[Mutant], verdicts: Mapping[Reader, Mapping[Mutant, Texts]], alarms: list[str]) -> int:
    counts: Counter[tuple[str, str, str]] = Counter()
    wrong: list[str] = []
    for each in mutants:
        found = {reader: verdicts[reader][each] for reader in READERS if each in verdicts[reader]}
        for reader, texts in found.items():
            codes = codes_in(texts)
            for row in ((each.kind, each.code), ("", each.code), ("", "")):
                counts[(*row, reader)] += each.code in codes
                counts[(*row, f"of {reader}")] += 1
        other = OTHER_WORDS.get(each.kind) or OTHER_WORDS.get(each.file)
        alike = {frozenset(texts) for reader, texts in found.items() if reader != other}
        if any(codes_in(texts) != {each.code} for texts in found.values()) or len(alike) > 1:
            shown = "; ".join(f"{reader}: {', '.join(sorted(texts)) or 'nothing'}" for reader, texts in found.items())
            wrong.append(f"{each.file}:{each.line}: {each.kind} is {each.code}; {shown}")
    say(f"{'':44}" + "".join(f"{reader:>14}" for reader in READERS))
    for kind, code in dict.fromkeys(
        key[:2] for key in sorted(counts, key=lambda key: (key[0] == "", key[1] == "", key))
    ):
        cells = [f"{counts[kind, code, each]} of {counts[kind, code, f'of {each}']}" for each in READERS]
        say(f"{kind or ('all' if code else 'all of them'):20} {code:22} " + "".join(f"{each:>14}" for each in cells))
    said = [{frozenset(codes_in(found[each])) for found in verdicts.values() if each in found} for each in mutants]
    differ = sum(len(each) > 1 for each in said)
    say("\n".join([*wrong, *alarms]))
    recall = ", ".join(f"{each} {counts['', '', each] / counts['', '', f'of {each}']:.1%}" for each in READERS)
    say(f"recall: {recall}; {len(alarms)} false alarms; {differ} verdicts differ")
    return 1 if wrong or alarms else 0


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
