"""One crawl of an evaluation, through the real spider, middlewares and pipelines."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from scrapy import signals
from scrapy.crawler import AsyncCrawlerRunner
from scrapy.utils.defer import deferred_from_coro

from focused.crawl.crawl import Crawl
from focused.crawl.planning import plan_crawl
from focused.evaluation.crawl_group import DONE, FAILED, CrawlGroup
from focused.evaluation.graph_build import PageResolver
from focused.evaluation.measures import ANCHOR, BLOCK, CONTEXT, DEFERRED, Measured, measure, read_fetched
from focused.evaluation.page_cache import CachedReader
from focused.utils.clock import clock_of
from focused.utils.crawl_settings import MERGE_EVIDENCE
from focused.utils.file_names import FETCHED_FILE
from focused.webs import RecordedWeb

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.evaluation.graph import LinkGraph
    from focused.evaluation.page_cache import PageCache
    from focused.method.page.reader import PageReader

    PageOf = Callable[[str, str], str]

FULL_BUDGET = "max_pages"
_GOOD_ENDS = frozenset({FULL_BUDGET, "finished", "max_relevant", "max_minutes", "saturated"})
# Beyond this share of pages with exceptions the strategy counts as failed.
_MAX_SHARE_OF_ERRORS = 0.02


def crawl_settings(group: CrawlGroup, settings: Any) -> Any:
    """Return the settings of a group's crawls: the project's, those of the command line, and the evaluation's own.

    Texts are not stored and progress is not logged: they are not needed and cost a fifth of the time.
    """
    settings = settings.copy()
    settings.setdict(group.settings, priority="cmdline")
    ours: dict[str, Any] = {
        "CONCURRENT_REQUESTS": group.concurrency,
        "FOCUSED_MODELS_DIR": str(Path(group.folder) / "models"),
        "FOCUSED_CACHE_DIR": group.cache_dir,
        "FOCUSED_METRICS_INTERVAL_SECS": 0,
        "LOG_FILE": str(Path(group.folder) / "logs" / f"{group.name}.log"),
        "LOG_LEVEL": "WARNING",
        "FOCUSED_PAGES_ENABLED": False,
        "FOCUSED_WARC": "off",
        "FOCUSED_PDF_ENABLED": False,  # labels are of pages, and a process of its own keeps no virtual time
        **dict.fromkeys(("FOCUSED_POSTGRESQL", "FOCUSED_DATABASE", "FOCUSED_CRAWL"), ""),
    }
    # Labels count every copy, and strategies are compared by their own order.
    unless_asked_for = ("FOCUSED_COPIES", "FOCUSED_TRAPS", "FOCUSED_COLLECTION")
    ours |= {name: "off" for name in unless_asked_for if name not in group.settings}
    if group.depth is not None:
        ours["DEPTH_LIMIT"] = group.depth or None
    settings.setdict(ours, priority="cmdline")
    Path(ours["LOG_FILE"]).parent.mkdir(parents=True, exist_ok=True)
    return settings


class Crawler:
    """Crawls for a group. ``settings``: from `crawl_settings`."""

    def __init__(self, group: CrawlGroup, graph: LinkGraph, settings: Any, cache: PageCache) -> None:
        self.group = group
        self._graph = graph
        self._settings = settings
        self._cache = cache

    async def crawl(self, strategy: str) -> dict[str, Any]:
        """Crawl with a strategy and return the record of the crawl."""
        group = self.group
        run_dir = Path(group.folder) / "runs" / group.name / strategy
        shutil.rmtree(run_dir, ignore_errors=True)  # left by an interrupted crawl
        settings = self._settings.copy()
        if strategy == "oracle":
            settings.set("FOCUSED_ORACLE_FILE", str(group.oracle_file), priority="cmdline")
        elif strategy == "random" and "FOCUSED_RANDOM_SEED" not in group.settings:
            settings.set("FOCUSED_RANDOM_SEED", group.repeat, priority="cmdline")
        crawler = AsyncCrawlerRunner(settings).create_crawler("focused")
        with RecordedWeb(Path(group.warc), group.cache_folder) as web:
            return await self._crawled(crawler, strategy, run_dir, self._page_of(web))

    async def _crawled(self, crawler: Any, strategy: str, run_dir: Path, page_of: PageOf) -> dict[str, Any]:
        group = self.group
        start = time.process_time()
        arguments = {
            "topic": group.name,
            "strategy": strategy,
            "web": group.warc,
            "seeds": " ".join(group.seeds),
            # Training positives do not count (docs/method/, D71), nor does a page again under another host's name; the
            # watch ends the crawl when enough others were fetched.
            "max_pages": str(2 * group.pages + len(group.positives)),
            "run_dir": str(run_dir),
            **({"preset": group.preset} if group.preset else {}),
        }
        plan = plan_crawl(arguments, crawler.settings)
        reader = CachedReader(plan.reader, self._cache)
        plan.reader = cast("PageReader", reader)
        plan.goal_pages = group.pages
        watch = _Watch(crawler, group, page_of)
        await crawler.crawl_async(**arguments, plan=plan)
        cpu_seconds = time.process_time() - start + reader.saved_secs
        stats = crawler.stats.get_stats() if crawler.stats is not None else {}
        reason = str(stats.get("finish_reason"))
        path = run_dir / FETCHED_FILE
        rows = read_fetched(path) if path.is_file() else []
        why = watch.why_failed(reason, len(rows))
        if why:
            return {"state": FAILED, "why": why}
        positives, targets = frozenset(group.positives), frozenset(group.targets)
        measured = measure(
            rows, lambda row: page_of(row.url, row.location), relevant=frozenset(group.relevant), positives=positives,
            targets=targets, budget=group.pages, links_of=self._links_of(crawler.settings), secs_of=watch.secs_of(),
        )  # fmt: skip
        figures = {"cpu_seconds": round(cpu_seconds, 3), "finish_reason": reason, "page_errors": watch.errors.total()}
        figures |= _figures(measured, stats, group)
        return {"state": DONE, "figures": figures, "curve": [list(point) for point in measured.curve]}

    def _links_of(self, settings: Any) -> Callable[[str], list[str]] | None:
        """Return a function from a page to the pages that it links to; None if referrers are never replaced."""
        if not MERGE_EVIDENCE.read(settings):
            return None
        graph, number = self._graph, self._graph.page_number

        def links_of(page: str) -> list[str]:
            return [graph.pages[target] for target in graph.targets[number[page]]] if page in number else []

        return links_of

    def _page_of(self, web: RecordedWeb) -> PageOf:
        """Return a function from a URL, and its location in the crawl, to the web's URL of the page."""
        known, resolver = self._graph.page_number, PageResolver(web, self._settings)

        def page_of(url: str, location: str) -> str:
            # The web's own URL of a page; ask the web again if the crawl kept another host's URL.
            return location if location in known else resolver.page_of(url) or location

        return page_of


class _Watch:
    """Watches a crawl: ends it when its budget is spent, and notes errors."""

    def __init__(self, crawler: Any, group: CrawlGroup, page_of: PageOf) -> None:
        self._crawler = crawler
        self._page_of = page_of
        self._positives = frozenset(group.positives)
        self._budget = group.pages
        self._counted: set[str] = set()
        self._clock = clock_of(crawler)
        self._secs: dict[str, float] = {}
        self.errors: Counter[str] = Counter()
        for signal in (signals.spider_error, signals.item_error):
            crawler.signals.connect(self._failed, signal=signal)
        for signal in (signals.item_scraped, signals.item_dropped):
            crawler.signals.connect(self._judged, signal=signal)

    def why_failed(self, reason: str, n_rows: int) -> str:
        """Return why a crawl counts as failed; empty if it succeeded."""
        n_errors = self.errors.total()
        if n_errors > _MAX_SHARE_OF_ERRORS * (n_rows + n_errors):
            return f"{n_errors} pages failed with an exception, first {next(iter(self.errors))}"
        if reason not in _GOOD_ENDS:
            return f"it ended with {reason}"
        return "" if n_rows else "no page was fetched"

    def secs_of(self) -> dict[str, float] | None:
        """Return by URL when each page was judged, in seconds of virtual time; None without virtual time."""
        return self._secs if self._clock.is_virtual else None

    def _failed(self, **about: Any) -> None:
        error = about["failure"].value
        self.errors[f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"] += 1

    def _judged(self, item: Any) -> None:
        # The project's own spider has no other items than pages.
        self._secs[item.url] = self._clock.now()
        page = self._page_of(item.url, item.known_as)
        if page in self._positives or page in self._counted:
            # The crawl is to go on for a page more, and its patience has to know that.
            Crawl.needed(self._crawler).goal_pages += 1
            return
        self._counted.add(page)
        if len(self._counted) == self._budget and self._budget:
            self._budget = 0
            deferred_from_coro(self._crawler.engine.close_spider_async(reason=FULL_BUDGET))


def _figures(measured: Measured, stats: dict[str, Any], group: CrawlGroup) -> dict[str, Any]:
    """Return the columns of ``results.csv`` that a crawl fills."""
    last, through = measured.last, measured.relevant_through
    admitted = {
        name.removeprefix("focused/links/by_").removesuffix("_count"): value
        for name, value in stats.items()
        if name.startswith("focused/links/by_")
    }
    share = measured.share_of_bound
    return {
        "pages": last.pages,
        "relevant": last.relevant,
        "harvest_rate": round(last.harvest_rate, 6),
        "target_recall": round(last.target_recall, 6),
        "target_length": last.target_length,
        "irrelevant_on_path": last.irrelevant_on_path,
        "share_of_bound": None if share is None else round(share, 6),
        "area": round(measured.area, 6),
        "f_measure": round(measured.f_measure, 6),
        "by_block": admitted.get("block", 0),
        "by_anchor": admitted.get("anchor", 0),
        "by_context": admitted.get("context", 0),
        "deferred": stats.get("focused/links/deferred_count", 0),
        **{f"relevant_by_{kind}": through[kind] for kind in (BLOCK, ANCHOR, CONTEXT)},
        "relevant_deferred": through[DEFERRED],
        "by_other": sum(admitted.values()) - sum(admitted.get(kind, 0) for kind in (BLOCK, ANCHOR, CONTEXT)),
        "relevant_by_other": through["other"],
        "relevant_seeds": through["seed"],
        "reachable_relevant": len(group.targets),
        "bound": min(group.pages, len(group.targets)),
        "budget": group.pages,
        "dropped": stats.get("focused/links/dropped_count", 0),
        "unreachable_relevant": measured.n_relevant_unreachable,
        "virtual_hours": None if last.virtual_hours is None else round(last.virtual_hours, 6),
    }
