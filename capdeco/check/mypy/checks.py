"""What happens at each declaration: facts are read from mypy, `declare/` gives the verdict, faults get their place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import attrs
from mypy.types import (  # first, as in internals
    AnyType,
    CallableType,
    Instance,
    LiteralType,
    NoneType,
    ProperType,
    Type,
    TypeOfAny,
    UninhabitedType,
    get_proper_type,
)

from mypy.checker import TypeChecker  # isort: skip
from mypy.nodes import (
    CallExpr,
    ClassDef,
    Context,
    Decorator,
    Expression,
    FuncDef,
    RefExpr,
    TypeInfo,
)
from mypy.plugin import FunctionContext, MethodContext

from capdeco import codes
from capdeco.check.mypy.assignments import assigned_again
from capdeco.check.mypy.capabilities import check_class, check_generated
from capdeco.check.mypy.declarations import (
    Problem,
    check_above,
    check_body,
    check_function,
    check_remade,
    is_wraps,
    no_self,
    takes_no_self,
)
from capdeco.check.mypy.declared import AnyContext, Declared, capability_call, declared_by, name_of
from capdeco.check.mypy.internals import (
    depend_on_classes,
    depend_on_facts,
    fact_of,
    note_unchecked,
    publish,
    publish_facts,
    report,
    text_of,
    text_type,
    type_of,
    with_facts,
)
from capdeco.check.mypy.names import TOOL_DECORATOR
from capdeco.check.mypy.options import COMPUTED, check_callable, check_options, given, is_described, value_of
from capdeco.check.mypy.parameters import PARAMETERS, surplus_contexts
from capdeco.check.mypy.steps import (
    ReadStep,
    StepReader,
    bound_as_tool,
    carries_tool,
    is_bound,
    is_plain_function,
    is_unbound,
    no_tool,
    note_called,
    operation_as_tool,
    tool_type,
)
from capdeco.check.mypy.tools import (
    CAPABILITY,
    OPERATION,
    STEPS,
    TAKES,
    TOOL,
    Catalog,
    argument,
    capability_in,
    function_of,
    is_none,
    is_operation,
    without_first,
)
from capdeco.check.mypy.types import Signature, TypeReader
from capdeco.check.mypy.typing_only import check_names, typing_only
from capdeco.declare import faults
from capdeco.declare.names import generated_name
from capdeco.declare.shape import Object, admits
from capdeco.declare.wiring import Fault, check_wiring

_ANY: Final = AnyType(TypeOfAny.special_form)
"""A fact that is one, and whose value is not known."""


@attrs.define(eq=False)
class ModuleCheck:
    """The checks of one module; lives as long as mypy's own checker of it."""

    checker: TypeChecker
    reader: TypeReader
    catalog: Catalog
    _depended: set[TypeInfo] = attrs.field(factory=set)
    _text: Instance | None = None
    _again: set[Expression] | None = None
    _called: dict[FuncDef, Type] = attrs.field(factory=dict)
    """Functions of other modules that `tool(...)` was called with here."""
    _typing_only: frozenset[str] | None = None

    # Step(...)

    def step(self, context: FunctionContext) -> Type:
        """Put into the type of a `Step` what it says: `Step[Literal["tool"], Literal["field"], <the tool's type>]`."""
        made = get_proper_type(context.default_return_type)
        if not isinstance(made, Instance) or len(made.args) != 3:
            return made
        tool, tool_given = given(context, "tool")
        if isinstance(tool, RefExpr) and isinstance(tool.node, FuncDef) and tool.node in self._called and tool_given:
            tool_given = with_facts(tool_given, {TOOL: self._called[tool.node]})
        source, source_given = given(context, "from_")
        if tool is None or tool_given is None:
            return made
        problem = self._step_problem(tool, tool_given, source, source_given)
        if problem is not None:
            self._problem(problem)
            return made.copy_modified(args=[*made.args[:2], UninhabitedType()])
        if self._is_assigned_again(context.context):
            return made
        carrier = tool_type(tool, tool_given)
        name = text_of(fact_of(carrier, TOOL)) or text_of(tool_given)
        field = text_of(source_given)
        function = function_of(carrier) if carries_tool(carrier) else None
        if function is not None and is_unbound(tool):
            function = without_first(function)
        parameters = fact_of(function, PARAMETERS)
        if parameters is not None:  # the names of a function's own type do not show that they change
            made = made.copy_with_extra_attr(PARAMETERS, parameters)
            if isinstance(tool, RefExpr):
                depend_on_facts(self.checker, tool.fullname)
        return made.copy_modified(
            args=[
                self._literal(name) if name is not None else made.args[0],
                self._literal(field) if field is not None else NoneType() if is_none(source_given) else made.args[1],
                function or _ANY,
            ]
        )

    def _step_problem(
        self, tool: Expression, tool_type_: Type, source: Expression | None, source_type: Type | None
    ) -> Problem | None:
        """What is wrong with a step whatever tools and input there are."""
        name = text_of(tool_type_)
        flaw = faults.step_tool(name) if name is not None else None
        if flaw:
            return Problem(flaw, tool)
        if not carries_tool(tool_type(tool, tool_type_)):
            if fact_of(tool_type(tool, tool_type_), OPERATION) is not None:
                return operation_as_tool(tool, tool_type(tool, tool_type_))
            if is_plain_function(tool):
                return no_tool(tool)
        elif is_bound(self.checker, tool):
            return bound_as_tool(tool)
        field = text_of(source_type)
        flaw = faults.step_from(field) if field is not None else None
        return Problem(flaw, source) if flaw and source is not None else None

    # @tool

    def tool(self, context: FunctionContext) -> Type:
        """`@tool` alone is on its function already; `tool(...)` keeps for later what it was told."""
        returned = get_proper_type(context.default_return_type)
        if isinstance(returned, Instance) and returned.type.name == "ToolDecorator":
            name, type_ = given(context, "name")
            told = type_ if name is not None and type_ is not None else NoneType()
            described = given(context, "description")[1] or NoneType()
            self._problems(check_options(self.checker, context))
            return with_facts(returned, {TOOL: told, DESCRIBED: described})
        return self._tool(context, returned, NoneType(), NoneType())

    def tool_decorator(self, context: MethodContext) -> Type:
        """`tool(...)` on a function."""
        told = fact_of(context.type, TOOL) or _ANY
        description = fact_of(context.type, DESCRIBED) or _ANY
        return self._tool(context, get_proper_type(context.default_return_type), told, description)

    def tool_of(self, context: AnyContext) -> Type:
        """`Tool.of(...)`: a callable that stays what it was, under the name that is given here."""
        returned = context.default_return_type
        function, type_ = context.args[0][0], get_proper_type(context.arg_types[0][0])
        said, description = given(context, "description")
        written, told = given(context, "name")
        self._problems(check_options(self.checker, context))
        self._problems(check_callable(function))
        name = name_of(function) if is_none(told) else text_of(told)
        flaw = faults.tool_name(name) if name is not None else None
        if flaw:
            self._problem(Problem(flaw, written or function))
        if not is_described(description, function):
            self._problem(Problem(faults.no_description("tool", name or "?"), said or function))
        facts: dict[str, Type] = {TOOL: self._literal(name) if name is not None else _ANY}
        if self._is_assigned_again(context.context):
            facts[TOOL] = _ANY
        elif isinstance(type_, CallableType):
            facts[TAKES] = type_
        if isinstance(type_, CallableType):
            for _, flaw in self.reader.signature(type_, keep=False).flaws:
                said_of, subject = faults.in_input(name_of(function) or "it", flaw)
                self._problem(Problem(said_of, function, subject))
            self._depend()
        return with_facts(returned, facts)

    def _tool(self, context: AnyContext, returned: ProperType, told: ProperType, description: ProperType) -> Type:
        declared = declared_by(context)
        name = declared.name if isinstance(told, NoneType) else text_of(told)
        call = declared.call
        if name is not None:
            flaw = faults.tool_name(name)
            if flaw:
                self._problem(Problem(flaw, (argument(call, "name") if call else None) or declared.at))
        if declared.function is None:
            self._problems(check_callable(declared.given))
        self._description(declared, "tool", name, description)
        self._function(declared, "tool")
        fact: Type = self._literal(name) if name is not None else _ANY
        if self._is_assigned_again(context.context):
            fact = _ANY
        if declared.function is None:
            elsewhere = note_called(self.checker.tree.fullname, declared.given, fact)
            if elsewhere is not None:
                self._called[elsewhere] = fact
        return self._noted(declared.function, returned, {TOOL: fact, **self._parameters(declared.function)})

    def _noted(self, function: FuncDef | None, type_: Type, facts: Mapping[str, Type]) -> Type:
        """Give the type of a function with facts, for the daemon too."""
        type_ = with_facts(type_, facts)
        if function is not None:
            publish_facts(self.checker, function, type_)
        return type_

    # @operation

    def operation(self, context: MethodContext) -> Type:
        """Check one operation, all but what only its capability knows."""
        returned = get_proper_type(context.default_return_type)
        declared = declared_by(context)
        name = self._operation_name(declared, context)
        shown = name or declared.name or "?"
        description = self._told(declared.call, "description")[1] if declared.call else _ANY
        self._description(declared, "operation", shown, description or NoneType())
        signature = self._function(declared, "operation")
        if declared.function is not None:
            self._problems(check_body(declared.function, shown))
        if declared.function is None and isinstance(returned, CallableType):
            signature = self.reader.signature(returned, skip_first=declared.skip_first, keep=False)
        named = self._wiring(declared, signature, name)
        fact: Type = self._literal(name) if name is not None else _ANY
        facts = {OPERATION: fact, **self._parameters(declared.function)}
        perhaps_itself = [tool for tool in named if name is not None and tool.endswith(name)]
        if perhaps_itself:
            facts[STEPS] = self._literal(",".join(perhaps_itself))
        return self._noted(declared.function, returned, facts)

    def _operation_name(self, declared: Declared, context: MethodContext) -> str | None:
        told, type_ = self._told(declared.call, "name")
        if told is None or isinstance(type_, NoneType):
            name, place = (declared.name if declared.call else None), declared.at
        else:
            name, place = text_of(type_), told
        flaw = faults.operation_name(name) if name is not None else None
        if flaw:
            self._problem(Problem(flaw, place))
            return None
        return name

    def _wiring(self, declared: Declared, signature: Signature | None, name: str | None) -> list[str]:
        """Check the steps, and give the names of their tools as far as they are known."""
        written = argument(declared.call, "steps") if declared.call else None
        if written is None:
            self._unchecked("the steps of this operation are not written here", declared.at)
            return []
        reader = StepReader(self.checker, self.catalog)
        steps = reader.read(written)
        self._problems(reader.problems)
        if not steps:
            self._problem(Problem(faults.no_steps(name or declared.name or "?"), written))
            return []
        named = [each.facts.tool for each in steps if each.facts.tool is not None]
        if signature is None:
            if declared.type is None:
                self._unchecked("a decorator below @operation leaves no signature that could be read", declared.at)
            return named
        generated = generated_name(owner, name) if (owner := self._owner(declared)) and name else ""
        self._depend()
        for fault in check_wiring(generated, signature.takes, [each.facts for each in steps]):
            self._fault(fault, declared, signature, steps)
        return named

    def _owner(self, declared: Declared) -> str | None:
        """The id of the capability that an operation stands in, where that is written."""
        if declared.function is not None and declared.function.info:
            return capability_in(declared.function.info.defn.decorators)
        return capability_in(declared.above)

    def _fault(self, fault: Fault, declared: Declared, signature: Signature, steps: Sequence[ReadStep]) -> None:
        text = "; ".join(filter(None, [fault.what, fault.fix]))
        step = steps[fault.step - 1] if fault.step else None
        if step is not None and step.refused:
            return
        if step is None:
            place: Context = declared.parameter(signature.parameter_of.get(fault.parameter, fault.parameter))
        else:
            place = {"tool": step.tool, "from": step.from_}.get(fault.at, step.step)
        if fault.code == codes.UNCHECKED:
            self._unchecked(text, place)
        else:
            report(self.checker, fault.code, text, place, step.step if step else None)

    # @capability

    def capability(self, context: MethodContext) -> Type:
        """Check what operations say together: their names as tools."""
        returned = get_proper_type(context.default_return_type)
        call = capability_call(context)
        told, id_type = self._told(call, "id")
        id_ = text_of(id_type)
        flaw = faults.capability_id(id_) if id_ is not None else None
        if flaw and told is not None:
            self._problem(Problem(flaw, told))
            return returned
        described, type_ = self._told(call, "description")
        text = text_of(type_)
        flaw = faults.capability_description(id_, text) if text is not None else None
        if flaw and described is not None:
            self._problem(Problem(flaw, described))
        if isinstance(context.context, ClassDef):
            self._problems(check_remade(context.context, call))
            depend_on_classes(self.checker, [context.context.info])
            if id_ is not None:
                context.context.info.metadata[CAPABILITY] = {"id": id_}
                publish(self.checker.options, context.context.info, CAPABILITY, self._literal(id_))
            self._problems(check_class(context.context, id_, told or context.context, self.catalog))
            return returned
        target = get_proper_type(context.arg_types[0][0])
        fact = fact_of(target, OPERATION)
        if fact is None:
            decorators = context.context.decorators if isinstance(context.context, Decorator) else []
            below = decorators[decorators.index(call) + 1 :] if call in decorators else decorators
            if decorators and isinstance(target, CallableType) and not any(map(is_operation, below)):
                self._problem(Problem(faults.no_operations(id_), told or context.context))
            return returned
        name = text_of(fact)
        if id_ is not None and name is not None:
            self._problems(check_generated(id_, name, target, told or context.context, self.catalog))
        function = context.context.func if isinstance(context.context, Decorator) else None
        return self._noted(function, returned, {CAPABILITY: self._literal(id_) if id_ else _ANY})

    # Parts of the above

    def _description(self, declared: Declared, kind: str, name: str | None, text: ProperType) -> None:
        """Check that a declaration is described; a stub has no docstrings, and `wraps` copies another's."""
        copied = self.checker.tree.is_stub or any(map(is_wraps, declared.below))
        if not is_described(text, declared.function or declared.given) and not (copied and is_none(text)):
            place = argument(declared.call, "description") if declared.call else None
            self._problem(Problem(faults.no_description(kind, name or declared.name or "?"), place or declared.at))

    def _function(self, declared: Declared, kind: str) -> Signature | None:
        """Check what tools and operations have in common; give what the function takes, if that was read."""
        function = declared.function
        if function is None:
            return None
        if not any(map(is_wraps, declared.below)):  # else what counts is what another function says
            self._problems(check_function(function))
        self._problems(check_above(declared.above, f"@{kind}", function))
        if kind == "operation" and takes_no_self(function):
            self._problem(no_self(function))
            return None
        if declared.type is None or declared.result is None:
            return None
        type_ = get_proper_type(with_facts(declared.type, self._parameters(function)))
        assert isinstance(type_, CallableType)
        for flaw in self.reader.result(declared.result):
            self._problem(Problem(flaw, function, faults.result_of(function.name)))
        if self._reads_names(declared):
            if self._typing_only is None:
                self._typing_only = typing_only(self.checker.tree)
            self._problems(check_names(function, self._typing_only))
        for name in surplus_contexts(type_, allowed=kind == "tool"):
            whose, place = faults.parameter_of(function.name, name), declared.parameter(name)
            useless = Problem(faults.context_of_operation(name), place)
            self._problem(useless if kind == "operation" else Problem(faults.second_context(), place, whose))
        signature = self.reader.signature(type_, skip_first=declared.skip_first, keep=False)
        for parameter, flaw in signature.flaws:
            said_of, subject = faults.in_input(function.name, flaw)
            self._problem(Problem(said_of, declared.parameter(parameter), subject))
        self._problems(self._check_defaults(function, signature))
        self._depend()
        return signature

    def _reads_names(self, declared: Declared) -> bool:
        """Tell whether the annotations are surely looked up in the module: nothing like `types=` says what they are."""
        plain = isinstance(declared.decorator, RefExpr) and declared.decorator.fullname == TOOL_DECORATOR
        told = declared.call is None or argument(declared.call, "types") is not None
        return (plain or not told) and not declared.below and not self.checker.tree.is_stub

    def _check_defaults(self, function: FuncDef, signature: Signature) -> Iterator[Problem]:
        fields = signature.takes.fields if isinstance(signature.takes, Object) else {}
        for each in function.arguments:
            name = each.variable.name
            if each.initializer is None or signature.parameter_of.get(name) != name or name not in fields:
                continue
            value, shape = value_of(self.checker, each.initializer), fields[name].shape
            if value is not COMPUTED and not admits(shape, value):
                yield Problem(faults.default_misfit(value, shape), each, faults.parameter_of(function.name, name))

    def _depend(self) -> None:
        """Have this module checked again when a class changes that was looked into."""
        depend_on_classes(self.checker, self.reader.classes - self._depended)
        self._depended |= self.reader.classes
        self.reader.classes.clear()

    def _is_assigned_again(self, call: Context) -> bool:
        """Tell whether the value of a call goes to a name that holds another one too."""
        if self._again is None:
            self._again = assigned_again(self.checker.tree)
        return call in self._again

    def _literal(self, text: str) -> LiteralType:
        """Give the type `Literal[text]`."""
        if self._text is None:
            self._text = text_type(self.checker)
        return LiteralType(text, self._text)

    def _parameters(self, function: FuncDef | None) -> dict[str, Type]:
        """Give the fact of parameters' names where mypy would forget one: a positional-only one has none in a type."""
        if function is None or not any(each.pos_only for each in function.arguments):
            return {}
        return {PARAMETERS: self._literal(",".join(each.variable.name for each in function.arguments))}

    def _told(self, call: CallExpr | None, name: str) -> tuple[Expression | None, ProperType | None]:
        given = argument(call, name) if call is not None else None
        return given, type_of(self.checker, given) if given is not None else None

    def _problem(self, problem: Problem) -> None:
        if problem.code == codes.UNCHECKED:
            self._unchecked(problem.text, problem.at)
        else:
            report(self.checker, problem.code, problem.text, problem.at)

    def _problems(self, problems: Iterable[Problem]) -> None:
        for each in problems:
            self._problem(each)

    def _unchecked(self, why: str, place: Context) -> None:
        note_unchecked(self.checker, why, place)


DESCRIBED: Final = "__capdeco_described__"
"""Fact on what `tool(...)` returns: the type of its description, `None` if it was given none."""
