"""One registered tool, prepared once: how its arguments are checked, and how what it returns becomes a result."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from capdeco.host.lossless import NotLossless, readable, to_json
from capdeco.host.protocol import ToolSpec
from capdeco.host.schema import CompiledSchema
from capdeco.result import Block, Content, Failure, Success

INVALID_ARGS: Final = "INVALID_ARGS"
INVALID_TOOL_OUTPUT: Final = "INVALID_TOOL_OUTPUT"


class PreparedTool:
    """A tool in one layer. Its identity is the registration's."""

    __slots__ = (
        "accepts",
        "body",
        "expose",
        "finalize",
        "input",
        "is_async",
        "layer",
        "name",
        "operation",
        "output",
        "spec",
        "timeout",
        "uses",
    )

    def __init__(self, spec: ToolSpec, inputs: CompiledSchema, output: CompiledSchema | None, layer: str) -> None:
        self.spec = spec
        self.name = spec.name
        self.layer = layer
        self.input = inputs
        self.accepts = inputs.accepts
        self.output = output
        self.body = spec.body
        self.is_async = is_async(spec.body)
        self.timeout = spec.timeout
        self.finalize = spec.finalize
        self.operation = spec.operation
        self.expose = spec.expose
        self.uses = spec.uses

    def check(self, arguments: Any) -> Failure | None:
        """Say everything that is wrong with *arguments*, all at once."""
        if type(arguments) is dict and self.accepts(arguments):
            return None
        problems = self.input.problems(arguments) if isinstance(arguments, dict) else ["arguments: must be an object"]
        return Failure(message=f"{self.name}: {'; '.join(problems)}", code=INVALID_ARGS)

    def result(self, value: Any, contexts: tuple[str, ...] = (), *, concludes: bool = False) -> Success | Failure:
        """Copy, check and render what the tool returned, or what stands in its place."""
        extra: Iterable[Block] = ()
        if isinstance(value, Content):
            value, extra = value.value, value.blocks
        try:
            # What an operation reports of its steps was checked and encoded when they returned it.
            json, copy = to_json(value, parts=self.operation)
            if self.output is not None and not self.output.accepts(copy):
                return self._invalid("; ".join(self.output.problems(copy)), contexts)
            content = None
            if self.spec.render is not None or extra:
                content = blocks_to_json([*self._rendered(copy, json), *extra])
        except NotLossless as error:
            return self._invalid(f"what it returned: {error}", contexts)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a renderer is the tool author's code
            return self._invalid(f"its result cannot be rendered: {described(error) or type(error).__name__}", contexts)
        return Success(json=json, content=content, contexts=contexts, concludes_turn=concludes)

    def replaced(self, value: Any, contexts: tuple[str, ...], *, concludes: bool) -> Success | Failure:
        """Check and render the value that post policy put in the result's place.

        An operation's report may become any object, whatever the report's own schema says; `text` in it is what shows.
        """
        if not self.operation:
            return self.result(value, contexts, concludes=concludes)
        if not isinstance(value, dict):
            return self._invalid("an operation's value can only be replaced by an object", contexts)
        try:
            json, copy = to_json(value)
        except NotLossless as error:
            return self._invalid(f"the value in its place: {error}", contexts)
        text = copy.get("text")
        content = [{"type": "text", "text": text}] if isinstance(text, str) else None
        return Success(json=json, content=content, contexts=contexts, concludes_turn=concludes)

    def _rendered(self, value: Any, json: bytes) -> Iterable[Block]:
        if self.spec.render is not None:
            return self.spec.render(value)
        return ({"type": "text", "text": value if isinstance(value, str) else json.decode()},)

    def _invalid(self, why: str, contexts: tuple[str, ...]) -> Failure:
        return Failure(message=readable(f"{self.name}: {why}"), code=INVALID_TOOL_OUTPUT, contexts=contexts)


def blocks_to_json(blocks: Iterable[object]) -> bytes:
    """Copy content blocks as canonical JSON.

    Raises:
        NotLossless: one of them is no JSON object with a type.
    """
    plain = [dict(block) if isinstance(block, Mapping) else block for block in blocks]
    if not all(isinstance(block, dict) and isinstance(block.get("type"), str) for block in plain):
        raise NotLossless("a content block is an object with a type")
    return to_json(plain)[0]


def described(error: BaseException) -> str:
    """Give an exception's message; empty where it has none, or none that could be made."""
    try:
        # What a KeyError says is the key alone.
        return f"KeyError: {error}" if type(error) is KeyError and error.args else str(error)
    except Exception:  # noqa: BLE001 - a message that cannot be made is no message
        return ""


def is_async(function: Callable[..., Any]) -> bool:
    """Say whether calling *function* gives an awaitable, as far as can be known without calling it."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004 - an object with `async def __call__`
