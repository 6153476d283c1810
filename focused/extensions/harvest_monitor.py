"""Logs how a crawl does while it runs, and writes its summary and ``run.json`` at the end."""

from __future__ import annotations

import logging
import sys
import time
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.utils.asyncio import create_looping_call

from focused.crawl.crawl import Crawl
from focused.crawl.delivered_words import found_in_short
from focused.crawl.figures_by_people import figures_by_people
from focused.crawl.pdf_counts import being_read
from focused.crawl.presets import about_preset
from focused.crawl.private_addresses import REFUSED, about_seeds
from focused.crawl.resume_command import how_to_resume, overwritten_feeds
from focused.crawl.scrapy_settings import scheduler_class
from focused.crawl.scrapyd_client import is_client
from focused.extensions.progress_line import Progress
from focused.extensions.run_file import RunFile
from focused.extensions.summary import Summary
from focused.extensions.time_limit import REASON as TIME_IS_UP
from focused.frontier.crawl_interface import frontier_of
from focused.frontier.patience import summary
from focused.utils.crawl_settings import MERGE_EVIDENCE
from focused.utils.file_names import DATABASE_FILE, PAGES_FILE, RUNNING
from focused.utils.frontier_settings import DATABASE
from focused.utils.output_settings import HARVEST_WINDOW_PAGES, METRICS_INTERVAL_SECS
from focused.utils.program import as_typed
from focused.utils.scrapy_internals import is_closing, requests_in_progress
from focused.utils.words import quantity

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from focused.crawl.harvest import HarvestCounter
    from focused.crawl.harvest_so_far import HarvestSoFar
    from focused.crawl.outlook import Outlook
    from focused.crawl.plan import CrawlPlan

logger = logging.getLogger(__name__)

_BUDGETS_SPENT = ("finished", "max_pages", "max_relevant", TIME_IS_UP)
"""Reasons to end after which nothing is left to do for the same command, unless hosts could not be reached."""
_HTTP_ERRORS = "httperror/response_ignored_count"
_UNREACHABLE = "focused/hosts/unreachable_links_count"
_SIGN_OF_LIFE_SECS = 60.0
"""Seconds until a progress line that has not changed is repeated."""


class HarvestMonitor:
    """Logs one line every few seconds, a summary at the end, and keeps ``run.json``.

    Settings: FOCUSED_METRICS_INTERVAL_SECS (0 switches the lines off).
    """

    def __init__(
        self, crawler: Crawler, plan: CrawlPlan, harvest: HarvestCounter, estimate: HarvestSoFar, outlook: Outlook
    ) -> None:
        self.crawler = crawler
        self._estimate = estimate
        self._run_file = RunFile(crawler, plan, estimate, outlook)
        self._summary = Summary(crawler, plan, harvest, estimate, outlook)
        self._plan = plan
        self._harvest = harvest
        self._interval_secs = METRICS_INTERVAL_SECS.read(crawler.settings)
        self._clock = time.monotonic()
        self._last = (self._clock, 0, 0)
        self._outlook = outlook
        self._told: tuple[int, int] | None = None
        self._n_awaited = 0
        self._calls: Any = None
        self._is_begun = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listen to the crawl."""
        crawl = Crawl.needed(crawler)
        monitor = cls(crawler, crawl.plan, crawl.harvest, crawl.estimate, crawl.outlook)
        crawler.signals.connect(monitor.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(monitor.spider_closed, signal=signals.spider_closed)
        return monitor

    def spider_opened(self, spider: Spider) -> None:
        """Say what is going to happen, and keep saying how it goes."""
        plan = self._plan
        limit = quantity(plan.max_pages, "pages") if plan.max_pages else "no page limit"
        limit += f", {quantity(plan.max_minutes, 'minutes')}" if plan.max_minutes else ""
        seeds = quantity(len(plan.seeds), "seeds") if plan.seeds else "seeds of the spider"
        preset = f"preset {plan.preset}, " if plan.preset else ""
        what = f"Topic {plan.topic.name} on web {plan.web}, {preset}strategy {plan.strategy.name}"
        logger.info("%s, %s, %s; results in %s", what, seeds, limit, plan.run_dir)
        if about := about_preset(plan.preset, plan.topic, self.crawler.settings):
            logger.info("%s", about)
        if plan.scope:
            logger.info("Scope: %s", plan.scope)
        if plan.web == "live" and "+" not in self.crawler.settings["USER_AGENT"]:
            logger.warning("Site owners cannot reach you. Set -s FOCUSED_CONTACT=you@example.org")
        if not (plan.strategy.merges or plan.preset) and not MERGE_EVIDENCE.read(self.crawler.settings):
            logger.warning("FOCUSED_MERGE_EVIDENCE=False changes nothing: %s joins no scores.", plan.strategy.name)
        if weakness := plan.topic.weakness:
            logger.warning(
                "Topic %s is too weak to crawl with: %s Then train it again, with better examples: %s --force",
                plan.topic.name,
                weakness,
                as_typed(plan.topic.training_command),
            )
        if self._estimate.is_a_guess_until_the_end:
            logger.info(
                "A topic from words: what is delivered is decided when the crawl ends, by a model that has met all pages. "
                "It may be several times as many pages as are judged relevant when they come, or fewer"
            )
        self._summary.begin()
        n_pages_before = self._harvest.n_pages
        self._last = (self._clock, n_pages_before, self.crawler.stats.get_value(_HTTP_ERRORS, 0))
        if self._n_of_all() is None:  # what others have spent is heard later
            self._outlook.note_spent(self._clock)
        self._run_file.read_earlier(n_pages_before)
        if self._run_file.first_model != plan.topic.model_sha256:
            logger.warning(
                "Topic %s was trained again after this crawl had begun: the pages up to %d were judged by its model of "
                "then. To have all judged alike, begin anew: -a run_dir=PATH",
                plan.topic.name,
                n_pages_before,
            )
        self._is_begun = True
        self._run_file.write(RUNNING)
        if self._interval_secs > 0:
            self._calls = create_looping_call(self._log_line)
            self._calls.start(self._interval_secs, now=False)

    def spider_closed(self, spider: Spider, reason: str) -> None:
        """Say how it went and where the files are."""
        if self._calls is not None and self._calls.running:
            self._calls.stop()
        if not self._is_begun:  # what is there was written by another crawl
            return
        harvest, plan = self._harvest, self._plan
        judged = figures_by_people(self._plan.run_dir)
        if why := self._why_no_seed() or self._why_no_page(reason):
            plan.error = why
            logger.error(why)
        self._run_file.write(reason, judged)
        speed = (harvest.n_pages - harvest.n_pages_before) / max(time.monotonic() - self._clock, 1e-9)
        # What workers deliver stands in the database of all of them.
        stats = {} if DATABASE.read(self.crawler.settings) else self.crawler.stats.get_stats()
        n_of_all = self._n_of_all()
        of_all = "" if n_of_all is None else f" by this worker, {n_of_all:,} by all"
        found = f"{found_in_short(stats, harvest.n_pages, harvest.n_relevant)}{of_all}, harvest {self._estimate.text()}"
        waiting = quantity(frontier_of(self.crawler).n_waiting, "links")
        logger.info("Finished (%s): %s, %.0f pages/s, %s still waiting", reason, found, speed, waiting)
        for line in self._summary.lines(reason, judged):
            logger.info("  %s", line)
        if reason not in _BUDGETS_SPENT or (reason == "finished" and stats.get(_UNREACHABLE)):
            self._say_how_to_resume()

    def _say_how_to_resume(self) -> None:
        """Say the command, if the links that wait are durable."""
        settings, run_dir, spider = self.crawler.settings, self._plan.run_dir, self.crawler.spider
        if not (getattr(scheduler_class(settings), "is_durable", False) or settings.get("JOBDIR")):
            return
        if is_client(vars(spider)):
            logger.info("  to go on        schedule it again, with the same arguments and run_dir=%s", run_dir)
            return
        if (run_dir.parent.parent / DATABASE_FILE).is_file():  # one of several that a command has started
            logger.info(
                "  to go on        with the command that has started the workers, and -a run_dir=%s",
                run_dir.parent.parent,
            )
            return
        is_worker = bool(DATABASE.read(settings))
        how = how_to_resume(sys.orig_argv, None if is_worker else run_dir, is_own_spider=hasattr(spider, "plan"))
        logger.info("  to go on        %s", how)
        for name in overwritten_feeds(sys.orig_argv):
            logger.info("  (-O writes %s anew, with what comes then. All pages are in %s)", name, run_dir / PAGES_FILE)

    def _why_no_seed(self) -> str:
        """Say why a crawl could not begin all of whose seeds have addresses that it may not ask; empty if it could."""
        seeds, n_refused = self._plan.seeds, self.crawler.stats.get_value(REFUSED, 0)
        if self._harvest.n_pages or not seeds or n_refused < len(seeds):
            return ""
        return about_seeds(seeds, self._plan.addresses.mode)

    def _why_no_page(self, reason: str) -> str:
        """Say why a crawl has come to its end without a single page; empty if it has one, or was stopped before.

        Of many workers one may have none, and the crawl has.
        """
        settings = self.crawler.settings
        is_over = reason in _BUDGETS_SPENT and not self._plan.error and not DATABASE.read(settings)
        return self._summary.no_page() if is_over and not self._harvest.n_pages else ""

    def _n_of_all(self) -> int | None:
        """Return how many pages all workers have fetched, as far as is known; None where one process crawls."""
        versions = frontier_of(self.crawler).versions
        return None if versions is None else max(versions.n_pages, self._harvest.n_pages)

    def _log_line(self) -> None:
        harvest = self._harvest
        now = time.monotonic()
        then, n_then, n_errors_then = self._last
        n_of_all = self._n_of_all()
        told = (harvest.n_pages, frontier_of(self.crawler).n_waiting)
        if told == self._told and now - then < _SIGN_OF_LIFE_SECS:
            self._say_what_the_end_waits_for(harvest.n_pages if n_of_all is None else n_of_all)
            return  # the crawl waits: for a host, or for a model that is being trained
        window, stats = HARVEST_WINDOW_PAGES.read(self.crawler.settings), self.crawler.stats.get_stats()
        n_errors, secs = stats.get(_HTTP_ERRORS, 0), max(now - then, 1e-9)
        self._last, self._told = (now, harvest.n_pages, n_errors), told
        self._outlook.note_spent(now, n_of_all)
        progress = Progress(
            harvest.n_pages,
            self._plan.max_pages,
            self._estimate.text(),
            harvest.n_relevant,
            harvest.rate,
            harvest.recent_rate,
            window,
            told[1],
            frontier_of(self.crawler).host_counts(),
            (harvest.n_pages - n_then) / secs,
            self._outlook.time_left.secs(),
            self._outlook.text(frontier_of(self.crawler)),
            n_of_all,
            (n_errors - n_errors_then) / secs,
        )
        logger.info("%s", "  ".join(filter(None, (str(progress), being_read(stats), summary(stats)))))

    def _say_what_the_end_waits_for(self, n_pages: int) -> None:
        """Say so where no more is asked for, and what is under way keeps the crawl from ending: up to its time-out."""
        max_pages, n_under_way = self._plan.max_pages, len(requests_in_progress(self.crawler))
        if not n_under_way or n_under_way == self._n_awaited:
            return
        if is_closing(self.crawler) or (max_pages and n_pages + n_under_way >= max_pages):
            self._n_awaited = n_under_way
            logger.info(
                "The crawl is about to end: waiting for %s under way (DOWNLOAD_TIMEOUT: %g s)",
                quantity(n_under_way, "requests"),
                self.crawler.settings.getfloat("DOWNLOAD_TIMEOUT"),
            )
