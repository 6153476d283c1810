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

    All but ``scoring`` may be left as it is. A frontier that can change the scores of waiting links tells the session where
    they are (``placed``), asks it what has changed (``moved``), and keeps what it has learnt from each page (``record``),
    so that a crawl that died goes on with it (``replay``).
    """

    def scoring(self, page: Page, relevance: PageRelevance, visit: Visit) -> Generator[int, None, LinkScores]:
        """Learn from a page, and return a score and its reason for each of its links.

        In steps, for pages with many links: each yields about how many rows of a table it has dealt with. Between two the
        crawl may call anything but ``scoring`` and ``learn_again``.
        """
        raise TypeError(f"{type(self).__name__} must define scoring()")

    def score(self, page: Page, relevance: PageRelevance, visit: Visit) -> LinkScores:
        """Learn from a page as ``scoring`` does, in one go."""
        return finish(self.scoring(page, relevance, visit))

    def same(self, url: str, known_as: str) -> None:
        """Note that a link led to a page that had been fetched under another URL."""

    def why(self, url: str) -> str:
        """Return in words what the score of a link rests on now; empty: its kind of reason says enough.

        Asked once a link, when it is about to be fetched. The words begin with the kind that reports count them by
        (:mod:`focused.method.scoring.reasons`).
        """
        return ""

    @property
    def figures(self) -> dict[str, float]:
        """What it has learnt, as stats by name."""
        return {}

    def max_under_way(self) -> int | None:
        """Return how many requests may be under way now; None: as many as the crawl likes."""
        return None

    @property
    def n_begin_pages(self) -> int:
        """How many pages it takes until it knows enough to be asked by many workers."""
        return 0

    # --- With a frontier that can change scores

    def placed(self, url: str, number: int, score: float) -> None:
        """Note the number and the score with which a frontier has taken in a link."""

    def moved(self, *, is_last: bool = False) -> list[tuple[int, float]]:
        """Return numbers and new scores of waiting links whose place in the frontier should change now; last, of all."""
        return []

    def gone(self, numbers: Sequence[int]) -> None:
        """Note that links do not wait any more."""

    def record(self, url: str) -> tuple[int, bytes] | None:
        """Return, once, what was learnt from the page that a link led to: the number of its links, and all of it."""
        return None

    @property
    def max_recorded_links(self) -> int:
        """How many links the records may have together; the oldest are not needed beyond that."""
        return 0

    def learn_again(
        self, fresh: Session, judged: Iterable[tuple[Page, PageRelevance, Visit]], max_explored: int = 0
    ) -> Iterator[int]:
        """Learn anew from pages that another model judges, in steps as ``scoring``; what arrives meanwhile counts, too.

        ``fresh`` knows nothing yet. The pages come in the order in which they came first, each judged when it is asked for. At
        most ``max_explored`` links may come first now to find out what there is: the more, the less is left of what is known.
        """
        yield from ()

    @property
    def n_pages(self) -> int:
        """Number of the pages that it has learnt from."""
        return 0

    def replay(self, record: bytes) -> None:
        """Learn again from what ``record`` returned; ValueError if it is something else."""

    def resume(self) -> None:
        """Go on after the last of the records."""

    # --- With a frontier that many workers share

    def listen(self) -> bool:
        """Expect records of other workers from now on; tell whether the session learns from them while it crawls."""
        return False

    def hearing(self, record: bytes) -> Iterator[int]:
        """Learn from what another worker's session has recorded, as from a page of one's own; once, also if both had the page.

        In steps, as ``scoring`` does; ValueError if it is something else.
        """
        yield from ()

    def took_over(self, links: Mapping[str, tuple[int, float]]) -> None:
        """Note numbers and scores, by URL, of links that wait and that another worker has found; from now on they may move."""

    def record_of(self, page: Page, relevance: PageRelevance, visit: Visit) -> tuple[int, bytes] | None:
        """Return what ``record`` would of a page, for other workers, after another model has judged it."""
        return None

    def links_of(self, record: bytes) -> Sequence[str]:
        """Return the URLs of the links of a page by what a session has recorded of it; ValueError if it is something else."""
        return ()
