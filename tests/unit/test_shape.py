"""The laws of shapes, on generated ones: an order that agrees with what a JSON Schema validator says of values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import jsonschema_rs
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from capdeco.declare.json_schema import parse_schema, render
from capdeco.declare.shape import (
    ANY,
    FORMATS,
    NULL,
    Array,
    Const,
    Field,
    JsonScalar,
    Object,
    Ref,
    Scalar,
    Shape,
    Union,
    Unknown,
    admits,
    compare,
    fill,
    fills,
    fits,
    resolve,
    told_apart,
    union,
)

laws = settings(deadline=None, max_examples=100)
INTEGER, NUMBER, STRING, BOOLEAN = Scalar("integer"), Scalar("number"), Scalar("string"), Scalar("boolean")

# Shapes

NAMES = ("a", "b", "kind")
constants: st.SearchStrategy[JsonScalar] = st.sampled_from(["a", "b", "", 0, 1, 2, True, False, 1.5])
scalars: st.SearchStrategy[Shape] = st.one_of(
    st.sampled_from([NULL, INTEGER, NUMBER, STRING, BOOLEAN]),
    st.sampled_from(sorted(FORMATS)).map(lambda name: Scalar("string", name)),
    # True == 1 to Python: an order of its own keeps the two apart.
    st.lists(constants, min_size=1, max_size=3, unique_by=lambda value: (type(value) is bool, value)).map(
        lambda values: Const(tuple(values))
    ),
)


def composed(inner: st.SearchStrategy[Shape]) -> st.SearchStrategy[Shape]:
    return st.one_of(
        inner.map(Array),
        objects(inner),
        st.lists(inner, min_size=2, max_size=3).map(union),
    )


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Shape]) -> Shape:
    fields: dict[str, Field] = {}
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=3)):
        shape = draw(inner)
        match draw(st.sampled_from(["required", "optional", "filled"])):
            case "required":
                fields[name] = Field(shape)
            case "optional":
                fields[name] = Field(shape, optional=True)
            case _:
                fields[name] = Field(shape, optional=True, filled=True, default=draw(values_of(shape)))
    rest = draw(st.none() | inner)
    return Object(fields, rest)


@st.composite
def recursive(draw: st.DrawFn, inner: st.SearchStrategy[Shape]) -> Shape:
    """A shape that holds itself below a field or an item, so that it has finite values."""
    table: dict[str, Shape] = {}
    itself = Ref("Node", table)
    fields = {"value": Field(draw(inner)), "more": Field(draw(st.sampled_from([Array(itself), union([itself, NULL])])))}
    if draw(st.booleans()):
        fields["more"] = attrs.evolve(fields["more"], optional=True)
    table["Node"] = Object(fields, draw(st.none() | scalars))
    return itself


@st.composite
def with_a_recursive_type(draw: st.DrawFn) -> Shape:
    # One: a table has one type of a name.
    itself = draw(recursive(scalars))
    return draw(st.recursive(st.one_of(scalars, st.just(itself)), composed, max_leaves=4))


flat = st.recursive(scalars, composed, max_leaves=6)
shapes = st.one_of(flat, with_a_recursive_type())
unknowing = st.recursive(st.one_of(scalars, st.just(ANY)), composed, max_leaves=6)

# Values: complete ones, as whoever receives an object sees it, with every default filled in

TEXTS = {
    "date": "2026-01-31", "date-time": "2026-01-31T12:00:00Z", "time": "12:00:00Z", "duration": "PT1M",
    "uuid": "00000000-0000-0000-0000-000000000001", "decimal": "1.5", "path": "a/b", "byte": "aGk=",
}  # fmt: skip
any_json = st.recursive(
    st.one_of(st.none(), constants),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(NAMES), inner),
)


@st.composite
def values_of(draw: st.DrawFn, shape: Shape, depth: int = 0) -> Any:
    match shape:
        case Unknown():
            return draw(any_json)
        case Ref():
            return draw(values_of(shape.target, depth + 1))
        case Union(arms=arms):
            # Deep down, the arm that ends: null stands in every union that holds a reference.
            return draw(values_of(NULL if depth > 2 and NULL in arms else draw(st.sampled_from(arms)), depth))
        case Const(values=values):
            return draw(st.sampled_from(values))
        case Array(item=item):
            return draw(st.lists(values_of(item, depth + 1), max_size=0 if depth > 2 else 2))
        case Object(fields=fields, rest=rest):
            value = {
                name: draw(values_of(field.shape, depth))
                for name, field in fields.items()
                if field.provided or draw(st.booleans())
            }
            others = [name for name in (*NAMES, "other") if name not in fields]
            if rest is not None and depth < 3:
                value |= draw(st.dictionaries(st.sampled_from(others), values_of(rest, depth + 1), max_size=2))
            return value
        case Scalar():
            return draw(scalar_values(shape))


def scalar_values(shape: Scalar) -> st.SearchStrategy[Any]:
    match shape.kind:
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "integer":
            return st.integers(-3, 3) | st.sampled_from([2.0])
        case "number":
            return st.integers(-3, 3) | st.sampled_from([0.5, 2.0])
        case "string":
            return st.just(TEXTS[shape.format]) if shape.format else st.text(max_size=3)


def valid(shape: Shape, value: object) -> bool:
    return jsonschema_rs.Draft202012Validator(render(shape)).is_valid(value)


# The order


@laws
@given(shapes)
def test_a_shape_fits_itself(shape: Shape) -> None:
    assert fits(shape, shape)


@laws
@given(shapes, st.data())
def test_what_fits_admits_every_value(given_: Shape, data: st.DataObject) -> None:
    wanted = data.draw(related(given_))
    assume(fits(given_, wanted))
    value = data.draw(values_of(given_))
    assert valid(wanted, value)
    assert admits(wanted, value)


@laws
@given(shapes, st.data())
def test_fitting_is_transitive(first: Shape, data: st.DataObject) -> None:
    second = data.draw(related(first))
    third = data.draw(related(second))
    assume(fits(first, second) and fits(second, third))
    assert fits(first, third)


@laws
@given(unknowing, st.data())
def test_what_is_larger_by_construction_is_never_called_wrong(given_: Shape, data: st.DataObject) -> None:
    found = compare(given_, data.draw(wider(given_)))
    assert found is None or not found.proved


@st.composite
def wider(draw: st.DrawFn, shape: Shape) -> Shape:
    """Shapes that surely admit every value of *shape*."""
    if draw(st.integers(0, 3)) == 0:
        return union(draw(st.permutations([shape, draw(unknowing)])))
    match shape:
        case Array(item=item):
            return Array(draw(wider(item)))
        case Object(fields=fields, rest=rest):
            looser = {
                name: Field(draw(wider(field.shape)), optional=not field.provided or draw(st.booleans()))
                for name, field in fields.items()
            }
            return Object(looser, draw(st.none() | unknowing) if rest is None else draw(wider(rest)))
        case Union(arms=arms):
            return union([draw(wider(arm)) for arm in arms])
        case Scalar(kind="integer"):
            return NUMBER
        case Scalar(kind="string"):
            return STRING
        case Const(values=values):
            return Const((*values, "more"))
        case _:
            return shape


def related(shape: Shape) -> st.SearchStrategy[Shape]:
    """Shapes that may well be larger: unrelated ones hardly ever fit, and would prove nothing."""
    return st.one_of(st.just(shape), widened(shape), widened(shape).flatmap(widened), flat)


@st.composite
def widened(draw: st.DrawFn, shape: Shape) -> Shape:
    match draw(st.sampled_from(["union", "inside", "inside"])), resolve(shape):
        case "union", _:
            return union(draw(st.permutations([shape, draw(scalars)])))
        case _, Array(item=item):
            return Array(draw(widened(item)))
        case _, Object(fields=fields, rest=rest):
            return Object(
                {
                    name: Field(draw(widened(field.shape)), optional=field.optional or draw(st.booleans()))
                    for name, field in fields.items()
                    if rest is None or draw(st.integers(0, 3))
                },
                rest if rest is None else draw(widened(rest)),
            )
        case _, Union(arms=arms):
            return union([draw(widened(arm)) for arm in arms])
        case _, Scalar(kind="integer"):
            return NUMBER
        case _, Scalar(kind="string"):
            return STRING
        case _, Const(values=values):
            wider: list[Shape] = [STRING, INTEGER, NUMBER, BOOLEAN, Const((*values, "more"))]
            return draw(st.sampled_from(wider))
        case _:
            return shape


@laws
@given(recursive(flat), recursive(flat))
def test_comparing_ends(one: Shape, other: Shape) -> None:
    compare(one, other)
    compare(union([one, other]), Array(one))
    compare(Array(union([one, other])), Array(union([other, NULL])))


def test_comparing_ends_where_two_types_hold_each_other() -> None:
    table: dict[str, Shape] = {}
    one, other = Ref("One", table), Ref("Other", table)
    table["One"] = Object({"other": Field(union([other, NULL]))})
    table["Other"] = Object({"other": Field(union([one, NULL]))})
    assert fits(one, other)
    assert fits(Array(one), Array(union([other, STRING])))


# Schemas


@laws
@given(shapes)
def test_a_rendered_shape_is_read_back(shape: Shape) -> None:
    shape = resolve(shape)
    assert parse_schema(render(shape), filled=True) == shape


@laws
@given(shapes)
def test_a_rendered_shape_is_a_schema_with_a_type_at_its_root(shape: Shape) -> None:
    schema = render(shape)
    assert jsonschema_rs.meta.is_valid(schema)
    assert "$ref" not in schema


@laws
@given(shapes, st.data())
def test_a_value_of_a_shape_is_valid(shape: Shape, data: st.DataObject) -> None:
    value = data.draw(values_of(shape))
    assert admits(shape, value)
    assert valid(shape, value)


@laws
@given(shapes, any_json)
def test_admitting_is_validating(shape: Shape, value: object) -> None:
    assert admits(shape, value) == valid(shape, value)


# Filling


@laws
@given(shapes, st.data())
def test_filling_completes_a_value_and_leaves_a_complete_one(shape: Shape, data: st.DataObject) -> None:
    value = without_defaults(shape, data.draw(values_of(shape)))
    assume(admits(shape, value))
    filled = fill(shape, value)
    assert admits(shape, filled)
    assert fill(shape, filled) == filled
    if not fills(shape):
        assert filled == value


def without_defaults(shape: Shape, value: Any) -> Any:
    shape = resolve(shape)
    if isinstance(shape, Object) and isinstance(value, Mapping):
        return {name: each for name, each in value.items() if name not in shape.fields or not shape.fields[name].filled}
    return value


# Telling apart


@laws
@given(objects(flat), objects(flat), st.data())
def test_no_value_is_of_both_of_two_objects_that_are_told_apart(one: Shape, other: Shape, data: st.DataObject) -> None:
    assume(told_apart(one, other))
    assert not admits(other, data.draw(values_of(one)))
    assert told_apart(other, one)


# The readings of doubtful cases, as examples

READINGS: dict[str, tuple[Shape, Shape, str]] = {
    "int into float": (INTEGER, NUMBER, ""),
    "float into int": (NUMBER, INTEGER, "float does not fit int"),
    "bool into int": (BOOLEAN, INTEGER, "bool does not fit int"),
    "bool into float": (BOOLEAN, NUMBER, "bool does not fit float"),
    "date into str": (Scalar("string", "date"), STRING, ""),
    "str into date": (STRING, Scalar("string", "date"), "str does not fit date"),
    "date into datetime": (Scalar("string", "date"), Scalar("string", "date-time"), "date does not fit datetime"),
    "str into Path": (STRING, Scalar("string", "path"), ""),
    "Path into str": (Scalar("string", "path"), STRING, ""),
    "str into bytes": (STRING, Scalar("string", "byte"), ""),
    "Literal into str": (Const(("a",)), STRING, ""),
    "Literal into date": (Const(("2026-01-31",)), Scalar("string", "date"), "Literal['2026-01-31'] does not fit date"),
    "str into Literal": (STRING, Const(("a",)), "str does not fit Literal['a']"),
    "Literal into a larger one": (Const(("a",)), Const(("b", "a")), ""),
    "Literal into a smaller one": (Const(("a", "b")), Const(("a",)), "'b' is not one of Literal['a']"),
    "bool into both its values": (BOOLEAN, Const((True, False)), ""),
    "True into 1": (Const((True,)), Const((1,)), "True is not one of Literal[1]"),
    "str into a list of str": (STRING, Array(STRING), "str does not fit list[str]"),
    "a list into one of its items' supertype": (Array(INTEGER), Array(NUMBER), ""),
    "nullable into not nullable": (union([STRING, NULL]), STRING, "it may be None, which str does not accept"),
    "not nullable into nullable": (STRING, union([STRING, NULL]), ""),
    "an object into a mapping of what its fields are": (Object({"a": Field(INTEGER)}), Object({}, NUMBER), ""),
    "an object into a mapping of something else": (
        Object({"a": Field(STRING)}),
        Object({}, NUMBER),
        "a: str does not fit float",
    ),
    "an object into one that has not its field": (
        Object({"a": Field(STRING), "b": Field(STRING)}),
        Object({"a": Field(STRING)}),
        "b: an object {a} has no such field",
    ),
    "an object into one that spells its field otherwise": (
        Object({"dept": Field(INTEGER)}),
        Object({"depth": Field(INTEGER)}),
        'dept: an object {depth} has no such field; did you mean "depth"?',
    ),
    "a field that may be absent into a required one": (
        Object({"a": Field(STRING, optional=True)}),
        Object({"a": Field(STRING)}),
        "a: it may be absent, and is required",
    ),
    "a field with a default into a required one": (
        Object({"a": Field(STRING, optional=True, filled=True, default="x")}),
        Object({"a": Field(STRING)}),
        "",
    ),
    "a mapping into an object with a required key": (
        Object({}, STRING),
        Object({"a": Field(STRING)}, STRING),
        "a: a mapping may or may not hold it (unchecked)",
    ),
    "a tag of two values into a tagged union": (
        Object({"kind": Field(Const(("a", "b")))}),
        union([Object({"kind": Field(Const(("a",)))}), Object({"kind": Field(Const(("b",)))})]),
        "",
    ),
    "anything into int": (Unknown("its type is Any"), INTEGER, "its type is Any (unchecked)"),
    "int into anything": (INTEGER, ANY, ""),
}


@pytest.mark.parametrize(("given_", "wanted", "why"), [pytest.param(*case, id=name) for name, case in READINGS.items()])
def test_a_reading(given_: Shape, wanted: Shape, why: str) -> None:
    found = compare(given_, wanted)
    said = "" if found is None else f"{found.path}: {found.why}" if found.path else found.why
    assert said + ("" if found is None or found.proved else " (unchecked)") == why


def test_a_misfit_names_the_path() -> None:
    rows = Object({"rows": Field(Array(Object({"name": Field(STRING)})))})
    wanted = Object({"rows": Field(Array(Object({"name": Field(INTEGER)})))})
    found = compare(rows, wanted)
    assert found is not None
    assert found.path == "rows[].name"
