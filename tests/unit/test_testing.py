"""What `capdeco.testing` gives to the tests of a plugin, used as a plugin's author would."""

from __future__ import annotations

import pytest

from capdeco import Binder, EmbeddedHost
from capdeco.host.policy import Accept
from capdeco.testing import CallFailed, call, capdeco_host, recorded

__all__ = ["capdeco_host"]


@pytest.fixture
def pdf(capdeco_host: EmbeddedHost) -> EmbeddedHost:
    Binder(capdeco_host).load("examples.pdf.plugin")
    return capdeco_host


async def test_a_call_gives_the_value(pdf: EmbeddedHost) -> None:
    report = await call(pdf, "pdf_analyze", path="examples/pdf/sample.pdf")
    assert len(report["steps"][0]["value"]["pages"]) == 3


async def test_a_failed_step_fails_the_test_with_the_steps_own_words(pdf: EmbeddedHost) -> None:
    with pytest.raises(CallFailed, match=r"pdf_extract: there is no file nowhere\.pdf \[PDF_NOT_FOUND\]"):
        await call(pdf, "pdf_analyze", path="nowhere.pdf")


async def test_a_report_that_policy_replaced_is_what_the_test_gets(pdf: EmbeddedHost) -> None:
    pdf.post_execute(lambda call, outcome: None if call.nested else Accept(value={"withheld": True}))
    assert await call(pdf, "pdf_analyze", path="nowhere.pdf") == {"withheld": True}


async def test_a_failed_call_fails_the_test(pdf: EmbeddedHost) -> None:
    with pytest.raises(CallFailed) as caught:
        await call(pdf, "pdf_extract", path="examples/pdf/sample.pdf")
    assert caught.value.failure.code == "UNKNOWN_TOOL"


async def test_dispatches_are_recorded_steps_first(pdf: EmbeddedHost) -> None:
    with recorded(pdf) as dispatches:
        await call(pdf, "pdf_analyze", path="examples/pdf/sample.pdf")
    await call(pdf, "pdf_analyze", path="examples/pdf/sample.pdf")
    assert [(each.name, each.nested, each.ok) for each in dispatches] == [
        ("pdf_extract", True, True),
        ("pdf_layout", True, True),
        ("pdf_analyze", False, True),
    ]
    assert {each.root_id for each in dispatches} == {dispatches[-1].call_id}
    assert dispatches[0].arguments == {
        "path": "examples/pdf/sample.pdf",
        "layout": {"order": "columns", "min_characters": 1},
    }
