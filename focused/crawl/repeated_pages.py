"""Counts pages that come again under a URL that has had its page, and says which of them the spider itself asked for."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector

    from focused.items import PageItem

logger = logging.getLogger(__name__)

UNDER_ANOTHER_URL = "focused/pages/repeated_count"
SAME_URL = "focused/pages/same_url_count"
"""Stat: pages that the spider's own requests brought, not taken: an earlier page has their URL."""


def count_repeated(item: PageItem, response: Response, stats: StatsCollector) -> None:
    """Count a page that is not taken; of the spider's own requests, name the first."""
    meta = response.meta
    if "focused_link_reason" in meta or "redirect_urls" in meta or item.known_as != response.url:
        stats.inc_value(UNDER_ANOTHER_URL)
        return
    if not stats.get_value(SAME_URL):
        logger.warning(
            "A second page of %s is not taken: of each URL one page is. Where several pages share a URL, as the answers to "
            "a form do, give each its own: PageItem.from_response(response, url=...). Others like it are counted (%s).",
            item.known_as,
            SAME_URL,
        )
    stats.inc_value(SAME_URL)
