"""PDF files among the examples: read as a crawl reads them, in a process that is started for the first."""

from __future__ import annotations

import atexit
from functools import cache

from focused.method.page.pdf_process import PdfProcess, is_installed, is_pdf
from focused.method.page.urls import NOT_A_PAGE, NOT_A_PAGE_NOR_PDF

__all__ = ["MOST_PDF_BYTES", "html_of_pdf", "is_pdf", "not_an_example"]

MOST_PDF_BYTES = 50_000_000
"""Of a file in a folder; a part of one cannot be read."""


def not_an_example() -> frozenset[str]:
    """Return the extensions of files that are no example pages."""
    return NOT_A_PAGE_NOR_PDF if is_installed() else NOT_A_PAGE


def html_of_pdf(body: bytes) -> tuple[bytes, str]:
    """Return a PDF file as HTML; or nothing, and why it cannot be read."""
    if not is_installed():
        return b"", "not read without focused[pdf]"
    answer = _process().read(body)
    return answer.html, "" if answer.is_read else answer.status.replace("_", " ")


@cache
def _process() -> PdfProcess:
    made = PdfProcess()
    atexit.register(made.close)
    return made
