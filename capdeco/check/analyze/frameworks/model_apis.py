"""Function specifications of the model APIs: dictionaries with a name and a schema, and Gemini's declarations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from capdeco.check.analyze.frameworks.site import Framework, Site
from capdeco.check.analyze.records import Dynamic, FoundTool, Text
from capdeco.check.analyze.schemas import is_schema, parameters_of
from capdeco.declare.shape import Object, Unknown
from capdeco.declare.wiring import Input
from capdeco.errors import Place

NAME: Final = "function-spec"
SCHEMA_KEYS: Final = ("input_schema", "inputSchema", "parameters", "params_json_schema", "parametersJsonSchema")


def read_spec(value: Mapping[str, object]) -> tuple[Text, Text | None, Input] | None:
    """Read a dictionary as a function specification; `None` if it is none.

    It has a name and a schema of its parameters. A name alone, or with settings beside it, is a configuration.
    """
    inner = value.get("function")
    if value.get("type") == "function" and isinstance(inner, Mapping):
        name, described = inner.get("name"), inner.get("description")
        if not isinstance(name, str | Dynamic):
            return None
        schema = inner.get("parameters")
        takes = Object() if schema is None else parameters_of(schema)
        return name, described if isinstance(described, str | Dynamic) else None, takes
    name, described = value.get("name"), value.get("description")
    if not isinstance(name, str | Dynamic) or "steps" in value:
        return None
    key = next((each for each in SCHEMA_KEYS if each in value), None)
    if key is None:
        if value.get("type") == "function" and isinstance(described, str | Dynamic):
            return name, described, Object()
        return None
    schema = value[key]
    said = isinstance(described, str | Dynamic)
    if not is_schema(schema) and not (isinstance(schema, Dynamic) and said):
        return None
    if isinstance(name, Dynamic) and not said:
        return None
    return name, described if isinstance(described, str | Dynamic) else None, parameters_of(schema)


def spec_tool(value: Mapping[str, object], place: Place) -> FoundTool | None:
    """Make the tool that a dictionary specifies, if it specifies one."""
    found = read_spec(value)
    if found is None:
        return None
    framework = "mcp" if "inputSchema" in value else NAME  # nobody else spells it so
    return FoundTool(name=found[0], description=found[1], takes=found[2], framework=framework, place=place)


def _declaration(site: Site) -> Iterable[FoundTool]:
    """`types.FunctionDeclaration(name=..., description=..., parameters=...)`."""
    name = site.text("name")
    if name is not None:
        takes = site.schema("parameters", "parameters_json_schema")
        yield site.tool(name, site.text("description"), takes or Unknown("it has no schema"))


MODEL_APIS: Final = Framework(
    name=NAME,
    homes=("google.genai", "google.generativeai", "vertexai", "anthropic", "openai"),
    calls={
        "FunctionDeclaration": _declaration,
        "FunctionDefinition": _declaration,
        "FunctionToolParam": _declaration,
    },
)
