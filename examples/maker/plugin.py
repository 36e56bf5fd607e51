"""Six tools for whoever writes a plugin, each on the plugin's folder; none imports or runs what is in it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import attrs

from capdeco import Doc, ToolError, tool
from capdeco.check.analyze.propose import propose
from capdeco.check.analyze.surface import groups_of, kind_of, size_of
from capdeco.declare.names import identifier_fault
from examples.maker.review import RULES, Finding, Rule, read_plugin, review

Folder = Annotated[str, Doc("Folder of the plugin.")]

STARTER: Final = '''\
"""The {id} plugin."""

from capdeco import Step, capability, operation, tool


@tool(expose=False)
def {id}_read(name: str) -> str:
    """Read one thing by its name."""
    return name


@capability(id="{id}", description="What {id} is about.")
class {title}:
    @operation(steps=[Step({id}_read)])
    def show(self, name: str) -> None:
        """Show one thing."""
'''


@attrs.frozen
class Verdict:
    rule: str
    holds: bool
    faults: int


@attrs.frozen
class Checked:
    """Whether a plugin conforms, rule by rule."""

    conforms: bool
    rules: list[Verdict]


@attrs.frozen
class Group:
    prefix: str
    tools: list[str]
    question: str


@attrs.frozen
class Impact:
    """What a plugin puts in front of the model."""

    tools: int
    exposed: int
    operations: int
    bytes: int
    kinds: dict[str, str]
    groups: list[Group]


@tool(annotations={"read_only": True, "idempotent": True})
def plugin_checklist() -> list[Rule]:
    """List the rules that a plugin is held to."""
    return list(RULES)


@tool(annotations={"read_only": True, "idempotent": True})
def plugin_impact(path: Folder) -> Impact:
    """Measure what a plugin puts in front of the model: tools, bytes of schema, groups of names."""
    found = read_plugin(path)
    exposed = [each for each in found.tools if each.exposed]
    return Impact(
        tools=len(found.tools),
        exposed=len(exposed),
        operations=sum(len(each.operations) for each in found.capabilities),
        bytes=sum(map(size_of, exposed)),
        kinds={each.name: kind_of(each.name) for each in exposed if isinstance(each.name, str)},
        groups=[
            Group(each.prefix, [str(member.name) for member in each.tools], each.question)
            for each in groups_of(exposed)
        ],
    )


@tool(annotations={"read_only": False})
def plugin_scaffold(path: Folder, id: Annotated[str, Doc("Id of its capability.")]) -> str:
    """Write a starter plugin.py into a folder that has none, and say where."""
    if fault := identifier_fault(id, "a capability id"):
        raise ToolError(fault, code="INVALID_ID")
    file = Path(path) / "plugin.py"
    if file.exists():
        raise ToolError(f"{file} exists, and is left as it is", code="EXISTS")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(STARTER.format(id=id, title=id.title().replace("_", "")), encoding="utf-8")
    return str(file)


@tool(annotations={"read_only": True, "idempotent": True})
def plugin_check(path: Folder) -> Checked:
    """Check a plugin against every rule: which hold, and how often the others are broken."""
    findings = review(read_plugin(path))
    counts = [sum(each.rule == rule.id for each in findings) for rule in RULES]
    verdicts = [Verdict(rule.id, not count, count) for rule, count in zip(RULES, counts, strict=True)]
    return Checked(not findings, verdicts)


@tool(annotations={"read_only": True, "idempotent": True})
def plugin_vet(path: Folder, rule: Annotated[str | None, Doc("Only what breaks this rule.")] = None) -> list[Finding]:
    """Say for everything that is wrong with a plugin where it is and how to mend it."""
    return [each for each in review(read_plugin(path)) if rule in (None, each.rule)]


@tool(annotations={"read_only": True, "idempotent": True})
def plugin_adopt(path: Folder) -> str:
    """Propose capabilities for the tools of a plugin, as Python with a TODO wherever meaning is missing."""
    return propose(read_plugin(path))
