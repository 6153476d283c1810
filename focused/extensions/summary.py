"""Writes the summary of a crawl into the log when it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.collection.figure_words import figure_lines
from focused.collection.verdict_words import about_not_fetched, contradictions
from focused.crawl.crawl import Crawl
from focused.crawl.delivered_words import DELIVERED, about_delivered, about_harvest, counted
from focused.crawl.failures import words_of_exception
from focused.crawl.final_judging import words_of_judging_again
from focused.crawl.losses import LOSSES
from focused.crawl.page_reading import NOT_READ, about_not_read
from focused.crawl.pdf_counts import pdf_advice, pdf_summary
from focused.crawl.pdf_reading import is_installed
from focused.frontier.crawl_interface import frontier_of
from focused.frontier.dispatch import about_passed_over
from focused.frontier.patience import summary
from focused.frontier.resumption import MISSING
from focused.utils.clock import VIRTUAL_DELAY
from focused.utils.file_names import HARVEST_FILE, PAGES_FILE, RUN_FILE
from focused.utils.frontier_settings import DATABASE
from focused.utils.output_settings import PAGES_ENABLED
from focused.utils.program import as_typed
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scrapy.crawler import Crawler

    from focused.collection.judged_figures import JudgedFigures
    from focused.crawl.harvest import HarvestCounter
    from focused.crawl.harvest_so_far import HarvestSoFar
    from focused.crawl.outlook import Outlook
    from focused.crawl.plan import CrawlPlan

_MOST_NAMED = 5
"""Hosts that were given up, and parts of the web that stood back."""
_LIMITS = {"max_pages": "pages", "max_relevant": "relevant pages", "max_minutes": "minutes"}


class Summary:
    """The last lines of a crawl. Counts are those of all its runs; of one that was resumed, what this run adds is said."""

    def __init__(
        self, crawler: Crawler, plan: CrawlPlan, harvest: HarvestCounter, estimate: HarvestSoFar, outlook: Outlook
    ) -> None:
        self._crawler, self._plan, self._harvest, self._estimate = crawler, plan, harvest, estimate
        self._outlook = outlook
        self._before: dict[str, Any] = {}

    def begin(self) -> None:
        """Note what earlier runs have counted."""
        self._before = dict(self._crawler.stats.get_stats()) if self._harvest.n_pages_before else {}

    def lines(self, reason: str, judged: JudgedFigures | None) -> list[str]:
        """Return the lines, for the reason that the crawl ended for; ``judged``: what people's verdicts say."""
        return [line for line in self._lines(reason, judged) if line]

    def _lines(self, reason: str, judged: JudgedFigures | None) -> Iterator[str]:
        plan, harvest, stats = self._plan, self._harvest, self._crawler.stats.get_stats()
        yield from (self._counted(name, what) for name, what in LOSSES.items())
        yield about_not_read(stats.get(NOT_READ, 0), plan.reader)
        yield self._about_sources(stats)
        yield self._about_hosts()
        yield self._about_failing_hosts()
        yield self._about_what_stood_back()
        yield pdf_summary(stats)
        yield pdf_advice(stats, is_installed=is_installed())
        yield summary(stats)
        settings = self._crawler.settings
        is_virtual = VIRTUAL_DELAY.read(settings) is not None
        yield about_passed_over(
            self._of_this_run(stats),
            is_virtual=is_virtual,
            has_delays=is_virtual or settings.getfloat("DOWNLOAD_DELAY") > 0 or bool(settings.get("DOWNLOAD_SLOTS")),
        )
        yield self._about_a_limit_spent(reason)
        if harvest.n_pages:
            yield self._about_harvest()
        yield from self._outlook.summary(reason, frontier_of(self._crawler))
        if judged is not None:
            yield from figure_lines(judged.figures, judged.believed)
        yield about_not_fetched(stats.get("focused/verdicts/pending_count", 0))
        yield from contradictions(Crawl.needed(self._crawler).verdicts.table.verdicts_by_page())
        if not harvest.n_pages:
            yield "" if plan.error == self.no_page() else self.no_page()  # then an error has said it
        elif not harvest.n_relevant and not stats.get(DELIVERED):
            # Where no page looks like the examples other seeds need not be better; the line of the harvest says what may be.
            seeds = "" if self._estimate.finds_no_relevant or not plan.seeds else ". Or try other seeds: -a seeds=URL"
            hint = as_typed(f"See why: scrapy explain TOPIC URL{seeds}")
            yield f"No page was relevant. {hint}"
        yield words_of_judging_again(stats)
        # Not always as many as were judged relevant: copies, verdicts, and what the last model says of all pages.
        # What workers deliver stands in the database of all of them.
        yield "" if DATABASE.read(settings) else about_delivered(stats, harvest.n_pages, harvest.n_relevant)
        has_pages = (stats.get(DELIVERED) or harvest.n_relevant) and PAGES_ENABLED.read(settings)
        pages = plan.run_dir / PAGES_FILE
        yield f"delivered pages {pages}{counted(pages, stats)}" if has_pages else ""
        yield f"harvest rate    {plan.run_dir / HARVEST_FILE}"
        yield f"the whole run   {plan.run_dir / RUN_FILE}"

    def _counted(self, name: str, what: str) -> str:
        """Return a line for a stat; empty if it is zero."""
        n = self._crawler.stats.get_value(name, 0)
        if not n:
            return ""
        # What files lost is found out before this run begins.
        n_before = 0 if name == MISSING else self._before.get(name, 0)
        return quantity(n, what) + (f"; {n - n_before:,} of them since the crawl was resumed" if n_before else "")

    def _of_this_run(self, stats: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: value - self._before.get(name, 0)
            for name, value in stats.items()
            if isinstance(value, (int, float)) and isinstance(self._before.get(name, 0), (int, float))
        }

    def _about_sources(self, stats: Mapping[str, Any]) -> str:
        kinds = {kind: stats.get(f"focused/sources/{kind}s_count", 0) for kind in ("sitemap", "feed")}
        read = [quantity(n, f"{kind}s") for kind, n in kinds.items() if n]
        if not read:
            return ""
        n_relevant = sum(stats.get(f"focused/relevant/by_{kind}_count", 0) for kind in kinds)
        return f"Read: {' and '.join(read)}; {quantity(n_relevant, 'relevant pages')} came through links of them alone"

    def _about_harvest(self) -> str:
        estimate, harvest = self._estimate, self._harvest
        why = estimate.why_unknown or estimate.why_not_yet
        return about_harvest(estimate.now(), why, harvest.n_pages, harvest.n_relevant)

    def _about_hosts(self) -> str:
        """Name the hosts that were given up, those with most links first."""
        hosts = frontier_of(self._crawler).given_up_hosts()
        named = [f"{host} ({why}; {quantity(n_links, 'links')})" for host, why, n_links in hosts]
        return f"Given up because they did not answer: {_first(named)}" if named else ""

    def _about_failing_hosts(self) -> str:
        """Name the hosts that did not answer last, and are not given up yet."""
        frontier = frontier_of(self._crawler)
        named = [f"{host} ({why})" for host, why in frontier.failing_hosts()]
        again = ". A resumed crawl asks them again" if frontier.n_waiting else ""  # else their links have failed
        return f"Did not answer: {_first(named)}{again}" if named else ""

    def _about_what_stood_back(self) -> str:
        named = frontier_of(self._crawler).stood_back()
        return f"Stood back behind other links (FOCUSED_TRAPS): {_first(named)}" if named else ""

    def _about_a_limit_spent(self, reason: str) -> str:
        """Say what to do where a crawl is resumed whose limit had been reached before."""
        if reason not in _LIMITS or self._harvest.n_pages != self._harvest.n_pages_before:
            return ""
        limit = getattr(self._plan, reason)
        what = quantity(limit, _LIMITS[reason])
        # A spider without seeds is another project's, and takes no such argument.
        larger = f"-a {reason}=N" if self._plan.seeds else f"-s FOCUSED_{reason.upper()}=N"
        return (
            f"The limit of {what}, which counts all runs of this crawl, is reached. To continue, give a larger one: "
            f"{larger}"
        )

    def no_page(self) -> str:
        """Say why nothing was fetched, by what came instead."""
        stats = self._crawler.stats.get_stats()
        if n_not_read := stats.get(NOT_READ, 0):
            return f"No page was read. {about_not_read(n_not_read, self._plan.reader)}."
        n_endless = stats.get("focused/pages/endless_redirects_count", 0)
        causes = {"redirected in a circle or without end": n_endless}
        for key, value in stats.items():
            name = key.rpartition("/")[2]
            if "downloader/exception_type_count/" in key:
                words = words_of_exception(name)
                causes[words] = causes.get(words, 0) + value
            elif "downloader/response_status_count/" in key:
                if n_endless and name.startswith("3"):
                    continue  # steps of these
                # Not the answers to the question for robots.txt.
                causes[f"HTTP {name}"] = value - stats.get(f"robotstxt/response_status_count/{name}", 0)
        causes = {cause: n for cause, n in causes.items() if n > 0}
        if len(causes) > 1:  # why a link waits is counted by itself
            causes.pop(words_of_exception("LinkWaitsError"), None)
        answers = ", ".join(f"{n} x {cause}" for cause, n in causes.items())
        return f"No page was fetched. Answers: {answers or 'none'}."


def _first(named: list[str]) -> str:
    more = f" and {len(named) - _MOST_NAMED:,} more" if len(named) > _MOST_NAMED else ""
    return f"{', '.join(named[:_MOST_NAMED])}{more}"
