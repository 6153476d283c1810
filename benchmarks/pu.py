"""Few positives and many unlabelled texts: how far learning falls short of a model that was shown every label.

Topics of 20 Newsgroups and Reuters-21578, 10 or 30 positives, and as unlabelled texts the rest of the training split or 1,500
of it. Each topic is trained as ``scrapy train`` trains it, and judges the publisher's test split, whose labels say how well:

- F1 at the best threshold, of that of a linear SVM that was shown all labels of the training split (its best threshold, too);
- F1 at the topic's own threshold, of that at its best one;
- the sum of the relevances, of the number of relevant texts;
- the Brier skill, of that of an isotonic regression which is shown the labels of these same decisions.

*Chosen on* are the ten topics of the other comparisons, *unseen* ten that nothing was chosen on. Intervals are 95 %, by
resampling topics. Finished trials are kept in the output folder.

Examples
--------
  python benchmarks/pu.py --data ../shared/data
  python benchmarks/pu.py --data ../shared/data --learners joined_svm --only reuters --draws 1 --no-write
"""

from __future__ import annotations

import os

# One thread; before numpy counts the cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import corpora
import numpy as np
from common import DATA_DIR, ROOT, machine, table
from learner_trials import SupervisedSVM, best_f1
from provenance import LEARNING_ROOMS, now, write_blocks
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import f1_score
from tqdm import tqdm

from focused.method.learning.training import train_topic
from focused.method.text.vocabulary import select_terms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

GOALS = {("20newsgroups", 10): 0.78, ("20newsgroups", 30): 0.87, ("reuters", 10): 0.90, ("reuters", 30): 0.95}
"""F1 of the supervised one's, for each corpus and number of positives."""
N_UNLABELED = (0, 1500)
"""0: the rest of the training split."""


@dataclass(frozen=True)
class Trial:
    """A topic of a corpus, and what it is learnt from."""

    corpus: str
    topic: str
    n_positive: int
    n_unlabeled: int
    draw: int
    learner: str


def run(corpus: corpora.Corpus, trial: Trial) -> dict[str, float]:
    """Train a topic on a draw of positives and unlabelled texts, and measure it on the test split."""
    rng = np.random.default_rng([trial.draw, *trial.topic.encode()])
    relevant, known = corpus.labels[trial.topic], np.flatnonzero(~corpus.is_test)
    positive = rng.choice(known[relevant[known]], trial.n_positive, replace=False)
    rest = np.setdiff1d(known, positive)
    unlabeled = rng.choice(rest, trial.n_unlabeled, replace=False) if trial.n_unlabeled else rest
    training, truth = np.concatenate([positive, unlabeled]), relevant[corpus.is_test]
    model = train_topic(
        corpus.counts[training],
        np.arange(len(training)) < len(positive),
        learner=trial.learner,
        random_state=trial.draw,
    )
    decisions, n_known = model.decisions(corpus.counts[corpus.is_test])
    relevance = model.relevance("page", decisions, n_known)
    ideal = IsotonicRegression(out_of_bounds="clip").fit_transform(decisions, truth)
    base = float(truth.mean() * (1 - truth.mean()))
    return {
        "best_f1": best_f1(truth, decisions),
        "f1": float(f1_score(truth, relevance >= model.threshold("page"))),
        "claimed": float(relevance.mean() / truth.mean()),
        "skill": 1 - float(np.mean((relevance - truth) ** 2)) / base,
        "ideal_skill": 1 - float(np.mean((ideal - truth) ** 2)) / base,
        "prior": float(model.figures.prior / relevant[unlabeled].mean()),
    }


def supervised(corpus: corpora.Corpus, topic: str) -> float:
    """Return the best F1 of the SVM that was shown all labels of the training split."""
    relevant, known = corpus.labels[topic], np.flatnonzero(~corpus.is_test)
    counts = corpus.counts[:, select_terms(corpus.counts[known], relevant[known])]
    svm = SupervisedSVM(weighting="tfidf", sublinear_tf=True).fit(counts[known], relevant[known])
    return best_f1(relevant[corpus.is_test], svm.decision_function(counts[corpus.is_test]))


def summary(found: dict[Trial, dict[str, float]], of_supervised: dict[tuple[str, str], float]) -> str:
    """Return the table: a row for each corpus, number of positives, set of topics, unlabelled texts and learner."""
    groups: dict[tuple[Any, ...], dict[str, list[dict[str, float]]]] = {}
    for trial, figures in found.items():
        kind = "unseen" if trial.topic in corpora.MORE_TOPICS[trial.corpus] else "chosen on"
        key = (trial.corpus, trial.n_positive, kind, trial.n_unlabeled, trial.learner)
        share = figures["best_f1"] / of_supervised[trial.corpus, trial.topic]
        groups.setdefault(key, {}).setdefault(trial.topic, []).append({**figures, "share": share})
    heads = ["corpus", "positives", "topics", "unlabelled", "learner", "trials", "F1 / supervised", "goal"]
    heads += ["own threshold / best", "relevance / truth", "of topics within .85 to 1.15", "skill / isotonic"]
    rows = [_row(key, groups[key]) for key in sorted(groups, key=_order)]
    return table([*heads, "prior / truth"], rows)


def _order(key: tuple[Any, ...]) -> tuple[Any, ...]:
    corpus, n_positive, kind, n_unlabeled, learner = key
    return kind != "unseen", corpus, n_positive, n_unlabeled, learner != "screened_svm", learner


def _row(key: tuple[Any, ...], of_topic: dict[str, list[dict[str, float]]]) -> list[str]:
    corpus, n_positive, kind, n_unlabeled, learner = key
    names = ("share", "best_f1", "f1", "claimed", "skill", "ideal_skill", "prior")
    # Shape (n_topics, n_figures): the draws of a topic are no independent topics.
    means = np.array([[np.mean([one[name] for one in draws]) for name in names] for draws in of_topic.values()])
    rng = np.random.default_rng(0)
    resampled = means[rng.integers(0, len(means), (1000, len(means)))].mean(axis=1)

    def shown(values: NDArray[np.float64], of_resampled: NDArray[np.float64]) -> str:
        low, high = np.quantile(of_resampled, [0.025, 0.975])
        return f"{float(values):.2f} [{low:.2f}, {high:.2f}]"

    mean, goal = means.mean(axis=0), GOALS[corpus, n_positive]
    within = int(((means[:, 3] >= 0.85) & (means[:, 3] <= 1.15)).sum())
    return [
        {"20newsgroups": "20 Newsgroups", "reuters": "Reuters"}[corpus],
        str(n_positive),
        kind,
        f"{n_unlabeled:,}" if n_unlabeled else "all",
        f"`{learner}`",
        str(sum(len(draws) for draws in of_topic.values())),
        f"**{shown(mean[0], resampled[:, 0])}**" if mean[0] >= goal else shown(mean[0], resampled[:, 0]),
        f"{goal:.2f}",
        shown(mean[2] / mean[1], resampled[:, 2] / resampled[:, 1]),
        shown(mean[3], resampled[:, 3]),
        f"{within} of {len(means)}",
        shown(mean[4] / mean[5], resampled[:, 4] / resampled[:, 5]),
        shown(mean[6], resampled[:, 6]),
    ]


def trials(names: Iterable[str], learners: list[str], draws: int, more_draws: int, n_topics: int) -> list[Trial]:
    """Return the trials: fewer draws and topics with the whole training split, which takes many times as long."""
    return [
        Trial(name, topic, n_positive, n_unlabeled, draw, learner)
        for n_unlabeled in reversed(N_UNLABELED)
        for draw in range(more_draws if n_unlabeled else draws)
        for topics in (corpora.MORE_TOPICS, corpora.TOPICS)
        for name in names
        for n_positive in (10, 30)
        for topic in topics[name][: None if n_unlabeled else n_topics]
        for learner in learners
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA_DIR, help="folder of the corpora")
    parser.add_argument("--output", type=Path, default=ROOT / "runs" / "learners", help="where trials are kept")
    parser.add_argument("--learners", default="screened_svm,joined_svm", help="names, separated by commas")
    parser.add_argument("--only", metavar="NAMES", default=",".join(corpora.TEXT_CORPORA), help="corpora")
    parser.add_argument("--draws", type=int, default=1, help="draws with the whole training split (default: 1)")
    parser.add_argument("--topics", type=int, default=10, help="topics with the whole training split (default: 10)")
    parser.add_argument("--more-draws", type=int, default=2, help="draws with 1,500 texts (default: 2)")
    parser.add_argument("--unseen", action="store_true", help="only topics that nothing was chosen on")
    parser.add_argument("--no-write", action="store_true", help="print the table, and leave docs/results as it is")
    options = parser.parse_args()
    output = options.output.resolve()
    names, learners = options.only.split(","), options.learners.split(",")
    wanted = trials(names, learners, options.draws, options.more_draws, options.topics)
    if options.unseen:
        wanted = [trial for trial in wanted if trial.topic in corpora.MORE_TOPICS[trial.corpus]]
    limits = {f"--{name.replace('_', '-')}": getattr(options, name) for name in ("draws", "topics", "more_draws")}
    command = ["python benchmarks/pu.py --data ../shared/data", *(f"{name} {n}" for name, n in limits.items())]
    source = now(" ".join([*command, *["--unseen"] * options.unseen]), LEARNING_ROOMS, {"learners": learners})
    loaded = {
        name: corpora.load(name, options.data.resolve(), output / "corpora")
        for name in dict.fromkeys(trial.corpus for trial in wanted)
    }
    # Trials of another code are measured anew.
    kept = output / f"pu-{source.rooms['focused/method/learning']}.jsonl"
    found = _kept(kept)
    for trial in tqdm([trial for trial in wanted if trial not in found], unit="trial"):
        found[trial] = run(loaded[trial.corpus], trial)
        with kept.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps([asdict(trial), found[trial]]) + "\n")
    of_supervised = {(trial.corpus, trial.topic): 0.0 for trial in wanted}
    for name, topic in tqdm(of_supervised, desc="supervised", unit="topic"):
        of_supervised[name, topic] = supervised(loaded[name], topic)
    text = summary({trial: found[trial] for trial in wanted}, of_supervised)
    print(text)
    if not options.no_write:
        write_blocks({"pu": f"{text}\n\n{machine()}."}, source)


def _kept(file: Path) -> dict[Trial, dict[str, float]]:
    """Return the finished trials of a file; one that was cut off by an interruption is left out."""
    found = {}
    if file.is_file():
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.endswith("]"):
                trial, figures = json.loads(line)
                found[Trial(**trial)] = figures
    return found


if __name__ == "__main__":
    main()
