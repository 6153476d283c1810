"""`RunFile`: writes ``run.json``, which says what a run is and, once it has ended, how it went."""

from __future__ import annotations

import platform
import sys
import time
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from focused.crawl.resume_command import HIDDEN, without_secrets
from focused.crawl.run_history import first_model, strategy_parts
from focused.frontier.crawl_interface import frontier_of
from focused.utils.file_names import RUN_FILE, RUNNING
from focused.utils.files import write_json
from focused.utils.output_settings import SECRET
from focused.utils.version import __version__

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from focused.collection.judged_figures import JudgedFigures
    from focused.crawl.harvest_so_far import HarvestSoFar
    from focused.crawl.outlook import Outlook
    from focused.crawl.plan import CrawlPlan

_MOST_KEPT = 1_000
"""Hosts that were given up, in ``run.json``."""


class RunFile:
    """The file ``run.json`` of one crawl: written when it begins, and again when it has ended."""

    def __init__(self, crawler: Crawler, plan: CrawlPlan, estimate: HarvestSoFar, outlook: Outlook) -> None:
        self.crawler = crawler
        self._plan = plan
        self._estimate = estimate
        self._outlook = outlook
        self._started = time.time()
        self._parts: list[dict[str, Any]] = []
        #: Digest of the model that the run began with.
        self.first_model = ""

    def read_earlier(self, n_pages_before: int) -> None:
        """Read what earlier starts of the run have written, which fetched so many pages."""
        plan = self._plan
        self._parts = strategy_parts(plan.run_dir / RUN_FILE, plan.strategy.name, n_pages_before)
        self.first_model = first_model(plan.run_dir / RUN_FILE, plan.topic.model_sha256, n_pages_before)

    def write(self, finish_reason: str, judged: JudgedFigures | None = None) -> None:
        """Write the file. When the crawl has ended it also says how it went; ``judged``: the figures of people's verdicts."""
        plan, settings = self._plan, self.crawler.settings
        said = [name for name in sorted(settings) if (settings.getpriority(name) or 0) >= SETTINGS_PRIORITIES["spider"]]
        others = {name: version(name) for name in ("scrapy", "lxml", "numpy", "scikit-learn")}
        run = {
            "command": without_secrets(sys.orig_argv),
            "topic": plan.topic.name,
            "topic_title": plan.topic.title,
            "preset": plan.preset or None,
            "strategy": plan.strategy.name,
            "parts": self._parts,
            "web": plan.web,
            "seeds": plan.seeds,
            "max_pages": plan.max_pages,
            "max_relevant": plan.max_relevant,
            "scope": plan.scope.as_json(),
            "max_minutes": plan.max_minutes,
            "stop_when": plan.stop_when,
            # Of the first start: `scrapy train --from-run` must not join the pages of a run twice.
            "model_sha256": self.first_model,
            "random_seed": plan.web_options.get("FOCUSED_DEMO_SEED"),
            "settings": {name: HIDDEN if name in SECRET else _plain(settings[name]) for name in said},
            "versions": {"focused": __version__, "python": platform.python_version(), **others},
            "started_at": _iso(self._started),
            "finish_reason": finish_reason,
        }
        if finish_reason != RUNNING:
            found = self._estimate.now()
            run |= {
                "finished_at": _iso(time.time()),
                "harvest": {"is_known": False, "why": self._estimate.why_unknown or self._estimate.why_not_yet}
                if found is None
                else {"is_known": True, **{name: round(value, 4) for name, value in found._asdict().items()}},
                "forecast": self._outlook.as_json(),
                "judged": None if judged is None else judged.as_json(),
                "hosts_given_up": [
                    {"host": host, "why": why, "links": n_links}
                    for host, why, n_links in frontier_of(self.crawler).given_up_hosts()[:_MOST_KEPT]
                ],
                "hosts_failing": [
                    {"host": host, "why": why} for host, why in frontier_of(self.crawler).failing_hosts()[:_MOST_KEPT]
                ],
                "stood_back": frontier_of(self.crawler).stood_back()[:_MOST_KEPT],
                "stats": self.crawler.stats.get_stats(),
            }
        write_json(plan.run_dir / RUN_FILE, run)


def _plain(value: Any) -> Any:
    """Return a setting's value as JSON can have it: components may be given as objects."""
    return {str(key): each for key, each in value.items()} if isinstance(value, BaseSettings) else value


def _iso(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
