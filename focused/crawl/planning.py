"""Plans a crawl: checks what it is going to do before its first request.

The ``crawl`` command plans before anything starts, so that a mistake is one line, and hands the plan to the spider;
started otherwise, the spider plans itself. Settings are a mapping that knows priorities.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.crawl import arguments as given
from focused.crawl.alerts import Conditions
from focused.crawl.arguments import PlanError
from focused.crawl.declared_settings import check_settings
from focused.crawl.former_classes import refuse_former_classes
from focused.crawl.old_middlewares import with_old_middlewares
from focused.crawl.plan import CrawlPlan
from focused.crawl.private_addresses import ALLOW, REFUSE, SEEDS, PrivateAddresses, about_seeds
from focused.crawl.reader_and_judge import make_judge, make_reader
from focused.crawl.run_directory import (
    check_copies,
    check_earlier_crawl,
    check_feeds,
    check_frontier_folder,
    make_run_dir,
)
from focused.crawl.saturation import STOP_WHEN
from focused.crawl.scope import check_seeds_in, read_scope
from focused.crawl.scrapy_settings import check_values
from focused.crawl.scrapyd_client import check_client, is_client
from focused.crawl.settings_layers import (
    NEWEST_FIRST_SETTINGS,
    OFFLINE_HANDLERS,
    check_virtual_time,
    offline_settings,
    signed,
    topic_settings,
    with_topic,
)
from focused.crawl.shared_crawl import find_shared
from focused.method.page.link_context import WINDOW_CHARS
from focused.method.page.text_units import PAGE
from focused.method.strategies import CHOICES, PLUG_IN, STRATEGIES, make_strategy
from focused.method.strategies.hybrid import Hybrid
from focused.method.topic import Topic, load_topic
from focused.method.topic.presets import check_preset
from focused.retraining.first_threshold import first_threshold
from focused.retraining.options import OFF, read_options
from focused.utils.crawl_settings import (
    BELOW_THRESHOLD,
    MAX_MINUTES,
    MAX_PAGES,
    MAX_RELEVANT,
    PRIVATE_ADDRESSES,
    RUN_DIR,
    STRATEGY,
    WEB,
)
from focused.utils.file_names import FRONTIER_FILE
from focused.utils.places import models_dirs
from focused.utils.plugins import is_class_path
from focused.utils.url_lists import names_urls
from focused.webs import GENERATED, open_web

if TYPE_CHECKING:
    from collections.abc import Mapping

    from focused.method.scoring import Strategy


def plan_crawl(arguments: Mapping[str, Any], settings: Any, *, needs_seeds: bool = True) -> CrawlPlan:
    """Check the arguments and settings of a crawl and return what it is going to do.

    Precedence: spider argument, then ``-s`` on the command line, then the preset that an argument names, then the topic, then
    the preset that the topic names, then the project's settings. Without
    ``needs_seeds`` the spider asks for its first pages itself.

    Raises
    ------
    ValueError
        If anything is not as it must be. Nothing has been requested by then, and nothing written but what an index
        of a WARC file needs.
    """
    given.check_names(arguments)
    is_confined = is_client(arguments)
    if is_confined:
        check_client(arguments, settings)
    shared, own = find_shared(arguments, settings), arguments
    if shared is None:
        topic = load_topic(str(arguments["topic"]), *models_dirs(settings))
    else:
        arguments, settings, topic = shared.join(arguments, settings)
    preset = check_preset(str(arguments["preset"])) if "preset" in arguments else ""
    effective = with_topic(topic, settings, preset)
    check_settings(effective)
    refuse_former_classes(effective)
    check_values(effective)
    web = _web(arguments.get("web"), topic, effective, is_confined)
    changed = topic_settings(topic, preset)
    if web != "live":
        changed |= offline_settings(effective)
    scope, decided_scope = read_scope(arguments, topic, effective)
    seeds: list[str] = []
    are_known = shared is not None and shared.known is not None and "seeds" not in arguments
    if needs_seeds and not are_known:
        seeds = _seeds(arguments.get("seeds"), topic, effective, is_confined)
    if shared is not None:
        seeds = shared.seeds(arguments.get("seeds"), seeds)
    check_seeds_in(scope, seeds)
    strategy = _strategy(arguments.get("strategy"), topic, effective)  # late, for it may have to learn
    if strategy.order == "newest":
        changed |= NEWEST_FIRST_SETTINGS
    max_pages = given.read_limit("max_pages", MAX_PAGES, arguments, effective)
    max_relevant = given.read_limit("max_relevant", MAX_RELEVANT, arguments, effective)
    max_minutes = given.read_limit("max_minutes", MAX_MINUTES, arguments, effective)
    stop_when = given.read_limit("stop_when", STOP_WHEN, arguments, effective)
    Conditions(effective)  # refuses names of alerts, and actions, that there are not
    check_feeds(effective, arguments.get("run_dir"))
    check_copies(effective)
    decided: dict[str, Any] = {
        STRATEGY.name: arguments.get("strategy") or STRATEGY.read(effective),
        MAX_PAGES.name: max_pages,
        MAX_RELEVANT.name: max_relevant,
        MAX_MINUTES.name: max_minutes,
        STOP_WHEN.name: stop_when,
        WEB.name: web,
        **decided_scope,
        **with_old_middlewares(effective),
        **(shared.decided(effective) if shared is not None else {"FOCUSED_DATABASE": ""}),
    }
    if web == "live":
        decided |= signed(effective)
    else:
        decided["DOWNLOAD_HANDLERS"] = OFFLINE_HANDLERS
    check_virtual_time(web, effective)
    options = read_options(effective, topic)
    if (
        strategy.name == Hybrid.name
        and topic.window_chars != WINDOW_CHARS.default
        and (options.mode != OFF or options.is_against_met(topic))
    ):
        raise PlanError(
            f"Pages that join in a crawl have windows of {WINDOW_CHARS.default} characters. Topic {topic.name!r} was trained "
            f"with {topic.window_chars}. Crawl without retraining: -s FOCUSED_RETRAINING=off -s FOCUSED_UNLABELED=topic"
        )
    reader, judge = make_reader(topic.analyzer, effective), make_judge(topic, effective)
    judge.languages = scope.languages
    if (threshold := first_threshold(topic, options)) is not None:
        judge.thresholds = {**judge.thresholds, PAGE: threshold}
    if web != "live":
        open_web(web, effective).close()  # late, for it may have to index a large file
    folder = topic.name if shared is None else f"{topic.name}/{shared.name}/workers"
    plan = CrawlPlan(
        topic=topic,
        strategy=strategy,
        reader=reader,
        judge=judge,
        seeds=seeds,
        max_pages=max_pages,
        max_relevant=max_relevant,
        max_minutes=max_minutes,
        stop_when=stop_when,
        drops_below_threshold=BELOW_THRESHOLD.read(effective) == "drop",
        web=web,
        scope=scope,
        run_dir=make_run_dir(arguments.get("run_dir"), folder, effective, is_confined),
        web_options={each.name: each.read(effective) for each in GENERATED.get(web, {}).values()},
        preset=preset or topic.preset,
        settings=changed,
        decided=decided,
        addresses=_addresses(str(arguments.get("seeds")), seeds, web, effective, is_confined),
    )
    _check_addresses(plan, effective)
    decided[RUN_DIR.name] = str(plan.run_dir)
    check_frontier_folder(plan.run_dir, effective)
    if arguments.get("run_dir") or RUN_DIR.read(effective) or effective.get("JOBDIR"):
        check_earlier_crawl(plan.run_dir, effective, topic=topic.name, web=web, web_options=plan.web_options)
    if shared is not None and not shared.begin(plan, own, effective):
        return plan_crawl(own, settings, needs_seeds=needs_seeds)  # another worker was first: now it is joined
    return plan


def _strategy(argument: Any, topic: Topic, settings: Any) -> Strategy:
    name = argument or STRATEGY.read(settings)
    if name not in STRATEGIES and not is_class_path(name) and name not in PLUG_IN.installed():
        source = f"The strategy of topic {topic.name!r}" if not argument and name == topic.strategy else "The strategy"
        choices = ", ".join(PLUG_IN.names(CHOICES))
        raise PlanError(f"{source} must be one of {choices}, or the path of a class. Got {name!r}.")
    return make_strategy(name, settings).prepare(topic)


def _web(argument: Any, topic: Topic, settings: Any, is_confined: bool) -> str:
    name = str(argument) if argument is not None else str(WEB.read(settings) or topic.web)
    if name == "live" or name in GENERATED:
        return name
    path = given.inside(Path(name), "FOCUSED_WEBS_DIR", settings, "A WARC file") if is_confined else Path(name)
    try:
        is_file = path.is_file()
    except OSError:  # a name that no file can have
        is_file = False
    if not is_file:
        of_topic = argument is None and name == topic.web
        source = f"The web of topic {topic.name!r}" if of_topic else "Spider argument 'web'"
        raise PlanError(f"{source} must be live, demo, hostile or the path of a WARC file. Got {name!r}.")
    return str(path.resolve())


def _seeds(argument: Any, topic: Topic, settings: Any, is_confined: bool) -> list[str]:
    if argument is None:
        return given.check_seeds(topic.seeds, f"topic {topic.name!r} (seeds in topic.toml)")
    urls = given.read_seeds(str(argument), settings if is_confined else None)
    return given.check_seeds(urls, "spider argument 'seeds'", "-a seeds=" if names_urls(str(argument)) else "")


def _check_addresses(plan: CrawlPlan, settings: Any) -> None:
    """Refuse a crawl all of whose seeds have addresses that it may not ask, unless an earlier run has left it links."""
    is_begun = (Path(settings.get("JOBDIR") or plan.run_dir) / FRONTIER_FILE).exists()
    if plan.web == "live" and plan.seeds and not is_begun and all(map(plan.addresses.kind_of_url, plan.seeds)):
        raise PlanError(about_seeds(plan.seeds, plan.addresses.mode))


def _addresses(argument: str, seeds: list[str], web: str, settings: Any, is_confined: bool) -> PrivateAddresses:
    """Return which addresses may be asked.

    Of those that are not public only seeds on the command line: a topic's file and a file of seeds may come from a stranger,
    and a client of Scrapyd is one.
    """
    if web != "live":
        return PrivateAddresses(ALLOW)  # nothing is asked for on the network
    mode = PRIVATE_ADDRESSES.read(settings)
    if is_confined and mode == SEEDS:
        mode = REFUSE
    return PrivateAddresses(mode, seeds if names_urls(argument) else ())
