"""Brings together all settings of the project from where they are declared, and checks them before a crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.collection.assessor_settings import ASSESSOR_SETTINGS
from focused.crawl.alerts import ALERT_SETTINGS
from focused.crawl.arguments import PlanError
from focused.crawl.saturation import ENDING
from focused.frontier.host_failures import MOST_FAILURES, REST_SECS
from focused.frontier.patience import PATIENCE
from focused.method.page.limits import PageLimits
from focused.method.page.link_context import WINDOW_CHARS
from focused.method.page.own_text import PAGE_TEXT
from focused.method.page.pdf_process import PDF_SETTINGS
from focused.method.page.reader import BLOCK_ALPHA, BLOCK_MIN_LINKS, BLOCK_TAGS
from focused.method.page.text_units import OTHER_ANCHORS
from focused.method.strategies import STRATEGIES
from focused.method.topic.judge import COSINE_THRESHOLD, LINK_THRESHOLD, RELEVANCE_THRESHOLD, SIMILARITY
from focused.method.topic.vectors import WORD_VECTORS
from focused.retraining.options import VERDICTS, RetrainingOptions
from focused.utils.clock import VIRTUAL_DELAY, VIRTUAL_LATENCY
from focused.utils.close_names import did_you_mean
from focused.utils.crawl_settings import CRAWL, PAGE_CLASSIFIER, PAGE_READER, RUN, SCOPE, SOURCES
from focused.utils.folder_settings import FOLDERS
from focused.utils.frontier_settings import FRONTIER, SINKING, WORKERS
from focused.utils.output_settings import OUTPUT
from focused.utils.parameters import parameters_of
from focused.utils.setting import SERVER
from focused.webs import GENERATED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from focused.utils.setting import Setting

_STRATEGIES = [setting for kind in STRATEGIES.values() for setting in parameters_of(kind).values()]
_SHARED = (COSINE_THRESHOLD, OTHER_ANCHORS, *parameters_of(PageLimits).values())

GROUPS: dict[str, tuple[Setting, ...]] = {
    "The crawl": (*CRAWL, *ENDING),
    "This run": (*RUN, VIRTUAL_DELAY, VIRTUAL_LATENCY),
    "Relevance": (*(PAGE_CLASSIFIER, WORD_VECTORS, RELEVANCE_THRESHOLD, LINK_THRESHOLD, SIMILARITY, COSINE_THRESHOLD),),
    "Strategies": tuple(dict.fromkeys(each for each in _STRATEGIES if each not in _SHARED)),
    "Pages": (
        *(PAGE_READER, PAGE_TEXT, BLOCK_TAGS, BLOCK_ALPHA, BLOCK_MIN_LINKS, OTHER_ANCHORS, WINDOW_CHARS),
        *parameters_of(PageLimits).values(),
        *PDF_SETTINGS,
    ),
    "Scope": SCOPE,
    "Link sources": SOURCES,
    "The frontier": (PATIENCE, *FRONTIER, *SINKING, REST_SECS, MOST_FAILURES),
    "Many workers": WORKERS,
    "Retraining": (*parameters_of(RetrainingOptions).values(), VERDICTS),
    "Log and output": OUTPUT,
    "Alerts": ALERT_SETTINGS,
    "A judge that is a program": ASSESSOR_SETTINGS,
    "Folders": FOLDERS,
    "The demo web": tuple(GENERATED["hostile"].values()),
}
"""The declared settings as the reference shows them."""

DECLARED: dict[str, Setting] = {setting.name: setting for group in GROUPS.values() for setting in group}

OF_ENVIRONMENT = tuple(setting for setting in DECLARED.values() if setting.set_by == SERVER)
"""Environment variables of the same names give these, too: under Scrapyd a server has no other place for its own settings."""

COMMAND_LINE = 40
"""Scrapy's priority of settings given with -s."""

_PREFIX = "FOCUSED_"
_RENAMED = {"FOCUSED_ADAPTATION": "FOCUSED_RETRAINING", "FOCUSED_WARC_ENABLED": "FOCUSED_WARC"}


def defaults() -> dict[str, Any]:
    """Return the default of every declared setting, by its name."""
    return {name: setting.default for name, setting in DECLARED.items()}


def of_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of a server that environment variables of the same names give."""
    return {each.name: environment[each.name] for each in OF_ENVIRONMENT if each.name in environment}


def check_name(name: str) -> None:
    """Refuse the name of a setting of the project that nothing reads."""
    if not name.startswith(_PREFIX) or name in DECLARED:
        return
    present = name
    for old, new in _RENAMED.items():
        present = name.replace(old, new, 1) if name.startswith(old) else present
    if present in DECLARED:
        raise PlanError(f"{name} is called {present} now. Use the new name.")
    meant = did_you_mean(present, DECLARED, _PREFIX)
    raise PlanError(f"Unknown setting {name!r}.{meant} docs/reference/settings.md lists them.")


def check_settings(settings: Any) -> None:
    """Refuse settings of the project that are not what they must be, and names that nothing reads.

    A ValueError names the setting, what it must be and what it is.
    """
    for name in sorted(map(str, settings)):
        check_name(name)
    for setting in DECLARED.values():
        setting.read(settings)
