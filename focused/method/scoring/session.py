"""`Session`: what a strategy that learns keeps for one crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.utils.steps import finish

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

    from focused.method.page.page import Page
    from focused.method.scoring.link_scores import LinkScores, Visit
    from focused.method.topic.judge import PageRelevance


class Session:
    """The memory of one crawl. ``Crawl`` holds it and asks it for scores in place of the strategy.

    A subclass must define ``score_in_steps`` and may leave the rest as it is. A frontier that can change the scores of waiting
    links tells the session which links wait (``note_waiting``), and asks it which scores have changed (``take_moves``). The
    frontier keeps what the session has learnt from each page (``take_record``); a resumed crawl gives that back (``replay``).
    """

    def score_in_steps(self, page: Page, relevance: PageRelevance, visit: Visit) -> Generator[int, None, LinkScores]:
        """Learn from a page, and return a score and its reason for each of its links.

        It works in steps, because a page with many links takes long. Each step yields about how many rows of a table it has
        dealt with. Between two steps the crawl may call all methods but ``score_in_steps`` and ``learn_again``.
        """
        raise TypeError(f"{type(self).__name__} must define score_in_steps()")

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Learn from a page as ``score_in_steps`` does, in one go."""
        return finish(self.score_in_steps(page, relevance, visit))

    def note_same_page(self, url: str, known_as: str) -> None:
        """Note that a link led to a page that had been fetched under another URL."""

    def why(self, url: str) -> str:
        """Return in words what the score of a link rests on now; empty if its kind of reason says enough.

        It is called once for each link, when the link is about to be fetched. The words begin with the kind that reports count
        them by (:mod:`focused.method.scoring.reasons`).
        """
        return ""

    @property
    def figures(self) -> dict[str, float]:
        """What it has learnt, as stats by name."""
        return {}

    def max_under_way(self) -> int | None:
        """Return how many requests may be under way now; None: the session sets no limit."""
        return None

    @property
    def n_pages_alone(self) -> int:
        """How many pages one worker fetches alone, before the session knows enough for many workers."""
        return 0

    # --- With a frontier that can change scores

    def note_waiting(self, url: str, number: int, score: float) -> None:
        """Note that a link waits: by which number the frontier knows it, and with which score."""

    def take_moves(self, *, is_last: bool = False) -> list[tuple[int, float]]:
        """Return, once, numbers and new scores of waiting links that should move now; with ``is_last``, of all that should."""
        return []

    def take_urgent_moves(self) -> list[tuple[int, float]]:
        """Return what should move although no own page has ended, only pages of other workers: less than `take_moves` does."""
        return self.take_moves()

    def note_not_waiting(self, numbers: Sequence[int]) -> None:
        """Note that links, by the frontier's numbers, wait no longer."""

    def take_record(self, url: str) -> tuple[int, bytes] | None:
        """Return the record of the page that a link led to, once: how many links it has, and what was learnt."""
        return None

    @property
    def max_recorded_links(self) -> int:
        """How many links the records may have together; beyond that the oldest records are not needed."""
        return 0

    def learn_again(
        self, fresh: Session, judged: Iterable[tuple[Page, PageRelevance, Visit]], max_explored: int = 0
    ) -> Iterator[int]:
        """Learn anew from pages that another model judges, in steps. Pages that arrive meanwhile count, too.

        ``fresh`` is a session that knows nothing yet. The pages come in their first order; each is judged when the iterator
        reaches it. Up to ``max_explored`` links may come first to find out what there is: many if little of what was known
        still holds.
        """
        yield from ()

    @property
    def n_pages(self) -> int:
        """Number of the pages that it has learnt from."""
        return 0

    def replay(self, record: bytes) -> None:
        """Learn again from what ``take_record`` returned; ValueError if it is something else."""

    def finish_replay(self) -> None:
        """Use what was replayed: the last record has come."""

    # --- With a frontier that many workers share

    def expect_other_workers(self) -> bool:
        """Expect records of other workers from now on; tell whether the session learns from them while it crawls."""
        return False

    def learn_from_others(self, records: Sequence[bytes]) -> Generator[int, None, int]:
        """Learn from records of other workers' sessions as from own pages. A page that both had counts once.

        It works in steps, as ``score_in_steps`` does. Returns how many were no records.
        """
        yield from ()
        return 0

    def take_over_links(self, links: Mapping[str, tuple[int, float]]) -> None:
        """Take over waiting links that another worker has found: numbers and scores, by URL. From now on they may move."""

    def record_of(self, page: Page, relevance: PageRelevance, visit: Visit) -> tuple[int, bytes] | None:
        """Return a page's record, for other workers, after another model has judged the page."""
        return None

    def links_of(self, record: bytes) -> Sequence[str]:
        """Return the URLs of a page's links from its record; ValueError if it is no record."""
        return ()
