"""What a crawl yields."""

from __future__ import annotations

from dataclasses import InitVar, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focused.method.page.page import Page


@dataclass
class PageItem:
    """One fetched page. Relevant ones reach the feeds and ``pages.jsonl``; the others are counted and dropped."""

    url: str
    title: str = ""
    #: Visible text of the body, one line for each piece of a content block.
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
    #: Version of the model that the score comes from; above 1 where the crawl adapts.
    link_model_version: int = 1
    #: Irrelevant pages on the way from the seed.
    irrelevant_on_path: int = 0
    #: When the page was fetched, ISO 8601 in UTC.
    fetched_at: str = ""
    #: Digest of the body.
    sha256: str = ""
    #: What the page says of itself.
    canonical_url: str = ""
    description: str = ""
    language: str = ""
    #: Version of the model that judged it; above 1 where the crawl adapts.
    model_version: int = 1
    #: The analysed page and its bytes. No fields: they are never exported.
    page: InitVar[Page | None] = None
    body: InitVar[bytes] = b""
    #: What the server says that the body is.
    content_type: InitVar[str] = ""
    #: URL that the page has, as the web says; the one it was asked for by where the web says nothing.
    location: InitVar[str] = ""

    def __post_init__(self, page: Page | None, body: bytes, content_type: str, location: str) -> None:
        self.analysed = page
        self.raw = body
        self.raw_type = content_type
        self.known_as = location or self.url
