"""One OpenTelemetry span for every finished dispatch, steps included."""

from __future__ import annotations

from time import time_ns

from opentelemetry import trace

from capdeco import Failure, Success
from capdeco.host.policy import ToolCall

tracer = trace.get_tracer("capdeco")


def observe(call: ToolCall, outcome: Success | Failure) -> None:
    """Give it to a host: `host.observe(observe)`."""
    end = time_ns()
    facts = {"gen_ai.tool.name": call.name, "gen_ai.tool.call.id": call.call_id, "capdeco.root_id": call.root_id}
    span = tracer.start_span(
        f"execute_tool {call.name}", start_time=end - int((call.elapsed or 0) * 1e9), attributes=facts
    )
    if not outcome.ok:
        span.set_status(trace.StatusCode.ERROR, outcome.message)
        span.set_attribute("error.type", outcome.code or "failure")
    span.end(end_time=end)
