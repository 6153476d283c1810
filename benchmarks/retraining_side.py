"""How many verdicts it takes until a side of a topic is known: ``side`` of benchmarks/retraining.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from retraining_pages import folder_of, labels_of, read_pages
from scipy.sparse import csr_matrix
from sklearn.metrics import average_precision_score

from focused.method.topic import load_topic
from focused.method.topic.counted import relevance_of_counts
from focused.retraining.judged_pages import JudgedPage, term_counts
from focused.retraining.training import Retraining

if TYPE_CHECKING:
    import argparse


def side(options: argparse.Namespace) -> None:
    """Count how many verdicts it takes until a second label is known."""
    labels = labels_of(options.labels)
    first, second = options.pair.split(",")
    folder = folder_of(options.out, options.pair, options.seed)
    topic = load_topic("half", folder / "models")
    known = {url for name in ("positives.txt", "unlabeled.txt") for url in (folder / name).read_text().split()}
    rng, kind = np.random.default_rng(options.seed), {}
    for url, found in labels.items():
        kind[url] = 1 if first in found else 2 if second in found else 0
    drawn = [rng.permutation([u for u in labels if u not in known and kind[u] == k]).tolist() for k in range(3)]
    n_first, none, two = len(drawn[1]) // 2, drawn[0][:300], drawn[2]
    read = read_pages(options.warc, [*none, *drawn[1], *two])
    pages = [JudgedPage(n, url, 0.0, 1, 1, None, term_counts(read[url].terms)) for n, url in enumerate(sorted(read))]
    number_of = {page.url: page.number for page in pages}
    print("pair,verdicts of yes,on,left aside,AP before,AP,called relevant before: second,others,now: second,others")
    for n in (5, 10, 20):
        for what, wanted in ((second, two[:n]), ("neither", none[:n])):
            told = {u: True for u in [*drawn[1][:n_first], *wanted]} | dict.fromkeys(none[20:40], False)
            verdicts = {number_of[u]: label for u, label in told.items() if u in number_of}
            rest = [page for page in pages if page.number not in verdicts]
            kinds = np.array([kind[page.url] for page in rest])
            precisions, shares, n_aside = [], [], 0
            for learnt in ((), verdicts):
                made = Retraining(topic, pages, random_state=options.seed).train(verdicts, learnt, widens=True)
                n_aside = made.manifest["retraining"]["n_left_aside"]
                counts = csr_matrix([[float(page.terms.get(term, 0)) for term in made.terms] for page in rest])
                relevance = relevance_of_counts(made, made.terms, counts, "page")
                precisions.append(average_precision_score(kinds > 0, relevance))
                is_called = relevance >= made.threshold("page")
                shares += [is_called[kinds == 2].mean(), is_called[kinds == 0].mean()]
            figures = ",".join(f"{value:.3f}" for value in [*precisions, *shares])
            print(f"{folder.name},{n},{what},{n_aside},{figures}", flush=True)
