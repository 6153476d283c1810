"""The crawls of each paper: as printed, with today's parts, and what a doubtful reading is compared by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evaluations.plan import web_arguments

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
RECORDED = ("hyperphysics", "webkb", "foldoc")

PRINTED: dict[str, str] = {
    "FOCUSED_BELOW_THRESHOLD": "drop",
    "FOCUSED_MERGE_EVIDENCE": "False",
    "FOCUSED_CONTEXT_OTHER_ANCHORS": "include",
    "FOCUSED_BLOCK_TAGS": "paper",
    "FOCUSED_PAGE_TEXT": "whole",
}
"""What all of the papers do [P13, Sect. 3 and 5; L14, Sect. 4; P15, Sect. 3], and what we do since."""
_L16 = PRINTED | {"FOCUSED_SIMILARITY": "cosine", "FOCUSED_PAGE_TEXT": "sections"}
THRESHOLDS = ("0.05", "0.1", "0.2", "0.3", "0.5")
LAMBDAS = ("0.2", "1", "3", "6")
OUTCOMES = "14"


@dataclass(frozen=True)
class Evaluation:
    """One call of ``scrapy evaluate``; the folder of its results bears its name."""

    name: str
    web: str
    strategies: Sequence[str]
    settings: Mapping[str, str] = field(default_factory=dict)
    learner: str = "screened_svm"
    #: An evaluation whose topics were trained in the same way: they are not trained again.
    models_from: str = ""

    def arguments(self, folders: Mapping[str, Path], quick: bool) -> list[str]:
        """Return the arguments of ``scrapy evaluate``. ``folders``: where the recorded and the made webs lie."""
        found = web_arguments(self.web, folders["data" if self.web in RECORDED else "webs"])
        if quick and self.web != "demo":
            at = found.index("--topics") + 1
            found[at] = ",".join(found[at].split(",")[:2])
        elif quick:
            found[found.index("--largest") + 1] = "2"
        sets = [word for name, value in self.settings.items() for word in ("-s", f"{name}={value}")]
        size = ["--pages", "300", "--repeats", "1"] if quick else ["--pages", "600", "--repeats", "3"]
        chosen = ["--strategies", ",".join(self.strategies), "--learner", self.learner]
        return [*found, *chosen, *size, "--start", "web", "--quiet", *sets]


WVC = {"hyperphysics": "wvc", "webkb": "wvc", "demo": "iterated_svm"}
"""P13's classifier by web. On the demo web 1-DNFC finds too few reliable negatives: the topic's terms stand in other pages,
too. There the same rounds of SVMs begin with the documents nearest to being negatives, and the last SVM judges (D14)."""


def _on_all(
    name: str, strategies: Sequence[str], settings: Mapping[str, str], learner: str | Mapping[str, str]
) -> list[Evaluation]:
    of_web = dict.fromkeys(WEBS, learner) if isinstance(learner, str) else learner
    return [Evaluation(f"{name}-{web}", web, strategies, settings, of_web[web]) for web in WEBS]


_P13 = ("breadth_first", "best_first", "anchor_text", "link_context", "cbp", "slc", "cbp_slc")
_P15 = ("breadth_first", "best_first", "anchor_text", "link_context", "clustering", "incremental")
_MODERN = (*_P13, "anchor_tree", "lpe", "clustering", "incremental", "hybrid", "adaptive")
_CONTEXT = ("slc", "cbp_slc", "link_context")

MODERN = _on_all("modern", _MODERN, {}, "screened_svm")


def _contexts() -> list[Evaluation]:
    return [
        Evaluation(f"context-{rule}-{web}", web, _CONTEXT, {"FOCUSED_CONTEXT_OTHER_ANCHORS": rule})
        for web in CHOSEN_ON
        for rule in ("exclude", "include")
    ]


def _thresholds() -> list[Evaluation]:
    return [
        Evaluation(
            f"lpe-{below}-{threshold}-{web}", web, ("lpe",),
            {
                "FOCUSED_SIMILARITY": "cosine", "FOCUSED_COSINE_THRESHOLD": threshold, "FOCUSED_BELOW_THRESHOLD": below,
                "FOCUSED_MERGE_EVIDENCE": "False",
            },
            models_from=f"context-exclude-{web}",
        )
        for web in ("hyperphysics", "sites")
        for below, values in (("drop", THRESHOLDS), ("defer", ("0.1", "0.5")))
        for threshold in values
    ]  # fmt: skip


def _lambdas() -> list[Evaluation]:
    """Clusters by lambda, and the same cosine without clusters."""
    cosines = [
        Evaluation(
            f"cosine-{web}",
            web,
            ("link_context",),
            {"FOCUSED_SIMILARITY": "cosine"},
            models_from=f"context-exclude-{web}",
        )
        for web in ("hyperphysics", "sites")
    ]
    return cosines + [
        Evaluation(
            f"lambda-{value}-{web}", web, ("clustering",), {"FOCUSED_CLUSTER_LAMBDA": value},
            models_from=f"context-exclude-{web}",
        )
        for web in ("hyperphysics", "sites")
        for value in LAMBDAS
    ]  # fmt: skip


def _incremental() -> list[Evaluation]:
    learns = {"FOCUSED_INCREMENTAL_EVERY_OUTCOMES": OUTCOMES}
    alone = {"FOCUSED_INCREMENTAL_CLUSTERING": "False"}
    kinds = {"afresh": {}, "alone": alone, "learning": learns, "learning-alone": learns | alone}
    return [
        Evaluation(f"incremental-{kind}-{web}", web, ("incremental",), given, models_from=f"context-exclude-{web}")
        for web in ("hyperphysics", "sites", "wiki")
        for kind, given in kinds.items()
    ]


PLAN: dict[str, list[Evaluation]] = {
    "P13": [*_on_all("p13", _P13, PRINTED, WVC), *MODERN, *_contexts()],
    "L14": [
        *_on_all(
            "l14",
            ("breadth_first", "best_first", "anchor_text", "anchor_tree", "link_context", "slc"),
            PRINTED | {"FOCUSED_CONTEXT_OTHER_ANCHORS": "exclude"},
            WVC,
        ),
        *MODERN,
        *_contexts(),
    ],
    "L16": [
        *(
            evaluation
            for threshold in ("0.5", "0.1")
            for evaluation in _on_all(
                f"l16-{threshold}",
                ("breadth_first", "best_first", "anchor_text", "link_context", "cbp", "lpe"),
                _L16 | {"FOCUSED_COSINE_THRESHOLD": threshold},
                "naive_bayes_l16",
            )
        ),
        *MODERN,
        *(
            one
            for one in _contexts()
            if one.name.startswith("context-exclude") and one.web in ("hyperphysics", "sites")
        ),
        *_thresholds(),
    ],
    "P15": [
        *_on_all("p15", _P15, PRINTED | {"FOCUSED_INCREMENTAL_EVERY_OUTCOMES": OUTCOMES}, "incremental_svm"),
        *MODERN,
        *(one for one in _contexts() if one.name.startswith("context-exclude")),
        *_lambdas(),
        *_incremental(),
    ],
    "I18": [*_on_all("i18", ("breadth_first", "best_first", "hybrid"), PRINTED, "svm"), *MODERN],
}
"""The evaluations of each paper; those that papers share are made once."""
