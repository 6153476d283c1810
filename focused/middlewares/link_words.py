"""Adds to a request, when it is about to be sent, in words what its link's score rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from focused.crawl.crawl import Crawl
from focused.method.scoring import REASONS
from focused.method.scoring.base import BY_FEED, BY_SITEMAP
from focused.method.scoring.link_meta import WORDS
from focused.method.scoring.reasons import in_words

_WITHOUT_WORDS = ("seed", "look around")
"""Reasons that no score stands behind."""
_SOURCES = (REASONS[BY_SITEMAP], REASONS[BY_FEED])
"""Reasons that say where a link was found first; what its score rests on by now follows."""

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from focused.crawl.judging import Judging


class LinkWordsMiddleware:
    """Asks a strategy that learns for the strongest evidence for a link, at the moment when it decides.

    Place: 20, after requests that are stale have been sorted out (10). Off unless the strategy has a session.

    Meta, written to each request for a link: ``focused_link_words``, once; retries and redirects keep it.
    """

    def __init__(self, judging: Judging) -> None:
        self._judging = judging

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Stay out of crawls whose strategy does not learn."""
        judging = Crawl.needed(crawler).judging
        if judging.session is None:
            raise NotConfigured
        return cls(judging)

    def process_request(self, request: Request) -> None:
        """Write the words."""
        meta, session = request.meta, self._judging.session
        if session is not None and WORDS not in meta and meta.get("focused_link_reason", "seed") not in _WITHOUT_WORDS:
            words, reason = session.why(request.url), meta.get("focused_link_reason")
            meta[WORDS] = in_words(filter(None, (reason, words))) if reason in _SOURCES else words
