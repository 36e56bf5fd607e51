"""Forms as shapes: recursion, defaults, and which unions can be told apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import combinations
from typing import Any, Final, Literal, get_origin

import attrs

from capdeco.declare import faults, unfit
from capdeco.declare.faults import Flaw, Refused
from capdeco.declare.json_schema import parse_schema
from capdeco.declare.shape import (
    NO_DEFAULT,
    Array,
    Const,
    Field,
    Object,
    Ref,
    Scalar,
    Shape,
    Unknown,
    admits,
    arms_of,
    documented,
    may_be_key,
    told_apart,
    union,
)
from capdeco.reading.foreign import Foreign, as_taken
from capdeco.reading.forms import (
    Alias,
    Anything,
    Choice,
    Constants,
    Fixed,
    Form,
    Keyed,
    Many,
    Noted,
    Plain,
    Text,
    form_of,
)
from capdeco.reading.records import MISSING, Member, Record
from capdeco.reading.values import NoJson, is_finite, to_json

_DEEPEST: Final = 8
"""A generic class inside itself with other arguments, more often than that, contains ever larger versions of itself."""


@attrs.define(eq=False)
class ShapeReader:
    """Reads the types of one function: its shapes share one table, and everything wrong is collected."""

    names: Mapping[str, object] = attrs.field(factory=dict)
    results: bool = False
    """Read what is given back: nothing is absent that has a default, a subclass may hold more, any union will do."""
    flaws: list[Flaw] = attrs.field(factory=list)
    table: dict[str, Shape] = attrs.field(factory=dict)
    _recursive: dict[Any, str] = attrs.field(factory=dict)
    _running: dict[Any, str | None] = attrs.field(factory=dict)
    _path: list[str] = attrs.field(factory=list)
    _later: list[Callable[[], None]] = attrs.field(factory=list)

    def shape(self, annotation: Any) -> Shape:
        """Read one type; what has no JSON form is noted in `flaws`, and stands as Unknown."""
        try:
            return self._lower(annotation, form_of(annotation, self.names))
        except Refused as refused:
            self.refuse(refused.flaw)
            return Unknown(str(refused))

    def field(self, annotation: Any, default: Callable[[], Any] | None, *, required: bool, doc: str = "") -> Field:
        """Read a type with its default; *default* makes the value, and `None` is for one not known beforehand."""
        shape = self.shape(annotation)
        shape = documented(shape, shape.doc or doc)
        if required:
            return Field(shape)
        value = NO_DEFAULT if default is None else self._default(default)
        if value is NO_DEFAULT:
            return Field(shape, optional=True)
        self._check_later(lambda: self._admitted(shape, value))
        return Field(shape, optional=True, filled=True, default=value)

    def finish(self) -> list[Flaw]:
        """Check what could not be checked before every type was read, and give all that was refused."""
        while self._later:
            self._later.pop(0)()
        return self.flaws

    @contextmanager
    def at(self, step: str) -> Iterator[None]:
        """Read at *step* below: `columns`, or `[]`."""
        self._path.append(step)
        try:
            yield
        finally:
            self._path.pop()

    def refuse(self, flaw: Flaw) -> None:
        """Note what is wrong with what is being read."""
        self.flaws.append(flaw.within(self._path))

    def _check_later(self, check: Callable[[], None]) -> None:
        path = list(self._path)

        def run() -> None:
            self._path = path
            check()

        self._later.append(run)

    def _lower(self, annotation: Any, form: Form) -> Shape:
        match form:
            case Anything(reason=reason):
                return Unknown(reason)
            case Plain(kind=kind):
                return Scalar(kind)
            case Text(format=name):
                return Scalar("string", name)
            case Constants(values=values):
                return Const(tuple(value for value, _ in values))
            case Many(item=item):
                with self.at("[]"):
                    return Array(self.shape(item))
            case Fixed(items=items):
                return Array(self._any_of(items))
            case Keyed(key=key, value=value):
                return self._mapping(key, value)
            case Choice(arms=arms):
                return self._choice(arms)
            case Noted(inner=inner, doc=doc):
                return documented(self.shape(inner), doc)
            case Alias(name=name, target=target):
                return self._named(annotation, name, lambda: self.shape(target))
            case Record():
                return self._named(annotation, form.name, lambda: self._record(form))
            case Foreign():
                return self._named(annotation, form.name, lambda: self._foreign(form))

    def _named(self, annotation: Any, name: str, read: Callable[[], Shape]) -> Shape:
        """Read a type that may be met again inside itself: then it is a definition, and every use of it a reference."""
        key = key_of(annotation)
        if key in self._running and self._running[key] is None:
            self._running[key] = self._unique(name)
        known = self._recursive.get(key) or self._running.get(key)
        if known:
            return Ref(known, self.table)
        generic = get_origin(annotation)
        if generic and sum(get_origin(each) is generic for each in self._running) > _DEEPEST:
            raise Refused(unfit.endless(generic.__name__))
        self._running[key] = None
        try:
            shape = read()
        finally:
            given = self._running.pop(key)
        if given is None:
            return shape
        self._recursive[key] = given
        self.table[given] = shape
        return Ref(given, self.table)

    def _unique(self, name: str) -> str:
        name = re.sub(r"\W", "_", name, flags=re.ASCII)
        taken = {*self._recursive.values(), *self._running.values()}
        number = 1
        while name in taken:
            number += 1
            name = f"{name.rstrip('0123456789').rstrip('_')}_{number}"
        return name

    def _any_of(self, annotations: tuple[Any, ...]) -> Shape:
        shapes = []
        for place, each in enumerate(annotations):
            with self.at(f"[{place}]"):
                shapes.append(self.shape(each))
        return union(shapes) if shapes else Unknown("it has no items")

    def _mapping(self, key: Any, value: Any) -> Shape:
        if not all(map(may_be_key, arms_of(self.shape(key)))):
            self.refuse(unfit.keys())
        with self.at("*"):
            return Object({}, self.shape(value))

    def _choice(self, arms: tuple[Any, ...]) -> Shape:
        shapes = [self.shape(arm) for arm in arms]
        if not self.results:
            self._check_later(lambda: self._told_apart(shapes))
        return union(shapes)

    def _told_apart(self, shapes: list[Shape]) -> None:
        arms = [arm for shape in shapes for arm in arms_of(shape)]
        for one, other in combinations(arms, 2):
            if not told_apart(one, other):
                self.refuse(unfit.same_arms(one, other))

    def _record(self, record: Record) -> Shape:
        if record.array:
            tags = () if record.tag is None else (Literal[record.tag[1]],)
            return Array(self._any_of((*tags, *(each.annotation for each in record.inputs))))
        return self.record(record)

    def record(self, record: Record) -> Object:
        """Read a class as the object that it is, also one that travels as an array when it is nested."""
        fields: dict[str, Field] = {}
        if record.tag is not None:
            name, value = record.tag
            fields[name] = Field(Const((value,)))
        for each in record.members if self.results else record.inputs:
            with self.at(each.wire):
                fields[each.wire] = self._member(each, surely=self.results and not record.plain)
        with self.at("*"):
            rest = None if record.rest is MISSING else self.shape(record.rest)
        if rest is None and self.results:
            rest = Unknown("a subclass may hold more")
        return Object(fields, rest)

    def _member(self, member: Member, *, surely: bool) -> Field:
        default = member.factory or (None if member.default is MISSING else lambda: member.default)
        return self.field(member.annotation, default, required=member.required or surely)

    def _foreign(self, foreign: Foreign) -> Shape:
        if foreign.root is not None:
            return self.shape(foreign.root)
        if foreign.members is None or self.results:
            return parse_schema(foreign.schema(results=self.results), filled=True)
        fields: dict[str, Field] = {}
        for each in foreign.members:
            with self.at(each.wire):
                fields[each.wire] = self.field(each.annotation, each.default, required=each.required, doc=each.doc)
        return Object(fields, Unknown("its model keeps other keys") if foreign.open else None)

    def _default(self, make: Callable[[], Any]) -> Any:
        """Give a default as JSON; `NO_DEFAULT` for one that is another each time: Python makes it when it is needed."""
        try:
            value, again = to_json(as_taken(make())), to_json(as_taken(make()))
        except NoJson as error:
            self.refuse(faults.default_without_form(str(error)))
            return NO_DEFAULT
        if not is_finite(value):
            self.refuse(faults.default_not_finite())
            return NO_DEFAULT
        return value if value == again else NO_DEFAULT

    def _admitted(self, shape: Shape, value: Any) -> None:
        if not admits(shape, value):
            self.refuse(faults.default_misfit(value, shape))


def key_of(annotation: Any) -> Any:
    """Give what stands for a type in a table; what `Annotated` holds in its arguments may have no hash."""
    try:
        hash(annotation)
    except TypeError:
        return id(annotation)
    return annotation
