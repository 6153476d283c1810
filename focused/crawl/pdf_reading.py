"""Turns PDF files of a crawl into pages: each is handed to a process of its own, and the crawl goes on meanwhile."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import signals
from scrapy.http import HtmlResponse
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.defer import maybe_deferred_to_future

from focused.crawl.failures import LinkWaitsError
from focused.crawl.pdf_counts import CPU_SECS, STAT, WAITING
from focused.frontier.crawl_interface import crawl_of
from focused.method.page.pdf_child import NO_LIBRARY
from focused.method.page.pdf_process import CRASHED, PdfProcess, is_installed, is_pdf, reads_pdf
from focused.utils.reactor import FifoLock, in_thread
from focused.utils.scrapy_internals import is_closing

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from focused.method.page.pdf_process import PdfAnswer

__all__ = ["PdfReading", "PdfResponse", "is_installed", "is_pdf", "reads_pdf"]

logger = logging.getLogger(__name__)

_LOOK_SECS = 0.5
_PDF = b"application/pdf"


class PdfResponse(HtmlResponse):
    """A PDF file as an HTML page, with the file's URL and headers."""

    attributes = (*HtmlResponse.attributes, "file_sha256")

    def __init__(self, *args: Any, file_sha256: str = "", **kwargs: Any) -> None:
        #: Digest of the file itself.
        self.file_sha256 = file_sha256
        super().__init__(*args, **kwargs)


class PdfReading:
    """Reads the PDF files of a crawl, one after the other, in a process that is started for the first.

    A file that waits, or is being read, keeps its place among CONCURRENT_REQUESTS and among the requests of its host: so no
    more than that wait, and a crawl that meets nothing but PDF files goes at the pace of their reader. Nothing is left out for
    that. The end of a crawl waits `end_secs`; what is left then waits again, and a resumed crawl fetches it.

    Stats: see docs/reference/stats.md, PDF files.
    """

    #: Seconds for which the end of a crawl waits for files that are being read.
    end_secs: ClassVar[float] = 30.0

    def __init__(self, crawler: Crawler) -> None:
        assert crawler.stats is not None
        self._crawler, self._stats = crawler, crawler.stats
        self.process = PdfProcess.of_settings(crawler.settings)
        self._turn = FifoLock()
        self._n_waiting = 0
        self._told_cpu_secs = 0.0
        self._closing_since: float | None = None
        self._is_over = False
        self._looks: Any = None
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    async def read(self, request: Request, response: Response) -> Response:
        """Return the page that a PDF file is; the response itself, without a word of text, where it cannot be read.

        Raises
        ------
        LinkWaitsError
            If the crawl ends before the file has come to its turn.
        """
        self._begin()
        try:
            async with self._turn:
                answer = None if self._is_over else await self._answer(response.body)
        finally:
            self._end()
        if answer is None or (self._is_over and answer.status == CRASHED):
            self._count("left")
            if (crawl := crawl_of(self._crawler)) is not None:
                crawl.frontier.wait_again(request)
            raise LinkWaitsError("PDF: the crawl ended before it was read")
        self._count(answer.status)
        if not answer.is_read:
            return self._unread(request, response, answer)
        if answer.is_cut:
            self._count("cut")
        headers = response.headers.copy()
        headers[b"Content-Type"] = _PDF
        # Not by replace(): where the file begins as a text, that would guess its encoding, for 60 ms.
        return PdfResponse(
            url=response.url,
            status=response.status,
            headers=headers,
            body=answer.html,
            flags=response.flags,
            request=response.request,
            certificate=response.certificate,
            ip_address=response.ip_address,
            protocol=response.protocol,
            encoding="utf-8",
            file_sha256=answer.sha256,
        )

    def spider_closed(self) -> None:
        """End the process."""
        self.process.close()

    async def _answer(self, body: bytes) -> PdfAnswer:
        found = await maybe_deferred_to_future(in_thread(self.process.read, body))
        taken = self.process.cpu_secs
        before = self._stats.get_value(CPU_SECS, 0.0)
        self._stats.set_value(CPU_SECS, round(before + taken - self._told_cpu_secs, 6))
        self._told_cpu_secs = taken
        return found

    def _unread(self, request: Request, response: Response, answer: PdfAnswer) -> Response:
        """Say why a file could not be read, and return it as it is: a response without text."""
        status = answer.status
        logger.debug("PDF not read: %s (%s)", response, f"{status}: {answer.why}" if answer.why else status)
        is_first = self._stats.get_value(STAT.format(f"{status}_count")) == 1
        if is_first and answer.why and (status == NO_LIBRARY or "started" in answer.why):
            logger.error("PDF files cannot be read: %s. The crawl goes on without them.", answer.why)
        if (crawl := crawl_of(self._crawler)) is not None:
            crawl.frontier.note_failure(request, f"PDF: {status.replace('_', ' ')}")
        return response

    def _begin(self) -> None:
        self._n_waiting += 1
        self._stats.max_value(STAT.format("waiting_most"), self._n_waiting)
        self._stats.set_value(WAITING, self._n_waiting)
        if self._looks is None:
            self._looks = create_looping_call(self._give_up_late)
            self._looks.start(_LOOK_SECS, now=False)

    def _end(self) -> None:
        self._n_waiting -= 1
        self._stats.set_value(WAITING, self._n_waiting)
        if not self._n_waiting and self._looks is not None:
            self._looks.stop()
            self._looks = None

    def _give_up_late(self) -> None:
        """Give up what is left some time after the crawl has begun to end."""
        if not is_closing(self._crawler) or self._is_over:
            return
        now = time.monotonic()
        if self._closing_since is None:
            self._closing_since = now
            logger.info("The crawl ends when the last %d PDF files are read, after %g s at most", *self._left())
        elif now - self._closing_since > self.end_secs:
            self._is_over = True
            logger.warning("%d PDF files are left unread after %g s; a resumed crawl fetches them again", *self._left())
            self.process.kill()

    def _left(self) -> tuple[int, float]:
        return self._n_waiting, self.end_secs

    def _count(self, what: str) -> None:
        self._stats.inc_value(STAT.format(f"{what}_count"))
