"""Settings of a crawl that nobody gives: they come from its topic, its web, its order and its contact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.crawl.arguments import PlanError
from focused.crawl.declared_settings import DECLARED
from focused.method.topic import is_topic_setting
from focused.utils.setting import TOPIC

if TYPE_CHECKING:
    from focused.method.topic import Topic

# On a web that is answered from this machine nobody is disturbed.
OFFLINE_SETTINGS = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, "CONCURRENT_REQUESTS_PER_DOMAIN": 16}
# Of links of equal score the last that was found comes first.
NEWEST_FIRST_SETTINGS = {
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.LifoMemoryQueue",
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleLifoDiskQueue",
}
OFFLINE_HANDLERS = dict.fromkeys(("http", "https"), "focused.webs.handler.WebDownloadHandler")


def topic_settings(topic: Topic) -> dict[str, Any]:
    """Return the Scrapy settings that a topic brings; a PlanError names one that a topic may not set."""
    strategy = {"FOCUSED_STRATEGY": topic.strategy} if topic.strategy else {}
    own = {name: value for name, value in topic.settings.items() if is_topic_setting(name)}
    for name in own:
        if name in DECLARED and DECLARED[name].set_by != TOPIC:
            raise PlanError(
                f"A topic may not set {name}, as topic {topic.name!r} does. Use -s {name}=... on the command line instead."
            )
    return strategy | own


def with_topic(topic: Topic, settings: Any) -> Any:
    """Return a copy of settings in which the topic's stand where the command line says nothing."""
    effective = settings.copy()
    effective.setdict(topic_settings(topic), priority="spider")
    return effective


def signed(settings: Any) -> dict[str, Any]:
    """Return the user agent with the contact in it."""
    contact, agent = str(settings.get("FOCUSED_CONTACT") or ""), str(settings.get("USER_AGENT"))
    if not contact.isprintable():
        raise PlanError(f"FOCUSED_CONTACT must be a URL or an address. Got {contact!r}. Example: you@example.org")
    return {"USER_AGENT": f"{agent} (+{contact})"} if contact and contact not in agent else {}
