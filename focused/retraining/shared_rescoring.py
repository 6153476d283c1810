"""Judges a worker's kept pages again after a change of model, for itself and for the other workers.

So every page is judged once, by the worker that fetched it; and every link is scored once, by the worker that found it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from focused.retraining.rescoring import LinkScoresByUrl, Rescoring

if TYPE_CHECKING:
    from collections.abc import Iterator

    from focused.frontier.interface import VersionsOfWorkers
    from focused.method.page.page import Page
    from focused.method.scoring import Visit
    from focused.method.topic.judge import PageRelevance

_MOVED_AT_A_TIME = 500


@dataclass(eq=False)
class SharedRescoring(Rescoring):
    """Learns anew from this worker's kept pages and from what those of the others teach; links that it found are moved.

    Where the strategy does not learn, links that no kept page names keep their scores, and of a link that several workers
    found the score of the last one stands.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        #: Records of the version that takes over have higher numbers.
        self.floor = 0

    def start(self) -> None:
        """Begin."""
        self.scores, self.seconds = LinkScoresByUrl(self.merge), 0.0
        self._work = self._steps()

    @property
    def _versions(self) -> VersionsOfWorkers:
        versions = self.frontier().versions
        assert versions is not None
        return versions

    def _steps(self) -> Iterator[int]:
        self._versions.begin(self.floor)
        yield from super()._steps()

    def _judged_pages(self) -> Iterator[tuple[Page, PageRelevance, Visit]]:
        """Yield the kept pages, each judged again, and tell the other workers."""
        session, version = self.rejudging.model.session, self.rejudging.model.version
        assert session is not None
        for kept, relevance in self.rejudging.pages():
            record = session.record_of(kept.page, relevance, kept.visit)
            if record is not None:
                n_links, content = record
                self._versions.send_record(n_links, version, content)
            yield kept.page, relevance, kept.visit

    def _move_links(self) -> Iterator[int]:
        links = iter(self.scores.all())
        while some := list(islice(links, _MOVED_AT_A_TIME)):
            self._versions.move((url, each.score, each.admitted) for url, each in some)
            self.scores.n_scored += len(some)
            yield len(some)
