"""The example plugin on real files: what it reads, and what it says of files that it cannot read."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from capdeco import Binder, Call, EmbeddedHost

EXAMPLES = Path(__file__).parents[2] / "examples" / "pdf"


@pytest.fixture
def host() -> EmbeddedHost:
    host = EmbeddedHost()
    Binder(host).load("examples.pdf.plugin")
    return host


async def analyze(host: EmbeddedHost, **arguments: Any) -> dict[str, Any]:
    result = await host.invoke(Call("pdf_analyze", arguments))
    assert result.ok
    report: dict[str, Any] = result.value
    return report


async def test_text_and_layout_of_a_pdf_come_in_one_call(host: EmbeddedHost) -> None:
    report = await analyze(host, path=str(EXAMPLES / "sample.pdf"))
    extracted, layout = (step["value"] for step in report["steps"])
    assert [page.split("\n")[0] for page in extracted["pages"]] == [
        "Reading a Tide Gauge",
        "3. Springs and neaps",
        "4. Keeping the sheets",
    ]
    second = [block["text"] for block in layout["blocks"] if block["page"] == 2]
    assert second.index("Springs") < second.index("Neaps")
    assert all(block["left"] < block["right"] and block["top"] < block["bottom"] for block in layout["blocks"])


async def test_options_reach_the_step_that_declares_them(host: EmbeddedHost) -> None:
    report = await analyze(host, path=str(EXAMPLES / "sample.pdf"), layout={"order": "rows", "min_characters": 30})
    blocks = report["steps"][1]["value"]["blocks"]
    assert min(len(block["text"]) for block in blocks) >= 30


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        ("missing.pdf", "PDF_NOT_FOUND", "there is no file"),
        ("encrypted.pdf", "PDF_ENCRYPTED", "encrypted"),
        ("text.pdf", "PDF_INVALID", "not a readable PDF"),
        ("truncated.pdf", "PDF_INVALID", "not a readable PDF"),
        ("empty.pdf", "PDF_INVALID", "not a readable PDF"),
    ],
)
async def test_a_file_that_cannot_be_read_is_a_failed_step_that_says_why(
    host: EmbeddedHost, tmp_path: Path, name: str, code: str, says: str
) -> None:
    shutil.copy(EXAMPLES / "encrypted.pdf", tmp_path)
    (tmp_path / "text.pdf").write_text("Dear reader,\n")
    (tmp_path / "truncated.pdf").write_bytes((EXAMPLES / "sample.pdf").read_bytes()[:200])
    (tmp_path / "empty.pdf").touch()
    report = await analyze(host, path=str(tmp_path / name))
    assert (report["ok"], report["failedStep"]) == (False, "pdf_extract")
    (step,) = report["steps"]
    assert step["code"] == code
    assert says in step["error"]


async def test_a_misspelt_option_is_refused_with_what_was_meant(host: EmbeddedHost) -> None:
    result = await host.invoke(Call("pdf_analyze", {"path": "x.pdf", "layuot": {}}))
    assert not result.ok
    assert result.code == "INVALID_ARGS"
    assert "layout" in result.message
