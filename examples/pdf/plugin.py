"""A plugin that reads PDF files: two internal tools, and the one operation that the model sees."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import attrs
import pdfplumber
from pdfminer.pdfdocument import PDFPasswordIncorrect
from pdfplumber.page import Page
from pdfplumber.pdf import PDF
from pdfplumber.utils.exceptions import PdfminerException

from capdeco import Doc, Step, ToolError, capability, operation, tool


@attrs.frozen
class Extracted:
    """The text layer, page by page."""

    title: str
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
    with opened(path) as document:
        title = str(document.metadata.get("Title", ""))
        return Extracted(title, [page.extract_text() for page in document.pages])


@tool(expose=False, annotations={"read_only": True, "idempotent": True})
def pdf_layout(path: str, layout: LayoutOptions) -> Layout:
    """Find the text blocks of a PDF and where they stand."""
    with opened(path) as document:
        found = [block for page in document.pages for block in blocks_of(page, layout.order)]
    return Layout([block for block in found if len(block.text) >= layout.min_characters])


@capability(id="pdf", description="Read a PDF document: text and layout in one deterministic sequence.")
class Pdf:
    @operation(steps=[Step(pdf_extract), Step(pdf_layout)])
    def analyze(self, path: Annotated[str, Doc("Path of the PDF.")], layout: LayoutOptions = LayoutOptions()) -> None:
        """Extract text and layout from a PDF in one call."""


@contextmanager
def opened(path: str) -> Iterator[PDF]:
    """Open a PDF and analyze its layout; what can be wrong with a file is said in words for the model."""
    if not Path(path).is_file():
        raise ToolError(f"there is no file {path}", code="PDF_NOT_FOUND")
    try:
        with pdfplumber.open(path, laparams={}) as document:
            yield document
    except PdfminerException as error:
        if any(isinstance(cause, PDFPasswordIncorrect) for cause in error.args):
            raise ToolError(f"{path} is encrypted and asks for a password", code="PDF_ENCRYPTED") from error
        raise ToolError(f"{path} is not a readable PDF", code="PDF_INVALID") from error


def blocks_of(page: Page, order: str) -> list[Block]:
    """Give the text boxes of one page in reading order."""
    boxes: list[dict[str, Any]] = page.textboxhorizontals
    found = [
        Block(
            page=page.page_number,
            left=round(float(box["x0"]), 1),
            top=round(float(box["top"]), 1),
            right=round(float(box["x1"]), 1),
            bottom=round(float(box["bottom"]), 1),
            text=str(box["text"]).strip(),
        )
        for box in boxes
    ]
    if order == "rows":
        return sorted(found, key=lambda block: (block.top, block.left))
    # A block belongs to the right column if it begins beyond the middle of the page.
    middle = float(page.width) / 2
    return sorted(found, key=lambda block: (block.left >= middle, block.top))
