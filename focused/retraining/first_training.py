"""Trains a topic with pages of its web that were fetched before its first crawl, as a crawl does with the pages it meets.

The topic's crawls look around all the same: so few pages do not show a whole web. What was looked at stays among the topic's
examples, and their trainings learn from it beside the pages met (`focused.retraining.pages_met`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.method.topic.names import LOOKED_AROUND
from focused.retraining.against_met import train_against_met
from focused.retraining.examples_from_elsewhere import comes_from_elsewhere
from focused.retraining.judged_pages import JudgedPage, term_counts
from focused.retraining.versions import FIRST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focused.method.topic import Topic
    from focused.method.training.page_set import PageSet


def train_on_pages_looked_at(topic: Topic, pages: PageSet, drawn: Sequence[bool], *, random_state: int = 0) -> Topic:
    """Return a topic that was trained against the general background, trained with pages of its web.

    Parameters
    ----------
    topic : Topic
        With examples.
    pages : PageSet
        What was fetched.
    drawn : sequence of bool
        Of each page whether its link was drawn. A seed was not: it may well be about the topic.

    Raises
    ------
    ValueError
        If nothing can be learnt from them: they are too few, or none holds a word of a topic from words.
    """
    met = [
        JudgedPage(number, url, 0.0, FIRST, FIRST, None, term_counts(page.terms), is_drawn=is_drawn)
        for number, (url, page, is_drawn) in enumerate(zip(pages.urls, pages.pages, drawn, strict=True), start=1)
    ]
    if comes_from_elsewhere(topic, met):
        raise ValueError(
            "the examples come from other sites than these pages; crawls learn from the pages that they meet"
        )
    made = train_against_met(topic, met, {}, random_state=random_state)
    about = made.manifest.pop("retraining")  # no crawl has trained it again
    counts = {name: about[name] for name in ("n_drawn", "n_left_aside")}
    before = {name: topic.manifest["figures"].get(name) for name in ("f1", "brier", "prior")}
    found = {"n_pages": len(met), **counts, "figures_before": before}
    made.manifest["examples"] = topic.manifest["examples"] | {LOOKED_AROUND: found}
    if topic.keyword_terms:
        made.manifest["figures_of"] = topic.manifest["figures_of"]
        made.examples = topic.examples  # a training with verdicts assumes positives among them: the more, the better
    else:
        made.manifest["figures_of"] = "held-out positives against the pages that it looked at on its web"
    return made
