"""Plans a crawl: checks what it is going to do before its first request.

The ``crawl`` command plans before anything starts, so that a mistake is one line, and hands the plan to the spider;
started otherwise, the spider plans itself. Settings are a mapping that knows priorities.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from focused.crawl import arguments as given
from focused.crawl.alerts import Conditions
from focused.crawl.arguments import PlanError
from focused.crawl.declared_settings import check_settings
from focused.crawl.feeds import check_feeds
from focused.crawl.former_classes import refuse_former_classes
from focused.crawl.old_middlewares import with_old_middlewares
from focused.crawl.plan import CrawlPlan
from focused.crawl.reader_and_judge import make_judge, make_reader
from focused.crawl.run_directory import (
    check_copies,
    check_earlier_crawl,
    check_frontier_folder,
    check_worker_folder,
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
    contact_settings,
    offline_settings,
    topic_settings,
    with_topic,
)
from focused.crawl.shared_crawl import find_shared
from focused.crawl.starting_points import addresses_of, check_addresses, seeds_of, web_of
from focused.crawl.topic_politeness import check_politeness
from focused.method.page.link_context import WINDOW_CHARS
from focused.method.page.text_units import PAGE
from focused.method.strategies import CHOICES, PLUG_IN, STRATEGIES, make_strategy
from focused.method.strategies.hybrid import Hybrid
from focused.method.topic import Topic, load_topic
from focused.method.topic.presets import check_preset
from focused.retraining.first_threshold import first_threshold
from focused.retraining.options import OFF, read_options
from focused.utils.close_names import did_you_mean
from focused.utils.crawl_settings import (
    BELOW_THRESHOLD,
    MAX_MINUTES,
    MAX_PAGES,
    MAX_RELEVANT,
    RUN_DIR,
    STRATEGY,
    WEB,
)
from focused.utils.file_names import WORKERS_FOLDER
from focused.utils.frontier_settings import DATABASE
from focused.utils.places import models_dirs
from focused.utils.plugins import is_class_path
from focused.webs import GENERATED, open_web

if TYPE_CHECKING:
    from collections.abc import Mapping

    from focused.crawl.shared_crawl import SharedCrawl
    from focused.method.page.reader import PageReader
    from focused.method.scoring import Strategy
    from focused.method.topic.judge import Judge
    from focused.utils.scope import Scope

_LIMITS = {"max_pages": MAX_PAGES, "max_relevant": MAX_RELEVANT, "max_minutes": MAX_MINUTES, "stop_when": STOP_WHEN}


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
    _check_all(effective)

    # What is crawled, and how far.
    web = web_of(arguments.get("web"), topic, effective, is_confined)
    if web == "live":
        check_politeness(topic, settings)
    scope, decided_scope = read_scope(arguments, topic, effective)
    seeds = seeds_of(shared, arguments, topic, effective, is_confined=is_confined, needs_seeds=needs_seeds)
    check_seeds_in(scope, seeds)
    strategy = _strategy(arguments.get("strategy"), topic, effective)  # late, for it may have to learn
    limits = {name: given.read_limit(name, limit, arguments, effective) for name, limit in _LIMITS.items()}
    _check_outputs(arguments, effective)

    # What follows from that for the settings.
    brought = _brought_settings(topic, preset, web, strategy, effective)
    decided = {
        **_decided_settings(arguments, web, shared, effective),
        **{limit.name: limits[name] for name, limit in _LIMITS.items()},
        **decided_scope,
    }
    check_virtual_time(web, effective)
    reader, judge = _reader_and_judge(topic, strategy, scope, effective)
    if web != "live":
        open_web(web, effective).close()  # late, for it may have to index a large file

    plan = CrawlPlan(
        topic=topic,
        strategy=strategy,
        reader=reader,
        judge=judge,
        seeds=seeds,
        drops_below_threshold=BELOW_THRESHOLD.read(effective) == "drop",
        web=web,
        scope=scope,
        run_dir=make_run_dir(arguments.get("run_dir"), _folder_of_runs(topic, shared), effective, is_confined),
        web_options={each.name: each.read(effective) for each in GENERATED.get(web, {}).values()},
        preset=preset or topic.preset,
        settings=brought,
        decided=decided,
        addresses=addresses_of(str(arguments.get("seeds")), seeds, web, effective, is_confined),
        **limits,
    )
    decided[RUN_DIR.name] = str(plan.run_dir)
    _check_run_dir(plan, arguments, effective)
    if shared is not None and not shared.begin(plan, own, effective):
        return plan_crawl(own, settings, needs_seeds=needs_seeds)  # another worker was first: now it is joined
    return plan


def _check_all(settings: Any) -> None:
    check_settings(settings)
    refuse_former_classes(settings)
    check_values(settings)


def _check_outputs(arguments: Mapping[str, Any], settings: Any) -> None:
    Conditions(settings)  # refuses names of alerts, and actions, that there are not
    check_feeds(settings, arguments.get("run_dir"))
    check_copies(settings)


def _brought_settings(topic: Topic, preset: str, web: str, strategy: Strategy, settings: Any) -> dict[str, Any]:
    """Return the settings that preset, topic, web and strategy bring."""
    brought = topic_settings(topic, preset)
    if web != "live":
        brought |= offline_settings(settings)
    if strategy.order == "newest":
        brought |= NEWEST_FIRST_SETTINGS
    return brought


def _decided_settings(
    arguments: Mapping[str, Any], web: str, shared: SharedCrawl | None, settings: Any
) -> dict[str, Any]:
    """Return the settings that arguments decide: those of strategy, web and shared crawl."""
    return {
        STRATEGY.name: arguments.get("strategy") or STRATEGY.read(settings),
        WEB.name: web,
        **with_old_middlewares(settings),
        **(shared.decided(settings) if shared is not None else {"FOCUSED_DATABASE": ""}),
        **(contact_settings(settings) if web == "live" else {"DOWNLOAD_HANDLERS": OFFLINE_HANDLERS}),
    }


def _folder_of_runs(topic: Topic, shared: SharedCrawl | None) -> str:
    """Return the folder, in that of all runs, in which a new run directory is made."""
    return topic.name if shared is None else f"{topic.name}/{shared.name}/{WORKERS_FOLDER}"


def _reader_and_judge(topic: Topic, strategy: Strategy, scope: Scope, settings: Any) -> tuple[PageReader, Judge]:
    """Return what reads the pages and judges them; refuse a strategy that could not learn from pages that join."""
    options = read_options(settings, topic)
    if (
        strategy.name == Hybrid.name
        and topic.window_chars != WINDOW_CHARS.default
        and (options.mode != OFF or options.is_against_met(topic))
    ):
        raise PlanError(
            f"Pages that join in a crawl have windows of {WINDOW_CHARS.default} characters. Topic {topic.name!r} was trained "
            f"with {topic.window_chars}. Crawl without retraining: -s FOCUSED_RETRAINING=off -s FOCUSED_UNLABELED=topic"
        )
    reader, judge = make_reader(topic.analyzer, settings), make_judge(topic, settings)
    judge.languages = scope.languages
    if (threshold := first_threshold(topic, options)) is not None:
        judge.thresholds = {**judge.thresholds, PAGE: threshold}
    return reader, judge


def _check_run_dir(plan: CrawlPlan, arguments: Mapping[str, Any], settings: Any) -> None:
    """Refuse a run directory that another crawl has used, one whose frontier does not fit, and seeds that are not asked."""
    is_named = arguments.get("run_dir") or RUN_DIR.read(settings)
    try:
        check_addresses(plan, settings)
        check_frontier_folder(plan.run_dir, settings)
        if plan.decided.get(DATABASE.name):
            check_worker_folder(plan.run_dir)
        if is_named or settings.get("JOBDIR"):
            options = plan.web_options
            check_earlier_crawl(plan.run_dir, settings, topic=plan.topic.name, web=plan.web, web_options=options)
    except (ValueError, OSError):
        if not is_named:  # it was made just now
            with suppress(OSError):
                plan.run_dir.rmdir()
        raise


def _strategy(argument: Any, topic: Topic, settings: Any) -> Strategy:
    name = argument or STRATEGY.read(settings)
    if name not in STRATEGIES and not is_class_path(name) and name not in PLUG_IN.installed():
        source = f"The strategy of topic {topic.name!r}" if not argument and name == topic.strategy else "The strategy"
        choices = PLUG_IN.names(CHOICES)
        raise PlanError(
            f"{source} must be one of {', '.join(choices)}, or the path of a class. Got {name!r}.{did_you_mean(name, choices)}"
        )
    strategy = make_strategy(name, settings)
    found: Strategy = PLUG_IN.returned(strategy.prepare(topic), type(strategy), "prepare")
    return found
