"""Makes a topic from pages of a topic from words, once people have said yes to enough pages: these are its examples."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from focused.method.learning.learners import LEARNERS
from focused.method.topic.names import LOOKED_AROUND
from focused.retraining.assumed_positives import LEAST_POSITIVES
from focused.retraining.augmentation import AugmentedExamples
from focused.retraining.page_labels import FIRST_MET

if TYPE_CHECKING:
    from focused.method.topic import Topic
    from focused.retraining.judged_pages import JudgedPage
    from focused.retraining.run_labels import RunLabels


def has_enough_examples(topic: Topic, run: RunLabels) -> bool:
    """Tell whether people have said yes to so many pages of a crawl for a topic from words that these can be its examples.

    There must be pages to tell them from: of a crawl without any training only the judged pages are known.
    """
    pages = [page for page in run.pages if page.terms]
    n_yes = sum(run.verdicts.get(page.number, False) for page in pages)
    n_others = sum(page.number not in run.verdicts for page in pages)
    return bool(topic.keyword_terms) and n_yes >= LEAST_POSITIVES and n_others >= FIRST_MET


def with_examples_of_verdicts(topic: Topic, run: RunLabels) -> tuple[Topic, RunLabels]:
    """Return a topic from words as one from the pages that people said yes to, and the run without these verdicts.

    The words stand beside the examples from now on (docs/method/, D76). What people said no to stays as it is.
    """
    examples = topic.examples
    assert examples is not None
    yes = [page for page in run.pages if run.verdicts.get(page.number)]
    others = replace(examples, positive=np.zeros_like(examples.positive))
    about = dict(topic.manifest["examples"])
    words = about.pop("keywords")
    about.pop(LOOKED_AROUND, None)  # the pages looked at are not among its examples
    about |= {"words": {name: words[name] for name in ("text", "terms")}, "positive": {"n_pages": len(yes)}}
    manifest = {**topic.manifest, "kind": "examples", "learner": LEARNERS[0], "examples": about}
    made = replace(topic, manifest=manifest)
    made.examples = AugmentedExamples(others, yes).with_labels(dict.fromkeys((page.number for page in yes), True))
    no: dict[int, bool] = {number: False for number, label in run.verdicts.items() if not label}
    return made, replace(run, labels=no, verdicts=no)


def with_least_relevant_drawn(run: RunLabels) -> list[JudgedPage]:
    """Return the pages of a crawl for a topic from words, the less relevant half as if it had been drawn.

    Such a crawl draws nothing. By what the words say few pages of that half are relevant, so a first model can tell the
    examples from them.
    """
    usual = median(page.relevance for page in run.pages)
    return [replace(page, is_drawn=page.relevance <= usual and page.number not in run.verdicts) for page in run.pages]
