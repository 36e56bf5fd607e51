"""What happens at each declaration: facts are read from mypy, `declare/` gives the verdict, faults get their place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import attrs
from mypy.types import (  # first, as in mypy_internals
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
    LambdaExpr,
    OverloadedFuncDef,
    RefExpr,
    TypeInfo,
)
from mypy.plugin import FunctionContext, MethodContext

from capdeco import codes
from capdeco.check.mypy_declarations import (
    Problem,
    check_above,
    check_body,
    check_function,
    check_remade,
    no_self,
    takes_no_self,
    twice_in,
)
from capdeco.check.mypy_internals import (
    depend_on_classes,
    fact_of,
    note_unchecked,
    publish,
    report,
    text_of,
    text_type,
    type_of,
    with_facts,
)
from capdeco.check.mypy_options import check_lambda, check_options, given, is_blank_text
from capdeco.check.mypy_steps import (
    ReadStep,
    StepReader,
    carries_tool,
    illegal_tool,
    is_plain_function,
    no_tool,
    tool_type,
)
from capdeco.check.mypy_tools import (
    CAPABILITY,
    OPERATION,
    STEPS,
    TAKES,
    TOOL,
    Catalog,
    argument,
    capability_in,
    function_of,
    is_operation,
    type_of_node,
)
from capdeco.check.mypy_types import PARAMETERS, Refusal, Signature, TypeReader, surplus_contexts
from capdeco.declare.names import generated_name, identifier_fault, tool_name_fault
from capdeco.declare.wiring import Fault, check_wiring

AnyContext: TypeAlias = FunctionContext | MethodContext

_ANY: Final = AnyType(TypeOfAny.special_form)
"""A fact that is one, and whose value is not known."""


@attrs.frozen
class Declared:
    """A function under one of our decorators, as the hook of that decorator sees it."""

    type: CallableType | None
    """`None` where a decorator below ours made something else of it."""
    function: FuncDef | None
    """Its source; `None` for a call on a function that is named."""
    decorator: Expression
    """Our own decorator: where to point without source."""
    above: Sequence[Expression] = ()
    call: CallExpr | None = None
    """`operation(...)` itself, where it is written here."""

    @property
    def at(self) -> Context:
        """Where to point when no part of it is meant."""
        return self.function or self.decorator

    @property
    def skip_first(self) -> bool:
        """Whether the first parameter is `self` or `cls`."""
        return self.function is not None and bool(self.function.info) and not self.function.is_static

    def parameter(self, name: str) -> Context:
        """Where the parameter *name* stands."""
        arguments = self.function.arguments if self.function else []
        return next((each for each in arguments if each.variable.name == name), self.at)


@attrs.define(eq=False)
class ModuleCheck:
    """The checks of one module; lives as long as mypy's own checker of it."""

    checker: TypeChecker
    reader: TypeReader
    catalog: Catalog
    _depended: set[TypeInfo] = attrs.field(factory=set)
    _text: Instance | None = None

    # Step(...)

    def step(self, context: FunctionContext) -> Type:
        """Put into the type of a `Step` what it says: `Step[Literal["tool"], Literal["field"], <the tool's type>]`."""
        made = get_proper_type(context.default_return_type)
        if not isinstance(made, Instance) or len(made.args) != 3:
            return made
        tool, tool_given = given(context, "tool")
        source, source_given = given(context, "from_")
        if tool is None or tool_given is None:
            return made
        problem = self._step_problem(tool, tool_given, source, source_given)
        if problem is not None:
            self._problem(problem)
            return made.copy_modified(args=[*made.args[:2], UninhabitedType()])
        carrier = get_proper_type(tool_type(tool, tool_given))
        name = text_of(fact_of(carrier, TOOL)) or text_of(tool_given)
        field = text_of(source_given)
        function = function_of(carrier) if carries_tool(carrier) else None
        return made.copy_modified(
            args=[
                self._literal(name) if name is not None else made.args[0],
                NoneType() if source is None else self._literal(field) if field is not None else made.args[1],
                function or _ANY,
            ]
        )

    def _step_problem(
        self, tool: Expression, tool_type_: Type, source: Expression | None, source_type: Type | None
    ) -> Problem | None:
        """What is wrong with a step whatever tools and input there are."""
        name = text_of(tool_type_)
        fault = tool_name_fault(name) if name is not None else None
        if fault:
            return illegal_tool(fault, tool)
        if is_plain_function(tool) and not carries_tool(tool_type_):
            return no_tool(tool)
        if source is not None and text_of(source_type) == "":
            return Problem("a step's from must be the name of an input field", "name a field", source)
        return None

    # @tool

    def tool(self, context: FunctionContext) -> Type:
        """`@tool` alone is on its function already; `tool(...)` keeps for later what it was told."""
        returned = get_proper_type(context.default_return_type)
        if isinstance(returned, Instance) and returned.type.name == "ToolDecorator":
            name, type_ = given(context, "name")
            told = type_ if name is not None and type_ is not None else NoneType()
            described, _ = given(context, "description")
            self._problems(check_options(self.checker, context))
            return with_facts(returned, {TOOL: told, DESCRIBED: NoneType() if described is None else _ANY})
        return self._tool(context, returned, NoneType(), described=False)

    def tool_decorator(self, context: MethodContext) -> Type:
        """`tool(...)` on a function."""
        told = fact_of(context.type, TOOL) or _ANY
        described = not isinstance(fact_of(context.type, DESCRIBED), NoneType)
        return self._tool(context, get_proper_type(context.default_return_type), told, described=described)

    def tool_of(self, context: AnyContext) -> Type:
        """`Tool.of(...)`: a callable that stays what it was, under the name that is given here."""
        returned = context.default_return_type
        function, type_ = context.args[0][0], get_proper_type(context.arg_types[0][0])
        described, _ = given(context, "description")
        written, told = given(context, "name")
        self._problems(check_options(self.checker, context))
        self._problems(check_lambda(function, described=described is not None))
        own = written is None or isinstance(get_proper_type(told), NoneType)
        name = _name_of(function) if own else text_of(told)
        fault = tool_name_fault(name) if name is not None else None
        if fault:
            self._problem(Problem(fault, "give the tool another name=", written or function))
        facts: dict[str, Type] = {TOOL: self._literal(name) if name is not None else _ANY}
        if isinstance(type_, CallableType):
            facts[TAKES] = type_
            for parameter, refusal in self.reader.signature(type_, keep=False).refusals:
                self._problem(_unfit_parameter(parameter, refusal, _name_of(function) or "it", function))
            self._depend()
        return with_facts(returned, facts)

    def _tool(self, context: AnyContext, returned: ProperType, told: ProperType, *, described: bool) -> Type:
        declared = _declared(context)
        name = _function_name(declared, context) if isinstance(told, NoneType) else text_of(told)
        call = declared.call
        if name is not None:
            fault = tool_name_fault(name)
            if fault:
                self._problem(
                    Problem(fault, "give the tool another name=", argument(call, "name") or declared.at)
                    if call
                    else Problem(fault, "give the tool another name=", declared.at)
                )
        self._problems(check_lambda(context.args[0][0], described=described))
        self._function(declared, "tool", described=described)
        fact: Type = self._literal(name) if name is not None else _ANY
        if name is not None and declared.function is not None:
            self._publish(declared.function, fact)
        return with_facts(returned, {TOOL: fact, **self._parameters(declared.function)})

    def _publish(self, function: FuncDef, fact: Type) -> None:
        owner: TypeInfo | None = function.info or None
        table = owner.names if owner else self.checker.tree.names
        publish(self.checker, table, owner.fullname if owner else self.checker.tree.fullname, function.name, fact)

    # @operation

    def operation(self, context: MethodContext) -> Type:
        """Check one operation, all but what only its capability knows."""
        returned = get_proper_type(context.default_return_type)
        declared = _declared(context)
        described, text = self._told(declared.call, "description")
        if described is not None and is_blank_text(text):
            self._problem(Problem("the description of the operation is empty", "say what it does", described))
        signature = self._function(declared, "operation", described=described is not None or declared.call is None)
        if declared.function is not None:
            self._problems(check_body(declared.function))
        name = self._operation_name(declared, context)
        if declared.function is None and isinstance(returned, CallableType):
            signature = self.reader.signature(returned, skip_first=declared.skip_first, keep=False)
        named = self._wiring(declared, signature, name)
        fact: Type = self._literal(name) if name is not None else _ANY
        facts = {OPERATION: fact, **self._parameters(declared.function)}
        perhaps_itself = [tool for tool in named if name is not None and tool.endswith(name)]
        if perhaps_itself:
            facts[STEPS] = self._literal(",".join(perhaps_itself))
        if name is not None and declared.function is not None:
            self._publish(declared.function, fact)
        return with_facts(returned, facts)

    def _operation_name(self, declared: Declared, context: MethodContext) -> str | None:
        told, type_ = self._told(declared.call, "name")
        if told is None or isinstance(type_, NoneType):
            name, place = (_function_name(declared, context) if declared.call else None), declared.at
        else:
            name, place = text_of(type_), told
        fault = identifier_fault(name, "an operation name") if name is not None else None
        if fault:
            self._problem(Problem(fault, 'give it another with @operation(name="...")', place))
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
            shown = name or "this operation"
            self._problem(Problem(f'the operation "{shown}" has no steps: it would do nothing', "name a tool", written))
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
        call = _capability_call(context)
        told, id_type = self._told(call, "id")
        id_ = text_of(id_type)
        fault = identifier_fault(id_, "a capability id") if id_ is not None else None
        if fault and told is not None:
            self._problem(Problem(fault, "choose another id", told))
            return returned
        described, text = self._told(call, "description")
        if described is not None and is_blank_text(text):
            self._problem(Problem("the capability has no description", "say what it is about", described))
        if isinstance(context.context, ClassDef):
            self._problems(check_remade(context.context, call))
            self._class(context.context, id_, told or context.context)
            return returned
        target = get_proper_type(context.arg_types[0][0])
        fact = fact_of(target, OPERATION)
        if fact is None:
            decorators = context.context.decorators if isinstance(context.context, Decorator) else []
            below = decorators[decorators.index(call) + 1 :] if call in decorators else decorators
            if decorators and isinstance(target, CallableType) and not any(map(is_operation, below)):
                self._no_operations(id_, told or context.context)
            return returned
        name = text_of(fact)
        if id_ is not None and name is not None:
            self._generated(id_, name, target, told or context.context)
        return with_facts(returned, {CAPABILITY: self._literal(id_) if id_ else _ANY})

    def _class(self, owner: ClassDef, id_: str | None, place: Context) -> None:
        info = owner.info
        if id_ is not None:
            info.metadata[CAPABILITY] = {"id": id_}
            publish(self.checker, info.names, info.fullname, CAPABILITY, self._literal(id_))
        operations: dict[str, tuple[str | None, ProperType | None, bool, Context]] = {}
        for base in reversed(info.mro[:-1]):  # the last is object
            for attribute, symbol in list(base.names.items()):
                if "@" in attribute:
                    continue
                type_ = type_of_node(symbol.node)
                fact = fact_of(type_, OPERATION)
                here = base is info
                if fact is not None:
                    at = _place_in(owner, attribute) if here else place
                    operations[attribute] = (text_of(fact), type_, not here, at)
                elif attribute in operations:
                    del operations[attribute]
                    # `name = None` takes it away; what else a name may stand for, its type does not surely say.
                    if isinstance(symbol.node, FuncDef | Decorator | OverloadedFuncDef) and not _is_any(type_):
                        self._override(base, attribute, _place_in(owner, attribute) if here else place)
        twice = list(twice_in(owner))
        self._problems(twice)
        if not operations and not twice and not info.fallback_to_any:
            self._no_operations(id_, place)
        seen: set[str] = set()
        for name, type_, inherited, at in operations.values():
            if name is None or id_ is None:
                continue
            if name in seen:
                what = (
                    f'the capability "{id_}" has two operations named "{name}": two tools "{generated_name(id_, name)}"'
                )
                self._problem(Problem(what, "rename one of them", at))
            seen.add(name)
            self._generated(id_, name, type_, at, inherited=inherited)

    def _override(self, base: TypeInfo, attribute: str, place: Context) -> None:
        self._problem(
            Problem(
                f'"{base.name}.{attribute}" overrides an operation and is none itself',
                f"put @operation on it, or write `{attribute} = None` to take the operation away",
                place,
            )
        )

    def _generated(
        self, id_: str, name: str, type_: ProperType | None, place: Context, *, inherited: bool = False
    ) -> None:
        """Check the name of the tool that an operation becomes."""
        generated = generated_name(id_, name)
        if generated in (text_of(fact_of(type_, STEPS)) or "").split(","):
            if inherited:  # else it is reported where its steps are
                text = (
                    f'"{name}" becomes the tool "{generated}", which its own step names: it would run itself for ever'
                )
                report(self.checker, codes.TOOL, f"{text}; choose another id", place)
        elif self.catalog.has_tool(generated):
            what = f'the operation "{name}" of "{id_}" becomes the tool "{generated}", and there is one already'
            self._problem(Problem(what, "rename the operation, or choose another id", place))
        fault = tool_name_fault(generated)
        if fault:
            what = f'"{generated}", the name that the operation "{name}" of "{id_}" would have as a tool, is not legal'
            self._problem(Problem(f"{what}: {fault}", "shorten the id or the operation's name", place))

    def _no_operations(self, id_: str | None, place: Context) -> None:
        what = f'the capability "{id_ or ""}" has no operations'
        fix = "put @operation(steps=[...]) on a method, or below @capability on the function"
        self._problem(Problem(what, fix, place))

    # Parts of the above

    def _function(self, declared: Declared, kind: str, *, described: bool) -> Signature | None:
        """Check what tools and operations have in common; give what the function takes, if that was read."""
        function = declared.function
        if function is None:
            return None
        described = described or self.checker.tree.is_stub  # a stub has no docstrings
        self._problems(check_function(function, kind, described=described))
        self._problems(check_above(declared.above, f"@{kind}", function))
        if kind == "operation" and takes_no_self(function):
            self._problem(no_self(function))
            return None
        if declared.type is None:
            return None
        type_ = get_proper_type(with_facts(declared.type, self._parameters(function)))
        assert isinstance(type_, CallableType)
        what = f'the result of "{function.name}"'
        for refusal in self.reader.result(_result_of(type_, function)):
            path = f", {refusal.path}" if refusal.path else ""
            self._problem(Problem(f"{what}{path}: {refusal.what}", refusal.fix, function))
        for name in surplus_contexts(type_, allowed=kind == "tool"):
            self._problem(_unfit_context(name, function, declared.parameter(name), kind))
        signature = self.reader.signature(type_, skip_first=declared.skip_first, keep=False)
        for parameter, refusal in signature.refusals:
            self._problem(_unfit_parameter(parameter, refusal, function.name, declared.parameter(parameter)))
        self._depend()
        return signature

    def _depend(self) -> None:
        """Have this module checked again when a class changes that was looked into."""
        depend_on_classes(self.checker, self.reader.classes - self._depended)
        self._depended |= self.reader.classes
        self.reader.classes.clear()

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
        text = "; ".join(filter(None, [problem.what, problem.fix]))
        report(self.checker, codes.DECLARATION, text, problem.at)

    def _problems(self, problems: Iterable[Problem]) -> None:
        for each in problems:
            self._problem(each)

    def _unchecked(self, why: str, place: Context) -> None:
        note_unchecked(self.checker, why, place)


DESCRIBED: Final = "__capdeco_described__"
"""Fact on what `tool(...)` returns: `None` if it was given no description."""


def _declared(context: AnyContext) -> Declared:
    type_ = get_proper_type(context.arg_types[0][0])
    signature = type_ if isinstance(type_, CallableType) else None
    place = context.context
    written = context.args[0][0]
    if isinstance(place, Decorator):
        # mypy stands in for the function by a node at our decorator; the context is at the first one.
        for index, each in enumerate(place.decorators):
            if (each.line, each.column) == (written.line, written.column):
                call = each if isinstance(each, CallExpr) else None
                return Declared(signature, place.func, each, place.decorators[:index], call)
        return Declared(signature, place.func, written)
    inner = place.callee if isinstance(place, CallExpr) else None
    return Declared(signature, None, written, call=inner if isinstance(inner, CallExpr) else None)


def _function_name(declared: Declared, context: AnyContext) -> str | None:
    return declared.function.name if declared.function is not None else _name_of(context.args[0][0])


def _name_of(function: Expression) -> str | None:
    """Give the `__name__` of a function, if an expression surely is one."""
    if isinstance(function, LambdaExpr):
        return "<lambda>"
    node = function.node if isinstance(function, RefExpr) else None
    return node.name if isinstance(node, FuncDef | Decorator) else None


def _unfit_context(name: str, function: FuncDef, place: Context, kind: str) -> Problem:
    if kind == "tool":
        what = f'the parameter "{name}" of "{function.name}": there is one context, and it is given already'
        return Problem(what, "remove it", place)
    what = f'the parameter "{name}" of "{function.name}" is a context, and an operation has no body that could use it'
    return Problem(what, "remove it, and take it in a tool that a step names", place)


def _unfit_parameter(parameter: str, refusal: Refusal, function: str, place: Context) -> Problem:
    path = f"{parameter}.{refusal.path}".replace(".[", "[") if refusal.path else parameter
    return Problem(f'the parameter "{path}" of "{function}": {refusal.what}', refusal.fix, place)


def _capability_call(context: MethodContext) -> CallExpr | None:
    place, written = context.context, context.args[0][0]
    decorators = place.decorators if isinstance(place, ClassDef | Decorator) else []
    if isinstance(place, CallExpr):
        return place.callee if isinstance(place.callee, CallExpr) else None
    for each in decorators:
        if isinstance(each, CallExpr) and (each.line, each.column) == (written.line, written.column):
            return each
    return None


def _result_of(type_: CallableType, function: FuncDef) -> Type:
    returned = get_proper_type(type_.ret_type)
    if function.is_coroutine and isinstance(returned, Instance) and len(returned.args) == 3:
        return returned.args[2]  # Coroutine[Any, Any, R]
    return returned


def _is_any(type_: ProperType | None) -> bool:
    return type_ is None or isinstance(type_, AnyType)


def _place_in(owner: ClassDef, attribute: str) -> Context:
    for statement in owner.defs.body:
        function = statement.func if isinstance(statement, Decorator) else statement
        if isinstance(function, FuncDef) and function.name == attribute:
            return function
    return owner
