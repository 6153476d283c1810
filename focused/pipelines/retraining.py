"""Retrains in a crawl: pages join as they are judged, a process trains, new models take over between two pages."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from focused.crawl.crawl import Crawl
from focused.crawl.pause import CrawlPause
from focused.crawl.reader_and_judge import make_judge
from focused.crawl.words_not_found import ENOUGH_PAGES, end_without_words, words_of
from focused.frontier.durable_frontier import DurableFrontier
from focused.frontier.scheduler import FrontierScheduler
from focused.items import PageItem
from focused.retraining.draw_schedule import DrawSchedule, LookingForWords
from focused.retraining.drift import DriftReport
from focused.retraining.feedback_intake import FeedbackIntake
from focused.retraining.first_threshold import first_threshold
from focused.retraining.judged_page_intake import JudgedPageIntake, JudgedPageWriter, LinkTextFinder, TextsToKeep
from focused.retraining.judged_pages import read_record, record_path
from focused.retraining.kept_pages import KeptBodies, KeptPages
from focused.retraining.loop import RetrainingLoop, TrainingRounds
from focused.retraining.model_takeover import ModelTakeover
from focused.retraining.options import OFF, RetrainingOptions, read_options
from focused.retraining.page_labels import FIRST_MET, PageLabels
from focused.retraining.rescoring import Rejudging, Rescoring
from focused.retraining.stats import AttemptReport, RetrainingStats
from focused.retraining.training_process import TrainingProcess
from focused.retraining.training_task import read_verdicts
from focused.retraining.version_store import VersionStore
from focused.retraining.versions import FIRST, read_attempts, warn_of_version_left
from focused.utils.frontier_settings import DATABASE
from focused.utils.output_settings import HARVEST_WINDOW_PAGES
from focused.utils.parameters import read_parameters
from focused.utils.words import quantity

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self


logger = logging.getLogger(__name__)

_POLL_EVERY_SECS = 0.05
_MAX_TEXTS = 10
"""Pages whose texts are kept for training, as a multiple of those that are learnt from."""
_A_GUESS = "how many of them are relevant is a guess"


class RetrainingPipeline:
    """Lets a crawl's model learn from the crawl [I18, Sect. 3.2]; see docs/method/retraining.md.

    Place: after a page has been classified (100), before it is counted and perhaps dropped (200).

    Settings: FOCUSED_RETRAINING, FOCUSED_RETRAINING_T1, FOCUSED_RETRAINING_T2, FOCUSED_RETRAINING_EVERY_PAGES,
    FOCUSED_RETRAINING_COUNTS, FOCUSED_RETRAINING_MAX_PAGES, FOCUSED_RETRAINING_TOLERANCE, FOCUSED_RETRAINING_DOUBTS,
    FOCUSED_RETRAINING_EXPLORATION, FOCUSED_RETRAINING_TIMEOUT_SECS, FOCUSED_RETRAINING_WAIT, FOCUSED_RETRAINING_VETO,
    FOCUSED_UNLABELED.

    Stats: ``focused/retraining/...``, ``focused/verdicts/...``, ``focused/drift/...``, as docs/reference/stats.md lists them.
    """

    def __init__(
        self,
        crawl: Crawl,
        intake: JudgedPageIntake,
        loop: RetrainingLoop,
        stats: RetrainingStats,
        draw_schedule: DrawSchedule | LookingForWords | None = None,
        raised_to: float | None = None,
    ) -> None:
        self._crawl = crawl
        self._intake = intake
        self._loop = loop
        self._stats = stats
        self._draw_schedule = draw_schedule
        self._raised_to = raised_to
        self._bodies: KeptBodies | None = None
        self._calls: Any = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Switch off if the settings say so."""
        crawl = Crawl.needed(crawler)
        options = read_options(crawler.settings, crawl.plan.topic)
        if DATABASE.read(crawler.settings):
            raise NotConfigured  # one worker trains for all: see focused.pipelines.shared_retraining
        if options.mode == OFF and not options.is_against_met(crawl.plan.topic):
            warn_of_version_left(crawl.plan.run_dir)
            raise NotConfigured
        return cls.of(crawler, crawl, options)

    @classmethod
    def of(cls, crawler: Crawler, crawl: Crawl, options: RetrainingOptions) -> Self:
        """Put the parts of a crawl's retraining together."""
        plan, judging, settings = crawl.plan, crawl.judging, crawler.settings
        kind = type(plan.strategy)
        is_against_met = options.is_against_met(plan.topic)
        labels = PageLabels(options, is_against_met=is_against_met)
        stats, pages = RetrainingStats(crawler.stats), KeptPages(options.max_pages)
        # Verdicts may come at any time, but pages that none would teach need not be kept.
        has_verdicts = options.is_interactive or is_against_met
        feedback = FeedbackIntake(crawl.verdicts, labels)
        link_texts = LinkTextFinder(pages, feedback.number_of, judging, plan.reader.analyzer)
        texts = TextsToKeep(plan.topic.page_text, _MAX_TEXTS * options.max_pages, of_all=has_verdicts)
        writer = JudgedPageWriter(plan.run_dir, link_texts.find, texts, stats)
        drift = DriftReport(stats.set, HARVEST_WINDOW_PAGES.read(settings), crawl.harvest)
        drift.trained(plan.topic, plan.topic.examples)
        is_paused = options.waits == "always" or (options.waits == "offline" and plan.web != "live")

        def verdict_on(url: str) -> bool | None:
            number = feedback.number_of(url)
            return rounds.learnt.get(number) if number in labels.by_verdict else None

        # New subtopics are looked for only where people can say that what is found is wanted.
        max_explored = round(options.exploration * options.every_pages) if options.is_interactive else 0
        rejudging, merge = Rejudging(judging, pages, verdict_on), crawl.task.merge
        takeover = ModelTakeover(
            judging,
            Rescoring(
                rejudging, lambda: crawl.frontier, merge=merge, max_explored=max_explored, on_error=crawl.end_with_error
            ),
            make_judge=lambda topic: make_judge(topic, settings),
            make_strategy=lambda: kind(**read_parameters(kind, settings)),
            stats=stats,
        )
        report = AttemptReport(stats, drift, has_verdicts=has_verdicts, is_paused=is_paused)
        versions = VersionStore(plan.run_dir, plan.topic, options)
        process = TrainingProcess(options.timeout_secs)
        rounds = TrainingRounds(labels, versions=versions, process=process, takeover=takeover, report=report)
        rounds.no_word_met = lambda n_pages: end_without_words(crawler, crawl, n_pages)
        rounds.harvest_estimated = crawl.estimate.note_training
        if is_against_met and not plan.topic.keyword_terms:
            crawl.estimate.set_last_training(lambda: rounds.train_at_end(crawl.harvest.n_pages))
        pause = CrawlPause(crawler, is_wanted=is_paused)
        loop = RetrainingLoop(feedback, rounds, crawl.harvest, pause.set, stats)
        intake = JudgedPageIntake(labels, feedback, pages, writer, drift)
        draw_schedule: DrawSchedule | LookingForWords | None = None
        if is_against_met and plan.topic.keyword_terms:
            draw_schedule = LookingForWords(lambda: crawl.frontier, stats, plan.topic.keyword_terms)
        elif is_against_met:
            draw_schedule = DrawSchedule(lambda: crawl.frontier, stats)
        return cls(crawl, intake, loop, stats, draw_schedule, first_threshold(plan.topic, options))

    def open_spider(self) -> None:
        """Continue where an earlier run of this crawl ended, and begin to look for new models."""
        if isinstance(self._crawl.frontier, DurableFrontier):
            self._bodies = KeptBodies(self._crawl.frontier.store, self._intake.pages)
        if self._draw_schedule is not None and not self._crawl.frontier.can_rescore:
            logger.warning(
                "FOCUSED_UNLABELED=met needs the project's scheduler (SCHEDULER = %r): Scrapy's cannot draw links, so the "
                "topic's own model judges all pages",
                f"{FrontierScheduler.__module__}.{FrontierScheduler.__qualname__}",
            )
        self._resume()
        if isinstance(self._draw_schedule, DrawSchedule) and self._loop.version == FIRST:
            logger.info(
                "The model has learnt %s. The harvest is estimated from some page after the %dth on",
                self._learnt(f"yet, so {self._what_looks_relevant()}"),
                FIRST_MET,
            )
        self._calls = create_looping_call(self._loop.poll)
        self._calls.start(_POLL_EVERY_SECS, now=False)

    async def before_close(self) -> None:
        """Stop taking models over, and run the last training: its model judges the whole collection."""
        if self._calls is not None and self._calls.running:
            self._calls.stop()
        if self._crawl.harvest.n_pages != self._crawl.harvest.n_pages_before:
            self._crawl.estimate.run_last_training()

    def close_spider(self) -> None:
        """End the process that trains, close the files."""
        if self._calls is not None and self._calls.running:
            self._calls.stop()
        if (
            isinstance(self._draw_schedule, DrawSchedule)
            and self._loop.version == FIRST
            and self._crawl.harvest.n_pages
        ):
            logger.warning(
                "All pages were judged by a model that has learnt %s. With more pages (-a max_pages) it learns",
                self._learnt(f": {'the harvest is probably too high' if self._raised_to is None else _A_GUESS}"),
            )
        if (
            isinstance(self._draw_schedule, LookingForWords)
            and not self._draw_schedule.is_met
            and 0 < self._crawl.harvest.n_pages < ENOUGH_PAGES
        ):
            logger.warning(
                "None of the topic's words stands in the %d pages met: %s",
                self._crawl.harvest.n_pages,
                words_of(self._crawl),
            )
        self._loop.close()
        self._intake.close()

    def _what_looks_relevant(self) -> str:
        """Say from where on pages are relevant until the first training, or that most are."""
        if self._raised_to is None:
            return "most of its pages may look relevant"
        return f"until it has, a page is relevant from {self._raised_to:.3f} on, which half of the examples reach"

    def _learnt(self, if_nothing: str) -> str:
        """Say what the topic's own model has learnt of this web; behind nothing stands what follows from it."""
        if looked_at := self._crawl.plan.topic.looked_at:
            return f"of this web from {quantity(looked_at['n_pages'], 'pages')} around the seeds alone"
        return f"nothing of this web{'' if if_nothing[0] == ':' else ' '}{if_nothing}"

    def process_item(self, item: Any) -> Any:
        """Add a judged page, and begin a training if one is due."""
        if not isinstance(item, PageItem) or item.relevance is None or item.analysed is None:
            return item
        start, number = time.perf_counter(), 1 + self._crawl.harvest.n_pages
        if not item.duplicate_of:  # it would count twice
            self._join(number, item)
        self._loop.page_added(number)
        if self._draw_schedule is not None:
            self._draw_schedule.page_added(number, item.analysed)
        self._stats.blocked_since(start, "a page")
        return item

    def _join(self, number: int, item: PageItem) -> None:
        label = self._intake.add(number, item)
        if label is not None:
            self._stats.count(f"joined_{'positive' if label else 'negative'}_count")
        if self._bodies is not None:
            self._bodies.keep(item)

    def _resume(self) -> None:
        """Take up what an earlier run of this crawl left."""
        run_dir, n_kept = self._crawl.plan.run_dir, 0
        pages, n_bad = read_record(record_path(run_dir))
        attempts = read_attempts(run_dir)
        if n_bad:
            self._stats.set("retraining/bad_lines_count", n_bad)
        if pages or attempts:
            n_trained, known = 0, dict[int, bool]()
            if attempts:
                n_trained, known = attempts[-1].n_pages, read_verdicts(run_dir, attempts[-1].version)
            self._intake.restore(pages, n_trained, known)
            if self._bodies is not None:
                n_kept, n_unread = self._bodies.restore(self._crawl.plan.reader)
                if n_unread:
                    self._stats.set("retraining/unread_pages_count", n_unread)
        if self._draw_schedule is not None:
            self._draw_schedule.restore(pages)
        self._loop.start(attempts)
        if pages or attempts:
            logger.info(
                "Retraining continues with version %d of the model, %d pages judged, %d of them kept",
                self._loop.version,
                len(pages),
                n_kept,
            )
