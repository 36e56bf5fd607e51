"""Run an operation: its steps in order, each a nested dispatch through the host, and the report of how they went."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from capdeco.declare.shape import Shape, fill, fills
from capdeco.declare.steps import AnyStep
from capdeco.host.protocol import Body, Context, ToolSpec
from capdeco.result import Block, Content, Success

TEXT_LIMIT: Final = 2000
"""Characters of a step's text, and (`ERROR_LIMIT`) of an error, that reach the model."""
ERROR_LIMIT: Final = 600
TRUNCATED: Final = "…[+truncated]"


class Done(msgspec.Struct):
    """A step that succeeded. `value` is its JSON, absent where policy replaced what the step shows."""

    tool: str
    ok: bool
    text: str
    value: msgspec.Raw | UnsetType = UNSET


class Failed(msgspec.Struct):
    """The step at which the operation stopped."""

    tool: str
    ok: bool
    error: str
    code: str | UnsetType = UNSET


class Report(msgspec.Struct):
    """What the model gets from an operation; the keys and their order are the seed's."""

    ok: bool
    capability: str
    operation: str
    steps: Sequence[Done | Failed]
    failedStep: str | UnsetType = UNSET  # noqa: N815 - the name on the wire
    error: str | UnsetType = UNSET

    def to_dict(self) -> dict[str, Any]:
        """Give the report as JSON values."""
        report: dict[str, Any] = msgspec.json.decode(_encode(self))
        return report

    def to_json(self) -> str:
        """Give the report as compact JSON."""
        return _encode(self).decode()


_encode: Final = msgspec.json.Encoder().encode

Lookup = Callable[[str, Any], ToolSpec | None]


def operation_body(capability: str, operation: str, steps: Sequence[AnyStep], takes: Shape, lookup: Lookup) -> Body:
    """Make the body of the tool that an operation becomes. What it returns is the report, encoded (`msgspec.Raw`).

    Args:
        capability: its id.
        operation: the operation's name within it.
        steps: what to dispatch.
        takes: the operation's input, whose defaults are filled in before the first dispatch.
        lookup: the host's, to tell an inner operation's report from a tool that returns something like it.
    """
    fills_defaults = fills(takes)
    plan = [
        (step.tool, step.from_, f":{capability}.{operation}:{number}") for number, step in enumerate(steps, start=1)
    ]
    mapped = [step for step in steps if step.from_ is not None]

    def report(reports: list[Done | Failed], failed: Failed | None) -> msgspec.Raw:
        if failed is None:
            return msgspec.Raw(_encode(Report(True, capability, operation, reports)))
        reports.append(failed)
        return msgspec.Raw(_encode(Report(False, capability, operation, reports, failed.tool, failed.error)))

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        complete = fill(takes, arguments) if fills_defaults else arguments
        failed = _unmapped(mapped, complete)
        if failed is not None:
            return report([], failed)
        reports: list[Done | Failed] = []
        blocks: list[Block] = []
        encoded: dict[str | None, bytes] = {}
        call_id = context.call_id
        for tool, from_, suffix in plan:
            given = encoded.get(from_)
            if given is None:
                given = encoded[from_] = _encode(complete if from_ is None else complete[from_])
            outcome = await context.dispatch(tool, given, call_id=call_id + suffix)
            for message in outcome.contexts:
                context.defer(message)
            if not outcome.ok:
                failed = _failed(tool, outcome.message, outcome.code)
                break
            # An inner operation that stopped is a failed step; a plain tool may return what it likes. No report says
            # so without this word: mostly there is nothing to look up, or to decode.
            inner = failed_step(outcome, lookup(tool, context.scope)) if b"false" in outcome.json else None
            if inner is not None:
                failed = Failed(tool, False, inner.error, inner.code)
                break
            if outcome.concludes_turn:
                context.conclude()
            reports.append(_done(tool, outcome, blocks))
        value = report(reports, failed)
        return Content(value, blocks) if blocks else value

    return body


def _unmapped(mapped: Sequence[AnyStep], arguments: Mapping[str, Any]) -> Failed | None:
    """Before anything is dispatched: a step without its input would come too late to undo the ones before it."""
    for step in mapped:
        if not isinstance(arguments.get(step.from_ or ""), dict):
            why = "is not an object" if step.from_ in arguments else "is missing"
            return _failed(step.tool, f'the input field "{step.from_}", which "{step.tool}" receives, {why}', None)
    return None


def _done(tool: str, outcome: Success, blocks: list[Block]) -> Done:
    """Report a success; what it shows besides text goes to *blocks*."""
    content = outcome.content
    texts = [str(block.get("text", "")) for block in content if block.get("type") == "text"]
    if len(texts) < len(content):
        blocks += [block for block in content if block.get("type") != "text"]
    text = clip(texts[0] if len(texts) == 1 else "\n".join(texts), TEXT_LIMIT)
    if outcome.content_replaced:
        return Done(tool, True, text)
    if not texts:
        # Nothing to read was shown: the value itself, cut before decoding. A character takes up to four bytes.
        text = clip(outcome.json[: 4 * (TEXT_LIMIT + 1)].decode(errors="ignore"), TEXT_LIMIT)
    return Done(tool, True, text, msgspec.Raw(outcome.json))


def _failed(tool: str, error: str, code: str | None) -> Failed:
    return Failed(tool, False, clip(error, ERROR_LIMIT), UNSET if code is None else code)


def failed_step(outcome: Success, spec: ToolSpec | None) -> Failed | None:
    """Give the step at which an operation stopped, from its report; `None` if it did not, or *spec* is no operation's.

    Policy may have replaced the report: by one with the keys in another order, or by something that is none.
    """
    if spec is None or not spec.operation:
        return None
    report = outcome.value
    if not isinstance(report, dict) or report.get("ok") is not False:
        return None
    steps = report.get("steps")
    last = steps[-1] if isinstance(steps, list) and steps and isinstance(steps[-1], dict) else {}
    code = last.get("code")
    tool, error = report.get("failedStep", spec.name), report.get("error", "the operation failed")
    return _failed(str(tool), str(error), code if isinstance(code, str) else None)


def clip(text: str, limit: int) -> str:
    """Cut *text* to *limit* characters, between characters, and say so."""
    return text if len(text) <= limit else text[:limit] + TRUNCATED
