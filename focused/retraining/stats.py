"""Counts and logs retraining: what it does, what came of each training, how long it blocked the crawl."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.utils.words import quantity

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.statscollectors import StatsCollector

    from focused.retraining.drift import DriftReport
    from focused.retraining.versions import Attempt

logger = logging.getLogger(__name__)

_N_NAMED = 3
_LEAST_RECALL, _LEAST_PAGES = 0.25, 80
"""Share of the examples, kept apart, below which a version trained against so many pages misses most of the topic; a version
never calls fewer than a fifth relevant."""


@dataclass(eq=False)
class RetrainingStats:
    """Writes stats, and notes the longest time for which retraining kept the crawl from anything else."""

    stats: StatsCollector

    def __post_init__(self) -> None:
        self._longest_secs = 0.0

    def count(self, what: str, n: int = 1) -> None:
        """Add to a stat under ``focused/retraining/``."""
        self.stats.inc_value(f"focused/retraining/{what}", n)

    def set(self, what: str, value: Any) -> None:
        """Set a stat under ``focused/``."""
        self.stats.set_value(f"focused/{what}", value)

    def blocked_since(self, start: float, what: str) -> None:
        """Note that the crawl could do nothing else since ``start`` (of ``time.perf_counter``)."""
        seconds = time.perf_counter() - start
        if seconds > self._longest_secs:
            self._longest_secs = seconds
            self.set("retraining/longest_block_ms", round(seconds * 1000, 1))
            self.set("retraining/longest_block_by", what)


@dataclass(eq=False)
class AttemptReport:
    """Counts trainings and says what came of each."""

    stats: RetrainingStats
    drift: DriftReport
    has_verdicts: bool
    #: Whether the crawl pauses while a model is trained.
    is_paused: bool

    def __post_init__(self) -> None:
        self._n_begun = self._n_ended = self._n_new_subtopic = 0
        self._has_warned = False

    def begun(self) -> None:
        """Count a training that begins."""
        self.stats.count("trainings_count")
        self._n_begun += 1

    def nothing_new(self) -> None:
        """Count a training that was due and would have learnt nothing new."""
        self.stats.count("nothing_new_count")

    def failed(self) -> None:
        """Count a training that brought no model, or one that cannot be used."""
        self.stats.count("worker_failed_count")

    def versions_lost(self, n_lost: int) -> None:
        """Note how many lines could not be added to the list of versions."""
        self.stats.set("retraining/versions_lost_count", n_lost)

    def _warn_of_lost(self, attempt: Attempt) -> None:
        """Warn, once, where a version that is used from now on does not know the examples when they are kept apart."""
        if (
            self._has_warned
            or attempt.recall is None
            or attempt.n_pages < _LEAST_PAGES
            or attempt.recall >= _LEAST_RECALL
        ):
            return
        self._has_warned = True
        logger.warning(
            "Version %d of the model calls %.0f %% of the examples relevant when they are kept apart: most pages like them "
            "are missed. They may be of several topics, or written in another way than this web. Judge some: scrapy judge",
            attempt.version,
            100 * attempt.recall,
        )

    def ended(self, attempt: Attempt, *, is_used: bool, n_pages: int) -> None:
        """Say what came of a training, after so many pages, and whether its version judges from now on."""
        self._n_ended += 1
        self.stats.count("trainings_finished_count")
        self.stats.count(f"{'accepted' if attempt.accepted else 'refused'}_count")
        if self.has_verdicts:
            self.stats.set("verdicts/label_noise_count", attempt.n_label_noise)
            self.stats.set("verdicts/new_subtopic_count", attempt.n_new_subtopic)
            self.stats.set("verdicts/put_right_count", attempt.n_put_right)
            self.stats.set("verdicts/not_followed_count", attempt.n_not_followed)
        if attempt.n_new_subtopic > self._n_new_subtopic:
            logger.info(
                "People want %d pages that the topic's own model calls irrelevant: its examples do not show all of the "
                "topic. More of them are looked for; %d unlabelled examples that resemble them are left aside.",
                attempt.n_new_subtopic,
                attempt.n_left_aside,
            )
            self._n_new_subtopic = attempt.n_new_subtopic
        about = of_attempt(attempt)
        if is_used:
            self._warn_of_lost(attempt)
            logger.info("Version %d of the model judges from page %d on (%s)", attempt.version, 1 + n_pages, about)
        elif not attempt.accepted:
            logger.info("Version %d of the model is not used: %s (%s)", attempt.version, attempt.why, about)
        if n := attempt.n_label_noise:
            logger.warning(
                "Not learnt from: %s, probably slips%s", quantity(n, "verdicts"), _named(attempt.label_noise)
            )
        if n := attempt.n_not_followed:
            logger.warning("The model does not follow %s%s", quantity(n, "verdicts"), _named(attempt.not_followed))
        self.drift.show()

    def ended_early(self, run_dir: Path, version: int) -> None:
        """Say that the crawl ended before any training had."""
        if self._n_ended:
            return
        n = self._n_begun
        logger.warning(
            "%s begun and none had finished when the crawl ended: all its pages were judged by version %d of the model. "
            "Resume it with more pages (-a run_dir=%s -a max_pages=N), or let a training begin earlier "
            "(FOCUSED_RETRAINING_EVERY_PAGES)%s.",
            f"{quantity(n, 'trainings')} {'was' if n == 1 else 'were'}",
            version,
            run_dir,
            "" if self.is_paused else ", or pause the crawl meanwhile (FOCUSED_RETRAINING_WAIT=always)",
        )


def of_attempt(attempt: Attempt) -> str:
    """Return what a version was trained with, and how it did, for the log."""
    if attempt.n_unlabeled:
        about = f"against {attempt.n_unlabeled} pages met, {attempt.n_drawn} of them drawn"
        recall = attempt.recall
        return about if recall is None else f"{about}; of the examples, kept apart, it calls {recall:.0%} relevant"
    held_out = " ".join(f"{name} {value:.3f}" for name, value in attempt.held_out.items())
    joined = f"{quantity(attempt.n_positive, 'positives')} and {quantity(attempt.n_negative, 'negatives')} joined"
    return f"{joined}, held out: {held_out or 'none'}"


def _named(verdicts: list[dict[str, Any]]) -> str:
    """Return the first of some verdicts for the log."""
    shown = "; ".join(
        f"{each['url']} ({'yes' if each['relevant'] else 'no'}; {each['why']})" for each in verdicts[:_N_NAMED]
    )
    return f": {shown}. What is delivered follows them all the same; versions.jsonl names more of them"
