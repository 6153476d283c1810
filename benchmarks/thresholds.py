"""How good the default learner's own threshold is, over more draws and fewer positives than the comparison of learners.

Trains each topic as ``scrapy train`` does, and compares F1 at the topic's threshold with F1 at the best threshold
of its ranking, on pages it has not seen. A trial counts as collapsed if that share is below one half. The table is printed.

Examples
--------
  python benchmarks/thresholds.py --data ../shared/data --only webkb --positives 10 --seeds 20
  python benchmarks/thresholds.py --data ../shared/data --seeds 3
"""

from __future__ import annotations

import os

# One thread; before numpy counts the cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
from pathlib import Path
from typing import Any

import corpora
import numpy as np
from common import DATA_DIR, ROOT, chosen_names, table
from learner_report import title
from learner_trials import Trial, run_topic
from tqdm import tqdm

COLLAPSED = 0.5


def _row(trials: list[Trial], found: list[dict[str, Any]]) -> list[str]:
    """Return a line of the table, of trials of one corpus and number of positives."""
    f1, best = (np.array([one[key] for one in found]) for key in ("f1", "best_f1"))
    pages = [one["kinds"]["page"] for one in found]
    skill = 1 - sum(page["brier"] for page in pages) / sum(page["brier_of_base"] for page in pages)
    worst = int(np.argmin(f1 / best))
    return [
        title((trials[0].corpus, trials[0].n_positive)),
        str(len(trials)),
        f"{f1.mean():.3f}",
        f"{best.mean():.3f}",
        f"{f1.mean() / best.mean():.3f}",
        str(int((f1 < COLLAPSED * best).sum())),
        f"{f1[worst] / best[worst]:.2f} ({trials[worst].topic}, seed {trials[worst].seed})",
        f"{np.mean([page['ece'] for page in pages]):.3f}",
        f"{skill:+.3f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA_DIR, help="folder of the four corpora")
    parser.add_argument("--output", type=Path, default=ROOT / "runs" / "learners", help="where read corpora are kept")
    parser.add_argument("--first", type=int, default=0, help="first seed (default: 0)")
    parser.add_argument("--seeds", type=int, default=5, help="trials of each topic (default: 5)")
    parser.add_argument("--positives", type=int, nargs="+", default=[30, 10], help="on the webs (default: 30 10)")
    parser.add_argument("--only", metavar="NAMES", help="corpora, separated by commas (default: all four)")
    options = parser.parse_args()
    rows = []
    for name in chosen_names(options.only, [*corpora.TEXT_CORPORA, *corpora.WEBS]):
        corpus = corpora.load(name, options.data.resolve(), options.output.resolve() / "corpora")
        for n_positive in options.positives if name in corpora.WEBS else [0]:
            seeds = range(options.first, options.first + options.seeds)
            trials = [Trial(name, topic, n_positive, seed) for topic in corpora.TOPICS[name] for seed in seeds]
            label = f"{name}, {n_positive} positives" if n_positive else name
            rows.append(_row(trials, [run_topic(corpus, trial) for trial in tqdm(trials, desc=label, unit="trial")]))
    header = ["corpus", "trials", "F1, own threshold", "F1, best threshold", "share", "collapses", "least share"]
    print(table([*header, "ECE", "Brier skill, pooled"], rows))


if __name__ == "__main__":
    main()
