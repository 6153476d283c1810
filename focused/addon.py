"""Scrapy add-on: one line of a project's settings lets its own spiders crawl for a topic.

ADDONS = {"focused.FocusedAddon": 500}
"""

from __future__ import annotations

import logging
import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

from scrapy import Spider
from scrapy.exceptions import NotConfigured
from scrapy.settings import SETTINGS_PRIORITIES, default_settings
from scrapy.spiders import CrawlSpider
from scrapy.utils.misc import load_object
from scrapy.utils.spider import DefaultSpider

from focused.crawl.crawl import Crawl
from focused.crawl.declared_settings import COMMAND_LINE
from focused.crawl.former_classes import COMPONENTS, refuse_former_classes
from focused.crawl.planning import plan_crawl
from focused.crawl.scope import ARGUMENTS_OF_SCOPE
from focused.crawl.scrapy_settings import scheduler_class
from focused.utils.crawl_settings import TOPIC_NAME
from focused.utils.program import as_typed

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from typing_extensions import Self

logger = logging.getLogger(__name__)

# Without these the best link is not the next one, or a page's end is not durable.
_TAKEN = (
    *("SCHEDULER", "SCHEDULER_PRIORITY_QUEUE", "SCHEDULER_MEMORY_QUEUE", "SCHEDULER_DISK_QUEUE", "ITEM_PROCESSOR"),
    *("SCRAPER_SLOT_MAX_ACTIVE_SIZE", "CONCURRENT_ITEMS", "METAREFRESH_ENABLED"),
)
# Arguments of the project's own spider, which a spider of another project may use for something else.
_NAMES = ("strategy", "max_pages", "max_relevant", "max_minutes", "stop_when", "web", "run_dir", "crawl")
_ARGUMENTS = {name: f"FOCUSED_{name.upper()}" for name in _NAMES} | ARGUMENTS_OF_SCOPE


class FocusedAddon:
    """Switches on link scoring, the durable frontier, classification, the harvest and the run directory.

    A spider names its topic in its attribute or argument ``topic``, else the setting FOCUSED_TOPIC does; ``topic = None``
    keeps a spider out. The spider yields ``PageItem.from_response(response)``, or an item of a subclass, for each page that
    it hands over. The page's links are scored by the topic's strategy and come back to ``parse``. Its own requests keep
    their priority and callback.

    What a project sets itself stands: politeness, log, its own components, and any of the settings that the add-on sets.
    What a crawl cannot do without ends the process with one line and exit code 1, before the first request.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Stay out of ``scrapy shell`` and ``scrapy fetch``, and of spiders that want no topic."""
        spider = crawler.spider
        if spider is None or isinstance(spider, DefaultSpider) or getattr(spider, "topic", "") is None:
            take_defaults_back(crawler.settings)
            raise NotConfigured
        return cls(crawler)

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Set the defaults of all crawls: a spider may read them when it is made."""
        set_defaults(settings)

    def update_settings(self, settings: BaseSettings) -> None:
        """Plan the crawl that the spider and the settings ask for."""
        crawler = self._crawler
        set_defaults(settings)
        if Crawl.of(crawler) is not None:
            return  # the project's own spider has planned it
        try:
            plan = plan_crawl({"topic": _topic(crawler.spider, settings)}, settings, needs_seeds=False)
        except (ValueError, OSError) as error:
            raise _end(error, settings) from None
        if plan.web != "live":
            instead = "nothing is asked for on the network. To crawl the network: -s FOCUSED_WEB=live"
            logger.warning("Web %s answers all requests of this crawl; %s", plan.web, instead)
        if settings.getpriority("DUPEFILTER_CLASS") and getattr(scheduler_class(settings), "is_durable", False):
            instead = "it takes each request once, by REQUEST_FINGERPRINTER_CLASS, unless it says dont_filter=True"
            logger.warning("The frontier does not ask %s (DUPEFILTER_CLASS): %s", settings["DUPEFILTER_CLASS"], instead)
        if isinstance(crawler.spider, CrawlSpider) and crawler.spider.rules:
            why = "it requests itself what its rules find, by its own priority; none of these links is scored"
            remedy = "Hand pages over in parse, and leave the rules empty: FOCUSED_SCOPE_ALLOW keeps links in a scope."
            logger.warning("Spider %r crawls by its rules: %s. %s", crawler.spider.name, why, remedy)
        if ignored := {name: value for name, value in vars(crawler.spider).items() if name in _ARGUMENTS}:
            instead = " ".join(f"-s {_ARGUMENTS[name]}={value}" for name, value in ignored.items())
            logger.warning("The add-on does not read spider arguments (%s). Instead: %s", ", ".join(ignored), instead)
        if "workers" in vars(crawler.spider):
            logger.warning(
                "The add-on does not read the spider argument workers: this is one process. For a crawl of several, start "
                "each with -s FOCUSED_DATABASE=postgresql://me@host/database -s FOCUSED_CRAWL=NAME"
            )
        settings.setdict(plan.settings, priority="spider")
        settings.setdict(plan.decided, priority=COMMAND_LINE + 1)
        Crawl(crawler, plan)


def set_defaults(settings: BaseSettings) -> None:
    """Set this project's settings where the other project says nothing, and add its components to the other project's."""
    try:
        refuse_former_classes(settings)
    except ValueError as error:
        raise _end(error, settings) from None
    ours = import_module("focused.settings")  # late: it looks at the environment
    for name, value in vars(ours).items():
        if name.startswith("FOCUSED_") or name in _TAKEN:
            settings.set(name, value, priority="addon")
    handlers = settings["DOWNLOAD_HANDLERS"]
    for scheme in ("http", "https"):
        if scheme not in handlers:
            handlers.set(scheme, ours.DOWNLOAD_HANDLERS[scheme], priority="addon")
    for name in COMPONENTS:
        for path, place in _components(ours, name).items():
            settings.setdefault_in_component_priority_dict(name, load_object(path), place)


def _components(ours: Any, name: str) -> dict[str, int | None]:
    """Return our components of a kind, and those of Scrapy's downloader middlewares that ours stand for, with None."""
    is_replaced = name == "DOWNLOADER_MIDDLEWARES"
    return {
        path: place
        for path, place in getattr(ours, name).items()
        if path.startswith("focused.") or (is_replaced and place is None)
    }


def take_defaults_back(settings: BaseSettings) -> None:
    """Undo :func:`set_defaults`: a spider that wants no topic has Scrapy's defaults and the project's settings."""
    ours = import_module("focused.settings")
    for name in [name for name in settings if name.startswith("FOCUSED_") or name in _TAKEN]:
        if settings.getpriority(name) == SETTINGS_PRIORITIES["addon"]:
            settings.delete(name, "addon")
            if hasattr(default_settings, name):
                settings.set(name, getattr(default_settings, name), "default")
    handlers = settings["DOWNLOAD_HANDLERS"]
    for scheme in ("http", "https"):
        if handlers.getpriority(scheme) == SETTINGS_PRIORITIES["addon"]:
            handlers.delete(scheme, "addon")
    for name in COMPONENTS:
        added = {load_object(path) for path in _components(ours, name)}
        kept = {path: place for path, place in settings.getdict(name).items() if path not in added}
        settings.set(name, kept, settings.getpriority(name) or 0)


def _end(error: Exception, settings: BaseSettings) -> SystemExit:
    """Return what ends the process with one line; any other exception would come out as a traceback of Scrapy's."""
    message = _with_settings(as_typed(" ".join(str(error).split())))
    if settings.get("LOG_FILE"):
        logger.error(message)  # under Scrapyd the log is all that a client gets to see
    return SystemExit(f"Error: {message}")


def _with_settings(message: str) -> str:
    """Return a message that advises arguments of this project's own spider, with the settings that stand for them here.

    >>> _with_settings("Choose another: -a run_dir=PATH")
    'Choose another: -s FOCUSED_RUN_DIR=PATH'
    """
    return re.sub(
        r"-a (\w+)=", lambda found: f"-s {_ARGUMENTS[found[1]]}=" if found[1] in _ARGUMENTS else found[0], message
    )


def _topic(spider: Any, settings: BaseSettings) -> str:
    """Return the name of a spider's topic; a ValueError says that there is none, or no ``parse`` for the pages of links."""
    topic = getattr(spider, "topic", "") or TOPIC_NAME.read(settings)
    if not topic:
        raise ValueError(
            f"Spider {spider.name!r} has no topic. Set FOCUSED_TOPIC, or give the spider the argument -a topic=NAME or an "
            "attribute topic. If it is not to crawl for a topic: topic = None."
        )
    if type(spider).parse is Spider.parse:
        raise ValueError(
            f"Spider {spider.name!r} has no method parse, which gets the pages of the links that are followed. Write one: it "
            "yields PageItem.from_response(response) for each page that it hands over."
        )
    return str(topic)
