"""Record a crawl in a WARC file, so that it can be replayed."""

from __future__ import annotations

import logging
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

import scrapy
from scrapy import signals
from scrapy.exceptions import NotConfigured

from focused.crawl.crawl import Crawl
from focused.frontier.leases import LEASE, link_ended
from focused.utils.compression import gzip_member
from focused.utils.crawl_settings import RUN_DIR
from focused.utils.file_names import WARC_FILE
from focused.utils.files import append_whole
from focused.utils.output_settings import WARC
from focused.utils.version import __version__
from focused.utils.warc_records import info_record, response_record

if TYPE_CHECKING:
    from io import FileIO

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector
    from typing_extensions import Self

logger = logging.getLogger(__name__)

_RECORDS = "focused_warc_records"

# Flags of Scrapy's handlers for bodies that are not there to the end, and the words of the WARC standard for them.
TRUNCATED = {"dataloss": "disconnect", "partial": "disconnect", "download_stopped": "length", "cut": "length"}


class WarcRecorder:
    """Extension that writes the answers of a crawl to ``pages.warc.gz`` in the run directory: all, or those of relevant pages.

    It listens where answers come in, before any middleware: so redirects, errors and robots.txt are recorded too, and bodies
    are as compressed as they came. (Scrapy joins chunks before anyone sees them: Transfer-Encoding is left out,
    Content-Length put right.) Answers to other methods than GET are left out: a replay takes a URL only. An existing file
    is appended to.

    Of a relevant page its redirects are kept as well. What was asked for on the way, such as robots.txt, is not.

    With the durable frontier the records of a link under way are written when it has come to its end, so that the file
    holds no page that will be fetched again after a crash. A record is written whole or not at all. If the disk is full or
    the folder may not be written, that is counted and the crawl continues.

    Settings: FOCUSED_WARC, FOCUSED_RUN_DIR.

    Stats: ``focused/warc/written_count``, ``written_bytes`` (compressed), ``failed_count``, ``skipped_count`` (answers to
    other methods than GET).
    """

    def __init__(
        self, run_dir: Path, stats: StatsCollector, user_agent: str = "", *, only_relevant: bool = False
    ) -> None:
        self.path = run_dir / WARC_FILE
        self._stats = stats
        self._user_agent = user_agent
        self._only_relevant = only_relevant
        self._file: FileIO | None = None
        self._held: dict[int, list[bytes]] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings and connect to the signals."""
        settings = crawler.settings
        mode = WARC.read(settings)
        if mode == "auto":
            crawl = Crawl.of(crawler)
            mode = "all" if crawl is not None and crawl.plan.web == "live" else "off"
        if mode == "off":
            raise NotConfigured
        run_dir = RUN_DIR.read(settings)
        if not run_dir:
            raise ValueError(f"FOCUSED_WARC={mode} needs a folder to write to. Set FOCUSED_RUN_DIR.")
        assert crawler.stats is not None
        only_relevant = mode == "relevant"
        recorder = cls(Path(run_dir), crawler.stats, settings.get("USER_AGENT") or "", only_relevant=only_relevant)
        crawler.signals.connect(recorder.response_downloaded, signals.response_downloaded)
        crawler.signals.connect(recorder.spider_closed, signals.spider_closed)
        crawler.signals.connect(recorder.link_ended, link_ended)
        if only_relevant:
            crawler.signals.connect(recorder.item_scraped, signals.item_scraped)
        return recorder

    def response_downloaded(self, response: Response, request: Request, spider: Spider) -> None:
        """Record an answer."""
        if request.method != "GET":
            self._stats.inc_value("focused/warc/skipped_count")
            return
        record = self._record(response)
        if LEASE in request.meta:
            self._held.setdefault(request.meta[LEASE], []).append(record)
        elif self._only_relevant:
            # Redirects and retries take their meta along, so the page's item has the answers on the way to it.
            request.meta[_RECORDS] = [*request.meta.get(_RECORDS, ()), record]
        else:
            self._write(record)

    def link_ended(self, number: int, relevant: bool | None) -> None:
        """Write what was recorded for a link, its redirects included. ``relevant``: None where there was no page."""
        records = self._held.pop(number, ())
        if relevant or not self._only_relevant:
            for record in records:
                self._write(record)

    def item_scraped(self, item: object, response: Response) -> None:
        """Write what was recorded for a relevant page whose link no durable frontier knows."""
        if response is not None and response.request is not None:
            for record in response.meta.pop(_RECORDS, ()):
                self._write(record)

    def _write(self, record: bytes) -> None:
        try:
            n_bytes = self._append(record)
        except OSError as error:
            if not self._stats.get_value("focused/warc/failed_count"):
                logger.error(
                    "Cannot write to %s: %s. The crawl goes on; further failures are only counted.", self.path, error
                )
            self._stats.inc_value("focused/warc/failed_count")
        else:
            self._stats.inc_value("focused/warc/written_count")
            self._stats.inc_value("focused/warc/written_bytes", n_bytes)

    def spider_closed(self, spider: Spider) -> None:
        """Close the file."""
        if self._file is not None:
            with suppress(OSError):  # each write has been reported already
                self._file.close()
            self._file = None

    def _record(self, response: Response) -> bytes:
        about = {} if response.ip_address is None else {"WARC-IP-Address": str(response.ip_address)}
        for flag in filter(TRUNCATED.get, response.flags):
            about["WARC-Truncated"] = TRUNCATED[flag]
        record = response_record(response.url, _head(response), response.body, about)
        return gzip_member(*record)  # each record is a gzip member of its own

    def _info(self) -> bytes:
        software = f"focused/{__version__} scrapy/{scrapy.__version__}"
        about = {"software": software, "format": "WARC File Format 1.1", "http-header-user-agent": self._user_agent}
        return gzip_member(*info_record(self.path.name, about))

    def _append(self, record: bytes) -> int:
        """Write to the file, or leave it as it was; in bytes written."""
        if self._file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("ab", buffering=0)  # unbuffered: a full disk is noticed here
            try:
                self._append(self._info())
            except OSError:
                self._file.close()
                self._file = None
                raise
        append_whole(self._file, record)
        return len(record)


def _head(response: Response) -> bytes:
    """Return status line and headers, byte by byte as they came, without those that say how the body was sent."""
    protocol = response.protocol if response.protocol in ("HTTP/1.0", "HTTP/1.1") else "HTTP/1.1"
    lines = [f"{protocol} {_status_line(response.status)}".encode()]
    for name, values in response.headers.items():
        if name.lower() not in (b"transfer-encoding", b"content-length"):
            lines += [b"%b: %b" % (name, value) for value in values]
    lines.append(b"Content-Length: %d" % len(response.body))
    return b"".join(b"%b\r\n" % line for line in lines)


def _status_line(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:  # a status of the server's own making
        return f"{status} Unknown"
