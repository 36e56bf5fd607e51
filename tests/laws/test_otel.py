"""The OpenTelemetry example, with the in-memory exporter."""

from __future__ import annotations

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from capdeco import Call
from examples import otel
from tests.laws.test_audit import host


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(otel, "tracer", provider.get_tracer("capdeco"))
    return exporter


async def test_every_dispatch_is_a_span_with_its_ids_and_its_outcome(exporter: InMemorySpanExporter) -> None:
    observed = host()
    observed.observe(otel.observe)
    await observed.invoke(Call("seer_twice", {"text": "good"}, call_id="1"))
    await observed.invoke(Call("seer_twice", {"text": "bad"}, call_id="2"))
    await observed.invoke(Call("nothing", call_id="3"))
    spans = exporter.get_finished_spans()
    assert [(span.name, span.attributes and span.attributes["capdeco.root_id"]) for span in spans] == [
        ("execute_tool look", "1"),
        ("execute_tool look", "1"),
        ("execute_tool seer_twice", "1"),
        ("execute_tool look", "2"),
        ("execute_tool seer_twice", "2"),
        ("execute_tool nothing", "3"),
    ]
    failed = [
        (span.status.description, span.attributes) for span in spans if span.status.status_code is StatusCode.ERROR
    ]
    assert [(text, attributes and attributes["error.type"]) for text, attributes in failed] == [
        ("cannot look at it", "failure"),
        ("there is no tool nothing", "UNKNOWN_TOOL"),
    ]
    assert all(span.start_time and span.end_time and span.start_time <= span.end_time for span in spans)
