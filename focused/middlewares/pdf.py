"""Turns PDF files into pages, between the downloader and the spider."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import DownloadCancelledError

from focused.crawl.pdf_counts import NOT_READ, STAT
from focused.crawl.pdf_reading import PdfReading, is_pdf, reads_pdf

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

_LINK = "focused_link_score"
"""In the meta of a request for a seed or a link of a page."""


class PdfMiddleware:
    """Has PDF files of seeds and links read; the page has the file's URL, headers and digest.

    A spider's own requests, and those of pipelines that store files, get the file as it is, unless their meta says
    ``focused_pdf``. If PDF files are not read, they are counted.

    Place: 540, when the body is unpacked (590) and retries (550) and redirects (600) are over. What records answers as they
    come in has the file itself.

    Settings: FOCUSED_PDF_ENABLED, FOCUSED_PDF_MAX_PAGES, FOCUSED_PDF_TIMEOUT_SECS, FOCUSED_PDF_MEMORY_MB.

    Meta: reads ``focused_pdf``.

    Stats: those of `focused.crawl.pdf_reading.PdfReading`; ``focused/pdf/too_large_count``, ``focused/pdf/not_read_count``.
    """

    def __init__(self, crawler: Crawler, reading: PdfReading | None) -> None:
        assert crawler.stats is not None
        self._stats = crawler.stats
        self._reading = reading

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read PDF files if the settings and the installed packages allow it."""
        return cls(crawler, PdfReading(crawler) if reads_pdf(crawler.settings) else None)

    def process_response(self, request: Request, response: Response) -> Response | Awaitable[Response]:
        """Have a PDF file read; pass any other response on at once."""
        if not is_pdf(response.body) or not 200 <= response.status < 300 or not _is_wanted(request):
            return response
        if self._reading is None:
            self._stats.inc_value(NOT_READ)
            return response
        return self._reading.read(request, response)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Count a PDF file that was too large to be fetched."""
        is_too_large = isinstance(exception, DownloadCancelledError) and "max size" in str(exception)
        if is_too_large and _is_wanted(request) and request.url.partition("?")[0].lower().endswith(".pdf"):
            self._stats.inc_value(STAT.format("too_large_count"))


def _is_wanted(request: Request) -> bool:
    return bool(request.meta.get("focused_pdf", _LINK in request.meta))
