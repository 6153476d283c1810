"""Refuses a topic whose file would make a crawl less polite, or less careful, than the project's settings make it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from focused.crawl.arguments import PlanError
from focused.crawl.declared_settings import COMMAND_LINE
from focused.method.topic import TOPIC_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from focused.method.topic import Topic

AT_LEAST = ("DOWNLOAD_DELAY", "AUTOTHROTTLE_START_DELAY", "AUTOTHROTTLE_MAX_DELAY")
"""Scrapy's settings of which a topic's value must be at least the project's: how long a host rests."""
AT_MOST = (
    *("CONCURRENT_REQUESTS_PER_DOMAIN", "AUTOTHROTTLE_TARGET_CONCURRENCY", "DOWNLOAD_DELAY_JITTER"),
    *("RETRY_TIMES", "REDIRECT_MAX_TIMES", "DOWNLOAD_MAXSIZE"),
)
"""Those of which it must be at most the project's: what a host is asked at a time, again, and in a chain; the longest body."""
_SWITCH, _OF_SWITCH = "AUTOTHROTTLE_ENABLED", "AUTOTHROTTLE_"
_ENDLESS = frozenset({"DOWNLOAD_MAXSIZE"})
"""0 stands for no limit."""


def check_politeness(topic: Topic, settings: Any) -> None:
    """Refuse what a topic says where it is less polite, or less careful, than ``settings`` without those of the topic.

    What the command line says is stronger than the topic, so the topic's value does not count there. On a web that is
    answered from this machine nobody is disturbed; no call is needed there.

    Raises
    ------
    PlanError
        One line: the setting, what it must be, what it is, and what to do.
    """
    for name, must in _faults(topic, settings):
        value = topic.settings[name]
        where = "its settings" if topic.directory is None else str(topic.directory / TOPIC_FILE)
        raise PlanError(
            f"{name} of topic {topic.name!r} must be {must}, as the project has it. Got {_word(value)} in {where}. A topic "
            f"may make a crawl politer, not less polite. Take it out there, or give it yourself: -s {name}={_word(value)}"
        )


def _faults(topic: Topic, settings: Any) -> Iterator[tuple[str, str]]:
    """Yield settings of a topic that go too far, each with what it must be."""
    has_throttle = settings.getbool(_SWITCH)
    for name, value in topic.settings.items():
        if (settings.getpriority(name) or 0) >= COMMAND_LINE:
            continue
        if name == _SWITCH and has_throttle and not value:
            yield name, "true"
        if name not in (*AT_LEAST, *AT_MOST) or (name.startswith(_OF_SWITCH) and not has_throttle):
            continue
        base = _number(name, settings.get(name))
        if name in AT_LEAST and _number(name, value) < base:
            yield name, f"at least {_word(settings.get(name))}"
        if name in AT_MOST and _number(name, value) > base:
            above_0 = "above 0 and " if name in _ENDLESS and not value else ""
            yield name, f"{above_0}at most {_word(settings.get(name))}"


def _number(name: str, value: Any) -> float:
    number = float(value)
    return math.inf if name in _ENDLESS and not number else number


def _word(value: Any) -> str:
    """Return a value as TOML, and an option, have it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
