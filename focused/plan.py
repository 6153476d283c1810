"""What a crawl is going to do, checked before its first request.

Spider arguments arrive as strings, from a shell or from Scrapyd's HTTP API. They are checked in this one place, by
the ``crawl`` command before anything starts and by the spider itself. No Scrapy is imported: settings are a mapping.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from focused.page.limits import PageLimits
from focused.page.reader import PageReader
from focused.relevance import Judge
from focused.strategies import DEFAULT_STRATEGY, Strategy, make_strategy
from focused.topic import Topic, is_topic_setting, load_topic
from focused.webs import WebError, open_web

if TYPE_CHECKING:
    from collections.abc import Mapping

ARGUMENTS = {
    "topic": "name of a topic in the models folder",
    "strategy": "how links are scored",
    "seeds": "URLs separated by commas or spaces, or a text file of URLs",
    "max_pages": "pages to fetch; 0: no limit",
    "max_relevant": "relevant pages to find; 0: no limit",
    "web": "live, demo, or a WARC file",
    "run_dir": "folder for what the run leaves",
}
_SCRAPYD_ARGUMENTS = ("_job", "name")
_COMMAND_LINE = 40  # Scrapy's priority of settings given with -s
_LEAST_FREE_BYTES = 20_000_000

# On a web that is answered from this machine nobody is disturbed.
_OFFLINE_SETTINGS = {
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "DOWNLOAD_HANDLERS": {
        "http": "focused.webs.handler.WebDownloadHandler",
        "https": "focused.webs.handler.WebDownloadHandler",
    },
}


class PlanError(ValueError):
    """A crawl cannot be started as it was asked for; the message says why and what to do."""


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
    #: Settings that the topic and the web bring; weaker than the command line, stronger than the project's.
    settings: dict[str, Any] = field(default_factory=dict)


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
        If anything is not as it must be. Nothing has been requested or written by then.
    """
    unknown = [name for name in arguments if name not in ARGUMENTS and name not in _SCRAPYD_ARGUMENTS]
    if unknown:
        raise PlanError(f"Unknown spider argument {unknown[0]!r}. Known ones:{_known_arguments()}")
    if not arguments.get("topic"):
        raise PlanError(f"Spider argument 'topic' is missing. Example: -a topic=demo. Known ones:{_known_arguments()}")
    is_confined = "_job" in arguments or "SCRAPY_JOB" in os.environ
    topic = load_topic(str(arguments["topic"]), Path(settings.get("FOCUSED_MODELS_DIR")))

    effective = settings.copy()
    changed: dict[str, Any] = {}

    def change(values: Mapping[str, Any]) -> None:
        changed.update(values)
        for name, value in values.items():
            effective.set(name, value, priority="spider")

    if topic.strategy:
        change({"FOCUSED_STRATEGY": topic.strategy})
    change({name: value for name, value in topic.settings.items() if is_topic_setting(name)})
    web = _web(arguments.get("web"), topic, settings, is_confined)
    if web != "live":
        change({**_OFFLINE_SETTINGS, "FOCUSED_WEB": web})
    else:
        contact, agent = str(effective.get("FOCUSED_CONTACT") or ""), str(effective.get("USER_AGENT"))
        if contact and contact not in agent:
            change({"USER_AGENT": f"{agent} (+{contact})"})
    max_pages = _count("max_pages", arguments, effective)
    max_relevant = _count("max_relevant", arguments, effective)
    strategy = str(arguments.get("strategy") or effective.get("FOCUSED_STRATEGY") or DEFAULT_STRATEGY)
    below = effective.get("FOCUSED_BELOW_THRESHOLD")
    if below not in ("defer", "drop"):
        raise PlanError(f"FOCUSED_BELOW_THRESHOLD must be 'defer' or 'drop'. Got {below!r}.")
    change(
        {"FOCUSED_STRATEGY": strategy, "FOCUSED_MAX_PAGES": max_pages, "FOCUSED_MAX_RELEVANT": max_relevant},
    )
    run_dir = _run_dir(arguments.get("run_dir"), topic.name, effective, is_confined)
    change({"FOCUSED_RUN_DIR": str(run_dir)})
    return CrawlPlan(
        topic=topic,
        strategy=make_strategy(strategy, jfe_lambda=_number("FOCUSED_JFE_LAMBDA", effective)),
        reader=make_reader(topic, effective),
        judge=make_judge(topic, effective),
        seeds=_seeds(arguments.get("seeds"), topic, effective, is_confined),
        max_pages=max_pages,
        max_relevant=max_relevant,
        drops_below_threshold=below == "drop",
        web=web,
        run_dir=run_dir,
        settings=changed,
    )


def make_reader(topic: Topic, settings: Any) -> PageReader:
    """Return the page reader that settings describe, for a topic's language."""
    limits = {name: _whole(f"FOCUSED_PAGE_{name.upper()}", settings) for name in PageLimits.__slots__}
    return PageReader(
        topic.analyzer,
        block_tags=settings.get("FOCUSED_BLOCK_TAGS"),
        alpha=_number("FOCUSED_BLOCK_ALPHA", settings),
        min_links=_whole("FOCUSED_BLOCK_MIN_LINKS", settings),
        limits=PageLimits(**limits),
    )


def make_judge(topic: Topic, settings: Any) -> Judge:
    """Return the judge that settings describe."""
    others = settings.get("FOCUSED_CONTEXT_OTHER_ANCHORS")
    if others not in ("exclude", "include"):
        raise PlanError(f"FOCUSED_CONTEXT_OTHER_ANCHORS must be 'exclude' or 'include'. Got {others!r}.")
    has_threshold = settings.get("FOCUSED_RELEVANCE_THRESHOLD") not in (None, "", "None")
    return Judge(
        topic,
        threshold=_number("FOCUSED_RELEVANCE_THRESHOLD", settings) if has_threshold else None,
        similarity=settings.get("FOCUSED_SIMILARITY"),
        cosine_threshold=_number("FOCUSED_COSINE_THRESHOLD", settings),
        other_anchors=others == "include",
        max_terms=_whole("FOCUSED_PAGE_MAX_UNIT_TERMS", settings),
    )


def _known_arguments() -> str:
    return "".join(f"\n  -a {name}=...  {meaning}" for name, meaning in ARGUMENTS.items())


def _number(name: str, settings: Any) -> float:
    value = settings.get(name)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise PlanError(f"{name} must be a number. Got {value!r}.") from None


def _whole(name: str, settings: Any) -> int:
    value = settings.get(name)
    try:
        return int(str(value))
    except ValueError:
        raise PlanError(f"{name} must be a whole number. Got {value!r}.") from None


def _count(name: str, arguments: Mapping[str, Any], settings: Any) -> int:
    """Return a limit from the spider argument or else its setting."""
    setting = f"FOCUSED_{name.upper()}"
    value = arguments.get(name)
    label = f"Spider argument {name!r}"
    if value is None:
        value, label = settings.get(setting), setting
    if not re.fullmatch(r"\d{1,12}", str(value).strip()):
        raise PlanError(f"{label} must be a whole number of at least 0 (0: no limit). Got {value!r}.")
    return int(value)


def _inside(path: Path, setting: str, settings: Any, what: str) -> Path:
    """Return a path given by a client of Scrapyd, if it lies in the folder that a setting opens for it."""
    folder = str(settings.get(setting) or "")
    if not folder:
        raise PlanError(f"{what} may be given under Scrapyd only if {setting} is set on the server. Got {str(path)!r}.")
    top = Path(folder).resolve()
    resolved = (top / path).resolve()
    if not resolved.is_relative_to(top):
        raise PlanError(f"{what} must lie inside {setting}. Got {str(path)!r}.")
    return resolved


def _web(argument: Any, topic: Topic, settings: Any, is_confined: bool) -> str:
    given = str(argument) if argument is not None else str(settings.get("FOCUSED_WEB") or topic.web)
    if given in ("live", "demo"):
        return given
    path = _inside(Path(given), "FOCUSED_WEBS_DIR", settings, "A WARC file") if is_confined else Path(given)
    if not path.is_file():
        raise PlanError(f"Spider argument 'web' must be live, demo or the path of a WARC file. Got {given!r}.")
    try:
        open_web(str(path), settings).close()
    except WebError as error:
        raise PlanError(str(error)) from None
    return str(path.resolve())


def _seeds(argument: Any, topic: Topic, settings: Any, is_confined: bool) -> list[str]:
    if argument is None:
        seeds, source = topic.seeds, f"topic {topic.name!r}"
        if not seeds:
            raise PlanError(
                f"Topic {topic.name!r} has no seeds. Give some: -a seeds=http://a.example/,http://b.example/"
            )
    else:
        seeds, source = read_seeds(str(argument), settings if is_confined else None), "spider argument 'seeds'"
    if not seeds:
        raise PlanError(f"There is no URL in {source}. Give some: -a seeds=http://a.example/,http://b.example/")
    for seed in seeds:
        if not is_http_url(seed):
            raise PlanError(f"A seed must be a URL such as http://a.example/. Got {seed!r} from {source}.")
    return list(dict.fromkeys(seeds))


def read_seeds(value: str, confined_by: Any = None) -> list[str]:
    """Return the URLs in a list separated by commas or white space, or in the text file that the value names."""
    if "://" in value.partition("?")[0] or not value.strip():
        return [url for url in re.split(r"[\s,]+(?=\S*://)|\s+", value.strip().strip(",")) if url]
    path = Path(value)
    if confined_by is not None:
        path = _inside(path, "FOCUSED_WEBS_DIR", confined_by, "A file of seeds")
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError, ValueError):
        raise PlanError(
            f"Seeds must be URLs separated by commas, or a text file of URLs. Got {value!r}, which is neither."
        ) from None
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def is_http_url(url: str) -> bool:
    """Tell whether a text is an absolute HTTP URL with a host."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0 and " " not in url
    except ValueError:
        return False


def _run_dir(argument: Any, topic: str, settings: Any, is_confined: bool) -> Path:
    """Return a folder that can be written, made now so that a crawl does not fail after its last page."""
    runs_dir = Path(str(settings.get("FOCUSED_RUNS_DIR") or "runs"))
    given = str(argument or settings.get("FOCUSED_RUN_DIR") or "")
    if given:
        path = _inside(Path(given), "FOCUSED_RUNS_DIR", settings, "run_dir") if is_confined else Path(given)
    else:
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        path = runs_dir / topic / stamp
        number = 1
        while path.exists():
            number += 1
            path = runs_dir / topic / f"{stamp}-{number}"
    try:
        path.mkdir(parents=True, exist_ok=True)
        probe = path / ".probe"
        probe.write_bytes(b"x")
        probe.unlink()
        free = shutil.disk_usage(path).free
    except OSError as error:
        raise PlanError(
            f"The run directory {path} cannot be written: {error.strerror or error}. Choose another: -a run_dir=PATH"
        ) from None
    if free < _LEAST_FREE_BYTES:
        raise PlanError(
            f"The run directory {path} has {free / 1e6:.0f} MB of free space; a crawl needs at least "
            f"{_LEAST_FREE_BYTES / 1e6:.0f} MB. Choose another: -a run_dir=PATH"
        )
    return path.resolve()
