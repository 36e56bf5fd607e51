"""The capability of plugin.py, mis-wired: the model may choose `pages`, and nothing would change."""

from typing import Annotated

from capdeco import Doc, Step, capability, operation
from examples.pdf.plugin import LayoutOptions, pdf_extract, pdf_layout


@capability(id="pdf", description="Read a PDF document: text and layout in one deterministic sequence.")
class Pdf:
    @operation(steps=[Step(pdf_extract), Step(pdf_layout)])
    def analyze(
        self,
        path: Annotated[str, Doc("Path of the PDF.")],
        pages: Annotated[str, Doc("Pages to read, as in 1-3.")],
        layout: LayoutOptions = LayoutOptions(),
    ) -> None:
        """Extract text and layout from a PDF in one call."""
