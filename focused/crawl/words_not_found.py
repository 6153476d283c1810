"""Ends a crawl for a topic from words that has met none of them (docs/method/, D75)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.utils.defer import deferred_from_coro

from focused.utils.finish_reasons import WORDS_NOT_FOUND

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from focused.crawl.crawl import Crawl

ENOUGH_PAGES = 160
"""Pages after which a crawl ends that has met none of its topic's words."""
logger = logging.getLogger(__name__)


def end_without_words(crawler: Crawler, crawl: Crawl, n_pages: int, *, is_failure: bool = True) -> None:
    """End a crawl that has looked for its topic's words in so many pages and found none, if these are enough.

    ``is_failure``: whether this process has failed by that.
    """
    if n_pages < ENOUGH_PAGES:
        return
    name = crawl.plan.topic.name
    say = crawl.fail if is_failure else logger.error
    say(
        f"The crawl ends: none of the topic's words stands in any of the {n_pages} pages met: {words_of(crawl)}. Choose words "
        f"that these sites use, or seeds of sites that use them: scrapy train {name} --force --keywords WORDS --seeds URLS"
    )
    assert crawler.engine is not None
    deferred_from_coro(crawler.engine.close_spider_async(reason=WORDS_NOT_FOUND))


def words_of(crawl: Crawl) -> str:
    """Return the words that the topic of a crawl was made from."""
    return str(crawl.plan.topic.manifest["examples"]["keywords"]["text"])
