"""What a model says of the pages that come next, by the prior that its relevances are calibrated to.

The crawls are those that ``benchmarks/forecast.py`` has recorded. After 20, 40, 80 and 160 pages the topic is trained against
the pages met, as the crawl did, with one prior after the other; then the model judges as many pages as came next. Each page
is judged before it is learnt from, and labels that no crawl sees say what is relevant. Written are, as means over trainings:
F1, the distance between the share that is called relevant and the share that is, its bias, and the Brier score of the
relevances; and, of the prior, its distance from the share of relevant pages among those met.

Examples
--------
  python benchmarks/prior_of_met.py --webs ../webs
  python benchmarks/prior_of_met.py --only foldoc --draws 2 --no-write
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
from common import ROOT, chosen_names, machine, table
from forecast import truth_of
from known_webs import KNOWN, folder_of, labels_of, web_parser
from provenance import now, write_blocks
from unlabeled_met import CHOSEN_ON

from focused.method.learning.estimators.class_prior import estimate_prior
from focused.method.learning.share_of_relevant import estimate_share, prior_of_pages_met
from focused.method.topic import Topic, load_topic
from focused.method.topic.counted import relevance_of_texts
from focused.retraining.judged_pages import read_record, record_path
from focused.retraining.pages_met import train_on_pages_met

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.retraining.judged_pages import JudgedPage

TRAININGS = (20, 40, 80, 160)
PRIORS: dict[str, Callable[..., float]] = {
    "that of rare topics (D37)": lambda positive, met, *_: estimate_prior(positive, met).prior,
    "halfway: **the default**": prior_of_pages_met,
    "share of the pages met (D77)": lambda *pages: estimate_share(*pages).share,
}
_LEAST_NEXT = 10
"""Fewer pages after a training say nothing."""


@dataclass(frozen=True)
class Judged:
    """The pages after a training, by one prior."""

    web: str
    kind: str
    n_met: int
    relevances: np.ndarray
    accepted: np.ndarray
    true: np.ndarray
    #: Distance of the prior from the share of relevant pages among those met.
    prior_error: float

    @property
    def f1(self) -> float:
        """F1 of the pages called relevant; 0 where none is, and none is called so."""
        return 2 * (self.accepted & self.true).sum() / max(self.accepted.sum() + self.true.sum(), 1)

    @property
    def bias(self) -> float:
        """Share called relevant, less the share that is."""
        return float(self.accepted.mean() - self.true.mean())

    @property
    def brier(self) -> float:
        """Mean square of what the relevances are off."""
        return float(((self.relevances - self.true) ** 2).mean())


def main() -> None:
    parser = web_parser(__doc__, None, jobs=None)
    parser.add_argument("--crawls", type=Path, default=ROOT / "runs" / "forecast", help="default: runs/forecast")
    parser.add_argument("--draws", type=int, default=1, help="crawls of each topic, of two (default: 1)")
    options = parser.parse_args()
    found: list[Judged] = []
    for name in chosen_names(options.only, KNOWN):
        labels = labels_of(folder_of(name, options.data, options.webs) / f"{name}.labels.tsv")
        runs = sorted(options.crawls.resolve().glob(f"{name}/runs/*"))
        if not runs:
            sys.exit(
                f"{options.crawls / name} holds no crawls. Record them: python benchmarks/forecast.py --only {name}"
            )
        for run in runs:
            if int(run.name.rpartition("-r")[2].partition("-")[0]) <= options.draws:
                found += judged(name, run, labels)
        print(f"{name}: {sum(each.web == name for each in found) // len(PRIORS)} trainings", file=sys.stderr)
    text = f"{summary(found)}\n\n\\* the place between the two was chosen on this web. {machine()}."
    if options.no_write:
        print(text)
        return
    rooms = ["focused/method", "focused/retraining"]
    write_blocks(
        {"prior of the pages met": text}, now("python benchmarks/prior_of_met.py", rooms, {"draws": options.draws})
    )


def judged(web: str, run: Path, labels: dict[str, set[str]]) -> list[Judged]:
    """Train after each number of pages of a crawl, with each prior, and judge the pages after these."""
    is_true = truth_of(web, run.name, labels)
    if is_true is None:
        return []
    topic, (pages, _) = load_topic(run.name, run.parents[1] / "models"), read_record(record_path(run / "adaptive"))
    true = np.array([is_true(page.url) for page in pages], dtype=bool)
    found = []
    for n_met in TRAININGS:
        if len(pages) < n_met + _LEAST_NEXT:
            break
        rest = slice(n_met, 2 * n_met)
        for kind, estimates in PRIORS.items():
            try:
                made, prior = trained(topic, pages[:n_met], estimates)
            except ValueError:  # too few drawn pages: the crawl did not train then, either
                continue
            relevances = relevance_of_texts(made, [page.terms for page in pages[rest]], "page")
            accepted = relevances >= made.threshold("page")
            found.append(Judged(web, kind, n_met, relevances, accepted, true[rest], abs(prior - true[:n_met].mean())))
    return found


def trained(topic: Topic, pages: list[JudgedPage], estimates: Callable[..., float]) -> tuple[Topic, float]:
    """Return the topic, trained against the pages met with a prior estimated so, and that prior."""
    priors: list[float] = []

    def prior(*about: Any) -> float:
        priors.append(estimates(*about))
        return priors[-1]

    with patch("focused.retraining.pages_met.prior_of_pages_met", prior):
        return train_on_pages_met(topic, pages, {}), priors[-1]


def summary(found: list[Judged]) -> str:
    """Return the table: each prior on each web, and on all that the place between them was chosen on and on the others."""
    groups = {f"{web}{' *' if web in CHOSEN_ON else ''}": [each for each in found if each.web == web] for web in KNOWN}
    groups["**chosen on**"] = [each for each in found if each.web in CHOSEN_ON]
    groups["**others**"] = [each for each in found if each.web not in CHOSEN_ON]
    rows = []
    for title, members in groups.items():
        for kind in PRIORS:
            some = [each for each in members if each.kind == kind]
            if not some:
                continue
            f1 = np.mean([each.f1 for each in some if each.true.any()] or [np.nan])
            bias, brier = (np.array([getattr(each, name) for each in some]) for name in ("bias", "brier"))
            error = np.mean([each.prior_error for each in some])
            cells = (
                f"{f1:.3f}",
                f"{abs(bias).mean():.3f}",
                f"{bias.mean():+.3f}",
                f"{brier.mean():.3f}",
                f"{error:.3f}",
            )
            rows.append([title, kind, str(len(some)), *cells])
    return table(["web", "prior", "trainings", "F1", "distance", "bias", "Brier", "prior: distance"], rows)


if __name__ == "__main__":
    main()
