"""Run an operation: its steps in order, each a nested dispatch through the host, and the report of how they went."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import attrs
import msgspec

from capdeco.declare.shape import Shape, fill, fills
from capdeco.declare.steps import AnyStep
from capdeco.host.protocol import Body, Context, ToolSpec
from capdeco.result import Block, Content, Success

TEXT_LIMIT: Final = 2000
"""Characters of a step's text, and (`ERROR_LIMIT`) of an error, that reach the model."""
ERROR_LIMIT: Final = 600
TRUNCATED: Final = "…[+truncated]"


@attrs.frozen(kw_only=True)
class StepReport:
    """How one step went. `value` is its JSON, absent where it failed or where policy replaced what it shows."""

    tool: str
    ok: bool
    text: str = ""
    value: msgspec.Raw | None = None
    error: str = ""
    code: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give the step's entry in the report."""
        if self.ok:
            value = {} if self.value is None else {"value": self.value}
            return {"tool": self.tool, "ok": True, "text": self.text, **value}
        code = {} if self.code is None else {"code": self.code}
        return {"tool": self.tool, "ok": False, "error": self.error, **code}


@attrs.frozen(kw_only=True)
class Report:
    """What the model gets from an operation; the keys and their order are the seed's."""

    capability: str
    operation: str
    steps: Sequence[StepReport]

    @property
    def ok(self) -> bool:
        """Whether every step that ran succeeded."""
        return all(step.ok for step in self.steps)

    def to_dict(self) -> dict[str, Any]:
        """Give the report as JSON values, steps' values still encoded (`msgspec.Raw`)."""
        report: dict[str, Any] = {
            "ok": self.ok,
            "capability": self.capability,
            "operation": self.operation,
            "steps": [step.to_dict() for step in self.steps],
        }
        failed = next((step for step in self.steps if not step.ok), None)
        if failed is not None:
            report |= {"failedStep": failed.tool, "error": failed.error}
        return report

    def to_json(self) -> str:
        """Give the report as compact JSON."""
        return msgspec.json.encode(self.to_dict()).decode()


Lookup = Callable[[str, Any], ToolSpec | None]


def operation_body(capability: str, operation: str, steps: Sequence[AnyStep], takes: Shape, lookup: Lookup) -> Body:
    """Make the body of the tool that an operation becomes.

    Args:
        capability: its id.
        operation: the operation's name within it.
        steps: what to dispatch.
        takes: the operation's input, whose defaults are filled in before the first dispatch.
        lookup: the host's, to tell an inner operation's report from a tool that returns something like it.
    """
    fills_defaults = fills(takes)

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        complete = fill(takes, arguments) if fills_defaults else arguments
        reports: list[StepReport] = []
        blocks: list[Block] = []
        unmapped = _unmapped(steps, complete)
        if unmapped is not None:
            return Report(capability=capability, operation=operation, steps=[unmapped]).to_dict()
        encoded: dict[str | None, bytes] = {}
        prefix = f"{context.call_id}:{capability}.{operation}:"
        for number, step in enumerate(steps, start=1):
            if step.from_ not in encoded:
                encoded[step.from_] = msgspec.json.encode(complete if step.from_ is None else complete[step.from_])
            outcome = await context.dispatch(step.tool, encoded[step.from_], call_id=f"{prefix}{number}")
            for text in outcome.contexts:
                context.defer(text)
            if not outcome.ok:
                reports.append(_failed(step.tool, outcome.message, outcome.code))
                break
            inner = _inner_failure(outcome, step.tool, context, lookup)
            if inner is not None:
                reports.append(inner)
                break
            if outcome.concludes_turn:
                context.conclude()
            blocks += [block for block in outcome.content if block.get("type") != "text"]
            reports.append(_succeeded(step.tool, outcome))
        report = Report(capability=capability, operation=operation, steps=reports).to_dict()
        return Content(report, blocks) if blocks else report

    return body


def _unmapped(steps: Sequence[AnyStep], arguments: Mapping[str, Any]) -> StepReport | None:
    """Before anything is dispatched: a step without its input would come too late to undo the ones before it."""
    for step in steps:
        if step.from_ is None or isinstance(arguments.get(step.from_), dict):
            continue
        why = "is not an object" if step.from_ in arguments else "is missing"
        return _failed(step.tool, f'the input field "{step.from_}", which "{step.tool}" receives, {why}', None)
    return None


def _succeeded(tool: str, outcome: Success) -> StepReport:
    texts = [str(block.get("text", "")) for block in outcome.content if block.get("type") == "text"]
    if outcome.content_replaced:
        return StepReport(tool=tool, ok=True, text=clip("\n".join(texts), TEXT_LIMIT))
    # Cut before decoding: a large value shows only its head. A character takes up to four bytes.
    head = "\n".join(texts) if texts else outcome.json[: 4 * (TEXT_LIMIT + 1)].decode(errors="ignore")
    return StepReport(tool=tool, ok=True, text=clip(head, TEXT_LIMIT), value=msgspec.Raw(outcome.json))


def _failed(tool: str, error: str, code: str | None) -> StepReport:
    return StepReport(tool=tool, ok=False, error=clip(error, ERROR_LIMIT), code=code)


_NOT_OK: Final = b'{"ok":false,'


def _inner_failure(outcome: Success, tool: str, context: Context, lookup: Lookup) -> StepReport | None:
    """An inner operation whose report says `ok: false` is a failed step; a plain tool may return what it likes."""
    if not outcome.json.startswith(_NOT_OK):
        return None
    spec = lookup(tool, context.scope)
    if spec is None or not spec.operation:
        return None
    report = outcome.value
    failed = report["steps"][-1] if report.get("steps") else {}
    return _failed(tool, str(report.get("error", "the operation failed")), failed.get("code"))


def clip(text: str, limit: int) -> str:
    """Cut *text* to *limit* characters, between characters, and say so."""
    return text if len(text) <= limit else text[:limit] + TRUNCATED
