"""Computes the settings that follow from a crawl's preset, topic, web, order and contact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.settings import default_settings

from focused.crawl.arguments import PlanError
from focused.crawl.declared_settings import COMMAND_LINE, DECLARED, check_name
from focused.crawl.presets import check_trained_for, preset_settings
from focused.method.topic import TOPIC_FILE, is_topic_setting
from focused.method.topic.presets import load_preset
from focused.method.topic.settings import SCOPE_SETTINGS
from focused.utils.clock import VIRTUAL_DELAY
from focused.utils.crawl_settings import CONTACT
from focused.utils.setting import TOPIC

if TYPE_CHECKING:
    from focused.method.topic import Topic

# Requests to a web on this machine disturb nobody.
OFFLINE_SETTINGS = {
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    # Scrapy's own list names an exception of its HTTP handler, and so loads that, and TLS: a sixth of a crawl's start.
    "RETRY_EXCEPTIONS": [
        each
        for each in default_settings.RETRY_EXCEPTIONS
        if not str(each).startswith("scrapy.core.downloader.handlers")
    ],
    # The labels of a recorded web know nothing of what its pages asked of robots.
    "FOCUSED_OBEY_NOINDEX": False,
    # A web's bound and what it was compared with before know nothing of them.
    "FOCUSED_SITEMAPS": 0,
    "FOCUSED_FEEDS": 0,
}
# In virtual time hosts are asked as on the live web, but no delay is kept on the machine's clock.
VIRTUAL_SETTINGS = {name: value for name, value in OFFLINE_SETTINGS.items() if name != "CONCURRENT_REQUESTS_PER_DOMAIN"}
# Of links of equal score the last that was found comes first.
NEWEST_FIRST_SETTINGS = {
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.LifoMemoryQueue",
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleLifoDiskQueue",
}
# By the short names that a topic may give.
SCHEDULER_SETTINGS = {
    "durable": {"SCHEDULER": "focused.frontier.scheduler.FrontierScheduler"},
    "scrapy": {
        "SCHEDULER": "scrapy.core.scheduler.Scheduler",
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
    },
}
OFFLINE_HANDLERS: dict[str, str | None] = {
    **dict.fromkeys(default_settings.DOWNLOAD_HANDLERS_BASE),
    **dict.fromkeys(("http", "https"), "focused.webs.handler.WebDownloadHandler"),
}


def topic_settings(topic: Topic, preset: str = "") -> dict[str, Any]:
    """Return the Scrapy settings that a topic and a preset bring; a PlanError names one that a topic may not set.

    A preset that somebody asks for is stronger than what the topic says; one that the topic itself names is weaker than the
    other lines of its file.
    """
    strategy = {"FOCUSED_STRATEGY": topic.strategy} if topic.strategy else {}
    own = {name: value for name, value in topic.settings.items() if is_topic_setting(name)}
    for name in own:
        if name in DECLARED and DECLARED[name].set_by != TOPIC:
            raise PlanError(
                f"A topic may not set {name}, as topic {topic.name!r} does. Use -s {name}=... on the command line instead."
            )
        try:
            check_name(name)
            if name in DECLARED:
                DECLARED[name].check(own[name])
        except ValueError as error:
            where = "its settings" if topic.directory is None else str(topic.directory / TOPIC_FILE)
            raise PlanError(f"{error} It stands in {where}.") from None
    scheduler = SCHEDULER_SETTINGS.get(topic.scheduler, {})
    scope = {SCOPE_SETTINGS[name]: value for name, value in topic.scope.items()}
    of_topic = scheduler | strategy | scope | own
    if preset:
        return of_topic | preset_settings(load_preset(preset))
    return (preset_settings(load_preset(topic.preset)) if topic.preset else {}) | of_topic


def with_topic(topic: Topic, settings: Any, preset: str = "") -> Any:
    """Return a copy of settings in which those of the topic and of a preset stand where the command line says nothing.

    A PlanError says that the topic was not trained as the preset says.
    """
    if preset or topic.preset:
        check_trained_for(load_preset(preset or topic.preset), topic)
    effective = settings.copy()
    effective.setdict(topic_settings(topic, preset), priority="spider")
    return effective


def offline_settings(settings: Any) -> dict[str, Any]:
    """Return what a recorded or demo web brings: no delays, or virtual ones."""
    return OFFLINE_SETTINGS if VIRTUAL_DELAY.read(settings) is None else VIRTUAL_SETTINGS


def check_virtual_time(web: str, settings: Any) -> None:
    """Refuse virtual time where time is not virtual: on the live web, with delays beside it, or by Scrapy's schedulers."""
    if VIRTUAL_DELAY.read(settings) is None:
        return
    name = VIRTUAL_DELAY.name
    if web == "live":
        raise PlanError(f"{name} is for recorded and demo webs. On the live web leave it out: DOWNLOAD_DELAY is kept.")
    if (settings.getpriority("DOWNLOAD_DELAY") or 0) >= COMMAND_LINE and settings.getfloat("DOWNLOAD_DELAY"):
        raise PlanError(f"DOWNLOAD_DELAY is kept on the machine's clock, {name} in virtual time. Leave one out.")
    if str(settings.get("SCHEDULER")).startswith("scrapy.") or "budget_scheduler" in str(settings.get("SCHEDULER")):
        raise PlanError(f"{name} needs the project's own SCHEDULER, which knows virtual time. Leave one out.")


def contact_settings(settings: Any) -> dict[str, Any]:
    """Return the user agent with the contact in it."""
    contact, agent = CONTACT.read(settings), str(settings.get("USER_AGENT"))
    if not contact.isprintable():
        raise PlanError(f"FOCUSED_CONTACT must be a URL or an address. Got {contact!r}. Example: you@example.org")
    return {"USER_AGENT": f"{agent} (+{contact})"} if contact and contact not in agent else {}
