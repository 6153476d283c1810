"""Rounds of training in a crawl: enough pages have joined, a process trains, the new model takes over or is refused."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from focused.method.topic import TopicError
from focused.retraining.versions import FIRST, version_in_use

if TYPE_CHECKING:
    from focused.retraining.attempt_report import AttemptReport
    from focused.retraining.model_takeover import ModelTakeover
    from focused.retraining.page_labels import PageLabels
    from focused.retraining.training_process import TrainingProcess
    from focused.retraining.version_store import VersionStore
    from focused.retraining.versions import Attempt

logger = logging.getLogger(__name__)

_MAX_FAILURES = 3
"""Trainings in a row that failed; after that there are no more."""


class TrainingRounds:
    """Asks for a model when a training is due, looks whether it is there, and puts it in place.

    Parameters
    ----------
    labels : PageLabels
        They say what is trained with, and when.
    versions : VersionStore
    process : TrainingProcess
    takeover : ModelTakeover
    report : AttemptReport

    Attributes
    ----------
    learnt : dict of int to bool
        The labels that the model in use has learnt from, by the pages' numbers.
    """

    def __init__(
        self,
        labels: PageLabels,
        versions: VersionStore,
        process: TrainingProcess,
        takeover: ModelTakeover,
        report: AttemptReport,
    ) -> None:
        self.learnt: dict[int, bool] = {}
        self._labels = labels
        self._versions = versions
        self._process = process
        self._takeover = takeover
        self._report = report
        self._n_failed_in_a_row = 0

    @property
    def is_under_way(self) -> bool:
        """Whether a model is being trained or takes over."""
        return self._process.is_busy or self._takeover.is_under_way

    @property
    def version(self) -> int:
        """Version of the model in use."""
        return self._takeover.version

    def begin_if_due(self, n_pages: int) -> None:
        """Ask for a model if enough pages were judged since the last training, and some labels are new.

        Parameters
        ----------
        n_pages : int
            Judged so far.
        """
        labels = self._labels
        if not labels.is_due or self.is_under_way or self._n_failed_in_a_row >= _MAX_FAILURES:
            return
        if not labels.changed:
            self._report.nothing_new()
            labels.reset_counts()
            return
        task = self._versions.next_task(
            labels, in_use=self.version, keeps_examples=self._takeover.strategy_learns, n_pages=n_pages
        )
        labels.reset_counts()
        self._report.begun()
        if not self._process.ask(task):
            self._failed()

    def work(self, n_pages: int) -> str:
        """Do the next step for a model that is being trained or takes over, without waiting. Return what was done.

        Parameters
        ----------
        n_pages : int
            Judged so far.
        """
        what = "a look"
        if self._takeover.is_rescoring:
            self._takeover.rescore()
            what = "waiting links"
        elif self._process.is_busy:
            n_failed = self._process.n_failed
            attempt = self._process.poll()
            if attempt is not None:
                self._n_failed_in_a_row = 0
                self._trained(attempt, n_pages)
                what = "a new model"
            elif self._process.n_failed > n_failed:
                self._failed()
        return what

    def restore(self, attempts: list[Attempt]) -> None:
        """Use the version that an earlier run of this crawl used last."""
        self._versions.continue_after(attempts)
        version = version_in_use(attempts)
        if version != FIRST:
            self._use(version)

    def close(self) -> None:
        """End the process that trains, and close the list; say so if the crawl ended before any training had."""
        if self._process.is_busy:
            self._report.ended_early(self._versions.run_dir, self.version)
        self._process.close()
        self._report.lost_lines(self._versions.close())

    def _failed(self) -> None:
        self._report.failed()
        self._n_failed_in_a_row += 1
        if self._n_failed_in_a_row >= _MAX_FAILURES:
            logger.error("Training failed %d times in a row. There is no more retraining in this crawl.", _MAX_FAILURES)

    def _trained(self, attempt: Attempt, n_pages: int) -> None:
        """Use a new model, or say why not."""
        self._versions.add(attempt)
        used = attempt.accepted and self._use(attempt.version)
        self._report.ended(attempt, is_used=used, n_pages=n_pages)

    def _use(self, version: int) -> bool:
        """Let a version take over; return whether it could be read."""
        try:
            topic, learnt = self._versions.load(version)
        except (TopicError, OSError) as error:
            logger.warning("Version %d of the model cannot be used, version %d is: %s", version, self.version, error)
            self._report.failed()
            return False
        self._takeover.use(version, topic)
        self._report.in_use(topic, self._versions.topic.examples)
        self.learnt = learnt
        return True
