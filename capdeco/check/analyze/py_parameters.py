"""The parameters of a declared function in Python source, held to the rules that hold when it is imported."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from typing import Final

import attrs

from capdeco.check.analyze.declared import Declarations
from capdeco.check.analyze.py_classes import check_default, fields_of, json_default, record_of
from capdeco.check.analyze.py_marks import ours
from capdeco.check.analyze.py_module import Function, Scope
from capdeco.check.analyze.py_project import Defined, parsed_annotation
from capdeco.check.analyze.py_shapes import Shapes, plain
from capdeco.check.analyze.py_signature import is_class_method, is_injected, is_method
from capdeco.check.analyze.py_typing_only import used_of
from capdeco.declare import faults
from capdeco.declare.faults import Refused
from capdeco.declare.shape import ANY, Field, Object, Shape, Unknown, documented, resolve
from capdeco.declare.wiring import Input
from capdeco.errors import Place

_NEVER: Final = ("typing.Never", "typing.NoReturn")


@attrs.frozen(eq=False)
class ParameterReader:
    """Reads what declared functions take, and notes what is refused."""

    shapes: Shapes
    """Strict ones."""
    into: Declarations

    @property
    def results(self) -> Shapes:
        """What reads results: any union will do there."""
        return Shapes(self.shapes.project, fields_of)

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
            self.into.refuse(faults.star_args(node.name), place)
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
                    self.into.refuse(faults.default_of_whole_input(), at, faults.parameter_of(node.name, argument.arg))
                continue
            if argument.annotation is None:
                self.into.refuse(faults.no_annotation(node.name, argument.arg), place)
                continue
            if self._is_context(argument, scope):
                continue
            if argument.arg in fields:
                subject = faults.parameter_of(node.name, argument.arg)
                self.into.refuse(faults.field_twice(argument.arg), at, subject)
            places[argument.arg] = at
            fields[argument.arg] = self._field(argument, default, node, scope, is_tool=is_tool)
        if node.args.kwarg is not None and not (whole is not None and whole[0] is node.args.kwarg):
            rest = self._rest(node.args.kwarg, node, scope)
        return Object(fields, rest=rest), places

    def _check_names(self, node: Function, names: Collection[str], path: str) -> None:
        every = [*node.args.posonlyargs, *node.args.args, node.args.vararg, *node.args.kwonlyargs, node.args.kwarg]
        written = [(faults.parameter_of(node.name, each.arg), each.annotation, each.lineno) for each in every if each]
        for subject, annotation, line in (*written, (faults.result_of(node.name), node.returns, node.lineno)):
            for name in used_of(annotation, names):
                self.into.refuse(faults.not_defined(name), Place(path, line), subject)

    def _check_contexts(self, target: Defined, *, is_tool: bool) -> None:
        scope, function = target.scope, target.node.name
        contexts = [each for each, _ in _parameters(target) if self._is_context(each, scope)]
        for each in contexts[is_tool:]:
            at = Place(scope.module.path, each.lineno)
            if is_tool:
                self.into.refuse(faults.second_context(), at, faults.parameter_of(function, each.arg))
            else:
                self.into.refuse(faults.context_of_operation(each.arg), at, f'"{function}"')

    def _result(self, node: Function, place: Place, scope: Scope) -> None:
        if node.returns is None or plain(self.shapes.project.resolve(node.returns, scope)) in _NEVER:
            return
        try:
            self.results.read(node.returns, scope)
        except Refused as refused:
            self.into.refuse(refused.flaw, place, faults.result_of(node.name))

    def _rest(self, extra: ast.arg, node: Function, scope: Scope) -> Shape:
        if extra.annotation is None:
            self.into.refuse(faults.no_annotation(node.name, extra.arg), Place(scope.module.path, node.lineno))
            return ANY
        return self._shape(extra, extra.annotation, node, scope)

    def _field(
        self, argument: ast.arg, default: ast.expr | None, node: Function, scope: Scope, *, is_tool: bool
    ) -> Field:
        assert argument.annotation is not None
        shape = self._shape(argument, argument.annotation, node, scope)
        if default is None:
            return Field(shape)
        try:
            value = json_default(default, self.shapes, scope)
            check_default(shape, value, self.shapes)
        except Refused as refused:
            self._unfit(refused, argument, node, scope)
            return Field(shape, optional=True, filled=True)
        return Field(shape, optional=True, filled=not is_tool, default=value)

    def _shape(self, argument: ast.arg, annotation: ast.expr, node: Function, scope: Scope) -> Shape:
        try:
            return self.shapes.read(annotation, scope)
        except Refused as refused:
            return self._unfit(refused, argument, node, scope)

    def _unfit(self, refused: Refused, argument: ast.arg, node: Function, scope: Scope) -> Unknown:
        at = Place(scope.module.path, argument.lineno)
        self.into.refuse(refused.flaw, at, faults.parameter_of(node.name, argument.arg))
        return Unknown(str(refused))

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
        except Refused as refused:
            if not refused.flaw.path:
                return argument, self._unfit(refused, argument, node, scope)
            flaw, subject = faults.in_input(node.name, refused.flaw)
            self.into.refuse(flaw, Place(scope.module.path, argument.lineno), subject)
            return argument, Unknown(str(refused))
        if record is None or (record.array and not record.named):
            return None
        documented_object = documented(record.object, doc)
        assert isinstance(documented_object, Object | Unknown)
        return argument, documented_object

    def _is_context(self, argument: ast.arg, scope: Scope) -> bool:
        return is_injected(self.shapes, argument.annotation, None, scope, lambda name: ours(name, "Context"))


def takes_self(target: Defined) -> bool:
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
    pairs = list(zip(positional, defaults, strict=True))[1 if is_method(target) and takes_self(target) else 0 :]
    return pairs + list(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))
