"""Where a crawl begins: on which web, from which seeds, and which addresses it may ask."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.crawl import arguments as given
from focused.crawl.arguments import PlanError
from focused.crawl.private_addresses import ALLOW, REFUSE, SEEDS, PrivateAddresses, about_seeds
from focused.utils.crawl_settings import PRIVATE_ADDRESSES, WEB
from focused.utils.file_names import FRONTIER_FILE
from focused.utils.url_lists import names_urls
from focused.webs import GENERATED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from focused.crawl.plan import CrawlPlan
    from focused.crawl.shared_crawl import SharedCrawl
    from focused.method.topic import Topic


def web_of(argument: Any, topic: Topic, settings: Any, is_confined: bool) -> str:
    """Return the name of a web, or the path of its file; ``argument``: what the spider was given."""
    name = str(argument) if argument is not None else str(WEB.read(settings) or topic.web)
    if name == "live" or name in GENERATED:
        return name
    of_topic = argument is None and name == topic.web
    what = f"The web of topic {topic.name!r}" if of_topic else "A WARC file"
    path = given.path_inside(Path(name), "FOCUSED_WEBS_DIR", settings, what) if is_confined else Path(name)
    try:
        is_file = path.is_file()
    except OSError:  # a name that no file can have
        is_file = False
    if not is_file:
        source = what if of_topic else "Spider argument 'web'"
        raise PlanError(f"{source} must be live, demo, hostile or the path of a WARC file. Got {name!r}.")
    return str(path.resolve())


def seeds_of(
    shared: SharedCrawl | None,
    arguments: Mapping[str, Any],
    topic: Topic,
    settings: Any,
    *,
    is_confined: bool,
    needs_seeds: bool,
) -> list[str]:
    """Return the seeds; a crawl in a database knows its own, and a spider without need of seeds has none."""
    argument, seeds = arguments.get("seeds"), []
    are_known = shared is not None and shared.known is not None and "seeds" not in arguments
    if needs_seeds and not are_known:
        seeds = _seeds(argument, topic, settings, is_confined)
    return seeds if shared is None else shared.seeds(argument, seeds, are_needed=needs_seeds)


def addresses_of(argument: str, seeds: list[str], web: str, settings: Any, is_confined: bool) -> PrivateAddresses:
    """Return which addresses may be asked.

    By default an address that is not public may be asked only if it is a seed on the command line. A topic's file and a file
    of seeds may come from a stranger, and a client of Scrapyd is one.
    """
    if web != "live":
        return PrivateAddresses(ALLOW)  # nothing is asked for on the network
    mode = PRIVATE_ADDRESSES.read(settings)
    if is_confined and mode == SEEDS:
        mode = REFUSE
    return PrivateAddresses(mode, seeds if names_urls(argument) else ())


def check_addresses(plan: CrawlPlan, settings: Any) -> None:
    """Refuse a crawl all of whose seeds have addresses that it may not ask, unless an earlier run has left it links."""
    is_begun = (Path(settings.get("JOBDIR") or plan.run_dir) / FRONTIER_FILE).exists()
    if plan.web == "live" and plan.seeds and not is_begun and all(map(plan.addresses.kind_of_url, plan.seeds)):
        raise PlanError(about_seeds(plan.seeds, plan.addresses.mode))


def _seeds(argument: Any, topic: Topic, settings: Any, is_confined: bool) -> list[str]:
    if argument is None:
        return given.check_seeds(topic.seeds, f"topic {topic.name!r} (seeds in topic.toml)")
    urls = given.read_seeds(str(argument), settings if is_confined else None)
    return given.check_seeds(urls, "spider argument 'seeds'", "-a seeds=" if names_urls(str(argument)) else "")
