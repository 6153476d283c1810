"""`PageItem`, the item of one fetched page, and who fills in which field."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from dataclasses import InitVar, dataclass, field, fields
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from focused.method.page.encoding import printable
from focused.method.page.link_list import LinkSource
from focused.method.page.main_text import headings_of, main_lines, main_text
from focused.method.page.markdown import markdown_of
from focused.method.page.metadata import metadata_of
from focused.method.scoring.link_meta import WORDS
from focused.method.scoring.reasons import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    from scrapy.http import Response
    from typing_extensions import Self

    from focused.method.page.lines import Flags
    from focused.method.page.page import Page
    from focused.method.scoring.page_scores import PageScores
    from focused.method.scoring.sorted_links import UpdatedLink

    Callback: TypeAlias = str | Callable[..., Any]


__all__ = ["LinkSource", "PageItem", "page_location"]


@dataclass
class PageItem:
    """One fetched page. What is delivered reaches the feeds and ``pages.jsonl``; all others are counted and dropped.

    A page is delivered if people want it or, without a verdict, if it is relevant and no copy of an earlier page. A page that
    asks not to be indexed is never delivered.
    """

    url: str
    title: str = ""
    #: Main text: what is left without menus, link lists and furniture, a line for each line of the page.
    text: str = ""
    #: Probability in [0, 1] that the page is on topic.
    relevance: float | None = None
    relevant: bool | None = None
    #: Links from a seed to this page; a seed has depth 0.
    depth: int = 0
    #: The page whose link was followed; empty for a seed.
    referrer: str = ""
    #: Score of that link, in [0, 1]; 1 for a seed.
    link_score: float = 1.0
    #: What the score rests on; ``seed`` for a seed.
    link_reason: str = "seed"
    #: Version of the model that the score comes from; above 1 once the crawl has trained it again.
    link_model_version: int = 1
    #: Irrelevant pages on the way from the seed.
    irrelevant_on_path: int = 0
    #: When the page was fetched, ISO 8601 in UTC.
    fetched_at: str = ""
    #: Digest of the body, or of the PDF file that the page was made of.
    sha256: str = ""
    #: What the page says of itself: `focused.method.page.metadata`.
    canonical_url: str = ""
    description: str = ""
    language: str = ""
    author: str = ""
    #: When it was published, ISO 8601: a day, a month or a year.
    date: str = ""
    site_name: str = ""
    license: str = ""
    #: Level (1 to 6) and text of each heading of the main text.
    headings: list[tuple[int, str]] = field(default_factory=list)
    #: Version of the model that judged it; above 1 once the crawl has trained it again.
    model_version: int = 1
    #: URL of the page met before that says the same; empty where there is none.
    duplicate_of: str = ""
    #: What people say of the page, above all else; None while they say nothing, or contradict each other.
    verdict: bool | None = None
    #: The analysed page and its bytes. No fields: they are never exported.
    page: InitVar[Page | None] = None
    body: InitVar[bytes] = b""
    #: The Content-Type that the server gave.
    content_type: InitVar[str] = ""
    #: The URL that the page has by its Content-Location; the URL that was requested if it has none.
    location: InitVar[str] = ""
    #: Name of the spider's method that the pages of its links go to; None: ``parse``.
    callback: InitVar[Callback | None] = None

    def __init_subclass__(cls, **options: Any) -> None:
        """Refuse a class whose field would be overwritten: its value would be lost silently."""
        super().__init_subclass__(**options)
        known = {each.name for each in fields(PageItem)}
        for name in sorted(({*PageItem.__dataclass_fields__, *vars(PageItem(""))} - known) & vars(cls).keys()):
            raise TypeError(
                f"A field of {cls.__name__} must not be called {name!r}: PageItem uses it. Give it another name."
            )

    def __post_init__(
        self, page: Page | None, body: bytes, content_type: str, location: str, callback: Callback | None
    ) -> None:
        self.analysed = page
        self.raw, self.raw_type = body, content_type
        #: Digest of the file that the page was made of, a PDF file; empty for one that came as it is.
        self.file_sha256 = ""
        self.known_as = location or self.url
        self.links_callback = callback if callback is None or isinstance(callback, str) else callback.__name__
        #: What the link middleware found on the page; None where links are not scored.
        self.scores: PageScores | None = None
        #: Whether the page was fetched and dropped before, and is delivered now because people want it.
        self.is_late = False
        #: Whether ``pages.jsonl`` has the late page already: the file was put right when the crawl was resumed.
        self.is_stored = False
        #: Known links that the page links to again; the frontier updates them when the page ends.
        self.updated_links: Sequence[UpdatedLink] = ()
        #: Whether the page asks not to be indexed, and the crawl obeys: it is counted and not delivered.
        self.noindex = False
        #: Which lines of the page are main text, once the item is complete.
        self.is_main: Flags | None = None
        #: Which lines of the page stood on earlier pages of its host; None while too few of these are known.
        self.repeated_lines: Flags | None = None
        #: What the frontier keeps of the page's text; empty if it has this text already.
        self.text_sketch = b""
        #: URL of the page that says all that this one does. Unlike in duplicate_of, that page may be an irrelevant list.
        self.text_repeats = ""
        #: The terms that the page is judged by, once counted, and the name of the text that they are from.
        self.counted: tuple[str, Mapping[str, int]] | None = None
        #: What the frontier takes in when the page ends; only the page end middleware writes and reads it.
        self.ended_page: object = None

    @classmethod
    def from_response(cls, response: Response, *, url: str = "", **fields: Any) -> Self:
        """Return the item of a fetched page, still to be analysed and judged.

        A spider yields it to hand its page over: the link middleware reads and judges the page, and requests its links.

        ``fields`` are values of fields that a subclass adds. ``callback`` is the spider's method that the pages of its links
        go to, or that method's name. ``url`` names the page where several pages share the response's URL, as the answers to
        a form do: of each URL one page is taken.
        """
        meta = response.meta
        item = cls(
            url=url or response.url,
            depth=meta.get("depth", 0),
            referrer=meta.get("focused_referrer", ""),
            link_score=meta.get("focused_link_score", 1.0),
            link_reason=meta.get(WORDS) or meta.get("focused_link_reason", "discovery"),
            link_model_version=meta.get("focused_model_version", 1),
            irrelevant_on_path=meta.get("focused_irrelevant_on_path", 0),
            fetched_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            body=response.body,
            content_type=(response.headers.get("Content-Type") or b"").decode("latin-1"),
            location=url or page_location(response),
            **fields,
        )
        item.file_sha256 = getattr(response, "file_sha256", "")
        return item

    @classmethod
    def late(cls, values: Mapping[str, Any]) -> Self:
        """Return the item of a page that was fetched before, from its row in the collection, by the columns' names."""
        flags, own = ("relevant", "verdict"), {each.name for each in fields(cls)}
        found = {name: value for name, value in values.items() if name in own and value is not None}
        found |= {name: bool(found[name]) for name in flags if name in found}
        if isinstance(found.get("headings"), str):
            found["headings"] = json.loads(found["headings"] or "[]")
        made = cls(**found, content_type=str(values["content_type"]), location=str(values["location"]))
        made.is_late, made.noindex = True, bool(values["noindex"])
        return made

    @property
    def is_delivered(self) -> bool:
        """Whether the page is one that the crawl was made for: free to be shown, and wanted by people.

        Where people say nothing: relevant by the model's word, and no copy.
        """
        if self.verdict is not None:
            return self.verdict and not self.noindex
        return bool(self.relevant) and not self.noindex and not self.duplicate_of

    @property
    def reason_kind(self) -> str:
        """The kind of the link's reason: its words are left out."""
        return kind_of(self.link_reason)

    def attach(self, page: Page) -> None:
        """Take the page as it was analysed."""
        self.analysed = page
        self.title = printable(page.title)

    def complete(self) -> None:
        """Fill in what is wanted only of pages that are kept: main text, digest, and what the page says of itself; once."""
        page = self.analysed
        if page is None or self.sha256:
            return
        self.sha256 = self.file_sha256 or hashlib.sha256(self.raw).hexdigest()
        is_main = self.is_main = main_lines(page.lines, self.repeated_lines)
        text = main_text(page.lines, is_main)
        self.text = printable(text)
        self.headings = headings_of(page.lines, is_main)
        if self.text is not text:  # else no line of it holds a control character, nor does a heading
            self.headings = [(level, printable(heading)) for level, heading in self.headings]
        found = metadata_of(page, self.fetched_at, self.text)
        self.canonical_url = found.canonical_url or self.url
        self.description, self.language = printable(found.description), found.language
        self.author, self.date = printable(found.author), found.date
        self.site_name, self.license = printable(found.site_name), printable(found.license)

    def markdown(self) -> str | None:
        """Return the main text as Markdown, once the item is complete; None of a page that is no longer in memory."""
        if self.analysed is None or self.is_main is None:
            return None
        return markdown_of(self.analysed, self.is_main)


def page_location(response: Response) -> str:
    """Return the URL that a page has, as the web says (Content-Location): a recorded page may be found under others.

    On the open web some servers name one script for all their pages. So a page is believed that it has another URL only if
    that is a longer form of its own, such as `/a.html` of `/a`, with the same query.
    """
    url: str = response.url
    location: bytes | None = response.headers.get("Content-Location")
    if location:
        with contextlib.suppress(ValueError):
            named = urljoin(url, location.decode("latin-1"))
            # A host may not speak for another host's pages.
            if urlsplit(named).netloc == urlsplit(url).netloc:
                is_found_elsewhere = not _FOUND_ELSEWHERE.isdisjoint(response.flags)
                return named if is_found_elsewhere or _is_longer_form(named, url) else url
    return url


_FOUND_ELSEWHERE = frozenset({"canonical", "tolerant"})
"""Flags of responses of a recorded web that had the page under another URL."""


def _is_longer_form(named: str, url: str) -> bool:
    """Tell whether a URL is that of a file which a server may choose for another URL.

    >>> own = "http://h.org/a/b"
    >>> _is_longer_form("http://h.org/a/b.en.html", own), _is_longer_form("http://h.org/a/b.php", own + "?page=2")
    (True, False)
    """
    other, own = urlsplit(named), urlsplit(url)
    if other.query != own.query or not other.path.startswith(own.path):
        return False
    rest = other.path[len(own.path) :]
    return "/" not in rest[1:] and (own.path.endswith("/") or rest[:1] in ("", ".", "/"))
