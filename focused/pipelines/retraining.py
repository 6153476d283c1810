"""Adaptation in a crawl: pages join as they are judged, a process trains, new models take over between two pages.

A judged page goes to :mod:`focused.retraining.self_training` (does it join?), to
:mod:`focused.retraining.judged_page_writer` (what it says) and to :mod:`focused.retraining.feedback_intake` (what do
people say?). When a training is due, :mod:`focused.retraining.rounds` has a model trained from them.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from focused.crawl.state import Crawl
from focused.frontier.scheduler import FrontierScheduler
from focused.items import PageItem
from focused.retraining.drift_report import DriftReport
from focused.retraining.feedback import FeedbackFiles
from focused.retraining.feedback_intake import FeedbackIntake
from focused.retraining.judged_page_writer import JudgedPageWriter
from focused.retraining.judged_pages import RECORD_FILE, read_record
from focused.retraining.kept_bodies import KeptBodies
from focused.retraining.kept_pages import KeptPages
from focused.retraining.options import OFF, RetrainingOptions, read_options
from focused.retraining.rounds import TrainingRounds
from focused.retraining.self_training import SelfTraining
from focused.retraining.stats import RetrainingStats
from focused.retraining.versions import read_attempts, read_verdicts

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self


logger = logging.getLogger(__name__)

_LOOK_EVERY_SECS = 0.05
_MAX_TEXTS = 10
"""Pages whose texts are kept for training, as a multiple of those that are learnt from."""


class RetrainingPipeline:
    """Lets a crawl's model learn from the crawl [I18, Sect. 3.2]; see docs/method/retraining.md.

    Place: after a page has been classified (100), before it is counted and perhaps dropped (200).

    Settings: FOCUSED_RETRAINING, FOCUSED_RETRAINING_T1, FOCUSED_RETRAINING_T2, FOCUSED_RETRAINING_EVERY_PAGES,
    FOCUSED_RETRAINING_COUNTS, FOCUSED_RETRAINING_MAX_PAGES, FOCUSED_RETRAINING_TOLERANCE, FOCUSED_RETRAINING_DOUBTS,
    FOCUSED_RETRAINING_EXPLORATION, FOCUSED_RETRAINING_TIMEOUT_SECS, FOCUSED_RETRAINING_WAIT, FOCUSED_VERDICTS.

    Stats: ``focused/retraining/...``, ``focused/verdicts/...``, ``focused/drift/...``, as docs/reference/stats.md lists them.
    """

    def __init__(self, crawler: Crawler, crawl: Crawl, options: RetrainingOptions) -> None:
        self._crawl = crawl
        self._topic = crawl.plan.topic
        self._stats = stats = RetrainingStats(crawler.stats)
        self._joined = SelfTraining(options)
        self._pages = KeptPages(options.max_pages)
        self._bodies: KeptBodies | None = None
        max_texts = _MAX_TEXTS * options.max_pages
        files = FeedbackFiles(options.verdicts) if options.verdicts is not None else None
        self._verdicts = FeedbackIntake(files, self._joined, max_texts, stats.set)
        self._recorder = JudgedPageWriter(
            *(crawl, self._pages, self._verdicts), max_texts=max_texts, keeps_all=files is not None, stats=stats
        )
        self._drift = DriftReport(stats.set, crawler.settings.getint("FOCUSED_HARVEST_WINDOW_PAGES"))
        self._rounds = TrainingRounds(
            *(crawler, crawl, options), joined=self._joined, pages=self._pages, drift=self._drift, stats=stats
        )
        self._pages.verdict_on = self._verdict_on
        if options.is_interactive:  # somebody can say that what is found there is wanted
            self._pages.max_explored = round(options.exploration * options.every_pages)
        self._calls: Any = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Switch off if the settings say so."""
        crawl = Crawl.of(crawler)
        if crawl is None or str(crawler.settings.get("FOCUSED_RETRAINING")) == OFF:
            raise NotConfigured
        return cls(crawler, crawl, read_options(crawler.settings, crawl.plan.topic))

    def open_spider(self) -> None:
        """Go on where an earlier run of this crawl ended, and begin to look for new models."""
        if isinstance(self._crawl.frontier, FrontierScheduler):
            self._bodies = KeptBodies(self._crawl.frontier.store, self._pages)
        self._go_on()
        self._read_verdicts()
        self._rounds.begin_if_due(self._rounds.n_judged)  # the last page of the earlier run may have been the one
        if not self._drift.has_training:
            self._drift.trained(self._topic, self._topic.examples)
        self._calls = create_looping_call(self._look)
        self._calls.start(_LOOK_EVERY_SECS, now=False)

    def close_spider(self) -> None:
        """End the process that trains, close the files."""
        if self._calls is not None and self._calls.running:
            self._calls.stop()
        self._rounds.close()
        self._recorder.file.close()
        for what, file in (("pages", self._recorder.file), ("versions", self._rounds.list_file)):
            if file.n_failed:
                self._stats.set(f"retraining/{what}_lost_count", file.n_failed)
        self._verdicts.close()
        self._drift.show(self._crawl.harvest)

    def process_item(self, item: Any) -> Any:
        """Let a judged page join, and see whether it is time to train."""
        if not isinstance(item, PageItem) or item.relevance is None or item.analysed is None:
            return item
        start = time.perf_counter()
        number = 1 + self._crawl.harvest.n_pages
        if item.scores is not None:
            self._pages.keep(item.analysed, item.scores.visit, item.scores.model_version)
        self._drift.judged(item.relevance)
        label = self._joined.judged(number, item.relevance)
        if label is not None:
            self._stats.count(f"joined_{'positive' if label else 'negative'}_count")
        self._recorder.write(number, item, label, item.model_version)
        if self._bodies is not None:
            self._bodies.keep(item)
        self._verdicts.page(number, (item.url, item.known_as))
        self._verdicts.read()
        self._rounds.begin_if_due(number)
        self._stats.took(start, "a page")
        return item

    def _verdict_on(self, url: str) -> bool | None:
        """Return the verdict on a page that the model in use has learnt from; a doubtful one is none."""
        number = self._verdicts.number_of(url)
        return self._rounds.learnt.get(number) if number in self._joined.by_verdict else None

    def _look(self) -> None:
        """See whether a training has ended or can begin; score some of the waiting links anew."""
        start = time.perf_counter()
        what = "a look"
        if self._rounds.is_idle:
            self._verdicts.read()
            self._rounds.begin_if_due(self._rounds.n_judged)
        else:
            what = self._rounds.go_on()
        self._stats.took(start, what)

    def _read_verdicts(self) -> None:
        """Read all that is there: nobody is kept waiting yet."""
        self._verdicts.read()
        while self._verdicts.has_more:
            self._verdicts.read()

    def _go_on(self) -> None:
        """Take up what an earlier run of this crawl left."""
        run_dir = self._crawl.plan.run_dir
        pages, n_bad = read_record(run_dir / RECORD_FILE)
        attempts = read_attempts(run_dir)
        if n_bad:
            self._stats.set("retraining/bad_lines_count", n_bad)
        if not pages and not attempts:
            return
        for page in pages:
            self._joined.judged(page.number, page.relevance)
            self._verdicts.page(page.number, (page.url,))
            self._recorder.known(page)
            self._drift.judged(page.relevance)
        self._read_verdicts()
        n_trained, trained = 0, {}
        if attempts:
            n_trained, trained = attempts[-1].n_pages, read_verdicts(run_dir, attempts[-1].version)
        self._joined.count_again(n_trained, pages[-1].number if pages else 0, trained)
        n_kept = 0
        if self._bodies is not None:
            n_kept, n_unread = self._bodies.restore(self._crawl.plan.reader, self._recorder.version_of)
            if n_unread:
                self._stats.set("retraining/unread_pages_count", n_unread)
        self._rounds.restore(attempts)
        logger.info(
            "Adaptation goes on with version %d of the model, %d pages judged, %d of them kept",
            *(self._rounds.model.version, len(pages), n_kept),
        )
