"""Annotations are looked up when a function is bound, where they were written, however they were deferred."""

from __future__ import annotations

import importlib.util
import itertools
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from capdeco.bind.codec import body_of
from capdeco.declare.functions import FunctionInput
from capdeco.declare.shape import NULL, Array, Field, Object, Ref, Scalar, Shape, Unknown, union
from capdeco.errors import DeclarationError
from capdeco.reading import read_function, read_type

Load = Callable[..., ModuleType]
INTEGER, STRING, DATE = Scalar("integer"), Scalar("string"), Scalar("string", "date")


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    """Import source text as a module of its own."""
    numbers = itertools.count()
    names: list[str] = []

    def load(source: str, name: str = "") -> ModuleType:
        name = name or f"late_{next(numbers)}"
        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(source), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        names.append(name)
        spec.loader.exec_module(module)
        return module

    yield load
    for name in names:
        del sys.modules[name]


def shapes(function: Any, **types: object) -> dict[str, Shape]:
    return {name: field.shape for name, field in read_function(FunctionInput(function, types)).takes.fields.items()}


@pytest.mark.parametrize("how", ["from __future__ import annotations", "quoted"])
def test_a_class_that_is_defined_after_the_function(load: Load, how: str) -> None:
    later, number = ("'Later'", "'int | None'") if how == "quoted" else ("Later", "int | None")
    module = load(f"""
        {how if how != "quoted" else ""}
        import attrs

        def function(one: {later}, two: {number}) -> {later}: ...

        @attrs.frozen
        class Later:
            day: {"'dt.date'" if how == "quoted" else "dt.date"}

        import datetime as dt
    """)
    assert shapes(module.function) == {"one": Object({"day": Field(DATE)}), "two": union([INTEGER, NULL])}


def test_names_inside_of_generics(load: Load) -> None:
    module = load("""
        from typing import Annotated, Optional

        def function(one: list["Later"], two: Optional["Later"], three: Annotated["Later", "doc"]): ...

        Later = int
    """)
    assert shapes(module.function) == {"one": Array(INTEGER), "two": union([INTEGER, NULL]), "three": INTEGER}


TYPE_CHECKING = """
    from __future__ import annotations
    from typing import TYPE_CHECKING

    if TYPE_CHECKING:
        from reports import Report

    # The declaration's line is 9.
    def function(name: str, report: list[Report]) -> Report: ...
"""


def test_an_import_for_type_checkers_only_is_refused_at_the_line_of_the_declaration(load: Load) -> None:
    module = load(TYPE_CHECKING)
    with pytest.raises(DeclarationError) as refused:
        read_function(FunctionInput(module.function))
    assert [
        (each.place and each.place.line, each.rule, each.subject, each.what, each.fix)
        for each in refused.value.diagnostics
    ] == [
        (
            9,
            "annotation",
            subject,
            'the name "Report" in its annotation is not defined at run time',
            'move the import or pass types={"Report": ...}',
        )
        for subject in ('the parameter "report" of "function"', 'the result of "function"')
    ]


def test_types_give_the_names_that_the_module_does_not_have(load: Load) -> None:
    module = load(TYPE_CHECKING)
    assert shapes(module.function, Report=int, str=int) == {"name": INTEGER, "report": Array(INTEGER)}
    vars(module)["Report"] = bool
    assert shapes(module.function, Report=int)["report"] == Array(Scalar("boolean"))


def test_types_reach_the_fields_of_classes_and_the_objects_that_arrive(load: Load) -> None:
    module = load("""
        from __future__ import annotations
        import attrs
        from typing import TYPE_CHECKING

        if TYPE_CHECKING:
            from days import Day

        @attrs.frozen
        class Entry:
            day: Day | None = None

        def function(entry: Entry): return entry.day.year
    """)
    import datetime as dt  # noqa: PLC0415 - the module above must not see it

    takes = FunctionInput(module.function, {"Day": dt.date})
    body = body_of(takes, read_function(takes))
    context: Any = None
    assert body({"entry": {"day": "2026-01-31"}}, context) == 2026
    with pytest.raises(DeclarationError, match='day: the name "Day" in its annotation is not defined'):
        read_function(FunctionInput(module.function))


def test_names_are_looked_up_where_they_were_written(load: Load) -> None:
    load(
        """
        from __future__ import annotations
        import attrs

        Value = int

        @attrs.frozen
        class Base:
            value: Value
    """,
        "late_base",
    )
    module = load("""
        from __future__ import annotations
        import attrs
        from late_base import Base

        Value = str

        @attrs.frozen
        class Derived(Base):
            more: Value

        def function(it: Derived, value: Value): ...
    """)
    assert shapes(module.function) == {
        "it": Object({"value": Field(INTEGER), "more": Field(STRING)}),
        "value": STRING,
    }


def test_a_field_that_is_called_like_its_type(load: Load) -> None:
    module = load("""
        from __future__ import annotations
        import dataclasses
        from datetime import date

        @dataclasses.dataclass
        class Entry:
            date: date | None = None
            list: list[str] = dataclasses.field(default_factory=list)

        class Tools:
            def list(self, entry: list[Entry]): ...
    """)
    entry = Object(
        {
            "date": Field(union([DATE, NULL]), optional=True, filled=True, default=None),
            "list": Field(Array(STRING), optional=True, filled=True, default=[]),
        }
    )
    assert shapes(module.Tools.list) == {"entry": Array(entry)}


def test_a_class_inside_of_the_class_of_the_method(load: Load) -> None:
    module = load("""
        from __future__ import annotations
        import attrs

        class Tools:
            @attrs.frozen
            class Options:
                columns: int

            def function(self, options: Options): ...
    """)
    assert shapes(module.Tools.function) == {"options": Object({"columns": Field(INTEGER)})}


def test_a_class_local_to_a_function(load: Load) -> None:
    module = load("""
        import attrs

        def make():
            @attrs.frozen
            class Tree:
                children: "list[Tree]"

            def function(tree: Tree): ...
            return function
    """)
    (tree,) = shapes(module.make()).values()
    assert tree == Ref("Tree", {})


LOCAL = """
    from __future__ import annotations
    import attrs

    def make():
        @attrs.frozen
        class Local:
            columns: int

        def function(local: Local):
            {body}
        return function
"""


def test_a_deferred_class_local_to_a_function_is_found_in_its_closure(load: Load) -> None:
    module = load(LOCAL.format(body="return isinstance(local, Local)"))
    assert shapes(module.make()) == {"local": Object({"columns": Field(INTEGER)})}


def test_a_deferred_class_local_to_a_function_that_nothing_holds_is_refused(load: Load) -> None:
    module = load(LOCAL.format(body="..."))
    with pytest.raises(
        DeclarationError, match=r'the name "Local" .* not defined[^\n]*\n  fix: move the import or pass'
    ):
        read_function(FunctionInput(module.make()))


def test_a_wrapped_function_is_read_where_it_was_written(load: Load) -> None:
    load(
        """
        from __future__ import annotations
        import datetime as dt

        def inner(day: dt.date): ...
    """,
        "late_inner",
    )
    module = load("""
        import functools
        from late_inner import inner

        @functools.wraps(inner)
        def outer(*args, **kwargs): ...
    """)
    assert shapes(module.outer) == {"day": DATE}


def test_a_name_alone_can_be_read(load: Load) -> None:
    load("Value = int", "late_value")
    assert read_type("list[Value]", module="late_value") == Array(INTEGER)
    assert read_type("Value", types={"Value": str}) == STRING
    with pytest.raises(DeclarationError, match='the name "Value" in its annotation is not defined'):
        read_type("Value")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is new in 3.12")
def test_type_statements_and_type_parameters(load: Load) -> None:
    module = load("""
        from __future__ import annotations
        import attrs

        type Json = dict[str, Json] | list[Json] | int
        type Pair[T] = tuple[T, T]

        @attrs.frozen
        class Page[T]:
            items: list[T]

        def function[U](json: Json, pair: Pair[str], page: Page[int], any: U): ...
    """)
    table: dict[str, Shape] = {}
    json = Ref("Json", table)
    table["Json"] = union([Object({}, json), Array(json), INTEGER])
    found = shapes(module.function)
    assert found["json"] == json
    target = found["json"]
    assert isinstance(target, Ref)
    assert target.target == table["Json"]
    assert found["pair"] == Array(STRING)
    assert found["page"] == Object({"items": Field(Array(INTEGER))})


@pytest.mark.skipif(sys.version_info < (3, 14), reason="PEP 649 is new in 3.14")
def test_annotations_that_python_defers_itself(load: Load) -> None:
    module = load("""
        import attrs

        def function(later: Later, more: list[Later] | None, unknown: Unknown): ...

        @attrs.frozen
        class Later:
            next: Later | None = None
    """)
    found = shapes(module.function, Unknown=int)
    assert found["unknown"] == INTEGER
    assert found["later"] == Ref("Later", {})
    with pytest.raises(DeclarationError, match="move the import or pass types"):
        read_function(FunctionInput(module.function))


@pytest.mark.parametrize("family", ["dataclasses.dataclass", "attrs.define", "msgspec.Struct"])
@pytest.mark.parametrize("how", ["future", "quoted", "now"])
def test_class_variables_are_no_fields_and_final_is_its_type(load: Load, family: str, how: str) -> None:
    def said(text: str) -> str:
        return f'"{text}"' if how == "quoted" else text

    struct = family == "msgspec.Struct"
    module = load(f"""
        {"from __future__ import annotations" if how == "future" else ""}
        import attrs, dataclasses, msgspec
        from typing import TYPE_CHECKING, ClassVar, Final

        if TYPE_CHECKING:
            from nowhere import Unknown

        {"" if struct else f"@{family}"}
        class Options{"(msgspec.Struct)" if struct else ""}:
            pages: {said("Final[int]")}
            limit: {said("ClassVar[int]")} = 3
            {"" if how == "now" else f"cache: {said('ClassVar[Unknown]')} = None"}
            zoom: {said("Final[int]")} = 4
            mode: {said("Final")} = "fast"
            rest: {said("Final")} = None

        def function(options: Options): ...
    """)
    options = read_function(FunctionInput(module.function)).takes.fields["options"].shape
    assert options == Object(
        {
            "pages": Field(INTEGER),
            "zoom": Field(INTEGER, optional=True, filled=True, default=4),
            "mode": Field(STRING, optional=True, filled=True, default="fast"),
            "rest": Field(Unknown("it may hold any JSON"), optional=True, filled=True, default=None),
        }
    )
