"""The loop of retraining beside a crawl: read verdicts, begin trainings, put new models in place, pause meanwhile."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.retraining.feedback_intake import FeedbackIntake
    from focused.retraining.interface import PageCounts
    from focused.retraining.stats import RetrainingStats
    from focused.retraining.training_rounds import TrainingRounds
    from focused.retraining.versions import Attempt


class RetrainingLoop:
    """Does a little after each page and several times a second; it never waits.

    Parameters
    ----------
    feedback : FeedbackIntake
    rounds : TrainingRounds
    counts : PageCounts
    pause : function
        Told whether the crawl should pause, where options want it to.
    stats : RetrainingStats
    """

    def __init__(
        self,
        feedback: FeedbackIntake,
        rounds: TrainingRounds,
        counts: PageCounts,
        pause: Callable[[bool], None],
        stats: RetrainingStats,
    ) -> None:
        self._feedback = feedback
        self._rounds = rounds
        self._counts = counts
        self._pause = pause
        self._stats = stats

    @property
    def version(self) -> int:
        """Version of the model in use."""
        return self._rounds.version

    def start(self, attempts: list[Attempt]) -> None:
        """Use the version that an earlier run of this crawl used last, and begin a training if its last page was due."""
        self._rounds.restore(attempts)
        self._feedback.read_all()
        self._begin(self._counts.n_pages)

    def page_added(self, number: int) -> None:
        """Read verdicts and begin a training if it is due, after the page of a number."""
        self._feedback.read()
        self._begin(number)

    def look(self) -> None:
        """See whether a training has ended or can begin; score some of the waiting links again."""
        start, what = time.perf_counter(), "a look"
        if self._rounds.is_under_way:
            what = self._rounds.work(self._counts.n_pages)
        else:
            self._feedback.read()
        self._begin(self._counts.n_pages)
        self._stats.took(start, what)

    def close(self) -> None:
        """End the process that trains, close the files, and report what was lost."""
        self._rounds.close()
        self._feedback.close()

    def _begin(self, n_pages: int) -> None:
        # Before the crawl continues: if a page came first, chance would decide which.
        self._rounds.begin_if_due(n_pages)
        self._pause(self._rounds.is_under_way)
