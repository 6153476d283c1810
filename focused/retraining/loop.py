"""Runs the loop of retraining beside a crawl: reads verdicts, begins trainings, puts new models in place, pauses meanwhile."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.method.topic import TopicError
from focused.retraining.page_labels import FIRST_MET
from focused.retraining.training_task import HARVEST_TASK_FILE
from focused.retraining.versions import FIRST, version_in_use

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from focused.retraining.feedback_intake import FeedbackIntake
    from focused.retraining.interface import PageCounts
    from focused.retraining.model_takeover import ModelTakeover
    from focused.retraining.page_labels import PageLabels
    from focused.retraining.stats import AttemptReport, RetrainingStats
    from focused.retraining.training_process import TrainingProcess
    from focused.retraining.version_store import VersionStore
    from focused.retraining.versions import Attempt

logger = logging.getLogger(__name__)

_MAX_FAILURES = 3
"""After so many failed trainings in a row, no further one is begun."""


@dataclass(eq=False)
class TrainingRounds:
    """Begins a training when one is due, looks whether its model is there, and puts the model in place."""

    #: Which pages are trained with, and when a training is due.
    labels: PageLabels
    versions: VersionStore
    process: TrainingProcess
    takeover: ModelTakeover
    report: AttemptReport

    def __post_init__(self) -> None:
        #: To be set: called with the number of pages if a training finds none of the topic's words in them.
        self.no_word_met: Callable[[int], None] = lambda _: None
        #: To be set: called with a number of pages, and the harvest that a training has estimated of them (empty if the
        #: examples come from other sites).
        self.harvest_estimated: Callable[[int, Mapping[str, float]], None] = lambda _, __: None
        self._n_estimated = 0
        #: The labels that the model in use has learnt from, by the pages' numbers.
        self.learnt: dict[int, bool] = {}
        self._n_failed_in_a_row = 0

    @property
    def is_under_way(self) -> bool:
        """Whether a model is being trained or takes over."""
        return self.process.is_busy or self.takeover.is_under_way

    @property
    def version(self) -> int:
        """Version of the model in use."""
        return self.takeover.version

    def begin_if_due(self, n_pages: int) -> None:
        """Begin a training if enough pages were judged since the last one, and some labels are new."""
        labels = self.labels
        if not labels.is_due or self.is_under_way or self._n_failed_in_a_row >= _MAX_FAILURES:
            return
        if not labels.changed:
            self.report.nothing_new()
            labels.reset_counts()
            return
        task = self.versions.next_task(
            labels,
            in_use=self.version,
            keeps_examples=self.takeover.strategy_learns,
            keeps_links=not (labels.is_against_met and self.takeover.strategy_remembers),
            n_pages=n_pages,
        )
        labels.reset_counts()
        self.report.begun()
        if not self.process.ask(task):
            self._failed()

    def work(self, n_pages: int) -> str:
        """Do the next step of a training or a takeover, without waiting. Return in words what was done."""
        if self.takeover.is_rescoring:
            self.takeover.rescore()
            return "waiting links"
        if self.process.is_busy:
            n_failed = self.process.n_failed
            attempt = self.process.poll()
            if attempt is not None:
                self._n_failed_in_a_row = 0
                self._trained(attempt, n_pages)
                return "a new model"
            if self.process.n_failed > n_failed:
                self._failed()
        return "polling"

    def restore(self, attempts: list[Attempt]) -> None:
        """Use the version that an earlier run of this crawl used last."""
        self.versions.continue_after(attempts)
        version = version_in_use(attempts)
        if version != FIRST and self._use(version):
            self._estimated(next(each for each in reversed(attempts) if each.version == version))

    def train_at_end(self, n_pages: int) -> None:
        """Train once more at the end of a crawl, and wait for it, a few seconds at most. Its model judges the collection.

        The model in use has chosen the pages since the last training, so its errors on them are larger than elsewhere. A
        training that is under way is waited for first: it may have been due at the last page. A resumed crawl continues
        with the version before this one.
        """
        if self.process.is_busy and (found := self.process.wait()) is not None:
            self.versions.add(found)
            if found.accepted:
                self._judge_by(found)
            self.report.ended(found, is_used=found.accepted, n_pages=n_pages)
        is_new = FIRST_MET <= n_pages != self._n_estimated
        if not is_new or self._n_failed_in_a_row >= _MAX_FAILURES:
            return
        task = self.versions.last_task(self.labels, in_use=self.version, n_pages=n_pages)
        found = self.process.wait() if self.process.ask(task) else None
        (self.versions.run_dir / HARVEST_TASK_FILE).unlink(missing_ok=True)
        if found is None:
            self.report.failed()
        else:
            self._judge_by(found)

    def _judge_by(self, attempt: Attempt) -> None:
        self._estimated(attempt)
        if (topic := self.versions.load_last(attempt.version)) is not None:
            self.takeover.judge_only(attempt.version, topic)

    def close(self) -> None:
        """End the training process, and close the list of versions; report if the crawl ended before any training did."""
        if self.process.is_busy:
            self.report.ended_early(self.versions.run_dir, self.version)
        self.process.close()
        if n_lost := self.versions.close():
            self.report.versions_lost(n_lost)

    def _failed(self) -> None:
        self.report.failed()
        self._n_failed_in_a_row += 1
        if self._n_failed_in_a_row >= _MAX_FAILURES:
            logger.error("Training failed %d times in a row. Retraining stops for this crawl.", _MAX_FAILURES)

    def _trained(self, attempt: Attempt, n_pages: int) -> None:
        """Use a new model if it was accepted, and report it."""
        self.versions.add(attempt)
        used = attempt.accepted and self._use(attempt.version)
        if used:
            self._estimated(attempt)
        self.report.ended(attempt, is_used=used, n_pages=n_pages)
        if attempt.no_word_met:
            self.no_word_met(attempt.n_pages)

    def _estimated(self, attempt: Attempt) -> None:
        if attempt.harvest or attempt.is_from_elsewhere:
            self._n_estimated = attempt.n_pages
            self.harvest_estimated(attempt.n_pages, attempt.harvest)

    def _use(self, version: int) -> bool:
        """Start the takeover of a version; return False if it cannot be read."""
        try:
            topic, learnt = self.versions.load(version)
        except (TopicError, OSError) as error:
            logger.warning(
                "Version %d of the model cannot be used, so version %d stays in use: %s", version, self.version, error
            )
            self.report.failed()
            return False
        self.takeover.use(version, topic)
        self.report.drift.trained(topic, self.versions.topic.examples)  # on what the topic was trained from first
        self.learnt = learnt
        return True


@dataclass(eq=False)
class RetrainingLoop:
    """Runs for a moment after each page and several times a second; it never waits."""

    feedback: FeedbackIntake
    rounds: TrainingRounds
    counts: PageCounts
    #: Called with whether the crawl should pause, if the options allow it.
    pause: Callable[[bool], None]
    stats: RetrainingStats

    @property
    def version(self) -> int:
        """Version of the model in use."""
        return self.rounds.version

    def start(self, attempts: list[Attempt]) -> None:
        """Use the version that an earlier run used last; begin a training if one was due after that run's last page."""
        self.rounds.restore(attempts)
        self.feedback.read_all()
        self._begin(self.counts.n_pages)

    def page_added(self, number: int) -> None:
        """Read verdicts after the page with this number, and begin a training if it is due."""
        self.feedback.read()
        self._begin(number)

    def poll(self) -> None:
        """Do the next step of a training that is under way, else read new verdicts; begin the next training if it is due."""
        start, what = time.perf_counter(), "polling"
        if self.rounds.is_under_way:
            what = self.rounds.work(self.counts.n_pages)
        else:
            self.feedback.read()
        self._begin(self.counts.n_pages)
        self.stats.blocked_since(start, what)

    def close(self) -> None:
        """End the process that trains, and report what was lost."""
        self.rounds.close()

    def _begin(self, n_pages: int) -> None:
        # Before the crawl continues: otherwise it would depend on chance which pages are judged before it pauses.
        self.rounds.begin_if_due(n_pages)
        self.pause(self.rounds.is_under_way)
