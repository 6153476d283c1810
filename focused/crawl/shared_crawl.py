"""Lets a process join the crawl in a database, or begin it: its workers agree on what it is.

The first worker writes down what the crawl is: the topic with its model, the arguments, the settings that a topic may set, the
version of this program. Every other one takes it from there. What it is given besides must be the same, or it is refused.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.crawl.arguments import PlanError, check_seeds
from focused.crawl.declared_settings import COMMAND_LINE, DECLARED
from focused.method.topic import is_topic_setting, load_topic
from focused.method.topic.parcel import packed, unpacked
from focused.retraining.options import OFF
from focused.utils.crawl_settings import MAX_MINUTES, MAX_PAGES, MAX_RELEVANT, STRATEGY
from focused.utils.database import CRAWL_NAME, cannot_be_used, check_url, import_psycopg
from focused.utils.frontier_settings import DATABASE, SHARED_CRAWL
from focused.utils.places import models_dirs
from focused.utils.plugins import is_class_path
from focused.utils.setting import TOPIC
from focused.utils.version import __version__
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from focused.crawl.plan import CrawlPlan
    from focused.frontier.shared.crawls import KnownCrawl
    from focused.method.topic import Topic

_LIMITS = {"max_pages": MAX_PAGES, "max_relevant": MAX_RELEVANT, "max_minutes": MAX_MINUTES}
_OWN = frozenset({"run_dir", "crawl", "workers", "seeds"})
"""Arguments that each worker has for itself; and `seeds`, which are compared URL by URL, however they are given."""
_ALONE = {"FOCUSED_RETRAINING": OFF}
"""No worker may train the model of all by itself."""
_TOGETHER = {"FOCUSED_RETRAINING": "interactive"}
"""What all workers may do together, if the crawl was begun with it."""
_LOCAL = {"FOCUSED_FRONTIER_MAX_LINKS": 0}
"""A limit on all links that wait: one worker knows only some of them."""
_DECIDED = {**_ALONE, **_LOCAL, "FOCUSED_PAGES_ENABLED": False, "FOCUSED_POSTGRESQL": ""}
"""Settings that follow from the sharing: those above, and no files of pages, because the collection is in the database."""


@dataclass
class SharedCrawl:
    """A crawl by its name in a database, whether it is there yet or not."""

    url: str
    name: str
    #: None: it has not begun.
    known: KnownCrawl | None = None

    def join(self, given: Mapping[str, Any], settings: Any) -> tuple[dict[str, Any], Any, Topic]:
        """Return the arguments, the settings and the topic of the crawl, for this worker.

        Raises
        ------
        ValueError
            If what is given differs from what the crawl is, or the database says what it may not. One sentence.
        """
        arguments, effective = dict(given), settings.copy()
        models = models_dirs(settings)
        if self.known is None:
            topic = load_topic(str(given["topic"]), *models) if "topic" in given else None
            if topic is None:
                raise PlanError(no_crawl(self.name))
        else:
            limits = self._new_limits(self.known, given, settings)
            effective.setdict(self._settings(self.known, settings), priority=COMMAND_LINE)
            topic = self._topic(self.known, given, *models)
            self._change_limits(self.known, limits)  # when nothing is refused any more
            arguments = {**given, **self.known.about["arguments"]}
        effective.setdict(self.decided(effective), priority=COMMAND_LINE + 1)
        return arguments, effective, topic

    def _new_limits(self, known: KnownCrawl, given: Mapping[str, Any], settings: Any) -> dict[str, str]:
        """Return the limits that are given and are not those of the crawl; what else differs from it is refused."""
        agreed = known.about["arguments"]
        mine = {name: str(value) for name, value in given.items() if name in agreed and name not in _OWN}
        if "web" in mine and _is_path_of(mine["web"], str(agreed["web"])):
            del mine["web"]
        for name, limit in _LIMITS.items():
            # A setting says it as well as an argument.
            if name not in mine and _is_said(limit.name, settings):
                mine[name] = str(settings.get(limit.name))
        if "strategy" not in given and _is_said(STRATEGY.name, settings):
            mine["strategy"] = str(settings.get(STRATEGY.name))
        limits = {}
        for name, value in mine.items():
            if name in _LIMITS and _number(name, value) != float(agreed[name]):
                limits[name] = value
            elif name not in _LIMITS and value != str(agreed[name]):
                raise PlanError(
                    f"Crawl {self.name!r} in the database has {name}={agreed[name]}. Got {name}={value}. Leave it out, or "
                    "begin another crawl: -a crawl=NAME"
                )
        unknown = sorted(set(given) - set(agreed) - _OWN - set(_LIMITS) - {"_job", "_version"})
        more = {name for name in map(str, settings) if _is_agreed(name) and _is_said(name, settings)}
        usual = {name for name, value in _DECIDED.items() if str(settings.get(name)) == str(value)}
        unknown += sorted(more - usual - set(known.about["settings"]))
        if unknown:
            raise PlanError(
                f"Crawl {self.name!r} in the database was begun without {unknown[0]}. Leave it out, or begin another crawl: "
                "-a crawl=NAME"
            )
        strategy = str(agreed.get("strategy", ""))
        if is_class_path(strategy) and "strategy" not in given:
            raise PlanError(f"A database names no class to import. Give it here as well: -a strategy={strategy}")
        for name, value in limits.items():
            if known.n_alive:
                raise PlanError(
                    f"Crawl {self.name!r} in the database has {name}={agreed[name]}, and "
                    f"{quantity(known.n_alive, 'workers')} at work. Got {value}. Change it when they have ended"
                )
        return limits

    def _change_limits(self, known: KnownCrawl, limits: Mapping[str, str]) -> None:
        """Change the limits of a crawl that has no worker now."""
        if not limits:
            return
        known.about["arguments"] |= limits
        with _connected(self.url) as (crawls, connection):
            crawls.change_about(connection, known.id, known.about)

    def _settings(self, known: KnownCrawl, settings: Any) -> dict[str, Any]:
        """Return the settings that the crawl says."""
        agreed = dict(known.about["settings"])
        for name, value in agreed.items():
            if not _is_agreed(name):
                raise PlanError(f"The crawl's database may not set {name}. Begin another crawl: -a crawl=NAME")
            if name in DECLARED:
                DECLARED[name].check(value)
            mine = settings.get(name)
            if _is_said(name, settings) and str(mine) != str(value):
                raise PlanError(f"Crawl {self.name!r} in the database has {name}={value}. Got {mine}. Leave it out")
        return agreed

    def _topic(self, known: KnownCrawl, given: Mapping[str, Any], *models: Path) -> Topic:
        """Return the crawl's topic from the database; refuse one of this machine that has another model."""
        name = str(known.about["arguments"]["topic"])
        with _connected(self.url) as (crawls, connection):
            topic = unpacked(name, crawls.topic_files(connection, known.id))
        is_here = "topic" in given and any((folder / name).is_dir() for folder in models)
        if is_here and load_topic(name, *models).model_sha256 != topic.model_sha256:
            raise PlanError(
                f"Topic {name!r} of this machine has another model than that of crawl {self.name!r} in the database. Leave "
                "topic out to crawl with that of the database"
            )
        return topic

    def seeds(self, given: Any, seeds: list[str], *, are_needed: bool = True) -> list[str]:
        """Return the seeds of the crawl; ``seeds`` are those that the argument ``given`` or the topic names.

        Not ``are_needed``: the spider asks for its first pages itself, and so did that of the first worker.
        """
        if self.known is None:
            return seeds
        if not (are_needed or self.known.about["seeds"]):
            return []
        agreed = check_seeds([str(seed) for seed in self.known.about["seeds"]], f"crawl {self.name!r} in the database")
        if given is not None and seeds != agreed:
            raise PlanError(f"Crawl {self.name!r} in the database has other seeds. Leave them out")
        return agreed

    def decided(self, settings: Any) -> dict[str, Any]:
        """Return settings that follow from the sharing, with those that the crawl says."""
        agreed = {} if self.known is None else {name: settings.get(name) for name in self.known.about["settings"]}
        together = {name: value for name, value in _TOGETHER.items() if settings.get(name) == value}
        return {**agreed, DATABASE.name: self.url, SHARED_CRAWL.name: self.name, **_DECIDED, **together}

    def begin(self, plan: CrawlPlan, arguments: Mapping[str, Any], settings: Any) -> bool:
        """Write down what the crawl is; return False where another worker was first. Nothing happens to one that is begun."""
        if self.known is not None:
            return True
        said = {name: str(value) for name, value in arguments.items() if name not in _OWN and not name.startswith("_")}
        limits = {name: str(getattr(plan, name)) for name in _LIMITS}
        chosen = {"web": plan.web, "strategy": str(plan.decided[STRATEGY.name])}
        about = {
            "version": __version__,
            "model_sha256": plan.topic.model_sha256,
            "arguments": {**said, **limits, **chosen},
            "seeds": plan.seeds,
            "settings": {
                name: settings.get(name)
                for name in map(str, settings)
                if _is_agreed(name) and (settings.getpriority(name) or 0) == COMMAND_LINE
            }
            | {name: value for name, value in _TOGETHER.items() if settings.get(name) == value},
        }
        with _connected(self.url) as (crawls, connection):
            return crawls.begin_crawl(connection, self.name, about, packed(plan.topic)) is not None


def no_crawl(name: str) -> str:
    """Return the error for a process that joins a crawl which has not begun, and names no topic."""
    return f"There is no crawl {name!r} in the database. Name its topic to begin it: -a topic=demo"


def find_shared(arguments: Mapping[str, Any], settings: Any) -> SharedCrawl | None:
    """Return the crawl in a database that arguments and settings name; None where the crawl is a process's own.

    Raises
    ------
    ValueError
        If it is named by half, the database cannot be used, or its workers have another version of this program.
    """
    name = str(arguments.get("crawl") or SHARED_CRAWL.read(settings))
    url = DATABASE.read(settings)
    if not name:
        if url and _is_said(DATABASE.name, settings):
            raise PlanError("FOCUSED_DATABASE holds crawls by their names. Name one to join or to begin: -a crawl=NAME")
        return None
    if not CRAWL_NAME.fullmatch(name):
        raise PlanError(
            "Spider argument 'crawl' must be 1 to 63 letters, digits, '.', '_' and '-', the first a letter or digit. "
            f"Got {name!r:.80}."
        )
    if not url:
        raise PlanError(f"Crawl {name!r} needs a database: -s FOCUSED_DATABASE=postgresql://me@host/database")
    for setting, value in _DECIDED.items():
        mine = settings.get(setting)
        if _is_said(setting, settings) and str(mine) not in (str(value), _TOGETHER.get(setting)):
            why = "all judge by one model, into one collection"
            if setting in _LOCAL:
                why = "none of them knows all links that wait"
            must = " or ".join(filter(None, (str(value) or "empty", _TOGETHER.get(setting))))
            raise PlanError(f"{setting} must be {must} where workers share a crawl: {why}. Got {mine}. Leave it out")
    check_url(DATABASE.name, url)
    with _connected(url) as (crawls, connection):
        known = crawls.find_crawl(connection, name)
        if known is not None and known.about["version"] != __version__:
            if known.n_alive:
                raise PlanError(
                    f"Crawl {name!r} is crawled by version {known.about['version']} of this program, this is {__version__}. "
                    "Let all workers have the same version"
                )
            known.about["version"] = __version__
            crawls.change_about(connection, known.id, known.about)
    return SharedCrawl(url, name, known)


@contextmanager
def _connected(url: str) -> Iterator[tuple[Any, Any]]:
    """Yield the module of statements, which needs psycopg, and a connection to a database that has the tables."""
    psycopg = import_psycopg(DATABASE.name)
    from focused.frontier.shared import crawls
    from focused.frontier.shared.schema import connect, make_tables

    try:
        with connect(url) as connection:
            make_tables(connection)
            yield crawls, connection
    except psycopg.Error as error:
        raise PlanError(cannot_be_used(DATABASE.name, error)) from None


def _is_agreed(name: str) -> bool:
    """Tell whether a setting is the same in all workers: those that a topic may set, but for what arguments say."""
    if name in {limit.name for limit in _LIMITS.values()} or name == "FOCUSED_STRATEGY":
        return False
    return DECLARED[name].set_by == TOPIC if name in DECLARED else is_topic_setting(name)


def _is_said(name: str, settings: Any) -> bool:
    """Tell whether the command line says a setting."""
    return bool((settings.getpriority(name) or 0) >= COMMAND_LINE)


def _is_path_of(given: str, file: str) -> bool:
    """Tell whether a path, which may be relative or lead over links, is that of a file."""
    try:
        return str(Path(given).resolve()) == file
    except (OSError, ValueError, RuntimeError):  # a NUL byte, a loop of links
        return False


def _number(name: str, value: str) -> float:
    return float(_LIMITS[name].check(value, f"Spider argument {name!r}"))
