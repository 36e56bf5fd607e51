"""Write sample.jsonl beside this file: python -m examples.trajectory.make_sample.

The audit of a short session: two scopes, one guard, one file that cannot be read, one call of an internal tool.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from capdeco import Binder, Call, EmbeddedHost
from examples.pdf.plugin import Pdf, pdf_extract, pdf_layout

SAMPLE: Final = Path(__file__).with_name("sample.jsonl")


def main(target: Path = SAMPLE) -> None:
    target.unlink(missing_ok=True)
    asyncio.run(session(target))


async def session(target: Path) -> None:
    host = EmbeddedHost()
    with Binder(host) as binder, host.audit(target), host.scope("reader") as reader, host.scope("clerk") as clerk:
        binder.register(pdf_extract, pdf_layout, Pdf)

        @host.guard(scope=clerk)
        def no_layout(call: object) -> str | None:
            return "clerks read text only" if getattr(call, "name", "") == "pdf_layout" else None

        for number, (scope, path) in enumerate(
            [
                (reader, "examples/pdf/sample.pdf"),
                (clerk, "examples/pdf/sample.pdf"),
                (reader, "examples/pdf/encrypted.pdf"),
                (reader, "examples/pdf/sample.pdf"),
            ],
            start=1,
        ):
            await host.invoke(Call("pdf_analyze", {"path": path}, scope=scope, call_id=f"call-{number}"))
        await host.invoke(Call("pdf_extract", {"path": "examples/pdf/sample.pdf"}, scope=clerk, call_id="call-5"))


if __name__ == "__main__":
    main()
