"""Names the settings by which a topic's file makes a crawl less polite, or less careful, than the project does."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Any

from focused.crawl.arguments import PlanError
from focused.crawl.declared_settings import COMMAND_LINE
from focused.method.topic import TOPIC_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from focused.method.topic import Topic

logger = logging.getLogger(__name__)

AT_LEAST = ("DOWNLOAD_DELAY", "AUTOTHROTTLE_START_DELAY", "AUTOTHROTTLE_MAX_DELAY")
"""Scrapy's settings of which a topic's value is polite if it is at least the project's: how long a host rests."""
AT_MOST = (
    *("CONCURRENT_REQUESTS_PER_DOMAIN", "AUTOTHROTTLE_TARGET_CONCURRENCY", "DOWNLOAD_DELAY_JITTER"),
    *("RETRY_TIMES", "REDIRECT_MAX_TIMES", "DOWNLOAD_MAXSIZE"),
)
"""Those of which it is if it is at most the project's: what a host is asked at a time, again, in a chain; the longest body."""
_SWITCH, _OF_SWITCH = "AUTOTHROTTLE_ENABLED", "AUTOTHROTTLE_"
_ENDLESS = frozenset({"DOWNLOAD_MAXSIZE"})
"""0 stands for no limit."""


def check_politeness(topic: Topic, settings: Any) -> None:
    """Warn of what a topic says where it is less polite, or less careful, than ``settings`` without those of the topic.

    A topic may have settings of its own, and its file may come from a stranger: so they count, and whoever crawls is told.
    What the command line says is stronger than the topic, so the topic's value does not count there. On a web that is
    answered from this machine nobody is disturbed; no call is needed there.

    Raises
    ------
    PlanError
        If a topic wants bodies without a limit: they may fill the memory.
    """
    for name, must in _faults(topic, settings):
        value = topic.settings[name]
        where = "its settings" if topic.directory is None else str(topic.directory / TOPIC_FILE)
        if name in _ENDLESS and not value:
            raise PlanError(
                f"{name} of topic {topic.name!r} must be above 0: bodies without a limit may fill the memory. Got "
                f"{_word(value)} in {where}. Take it out there, or give it yourself: -s {name}={_word(value)}"
            )
        logger.warning(
            "%s of topic %r is %s (%s): less polite or less careful than the project, where it is %s. For the project's "
            "value: -s %s=%s",
            name,
            topic.name,
            _word(value),
            where,
            must,
            name,
            must,
        )


def _faults(topic: Topic, settings: Any) -> Iterator[tuple[str, str]]:
    """Yield settings of a topic that go further than the project's, each with the project's value."""
    has_throttle = settings.getbool(_SWITCH)
    for name, value in topic.settings.items():
        if (settings.getpriority(name) or 0) >= COMMAND_LINE:
            continue
        if name == _SWITCH and has_throttle and not value:
            yield name, "true"
        if name not in (*AT_LEAST, *AT_MOST) or (name.startswith(_OF_SWITCH) and not has_throttle):
            continue
        base, own = _number(name, settings.get(name)), _number(name, value)
        if own < base if name in AT_LEAST else own > base:
            yield name, _word(settings.get(name))


def _number(name: str, value: Any) -> float:
    number = float(value)
    return math.inf if name in _ENDLESS and not number else number


def _word(value: Any) -> str:
    """Return a value as TOML, and an option, have it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
