"""The options of an evaluation. They are kept, and a resumed evaluation must have the same."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from focused.evaluation.starts import WEB
from focused.method.topic.presets import load_preset
from focused.utils.clock import VIRTUAL_DELAY, VIRTUAL_LATENCY
from focused.utils.words import with_preset

if TYPE_CHECKING:
    from focused.evaluation.examples_elsewhere import OtherWeb


@dataclass(frozen=True)
class WebOption:
    """One web, and the source of its labels."""

    #: Absolute path of a WARC file, or ``demo``.
    web: str
    #: Absolute path of a file of labels; None for the demo web's own labels, or for classifiers.
    labels: str | None = None
    labels_from: tuple[str, ...] = ()


@dataclass(frozen=True)
class Options:
    """The options of ``scrapy evaluate`` that change its results."""

    webs: tuple[WebOption, ...]
    #: Empty with presets whose own strategies crawl.
    strategies: tuple[str, ...]
    topics: tuple[str, ...] | None = None
    largest: int | None = None
    min_pages: int | None = None
    exclude: tuple[str, ...] = ()
    depth: int | None = None
    pages: int = 600
    positives: int = 30
    unlabeled: int = 1500
    #: Number to draw, or URLs.
    seeds: int | tuple[str, ...] = 5
    seeds_apart: bool = False
    repeats: int = 3
    random_state: int = 0
    concurrency: int = 1
    learner: str = ""
    #: Seconds of virtual time between two requests to a host, and for an answer; None: no virtual time, the default latency.
    delay: float | None = None
    latency: float | None = None
    #: What topics are trained from: some of `focused.evaluation.starts.STARTS`.
    starts: tuple[str, ...] = (WEB,)
    #: Sources that the general background leaves out; None: those of each web.
    background_without: tuple[str, ...] | None = None
    #: Where examples come from with `focused.evaluation.starts.ELSEWHERE`.
    elsewhere: OtherWeb | None = None
    #: Presets to compare; without any, topics and crawls are as the other options say.
    presets: tuple[str, ...] = ()
    #: Settings given with ``-s``.
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def crawls(self) -> list[tuple[str, str]]:
        """The crawls of a sample: preset (empty: none) and strategy of each. A preset brings its paper's strategies."""
        if not self.presets:
            return [("", strategy) for strategy in self.strategies]
        return [(name, each) for name in self.presets for each in self.strategies or load_preset(name).strategies]

    @property
    def series(self) -> list[str]:
        """The names of `crawls` for people."""
        return [with_preset(strategy, preset) for preset, strategy in self.crawls]

    @property
    def virtual_time(self) -> dict[str, str]:
        """The settings of virtual time."""
        given = {VIRTUAL_DELAY.name: self.delay, VIRTUAL_LATENCY.name: self.latency}
        return {name: str(value) for name, value in given.items() if value is not None}

    def kept(self, sha256: dict[str, str]) -> dict[str, Any]:
        """Return the options to keep, by name, with digests of the files.

        Strategies, starts, presets and repeats are left out: crawls do not depend on each other, so an evaluation can be
        extended by these.
        """
        found = asdict(self)
        webs = found.pop("webs")
        del found["strategies"], found["repeats"], found["starts"], found["presets"]
        if found["latency"] == VIRTUAL_LATENCY.default:
            found["latency"] = None
        for name in ("background_without", "delay", "latency", "elsewhere"):
            if found[name] is None:
                del found[name]  # an evaluation from before there was this option can be resumed
        kept: dict[str, Any] = {
            "--web": [web["web"] for web in webs],
            "--labels": [web["labels"] for web in webs],
            "--labels-from": [list(web["labels_from"]) for web in webs],
        }
        for name, value in found.items():
            flag = "-s" if name == "settings" else f"--{name.replace('_', '-')}"
            kept[flag] = list(value) if isinstance(value, tuple) else value
        return {**kept, "the files": sha256}


def first_difference(before: dict[str, Any], now: dict[str, Any]) -> tuple[str, Any, Any] | None:
    """Return the first option that differs, with both of its values; None if none does.

    >>> first_difference({"--pages": 600, "--seeds": 5}, {"--pages": 600, "--seeds": 3})
    ('--seeds', 5, 3)
    """
    for name in (*now, *(name for name in before if name not in now)):
        if before.get(name) != now.get(name):
            return name, before.get(name), now.get(name)
    return None
