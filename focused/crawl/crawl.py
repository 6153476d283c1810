"""`Crawl`: the objects that the components of one crawl share."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, cast

from scrapy.exceptions import NotConfigured
from scrapy.utils.defer import deferred_from_coro

from focused.crawl.checked_merge import CheckedMerge
from focused.crawl.copies import KnownTexts
from focused.crawl.furniture import Furniture
from focused.crawl.harvest import HarvestCounter
from focused.crawl.harvest_so_far import HarvestSoFar
from focused.crawl.judging import Judging
from focused.crawl.outlook import Outlook
from focused.crawl.private_addresses import register_addresses
from focused.frontier.crawl_interface import FrontierTask, crawl_of, register_crawl
from focused.frontier.scrapy_frontier import ScrapyFrontier
from focused.method.scoring import Strategy
from focused.method.scoring.priority import SEED
from focused.retraining.feedback_files import FeedbackFiles
from focused.retraining.options import VERDICTS
from focused.retraining.verdict_reader import VerdictReader
from focused.utils.clock import clock_of
from focused.utils.crawl_settings import COPIES, LINK_SCORING_ENABLED, MERGE_EVIDENCE
from focused.utils.file_names import VERDICTS_FOLDER
from focused.utils.output_settings import COLLECTION, HARVEST_WINDOW_PAGES, PAGES_ENABLED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy.crawler import Crawler

    from focused.crawl.plan import CrawlPlan
    from focused.frontier.interface import Frontier
    from focused.method.scoring.evidence import Evidence
    from focused.method.scoring.session import Session
    from focused.utils.reactor import FifoLock


logger = logging.getLogger(__name__)


class Crawl:
    """One crawl, with the settings of its crawler."""

    seed_priority = SEED

    def __init__(self, crawler: Crawler, plan: CrawlPlan) -> None:
        settings = crawler.settings
        merges = MERGE_EVIDENCE.read(settings) and LINK_SCORING_ENABLED.read(settings)
        self.plan = plan
        self._crawler = crawler
        self.task = _task_of(plan, self._merge(plan.strategy) if plan.strategy.merges and merges else None)
        self.judging = Judging(plan.judge, plan.strategy)
        self.harvest = HarvestCounter(HARVEST_WINDOW_PAGES.read(settings), clock_of(crawler))
        #: Pages that the crawl is meant to fetch; 0: no limit. In an evaluation some pages that are fetched do not count.
        self.goal_pages = plan.goal_pages or plan.max_pages
        #: Estimates the harvest from the relevances of the pages.
        self.estimate = HarvestSoFar.of_crawl(plan.topic, settings)
        #: Forecasts the rest of the crawl.
        self.outlook = Outlook(plan, self.harvest, settings)
        #: The texts of the pages met, to find copies; None if copies are not looked for.
        self.texts = KnownTexts(plan.topic.analyzer) if COPIES.read(settings) == "on" else None
        #: People's verdicts on pages, from the run directory and the places that the settings name.
        self.verdicts = _verdict_reader(plan, crawler)
        keeps_texts = COLLECTION.read(settings) == "on" or PAGES_ENABLED.read(settings)
        #: Which lines of a host are furniture; None if no text is kept.
        self.furniture: Furniture | None = Furniture() if keeps_texts else None
        self._alerts: dict[str, str] = {}
        self._frontier: Frontier = ScrapyFrontier(crawler, self.task)
        self._write_rows: Callable[[], None] = lambda: None
        register_crawl(crawler, self)
        register_addresses(crawler, plan.addresses)

    @property
    def frontier(self) -> Frontier:
        """The links that wait: those of Scrapy's scheduler until a scheduler of this project opens."""
        return self._frontier

    def use_frontier(self, frontier: Frontier) -> None:
        """Replace the frontier."""
        self._frontier = frontier

    @property
    def alerts(self) -> Mapping[str, str]:
        """The alerts that hold now: their texts, by their names."""
        return self._alerts

    def note_alerts(self, alerts: Mapping[str, str]) -> None:
        """Note which alerts hold now."""
        self._alerts = dict(alerts)

    def write_rows(self) -> None:
        """Write the waiting rows of the collection now, with the function of `let_write_rows`."""
        self._write_rows()

    def let_write_rows(self, write: Callable[[], None]) -> None:
        """Set the function that writes the waiting rows of the collection."""
        self._write_rows = write

    def end_with_error(self, why: str) -> None:
        """End the crawl because its strategy or page classifier is wrong. Only the first call says why."""
        if not self.plan.error:
            self.fail(why)
            assert self._crawler.engine is not None
            deferred_from_coro(self._crawler.engine.close_spider_async(reason="wrong_scores"))

    def fail(self, why: str) -> None:
        """Note and log why the crawl cannot do what it was started for; its command then fails."""
        self.plan.error = why
        logger.error(why)

    def _merge(self, strategy: Strategy) -> Callable[[Evidence, Evidence], Evidence]:
        # The project's own takes the mean of scores that were checked.
        own = type(strategy).merge is Strategy.merge
        return strategy.merge if own else CheckedMerge(strategy, self.end_with_error)

    @property
    def session(self) -> Session | None:
        """What scores the links where the strategy learns."""
        return self.judging.session

    @property
    def judging_turn(self) -> FifoLock:
        """Held while a page is judged, which may take several turns of the reactor."""
        return self.judging.turn

    @property
    def model_version(self) -> int:
        """Version of the model that judges; above 1 once the crawl has trained again."""
        return self.judging.version

    @classmethod
    def of(cls, crawler: Crawler) -> Crawl | None:
        """Return the crawl of a crawler; None for spiders that do not crawl for a topic, such as ``scrapy fetch``'s."""
        return cast("Crawl | None", crawl_of(crawler))

    @classmethod
    def needed(cls, crawler: Crawler) -> Crawl:
        """Return the crawl of a crawler; NotConfigured keeps a component out of crawlers that have none."""
        if (crawl := cls.of(crawler)) is None:
            raise NotConfigured
        return crawl


def _task_of(plan: CrawlPlan, merge: Callable[[Evidence, Evidence], Evidence] | None) -> FrontierTask:
    return FrontierTask(
        run_dir=plan.run_dir,
        topic=plan.topic.name,
        web=plan.web,
        strategy=plan.strategy.name,
        web_options=plan.web_options,
        max_pages=plan.max_pages,
        max_relevant=plan.max_relevant,
        max_minutes=plan.max_minutes,
        drops=plan.drops_below_threshold,
        order=plan.strategy.order,
        scope=plan.scope,
        merge=merge,
        is_mean=type(plan.strategy).merge is Strategy.merge,
    )


def _verdict_reader(plan: CrawlPlan, crawler: Crawler) -> VerdictReader:
    further = [Path(named)] if (named := VERDICTS.read(crawler.settings)) else []
    files = FeedbackFiles(*further, optional=plan.run_dir / VERDICTS_FOLDER)
    return VerdictReader(files, lambda name, value: crawler.stats.set_value(name, value))  # there are no stats yet
