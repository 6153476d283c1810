"""What becomes of wrong verdicts: ``doubts`` of benchmarks/retraining.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from retraining_pages import labels_of
from sklearn.metrics import average_precision_score

from focused.method.learning.learners import make_learner
from focused.method.topic import load_topic
from focused.retraining.augmentation import AugmentedExamples
from focused.retraining.judged_pages import read_record, record_path
from focused.retraining.training import Retraining
from focused.retraining.training_task import TASK_FILE
from focused.utils.former_files import existing_path

if TYPE_CHECKING:
    import argparse

    from focused.method.topic import Topic
    from focused.retraining.judged_pages import JudgedPage


def doubts(options: argparse.Namespace) -> None:
    """Count what becomes of wrong verdicts."""
    labels = labels_of(options.labels)
    wanted = set(options.topics.split(","))
    print("run,share,verdicts,wrong,wrong learnt,right left out,AP none,AP right,AP all,AP weighed")
    for run in options.runs:
        task = json.loads(existing_path(run, TASK_FILE).read_text())
        topic = load_topic(task["topic"], Path(task["models_dir"]))
        pages = [page for page in read_record(record_path(run))[0] if page.terms and page.url in labels]
        truth = {page.number: bool(labels[page.url] & wanted) for page in pages}
        for share in (0.0, 0.1, 0.2, 0.3):
            for n in (56, 112, 168):
                first = pages[:n]
                right = {page.number: truth[page.number] for page in first}
                draw = np.random.default_rng(options.seed)
                told = {number: label != (draw.random() < share) for number, label in right.items()}
                kept = Retraining(topic, first).without_label_noise(told, set(told))
                wrong = sum(told[number] != right[number] for number in told)
                learnt = sum(kept[number] != right[number] for number in kept)
                found = [told_apart(topic, pages, truth, each, n) for each in ({}, right, told, kept)]
                print(
                    f"{run.parent.name},{share},{n},{wrong},{learnt},{n - wrong - (len(kept) - learnt)},"
                    + ",".join(f"{value:.3f}" for value in found),
                    flush=True,
                )


def told_apart(topic: Topic, pages: list[JudgedPage], truth: dict[int, bool], told: dict[int, bool], n: int) -> float:
    """Return the average precision on the pages after the first n of a model that has learnt what was told of these."""
    examples = AugmentedExamples(topic.examples, pages).with_labels(truth)
    n_own = examples.pages.shape[0] - len(pages)
    known = [row for row, page in enumerate(pages) if page.number in told]
    rows = np.concatenate([np.arange(n_own), n_own + np.array(known, dtype=int)])
    positive = np.concatenate(
        [examples.positive[:n_own], np.array([told[pages[row].number] for row in known], dtype=bool)]
    )
    model = make_learner(topic.manifest["learner"], 0).fit(examples.pages[rows], positive)
    flags = np.array([truth[page.number] for page in pages[n:]])
    return average_precision_score(flags, model.decision_function(examples.pages[n_own + n :]))
