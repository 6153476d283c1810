"""The `Frontier` protocol: the frontier as the rest of the crawl sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from scrapy import Request

    from focused.frontier.soft_404s import Soft404s
    from focused.frontier.store.rescoring import NewScores, WaitingSlice
    from focused.method.scoring import Evidence
    from focused.method.scoring.page_scores import PageScores
    from focused.method.scoring.sorted_links import SortedLinks


GivenUpHost = tuple[str, str, int]
"""A host, why it was given up, and how many of its links failed for that."""


class HostCounts(NamedTuple):
    """Hosts that answer and have waiting links; hosts that do not answer at present, or were given up."""

    n_active: int
    n_failing: int


class RobotsOfHosts(Protocol):
    """Passes robots.txt files from the worker that has a host to the next one that has it."""

    #: To be set: called with an origin (scheme, host and port), a text and its age in seconds when others have read it.
    on_known: Callable[[str, bytes, float], None]

    def hand_on(self, origin: str, text: bytes) -> None:
        """Hand on the text of a robots.txt that was read now; empty: there is none."""


class VersionsOfWorkers(Protocol):
    """Keeps the workers of a crawl at one version of the model, and tells them of new scores that follow from it."""

    #: To be set: called when all are to use another version.
    on_new: Callable[[], None]
    #: Pages that all workers had fetched when the last training began, as far as is known.
    n_pages_trained: int
    #: Set by the trainer: tells whether the crawl pauses now, because a model is being trained.
    waits: Callable[[], bool]

    @property
    def n_pages(self) -> int:
        """Pages that all workers have fetched, as far as is known, with the latest ones of this worker."""

    def note_page(self) -> None:
        """Note that this worker has judged a page."""

    @property
    def worker(self) -> int:
        """The number of this worker; 0: it has none now."""

    def begin(self, floor: int) -> None:
        """Receive the records of other workers from number ``floor`` on: those of the version that begins there."""

    def send_record(self, n_links: int, version: int, record: bytes) -> None:
        """Hand on what a kept page teaches, judged by a version: the number of its links, and what a session records."""

    def move(self, scores: Iterable[tuple[str, float, bool]]) -> None:
        """Give links that wait, by URL, other scores, and say whether they are admitted."""


class Frontier(Protocol):
    """The links of a crawl that wait. Whichever scheduler holds them, the other components see only this."""

    @property
    def n_waiting(self) -> int:
        """How many links and other requests wait."""

    @property
    def robots(self) -> RobotsOfHosts | None:
        """What hands robots.txt files on with their hosts; None where one process asks all hosts."""

    @property
    def versions(self) -> VersionsOfWorkers | None:
        """What keeps the workers of a crawl at one version of the model; None where one process crawls."""

    def call_before_commit(self, write: Callable[[], None]) -> bool:
        """Call a function before pages become durable, each time; False where the frontier makes none durable.

        So what is written of a page beside the frontier is there before the page counts as done.
        """

    def note_fetched(self, url: str) -> bool:
        """Note the URL of a page that has been fetched; tell whether it was noted before."""

    def sort_links(self, links: Mapping[str, int], scores: PageScores | None) -> SortedLinks:
        """Sort the links of a page: new ones are requested, known ones get the page's evidence, settled ones nothing.

        ``links`` are the URLs that are followed, with their places in ``scores``; None where links are not scored.
        """

    def request(self, url: str, evidence: Evidence | None) -> Request | None:
        """Return the request for a new link; None where another request stands for it already.

        Where links are not scored there is no evidence, and all have the same priority.
        """

    def waiting_scores(self) -> list[tuple[float, int]]:
        """Return how many links wait of each level of scores, the best first; nothing where they are not counted.

        A level is a score in [0, 1], or for links below the threshold their score less 1.
        """

    def best_links(self, n_links: int) -> list[str]:
        """Return the URLs of the best links that wait, the best first; nothing where that is not known."""

    def draw_links(self, n_links: int) -> None:
        """Draw the next ``n_links`` links at random from all that wait, whatever their scores; Scrapy's queues cannot."""

    def note_failure(self, request: Request, why: str) -> None:
        """Note why a request failed, for ``scrapy frontier --why``."""

    def note_dropped(self, request: Request, why: str) -> None:
        """Note why a request is given up that a link under way was redirected to, for ``scrapy frontier --why``."""

    def wait_again(self, request: Request) -> None:
        """Put the link of a request back among those that wait once its requests are gone: the crawl ends first."""

    def host_failed(self, request: Request, why: str, *, is_sure: bool = True) -> bool:
        """Note that a host did not answer a request; tell whether the request's link waits again, so that it may end.

        With ``is_sure`` False the page may be to blame: the host is only from the third such request in a row on.
        """

    def host_answered(self, request: Request) -> None:
        """Note that a host has answered a request."""

    def given_up_hosts(self) -> list[GivenUpHost]:
        """Return the hosts that do not answer and were given up, those with most links first."""

    def host_counts(self) -> HostCounts | None:
        """Return how many hosts there are to ask; None where that is not known."""

    def failing_hosts(self) -> list[tuple[str, str]]:
        """Return the hosts that do not answer at present, and why; those that were given up are not among them."""

    @property
    def soft_404s(self) -> Soft404s | None:
        """Which pages are soft 404s; None where that is not known."""

    def learn_answer(self, url: str, form: bytes, terms: Collection[int]) -> bool:
        """Learn a host's answer to one of two probes; tell whether its soft 404s can now be recognised.

        ``form`` and ``terms`` are those of the answer; the form is empty if the answer is no page, or repeats an earlier page.
        """

    def stood_back(self) -> list[str]:
        """Return which folders, domains and query parameters stood back and why, in words; those with most pages first."""

    @property
    def can_rescore(self) -> bool:
        """Whether the scores of waiting links can be changed."""

    def rescore(
        self, score: Callable[[WaitingSlice], NewScores], *, model_version: int, slice_links: int = 2_000
    ) -> Iterator[int]:
        """Score all waiting links by a new model, slice by slice; yields the number of links of each slice."""
