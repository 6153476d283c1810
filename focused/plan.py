"""What a crawl is going to do, checked before its first request.

The ``crawl`` command plans before anything starts, so that a mistake is one line, and hands the plan to the spider;
started otherwise, the spider plans itself. Settings are a mapping that knows priorities.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused import arguments as given
from focused.adaptation.options import read_options
from focused.arguments import PlanError
from focused.frontier.resume import check_begun_here, check_same, check_unused
from focused.frontier.schema import FILE_NAME, reserve
from focused.page.limits import PageLimits
from focused.page.reader import PageReader
from focused.relevance import Judge
from focused.scrapy_values import check_values
from focused.strategies import CHOICES, STRATEGIES, Strategy, check_parameters, make_strategy
from focused.topic import Topic, is_topic_setting, load_topic
from focused.webs import DEMO_OPTIONS, open_web

if TYPE_CHECKING:
    from collections.abc import Mapping

COMMAND_LINE = 40
"""Scrapy's priority of settings given with -s."""

_LEAST_FREE_BYTES = 20_000_000
_SWITCHES = (
    "FOCUSED_LINK_SCORING_ENABLED",
    "FOCUSED_MERGE_EVIDENCE",
    "FOCUSED_NOFOLLOW_ENABLED",
    "FOCUSED_WARC_ENABLED",
)
_SWITCH_VALUES = ("True", "true", "1", "False", "false", "0")
_SCHEDULER_METHODS = ("has_pending_requests", "enqueue_request", "next_request")
_SERVER_PATHS = (
    "FOCUSED_MODELS_DIR",
    "FOCUSED_RUNS_DIR",
    "FOCUSED_WEBS_DIR",
    "FOCUSED_CACHE_DIR",
    "FOCUSED_ORACLE_FILE",
    "FOCUSED_VERDICTS",
)

# On a web that is answered from this machine nobody is disturbed.
OFFLINE_SETTINGS = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, "CONCURRENT_REQUESTS_PER_DOMAIN": 16}
# Of links of equal score the last that was found comes first.
NEWEST_FIRST_SETTINGS = {
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.LifoMemoryQueue",
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleLifoDiskQueue",
}
OFFLINE_HANDLERS = dict.fromkeys(("http", "https"), "focused.webs.handler.WebDownloadHandler")


@dataclass
class CrawlPlan:
    """A crawl that can be started."""

    topic: Topic
    strategy: Strategy
    reader: PageReader
    judge: Judge
    seeds: list[str]
    max_pages: int
    max_relevant: int
    drops_below_threshold: bool
    web: str
    run_dir: Path
    #: What makes the demo web the one it is: its settings. Of other webs the name says it.
    web_options: dict[str, int] = field(default_factory=dict)
    #: Settings that the topic and the web bring; weaker than the command line, stronger than the project's.
    settings: dict[str, Any] = field(default_factory=dict)
    #: Settings that follow from the arguments; stronger than the command line.
    decided: dict[str, Any] = field(default_factory=dict)


def plan_crawl(arguments: Mapping[str, Any], settings: Any) -> CrawlPlan:
    """Check the arguments and settings of a crawl and return what it is going to do.

    Precedence: spider argument, then ``-s`` on the command line, then the topic, then the project's settings.

    Parameters
    ----------
    arguments : mapping
        Spider arguments, as strings.
    settings : scrapy.settings.BaseSettings

    Raises
    ------
    ValueError
        If anything is not as it must be. Nothing has been requested by then, and nothing written but what an index
        of a WARC file needs.
    """
    given.check_names(arguments)
    is_confined = "_job" in arguments or "SCRAPY_JOB" in os.environ
    if is_confined:
        _check_paths(settings)
    topic = load_topic(str(arguments["topic"]), Path(str(settings.get("FOCUSED_MODELS_DIR"))))
    effective = with_topic(topic, settings)
    web = _web(arguments.get("web"), topic, effective, is_confined)
    changed = topic_settings(topic)
    if web != "live":
        changed |= OFFLINE_SETTINGS
    strategy = _strategy(arguments.get("strategy"), topic, effective)
    if strategy.order == "newest":
        changed |= NEWEST_FIRST_SETTINGS
    max_pages = given.count("max_pages", arguments, effective)
    max_relevant = given.count("max_relevant", arguments, effective)
    below = given.one_of("FOCUSED_BELOW_THRESHOLD", effective, ("defer", "drop"))
    check_components(effective)
    check_values(effective)
    _check_feeds(effective)
    decided: dict[str, Any] = {
        "FOCUSED_STRATEGY": strategy.name,
        "FOCUSED_MAX_PAGES": max_pages,
        "FOCUSED_MAX_RELEVANT": max_relevant,
        "FOCUSED_WEB": web,
    }
    if web == "live":
        decided |= signed(effective)
    else:
        decided["DOWNLOAD_HANDLERS"] = OFFLINE_HANDLERS
    read_options(effective, topic)
    reader, judge = make_reader(topic, effective), make_judge(topic, effective)
    seeds = _seeds(arguments.get("seeds"), topic, effective, is_confined)
    if web != "live":
        open_web(web, effective).close()  # late, for it may have to index a large file
    plan = CrawlPlan(
        topic=topic,
        strategy=strategy,
        reader=reader,
        judge=judge,
        seeds=seeds,
        max_pages=max_pages,
        max_relevant=max_relevant,
        drops_below_threshold=below == "drop",
        web=web,
        run_dir=_run_dir(arguments.get("run_dir"), topic.name, effective, is_confined),
        web_options=_demo_options(effective) if web == "demo" else {},
        settings=changed,
        decided=decided,
    )
    decided["FOCUSED_RUN_DIR"] = str(plan.run_dir)
    if arguments.get("run_dir") or effective.get("FOCUSED_RUN_DIR") or effective.get("JOBDIR"):
        _check_earlier_crawl(plan, effective)
    return plan


def topic_settings(topic: Topic) -> dict[str, Any]:
    """Return the Scrapy settings that a topic brings."""
    strategy = {"FOCUSED_STRATEGY": topic.strategy} if topic.strategy else {}
    return {**strategy, **{name: value for name, value in topic.settings.items() if is_topic_setting(name)}}


def with_topic(topic: Topic, settings: Any) -> Any:
    """Return a copy of settings in which the topic's stand where the command line says nothing."""
    effective = settings.copy()
    effective.setdict(topic_settings(topic), priority="spider")
    return effective


def make_reader(topic: Topic, settings: Any) -> PageReader:
    """Return the page reader that settings describe, for a topic's language."""
    limits = {name: given.whole(f"FOCUSED_PAGE_{name.upper()}", settings) for name in PageLimits.__slots__}
    return PageReader(
        topic.analyzer,
        block_tags=settings.get("FOCUSED_BLOCK_TAGS"),
        alpha=given.number("FOCUSED_BLOCK_ALPHA", settings),
        min_links=given.whole("FOCUSED_BLOCK_MIN_LINKS", settings),
        limits=PageLimits(**limits),
    )


def make_judge(topic: Topic, settings: Any) -> Judge:
    """Return the judge that settings describe."""
    others = given.one_of("FOCUSED_CONTEXT_OTHER_ANCHORS", settings, ("exclude", "include"))
    return Judge(
        topic,
        threshold=_number_or_none("FOCUSED_RELEVANCE_THRESHOLD", settings),
        link_threshold=_number_or_none("FOCUSED_LINK_THRESHOLD", settings),
        similarity=settings.get("FOCUSED_SIMILARITY"),
        cosine_threshold=given.number("FOCUSED_COSINE_THRESHOLD", settings),
        other_anchors=others == "include",
        max_terms=given.whole("FOCUSED_PAGE_MAX_UNIT_TERMS", settings),
    )


def _number_or_none(name: str, settings: Any) -> float | None:
    """Return a setting that may be a number."""
    return None if settings.get(name) in (None, "", "None") else given.number(name, settings)


def _check_paths(settings: Any) -> None:
    """Under Scrapyd, where things are is the server's business."""
    for name in _SERVER_PATHS:
        if (settings.getpriority(name) or 0) >= COMMAND_LINE:
            raise PlanError(
                f"{name} cannot be set by a client of Scrapyd. Got {settings.get(name)!r}. Set it in the server's "
                f"environment."
            )


def check_components(settings: Any) -> None:
    """Refuse what the components would stumble over when the crawl starts, and settings that nothing would read."""
    module = import_module("focused.settings")  # late: it looks at the environment
    known = {"FOCUSED_WEB", *(name for name in vars(module) if name.startswith("FOCUSED_"))}
    for name in sorted(set(map(str, settings)) - known):
        if name.startswith("FOCUSED_"):
            raise PlanError(
                f"Unknown setting {name!r}.{given.did_you_mean(name, known, 'FOCUSED_')} docs/reference.md lists them."
            )
    for name in ("FOCUSED_HARVEST_WINDOW_PAGES", "FOCUSED_HARVEST_EVERY_PAGES"):
        given.whole(name, settings, least=1)
    if given.number("FOCUSED_METRICS_INTERVAL_SECS", settings) < 0:
        value = settings.get("FOCUSED_METRICS_INTERVAL_SECS")
        raise PlanError(f"FOCUSED_METRICS_INTERVAL_SECS must be a number of at least 0. Got {value!r}.")
    for name in ("FOCUSED_FRONTIER_MAX_LINKS", "FOCUSED_FRONTIER_MAX_PER_HOST", "FOCUSED_FRONTIER_MAX_TUNNEL"):
        given.whole(name, settings, least=0)
    if given.number("FOCUSED_FRONTIER_HOST_SINK", settings) < 0:
        value = settings.get("FOCUSED_FRONTIER_HOST_SINK")
        raise PlanError(f"FOCUSED_FRONTIER_HOST_SINK must be a number of at least 0. Got {value!r}.")
    for name in _SWITCHES:
        if str(settings.get(name)) not in _SWITCH_VALUES:
            raise PlanError(f"{name} must be True or False. Got {settings.get(name)!r}.")
    scheduler_class(settings)


def scheduler_class(settings: Any) -> type:
    """Return the class that SCHEDULER names.

    Raises
    ------
    PlanError
        If there is none, or it is no scheduler.
    """
    found = name = settings.get("SCHEDULER")
    if not isinstance(name, type):
        module, _, attribute = str(name or "").rpartition(".")
        try:
            found = getattr(import_module(module), attribute)
        except (ImportError, AttributeError, ValueError):
            raise PlanError(
                f"SCHEDULER must be a class that can be imported, with its module. Got {name!r}. Leave it out for the "
                f"default."
            ) from None
    if not isinstance(found, type) or not all(hasattr(found, method) for method in _SCHEDULER_METHODS):
        raise PlanError(
            f"SCHEDULER must be a class with {', '.join(_SCHEDULER_METHODS)}. Got {name!r}. Leave it out for the default."
        )
    return found


def signed(settings: Any) -> dict[str, Any]:
    """Return the user agent with the contact in it."""
    contact, agent = str(settings.get("FOCUSED_CONTACT") or ""), str(settings.get("USER_AGENT"))
    if not contact.isprintable():
        raise PlanError(f"FOCUSED_CONTACT must be a URL or an address. Got {contact!r}. Example: you@example.org")
    return {"USER_AGENT": f"{agent} (+{contact})"} if contact and contact not in agent else {}


def _strategy(argument: Any, topic: Topic, settings: Any) -> Strategy:
    name = str(argument or settings.get("FOCUSED_STRATEGY"))
    check_parameters(settings)
    if name not in STRATEGIES:
        source = f"The strategy of topic {topic.name!r}" if not argument and name == topic.strategy else "The strategy"
        raise PlanError(f"{source} must be one of {', '.join(CHOICES)}. Got {name!r}.")
    return make_strategy(name, settings).prepare(topic)


def _web(argument: Any, topic: Topic, settings: Any, is_confined: bool) -> str:
    name = str(argument) if argument is not None else str(settings.get("FOCUSED_WEB") or topic.web)
    if name in ("live", "demo"):
        return name
    path = given.inside(Path(name), "FOCUSED_WEBS_DIR", settings, "A WARC file") if is_confined else Path(name)
    try:
        is_file = path.is_file()
    except OSError:  # a name that no file can have
        is_file = False
    if not is_file:
        source = (
            f"The web of topic {topic.name!r}" if argument is None and name == topic.web else "Spider argument 'web'"
        )
        raise PlanError(f"{source} must be live, demo or the path of a WARC file. Got {name!r}.")
    return str(path.resolve())


def _seeds(argument: Any, topic: Topic, settings: Any, is_confined: bool) -> list[str]:
    if argument is not None:
        return given.check_seeds(
            given.read_seeds(str(argument), settings if is_confined else None), "spider argument 'seeds'"
        )
    return given.check_seeds(topic.seeds, f"topic {topic.name!r}")


def _check_feeds(settings: Any) -> None:
    """See whether what ``-o`` and ``-O`` name can be written: Scrapy finds out when the first page is to be."""
    for target in map(str, settings.getdict("FEEDS")):
        name = target.removeprefix("file://")
        if "://" in name or name.startswith("stdout:"):
            continue
        before, percent, _ = name.partition("%")  # what follows is filled in by Scrapy
        folder = Path(before + percent).absolute().parent
        while not folder.exists():  # Scrapy makes them
            folder = folder.parent
        try:
            if Path(name).is_dir():
                raise IsADirectoryError(errno.EISDIR, "it is a folder")
            with tempfile.TemporaryFile(dir=folder):
                pass
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise PlanError(f"The output file {name} cannot be written: {reason}. Choose another: -O FILE") from None


def _run_dir(argument: Any, topic: str, settings: Any, is_confined: bool) -> Path:
    """Return a folder that can be written, made now so that a crawl does not fail after its last page."""
    runs_dir = Path(str(settings.get("FOCUSED_RUNS_DIR") or "runs"))
    name = str(argument or settings.get("FOCUSED_RUN_DIR") or "")
    path = Path(name) if name else runs_dir / topic
    if name and is_confined:
        path = given.inside(path, "FOCUSED_RUNS_DIR", settings, "run_dir")
    try:
        path.mkdir(parents=True, exist_ok=True)
        if not name:
            path = _new_folder(path)
        probe = path / ".probe"
        probe.write_bytes(b"x")
        probe.unlink()
        free = shutil.disk_usage(path).free
    except (OSError, ValueError) as error:
        raise PlanError(
            f"The run directory {path} cannot be written: {getattr(error, 'strerror', None) or error}. Choose another: "
            f"-a run_dir=PATH"
        ) from None
    if free < _LEAST_FREE_BYTES:
        raise PlanError(
            f"The run directory {path} has {free / 1e6:.0f} MB of free space; a crawl needs at least "
            f"{_LEAST_FREE_BYTES / 1e6:.0f} MB. Choose another: -a run_dir=PATH"
        )
    return path.resolve()


def _check_earlier_crawl(plan: CrawlPlan, settings: Any) -> None:
    """Refuse a folder with a crawl that is at work, or that cannot be gone on with; keep other processes out of it."""
    job_dir = settings.get("JOBDIR")
    if not getattr(scheduler_class(settings), "goes_on", False):
        check_unused(plan.run_dir, job_dir)
        return
    folder = Path(job_dir or plan.run_dir)
    check_begun_here(folder, plan.run_dir)
    if folder.is_dir():
        reserve(folder / FILE_NAME)
    check_same(folder, plan.topic.name, plan.web, plan.web_options)


def _demo_options(settings: Any) -> dict[str, int]:
    return {name: int(settings.get(name)) for name in DEMO_OPTIONS.values() if settings.get(name) is not None}


def _new_folder(parent: Path) -> Path:
    """Make a folder named after the time; of two crawls that start in one second each gets its own."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    number = 1
    while True:
        path = parent / (stamp if number == 1 else f"{stamp}-{number}")
        try:
            path.mkdir()
        except FileExistsError:
            number += 1
        else:
            return path
