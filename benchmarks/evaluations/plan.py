"""The plan of the evaluations: webs with all strategies, and sweeps over one parameter each."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from web_makers.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

TOPICS = {
    "hyperphysics": (
        "Geophysics,Astrophysics,Electricity and Magnetism,Sound,Quantum Physics,Mechanics,Light and Vision,Nuclear,"
        "Thermodynamics,Biology"
    ),
    "webkb": "student,faculty,course,project,department,staff",
}
PAGES = {"hyperphysics": 600, "webkb": 1000, "demo": 500}

MORE_TOPICS = {
    "foldoc": "language,networking,operating system,hardware,mathematics",
    **{name: kind.topics for name, kind in KINDS.items()},
}
"""Webs that are compared only if they are named, and their topics. `foldoc` lies in the folder of the recorded webs; the
others are those that benchmarks/webs.py makes."""
MORE_PAGES = 300

SWEPT = ("cbp_slc", "lpe", "best_first")
"""The strategies whose parameters are swept."""

SWEEP_PAGES = 300


@dataclass(frozen=True)
class Sweep:
    """One parameter, its values, and the strategies to crawl with."""

    name: str
    title: str
    #: The setting that is changed, or an option of the command (with its dashes).
    what: str
    values: Sequence[object]
    #: The project's default, which needs no run of its own.
    default: object
    strategies: Sequence[str] = SWEPT
    #: More settings that every value needs.
    settings: Mapping[str, object] = field(default_factory=dict)
    is_logarithmic: bool = False
    source: str = ""

    @property
    def is_numeric(self) -> bool:
        """Whether the values are numbers."""
        return all(isinstance(value, int | float) for value in self.values)


SWEEPS = [
    Sweep("alpha", "alpha of CBP", "FOCUSED_BLOCK_ALPHA", [0.25, 0.5, 0.75, 1.0], 0.5, ("cbp_slc", "lpe")),
    Sweep(
        "threshold", "threshold of blocks, anchors, contexts", "FOCUSED_LINK_THRESHOLD", [0.1, 0.3, 0.5, 0.7, 0.9], None,
        ("cbp_slc", "lpe"),
    ),
    Sweep(
        "cosine", "threshold, cosine similarity", "FOCUSED_COSINE_THRESHOLD", [0.05, 0.1, 0.2, 0.3, 0.5], None,
        ("cbp_slc", "lpe"), {"FOCUSED_SIMILARITY": "cosine"},
    ),
    Sweep("lambda", "lambda of JFE", "FOCUSED_JFE_LAMBDA", [0.0, 0.25, 0.5, 0.75, 1.0], 0.5, ("lpe",)),
    Sweep("tags", "block tags", "FOCUSED_BLOCK_TAGS", ["modern", "paper"], "modern", ("cbp_slc", "lpe")),
    Sweep("below", "links below the threshold", "FOCUSED_BELOW_THRESHOLD", ["defer", "drop"], "defer",
          ("cbp_slc", "lpe")),
    Sweep("concurrency", "requests at a time", "--concurrency", [1, 4, 16], 1, is_logarithmic=True),
    Sweep("positives", "positives", "--positives", [5, 10, 20, 30, 50], 30),
    Sweep(
        "cluster-lambda", "lambda of clustering", "FOCUSED_CLUSTER_LAMBDA", [0.2, 1.0, 2.0, 3.0, 4.0, 6.0], 3.0,
        ("clustering",), source="P15 fig. 5",
    ),
    Sweep(
        "clustered", "incremental, clustering", "FOCUSED_INCREMENTAL_CLUSTERING", [True, False], True, ("incremental",),
        source="P15 6.2",
    ),
]  # fmt: skip


def first_topics(name: str, n: int) -> str:
    """Return the first topics of a web in the plan, as the option of ``scrapy evaluate`` names them."""
    [topics] = csv.reader([TOPICS.get(name) or MORE_TOPICS[name]])
    return ",".join(f'"{topic}"' for topic in topics[:n])


def web_arguments(name: str, data: Path) -> list[str]:
    """Return the options of ``scrapy evaluate`` that name a web, its labels, its topics and its seeds."""
    if name == "demo":
        return ["--web", "demo", "--largest", "4"]
    topics = TOPICS.get(name) or MORE_TOPICS[name]
    found = ["--web", str(data / f"{name}.warc.gz"), "--labels", str(data / f"{name}.labels.tsv")]
    seeds = str(data / "webkb.seeds.txt") if name == "webkb" else "5"
    return [*found, "--topics", topics, "--seeds", seeds]
