"""Check the options of ``scrapy evaluate``."""

from __future__ import annotations

import csv
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from focused.crawl import arguments as given
from focused.crawl.presets import check_text_learnt
from focused.evaluation.examples_elsewhere import OtherWeb
from focused.evaluation.options import Options, WebOption
from focused.evaluation.starts import ELSEWHERE, STARTS, WORDS
from focused.method.learning.learners import LEARNERS, check_learner
from focused.method.strategies import PLUG_IN, STRATEGIES, strategy_class
from focused.method.topic import check_topic_name
from focused.method.topic.presets import MODERN, check_preset, load_preset
from focused.utils.clock import VIRTUAL_DELAY, VIRTUAL_LATENCY
from focused.utils.close_names import did_you_mean
from focused.utils.plugins import is_class_path
from focused.utils.project_command import whole_number
from focused.utils.url_lists import asked_for
from focused.utils.words import quantity

if TYPE_CHECKING:
    import argparse

    from focused.utils.setting import Setting

NEVER_SET = frozenset(
    "FOCUSED_MODELS_DIR FOCUSED_RUN_DIR FOCUSED_WEB FOCUSED_ORACLE_FILE FOCUSED_MAX_PAGES FOCUSED_STRATEGY".split()
)
"""Settings that an evaluation decides itself, so ``-s`` cannot; FOCUSED_STRATEGY names the strategy that all are compared
with."""


def read_options(opts: argparse.Namespace, settings: dict[str, str]) -> Options:
    """Return the options of an evaluation; a ValueError says which one is missing or wrong."""
    positives = whole_number("--positives", opts.positives, 1)
    seeds = _seeds(str(opts.seeds))
    if isinstance(seeds, int) and not opts.seeds_apart and seeds > positives:
        drawn = f"--seeds {seeds} are drawn from --positives {positives}"
        raise ValueError(f"{drawn}. Draw fewer, or from other pages: --seeds-apart")
    if opts.seeds_apart and not isinstance(seeds, int):
        drawn = "--seeds-apart says where seeds are drawn from; a file of seeds is used as it is"
        raise ValueError(f"{drawn}. Leave one out.")
    if opts.topics is not None and (opts.largest is not None or opts.min_pages is not None):
        raise ValueError("--topics names the topics, --largest and --min-pages choose them. Leave one out.")
    check_learner(opts.learner or LEARNERS[0])
    presets, starts = _presets(opts), _starts(opts.start)
    for preset in map(load_preset, presets):
        check_text_learnt(preset, preset.settings | settings)
    if WORDS in starts and set(presets) - {MODERN}:
        raise ValueError(f"--start {WORDS} makes topics without a learner: no paper's --preset crawls for them.")
    if opts.latency is not None and opts.delay is None:
        raise ValueError("--latency is a time of virtual time, which --delay SECONDS switches on. Give both.")
    return Options(
        webs=_webs(opts),
        strategies=() if presets and opts.strategies is None else _strategies(opts.strategies or "all"),
        topics=_names("--topics", opts.topics),
        largest=_optional("--largest", opts.largest),
        min_pages=_optional("--min-pages", opts.min_pages),
        exclude=_names("--exclude", opts.exclude) or (),
        depth=_optional("--depth", opts.depth),
        pages=whole_number("--pages", opts.pages, 1),
        positives=positives,
        unlabeled=whole_number("--unlabeled", opts.unlabeled, 1),
        seeds=seeds,
        seeds_apart=bool(opts.seeds_apart),
        repeats=whole_number("--repeats", opts.repeats, 1),
        random_state=whole_number("--random-state", opts.random_state, 0),
        concurrency=whole_number("--concurrency", opts.concurrency, 1),
        delay=_secs("--delay", opts.delay, VIRTUAL_DELAY),
        latency=_secs("--latency", opts.latency, VIRTUAL_LATENCY),
        learner=opts.learner or LEARNERS[0],
        starts=starts,
        presets=presets,
        background_without=_sources(opts.background_without),
        elsewhere=_elsewhere(opts, starts),
        settings=_settings(settings),
    )


def _webs(opts: argparse.Namespace) -> tuple[WebOption, ...]:
    webs, labels, topics = opts.web or [], list(opts.labels or []), _names("--labels-from", opts.labels_from) or ()
    if not webs:
        raise ValueError("--web is missing. Example: --web site.warc.gz --labels site.labels.tsv, or --web demo")
    if topics and labels:
        raise ValueError("--labels are those of people, --labels-from those of a classifier. Leave one out.")
    for name in topics:
        check_topic_name(name)
    if "hostile" in webs:
        raise ValueError(
            "--web must be demo or the path of a WARC file. The hostile web is for crawls: its bound and its labels know "
            "nothing of traps. Crawl it: scrapy crawl focused -a topic=demo -a web=hostile"
        )
    if not topics and len(labels) not in (len(webs), sum(web != "demo" for web in webs)):
        got = f"{quantity(len(webs), 'webs')} and {quantity(len(labels), 'files')} of labels"
        raise ValueError(
            f"--labels must be given once for each --web, in the same order (the demo web has its own). Got {got}. If there "
            f"are none: --labels-from TOPIC"
        )
    found: list[WebOption] = []
    for web in webs:
        has_file = not topics and (web != "demo" or len(labels) >= len(webs) - len(found))
        own = _file("--labels", labels.pop(0)) if has_file and labels else None
        found.append(WebOption(web if web == "demo" else _file("--web", web), own, topics))
    if len(set(found)) < len(found):
        raise ValueError("--web and --labels name the same files twice. Leave one out.")
    return tuple(found)


def _elsewhere(opts: argparse.Namespace, starts: tuple[str, ...]) -> OtherWeb | None:
    """Return where examples from elsewhere come from: the options are asked for with that start, and only with it."""
    given_options = (opts.elsewhere_web, opts.elsewhere_labels, opts.elsewhere_topics)
    if ELSEWHERE not in starts:
        if any(given_options):
            raise ValueError(f"--elsewhere-... are for --start {ELSEWHERE}. Give it, or leave them out.")
        return None
    if not (opts.elsewhere_web and opts.elsewhere_labels):
        raise ValueError(
            f"--start {ELSEWHERE} takes examples from another web: --elsewhere-web and --elsewhere-labels."
        )
    topics, labels = _names("--topics", opts.topics), _names("--elsewhere-topics", opts.elsewhere_topics)
    if labels and len(labels) != len(topics or ()):
        raise ValueError("--elsewhere-topics names one label of the other web for each of --topics, in the same order.")
    web, file = _file("--elsewhere-web", opts.elsewhere_web), _file("--elsewhere-labels", opts.elsewhere_labels)
    if web in {_file("--web", each) for each in opts.web or () if each != "demo"}:
        raise ValueError(
            "--elsewhere-web must be another web than those of --web: its pages would come from the same sites."
        )
    return OtherWeb(web, file, dict(zip(topics or (), labels or (), strict=False)))


def _file(option: str, name: str) -> str:
    with suppress(OSError, ValueError, RuntimeError):
        if (path := Path(name).expanduser().resolve()).is_file():
            return str(path)
    also = " (or demo)" if option == "--web" else ""
    raise ValueError(f"{option} must be the path of a file{also}. There is none at {name!r}.")


def _strategies(value: str) -> tuple[str, ...]:
    if value.strip() == "all":
        return tuple(STRATEGIES)
    names = _names("--strategies", value) or ()
    known = PLUG_IN.names(tuple(STRATEGIES))
    for name in names:
        if name not in known and not is_class_path(name):
            raise ValueError(
                f"--strategies must be all, or some of {', '.join(known)} and paths of classes, separated by commas. "
                f"Got {name!r}.{did_you_mean(name, known)}"
            )
        strategy_class(name)
    return names


def _presets(opts: argparse.Namespace) -> tuple[str, ...]:
    names = _names("--preset", opts.preset) or ()
    for name in names:
        check_preset(name)
    if names and opts.learner is not None:
        raise ValueError(f"--learner {opts.learner} and --preset both name a learner. Leave one out.")
    return names


def _starts(value: str) -> tuple[str, ...]:
    names = _names("--start", value) or ()
    for name in names:
        if name not in STARTS:
            raise ValueError(
                f"--start must be some of {', '.join(STARTS)}, separated by commas. Got {name!r}."
                f"{did_you_mean(name, STARTS)}"
            )
    return names


def _sources(value: str | None) -> tuple[str, ...] | None:
    if value == "none":
        return ()
    from focused.method.training.general_background import general_background

    names = _names("--background-without", value)
    known = general_background().sources if names else {}
    for name in names or ():
        if name not in known:
            raise ValueError(
                f"--background-without must be none, or some of {', '.join(known)}, separated by commas. Got {name!r}."
                f"{did_you_mean(name, tuple(known))}"
            )
    return names


def _names(option: str, value: str | None) -> tuple[str, ...] | None:
    """Return names separated by commas, each once. A name with a comma is in double quotes, as in CSV."""
    if value is None:
        return None
    try:
        (found,) = csv.reader([value], skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        raise ValueError(
            f"{option} must be names separated by commas; double quotes go around a whole name that holds a comma: "
            f"'\"A, with a comma\",B'. Got {value!r}."
        ) from None
    names = tuple(dict.fromkeys(name.strip() for name in found if name.strip()))
    if not names:
        raise ValueError(f"{option} must be names separated by commas. Got {value!r}.")
    return names


def _seeds(value: str) -> int | tuple[str, ...]:
    if re.fullmatch(r"[0-9]+", value):
        return whole_number("--seeds", value, 1)
    if "://" not in value and not asked_for(value):
        _file("--seeds", value)
    return tuple(given.check_seeds(given.read_seeds(value, option="--seeds "), f"--seeds {value}"))


def _settings(settings: dict[str, str]) -> dict[str, str]:
    for name in sorted(NEVER_SET & settings.keys() - {"FOCUSED_STRATEGY", "FOCUSED_MODELS_DIR"}):
        raise ValueError(f"-s {name} is decided by the evaluation itself. Leave it out.")
    for name in sorted({"FOCUSED_MAX_RELEVANT", "JOBDIR"} & settings.keys()):
        # Training positives would count for the goal; in a job directory each crawl would find the requests of the last one.
        instead = "every crawl starts anew and fetches --pages"
        raise ValueError(f"-s {name} is not for evaluations: {instead}. Leave it out.")
    if "CONCURRENT_REQUESTS" in settings:
        raise ValueError("-s CONCURRENT_REQUESTS is --concurrency here.")
    for name, option in ((VIRTUAL_DELAY.name, "--delay"), (VIRTUAL_LATENCY.name, "--latency")):
        if name in settings:
            raise ValueError(f"-s {name} is {option} here.")
    if "DEPTH_LIMIT" in settings:
        raise ValueError("-s DEPTH_LIMIT is --depth here, so that the bound knows of it.")
    # Settings that change no crawl do not count: otherwise they would prevent resuming an evaluation.
    without = {"FOCUSED_STRATEGY", "FOCUSED_MODELS_DIR", "FOCUSED_CACHE_DIR", "LOG_LEVEL", "LOG_FILE", "LOG_ENABLED"}
    return {name: value for name, value in settings.items() if name not in without}


def _secs(option: str, value: str | None, setting: Setting) -> float | None:
    return None if value is None else setting.check(value, option)


def _optional(option: str, value: str | None) -> int | None:
    return None if value is None else whole_number(option, value, 1)
