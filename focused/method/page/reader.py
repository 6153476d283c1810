"""Bytes to a :class:`~focused.method.page.page.Page`: decode, walk, tokenise, partition, resolve links. Each once."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from focused.method.page.blocks import partition
from focused.method.page.encoding import to_utf8
from focused.method.page.limits import PageLimits
from focused.method.page.marked_text import plain_text
from focused.method.page.outline import outline_of
from focused.method.page.page import Page
from focused.method.page.page_language import declared_language
from focused.method.page.tags import BLOCK_TAG_SETS, block_kinds
from focused.method.page.urls import NOT_A_PAGE, REFUSALS, UrlMemo, UrlResolver
from focused.method.page.walk import Walker
from focused.utils.setting import TOPIC, Setting

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Mapping

    from typing_extensions import Self

    from focused.method.text.analyzer import Analyzer

_NOWHERE, _OVER_LIMIT = -1, -2  # take the place of a link's number

BLOCK_TAGS = Setting(
    "FOCUSED_BLOCK_TAGS",
    "modern",
    "Tags that count for the height of a content block: the list of P13 (`paper`), or that with the ones of today's pages.",
    choices=tuple(BLOCK_TAG_SETS),
    set_by=TOPIC,
)
BLOCK_ALPHA = Setting(
    "FOCUSED_BLOCK_ALPHA",
    0.5,
    "Share of the page's block height below which a node is not split; larger: fewer, larger blocks. alpha [P13, Alg. 1].",
    least=0,
    most=1,
    set_by=TOPIC,
)
BLOCK_MIN_LINKS = Setting(
    "FOCUSED_BLOCK_MIN_LINKS",
    1,
    "Links that a child must hold for its parent to be split; k [P13, Alg. 1].",
    least=1,
    set_by=TOPIC,
)


class PageReader:
    """Reads pages of one language.

    Another one can be plugged in: a subclass with this constructor, named by FOCUSED_PAGE_READER. Its `read` is given the
    bytes of every page, of a crawl's and of the examples that a topic is trained from, and returns a Page, whatever the bytes
    are. It may change them and leave the rest to this class. The same bytes must give the same page.

    ``analyzer``: turns text into term ids. ``block_tags``: which tags count for the height of a block [P13, Sect. 3.1].
    ``alpha``: share of the page's block height below which a node is not split, in [0, 1] [P13, Alg. 1]. ``min_links``: links
    that a child must hold for its parent to be split; the paper's k.
    """

    def __init__(
        self,
        analyzer: Analyzer,
        *,
        block_tags: str = BLOCK_TAGS.default,
        alpha: float = BLOCK_ALPHA.default,
        min_links: int = BLOCK_MIN_LINKS.default,
        limits: PageLimits | None = None,
    ) -> None:
        self.analyzer = analyzer
        self.alpha = alpha
        self.min_links = min_links
        self.limits = limits or PageLimits()
        #: Whether pages know what is emphasised in them: Markdown needs it. Set before the first page is read.
        self.keeps_emphasis = False
        #: Extensions of URLs that are no links to pages. Set before the first page is read: URLs are remembered.
        self.not_a_page: Container[str] = NOT_A_PAGE
        self._urls = UrlMemo()
        self._block_tags = block_tags
        self._block_kinds = block_kinds(block_tags)

    @cached_property
    def _walker(self) -> Walker:
        return Walker(self._block_tags, self.limits.max_elements, keeps_emphasis=self.keeps_emphasis)

    def with_settings(self, settings: Mapping[str, Any]) -> Self:
        """Return the reader ready to read; called once. One that is plugged in reads its own settings here."""
        return self

    def read(self, body: bytes, url: str, content_type: str | None = None) -> Page:
        """Analyse a page. Any bytes give a page; its ``cuts`` count what was left out.

        ``body``: decompressed. ``url``: absolute URL it was fetched from. ``content_type``: the HTTP header. ``text/plain``
        is read as plain text, anything else as HTML.
        """
        cuts: Counter[str] = Counter()
        if len(body) > self.limits.max_bytes:
            cuts["bytes"] += len(body) - self.limits.max_bytes
            body = body[: self.limits.max_bytes]
        body, encoding = to_utf8(body, content_type)
        if content_type is not None and content_type.lower().startswith("text/plain"):
            marked_text = plain_text(body.decode("utf-8"))
        else:
            marked_text = self._walker.walk(body, cuts)
        outline, terms, chunk_start = outline_of(self.analyzer.stream(marked_text.text), self._block_kinds)
        if chunk_start[1]:
            terms = np.concatenate((terms, self.analyzer.table.title_ids(terms[: chunk_start[1]])))
        chunk_start = np.append(chunk_start, len(terms))
        blocks = partition(outline, self.alpha, self.min_links)
        resolver = UrlResolver(url, marked_text.base, self.limits.max_url_chars, encoding, self.not_a_page)
        refresh = resolver.resolve(marked_text.refresh) if marked_text.refresh else ""
        page = Page(
            url=url,
            encoding=encoding,
            marked_text=marked_text,
            outline=outline,
            blocks=blocks,
            refresh_url="" if refresh in REFUSALS else refresh,
            terms=terms,
            chunk_start=chunk_start,
            cuts=cuts,
            declared_language=declared_language(body),
        )
        self._add_links(page, resolver)
        self._add_at_root(page, resolver, marked_text.series)
        return page

    def add_refresh(self, page: Page, target: str) -> None:
        """Add the target of the HTTP header ``Refresh`` to the links of a page that has no meta refresh."""
        resolver = UrlResolver(
            page.url, page.marked_text.base, self.limits.max_url_chars, page.encoding, self.not_a_page
        )
        url = resolver.resolve(target)
        if not page.refresh_url and url not in REFUSALS:
            page.refresh_url = url
            self._add_at_root(page, resolver, [target])

    def _add_links(self, page: Page, resolver: UrlResolver) -> None:
        """Group the link elements of a page by target. A link to the page itself does not count."""
        nodes, targets = page.outline.link_nodes, page.marked_text.link_targets
        if page.refresh_url:
            nodes, targets = np.append(nodes, page.outline.root), [*targets, page.marked_text.refresh]
            page.blocks.add_root(page.outline.root)
        if not targets:
            return
        number_of = self._link_numbers(page, resolver, dict.fromkeys(targets))
        numbers = [number_of[target] for target in targets]
        if page.link_numbers:
            page.anchors, page.anchor_links = nodes, np.fromiter(numbers, np.int64, len(numbers))
            if min(numbers) < 0:
                is_link = page.anchor_links >= 0
                page.anchors, page.anchor_links = nodes[is_link], page.anchor_links[is_link]
            page.anchor_blocks = page.blocks.of_nodes(page.anchors)
        if _OVER_LIMIT in numbers:
            page.cuts["links_over_limit"] += numbers.count(_OVER_LIMIT)

    def _add_at_root(self, page: Page, resolver: UrlResolver, targets: Collection[str]) -> None:
        """Add links that no element shows; their text is the page's. Those that an element shows are there already."""
        n_shown = page.n_links
        if targets:
            self._link_numbers(page, resolver, targets)
        if page.n_links > n_shown:
            root, numbers = page.outline.root, np.arange(n_shown, page.n_links)
            page.blocks.add_root(root)
            page.anchors = np.append(page.anchors, np.full(len(numbers), root))
            page.anchor_links = np.append(page.anchor_links, numbers)
            page.anchor_blocks = page.blocks.of_nodes(page.anchors)

    def _link_numbers(self, page: Page, resolver: UrlResolver, targets: Collection[str]) -> dict[str, int]:
        """Resolve the different targets of a page; return the link number of each, below 0 if it is no link."""
        numbers, cuts, max_links = page.link_numbers, page.cuts, self.limits.max_links
        known = self._urls.of_folder(resolver.folder, len(targets)) if resolver.folder else {}
        number_of = {"": _NOWHERE}
        n_resolved = 0
        for whole in targets:
            target = whole.partition("#")[0] if "#" in whole else whole
            number = number_of.get(target)
            if number is None:
                if n_resolved >= max_links:
                    number = _OVER_LIMIT
                else:
                    n_resolved += 1
                    url = known.get(target)
                    if url is None:
                        url = resolver.resolve_plain(target)
                        if url:
                            known[target] = url
                        else:
                            url = resolver.resolve_any(target)
                    if url in REFUSALS:
                        cuts[f"links_{url}"] += 1
                        number = _NOWHERE
                    else:
                        number = _NOWHERE if url == resolver.own_url else numbers.setdefault(url, len(numbers))
                    number_of[target] = number
            number_of[whole] = number
        return number_of
