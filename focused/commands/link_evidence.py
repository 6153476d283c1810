"""Finds what the pages of a crawl say about one link, in the records that a learning strategy keeps in the frontier's file."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit

from focused.method.strategies import PageLinks, make_strategy
from focused.method.topic import TopicError, load_topic
from focused.utils.places import models_dirs

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from focused.frontier.store.view import FrontierView


class LinkEvidence(NamedTuple):
    """What the ``n_learnt`` pages that a crawl has learnt from say about a link, which ``n_referrers`` of them hold."""

    n_learnt: int
    n_referrers: int
    #: Relevance in [0, 1] of page, block, anchor text and context: from the mean logits over those pages.
    relevances: tuple[float, ...]


def evidence_of(view: FrontierView, url: str) -> LinkEvidence:
    """Return what the records of a frontier (0.1 to 1 ms each) say about a link; damaged records are left out."""
    n_learnt, rows = 0, []
    for record in view.records():
        with suppress(ValueError):
            page = PageLinks.unpack(record)
            n_learnt += 1
            if url in page.links:
                rows.append(page.logits[page.links.index(url)])
    means = expit(np.mean(rows, axis=0)).tolist() if rows else ()
    return LinkEvidence(n_learnt, len(rows), tuple(means))


def strongest_evidence(view: FrontierView, url: str, settings: BaseSettings) -> str:
    """Return in words what the score of a link rests on; empty where the topic is not there any more.

    It learns from all records again, as a resumed crawl does: 1 to 5 ms a page.
    """
    try:
        topic = load_topic(str(view.remembered("topic")), *models_dirs(settings))
    except TopicError:
        return ""
    session = make_strategy("adaptive", settings).prepare(topic).session()
    assert session is not None
    for record in view.records():
        with suppress(ValueError):
            session.replay(record)
    session.finish_replay()
    return session.why(url)
