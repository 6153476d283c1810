"""What becomes of versions that call hardly any example relevant when it is kept apart (docs/method/, D96).

The crawls are those that ``benchmarks/forecast.py`` has recorded. After 20, 40, 80 and 160 pages the topic is trained against
the pages met, as the crawl did: with its best threshold, and with a threshold that a fifth (or more) of the held-out examples
reach. Each version, and the topic's own model, judges as many pages as came next; labels that no crawl sees say what is
relevant. Trainings are grouped by the share of the examples that the best threshold lets pass, each kept apart. Written are
means: F1 of the next pages, and the share called relevant less the share that is.

Examples
--------
  python benchmarks/lost_examples.py --webs ../webs
  python benchmarks/lost_examples.py --only foldoc --no-write
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import patch

import numpy as np
from common import ROOT, chosen_names, machine, table
from forecast import truth_of
from known_webs import KNOWN, folder_of, labels_of, web_parser
from prior_of_met import TRAININGS
from provenance import now, write_blocks

from focused.method.topic import load_topic
from focused.method.topic.counted import relevance_of_texts
from focused.retraining.judged_pages import read_record, record_path
from focused.retraining.pages_met import train_on_pages_met

if TYPE_CHECKING:
    from focused.method.topic import Topic
    from focused.retraining.judged_pages import JudgedPage

LEAST_RECALLS = {"best threshold": 0.0, "a fifth: **the default**": 0.2, "three of ten": 0.3, "half": 0.5}
OWN = "the topic's own model"
GROUPS = ((0.0, 0.1), (0.1, 0.2), (0.2, 0.3), (0.3, 1.01))
_LEAST_NEXT = 10
"""Fewer pages after a training say nothing."""


class Judged(NamedTuple):
    """The pages after a training, by one model."""

    kind: str
    #: Share of the examples, each held out, that the version with the best threshold calls relevant.
    recall: float
    #: F1 of the next pages; NaN where none of them is relevant.
    f1: float
    bias: float


def main() -> None:
    parser = web_parser(__doc__, None, jobs=None)
    parser.add_argument("--crawls", type=Path, default=ROOT / "runs" / "forecast", help="default: runs/forecast")
    options = parser.parse_args()
    found: list[Judged] = []
    for name in chosen_names(options.only, KNOWN):
        labels = labels_of(folder_of(name, options.data, options.webs) / f"{name}.labels.tsv")
        for run in sorted(options.crawls.resolve().glob(f"{name}/runs/*")):
            found += judged(name, run, labels)
        print(f"{name}: {len(found)} judgements so far", file=sys.stderr)
    if not found:
        sys.exit(f"{options.crawls} holds no crawls. Record them: python benchmarks/forecast.py")
    text = f"{summary(found)}\n\n{machine()}."
    if options.no_write:
        print(text)
        return
    write_blocks(
        {"lost examples": text},
        now("python benchmarks/lost_examples.py", ["focused/method", "focused/retraining"], {"webs": options.only}),
    )


def judged(web: str, run: Path, labels: dict[str, set[str]]) -> list[Judged]:
    """Train after each number of pages of a crawl, in each way, and judge the pages after these."""
    is_true = truth_of(web, run.name, labels)
    if is_true is None or not record_path(run / "adaptive").is_file():
        return []
    topic, (pages, _) = load_topic(run.name, run.parents[1] / "models"), read_record(record_path(run / "adaptive"))
    found = []
    for n_met in TRAININGS:
        following = pages[n_met : 2 * n_met]
        if len(following) < _LEAST_NEXT:
            break
        true = np.array([is_true(page.url) for page in following], dtype=bool)
        try:
            models = {kind: trained(topic, pages[:n_met], least) for kind, least in LEAST_RECALLS.items()}
        except ValueError:  # too few drawn pages: the crawl did not train then, either
            continue
        recall = float(next(iter(models.values())).manifest["figures"]["recall"])
        for kind, model in {**models, OWN: topic}.items():
            relevances = relevance_of_texts(model, [page.terms for page in following], "page")
            accepted = relevances >= model.threshold("page")
            f1 = 2 * (accepted & true).sum() / max(accepted.sum() + true.sum(), 1) if true.any() else np.nan
            found.append(Judged(kind, recall, float(f1), float(accepted.mean() - true.mean())))
    return found


def trained(topic: Topic, pages: list[JudgedPage], least_recall: float) -> Topic:
    """Return the topic, trained against the pages met, whose threshold so many of the examples reach."""
    with patch("focused.retraining.pages_met._LEAST_RECALL", least_recall):
        return train_on_pages_met(topic, pages, {})


def summary(found: list[Judged]) -> str:
    """Return the table: by the share of the examples that the best threshold lets pass."""
    kinds = [*LEAST_RECALLS, OWN]
    rows = []
    for low, high in (*GROUPS, (0.0, 1.01)):
        some = [each for each in found if low <= each.recall < high]
        if not some:
            continue
        title = "**all**" if (low, high) == (0.0, 1.01) else f"{low:.1f} to {min(high, 1):.1f}"
        cells = []
        for kind in kinds:
            own = [each for each in some if each.kind == kind]
            cells.append(f"{np.nanmean([each.f1 for each in own]):.3f}, {np.mean([each.bias for each in own]):+.2f}")
        rows.append([title, str(len(some) // len(kinds)), *cells])
    return table(["examples called relevant", "trainings", *(f"{kind}: F1, bias" for kind in kinds)], rows)


if __name__ == "__main__":
    main()
