"""A plugin that reads PDF files: two internal tools, and the one operation that the model sees."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import attrs
from pdfminer.high_level import extract_pages
from pdfminer.layout import LAParams, LTPage, LTTextBox
from pdfminer.pdfdocument import PDFPasswordIncorrect
from pdfminer.psexceptions import PSException

from capdeco import Doc, Step, ToolError, capability, operation, tool


@attrs.frozen
class Extracted:
    """The text layer, page by page."""

    pages: list[str]


@attrs.frozen
class Block:
    """A block of text; positions in points from the top left corner of its page."""

    page: int
    left: float
    top: float
    right: float
    bottom: float
    text: str


@attrs.frozen
class Layout:
    """Blocks of text in reading order."""

    blocks: list[Block]


@attrs.frozen
class LayoutOptions:
    """How blocks are ordered and which are left out."""

    order: Annotated[Literal["columns", "rows"], Doc("Down one column after the other, or row by row.")] = "columns"
    min_characters: Annotated[int, Doc("Leave out blocks shorter than this.")] = 1


@tool(expose=False, annotations={"read_only": True, "idempotent": True})
def pdf_extract(path: str) -> Extracted:
    """Extract the text layer of a PDF."""
    return Extracted(["\n\n".join(block.text for block in blocks_of(page, "columns")) for page in pages_of(path)])


@tool(expose=False, annotations={"read_only": True, "idempotent": True})
def pdf_layout(path: str, layout: LayoutOptions) -> Layout:
    """Find the text blocks of a PDF and where they stand."""
    found = [block for page in pages_of(path) for block in blocks_of(page, layout.order)]
    return Layout([block for block in found if len(block.text) >= layout.min_characters])


@capability(id="pdf", description="Read a PDF document: text and layout in one deterministic sequence.")
class Pdf:
    @operation(steps=[Step(pdf_extract), Step(pdf_layout)])
    def analyze(self, path: Annotated[str, Doc("Path of the PDF.")], layout: LayoutOptions = LayoutOptions()) -> None:
        """Extract text and layout from a PDF in one call."""


def pages_of(path: str) -> list[LTPage]:
    """Read a PDF with its layout; what can be wrong with a file is said in words for the model."""
    if not Path(path).is_file():
        raise ToolError(f"there is no file {path}", code="PDF_NOT_FOUND")
    try:
        return list(extract_pages(path, laparams=LAParams()))
    except PDFPasswordIncorrect:
        raise ToolError(f"{path} is encrypted and asks for a password", code="PDF_ENCRYPTED") from None
    except PSException:  # the base of everything that the parser raises, a truncated file's end included
        raise ToolError(f"{path} is not a readable PDF", code="PDF_INVALID") from None


def blocks_of(page: LTPage, order: str) -> list[Block]:
    """Give the text boxes of one page in reading order; pdfminer counts from the bottom, people from the top."""
    found = [
        Block(
            page=page.pageid,
            left=round(box.x0, 1),
            top=round(page.height - box.y1, 1),
            right=round(box.x1, 1),
            bottom=round(page.height - box.y0, 1),
            text=box.get_text().strip(),
        )
        for box in page
        if isinstance(box, LTTextBox)
    ]
    if order == "rows":
        return sorted(found, key=lambda block: (block.top, block.left))
    # A block belongs to the right column if it begins beyond the middle of the page.
    return sorted(found, key=lambda block: (block.left >= page.width / 2, block.top))
