"""Write sample.pdf and encrypted.pdf beside this file: python examples/pdf/make_sample.py.

The bytes depend on nothing but this file and the version of fpdf2: the creation date is fixed, and both the file id
and the encryption key (RC4, which takes no random salt) are derived from it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from fpdf import FPDF
from fpdf.enums import EncryptionMethod, XPos, YPos

CREATED: Final = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
PASSWORD: Final = "tide"

# Millimetres, on A4.
MARGIN: Final = 20.0
WIDTH: Final = 170.0
GUTTER: Final = 10.0
COLUMN: Final = (WIDTH - GUTTER) / 2

TITLE: Final = "Reading a Tide Gauge"

PURPOSE: Final = (
    "A tide gauge is the plainest of instruments: a pipe that stands in the harbour, a float inside it, and a pen "
    "that follows the float. The pipe has one small hole near its foot. Waves come and go too quickly to pass it, the "
    "tide does not, so the pen draws the tide and leaves out the weather.",
    "These notes are for whoever takes over the gauge at the north pier. They say how it is read, how often, and "
    "what to write down when a reading looks wrong.",
)
DAILY: Final = (
    "Read the staff outside the pipe first, then the pen. Write down both, with the time to the minute. If they "
    "differ by more than two centimetres, the hole is silting up: flush it at the next low water and read again.",
)
SPRINGS: Final = (
    "Twice a month the moon and the sun pull along one line, and the range of the tide is at its largest. At the north "
    "pier it then reaches four metres and ten centimetres.",
    "The highest water does not come on the day of the full moon. It is late by a day and a half, which the old "
    "pilots called the age of the tide.",
)
NEAPS: Final = (
    "At the quarters of the moon the two pulls work against each other, and the range shrinks to one metre and "
    "sixty centimetres.",
    "A neap is the time for repairs. The foot of the pipe never falls dry, but the ladder does, and there is an "
    "hour in which the hole can be reached by hand.",
)
TABLE: Final = (("Day", "High water", "Low water"), ("1", "3.92 m", "0.31 m"), ("2", "4.10 m", "0.24 m"))
KEEPING: Final = (
    "The sheet is changed on Mondays. Note the staff reading on the old sheet and on the new one, in ink, before the "
    "clock is wound. A sheet without both is of no use to anybody: nobody can tell where its zero was.",
    "Never correct a reading afterwards. Strike it through so that it stays legible, write the new one beside it, and "
    "say why.",
)


def heading(pdf: FPDF, text: str, size: float) -> None:
    pdf.set_font("helvetica", style="B", size=size)
    pdf.multi_cell(WIDTH, size * 0.5, text, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
    pdf.ln(3)


def paragraphs(pdf: FPDF, texts: tuple[str, ...], width: float = WIDTH) -> None:
    left = pdf.get_x()
    pdf.set_font("helvetica", size=11)
    for text in texts:
        pdf.multi_cell(width, 5.5, text, align="L", new_x=XPos.LEFT, new_y=YPos.NEXT)
        pdf.set_xy(left, pdf.get_y() + 4)


def column(pdf: FPDF, number: int, top: float, title: str, texts: tuple[str, ...]) -> float:
    """Set one of two columns and return where it ends."""
    left = MARGIN + number * (COLUMN + GUTTER)
    pdf.set_xy(left, top)
    pdf.set_font("helvetica", style="B", size=12)
    pdf.multi_cell(COLUMN, 6, title, align="L", new_x=XPos.LEFT, new_y=YPos.NEXT)
    pdf.set_xy(left, pdf.get_y() + 2)
    paragraphs(pdf, texts, COLUMN)
    return pdf.get_y()


def sample() -> FPDF:
    pdf = FPDF(format="A4")
    pdf.set_creation_date(CREATED)
    pdf.set_title(TITLE)
    pdf.set_author("capdeco contributors")
    pdf.set_lang("en")
    pdf.set_margin(MARGIN)

    pdf.add_page()
    heading(pdf, TITLE, 22)
    heading(pdf, "1. What it is for", 14)
    paragraphs(pdf, PURPOSE)
    heading(pdf, "2. The daily reading", 14)
    paragraphs(pdf, DAILY)

    pdf.add_page()
    heading(pdf, "3. Springs and neaps", 14)
    top = pdf.get_y()
    bottom = max(column(pdf, 0, top, "Springs", SPRINGS), column(pdf, 1, top, "Neaps", NEAPS))
    pdf.set_xy(MARGIN, bottom + 4)
    pdf.set_font("helvetica", size=11)
    with pdf.table(width=90, align="LEFT", col_widths=(1, 2, 2)) as table:
        for row in TABLE:
            table.row(row)

    pdf.add_page()
    heading(pdf, "4. Keeping the sheets", 14)
    paragraphs(pdf, KEEPING)
    return pdf


def main() -> None:
    here = Path(__file__).parent
    sample().output(str(here / "sample.pdf"))
    locked = sample()
    locked.set_encryption(owner_password="pier", user_password=PASSWORD, encryption_method=EncryptionMethod.RC4)
    locked.output(str(here / "encrypted.pdf"))


if __name__ == "__main__":
    main()
