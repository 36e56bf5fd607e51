"""The full names by which mypy knows what the plugin looks for."""

from __future__ import annotations

from typing import Final

STEP: Final = "capdeco.declare.steps.Step"
TOOL_DECORATOR: Final = "capdeco.declare.tools.tool"
TOOL_RECORD: Final = "capdeco.declare.tools.Tool"
TOOL_OF: Final = "capdeco.declare.tools.Tool.of"
ON_TOOL: Final = "capdeco.declare.tools.ToolDecorator.__call__"
OPERATION_DECORATOR: Final = "capdeco.declare.operations.operation"
ON_OPERATION: Final = "capdeco.declare.operations.OperationDecorator.__call__"
CAPABILITY_DECORATOR: Final = "capdeco.declare.capabilities.capability"
ON_CAPABILITY: Final = "capdeco.declare.capabilities.CapabilityDecorator.__call__"
CONTEXT: Final = "capdeco.host.protocol.Context"
CONTENT: Final = "capdeco.result.Content"

MODEL: Final = "pydantic.main.BaseModel"
STRUCT: Final = "msgspec.Struct"
