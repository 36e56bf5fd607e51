"""The table of frameworks whose tools are found in Python source; CONTRIBUTING says how to add one."""

from __future__ import annotations

from typing import Final

from capdeco.check.analyze.frameworks.capdeco import CAPDECO
from capdeco.check.analyze.frameworks.google_adk import GOOGLE_ADK
from capdeco.check.analyze.frameworks.langchain import LANGCHAIN
from capdeco.check.analyze.frameworks.mcp import FASTMCP, MCP
from capdeco.check.analyze.frameworks.model_apis import MODEL_APIS
from capdeco.check.analyze.frameworks.openai_agents import OPENAI_AGENTS
from capdeco.check.analyze.frameworks.pydantic_ai import PYDANTIC_AI
from capdeco.check.analyze.frameworks.site import Framework
from capdeco.check.analyze.frameworks.smolagents import SMOLAGENTS

FRAMEWORKS: Final[tuple[Framework, ...]] = (
    CAPDECO,
    MCP,
    FASTMCP,
    LANGCHAIN,
    PYDANTIC_AI,
    OPENAI_AGENTS,
    GOOGLE_ADK,
    SMOLAGENTS,
    MODEL_APIS,
)
