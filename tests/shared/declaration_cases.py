"""Faults that no tool and no wiring has to do with, one per case, for every reader."""

from __future__ import annotations

from typing import Final

from tests.shared.wiring_cases import Case, case


def fault(
    name: str, source: str = "", *, takes: str = "", steps: str = "Step(a)", tools: str = "a(x: Any = 1)"
) -> Case:
    """Make a case of `capdeco-declaration`, with *source* before the tools, or in the signature of the operation."""
    return case(name, "declaration", tools=tools, steps=steps, takes=takes, types=source)


def declared(operation: str, *, id_: str = "other", above: str = "", before: str = "") -> str:
    """Give the source of another capability."""
    return f'{before}{above}@capability(id="{id_}", description="d")\nclass Other:\n{operation}'


_OPERATION: Final = """\
    @operation(steps=[Step("a")]{options})
    def {name}(self, x: int = 1) -> None:
        {body}
"""
RUN: Final = _OPERATION.format(options="", name="run", body='"""d"""')


def written(options: str = "", name: str = "run", body: str = '"""d"""') -> str:
    """Give the source of an operation."""
    return _OPERATION.format(options=options and f", {options}", name=name, body=body)


HIDDEN: Final = """\
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date as Day


"""
WRAPS: Final = """\
import functools


def wrap(function: Callable[[], None]) -> Callable[[], None]:
    @functools.wraps(function)
    def run() -> None:
        function()

    return run


"""
_TOOL: Final = '{options}\ndef b({takes}) -> {result}:\n    """d"""'


def tool(takes: str = "", *, options: str = "@tool", result: str = "None") -> str:
    """Give the source of a tool."""
    return _TOOL.format(options=options, takes=takes, result=result)


FAULTS: Final = (
    # Names and descriptions
    fault("illegal_id", declared(RUN, id_="No-id")),
    fault("illegal_operation_name", declared(written(name="Run"))),
    fault("illegal_name_given", declared(written('name="No-name"'))),
    fault("illegal_name_of_a_tool", tool(options='@tool(name="a b")')),
    fault("reserved_name", tool(options='@tool(name="run_code")')),
    fault("generated_name_too_long", declared(written(name="x" * 60))),
    fault("two_operations_of_one_name", declared(RUN + "\n" + written('name="run"', name="again"))),
    fault("one_method_twice", declared(RUN + "\n" + RUN.replace("def", "def"))),
    fault("undescribed_operation", declared(written(body="..."))),
    fault("blank_description_of_an_operation", declared(written('description=" "'))),
    fault("undescribed_tool", tool().replace('"""d"""', "...")),
    fault("blank_description_of_a_tool", tool(options='@tool(description="")')),
    fault("named_tool_without_description", tool(options='@tool(name="named", description="")')),
    fault("blank_description_of_a_capability", declared(RUN).replace('description="d"', 'description=" "')),
    fault("no_operations", declared("    x = 1")),
    # Functions
    fault("a_body", declared(written(body='"""d"""\n        print()'))),
    fault("an_operation_that_is_a_tool", "@tool\n@operation(steps=[Step('a')])\n" + tool(options="").strip()),
    fault("a_tool_twice", tool(options="@tool\n@tool")),
    fault("an_override", declared(RUN) + "\n\n@capability(id='third', description='d')\nclass Third(Other):\n"
          "    def run(self, x: int = 1) -> None: ..."),
    fault("one_field_of_two_parameters", takes="given: Options, /, columns: int = 1"),
    fault("no_annotation", tool("x")),
    fault("star_args_of_a_tool", tool("*x: int")),
    # Steps
    fault("steps_that_are_text", declared(RUN.replace('[Step("a")]', '"a"'))),
    fault("a_step_that_is_text", steps='"a"'),
    fault("a_step_from_nothing", steps='Step(a, "")'),
    fault("a_mapping_step_from_none", steps='{"tool": "a", "from": None}'),
    fault("an_operation_as_a_step", declared(RUN), steps="Step(Other.run)"),
    fault("a_method_of_an_object", "class Box:\n    @tool\n    def pack(self, x: int = 1) -> None:\n"
          "        '''d'''\n\n\nBOX = Box()", steps="Step(BOX.pack)"),
    fault("uses_of_no_tool", "def plain() -> None: ...\n\n\n" + tool(options="@tool(uses=[plain])")),
    fault("hint_that_is_no_truth", tool(options='@tool(annotations={"read_only": "yes"})')),
    # Types
    *(
        fault(f"type_{number}", takes=f"x: {annotation}")
        for number, annotation in enumerate(
            ("complex", "type[int]", "range", "list[Callable[[], int]]", "dict[str, complex]", "tuple[int, complex]",
             "Literal[b'x']", "Mapping[float, int]", "list[re.Pattern[str]]", "complex | None")
        )
    ),
    fault("flag", "class Flags(enum.Flag):\n    A = 1", takes="x: Flags"),
    fault("enum_of_tuples", "class Pair(enum.Enum):\n    A = (1, 2)", takes="x: Pair"),
    fault("enum_without_members", "class Empty(enum.Enum): ...", takes="x: Empty"),
    fault("nested_complex", "@attrs.frozen\nclass Deep:\n    rows: list[complex]", takes="x: Deep"),
    fault("whole_complex", "@attrs.frozen\nclass Deep:\n    rows: list[complex]", takes="given: Deep, /"),
    fault("nested_union", "@attrs.frozen\nclass One:\n    n: int\n\n\n@attrs.frozen\nclass Two:\n    n: int\n\n\n"
          "@attrs.frozen\nclass Deep:\n    rows: list[One | Two]", takes="x: Deep"),
    fault("other_init", "@attrs.define(init=False)\nclass Own:\n    n: int\n\n"
          "    def __init__(self, text: str) -> None: ...", takes="x: list[Own]"),
    fault("result", tool(result="complex")),
    fault("nested_result", tool(result="list[Callable[[], int]]")),
    fault("class_as_a_field", takes="x: list[Plain]", source="class Plain: ..."),
    # Defaults
    fault("infinite", takes="x: float = float('inf')"),
    fault("default_of_a_whole_input", takes="given: Options = Options(), /"),
    fault("nullable_default", takes="x: int = None  # type: ignore[assignment]\n    "),
    fault("unset", takes="x: Any = msgspec.UNSET"),
    fault("name_for_type_checkers", HIDDEN + tool("x: Day")),
    fault("result_for_type_checkers", HIDDEN + tool(result="list[Day]")),
    # Decorators
    fault("lost_decorator", WRAPS + tool(options="@wrap\n@tool")),
    fault("remade_class", declared(RUN, above="@attrs.define\n")),
)  # fmt: skip
