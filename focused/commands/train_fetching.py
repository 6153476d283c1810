"""Fetch the pages of a list of URLs politely before training, with a small spider."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import IgnoreRequest
from scrapy.settings import default_settings
from scrapy.spidermiddlewares.httperror import HttpError

from focused.crawl.failures import why_failed, why_ignored
from focused.crawl.private_addresses import ALLOW, AddressRefusedError, PrivateAddresses, register_addresses
from focused.crawl.settings_layers import OFFLINE_HANDLERS, OFFLINE_SETTINGS
from focused.method.training.example_content import PageContent, RefusedError, checked
from focused.utils.crawl_settings import CONTACT, PRIVATE_ADDRESSES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable

    from scrapy.http import Response
    from scrapy.settings import Settings
    from twisted.python.failure import Failure

# The project's components belong to focused crawls. Here nothing is scored, ranked or stored.
_NO_COMPONENTS: dict[str, Any] = {
    **{name: {} for name in ("ITEM_PIPELINES", "SPIDER_MIDDLEWARES", "EXTENSIONS", "FEEDS")},
    "SCHEDULER": default_settings.SCHEDULER,
    # One host after the other would be slow, so this queue spreads requests over the hosts.
    "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
    "JOBDIR": None,
}


class FetchError(RuntimeError):
    """The URLs could not be fetched at all."""


class FetchedPages:
    """Pages that were fetched, kept in a temporary file; a `focused.method.training.example_sources.FetchedExamples`."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - this object owns and closes the file
        # Of each page its URL, its content type, and where its bytes begin and how many they are.
        self._found: dict[str, tuple[str, str | None, int, int] | RefusedError] = {}

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __len__(self) -> int:
        return len(self._found)

    def add(self, asked: str, content: PageContent) -> None:
        """Keep a page under the requested URL."""
        start = self._file.seek(0, 2)
        self._file.write(content.body)
        self._found[asked] = content.url, content.content_type, start, len(content.body)

    def refuse(self, asked: str, reason: str, detail: str = "") -> None:
        """Note why there is no page under a URL."""
        self._found[asked] = RefusedError(reason, detail)

    def content(self, url: str) -> PageContent:
        """Return the page that answered a URL, or raise `RefusedError`."""
        found = self._found.get(url)
        if found is None:
            raise RefusedError("not fetched")
        if isinstance(found, RefusedError):
            raise RefusedError(str(found), found.detail)
        url, content_type, start, length = found
        self._file.seek(start)
        return PageContent(url, self._file.read(length), content_type)


class FetchSpider(scrapy.Spider):
    """Fetches URLs into ``pages`` and follows no links; calls ``on_answer`` after each answer or failure."""

    name = "fetch"

    def __init__(self, urls: list[str], pages: FetchedPages, on_answer: Callable[[], None], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._urls = urls
        self._pages = pages
        self._on_answer = on_answer

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """Ask for each URL once."""
        for url in self._urls:
            try:
                request = scrapy.Request(
                    url, self.parse, errback=self.failed, meta={"asked": url, "focused_pdf": True}, dont_filter=True
                )
            except ValueError as error:
                self._pages.refuse(url, "no URL", str(error))
                self._on_answer()
                continue
            yield request

    def parse(self, response: Response, **kwargs: Any) -> None:
        """Keep a page, or the reason of its refusal."""
        asked = response.meta["asked"]
        kind = response.headers.get("Content-Type")
        try:
            self._pages.add(asked, checked(response.url, response.body, kind.decode("latin-1") if kind else None))
        except RefusedError as refused:
            self._pages.refuse(asked, str(refused), refused.detail)
        self._on_answer()

    def failed(self, failure: Failure) -> None:
        """Note why a page could not be fetched."""
        asked = failure.request.meta["asked"]  # type: ignore[attr-defined]
        error, why = failure.value, ("could not be fetched", why_failed(failure.value))
        if isinstance(error, HttpError):
            why = f"answered {error.response.status}", ""
        elif isinstance(error, AddressRefusedError):
            why = "not asked", f"{error.kind} address; to allow it: -s FOCUSED_PRIVATE_ADDRESSES=allow"
        elif isinstance(error, IgnoreRequest):
            why = why_ignored(str(error)), ""
        self._pages.refuse(asked, *why)
        self._on_answer()


def fetch(
    urls: list[str],
    pages: FetchedPages,
    settings: Settings,
    web: str,
    on_answer: Callable[[], None],
    named: Iterable[str] = (),
    spider: type[FetchSpider] | None = None,
    **arguments: Any,
) -> None:
    """Fetch URLs from the network, or from a recorded web or the demo web. robots.txt is obeyed.

    URLs with addresses that are not public are fetched if their hosts and ports are those of URLs ``named`` on the command
    line; see `focused.crawl.private_addresses`.
    ``spider``: another than `FetchSpider`, with further ``arguments``.
    Call it once in a process, because Scrapy's reactor cannot start twice. A FetchError says that it did not run to its end.
    """
    settings = settings.copy()
    settings.setdict(_NO_COMPONENTS, priority="cmdline")
    contact, agent = CONTACT.read(settings), settings.get("USER_AGENT")
    if web != "live":
        settings.setdict({**OFFLINE_SETTINGS, "DOWNLOAD_HANDLERS": OFFLINE_HANDLERS}, priority="spider")
        settings.set("FOCUSED_WEB", web, priority="cmdline")
    elif contact and contact not in agent:
        settings.set("USER_AGENT", f"{agent} (+{contact})", priority="cmdline")
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(spider or FetchSpider)
    mode = ALLOW if web != "live" else PRIVATE_ADDRESSES.read(settings)
    register_addresses(crawler, PrivateAddresses(mode, named))
    process.crawl(crawler, urls=urls, pages=pages, on_answer=on_answer, **arguments)
    process.start()
    reason = crawler.stats.get_value("finish_reason") if crawler.stats else None
    if reason != "finished":
        got = f"{len(pages)} of {len(urls)} URLs ({reason or 'it did not start'})"
        raise FetchError(f"Fetching stopped after {got}. Start again, or see why with -L INFO.")
