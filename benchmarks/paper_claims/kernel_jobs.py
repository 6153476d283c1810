"""The draws by which kernels are compared, kept as a file: P13's fig. 8, 9 and table 1, P15's tables 1 to 4."""

from __future__ import annotations

import json
import time
from functools import cache
from typing import TYPE_CHECKING, Any

import corpora
import numpy as np
from common import say
from sklearn.metrics import average_precision_score, f1_score

from focused.method.learning.two_step import find_negatives
from focused.method.text.vocabulary import document_frequencies, select_terms
from focused.method.text.weighting import inverse_document_frequency, weighted_rows
from paper_claims.kernel_svms import KERNELS, incremental, one_class, trainer, voting

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

Row = dict[str, Any]

MUS = (10.0, 30.0, 50.0, 70.0, 90.0)
N_POSITIVE, N_UNLABELED, N_JUDGED = 150, 1500, 1500
"""P13: at most so many positives, of a text corpus at most the 30 % of its class, of a web `N_OF_WEB`."""
SHARE_OF_CLASS, N_OF_WEB = 0.3, 30
N_KNOWN = 2000
"""P15: documents of the training split, all with their labels, and as many of the test split."""
SYSTEMS = ("OCS, TFIPNDF", "PEBL, TFIPNDF", "WVC, TFIPNDF", "WVC, TFIDF")


def made_kernels(paper: str, data: Path, output: Path, *, quick: bool) -> list[Row]:
    """Make the draws of a paper that are not there yet, and return the rows of all.

    Three draws of each topic; quick: one draw of two topics of each corpus.
    """
    done = read_kernels(paper, output)
    load = cache(lambda name: corpora.load(name, data, output.parent / "corpora"))
    names = corpora.TOPICS if paper == "P13" else corpora.TEXT_CORPORA
    made = {(row["seed"], row["corpus"], row["topic"]) for row in done}
    draws = [
        (seed, name, topic)
        for seed in range(1 if quick else 3)
        for name in names
        for topic in corpora.TOPICS[name][: 2 if quick else None]
    ]
    left = [one for one in draws if one not in made]
    for number, (seed, name, topic) in enumerate(left, 1):
        say(f"{paper}, kernels [{number} of {len(left)}]: {name}, {topic}, draw {seed}")
        found = (_p13 if paper == "P13" else _p15)(load(name), topic, seed)
        done += [{"seed": seed, "corpus": name, "topic": topic, **row} for row in found]
        _file(paper, output).parent.mkdir(parents=True, exist_ok=True)
        _file(paper, output).write_text(json.dumps(done), encoding="utf-8")
    return done


def read_kernels(paper: str, output: Path) -> list[Row]:
    """Return the rows of the draws that were made."""
    path = _file(paper, output)
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []


def _file(paper: str, output: Path) -> Path:
    return output / f"{paper.lower()}-kernels.json"


def _sample(rng: np.random.Generator, rows: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    return np.sort(rng.choice(rows, min(most, len(rows)), replace=False))


def _p13(corpus: Any, topic: str, seed: int) -> list[Row]:
    """Train OCS, PEBL and WVC on positives and unlabelled documents with each kernel; return how the rest is judged."""
    rng = np.random.default_rng([seed, *topic.encode()])
    relevant, is_text = corpus.labels[topic], corpus.name in corpora.TEXT_CORPORA
    known = np.flatnonzero(~corpus.is_test)
    of_class = known[relevant[known]]
    p = _sample(rng, of_class, min(N_POSITIVE, round(SHARE_OF_CLASS * len(of_class))) if is_text else N_OF_WEB)
    u = _sample(rng, np.setdiff1d(known, p), N_UNLABELED)
    rest = np.flatnonzero(corpus.is_test) if is_text else np.setdiff1d(known, np.concatenate([p, u]))
    judged = _sample(rng, rest, N_JUDGED)
    positive = np.arange(len(p) + len(u)) < len(p)
    counts = corpus.counts[np.concatenate([p, u])]
    terms = select_terms(counts, positive)
    counts, of_judged, truth = counts[:, terms], corpus.counts[judged][:, terms], relevant[judged]
    negatives = {
        system: find_negatives(method, counts, positive, too_few="lowest", random_state=0)[0]
        for system, method in (("PEBL", "1-dnf"), ("WVC", "1-dnfc-rare"))
    }
    rows = []
    for kernel in KERNELS:
        for system in SYSTEMS:
            name, _, weighting = system.partition(", ")
            weighting = "tfipndf" if weighting == "TFIPNDF" else "tfc"
            start = time.process_time()
            if name == "OCS":
                decide = one_class(kernel, weighting, counts, positive)
            else:
                decide = voting(trainer(kernel), weighting, counts, positive, negatives[name], last=name == "PEBL")
            seconds = time.process_time() - start
            decisions = decide(of_judged)
            f1, ap = f1_score(truth, decisions > 0, zero_division=0), average_precision_score(truth, decisions)
            rows.append({"kernel": kernel, "system": system, "f1": float(f1), "ap": float(ap), "seconds": seconds})
    return rows


def _p15(corpus: Any, topic: str, seed: int) -> list[Row]:
    """Train the incremental SVM on labelled documents with each kernel and mu; return F after each round."""
    rng = np.random.default_rng([seed, *topic.encode()])
    train = _sample(rng, np.flatnonzero(~corpus.is_test), N_KNOWN)
    judged = _sample(rng, np.flatnonzero(corpus.is_test), N_KNOWN)
    positive, truth = corpus.labels[topic][train], corpus.labels[topic][judged]
    counts = corpus.counts[train]
    terms = select_terms(counts, positive)
    counts, of_judged = counts[:, terms], corpus.counts[judged][:, terms]
    weights = inverse_document_frequency(document_frequencies(counts), counts.shape[0])
    rows, judged_rows = weighted_rows(counts, weights), weighted_rows(of_judged, weights)
    start = np.zeros(len(positive), dtype=bool)
    for members in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        start[_sample(rng, members, int(np.ceil(0.2 * len(members))))] = True
    of_class = {label: len(positive) / (2 * int((positive == label).sum())) for label in (False, True)}
    found = []
    for kernel in KERNELS:
        for mu in MUS:
            made = incremental(trainer(kernel, of_class), counts, rows, positive, start, mu)
            f1 = [float(f1_score(truth, one.decide(judged_rows) > 0, zero_division=0)) for one in made.machines]
            found.append({"kernel": kernel, "mu": mu, "f1": f1, "trained_on": [n / len(positive) for n in made.sizes]})
    return found
