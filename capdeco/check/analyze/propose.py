"""A starter declaration for each group of tools: Python that imports, a TODO wherever meaning would be invented."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator
from typing import Final

import attrs

from capdeco.check.analyze.records import Found, FoundTool
from capdeco.check.analyze.surface import Group, groups_of
from capdeco.declare.names import tool_name_fault
from capdeco.declare.shape import (
    Array,
    Const,
    Field,
    Object,
    Ref,
    Scalar,
    Shape,
    Union,
    Unknown,
    admits,
    show,
)

_WIDTH: Final = 88
_SCALARS: Final = {"null": "None", "boolean": "bool", "integer": "int", "number": "float", "string": "str"}


def propose(found: Found) -> str:
    """Give a module that declares one capability for each group, or says that there is none to declare."""
    imports: set[str] = set()
    taken: set[str] = set()
    classes = [_Proposal(group, _identifier(group.prefix, taken), imports).text() for group in groups_of(found.tools)]
    if not classes:
        return "# PROPOSAL: none. No two tools have names that begin alike.\n"
    head = [
        "# PROPOSAL: a starting point, not advice. Which tools belong together, in which order,",
        "# and what the model should know of it is for a person to decide: see each TODO.",
        f"# Its tools: {_comment(found.source)}",
        "",
        '"""TODO: say what this plugin is for."""',
        "",
    ]
    typing = sorted(imports & {"Annotated", "Any", "Literal"}, key=str.lower)
    if typing:
        head += [f"from typing import {', '.join(typing)}", ""]
    ours = ["Doc"] if "Doc" in imports else []
    names = ", ".join([*ours, *(["Step", "capability", "operation"] if "Step" in imports else [])])
    if names:
        head += [f"from capdeco import {names}", "", ""]
    return "\n".join(head) + "\n" + "\n\n\n".join(classes) + "\n"


@attrs.define
class _Merged:
    """The parameters that the tools of a group agree on, and what is to be said about the others."""

    required: dict[str, Field] = attrs.field(factory=dict)
    optional: dict[str, Field] = attrs.field(factory=dict)
    notes: list[str] = attrs.field(factory=list)


@attrs.define
class _Proposal:
    """One group, as the text of one class."""

    group: Group
    ident: str
    imports: set[str]

    def text(self) -> str:
        tools = list({tool.name: tool for tool in self.group.tools}.values())
        legal = [tool for tool in tools if tool_name_fault(tool.name) is None]
        merged = _merge(legal)
        notes = [f"TODO: {self.group.question}"]
        notes += [
            f"TODO: {tool.name} cannot be a step as it is: {tool_name_fault(tool.name)}"
            for tool in tools
            if tool not in legal
        ]
        notes += merged.notes
        comment = [line for note in notes for line in _wrapped(note)]
        if not legal:
            return "\n".join([*comment, "# No tool of this group can be a step."])
        self.imports |= {"Step"}
        return "\n".join(
            [
                *comment,
                *_decorator(self.ident, self.group.prefix),
                f"class {_class_name(self.ident)}:",
                f'    """PROPOSAL: TODO: say what {self.ident} is about."""',
                "",
                "    @operation(",
                '        name="todo",',
                "        steps=[",
                *(f"            Step({_quoted(str(tool.name))})," for tool in legal),
                "        ],",
                "    )",
                *self._signature(merged),
                '        """TODO: say what one call does, and when to use it."""',
            ]
        )

    def _signature(self, merged: _Merged) -> Iterator[str]:
        fields = {**merged.required, **merged.optional}
        if not fields:
            yield "    def todo(self) -> None:"
            return
        yield "    def todo("
        yield "        self,"
        if merged.optional:
            yield "        *,"  # so that what has a default may stand anywhere
        for name, field in fields.items():
            yield from self._parameter(name, field)
        yield "    ) -> None:"

    def _parameter(self, name: str, field: Field) -> Iterator[str]:
        annotation = self._annotation(field.shape)
        default = f" = {_literal(field.default)}" if field.optional else ""
        doc = " ".join(field.shape.doc.split())
        if not doc:
            yield f"        {name}: {annotation}{default},"
            return
        self.imports |= {"Annotated", "Doc"}
        line = f"        {name}: Annotated[{annotation}, Doc({_quoted(doc)})]{default},"
        if len(line) <= _WIDTH:
            yield line
            return
        yield f"        {name}: Annotated["
        yield f"            {annotation},"
        if len(f"            Doc({_quoted(doc)}),") <= _WIDTH:
            yield f"            Doc({_quoted(doc)}),"
        else:
            yield "            Doc("
            yield from (f"                {_quoted(part)}" for part in _split(doc, _WIDTH - 18))
            yield "            ),"
        yield f"        ]{default},"

    def _annotation(self, shape: Shape) -> str:
        match shape:
            case Scalar(kind=kind):
                return _SCALARS[kind]
            case Const(values=values):
                self.imports.add("Literal")
                return f"Literal[{', '.join(_literal(each) for each in values)}]"
            case Array(item=item):
                return f"list[{self._annotation(item)}]"
            case Object(rest=rest) if shape.is_mapping and rest is not None:
                return f"dict[str, {self._annotation(rest)}]"
            case Object():
                self.imports.add("Any")
                return "dict[str, Any]"
            case Union(arms=arms):
                spelt = list(dict.fromkeys(self._annotation(arm) for arm in arms))
                return " | ".join(["Any"] if "Any" in spelt else spelt)
            case Unknown() | Ref():
                self.imports.add("Any")
                return "Any"


def _merge(tools: Iterable[FoundTool]) -> _Merged:
    merged = _Merged()
    fields: dict[str, list[tuple[str, Field]]] = {}
    for tool in tools:
        if isinstance(tool.takes, Object):
            for name, field in tool.takes.fields.items():
                fields.setdefault(name, []).append((str(tool.name), field))
        else:
            merged.notes.append(f"TODO: the parameters of {tool.name} are dynamic: {tool.takes.reason}")
    for name, found in fields.items():
        shapes = {show(field.shape): tool for tool, field in found}
        first = found[0][1]
        if any(field.shape != first.shape for _, field in found[1:]):
            said = "; ".join(f"{tool} takes {shape}" for shape, tool in shapes.items())
            merged.notes.append(f"TODO: the tools do not agree on {name}: {said}")
        elif not name.isidentifier() or not name.isascii() or keyword.iskeyword(name) or name in ("self", "_"):
            merged.notes.append(f"TODO: the parameter {name} is no Python name: give it as a field of a class")
        elif name.startswith("__"):
            merged.notes.append(f"TODO: the parameter {name} would be renamed by Python in a class")
        else:
            if isinstance(first.shape, Object) and first.shape.fields:
                merged.notes.append(f"TODO: give {name} a type of its own: it is {show(first.shape)}")
            if any(not field.optional for _, field in found):
                merged.required[name] = attrs.evolve(first, optional=False)
            elif _has_plain_default(first) and all(field.default == first.default for _, field in found):
                merged.optional[name] = first
            else:
                merged.notes.append(f"TODO: {name} may be left out, and has no default that can stand here: choose one")
    return merged


def _has_plain_default(field: Field) -> bool:
    """Tell whether the default can stand in a signature: a scalar, and a value of the parameter's own type."""
    default = field.default
    return (default is None or isinstance(default, bool | int | float | str)) and admits(field.shape, default)


def _decorator(ident: str, prefix: str) -> Iterator[str]:
    yield "@capability("
    yield f'    id="{ident}",'
    yield f'    description="TODO: say what the {_plain(prefix)} tools have in common.",'
    yield ")"


def _identifier(prefix: str, taken: set[str]) -> str:
    """Give a capability id that the prefix suggests and no other group has; short, so that the tool's name is legal."""
    text = re.sub(r"[^a-z0-9]+", "_", prefix.lower()).strip("_")[:40]
    text = text if text[:1].isalpha() else f"todo_{text}".rstrip("_")
    found, number = text, 1
    while found in taken:
        number += 1
        found = f"{text}_{number}"
    taken.add(found)
    return found


def _class_name(ident: str) -> str:
    name = "".join(part.capitalize() for part in ident.split("_")) or "Todo"
    return (
        f"{name}Capability"
        if keyword.iskeyword(name) or name in ("Doc", "Step", "Any", "Annotated", "Literal")
        else name
    )


def _literal(value: object) -> str:
    return _quoted(value) if isinstance(value, str) else repr(value)


def _quoted(text: str) -> str:
    """Give a Python string, in the quotes that need fewer escapes: double ones, as a rule."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    return quote + "".join("\\" + each if each in (quote, "\\") else _plainly(each) for each in text) + quote


def _plainly(character: str) -> str:
    """Spell out what a reader could not see, or take for something else: a long dash, a fullwidth comma."""
    if character.isascii() and character.isprintable():
        return character
    return character if character.isalnum() else character.encode("unicode_escape", "surrogatepass").decode()


def _plain(text: str) -> str:
    return re.sub(r"[^\w.-]+", " ", text, flags=re.ASCII)


def _comment(text: str) -> str:
    return "".join(map(_plainly, text))


def _wrapped(note: str) -> Iterator[str]:
    """A comment of lines that fit, the second and later ones indented."""
    line = "#"
    for word in _comment(note).split():
        if len(line) + len(word) + 1 > _WIDTH and line.strip("# "):
            yield line
            line = "#  "
        line += " " + word[: _WIDTH - 4]
    yield line


def _split(text: str, width: int) -> list[str]:
    """Cut *text* at spaces into parts that fit, each with its space."""
    parts: list[str] = []
    line = ""
    for word in re.findall(r"\S+\s*", text):
        if line and len(line) + len(word) > width:
            parts.append(line)
            line = ""
        line += word
    return [*parts, line] if line else parts
