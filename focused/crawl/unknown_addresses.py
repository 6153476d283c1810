"""Asks hosts for addresses that nobody made, and tells by the answers which pages are soft 404s."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import Request

from focused.crawl.source_requests import CALLBACK
from focused.frontier.interface import frontier_of
from focused.frontier.soft_404s import unknown_address
from focused.method.page.own_text import OWN
from focused.method.page.page_form import form_of
from focused.method.scoring.priority import to_priority
from focused.utils.origins import host_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from focused.crawl.copies import KnownTexts, MetBefore
    from focused.items import PageItem
    from focused.method.page.page import Page
    from focused.utils.scope import Scope

logger = logging.getLogger(__name__)

UNKNOWN = "address that nobody made"
"""Kind of what is asked for as a link source is, and is none."""
_META = {
    # Whatever comes is an answer, and a redirect says that there is no such page. A site that breaks on it is not asked again.
    "handle_httpstatus_all": True,
    "dont_redirect": True,
    "dont_retry": True,
}


class UnknownAddresses:
    """Asks once, in the place of the next links, each host that has many of the pages; see `focused.frontier.soft_404s`.

    The answers are no pages of the crawl: they are neither judged nor delivered, and none of their links is followed. There
    are two, for two addresses. A host that says the same each time has one page for what it does not have: copies of that are
    found as any others are, and a short article of the same form is none. Only a host that says something else each time has
    soft 404s that are told by their form.

    Settings: FOCUSED_SOFT_404_PROBES.

    Stats: ``focused/soft_404/asked_count``, ``focused/soft_404/hosts_count``, ``focused/soft_404/pages_count``.
    """

    def __init__(self, crawler: Crawler, scope: Scope, texts: KnownTexts) -> None:
        self._crawler, self._scope, self._texts = crawler, scope, texts

    def like_the_answer(self, item: PageItem, page: Page, met: MetBefore) -> MetBefore:
        """Return what is known of a page's text; a page like the answer to an address that nobody made is a copy of that."""
        soft_404s = frontier_of(self._crawler).soft_404s
        if soft_404s is None or not soft_404s.asks:
            return met
        asked = soft_404s.is_like_an_answer(item.known_as, lambda: form_of(page), item.referrer)
        if not asked or met.duplicate_of:
            return met
        self._count("pages")
        return met.as_copy_of(asked)

    def of_page(self, item: PageItem) -> Iterator[Request]:
        """Yield requests for addresses that nobody made, if the host of a page is to be asked for them."""
        soft_404s, callback = frontier_of(self._crawler).soft_404s, getattr(self._crawler.spider, CALLBACK, None)
        url = "" if soft_404s is None or callback is None else soft_404s.to_ask(item.known_as)
        if not url or self._scope.refusal(url):
            return
        for each in (url, unknown_address(url)):
            self._count("asked")
            yield Request(
                each,
                callback,
                errback=getattr(self._crawler.spider, "failed", None),
                priority=to_priority(1.0, True),
                cb_kwargs={"kind": UNKNOWN, "host": host_of(url)},
                meta={"focused_referrer": item.url, **_META},
            )

    def answered(self, response: Response, page: Page | None) -> None:
        """Take in what came for an address; ``page``: the answer, None if it is none."""
        assert response.request is not None
        url = response.request.url
        is_page = page is not None and response.status == 200 and page.n_words > 0
        # A front page that is the answer to everything is found as a copy of itself.
        is_new = page is not None and is_page and not self._texts.find_copy_or_remember(page, url).duplicate_of
        frontier = frontier_of(self._crawler)
        if page is None or not is_new:
            frontier.learn_answer(url, b"", ())
        elif frontier.learn_answer(url, form_of(page), page.judged_terms(OWN).tolist()):
            self._count("hosts")
            logger.info(
                "%s answers addresses that nobody made with pages (%s). Pages of their form are soft 404s from now on: they "
                "are not delivered, and their links stand back.",
                *(host_of(url), url),
            )

    def _count(self, what: str) -> None:
        self._crawler.stats.inc_value(f"focused/soft_404/{what}_count")
