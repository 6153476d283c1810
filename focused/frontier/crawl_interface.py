"""The crawl as its frontier sees it, and how components find the crawl and the frontier of their crawler."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

from focused.utils.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from scrapy.crawler import Crawler

    from focused.frontier.interface import Frontier
    from focused.method.scoring import Evidence
    from focused.method.scoring.session import Session
    from focused.utils.reactor import FifoLock


class HarvestState(Protocol):
    """The counters of pages, which a frontier saves together with its links."""

    n_pages: int
    n_relevant: int

    def spent_secs(self) -> float:
        """Return how many seconds the crawl has taken, earlier runs included."""

    def begin_after(self, secs: float) -> None:
        """Note that the crawl had taken so many seconds before this run."""

    def state(self) -> dict[str, Any]:
        """Return all counters as JSON values."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from what ``state`` returned."""


class TextsState(Protocol):
    """The texts of the pages met, which a frontier keeps together with its links."""

    def restore(self, texts: Iterable[tuple[str, bytes, int]]) -> None:
        """Restore the texts of an earlier run: URL, what was kept, whether the page was relevant (0 or 1)."""


@dataclass(frozen=True)
class FrontierTask:
    """What a frontier is told of its crawl: plain data."""

    run_dir: Path
    topic: str
    web: str
    strategy: str
    #: What makes the demo web the one it is.
    web_options: Mapping[str, Any] = field(default_factory=dict)
    max_pages: int = 0
    max_relevant: int = 0
    #: 0: no limit.
    max_minutes: float = 0.0
    #: Whether links below the threshold are dropped.
    drops: bool = False
    #: Which of two links of equal priority comes first: the "oldest" or the "newest".
    order: str = "oldest"
    #: Which pages the crawl may ask for.
    scope: Scope = field(default_factory=Scope)
    #: Joins what two pages say of a waiting link; None: the first page's evidence stands.
    merge: Callable[[Evidence, Evidence], Evidence] | None = None
    #: Whether ``merge`` takes the mean of the pages' scores.
    is_mean: bool = False

    @property
    def is_live(self) -> bool:
        """Whether pages come from the network."""
        return self.web == "live"


class CrawlOfFrontier(Protocol):
    """The crawl as its frontier sees it."""

    #: Pages that the crawl is meant to fetch, 0: no limit. It is the task's, unless some pages turn out not to count.
    goal_pages: int

    @property
    def frontier(self) -> Frontier:
        """The links that wait."""

    def use_frontier(self, frontier: Frontier) -> None:
        """Replace the frontier."""

    @property
    def task(self) -> FrontierTask:
        """What the frontier is told."""

    @property
    def session(self) -> Session | None:
        """What scores the links where the strategy learns."""

    @property
    def judging_turn(self) -> FifoLock:
        """Held while a page is judged, which may take several turns of the reactor."""

    @property
    def model_version(self) -> int:
        """Version of the model that judges; above 1 once the crawl has trained again."""

    @property
    def harvest(self) -> HarvestState:
        """The counters of pages."""

    @property
    def texts(self) -> TextsState | None:
        """The texts of the pages met; None where copies are pages like others."""

    def fail(self, why: str) -> None:
        """Note and log why nothing is asked for; the crawl's command then fails."""


_CRAWLS: WeakKeyDictionary[Crawler, CrawlOfFrontier] = WeakKeyDictionary()


def register_crawl(crawler: Crawler, crawl: CrawlOfFrontier) -> None:
    """Register the crawl of a crawler, so that its components find it."""
    _CRAWLS[crawler] = crawl


def crawl_of(crawler: Crawler) -> CrawlOfFrontier | None:
    """Return the crawl of a crawler; None for spiders that do not crawl for a topic, such as ``scrapy fetch``'s."""
    return _CRAWLS.get(crawler)


def frontier_of(crawler: Crawler) -> Frontier:
    """Return the frontier of a crawl. It is another one once a scheduler of this project has opened."""
    return _CRAWLS[crawler].frontier
