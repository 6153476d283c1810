"""Rounds of training in a crawl: enough pages have joined, a process trains, the new model takes over or is refused."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from focused.method.topic import TopicError
from focused.retraining.judged_pages import RECORD_FILE
from focused.retraining.takeover import ModelTakeover
from focused.retraining.training_process import Trainer
from focused.retraining.versions import FIRST, LIST_FILE, Attempt, read_labels, version_in_use
from focused.retraining.worker import Task
from focused.utils.files import LineFile
from focused.utils.scrapy_internals import wake_engine
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler

    from focused.crawl.state import Crawl
    from focused.retraining.drift_report import DriftReport
    from focused.retraining.kept_pages import KeptPages
    from focused.retraining.options import RetrainingOptions
    from focused.retraining.self_training import SelfTraining
    from focused.retraining.stats import RetrainingStats

logger = logging.getLogger(__name__)

_MAX_FAILURES = 3
"""Trainings in a row that come to nothing; then there are no more."""


class TrainingRounds:
    """Asks for a model when it is time, looks whether it is there, and puts it in place.

    The crawl stands still meanwhile where the options say so; else it goes on with the model that it has.

    Parameters
    ----------
    crawler : Crawler
    crawl : Crawl
    options : RetrainingOptions
    joined : SelfTraining
        What is trained with, and when.
    pages : KeptPages
        Their links are scored anew by a new model.
    drift : DriftReport
    stats : RetrainingStats
    """

    def __init__(
        self,
        crawler: Crawler,
        crawl: Crawl,
        options: RetrainingOptions,
        *,
        joined: SelfTraining,
        pages: KeptPages,
        drift: DriftReport,
        stats: RetrainingStats,
    ) -> None:
        #: The model in use, and what has to be done for a new one.
        self.model = ModelTakeover(crawler, crawl, pages, self._taken_over)
        #: What the model in use has learnt of the crawl's pages, by their numbers.
        self.learnt: dict[int, bool] = {}
        #: The list of all attempts.
        self.list_file = LineFile(crawl.plan.run_dir / LIST_FILE)
        self._crawler = crawler
        self._crawl = crawl
        self._topic = crawl.plan.topic
        self._options = options
        self._waits = options.waits == "always" or (options.waits == "offline" and crawl.plan.web != "live")
        self._joined = joined
        self._drift = drift
        self._stats = stats
        self._trainer = Trainer(options.timeout_secs)
        self._n_attempts = FIRST
        self._n_begun = self._n_finished = 0
        self._n_failed_in_a_row = 0
        self._n_new_subtopic = 0

    @property
    def is_idle(self) -> bool:
        """Whether no model is being trained and none is taking over."""
        return not (self._trainer.is_busy or self.model.is_under_way)

    @property
    def n_judged(self) -> int:
        """Pages of the crawl that are judged and in."""
        harvest = self._crawl.harvest
        return harvest.n_pages if harvest is not None else 0

    def begin_if_due(self, n_pages: int) -> None:
        """Ask for a model if enough pages were judged since the last, and what is learnt from has changed.

        Parameters
        ----------
        n_pages : int
            Judged so far.
        """
        joined = self._joined
        if not joined.is_due or not self.is_idle or self._n_failed_in_a_row >= _MAX_FAILURES:
            return
        if not joined.changed:
            self._stats.count("nothing_new_count")
            joined.start_again()
            return
        task = self._task(joined, n_pages)
        joined.start_again()
        self._stats.count("trainings_count")
        self._n_begun += 1
        if not self._trainer.ask(task):
            self._failed()
        elif self._waits:
            self._pause()

    def go_on(self) -> str:
        """Do what is next for a model that is being trained or takes over; never waits. Return what was done."""
        if self.model.is_scoring:
            self.model.score_some()
            return "waiting links"
        if self._trainer.is_busy:
            n_failed = self._trainer.n_failed
            attempt = self._trainer.poll()
            if attempt is not None:
                self._n_failed_in_a_row = 0
                self._trained(attempt)
                return "a new model"
            if self._trainer.n_failed > n_failed:
                self._failed()
        return "a look"

    def restore(self, attempts: Sequence[Attempt]) -> None:
        """Take up the version that an earlier run of this crawl used last."""
        self._n_attempts = max((each.version for each in attempts), default=FIRST)
        version = version_in_use(list(attempts))
        try:
            if version != FIRST:
                self._use(version)
        except (TopicError, OSError) as error:
            logger.warning("Version %d of the model cannot be used, the topic's own is: %s", version, error)
        # As where a model takes over on the way: no training begins before the links have their scores again.
        if self._waits and self.model.is_under_way:
            self._pause()

    def close(self) -> None:
        """End the process that trains, close the list; say so where the crawl ended before it could adapt."""
        if self._trainer.is_busy and not self._n_finished:
            self._say_that_none_has_finished()
        self._trainer.close()
        self.list_file.close()

    # --- Inside

    def _taken_over(self) -> None:
        """Let the crawl go on, unless it is time for the next model: not a page between, or chance would say which."""
        self.begin_if_due(self.n_judged)
        if not self._trainer.is_busy:
            self._resume()

    def _say_that_none_has_finished(self) -> None:
        n, run_dir = self._n_begun, self._crawl.plan.run_dir
        logger.warning(
            "%s begun and none had finished when the crawl ended: all its pages were judged by version %d of the model. Go "
            "on with more pages (-a run_dir=%s -a max_pages=N), or let a training begin earlier "
            "(FOCUSED_RETRAINING_EVERY_PAGES)%s.",
            *(f"{quantity(n, 'trainings')} {'was' if n == 1 else 'were'}", self.model.version, run_dir),
            "" if self._waits else ", or have the crawl stand still meanwhile (FOCUSED_RETRAINING_WAIT=always)",
        )

    def _task(self, joined: SelfTraining, n_pages: int) -> Task:
        topic, run_dir, labels = self._topic, self._crawl.plan.run_dir, joined.labels()
        assert topic.directory is not None
        self._n_attempts += 1
        return Task(
            version=self._n_attempts,
            in_use=self.model.version,
            topic=topic.name,
            models_dir=str(topic.directory.parent.resolve()),
            run_dir=str(run_dir),
            n_bytes=(run_dir / RECORD_FILE).stat().st_size,
            labels={str(number): label for number, label in labels.items()},
            verdicts=[number for number in labels if number in joined.by_verdict],
            tolerance=self._options.tolerance,
            random_state=int(topic.manifest.get("random_state") or 0),
            filters_label_noise=self._options.filters_label_noise,
            keeps_examples=self.model.strategy_learns,
            at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            n_pages=n_pages,
        )

    def _failed(self) -> None:
        self._stats.count("worker_failed_count")
        self._n_failed_in_a_row += 1
        if self._n_failed_in_a_row >= _MAX_FAILURES:
            logger.error(
                "Training came to nothing %d times in a row; this crawl does not adapt any more.", _MAX_FAILURES
            )
        self._resume()

    def _trained(self, attempt: Attempt) -> None:
        """Use a new model, or say why not."""
        self._stats.count("trainings_finished_count")
        self._n_finished += 1
        self.list_file.write(attempt.to_line())
        harvest = self._crawl.harvest
        if self._options.verdicts is not None:
            self._stats.set("verdicts/label_noise_count", attempt.n_label_noise)
            self._stats.set("verdicts/new_subtopic_count", attempt.n_new_subtopic)
        held_out = " ".join(f"{name} {value:.3f}" for name, value in attempt.held_out.items())
        about = (
            f"{attempt.n_positive} positives and {attempt.n_negative} negatives joined, held out: {held_out or 'none'}"
        )
        self._stats.count(f"{'accepted' if attempt.accepted else 'refused'}_count")
        if attempt.accepted:
            try:
                self._use(attempt.version)
            except (TopicError, OSError) as error:
                logger.warning("Version %d of the model cannot be used: %s", attempt.version, error)
                self._stats.count("worker_failed_count")
        if attempt.n_new_subtopic > self._n_new_subtopic:
            logger.info(
                "People want %d pages that the topic's own model calls irrelevant: its examples do not show all of the "
                "topic. More of them are looked for; %d unlabelled examples that resemble them are left aside.",
                *(attempt.n_new_subtopic, attempt.n_left_aside),
            )
            self._n_new_subtopic = attempt.n_new_subtopic
        if self.model.version == attempt.version:
            first = 1 + self.n_judged
            logger.info("Version %d of the model judges from page %d on (%s)", attempt.version, first, about)
        elif not attempt.accepted:
            logger.info("Version %d of the model is not used: %s (%s)", attempt.version, attempt.why, about)
        self._drift.show(harvest)
        if not self.model.is_under_way:
            self._resume()

    def _use(self, version: int) -> None:
        learnt = read_labels(self._crawl.plan.run_dir, version)
        self._drift.trained(self.model.use(version, self._topic), self._topic.examples)
        self.learnt = learnt

    def _pause(self) -> None:
        if self._crawler.engine is not None:
            self._crawler.engine.pause()

    def _resume(self) -> None:
        engine = self._crawler.engine
        if self._waits and engine is not None and engine.paused:
            engine.unpause()
            wake_engine(self._crawler)
