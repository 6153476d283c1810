"""Reads a response into an analysed page, and into the links on it that may be followed."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy.http import TextResponse

from focused.method.page.encoding import may_be_text
from focused.method.page.page import Page as Page
from focused.method.page.robots_directives import NOTHING, Directives, agent_name, of_headers, of_metas
from focused.method.page.tags import refresh_target
from focused.utils.crawl_settings import NOFOLLOW_ENABLED, OBEY_NOINDEX
from focused.utils.scope import TOO_FAR
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from focused.crawl.copies import KnownTexts
    from focused.crawl.furniture import Furniture
    from focused.method.page.reader import PageReader
    from focused.utils.scope import Scope

_SCOPE = "focused/scope/{}_count"


NOT_READ = "focused/pages/not_read_count"
"""Stat: responses with text of which a page reader that was plugged in has made no page."""


def is_text(response: Response) -> bool:
    """Tell whether a response may be a page: it is neither empty nor binary."""
    return isinstance(response, TextResponse) and may_be_text(response.body)


def about_not_read(n_pages: int, reader: PageReader) -> str:
    """Return a line that names the page reader which has made no page of so many responses; empty of none."""
    if not n_pages:
        return ""
    kind = type(reader)
    return (
        f"{quantity(n_pages, 'responses')} with text not read: {kind.__module__}.{kind.__qualname__} (FOCUSED_PAGE_READER) "
        "returned no Page. Its read must return one, whatever the bytes are"
    )


def refresh_of(response: Response) -> str:
    """Return where the HTTP header ``Refresh`` leads, as written; empty if there is none."""
    header = response.headers.get("Refresh")
    return "" if header is None else refresh_target(header.decode("latin-1"))


class RepeatedText(NamedTuple):
    """What finds text that stands on several pages of a crawl, or None: whole pages that are copies, and lines of sites."""

    copies: KnownTexts | None = None
    furniture: Furniture | None = None


_NOTHING_REPEATED = RepeatedText()


class PageReading:
    """Reads pages as the settings FOCUSED_OBEY_NOINDEX and FOCUSED_NOFOLLOW_ENABLED and the crawl's scope say.

    The crawl's own name, by which a page may address it, is that of ROBOTSTXT_USER_AGENT and of USER_AGENT.
    """

    def __init__(
        self, reader: PageReader, scope: Scope, settings: BaseSettings, repeated: RepeatedText = _NOTHING_REPEATED
    ) -> None:
        #: Knows the text of pages that were read before.
        self.repeated = repeated
        self._reader = reader
        self._scope = scope
        self._obeys = OBEY_NOINDEX.read(settings)
        self._follows_nofollow = not NOFOLLOW_ENABLED.read(settings)
        agents = (settings.get(name) or "" for name in ("ROBOTSTXT_USER_AGENT", "USER_AGENT"))
        self._agents = frozenset(filter(None, map(agent_name, agents)))

    def read(self, response: Response, content_type: str) -> Page | None:
        """Return the analysed page; None if the response is empty or binary, or a reader that was plugged in makes none."""
        if not is_text(response):
            return None
        found: Any = self._reader.read(response.body, response.url, content_type)
        if not isinstance(found, Page):
            return None
        if refresh := refresh_of(response):
            self._reader.add_refresh(found, refresh)
        return found

    def directives(self, response: Response, page: Page | None = None) -> Directives:
        """Return what a response and its page ask of this crawl; nothing where it does not obey."""
        if not self._obeys:
            return NOTHING
        headers = response.headers.getlist("X-Robots-Tag")
        if not headers and (page is None or not page.marked_text.robots):
            return NOTHING
        now = time.time()
        found = of_headers([value.decode("latin-1") for value in headers], self._agents, now)
        return found if page is None else found | of_metas(page.marked_text.robots, self._agents, now)

    def links_to_follow(
        self, page: Page, depth: int, directives: Directives = NOTHING
    ) -> tuple[Mapping[str, int], Counter[str]]:
        """Return the URLs that may be followed, with their numbers among the page's links, and how many were left out.

        The latter by the stat that counts them: nofollow, or the reason why they are out of scope. ``depth``: links between a
        seed and the page. ``directives``: what the page asks of this crawl.
        """
        links, scope, left_out = self._not_nofollow(page, directives), self._scope, Counter[str]()
        left_out["focused/links/nofollow_count"] = page.n_links - len(links)
        if 0 < scope.max_depth <= depth:
            left_out[_SCOPE.format(TOO_FAR)] = len(links)
            links = {}
        elif scope.limits_urls:
            reasons = {url: scope.refusal(url) for url in links}
            left_out.update(_SCOPE.format(reason) for reason in reasons.values() if reason)
            links = {url: number for url, number in links.items() if not reasons[url]}
        return links, +left_out

    def _not_nofollow(self, page: Page, directives: Directives) -> Mapping[str, int]:
        if directives.nofollow:
            return {}
        if self._follows_nofollow or not (page.marked_text.nofollow or page.marked_text.nofollow_links):
            return page.link_numbers
        return {url: number for url, number in page.link_numbers.items() if not page.is_nofollow(page.links[number])}
