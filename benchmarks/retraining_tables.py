"""Tables 3 and 4 of I18: ``tables`` of benchmarks/retraining.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from retraining_pages import labels_of, read_pages

from focused.method.learning.training import TrainedModel, train_topic
from focused.method.training.from_pages import linked
from focused.method.training.term_counting import Columns
from focused.retraining.page_labels import label_by_relevance

if TYPE_CHECKING:
    import argparse


def tables(options: argparse.Namespace) -> None:
    """Repeat tables 3 and 4 of I18."""
    labels = labels_of(options.labels)
    rng = np.random.default_rng(options.seed)
    relevant = sorted(url for url, found in labels.items() if options.topic in found)
    others = sorted(url for url in labels if options.topic not in labels[url])
    chosen = [rng.permutation(group).tolist() for group in (relevant, others)]
    training = [*chosen[0][:80], *chosen[1][:58]]
    testing = [*chosen[0][80 : 80 + options.test], *chosen[1][58 : 58 + options.test]]
    pages = read_pages(options.warc, [*training, *testing])
    truth = {url: options.topic in labels[url] for url in labels}
    order = [url for url in [*training, *testing] if url in pages]
    columns = Columns([pages[url] for url in order])
    counts = columns.counts([pages[url].terms for url in order])
    row_of = {url: number for number, url in enumerate(order)}
    links = linked(columns, [pages[url] for url in order])
    y = np.array([truth[url] for url in order])
    in_training = np.array([row_of[url] for url in training if url in row_of])
    in_testing = np.array([row_of[url] for url in testing if url in row_of])
    stage_of = rng.permutation(np.arange(len(in_training)) * 10 // len(in_training))
    judged = np.isin(links.target_rows, in_testing)
    print("mode,stage,positives,others,precision,recall,F")
    model: TrainedModel | None = None
    for mode in ("interactive", "automatic"):
        known, known_y = in_training[stage_of < 8], y[in_training[stage_of < 8]]
        for stage in (80, 90, 100):
            if stage > 80:
                new = in_training[stage_of == stage // 10 - 1]
                if mode == "interactive":
                    joins = [bool(value) for value in y[new]]
                else:
                    assert model is not None
                    values = model.relevance("page", *model.decisions(counts[new]))
                    joins = [label_by_relevance(value, 0.8, 0.2) for value in values.tolist()]
                is_in = np.array([join is not None for join in joins])
                known = np.concatenate([known, new[is_in]])
                known_y = np.concatenate([known_y, np.array([j for j in joins if j is not None], dtype=bool)])
            model = train_topic(counts[known], known_y, n_folds=10, random_state=options.seed)
            at = links.context_counts[judged]
            says = model.relevance("context", *model.decisions(at)) >= model.threshold("context")
            is_so = y[links.target_rows[judged]]
            precision = (says & is_so).sum() / max(says.sum(), 1)
            recall = (says & is_so).sum() / max(is_so.sum(), 1)
            f1 = 2 * precision * recall / max(precision + recall, 1e-9)
            n = int(known_y.sum())
            print(f"{mode},{stage},{n},{len(known_y) - n},{precision:.3f},{recall:.3f},{f1:.3f}", flush=True)
