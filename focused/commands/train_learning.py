"""Learns a topic for ``scrapy train``: from example pages, or from words alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.method.training.example_warnings import keyword_warnings, warnings_about
from focused.method.training.seeds import seeds_from

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from focused.commands.train_examples import Examples
    from focused.method.text.background import Background
    from focused.method.text.word_vectors import WordVectors
    from focused.method.topic import Topic
    from focused.method.training.from_keywords import Keywords
    from focused.method.training.from_pages import LearntModel
    from focused.method.training.page_set import PageSet


def learn_words(
    topic: Topic,
    opts: Namespace,
    words: Keywords,
    unlabeled: PageSet | Background,
    *,
    vectors: WordVectors | None,
    state: int,
    say: Callable[[str], None],
) -> tuple[LearntModel, list[str]]:
    """Learn a topic from words alone; return its model and warnings about the words."""
    from focused.method.training.from_keywords import learn_keywords

    topic.note = opts.note or words.note
    learnt = learn_keywords(words, unlabeled, vectors=vectors, random_state=state, say=say)
    return learnt, keyword_warnings(topic.language, words, unlabeled)


def learn_pages(
    topic: Topic,
    opts: Namespace,
    examples: Examples,
    words: Keywords | None,
    *,
    vectors: WordVectors | None,
    state: int,
    say: Callable[[str], None],
) -> tuple[LearntModel, list[str]]:
    """Learn a topic from example pages, and from words beside them; return its model and warnings about the examples."""
    from focused.method.training.from_keywords import NOTE
    from focused.method.training.from_pages import learn
    from focused.retraining.pages_met import MIN_PAGES

    positive, unlabeled = examples.positive, examples.unlabeled
    topic.seeds = topic.seeds or seeds_from(positive.urls)
    topic.note = "" if topic.note.startswith(NOTE) else topic.note
    learnt = learn(
        positive,
        unlabeled,
        words=() if words is None else words.terms,
        vectors=vectors,
        learner=opts.learner,
        quick=opts.quick,
        draws_curve=len(examples.looked_at) < MIN_PAGES,
        random_state=state,
        say=say,
    )
    return learnt, warnings_about(topic.language, positive, unlabeled, learnt)
