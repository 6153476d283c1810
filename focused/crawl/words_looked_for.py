"""The end of a crawl for a topic from words that has met none of them (docs/method/, D75)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.utils.defer import deferred_from_coro

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from focused.crawl.state import Crawl

ENOUGH_PAGES = 160
"""Pages after which a crawl ends that has met none of its topic's words."""
_REASON = "words_not_found"


def end_without_words(crawler: Crawler, crawl: Crawl, n_pages: int) -> None:
    """End a crawl that has looked for its topic's words in so many pages and found none, if these are enough."""
    if n_pages < ENOUGH_PAGES:
        return
    name = crawl.plan.topic.name
    crawl.fail(
        f"The crawl ends: none of the topic's words stands in any of the {n_pages} pages met: {words_of(crawl)}. Choose words "
        f"that these sites use, or seeds of sites that use them: scrapy train {name} --force --keywords WORDS --seeds URLS"
    )
    assert crawler.engine is not None
    deferred_from_coro(crawler.engine.close_spider_async(reason=_REASON))


def words_of(crawl: Crawl) -> str:
    """Return the words that the topic of a crawl was made from."""
    return str(crawl.plan.topic.manifest["examples"]["keywords"]["text"])
