"""The parameters of a declared function in Python source, held to the rules that hold when it is imported."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from typing import Final

import attrs

from capdeco.check.analyze.declared import Declarations
from capdeco.check.analyze.python.classes import check_default, fields_of, json_default, record_of
from capdeco.check.analyze.python.marks import ours
from capdeco.check.analyze.python.module import Function, Scope
from capdeco.check.analyze.python.project import Defined, parsed_annotation
from capdeco.check.analyze.python.shapes import Shapes, plain
from capdeco.check.analyze.python.signature import is_class_method, is_injected, is_method
from capdeco.check.analyze.python.typing_only import used_of
from capdeco.declare import faults
from capdeco.declare.faults import Flaw, Refused
from capdeco.declare.shape import ANY, Field, Object, Shape, Unknown, resolve
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
        self._check_names(node, names, path)
        self._check_annotated(target)
        self._check_result(node, scope)
        self._check_contexts(target, is_tool=is_tool)
        whole, given = self._whole_input(target) or (None, Object())
        if not isinstance(given, Object):
            return given, {}
        fields, rest = dict(given.fields), given.rest
        places = dict.fromkeys(fields, Place(path, whole.lineno)) if whole is not None else {}
        for argument, default in _parameters(target):
            if argument is whole:
                if default is not None:
                    self._unfit(faults.default_of_whole_input(), argument, target)
            elif argument.annotation is not None and not self._is_context(argument, scope):
                if argument.arg in fields:
                    self._unfit(faults.field_twice(argument.arg), argument, target)
                places[argument.arg] = Place(path, argument.lineno)
                fields[argument.arg] = self._field(argument, argument.annotation, default, target, is_tool=is_tool)
        extra = node.args.kwarg
        if extra is not None and extra is not whole:
            rest = ANY if extra.annotation is None else self._shape(extra, extra.annotation, target)
        return Object(fields, rest=rest), places

    def _check_names(self, node: Function, names: Collection[str], path: str) -> None:
        every = [*node.args.posonlyargs, *node.args.args, node.args.vararg, *node.args.kwonlyargs, node.args.kwarg]
        written = [(faults.parameter_of(node.name, each.arg), each.annotation, each.lineno) for each in every if each]
        for subject, annotation, line in (*written, (faults.result_of(node.name), node.returns, node.lineno)):
            for name in used_of(annotation, names):
                self.into.refuse(faults.not_defined(name), Place(path, line), subject)

    def _check_annotated(self, target: Defined) -> None:
        node, place = target.node, Place(target.scope.module.path, target.node.lineno)
        assert not isinstance(node, ast.ClassDef)
        if node.args.vararg is not None:
            self.into.refuse(faults.star_args(node.name), place)
        extra = [node.args.kwarg] if node.args.kwarg is not None else []
        for each in (*(argument for argument, _ in _parameters(target)), *extra):
            if each.annotation is None:
                self.into.refuse(faults.no_annotation(node.name, each.arg), place)

    def _check_contexts(self, target: Defined, *, is_tool: bool) -> None:
        contexts = [each for each, _ in _parameters(target) if self._is_context(each, target.scope)]
        for each in contexts[is_tool:]:
            if is_tool:
                self._unfit(faults.second_context(), each, target)
            else:
                place = Place(target.scope.module.path, each.lineno)
                self.into.refuse(faults.context_of_operation(each.arg), place, f'"{target.node.name}"')

    def _check_result(self, node: Function, scope: Scope) -> None:
        if node.returns is None or plain(self.shapes.project.resolve(node.returns, scope)) in _NEVER:
            return
        try:
            self.results.read(node.returns, scope)
        except Refused as refused:
            self.into.refuse(refused.flaw, Place(scope.module.path, node.lineno), faults.result_of(node.name))

    def _field(
        self, argument: ast.arg, annotation: ast.expr, default: ast.expr | None, target: Defined, *, is_tool: bool
    ) -> Field:
        shape = self._shape(argument, annotation, target)
        if default is None:
            return Field(shape)
        try:
            value = json_default(default, self.shapes, target.scope)
            check_default(shape, value, self.shapes)
        except Refused as refused:
            self._unfit(refused.flaw, argument, target)
            return Field(shape, optional=True, filled=True)
        return Field(shape, optional=True, filled=not is_tool, default=value)

    def _shape(self, argument: ast.arg, annotation: ast.expr, target: Defined) -> Shape:
        try:
            return self.shapes.read(annotation, target.scope)
        except Refused as refused:
            self._unfit(refused.flaw, argument, target)
            return Unknown(str(refused))

    def _unfit(self, flaw: Flaw, argument: ast.arg, target: Defined) -> None:
        """Note what is wrong with a parameter, or with a part of its type."""
        subject = faults.parameter_of(target.node.name, argument.arg)
        self.into.refuse(flaw, Place(target.scope.module.path, argument.lineno), subject)

    def _whole_input(self, target: Defined) -> tuple[ast.arg, Input] | None:
        """Read the parameter whose fields are the input; `None` if there is none."""
        argument, annotation = self._perhaps_whole(target) or (None, None)
        thing = self.shapes.project.resolve(annotation, target.scope) if annotation is not None else None
        if argument is None or not isinstance(thing, Defined):
            return None
        try:
            record = record_of(self.shapes, thing)
            if record is not None and isinstance(annotation, ast.Subscript):
                shape = resolve(self.shapes.read(annotation, target.scope))  # of this type, not of any
                record = attrs.evolve(record, object=shape) if isinstance(shape, Object) else record
        except Refused as refused:
            if refused.flaw.path:  # the fault of a field is said of that field
                flaw, subject = faults.in_input(target.node.name, refused.flaw)
                self.into.refuse(flaw, Place(target.scope.module.path, argument.lineno), subject)
            else:
                self._unfit(refused.flaw, argument, target)
            return argument, Unknown(str(refused))
        return None if record is None or (record.array and not record.named) else (argument, record.object)

    def _perhaps_whole(self, target: Defined) -> tuple[ast.arg, ast.expr] | None:
        """Give `**input: Unpack[T]`, or the one positional-only parameter, and its type."""
        node, scope = target.node, target.scope
        assert not isinstance(node, ast.ClassDef)
        extra = node.args.kwarg
        inner = self._inside("typing.Unpack", extra.annotation, scope) if extra is not None else None
        if extra is not None and inner is not None:
            return extra, self._bare(inner, scope)
        given = [each for each, _ in _parameters(target) if each in node.args.posonlyargs]
        alone = [each for each in given if not self._is_context(each, scope)]
        if len(alone) != 1 or alone[0].annotation is None:
            return None
        return alone[0], self._bare(alone[0].annotation, scope)

    def _bare(self, annotation: ast.expr, scope: Scope) -> ast.expr:
        """Give a type without the quotes and the `Annotated` around it."""
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            annotation = parsed_annotation(annotation.value) or annotation
        inner = self._inside("typing.Annotated", annotation, scope)
        if inner is None:
            return annotation
        return inner.elts[0] if isinstance(inner, ast.Tuple) else inner

    def _inside(self, form: str, annotation: ast.expr | None, scope: Scope) -> ast.expr | None:
        """Give what stands in the brackets of *form*; `None` if an annotation is another."""
        if (
            isinstance(annotation, ast.Subscript)
            and plain(self.shapes.project.resolve(annotation.value, scope)) == form
        ):
            return annotation.slice
        return None

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
