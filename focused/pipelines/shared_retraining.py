"""Retrains in a crawl of many workers: one trains for all, and all take over its versions together."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call
from twisted.internet.threads import deferToThread

from focused.crawl.crawl import Crawl
from focused.crawl.patiently import ask_or_end
from focused.crawl.reader_and_judge import make_judge
from focused.crawl.shared_run import SharedRun
from focused.crawl.shared_versions import version_of_all
from focused.crawl.words_not_found import end_without_words
from focused.items import PageItem
from focused.retraining.draw_schedule import LookingForWords, SharedDrawSchedule
from focused.retraining.kept_pages import KeptPages
from focused.retraining.model_takeover import ModelTakeover
from focused.retraining.options import OFF, RetrainingOptions, read_options
from focused.retraining.page_labels import trainings_due
from focused.retraining.rescoring import Rejudging
from focused.retraining.shared_rescoring import SharedRescoring
from focused.retraining.stats import RetrainingStats, of_attempt
from focused.retraining.versions import FIRST
from focused.utils.frontier_settings import DATABASE, SHARED_CRAWL
from focused.utils.parameters import read_parameters

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from focused.crawl.shared_trainer import SharedTrainer
    from focused.crawl.shared_versions import SharedVersion
    from focused.retraining.versions import Attempt

logger = logging.getLogger(__name__)

_POLL_EVERY_SECS = 0.05
_AGAIN_SECS = 1.0
"""From an attempt to read a version, where the database is away, to the next one."""
_FOLDER = "training"
_CLOSE_SECS = 5.0


class SharedRetrainingPipeline:
    """Lets the workers of a crawl learn together: from people's verdicts, and against the pages that all of them meet.

    See docs/method/many-workers.md. Place: after a page has been classified (100). Off unless workers share the crawl, and
    FOCUSED_RETRAINING=interactive or FOCUSED_UNLABELED asks for it.

    Settings: FOCUSED_RETRAINING and those of its kind that are about verdicts; FOCUSED_UNLABELED, FOCUSED_DATABASE,
    FOCUSED_CRAWL.

    Stats: of the worker that trains ``focused/retraining/trainings_finished_count``, ``accepted_count``, ``refused_count``;
    of each ``focused/retraining/version``, ``links_scored_again_count``, ``rescoring_ms``, ``drawn_count``.
    """

    def __init__(self, crawler: Crawler, crawl: Crawl, options: RetrainingOptions) -> None:
        settings, kind = crawler.settings, type(crawl.plan.strategy)
        self._crawler, self._crawl, self._options = crawler, crawl, options
        self._about = DATABASE.read(settings), SHARED_CRAWL.read(settings)
        self._stats, self._pages = RetrainingStats(crawler.stats), KeptPages(options.max_pages)
        #: What the version in use was trained with, by URL.
        self._labels: dict[str, bool] = {}
        self._rescoring = SharedRescoring(
            Rejudging(crawl.judging, self._pages, self._labels.get),
            lambda: crawl.frontier,
            merge=crawl.task.merge,
            on_error=crawl.end_with_error,
        )
        self._takeover = ModelTakeover(
            crawl.judging,
            self._rescoring,
            make_judge=lambda topic: make_judge(topic, settings),
            make_strategy=lambda: kind(**read_parameters(kind, settings)),
            stats=self._stats,
        )
        self._is_against_met = options.is_against_met(crawl.plan.topic)
        self._draw_schedule: SharedDrawSchedule | LookingForWords | None = None
        if self._is_against_met and (terms := crawl.plan.topic.keyword_terms):
            self._draw_schedule = LookingForWords(lambda: crawl.frontier, self._stats, terms)
        elif self._is_against_met:
            self._draw_schedule = SharedDrawSchedule(lambda: crawl.frontier, self._stats)
        self._trainer: SharedTrainer | None = None
        self._is_read = self._is_closing = False
        self._is_behind = False
        #: When a version may be read again that could not be read; 0: the last one could.
        self._again_at = 0.0
        self._waits_since = 0.0
        is_wanted = options.waits == "always" or (options.waits == "offline" and crawl.plan.web != "live")
        self._may_wait = is_wanted and self._is_against_met
        self._calls: Any = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Begin with the version that the others use; stay out of crawls that are a process's own, or learn nothing."""
        crawl = Crawl.needed(crawler)
        if not DATABASE.read(crawler.settings):
            raise NotConfigured
        options = read_options(crawler.settings, crawl.plan.topic)
        if options.mode == OFF and not options.is_against_met(crawl.plan.topic):
            raise NotConfigured
        made = cls(crawler, crawl, options)
        made._join()
        return made

    def open_spider(self) -> None:
        """Begin to look for new versions, and to train if no other worker does."""
        # psycopg is an extra of the package
        from focused.crawl.shared_pages import n_draws_missing
        from focused.crawl.shared_trainer import SharedTrainer, SharedTraining

        plan, takeover, versions = self._crawl.plan, self._takeover, self._crawl.frontier.versions
        if versions is None:  # the frontier could not be opened: the crawl is about to end
            return
        folder = plan.run_dir / _FOLDER
        folder.mkdir(exist_ok=True)

        def ask() -> tuple[int, float]:
            with SharedRun.opened(*self._about) as run:
                return run.number, n_draws_missing(run)

        if (answer := ask_or_end(ask, self._crawler)) is None:
            return
        number, n_draws_due = answer
        if isinstance(self._draw_schedule, SharedDrawSchedule):
            self._draw_schedule.n_due = n_draws_due
        training = SharedTraining(
            url=self._about[0],
            crawl=number,
            topic=plan.topic,
            options=self._options,
            folder=folder,
            keeps_examples=takeover.strategy_learns,
            keeps_links=not takeover.strategy_remembers,
            is_against_met=self._is_against_met,
            worker=lambda: versions.worker,
        )
        self._trainer = SharedTrainer(training, self._trained)
        self._trainer.start()
        versions.on_new, versions.waits = self._read_version, self._waits
        self._calls = create_looping_call(self._poll)
        self._calls.start(_POLL_EVERY_SECS, now=False)

    def process_item(self, item: Any) -> Any:
        """Keep a judged page: another version may judge it again."""
        if (
            isinstance(item, PageItem)
            and item.analysed is not None
            and item.scores is not None
            and not item.duplicate_of
        ):
            self._pages.keep(item.analysed, item.scores.visit)
        if isinstance(item, PageItem):
            self._look_around(item)
        return item

    async def before_close(self) -> None:
        """Keep the present version to the end."""
        self._end()

    def close_spider(self) -> None:
        """End the thread that trains."""
        self._end()
        if self._trainer is not None:
            self._trainer.join(_CLOSE_SECS)

    # --- Inside

    def _end(self) -> None:
        self._is_closing = True
        if self._calls is not None and self._calls.running:
            self._calls.stop()
        if self._trainer is not None:
            self._trainer.stop()

    def _look_around(self, item: PageItem) -> None:
        """Have as many links drawn after a judged page as are wanted."""
        page = item.analysed
        if page is None or item.relevance is None:
            return
        versions = self._crawl.frontier.versions
        assert versions is not None
        versions.note_page()
        if isinstance(self._draw_schedule, SharedDrawSchedule):
            self._draw_schedule.page_added(versions.n_pages, page)
        elif self._draw_schedule is not None and self._takeover.version == FIRST:  # a later version has met its words
            self._draw_schedule.page_added(1 + self._crawl.harvest.n_pages, page)

    def _waits(self) -> bool:
        """Tell whether to wait for a training against the pages met that is due; no longer than it may take."""
        versions, options = self._crawl.frontier.versions, self._options
        if versions is None or not self._may_wait or self._is_closing:
            return False
        is_due = trainings_due(versions.n_pages) > trainings_due(versions.n_pages_trained)
        if not (is_due or self._is_read or self._takeover.is_under_way):
            self._waits_since = 0.0
            return False
        self._waits_since = self._waits_since or time.monotonic()
        return time.monotonic() - self._waits_since < options.timeout_secs

    def _trained(self, attempt: Attempt) -> None:
        """Say what came of a training; called in the thread that trains."""
        from twisted.internet import reactor

        reactor.callFromThread(self._say, attempt)

    def _say(self, attempt: Attempt) -> None:
        self._stats.count("trainings_finished_count")
        self._stats.count(f"{'accepted' if attempt.accepted else 'refused'}_count")
        about = of_attempt(attempt)
        if attempt.no_word_met:  # no failure of this worker, which a supervisor would start again
            end_without_words(self._crawler, self._crawl, attempt.n_pages, is_failure=False)
        if attempt.accepted:
            logger.info("This worker has trained version %d of the model for all (%s)", attempt.version, about)
        else:
            logger.info("Version %d of the model is not used: %s (%s)", attempt.version, attempt.why, about)

    def _join(self) -> None:
        """Begin with the version that the crawl uses; it waits for the database."""
        found = ask_or_end(self._read, self._crawler)
        if found is None:
            return
        plan, judging = self._crawl.plan, self._crawl.judging
        judging.replace(judge=self._takeover.make_judge(found.topic), version=found.version)
        if self._takeover.strategy_learns:
            judging.replace(strategy=self._takeover.make_strategy().prepare(found.topic))
            judging.session = judging.strategy.session()
        self._know(found)
        logger.info("Version %d of the model of topic %s judges from the start", found.version, plan.topic.name)

    def _read_version(self) -> None:
        """Read the version that all are to use, in a thread; not while another one takes over."""
        self._is_behind = self._is_read or self._takeover.is_under_way
        if not self._is_behind and not self._is_closing:
            self._is_read = True
            deferToThread(self._read).addCallbacks(self._use, self._not_read)

    def _poll(self) -> None:
        """Do the next step of a version that takes over."""
        if self._takeover.is_rescoring:
            self._takeover.rescore()
        elif (
            self._is_behind
            and not (self._is_read or self._takeover.is_under_way)
            and time.monotonic() >= self._again_at
        ):
            self._read_version()

    def _read(self) -> SharedVersion | None:
        return version_of_all(*self._about)

    def _use(self, found: SharedVersion | None) -> None:
        self._is_read, self._again_at = False, 0.0
        if found is None or self._is_closing or found.version <= self._takeover.version:
            return
        self._know(found)
        self._takeover.use(found.version, found.topic)
        logger.info(
            "Version %d of the model judges from page %d of this worker on",
            found.version,
            1 + self._crawl.harvest.n_pages,
        )

    def _not_read(self, failure: Any) -> None:
        """Try again in a moment where the database is away, and say so once; leave a version that cannot be read."""
        self._is_read = False
        self._is_behind = not failure.check(ValueError)
        self._stats.count("worker_failed_count")
        is_said, self._again_at = self._is_behind and self._again_at > 0, time.monotonic() + _AGAIN_SECS
        if is_said:
            return
        logger.warning("The newest version of the model cannot be read: %s", " ".join(str(failure.value).split()))

    def _know(self, found: SharedVersion) -> None:
        self._rescoring.floor = found.floor
        self._labels.clear()
        self._labels |= found.labels
        self._stats.set("retraining/version", found.version)
