"""`@tool`, `@operation` and `@capability` in Python source, held to the rules that hold when they are imported."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Final

import attrs

from capdeco.check.analyze.declared import Declarations, ReadCapability, ReadOperation, ReadStep
from capdeco.check.analyze.py_above import keeps, wrapped_by
from capdeco.check.analyze.py_classes import check_default, fields_of, json_default, record_of
from capdeco.check.analyze.py_module import Function, Scope, clipped, docstring
from capdeco.check.analyze.py_options import is_builtin, makes_tool_of, tagged_by
from capdeco.check.analyze.py_project import Defined, External, Instance, parsed_annotation
from capdeco.check.analyze.py_shapes import Refused, Shapes, plain
from capdeco.check.analyze.py_signature import function_named, is_class_method, is_injected, is_method
from capdeco.check.analyze.py_typing_only import typing_only, used_of
from capdeco.check.analyze.records import Dynamic, Text
from capdeco.declare.names import generated_name, identifier_fault, is_blank, tool_name_fault
from capdeco.declare.shape import ANY, Field, Object, Shape, Unknown, documented, resolve
from capdeco.declare.wiring import Input
from capdeco.errors import Place, did_you_mean

_NO_OPERATIONS: Final = ("builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol")
"""Classes from elsewhere that have none to inherit."""
_NEVER: Final = ("typing.Never", "typing.NoReturn")
_STEP_KEYS: Final = ("tool", "from")
_MOST_STEPS: Final = 1000
_DEEPEST_STEPS: Final = 20
"""Steps of one operation, and lists within lists of them: names that hold each other are as long as they like."""
_NAME_ONE: Final = "name a tool, or a function that carries @tool"
_COPIED: Final = "its signature is another function's"
_SLOTTED: Final = frozenset(f"{home}.{name}" for home in ("attr", "attrs") for name in ("define", "frozen", "mutable"))
"""Decorators that make another class unless they are told `slots=False`."""


def ours(name: str, *words: str) -> bool:
    """Tell whether a full name is one of capdeco's own words."""
    return name.startswith("capdeco.") and name.rsplit(".", 1)[-1] in words


@attrs.frozen(eq=False)
class Marked:
    """A decorator of ours on a function or class: its options, and what stands above it."""

    word: str
    call: ast.Call | None
    scope: Scope
    """Where the decorator is written."""
    above: tuple[ast.expr, ...] = ()

    def option(self, name: str) -> ast.expr | None:
        """Give the keyword argument *name* of the decorator."""
        return next((each.value for each in self.call.keywords if each.arg == name), None) if self.call else None

    def place(self, name: str, place: Place) -> Place:
        """Give the place of the keyword argument *name*; *place* where there is none."""
        written = self.option(name)
        return place if written is None else Place(self.scope.module.path, written.lineno)


@attrs.frozen
class Named:
    """The tool that a step names."""

    name: Text
    takes: Input | None = None
    """What it takes, if known."""
    fault: str = ""
    """Why it is none."""
    fix: str = _NAME_ONE


@attrs.frozen(eq=False)
class Reader:
    """Reads capdeco's declarations of one project into a collection."""

    shapes: Shapes
    """Strict ones."""
    into: Declarations

    @property
    def results(self) -> Shapes:
        """What reads results: any union will do there."""
        return Shapes(self.shapes.project, fields_of)

    def marks(self, node: ast.ClassDef | Function, scope: Scope) -> dict[str, Marked]:
        """Give our decorators on *node*, by their word."""
        found: dict[str, Marked] = {}
        for number, decorator in enumerate(node.decorator_list):
            written, where = self.shapes.project.decorator(decorator, scope)
            call = written if isinstance(written, ast.Call) else None
            thing = self.shapes.project.resolve(call.func if call else written, where)
            if isinstance(thing, External) and ours(thing.name, "tool", "operation", "capability"):
                word = thing.name.rsplit(".", 1)[-1]
                if word not in found or word != "capability":  # the one nearest to the function comes first
                    found[word] = Marked(word, call, where, tuple(node.decorator_list[:number]))
        return found

    # Tools

    def tool(self, target: Defined, mark: Marked) -> tuple[str, Text | None, Input, bool] | None:
        """Read what carries `@tool`: name, description, what it takes, whether a model sees it; refusals are noted."""
        node = target.node
        place = Place(target.scope.module.path, node.lineno)
        if isinstance(node, ast.ClassDef):
            self.into.refuse("@tool belongs on a function", "write a def", place, rule="target")
            return None
        name = self._option(mark, "name")
        said = self._said_by(target)
        if said is None:
            self._check_above(mark, target, "@tool")
            return None
        node = said.node
        assert not isinstance(node, ast.ClassDef)
        name = node.name if name is None else name
        if isinstance(name, Dynamic):
            return None
        fault = tool_name_fault(name)
        if fault:
            self.into.refuse(fault, "give the tool another name=", mark.place("name", place), rule="tool-name")
        description = self._description(mark, node)
        if description is None or (isinstance(description, str) and is_blank(description)):
            self.into.refuse(
                f'the tool "{name}" has no description: the model would see a name only',
                "write a docstring, or give description=",
                mark.place("description", place),
                rule="tool-description",
            )
        self._check_above(mark, target, "@tool")
        takes, _ = self.takes(said, is_tool=True, names=self._unseen(mark, target))
        exposed = mark.option("expose")
        internal = isinstance(exposed, ast.Constant) and exposed.value is False
        return name, description, takes, not internal

    def tool_named_by(self, node: ast.expr, scope: Scope) -> Named:
        """Say which tool the first argument of a step names."""
        project = self.shapes.project
        thing = project.resolve(node, scope)
        function = function_named(thing)
        if function is not None:
            assert not isinstance(function.node, ast.ClassDef)
            marks = self.marks(function.node, function.scope)
            mark = marks.get("tool")
            if mark is None and "operation" in marks:
                return self._operation_named(function)
            if mark is not None and function.bound and not is_class_method(function.node):
                what = f'"{function.node.name}" is a method of an object, and its @tool is the class\'s'
                fix = "declare the method itself with Tool.of(..., name=...), and give the step that"
                return Named(Dynamic(clipped(node)), fault=what, fix=fix)
            if mark is None and function.node.decorator_list:
                return Named(Dynamic(clipped(node)))  # one of somebody's own may be made of ours
            tagged = tagged_by(project, function) if mark is None else None
            if tagged is not None:
                return self._tool_made(*tagged, function.scope)
            if mark is None:
                return Named(
                    Dynamic(clipped(node)), fault=f'"{function.node.name}" is no tool: it does not carry @tool'
                )
            name = self._option(mark, "name")
            function = self._said_by(function)
            if function is None:
                return Named(Dynamic(clipped(node)) if name is None else name, Unknown(_COPIED))
            quiet = Reader(self.shapes, Declarations())  # what is wrong with the tool is said where it stands
            takes, _ = quiet.takes(function, is_tool=True)
            assert not isinstance(function.node, ast.ClassDef)
            return Named(function.node.name if name is None else name, takes)
        made = project.definition(node, scope)
        if made is not None and isinstance(made[0], ast.Call):
            options = makes_tool_of(project, made[0], made[1])
            if options is not None:
                return self._tool_made(made[0], options, made[1])
        if isinstance(thing, Defined):
            return Named(Dynamic(clipped(node)), fault=f'"{thing.node.name}" is no tool: it does not carry @tool')
        if is_builtin(thing):
            return Named(Dynamic(clipped(node)), fault=f'"{clipped(node)}" is no tool: it does not carry @tool')
        if isinstance(thing, Instance | External) or thing is None:
            return Named(Dynamic(clipped(node)))
        value = project.value(node, scope)
        if isinstance(value, str | Dynamic):
            return Named(value)
        return Named(Dynamic(clipped(node)), fault=f"{clipped(node)} is no tool and no tool's name")

    def _operation_named(self, function: Defined) -> Named:
        """Refuse the function of an operation as a step, and say what it is called as a tool."""
        node, scope = function.node, function.scope
        marks = self.marks(node, scope)
        owner = scope.owner
        if owner is not None:
            capability = self.marks(owner, scope.parent or scope.module.scope).get("capability")
        else:
            capability = marks.get("capability")
        id_ = self._option(capability, "id") if capability is not None else None
        given = self._option(marks["operation"], "name")
        name = given if isinstance(given, str) else node.name
        tool = generated_name(id_ if isinstance(id_, str) else "<id>", name)
        what = f'"{node.name}" is an operation: what a host has is the tool that it becomes'
        return Named(Dynamic(node.name), fault=what, fix=f'name that tool, as in Step("{tool}")')

    def _tool_made(self, call: ast.Call, options: list[ast.keyword], scope: Scope) -> Named:
        name = next((each.value for each in options if each.arg == "name"), None)
        function = function_named(self.shapes.project.resolve(call.args[0], scope)) if call.args else None
        takes = None
        if function is not None:
            takes, _ = Reader(self.shapes, Declarations()).takes(function, is_tool=True)
        if name is not None:
            text = self.shapes.project.text(name, scope) or Dynamic()
            return Named(text, takes or Unknown("its function is elsewhere"))
        if function is None or isinstance(function.node, ast.ClassDef):
            return Named(Dynamic(clipped(call)))
        return Named(function.node.name, takes)

    def made(self, call: ast.Call, options: list[ast.keyword], scope: Scope) -> None:
        """Hold `Tool.of(function, ...)`, `tool(function)` and `tool(...)(function)` to what import refuses."""
        given = {each.arg: each.value for each in options}
        if not call.args or None in given:
            return
        written, path = call.args[0], scope.module.path
        function = function_named(self.shapes.project.resolve(written, scope))
        if function is not None and (function.node.decorator_list or isinstance(function.node, ast.ClassDef)):
            function = None  # what stands above it may make anything of it
        name = self.shapes.project.text(given.get("name"), scope)
        if name is None:
            name = function.node.name if function else "<lambda>" if isinstance(written, ast.Lambda) else Dynamic()
        fault = tool_name_fault(name) if isinstance(name, str) else None
        if fault:
            at = Place(path, given.get("name", written).lineno)
            self.into.refuse(fault, "give the tool another name=", at, rule="tool-name")
        description = self.shapes.project.text(given.get("description"), scope)
        if description is None and function is not None:
            assert not isinstance(function.node, ast.ClassDef)
            description = docstring(function.node) or ""
        elif description is None and not isinstance(written, ast.Lambda):
            description = Dynamic()
        if description is None or (isinstance(description, str) and is_blank(description)):
            self.into.refuse(
                f'the tool "{name}" has no description: the model would see a name only',
                "write a docstring, or give description=",
                Place(path, given.get("description", written).lineno),
                rule="tool-description",
            )
        if isinstance(written, ast.Lambda) and any(ast.iter_child_nodes(written.args)):
            what = "the parameters of a lambda have no annotations"
            self.into.refuse(what, "write a def", Place(path, written.lineno), rule="parameters")
        if function is not None:
            found = Declarations()
            Reader(self.shapes, found).takes(function, is_tool=True)
            self.into.refuse_as(found, Place(path, written.lineno))

    # Operations

    def operation(self, target: Defined, mark: Marked, capability: Text | None) -> ReadOperation | None:
        """Read what carries `@operation`; `None` if not even its name is legal."""
        node, scope = target.node, target.scope
        place = Place(scope.module.path, node.lineno)
        if isinstance(node, ast.ClassDef):
            self.into.refuse("@operation belongs on a function", "write a def", place, rule="target")
            return None
        said = self._said_by(target)
        name = self._option(mark, "name")
        name = name if name is not None else Dynamic() if said is None else said.node.name
        if isinstance(name, Dynamic):
            self.into.unchecked("its name is computed", place, node.name)
            return None
        subject = f"{capability}.{name}" if isinstance(capability, str) else name
        before = self.into.refused
        fault = identifier_fault(name, "an operation name")
        if fault:
            at = mark.place("name", place)
            self.into.refuse(fault, 'give it another with @operation(name="...")', at, rule="operation-name")
        description = self._option(mark, "description")
        if description is None:
            assert said is None or not isinstance(said.node, ast.ClassDef)
            description = Dynamic() if said is None else docstring(said.node)
        if description is None or (isinstance(description, str) and is_blank(description)):
            self.into.refuse(
                f'the operation "{name}" has no description: it is what the model reads',
                "write a docstring, or give description=",
                mark.place("description", place),
                subject=subject,
                rule="operation-description",
            )
        body = _first_statement(node)
        if body is not None:
            self.into.refuse(
                f'the body of the operation "{name}" would never run: its steps are all it does',
                "leave the docstring alone (or `...`), and put the code into a tool that a step names",
                Place(scope.module.path, body.lineno),
                subject=subject,
                rule="body",
            )
        self._check_above(mark, target, "@operation")
        if scope.owner is not None and is_method(target) and not _takes_self(target):
            self.into.refuse(
                f'"{scope.owner.name}.{node.name}" takes no self, so its first parameter is none of the operation\'s',
                "add self, or put @staticmethod below @operation",
                place,
                rule="target",
            )
        takes: Input = Unknown(_COPIED)
        places: Mapping[str, Place] = {}
        if said is not None:
            takes, places = self.takes(said, is_tool=False, names=self._unseen(mark, target))
        steps = self._steps(mark.option("steps"), subject, place, mark.scope)
        return ReadOperation(
            name=name,
            description=description if isinstance(description, str) else "",
            takes=takes,
            steps=steps,
            place=place,
            places=places,
            broken=self.into.refused > before,
        )

    def _steps(self, node: ast.expr | None, subject: str, place: Place, scope: Scope) -> tuple[ReadStep, ...]:
        if node is None:
            self.into.refuse(f'"{subject}" has no steps: it would do nothing', "name a tool", place, rule="steps")
            return ()
        written = self.shapes.project.definition(node, scope)
        if written is not None and isinstance(written[0], ast.Constant | ast.Dict | ast.Set | ast.JoinedStr):
            self.into.refuse(f'the steps of "{subject}" are a list', "write steps=[...]", place, rule="steps")
            return ()
        items = list(islice(self._items(node, scope, None), _MOST_STEPS))
        if not items:
            at = Place(scope.module.path, node.lineno)
            self.into.refuse(f'"{subject}" has no steps: it would do nothing', "name a tool", at, rule="steps")
        if all(each is None for each, _, _ in items):
            return ()
        steps = [
            self._step(each, f"step {number} of {subject}", where, at)
            for number, (each, where, at) in enumerate(items, start=1)
        ]
        return tuple(each for each in steps if each is not None)

    def _items(
        self, node: ast.expr, scope: Scope, at: Place | None, depth: int = 0
    ) -> Iterator[tuple[ast.expr | None, Scope, Place]]:
        """What a list of steps holds, `None` for a part that is computed, and where to point, by names too: at them."""
        here = at or Place(scope.module.path, node.lineno)
        found = self.shapes.project.definition(node, scope) if depth < _DEEPEST_STEPS else None
        written, where = found or (node, scope)
        if written is not node:
            at = here
        if isinstance(written, ast.List) and isinstance(node, ast.Name):
            changed = node.id in where.module.scope.used_as_objects | scope.module.scope.used_as_objects
            written = node if changed else written
        match written:
            case ast.List(elts=items) | ast.Tuple(elts=items):
                for each in items:
                    if isinstance(each, ast.Starred):
                        yield from self._items(each.value, where, at, depth + 1)
                    else:
                        yield each, where, at or Place(where.module.path, each.lineno)
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                yield from self._items(left, where, at, depth + 1)
                yield from self._items(right, where, at, depth + 1)
            case _:
                yield None, where, here

    def _step(self, node: ast.expr | None, subject: str, scope: Scope, place: Place) -> ReadStep | None:
        if node is None:
            return ReadStep(Dynamic(), Dynamic(), place)
        found = self.shapes.project.definition(node, scope)
        written, scope = found or (node, scope)
        computed = ReadStep(Dynamic(clipped(written)), Dynamic(clipped(written)), place)
        if isinstance(written, ast.Dict):
            return self._step_mapping(written, subject, place, scope)
        if not isinstance(written, ast.Call):
            if isinstance(written, ast.Constant | ast.Tuple | ast.List):
                self._bad_step(
                    f"a step is a Step(...) or a mapping with tool and from, not {clipped(written)}", subject, place
                )
                return None
            return computed
        called = self.shapes.project.resolve(written.func, scope)
        if not (isinstance(called, External) and ours(called.name, "Step")):
            return computed
        options = {each.arg: each.value for each in written.keywords}
        tool = written.args[0] if written.args else options.get("tool")
        source = written.args[1] if len(written.args) > 1 else options.get("from_")
        if tool is None or None in options:
            return computed
        return self._read_step(written, tool, source, subject, place, scope)

    def _step_mapping(self, node: ast.Dict, subject: str, place: Place, scope: Scope) -> ReadStep | None:
        found: dict[str, ast.expr] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            name = self.shapes.project.value(key, scope) if key is not None else Dynamic()
            if not isinstance(name, str):
                return ReadStep(Dynamic(clipped(node)), Dynamic(clipped(node)), place)
            if name not in _STEP_KEYS:
                self._bad_step(f'a step has no key "{name}"', subject, place, did_you_mean(name, _STEP_KEYS, "keys"))
                return None
            found[name] = value
        if "tool" not in found:
            self._bad_step("a step names no tool", subject, place, 'give it a "tool"')
            return None
        return self._read_step(node, found["tool"], found.get("from"), subject, place, scope)

    def _read_step(
        self, step: ast.expr, tool: ast.expr, source: ast.expr | None, subject: str, place: Place, scope: Scope
    ) -> ReadStep | None:
        named = self.tool_named_by(tool, scope)
        name, takes, fault = named.name, named.takes, named.fault
        if not fault and isinstance(name, str):
            fault = tool_name_fault(name) or ""
        from_ = self.shapes.project.text(source, scope)
        if from_ == "" or (source is not None and isinstance(from_, Dynamic) and _is_no_text(source)):
            fault = (
                fault or f"a step's from must be the name of an input field, not {clipped(source) if source else ''}"
            )
        if fault:
            self._bad_step(fault, subject, place, named.fix)
            return None
        # Where the step is but a name, its parts stand elsewhere, and right for others perhaps.
        is_here = place == Place(scope.module.path, step.lineno)
        return ReadStep(
            name,
            from_,
            place,
            tool_place=Place(place.file, tool.lineno) if is_here else None,
            from_place=Place(place.file, source.lineno) if is_here and source is not None else None,
            takes=takes,
        )

    def _bad_step(self, what: str, subject: str, place: Place, fix: str = _NAME_ONE) -> None:
        self.into.refuse(what, fix, place, subject=subject, rule="step-tool")

    # Capabilities

    def capability(self, target: Defined, mark: Marked) -> None:
        """Read what carries `@capability`, with its operations."""
        node, scope = target.node, target.scope
        place = Place(scope.module.path, node.lineno)
        id_ = self._option(mark, "id")
        description = self._option(mark, "description")
        if isinstance(id_, str):
            fault = identifier_fault(id_, "a capability id")
            if fault:
                self.into.refuse(fault, "choose another id", mark.place("id", place), rule="capability-id")
        if isinstance(description, str) and is_blank(description):
            self.into.refuse(
                f'the capability "{id_}" has no description',
                "say what it is about",
                mark.place("description", place),
                rule="capability-description",
            )
        if isinstance(node, ast.ClassDef):
            self._check_remade(mark, node, scope)
            operations = list(self._operations_of(target, id_))
        else:
            operation = self.marks(node, scope).get("operation")
            if operation is not None and len(operation.above) < len(mark.above):
                operation = None  # it comes too late
            read = self.operation(target, operation, id_) if operation else None
            operations = [(read, place)] if read else []
            if operation and read is None:
                return
        if not operations and isinstance(node, ast.ClassDef) and self._may_have_more(target):
            self.into.unchecked("its operations are computed", place, str(id_))
            return
        if not operations:
            self.into.refuse(
                f'the capability "{id_}" has no operations',
                "put @operation(steps=[...]) on a method, or below @capability on the function",
                mark.place("id", place),
                rule="operations",
            )
            return
        self._joined(id_, [each for each, _ in operations])
        if isinstance(id_, str):
            self.into.capabilities.append(
                ReadCapability(
                    id=id_,
                    description=description if isinstance(description, str) else "",
                    operations=tuple(each for each, _ in operations),
                    place=place,
                )
            )
        else:
            self.into.unchecked("the id of this capability is computed", place)
            self.into.loose += [each for each, _ in operations]

    def _may_have_more(self, target: Defined) -> bool:
        """Tell whether a class may have operations that its source does not show."""
        for each in self.shapes.project.lineage(target):
            if isinstance(each, External):
                if plain(each) not in _NO_OPERATIONS:
                    return True
                continue
            assert isinstance(each.node, ast.ClassDef)
            bases = [self.shapes.project.resolve(base, each.scope) for base in each.node.bases]
            if not all(isinstance(base, External | Defined) for base in bases):
                return True
            for statement in each.node.body:
                match statement:
                    case ast.FunctionDef(decorator_list=[]) | ast.AsyncFunctionDef(decorator_list=[]) | ast.ClassDef():
                        pass
                    case ast.Expr() | ast.Pass() | ast.Assign(value=ast.Constant()) | ast.AnnAssign(value=None):
                        pass
                    case _:
                        return True
        return False

    def _joined(self, id_: Text | None, operations: list[ReadOperation]) -> None:
        seen: set[str] = set()
        for each in operations:
            if identifier_fault(each.name, ""):
                continue
            if each.name in seen:
                self.into.refuse(
                    f'the capability "{id_}" has two operations named "{each.name}"',
                    "rename one of them",
                    each.place,
                    subject=f"{id_}.{each.name}",
                    rule="duplicate-operation",
                )
            seen.add(each.name)
            fault = tool_name_fault(f"{id_}_{each.name}") if isinstance(id_, str) else None
            if fault and not identifier_fault(id_, ""):
                self.into.refuse(
                    f'"{id_}_{each.name}" is not a legal tool name: {fault}',
                    "shorten the id or the operation's name",
                    each.place,
                    rule="generated-name",
                )

    def _operations_of(self, target: Defined, id_: Text | None) -> Iterator[tuple[ReadOperation, Place]]:
        found: dict[str, tuple[Defined, Marked]] = {}
        lineage = [each for each in self.shapes.project.lineage(target) if isinstance(each, Defined)]
        for owner in reversed(lineage):
            scope = self.shapes.project.inside(owner)
            for statement in owner.node.body:
                match statement:
                    case ast.FunctionDef() | ast.AsyncFunctionDef():
                        mark = self.marks(statement, scope).get("operation")
                        place = Place(scope.module.path, statement.lineno)
                        if mark is not None:
                            if statement.name in found and found[statement.name][0].scope is scope:
                                self.into.refuse(
                                    f'the class has two operations "{statement.name}": the second hides the first',
                                    "rename one of them",
                                    place,
                                    rule="duplicate-operation",
                                )
                            found[statement.name] = (Defined(statement, scope), mark)
                        elif statement.name in found:
                            self.into.refuse(
                                f'"{statement.name}" overrides an operation and is none itself',
                                f"put @operation on it, or write `{statement.name} = None` to take the operation away",
                                place,
                                rule="lost-decorator",
                            )
                    case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=None)):
                        found.pop(name, None)
                    case _:
                        pass
        for defined, mark in found.values():
            read = self.operation(defined, mark, id_)
            if read is not None:
                yield read, read.place

    # Parameters

    def takes(
        self, target: Defined, *, is_tool: bool, names: Collection[str] = ()
    ) -> tuple[Input, Mapping[str, Place]]:
        """Read what a declared function takes, and where each parameter stands; what is refused is noted.

        Args:
            target: the function.
            is_tool: it is a tool, not an operation.
            names: what its annotations may not use: it is not there at run time.
        """
        node, scope = target.node, target.scope
        assert not isinstance(node, ast.ClassDef)
        path = scope.module.path
        place = Place(path, node.lineno)
        if node.args.vararg is not None:
            self.into.refuse(
                f'"{node.name}" takes *args, and a tool\'s arguments have names',
                "name each parameter, or take one list",
                place,
                rule="parameters",
            )
        fields: dict[str, Field] = {}
        places: dict[str, Place] = {}
        rest: Shape | None = None
        if names:
            self._check_names(node, names, path)
        self._result(node, place, scope)
        self._check_contexts(target, is_tool=is_tool)
        whole = self._whole_input(target)
        if whole is not None:
            if not isinstance(whole[1], Object):
                return whole[1], {}
            fields.update(whole[1].fields)
            places.update(dict.fromkeys(fields, Place(path, whole[0].lineno)))
            rest = whole[1].rest
        for argument, default in _parameters(target):
            at = Place(path, argument.lineno)
            if whole is not None and argument is whole[0]:
                if default is not None:
                    self.into.refuse("the whole input has no default", "give its fields defaults", at, rule="default")
                continue
            if argument.annotation is None:
                self.into.refuse(
                    f'the parameter "{argument.arg}" of "{node.name}" has no annotation', "annotate it", place,
                    rule="parameters",
                )  # fmt: skip
                continue
            if self._is_context(argument, scope):
                continue
            if argument.arg in fields:
                self.into.refuse(
                    f'two parameters give the input a field "{argument.arg}"', "rename one", at, rule="parameters"
                )
            places[argument.arg] = at
            fields[argument.arg] = self._field(argument, default, at, scope, is_tool=is_tool)
        if node.args.kwarg is not None and not (whole is not None and whole[0] is node.args.kwarg):
            rest = self._rest(node.args.kwarg, node, place, scope)
        return Object(fields, rest=rest), places

    def _check_names(self, node: Function, names: Collection[str], path: str) -> None:
        every = [*node.args.posonlyargs, *node.args.args, node.args.vararg, *node.args.kwonlyargs, node.args.kwarg]
        written = [
            (f'the parameter "{each.arg}" of "{node.name}"', each.annotation, each.lineno) for each in every if each
        ]
        for subject, annotation, line in (*written, (f'the result of "{node.name}"', node.returns, node.lineno)):
            for name in used_of(annotation, names):
                what = f'{subject}: the name "{name}" in its annotation is not defined at run time'
                fix = f'move the import or pass types={{"{name}": ...}}'
                self.into.refuse(what, fix, Place(path, line), rule="type")

    def _check_contexts(self, target: Defined, *, is_tool: bool) -> None:
        scope, function = target.scope, target.node.name
        contexts = [each for each, _ in _parameters(target) if self._is_context(each, scope)]
        for each in contexts[is_tool:]:
            what = f'the parameter "{each.arg}" of "{function}"'
            if is_tool:
                what, fix = f"{what}: there is one context, and it is given already", "remove it"
            else:
                what = f"{what} is a context, and an operation has no body that could use it"
                fix = "remove it, and take it in a tool that a step names"
            self.into.refuse(what, fix, Place(scope.module.path, each.lineno), rule="parameters")

    def _result(self, node: Function, place: Place, scope: Scope) -> None:
        if node.returns is None or plain(self.shapes.project.resolve(node.returns, scope)) in _NEVER:
            return
        try:
            self.results.read(node.returns, scope)
        except Refused as refusal:
            self.into.refuse(
                f'the result of "{node.name}": {refusal}', "give it a type that JSON has", place, rule="type"
            )

    def _rest(self, extra: ast.arg, node: Function, place: Place, scope: Scope) -> Shape:
        if extra.annotation is None:
            self.into.refuse(
                f'the parameter "{extra.arg}" of "{node.name}" has no annotation',
                "annotate it",
                place,
                rule="parameters",
            )
            return ANY
        return self._shape(extra.arg, extra.annotation, Place(scope.module.path, extra.lineno), scope)

    def _field(self, argument: ast.arg, default: ast.expr | None, at: Place, scope: Scope, *, is_tool: bool) -> Field:
        assert argument.annotation is not None
        shape = self._shape(argument.arg, argument.annotation, at, scope)
        if default is None:
            return Field(shape)
        try:
            value = json_default(default, self.shapes, scope)
            check_default(shape, value, self.shapes)
        except Refused as refusal:
            self.into.refuse(
                f'the parameter "{argument.arg}": {refusal}', "give it a default that JSON has", at, rule="default"
            )
            return Field(shape, optional=True, filled=True)
        return Field(shape, optional=True, filled=not is_tool, default=value)

    def _shape(self, name: str, annotation: ast.expr, at: Place, scope: Scope) -> Shape:
        try:
            return self.shapes.read(annotation, scope)
        except Refused as refusal:
            self.into.refuse(
                f'the parameter "{name}": {refusal}', "give it a type that JSON has", at, rule="parameters"
            )
            return Unknown(str(refusal))

    def _whole_input(self, target: Defined) -> tuple[ast.arg, Input] | None:
        """`**input: Unpack[T]`, or one positional-only parameter whose type is a class of fields."""
        node, scope = target.node, target.scope
        assert not isinstance(node, ast.ClassDef)
        project = self.shapes.project
        extra = node.args.kwarg
        annotation: ast.expr | None = None
        argument: ast.arg
        if (
            extra is not None
            and isinstance(extra.annotation, ast.Subscript)
            and plain(project.resolve(extra.annotation.value, scope)) == "typing.Unpack"
        ):
            argument, annotation = extra, extra.annotation.slice
        if annotation is None:
            given = [each for each, _ in _parameters(target) if not self._is_context(each, scope)]
            only = [each for each in given if each in node.args.posonlyargs]
            if len(only) != 1:
                return None
            argument, annotation = only[0], only[0].annotation
        if annotation is None:
            return None
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            annotation = parsed_annotation(annotation.value) or annotation
        doc = ""
        if (
            isinstance(annotation, ast.Subscript)
            and plain(project.resolve(annotation.value, scope)) == "typing.Annotated"
        ):
            parts = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
            annotation, doc = parts[0], self.shapes.doc(parts[1:], scope)
        thing = project.resolve(annotation, scope)
        if not isinstance(thing, Defined):
            return None
        try:
            record = record_of(self.shapes, thing)
            if record is not None and isinstance(annotation, ast.Subscript):
                shape = resolve(self.shapes.read(annotation, scope))  # of this type, not of any
                record = attrs.evolve(record, object=shape) if isinstance(shape, Object) else record
        except Refused as refusal:
            at = Place(scope.module.path, argument.lineno)
            self.into.refuse(
                f'the parameter "{argument.arg}": {refusal}', "give it a type that JSON has", at, rule="parameters"
            )
            return argument, Unknown(str(refusal))
        if record is None or (record.array and not record.named):
            return None
        documented_object = documented(record.object, doc)
        assert isinstance(documented_object, Object | Unknown)
        return argument, documented_object

    def _is_context(self, argument: ast.arg, scope: Scope) -> bool:
        return is_injected(self.shapes, argument.annotation, None, scope, lambda name: ours(name, "Context"))

    # What both share

    def _unseen(self, mark: Marked, target: Defined) -> Collection[str]:
        """Give the names that an annotation may not use, where they are surely looked up in the module."""
        told = {each.arg for each in mark.call.keywords} & {"types", None} if mark.call else ()
        below = len(target.node.decorator_list) - len(mark.above) - 1
        return () if told or below else typing_only(target.scope.module)

    def _said_by(self, target: Defined) -> Defined | None:
        """Give the function whose name, words and signature a declared one goes by: another's, by `functools.wraps`.

        `None`: it is not known which.
        """
        assert not isinstance(target.node, ast.ClassDef)
        copied = wrapped_by(self.shapes.project, target.node, target.scope)
        if isinstance(copied, Defined) and target.scope.owner is None and copied.scope.owner is None:
            return copied
        return None if copied else target

    def _option(self, mark: Marked, name: str) -> Text | None:
        return self.shapes.project.text(mark.option(name), mark.scope)

    def _description(self, mark: Marked, node: Function) -> Text | None:
        given = self._option(mark, "description")
        return docstring(node) if given is None else given

    def _check_above(self, mark: Marked, target: Defined, word: str) -> None:
        project, name = self.shapes.project, target.node.name
        for decorator in mark.above:
            written, where = project.decorator(decorator, target.scope)
            thing = project.resolve(written.func if isinstance(written, ast.Call) else written, where)
            full = thing.name if isinstance(thing, External) else ""
            kept = ours(full, "capability") or keeps(project, decorator, target.scope)
            if kept:
                continue
            shown = clipped(decorator.func if isinstance(decorator, ast.Call) else decorator)
            place = Place(target.scope.module.path, decorator.lineno)
            if ours(full, "tool", "operation"):
                other = "@" + full.rsplit(".", 1)[-1]
                both = f"{word} twice" if word == other else f"both {other} and {word}"
                self.into.refuse(
                    f'"{name}" has {both}: it is declared once', "remove one", place, rule="lost-decorator"
                )
            elif kept is None:
                self.into.unchecked(f'"{name}" may lose {word}: nothing says that @{shown} gives it back', place)
            else:
                self.into.refuse(
                    f'"{name}" loses {word}: @{shown} stands above it, and may wrap the function',
                    f"put {word} above @{shown}",
                    place,
                    rule="lost-decorator",
                )

    def _check_remade(self, mark: Marked, owner: ast.ClassDef, scope: Scope) -> None:
        for decorator in mark.above:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            slots = _told_slots(decorator)
            if slots is True or (slots is None and plain(self.shapes.project.resolve(called, scope)) in _SLOTTED):
                self.into.refuse(
                    f'@capability was lost: @{clipped(called)} stands above it, and makes another class "{owner.name}"',
                    f"put @capability above @{clipped(called)}",
                    Place(scope.module.path, decorator.lineno),
                    rule="lost-decorator",
                )


def _told_slots(decorator: ast.expr) -> object:
    """Give what a decorator is told about slots: `None` for nothing; what is computed is neither true nor false."""
    if not isinstance(decorator, ast.Call):
        return None
    told = next((each.value for each in decorator.keywords if each.arg in ("slots", None)), None)
    return bool(told.value) if isinstance(told, ast.Constant) else told


def _takes_self(target: Defined) -> bool:
    """Tell whether a method's first parameter is Python's to give, as `declare.functions.is_method` does."""
    assert not isinstance(target.node, ast.ClassDef)
    if is_class_method(target.node):
        return True
    first = (target.node.args.posonlyargs + target.node.args.args)[:1]
    return any(each.arg in ("self", "cls") or each.annotation is None for each in first)


def _parameters(target: Defined) -> list[tuple[ast.arg, ast.expr | None]]:
    assert not isinstance(target.node, ast.ClassDef)
    arguments = target.node.args
    positional = arguments.posonlyargs + arguments.args
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    pairs = list(zip(positional, defaults, strict=True))[1 if is_method(target) and _takes_self(target) else 0 :]
    return pairs + list(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))


def _first_statement(node: Function) -> ast.stmt | None:
    """Give what makes a body more than a docstring and what compiles to nothing, such as `...` and `pass`."""
    for statement in node.body:
        match statement:
            case ast.Pass() | ast.Global() | ast.Expr(value=ast.Constant()) | ast.AnnAssign(value=None):
                continue
            case _:
                return statement
    return None


def _is_no_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, str)
