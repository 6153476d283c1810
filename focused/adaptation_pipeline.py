"""Adaptation in a crawl: pages join as they are judged, a process trains, new models take over between two pages."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from focused.adaptation.drift_report import DriftReport
from focused.adaptation.joining import Joined
from focused.adaptation.kept_bodies import KeptBodies
from focused.adaptation.kept_pages import KeptPages
from focused.adaptation.options import OFF, AdaptationOptions, read_options
from focused.adaptation.record import RECORD_FILE, JudgedPage, LinkTexts, read_record, term_counts
from focused.adaptation.trainer import Trainer
from focused.adaptation.verdict_intake import VerdictIntake
from focused.adaptation.verdicts import VerdictFiles
from focused.adaptation.versions import FIRST, LIST_FILE, Attempt, read_attempts, version_in_use
from focused.adaptation.worker import Task
from focused.examples.counting import count, counted_link
from focused.items import PageItem
from focused.model_change import ModelChange
from focused.page.context import url_terms
from focused.stores import LineFile
from focused.topic import TopicError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from focused.crawl import Crawl
    from focused.topic import Topic

logger = logging.getLogger(__name__)

_LOOK_EVERY_SECS = 0.05
_MAX_TEXTS = 10
"""Pages whose texts are kept for training, as a multiple of those that are learnt from."""
_MAX_FAILURES = 3
"""Trainings in a row that come to nothing; then there are no more."""


class AdaptationPipeline:
    """Lets a crawl's model learn from the crawl [I18, Sect. 3.2]; see docs/adaptation.md.

    Place: after a page has been classified (100), before it is counted and perhaps dropped (200).

    Settings: FOCUSED_ADAPTATION, FOCUSED_ADAPTATION_T1, FOCUSED_ADAPTATION_T2, FOCUSED_ADAPTATION_EVERY_PAGES,
    FOCUSED_ADAPTATION_COUNTS, FOCUSED_ADAPTATION_MAX_PAGES, FOCUSED_ADAPTATION_TOLERANCE, FOCUSED_ADAPTATION_DOUBTS,
    FOCUSED_ADAPTATION_TIMEOUT_SECS, FOCUSED_ADAPTATION_WAIT, FOCUSED_VERDICTS.

    Stats: ``focused/adaptation/...``, ``focused/verdicts/...``, ``focused/drift/...``, as docs/reference.md lists them.
    """

    def __init__(self, crawler: Crawler, crawl: Crawl, options: AdaptationOptions) -> None:
        self.crawler = crawler
        self.crawl = crawl
        self.options = options
        plan = crawl.plan
        self.topic: Topic = plan.topic
        self.joined = Joined(options)
        self.pages = crawl.kept_pages = KeptPages(options.max_pages)
        self._bodies: KeptBodies | None = None
        self.model = ModelChange(crawler, crawl, self.pages, self._resume)
        self.trainer = Trainer(options.timeout_secs)
        self._waits = options.waits == "always" or (options.waits == "offline" and plan.web != "live")
        self._has_verdicts = options.verdicts is not None
        files = VerdictFiles(options.verdicts) if options.verdicts is not None else None
        self._verdicts = VerdictIntake(files, self.joined, _MAX_TEXTS * options.max_pages, self._set)
        self._version_of: dict[str, int] = {}
        self._n_texts = 0
        self._n_attempts = FIRST
        self._n_failed_in_a_row = 0
        self._longest_secs = 0.0
        self._drift = DriftReport(self._set, crawler.settings.getint("FOCUSED_HARVEST_WINDOW_PAGES"))
        self._record = LineFile(plan.run_dir / RECORD_FILE)
        self._list = LineFile(plan.run_dir / LIST_FILE)
        self._calls: Any = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Switch off if the settings say so."""
        crawl: Crawl | None = getattr(crawler.spider, "crawl", None)
        if crawl is None or str(crawler.settings.get("FOCUSED_ADAPTATION")) == OFF:
            raise NotConfigured
        return cls(crawler, crawl, read_options(crawler.settings, crawl.plan.topic))

    def open_spider(self) -> None:
        """Go on where an earlier run of this crawl ended, and begin to look for new models."""
        if self.crawl.frontier is not None:
            self._bodies = KeptBodies(self.crawl.frontier.store, self.pages)
        self._go_on()
        self._verdicts.read()
        while self._verdicts.has_more:  # nobody is kept waiting yet
            self._verdicts.read()
        if not self._drift.has_training:
            self._drift.trained(self.topic, self.topic.examples)
        self._calls = create_looping_call(self._look)
        self._calls.start(_LOOK_EVERY_SECS, now=False)

    def close_spider(self) -> None:
        """End the process that trains, close the files."""
        if self._calls is not None and self._calls.running:
            self._calls.stop()
        self.trainer.close()
        self._record.close()
        self._list.close()
        for what, file in (("pages", self._record), ("versions", self._list)):
            if file.n_failed:
                self._set(f"adaptation/{what}_lost_count", file.n_failed)
        self._verdicts.close()
        self._drift.show(self.crawl.harvest)

    # --- Pages

    def process_item(self, item: Any) -> Any:
        """Let a judged page join, and see whether it is time to train."""
        if not isinstance(item, PageItem) or item.relevance is None or item.analysed is None:
            return item
        start = time.perf_counter()
        harvest = self.crawl.harvest
        number = 1 + (harvest.n_pages if harvest is not None else len(self._version_of))
        item.model_version = self.model.version
        self._drift.judged(item.relevance)
        label = self.joined.judged(number, item.relevance)
        if label is not None:
            self._count(f"joined_{'positive' if label else 'negative'}_count")
        self._record.write(self._judged(number, item, label).to_line())
        self._version_of[item.url] = self.model.version
        if self._bodies is not None:
            self._bodies.keep(item)
        self._verdicts.page(number, (item.url, item.known_as))
        self._verdicts.read()
        self._train_if_due(number)
        self._took(start, "a page")
        return item

    def _judged(self, number: int, item: PageItem, label: bool | None) -> JudgedPage:
        page, link, terms = item.analysed, None, {}
        assert page is not None
        assert item.relevance is not None
        if label is not None or self._has_verdicts:
            if self._n_texts < _MAX_TEXTS * self.options.max_pages:
                self._n_texts += 1
                terms = term_counts(count(page.terms))
                link = self._link_texts(item)
            else:
                self._count("texts_not_kept_count")
        kept = self.pages.get(item.referrer)
        link_version = kept.version if kept is not None else self._version_of.get(item.referrer, self.model.version)
        return JudgedPage(
            number, item.url, round(item.relevance, 6), self.model.version, link_version, label, terms, link
        )

    def _link_texts(self, item: PageItem) -> LinkTexts | None:
        """Return the texts of the link that led to a page: its outcome is known now."""
        kept = self.pages.get(item.referrer)
        source = self._verdicts.number_of(item.referrer)
        if kept is None or source is None:
            return None
        number = kept.page.link_numbers.get(item.url)
        if number is None:
            number = kept.page.link_numbers.get(item.known_as)
        if number is None:
            return None  # behind a redirect
        judge, analyzer = self.crawl.plan.judge, self.crawl.plan.reader.analyzer
        link = counted_link(kept.page, number, other_anchors=judge.other_anchors, max_terms=judge.max_terms)
        self._count("link_outcomes_count")
        texts = (link.anchor, link.context, count(analyzer.ids(link.window)), count(analyzer.ids(url_terms(link.url))))
        return LinkTexts(source, *map(term_counts, texts))

    # --- Training

    def _train_if_due(self, n_pages: int) -> None:
        joined = self.joined
        if (
            not joined.is_time
            or self.trainer.is_busy
            or self.model.is_under_way
            or self._n_failed_in_a_row >= _MAX_FAILURES
        ):
            return
        if not joined.n_changed:
            self._count("nothing_new_count")
            joined.start_again()
            return
        plan = self.crawl.plan
        assert self.topic.directory is not None
        labels = joined.labels()
        self._n_attempts += 1
        task = Task(
            version=self._n_attempts,
            in_use=self.model.version,
            topic=self.topic.name,
            models_dir=str(self.topic.directory.parent.resolve()),
            run_dir=str(plan.run_dir),
            n_bytes=self._record.path.stat().st_size,
            labels={str(number): label for number, label in labels.items()},
            verdicts=[number for number in labels if number in joined.by_verdict],
            tolerance=self.options.tolerance,
            random_state=int(self.topic.manifest.get("random_state") or 0),
            doubts=self.options.doubts,
            keeps_examples=self.model.strategy_learns,
            at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            n_pages=n_pages,
        )
        joined.start_again()
        self._count("trainings_count")
        if not self.trainer.ask(task):
            self._training_failed()
        elif self._waits:
            self._pause()

    def _look(self) -> None:
        """See whether a training has ended; score some of the waiting links anew."""
        start = time.perf_counter()
        what = "a look"
        if self.model.is_scoring:
            what = "waiting links"
            self.model.score_some()
        elif self.trainer.is_busy:
            n_failed = self.trainer.n_failed
            attempt = self.trainer.poll()
            if attempt is not None:
                self._n_failed_in_a_row = 0
                what = "a new model"
                self._trained(attempt)
            elif self.trainer.n_failed > n_failed:
                self._training_failed()
        elif not self.model.is_under_way:
            self._verdicts.read()
            self._train_if_due(self.crawl.harvest.n_pages if self.crawl.harvest is not None else 0)
        self._took(start, what)

    def _training_failed(self) -> None:
        self._count("worker_failed_count")
        self._n_failed_in_a_row += 1
        if self._n_failed_in_a_row >= _MAX_FAILURES:
            logger.error(
                "Training came to nothing %d times in a row; this crawl does not adapt any more.", _MAX_FAILURES
            )
        self._resume()

    def _trained(self, attempt: Attempt) -> None:
        """Use a new model, or say why not."""
        self._list.write(attempt.to_line())
        if self._has_verdicts:
            self._set("verdicts/doubtful_count", attempt.n_doubtful)
        held_out = " ".join(f"{name} {value:.3f}" for name, value in attempt.held_out.items())
        about = (
            f"{attempt.n_positive} positives and {attempt.n_negative} negatives joined, held out: {held_out or 'none'}"
        )
        self._count(f"{'accepted' if attempt.accepted else 'refused'}_count")
        if attempt.accepted:
            try:
                self._use(attempt.version)
            except (TopicError, OSError) as error:
                logger.warning("Version %d of the model cannot be used: %s", attempt.version, error)
                self._count("worker_failed_count")
        if self.model.version == attempt.version:
            logger.info(
                "Version %d of the model judges from page %d on (%s)", attempt.version, 1 + self._n_pages, about
            )
        elif not attempt.accepted:
            logger.info("Version %d of the model is not used: %s (%s)", attempt.version, attempt.why, about)
        self._drift.show(self.crawl.harvest)
        if not self.model.is_under_way:
            self._resume()

    def _use(self, version: int) -> None:
        self._drift.trained(self.model.use(version, self.topic), self.topic.examples)

    def _pause(self) -> None:
        if self.crawler.engine is not None:
            self.crawler.engine.pause()

    def _resume(self) -> None:
        engine = self.crawler.engine
        if self._waits and engine is not None and engine.paused:
            engine.unpause()
            if engine._slot is not None:
                engine._slot.nextcall.schedule()

    # --- State

    @property
    def _n_pages(self) -> int:
        return self.crawl.harvest.n_pages if self.crawl.harvest is not None else 0

    def _go_on(self) -> None:
        """Take up what an earlier run of this crawl left."""
        run_dir = self.crawl.plan.run_dir
        pages, n_bad = read_record(run_dir / RECORD_FILE)
        attempts = read_attempts(run_dir)
        if n_bad:
            self._set("adaptation/bad_lines_count", n_bad)
        if not pages and not attempts:
            return
        last = attempts[-1].n_pages if attempts else 0
        for page in pages:
            if page.number == last + 1:
                self.joined.start_again()
            self.joined.judged(page.number, page.relevance)
            self._verdicts.page(page.number, (page.url,))
            self._version_of[page.url] = page.version
            self._n_texts += bool(page.terms)
            self._drift.judged(page.relevance)
        if pages and last >= pages[-1].number:
            self.joined.start_again()
        n_kept = 0
        if self._bodies is not None:
            n_kept, n_unread = self._bodies.restore(self.crawl.plan.reader, self._version_of)
            if n_unread:
                self._set("adaptation/unread_pages_count", n_unread)
        self._n_attempts = max((each.version for each in attempts), default=FIRST)
        version = version_in_use(attempts)
        try:
            if version != FIRST:
                self._use(version)
        except (TopicError, OSError) as error:
            logger.warning("Version %d of the model cannot be used, the topic's own is: %s", version, error)
        logger.info(
            "Adaptation goes on with version %d of the model, %d pages judged, %d of them kept",
            *(self.model.version, len(pages), n_kept),
        )

    def _took(self, start: float, what: str) -> None:
        """Note for how long nothing else could be done."""
        seconds = time.perf_counter() - start
        if seconds > self._longest_secs:
            self._longest_secs = seconds
            self._set("adaptation/longest_block_ms", round(seconds * 1000, 1))
            self._set("adaptation/longest_block_by", what)

    def _count(self, what: str, n: int = 1) -> None:
        self.crawler.stats.inc_value(f"focused/adaptation/{what}", n)

    def _set(self, what: str, value: Any) -> None:
        self.crawler.stats.set_value(f"focused/{what}", value)
