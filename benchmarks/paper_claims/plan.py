"""The crawls of each paper: by its preset, by today's defaults, and what a doubtful reading is compared by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from evaluations.plan import web_arguments
from known_webs import RECORDED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

PAPERS = ("P13", "L14", "L16", "P15", "I18")
WEBS = {
    "hyperphysics": "a site by topic",
    "webkb": "genres",
    "demo": "pages of mixed blocks",
}
"""The kinds of webs. Those below serve the comparisons of readings."""
CHOSEN_ON = ("hyperphysics", "sites", "wiki", "foldoc", "forum", "wire")

THRESHOLDS = ("0.05", "0.1", "0.2", "0.3", "0.5")
LAMBDAS = ("0.2", "1", "3", "6")
OUTCOMES = "14"
_ALONE = {"FOCUSED_INCREMENTAL_CLUSTERING": "False"}
_LEARNS_NOTHING = {"FOCUSED_INCREMENTAL_EVERY_OUTCOMES": "0"}
PARTS_OF_P15 = {"alone": _ALONE | _LEARNS_NOTHING, "afresh": _LEARNS_NOTHING, "learning-alone": _ALONE}
"""What leaves out parts of P15's crawler: clusters, learning in the crawl, or both."""


class Size(NamedTuple):
    """How much an evaluation crawls. ``topics``: the first so many of each web; None: all."""

    pages: int
    repeats: int
    topics: int | None


QUICK = Size(300, 1, 2)
"""Also the size of what serves to compare readings."""


@dataclass(frozen=True)
class Evaluation:
    """One call of ``scrapy evaluate``; the folder of its results bears its name."""

    name: str
    web: str
    strategies: Sequence[str]
    preset: str = "modern"
    settings: Mapping[str, str] = field(default_factory=dict)
    #: An evaluation whose topics were trained in the same way: they are not trained again.
    models_from: str = ""
    #: Whether it compares readings: then it stays as small as in a quick run.
    is_reading: bool = False

    def arguments(self, folders: Mapping[str, Path], size: Size) -> list[str]:
        """Return the arguments of ``scrapy evaluate``. ``folders``: where the recorded and the made webs lie."""
        size = QUICK if self.is_reading else size
        found = web_arguments(self.web, folders["data" if self.web in RECORDED else "webs"])
        if size.topics is not None and self.web != "demo":
            at = found.index("--topics") + 1
            found[at] = ",".join(found[at].split(",")[: size.topics])
        elif size.topics is not None:
            found[found.index("--largest") + 1] = str(size.topics)
        sets = [word for name, value in self.settings.items() for word in ("-s", f"{name}={value}")]
        chosen = ["--strategies", ",".join(self.strategies), "--preset", self.preset]
        budget = ["--pages", str(size.pages), "--repeats", str(size.repeats)]
        return [*found, *chosen, *budget, "--start", "web", "--quiet", *sets]


STRATEGIES = {
    "P13": ("breadth_first", "best_first", "anchor_text", "link_context", "cbp", "slc", "cbp_slc"),
    "L14": ("breadth_first", "best_first", "anchor_text", "anchor_tree", "link_context", "slc"),
    "L16": ("breadth_first", "best_first", "anchor_text", "link_context", "cbp", "lpe"),
    "P15": ("breadth_first", "best_first", "anchor_text", "link_context", "clustering", "incremental"),
    "I18": ("hybrid",),
}
"""The crawlers of each paper, its own last."""
_MODERN = (*STRATEGIES["P13"], "anchor_tree", "lpe", "clustering", "incremental", "hybrid")
_CONTEXT = ("slc", "cbp_slc", "link_context")


def _by_preset(paper: str) -> list[Evaluation]:
    return [Evaluation(f"{paper.lower()}-{web}", web, STRATEGIES[paper], paper.lower()) for web in WEBS]


MODERN = [Evaluation(f"modern-{web}", web, _MODERN) for web in WEBS]


def _reading(
    name: str, web: str, strategies: Sequence[str], settings: Mapping[str, str], models_from: str = ""
) -> Evaluation:
    of_web = f"{models_from}-{web}" if models_from else ""
    return Evaluation(f"{name}-{web}", web, strategies, "modern", settings, of_web, is_reading=True)


def _contexts(webs: Sequence[str] = CHOSEN_ON, rules: Sequence[str] = ("exclude", "include")) -> list[Evaluation]:
    return [
        _reading(f"context-{rule}", web, _CONTEXT, {"FOCUSED_CONTEXT_OTHER_ANCHORS": rule})
        for web in webs
        for rule in rules
    ]


def _printed_threshold() -> list[Evaluation]:
    """L16 with the threshold that it prints; what does not ask for it is as in the evaluation of its preset."""
    return [
        Evaluation(
            f"l16-0.5-{web}", web, STRATEGIES["L16"][2:], "l16", {"FOCUSED_COSINE_THRESHOLD": "0.5"}, f"l16-{web}"
        )
        for web in WEBS
    ]


def _printed(paper: str, name: str, strategies: Sequence[str], settings: Mapping[str, str]) -> list[Evaluation]:
    """A paper's preset but for some settings, on all kinds of webs, by the topics of its own crawls."""
    preset = paper.lower()
    return [Evaluation(f"{preset}-{name}-{web}", web, strategies, preset, settings, f"{preset}-{web}") for web in WEBS]


def _contexts_as_printed() -> list[Evaluation]:
    """P13 by L14's context rule; by its own it is the preset's."""
    return _printed("P13", "exclude", _CONTEXT, {"FOCUSED_CONTEXT_OTHER_ANCHORS": "exclude"})


def _thresholds_as_printed() -> list[Evaluation]:
    """The thresholds between that of the preset and the printed one, and one below."""
    values = [value for value in THRESHOLDS if value not in ("0.1", "0.5")]
    return [one for value in values for one in _printed("L16", value, ("lpe",), {"FOCUSED_COSINE_THRESHOLD": value})]


def _lambdas_as_printed() -> list[Evaluation]:
    """Clusters by lambda; 3 is the preset's own."""
    values = [value for value in LAMBDAS if value != "3"]
    return [
        one
        for value in values
        for one in _printed("P15", f"lambda-{value}", ("clustering",), {"FOCUSED_CLUSTER_LAMBDA": value})
    ]


def _incremental_as_printed() -> list[Evaluation]:
    """What P15's crawler is made of, one part left out after the other; with all parts it is the preset's own."""
    return [one for kind, given in PARTS_OF_P15.items() for one in _printed("P15", kind, ("incremental",), given)]


def _thresholds() -> list[Evaluation]:
    cosine = {"FOCUSED_SIMILARITY": "cosine", "FOCUSED_MERGE_EVIDENCE": "False"}
    return [
        _reading(
            f"lpe-{below}-{threshold}", web, ("lpe",),
            cosine | {"FOCUSED_COSINE_THRESHOLD": threshold, "FOCUSED_BELOW_THRESHOLD": below}, "context-exclude",
        )
        for web in ("hyperphysics", "sites")
        for below, values in (("drop", THRESHOLDS), ("defer", ("0.1", "0.5")))
        for threshold in values
    ]  # fmt: skip


def _lambdas() -> list[Evaluation]:
    """Clusters by lambda."""
    return [
        _reading(f"lambda-{value}", web, ("clustering",), {"FOCUSED_CLUSTER_LAMBDA": value}, "context-exclude")
        for web in ("hyperphysics", "sites")
        for value in LAMBDAS
    ]


def _incremental() -> list[Evaluation]:
    learns = {"FOCUSED_INCREMENTAL_EVERY_OUTCOMES": OUTCOMES}
    kinds = {"afresh": {}, "alone": _ALONE, "learning": learns, "learning-alone": learns | _ALONE}
    return [
        _reading(f"incremental-{kind}", web, ("incremental",), given, "context-exclude")
        for web in ("hyperphysics", "sites", "wiki")
        for kind, given in kinds.items()
    ]


PLAN: dict[str, list[Evaluation]] = {
    "P13": [*_by_preset("P13"), *_contexts_as_printed(), *MODERN, *_contexts()],
    "L14": [*_by_preset("L14"), *_by_preset("P13"), *_contexts_as_printed(), *MODERN, *_contexts()],
    "L16": [
        *_by_preset("L16"),
        *_printed_threshold(),
        *_thresholds_as_printed(),
        *MODERN,
        *_contexts(("hyperphysics", "sites"), ("exclude",)),
        *_thresholds(),
    ],
    "P15": [
        *_by_preset("P15"),
        *_lambdas_as_printed(),
        *_incremental_as_printed(),
        *MODERN,
        *_contexts(("hyperphysics", "sites", "wiki"), ("exclude",)),
        *_lambdas(),
        *_incremental(),
    ],
    "I18": [*_by_preset("I18"), *MODERN],
}
"""The evaluations of each paper; those that papers share are made once."""
