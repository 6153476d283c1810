"""Finds soft 404s: asks hosts for made-up addresses (probes), and compares pages with the answers."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import Request

from focused.crawl.source_requests import CALLBACK
from focused.frontier.crawl_interface import frontier_of
from focused.frontier.soft_404s import probe_address
from focused.method.page.own_text import OWN
from focused.method.page.page_form import form_of
from focused.method.scoring.priority import to_priority
from focused.utils.origins import host_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from focused.crawl.copies import KnownTexts, TextComparison
    from focused.items import PageItem
    from focused.method.page.page import Page
    from focused.utils.scope import Scope

logger = logging.getLogger(__name__)

PROBE = "address that nobody made"
"""The ``kind`` of a probe: it is asked for as a link source is, and is none. Links of earlier versions carry the text, too."""
_META = {
    # Every status is an answer, and a redirect says that there is no such page. A site that fails is not asked again.
    "handle_httpstatus_all": True,
    "dont_redirect": True,
    "dont_retry": True,
}


class Soft404Probes:
    """Probes each host that has many of the pages, once, with two made-up addresses; see `focused.frontier.soft_404s`.

    The probes are asked for before the next links. Their answers are no pages of the crawl: they are neither judged nor
    delivered, and their links are not followed. Some hosts give the same answer to both probes. Their soft 404s have one text,
    and are found as copies. Other hosts give two different answers. Only their soft 404s are recognised by the form of the
    page: on a host with one answer, a short article may have the same form.

    Settings: FOCUSED_SOFT_404_PROBES.

    Stats: ``focused/soft_404/asked_count``, ``focused/soft_404/hosts_count``, ``focused/soft_404/pages_count``.
    """

    def __init__(self, crawler: Crawler, scope: Scope, texts: KnownTexts) -> None:
        self._crawler, self._scope, self._texts = crawler, scope, texts

    def as_copy_of_answer(self, item: PageItem, page: Page, comparison: TextComparison) -> TextComparison:
        """Return a page's comparison; a page that is like the answer to a probe becomes a copy of that answer."""
        soft_404s = frontier_of(self._crawler).soft_404s
        if soft_404s is None or not soft_404s.are_probed:
            return comparison
        asked = soft_404s.note_page_like_answer(item.known_as, lambda: form_of(page), item.referrer)
        if not asked or comparison.duplicate_of:
            return comparison
        self._count("pages")
        return comparison.as_copy_of(asked)

    def of_page(self, item: PageItem) -> Iterator[Request]:
        """Yield the two probes of a page's host, if the host should be probed now."""
        soft_404s, callback = frontier_of(self._crawler).soft_404s, getattr(self._crawler.spider, CALLBACK, None)
        url = "" if soft_404s is None or callback is None else soft_404s.next_probe(item.known_as)
        if not url or self._scope.refusal(url):
            return
        for each in (url, probe_address(url)):
            self._count("asked")
            yield Request(
                each,
                callback,
                errback=getattr(self._crawler.spider, "failed", None),
                priority=to_priority(1.0, True),
                cb_kwargs={"kind": PROBE, "host": host_of(url)},
                meta={"focused_referrer": item.url, **_META},
            )

    def answered(self, response: Response, page: Page | None) -> None:
        """Learn from the answer to a probe; ``page`` is None if the answer is no page."""
        assert response.request is not None
        url = response.request.url
        is_page = page is not None and response.status == 200 and page.n_words > 0
        # Where the front page is the answer to everything, later answers are found as its copies.
        is_new = page is not None and is_page and not self._texts.find_copy_or_remember(page, url).duplicate_of
        frontier = frontier_of(self._crawler)
        if page is None or not is_new:
            frontier.learn_answer(url, b"", ())
        elif frontier.learn_answer(url, form_of(page), page.judged_terms(OWN).tolist()):
            self._count("hosts")
            logger.info(
                "%s answers made-up addresses with pages (%s). Pages of their form are soft 404s from now on: they "
                "are not delivered, and their links stand back.",
                host_of(url),
                url,
            )

    def _count(self, what: str) -> None:
        self._crawler.stats.inc_value(f"focused/soft_404/{what}_count")
