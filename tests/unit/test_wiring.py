"""The wiring rules, over shapes alone: what each refuses, and what it lets pass."""

from __future__ import annotations

from capdeco.codes import FROM, MISSING, TOOL, TYPE, UNCHECKED, UNUSED
from capdeco.declare.shape import ANY, NULL, Array, Const, Field, Object, Scalar, Shape, Unknown, union
from capdeco.declare.wiring import Absent, Fault, StepFacts, check_wiring

TEXT, INT, FLOAT, BOOL = Scalar("string"), Scalar("integer"), Scalar("number"), Scalar("boolean")
OPTIONAL_INT = Field(INT, optional=True, filled=True, default=1)


def takes(rest: Shape | None = None, **fields: Shape | Field) -> Object:
    return Object({name: each if isinstance(each, Field) else Field(each) for name, each in fields.items()}, rest)


def check(given: Object | Unknown, *steps: StepFacts) -> list[tuple[str, int, str]]:
    return [(fault.code, fault.step, fault.parameter) for fault in faults(given, *steps)]


def faults(given: Object | Unknown, *steps: StepFacts) -> list[Fault]:
    return check_wiring("pdf_analyze", given, steps)


def step(tool: Object | Unknown | Absent, from_: str | None = None, name: str = "pdf_extract") -> StepFacts:
    return StepFacts(name, from_, tool)


def test_a_step_that_receives_all_it_requires_is_clean() -> None:
    assert check(takes(path=TEXT), step(takes(path=TEXT))) == []


def test_an_open_input_surely_provides_only_what_it_declares() -> None:
    assert check(takes(ANY), step(takes(path=TEXT))) == [(MISSING, 1, "")]
    assert check(takes(ANY), step(takes(), "layout")) == [(FROM, 1, "")]


def test_a_step_from_an_object_field_is_clean_and_uses_that_field() -> None:
    layout = takes(columns=INT)
    assert check(takes(path=TEXT, layout=layout), step(takes(path=TEXT)), step(layout, "layout")) == []


def test_an_unknown_tool_is_refused_with_the_near_misses() -> None:
    (fault,) = faults(takes(path=TEXT), step(Absent(("pdf_extract", "pdf_ocr")), name="pdf_extrct"))
    assert (fault.code, fault.at) == (TOOL, "tool")
    assert '"pdf_extract"' in fault.fix


def test_an_operation_must_not_name_the_tool_it_becomes() -> None:
    assert check(takes(path=TEXT), step(takes(path=TEXT), name="pdf_analyze")) == [(TOOL, 1, "")]


def test_a_misspelt_from_is_refused_with_the_near_misses() -> None:
    (fault,) = faults(takes(layout=takes()), step(takes(), "layuot"))
    assert (fault.code, fault.at) == (FROM, "from")
    assert '"layout"' in fault.fix


def test_from_must_name_an_object() -> None:
    assert check(takes(layout=TEXT), step(takes(), "layout")) == [(FROM, 1, "")]
    assert check(takes(layout=Array(takes())), step(takes(), "layout")) == [(FROM, 1, "")]
    assert check(takes(layout=union([takes(), NULL])), step(takes(), "layout")) == [(FROM, 1, "")]


def test_from_must_not_name_a_field_that_may_be_absent() -> None:
    assert check(takes(layout=Field(takes(), optional=True)), step(takes(), "layout")) == [(FROM, 1, "")]
    filled = Field(takes(), optional=True, filled=True, default={})
    assert check(takes(layout=filled), step(takes(), "layout")) == []


def test_each_member_of_a_union_of_objects_must_provide() -> None:
    either = union([takes(kind=Const(("a",)), path=TEXT), takes(kind=Const(("b",)))])
    assert check(takes(source=either), step(takes(path=TEXT), "source")) == [(MISSING, 1, "")]


def test_a_required_parameter_must_be_surely_provided() -> None:
    assert check(takes(page=INT), step(takes(page=INT, path=TEXT))) == [(MISSING, 1, "")]
    assert check(takes(path=Field(TEXT, optional=True)), step(takes(path=TEXT))) == [(MISSING, 1, "")]
    filled = Field(TEXT, optional=True, filled=True, default="a.pdf")
    assert check(takes(path=filled), step(takes(path=TEXT))) == []


def test_a_parameter_of_a_wrong_type_is_refused_with_its_path() -> None:
    given = takes(layout=takes(columns=takes(count=TEXT)))
    (fault,) = faults(given, step(takes(columns=takes(count=INT)), "layout"))
    assert fault.code == TYPE
    assert '"layout.columns.count"' in fault.what


def test_null_does_not_fit_a_parameter_that_is_not_nullable_default_or_not() -> None:
    nullable = Field(union([INT, NULL]), optional=True, filled=True, default=None)
    assert check(takes(columns=nullable), step(takes(columns=OPTIONAL_INT))) == [(TYPE, 1, "columns")]


def test_a_parameter_that_reaches_no_step_is_refused() -> None:
    (fault,) = faults(takes(path=TEXT, repo=TEXT), step(takes(path=TEXT)))
    assert (fault.code, fault.at, fault.parameter, fault.step) == (UNUSED, "parameter", "repo", 0)


def test_a_parameter_of_a_tool_that_only_receives_a_field_does_not_count() -> None:
    given = takes(path=TEXT, layout=takes(path=TEXT))
    assert check(given, step(takes(path=TEXT), "layout")) == [(UNUSED, 0, "path")]


def test_nothing_is_unused_because_of_a_step_that_is_in_error() -> None:
    assert check(takes(path=TEXT, repo=TEXT), step(Absent()), step(takes(path=TEXT))) == [(TOOL, 1, "")]


def test_an_open_tool_takes_every_field_and_each_must_fit() -> None:
    assert check(takes(path=TEXT, repo=TEXT), step(takes(TEXT))) == []
    assert check(takes(path=TEXT, pages=INT), step(takes(TEXT))) == [(TYPE, 1, "pages")]


def test_what_cannot_be_proved_is_unchecked_and_never_an_error() -> None:
    codes = {code for code, _, _ in check(Unknown("computed"), step(takes(path=TEXT), "layout"))}
    assert codes == {UNCHECKED}
    assert check(takes(path=ANY), step(takes(path=TEXT))) == [(UNCHECKED, 1, "")]
    assert check(takes(path=TEXT), step(Unknown("computed"))) == [(UNCHECKED, 1, "")]
    mapping = takes(layout=takes(INT))
    assert check(mapping, step(takes(columns=INT), "layout")) == [(UNCHECKED, 1, "")]
    computed = StepFacts("pdf_extract", None, takes(path=TEXT), from_computed=True)
    assert check(takes(path=TEXT, repo=TEXT), computed) == [(UNCHECKED, 1, "")]


def test_a_computed_tool_name_still_has_its_from_checked() -> None:
    assert check(takes(layout=takes()), StepFacts(None, "layuot", Unknown("computed"))) == [(FROM, 1, "")]


def test_every_step_in_error_is_reported() -> None:
    given = takes(path=TEXT, layout=takes(columns=INT))
    found = check(given, step(takes(path=INT)), step(takes(), "layuot"), step(Absent()))
    assert found == [(TYPE, 1, "path"), (FROM, 2, ""), (TOOL, 3, "")]
