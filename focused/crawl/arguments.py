"""Turns spider arguments and settings, from a shell or from Scrapyd's HTTP API, into values that can be used."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.method.topic.presets import PRESETS
from focused.utils.close_names import did_you_mean
from focused.utils.files import read_regular
from focused.utils.url_lists import asked_for, http_url, names_urls, split_urls, without_user

if TYPE_CHECKING:
    from collections.abc import Mapping

    from focused.utils.setting import Setting


@dataclass(frozen=True, slots=True)
class Argument:
    """A spider argument: what it means, what it may be, and what holds where it is not given."""

    meaning: str
    values: str
    default: str


_TOPIC_VALUES = "name of a directory of FOCUSED_MODELS_DIR, or of a topic that ships with the package"
_STRATEGY_DEFAULT = "the preset's, else the topic's, else FOCUSED_STRATEGY"
_SEEDS_VALUES = "URLs separated by commas or spaces, or a text file with one URL a line (# begins a comment)"
_RULES_VALUES = "domains and paths separated by commas: example.org, /papers/, example.org/papers/*.html$"
ARGUMENTS = {
    "topic": Argument("what the crawl is about", _TOPIC_VALUES, "required"),
    "strategy": Argument("how links are scored", "name of a strategy, or the path of a class", _STRATEGY_DEFAULT),
    "preset": Argument("the settings of a paper", f"one of {', '.join(PRESETS)}", "the topic's, else none"),
    "seeds": Argument("where the crawl starts", _SEEDS_VALUES, "the topic's"),
    "max_pages": Argument("pages to fetch; 0: no limit", "whole number", "FOCUSED_MAX_PAGES"),
    "max_relevant": Argument("relevant pages to find; 0: no limit", "whole number", "FOCUSED_MAX_RELEVANT"),
    "allow": Argument("what the crawl stays in", _RULES_VALUES, "the topic's, else FOCUSED_SCOPE_ALLOW"),
    "deny": Argument("what is never asked for", _RULES_VALUES, "the topic's, else FOCUSED_SCOPE_DENY"),
    "languages": Argument(
        "languages of relevant pages", "codes such as en,de", "the topic's, else FOCUSED_SCOPE_LANGUAGES"
    ),
    "max_depth": Argument("links from a seed; 0: no limit", "whole number", "the topic's, else DEPTH_LIMIT"),
    "max_pages_per_host": Argument(
        "pages of one host; 0: no limit", "whole number", "the topic's, else FOCUSED_FRONTIER_MAX_PER_HOST"
    ),
    "max_pages_per_domain": Argument(
        "pages of one registered domain; 0: no limit",
        "whole number",
        "the topic's, else FOCUSED_FRONTIER_MAX_PER_DOMAIN",
    ),
    "max_minutes": Argument("minutes to crawl; 0: no limit", "number", "FOCUSED_MAX_MINUTES"),
    "stop_when": Argument("when the crawl ends", "budgets, or saturated: nothing new comes in", "FOCUSED_STOP_WHEN"),
    "web": Argument(
        "where pages come from", "live, demo, hostile, or the path of a WARC file", "the topic's, else live"
    ),
    "crawl": Argument(
        "crawl in FOCUSED_DATABASE that this process joins, or begins if there is none", "name", "FOCUSED_CRAWL"
    ),
    "workers": Argument("processes of this machine that crawl together", "whole number from 1 to 64", "this one"),
    "run_dir": Argument("folder for what the run leaves", "path", "FOCUSED_RUNS_DIR/TOPIC/TIMESTAMP"),
}
#: Scrapyd adds these to what its client says.
SCRAPYD_ARGUMENTS = frozenset({"_job", "_version"})

_EXAMPLE_SEEDS = "-a seeds=http://a.example/,http://b.example/"


class PlanError(ValueError):
    """A crawl cannot be started as it was asked for; the message says why and what to do."""


def check_names(arguments: Mapping[str, Any]) -> None:
    """Refuse spider arguments that there are not, empty ones, and that one is missing which must be there."""
    given = set(arguments) - SCRAPYD_ARGUMENTS
    known = f"Known ones: {', '.join(ARGUMENTS)} (scrapy crawl -h explains them)."
    for name in sorted(given - set(ARGUMENTS)):
        raise PlanError(f"Unknown spider argument {name!r}.{did_you_mean(name, ARGUMENTS)} {known}")
    for name in ("strategy", "preset", "run_dir", "crawl"):
        if name in given and not str(arguments[name]).strip():
            raise PlanError(f"Spider argument {name!r} is empty. Leave it out for the default. {known}")
    if "workers" in given:
        raise PlanError("Spider argument 'workers' is for the command line: scrapy crawl focused -a workers=4")
    if "topic" not in given and "crawl" not in given:
        raise PlanError(f"Spider argument 'topic' is missing. Example: -a topic=demo. {known}")


def read_limit(name: str, setting: Setting, arguments: Mapping[str, Any], settings: Any) -> Any:
    """Return a limit from the spider argument of a name, or else from its setting."""
    argument = arguments.get(name)
    return setting.read(settings) if argument is None else setting.check(argument, f"Spider argument {name!r}")


def path_inside(path: Path, setting: str, settings: Mapping[str, Any], what: str) -> Path:
    """Return a path given by a client of Scrapyd, if it lies in the folder that a setting opens for it."""
    folder = str(settings.get(setting) or "")
    if not folder:
        raise PlanError(f"{what} may be given under Scrapyd only if {setting} is set on the server. Got {str(path)!r}.")
    try:
        top = Path(folder).resolve()
        resolved = (top / path).resolve()
    except (OSError, ValueError, RuntimeError):  # a NUL byte, a loop of links
        resolved = top = Path(folder) / ".."
    if top == Path(folder) / ".." or not resolved.is_relative_to(top):
        raise PlanError(f"{what} must lie inside {setting}. Got {str(path)!r}.")
    return resolved


_MAX_SEED_BYTES = 100_000_000


def read_seeds(value: str, confined_by: Mapping[str, Any] | None = None, *, option: str = "-a seeds=") -> list[str]:
    """Return the URLs in a list separated by commas or white space, or in the text file that the value names.

    The file must lie in FOCUSED_WEBS_DIR of the settings ``confined_by``, if there are any. ``option`` is how a user gives the
    value.
    """
    if names_urls(value) or not value.strip():
        return split_urls(value)
    path = Path(value)
    if confined_by is not None:
        try:
            path = path_inside(path, "FOCUSED_WEBS_DIR", confined_by, "A file of seeds")
        except PlanError as error:
            raise PlanError(f"{error}{asked_for(value, 'seeds=')}") from None
    try:
        lines = read_regular(path, _MAX_SEED_BYTES).decode("utf-8-sig").splitlines()
    except (OSError, ValueError):
        must = "Seeds must be URLs separated by commas, or a text file of URLs"
        raise PlanError(f"{must}. Got {_short(value)}, which is neither.{asked_for(value, option)}") from None
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def check_seeds(seeds: list[str], source: str, option: str = "") -> list[str]:
    """Return seeds as URLs that can be asked for, each once. ``option``: how a user gives all of them, if not in a file."""
    if not seeds:
        raise PlanError(f"There is no URL in {source}. Give some: {_EXAMPLE_SEEDS}")
    if with_user := [seed for seed in seeds if without_user(seed) != seed]:
        without = _short(without_user(with_user[0]))
        raise PlanError(
            f"A seed must not name a user or a password: a crawl asks for public pages. Got {without} with some, from "
            f"{source}. Leave out what stands before the @."
        )
    urls = [http_url(seed) for seed in seeds]
    for seed, url in zip(seeds, urls, strict=True):
        if url is None:
            asked = asked_for(",".join(seeds), option) if option else ""
            must = "A seed must be a URL such as http://a.example/"
            raise PlanError(f"{must}. Got {_short(seed)} from {source}.{asked or asked_for(seed)}")
    return list(dict.fromkeys(filter(None, urls)))


def _short(value: str) -> str:
    return repr(value) if len(value) <= 100 else f"{value[:100]!r}... ({len(value)} characters)"
