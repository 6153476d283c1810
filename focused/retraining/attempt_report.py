"""What becomes of the trainings in a crawl, in its stats and its log."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from focused.utils.words import quantity

if TYPE_CHECKING:
    from pathlib import Path

    from focused.method.topic import Topic, TopicExamples
    from focused.retraining.drift_report import DriftReport
    from focused.retraining.stats import RetrainingStats
    from focused.retraining.versions import Attempt

logger = logging.getLogger(__name__)


class AttemptReport:
    """Counts trainings and says what came of each.

    Parameters
    ----------
    stats : RetrainingStats
    drift : DriftReport
    has_verdicts : bool
    is_paused : bool
        Whether the crawl pauses while a model is trained.
    """

    def __init__(self, stats: RetrainingStats, drift: DriftReport, *, has_verdicts: bool, is_paused: bool) -> None:
        self._stats = stats
        self._drift = drift
        self._has_verdicts = has_verdicts
        self._is_paused = is_paused
        self._n_begun = self._n_ended = 0
        self._n_new_subtopic = 0

    def nothing_new(self) -> None:
        """Count a training that was due, but for which there were no new labels."""
        self._stats.count("nothing_new_count")

    def begun(self) -> None:
        """Count a training that begins."""
        self._stats.count("trainings_count")
        self._n_begun += 1

    def failed(self) -> None:
        """Count a training without a result, or a version that cannot be used."""
        self._stats.count("worker_failed_count")

    def in_use(self, topic: Topic, examples: TopicExamples | None) -> None:
        """Measure drift by the model in use, on the examples that the topic was first trained from."""
        self._drift.trained(topic, examples)

    def ended(self, attempt: Attempt, *, is_used: bool, n_pages: int) -> None:
        """Say what came of a training.

        Parameters
        ----------
        attempt : Attempt
        is_used : bool
            Whether its version judges from now on.
        n_pages : int
            Pages judged so far.
        """
        self._n_ended += 1
        self._stats.count("trainings_finished_count")
        self._stats.count(f"{'accepted' if attempt.accepted else 'refused'}_count")
        if self._has_verdicts:
            self._stats.set("verdicts/label_noise_count", attempt.n_label_noise)
            self._stats.set("verdicts/new_subtopic_count", attempt.n_new_subtopic)
        if attempt.n_new_subtopic > self._n_new_subtopic:
            logger.info(
                "People want %d pages that the topic's own model calls irrelevant: its examples do not show all of the "
                "topic. More of them are looked for; %d unlabelled examples that resemble them are left aside.",
                *(attempt.n_new_subtopic, attempt.n_left_aside),
            )
            self._n_new_subtopic = attempt.n_new_subtopic
        held_out = " ".join(f"{name} {value:.3f}" for name, value in attempt.held_out.items())
        about = (
            f"{attempt.n_positive} positives and {attempt.n_negative} negatives joined, held out: {held_out or 'none'}"
        )
        if is_used:
            logger.info("Version %d of the model judges from page %d on (%s)", attempt.version, 1 + n_pages, about)
        elif not attempt.accepted:
            logger.info("Version %d of the model is not used: %s (%s)", attempt.version, attempt.why, about)
        self._drift.show()

    def lost_lines(self, n_lines: int) -> None:
        """Count the lines that could not be written to the list of attempts."""
        if n_lines:
            self._stats.set("retraining/versions_lost_count", n_lines)

    def ended_early(self, run_dir: Path, version: int) -> None:
        """Say that the crawl ended before any training had."""
        if self._n_ended:
            return
        n = self._n_begun
        logger.warning(
            "%s begun and none had finished when the crawl ended: all its pages were judged by version %d of the model. "
            "Resume it with more pages (-a run_dir=%s -a max_pages=N), or let a training begin earlier "
            "(FOCUSED_RETRAINING_EVERY_PAGES)%s.",
            *(f"{quantity(n, 'trainings')} {'was' if n == 1 else 'were'}", version, run_dir),
            "" if self._is_paused else ", or pause the crawl meanwhile (FOCUSED_RETRAINING_WAIT=always)",
        )
