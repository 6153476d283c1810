"""Explain why a page is relevant or not, and how its links are scored."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from focused.method.page.text_units import ANCHOR, BLOCK, CONTEXT, KINDS, PAGE
from focused.method.scoring import REASONS, Visit
from focused.method.scoring.link_scores import checked
from focused.method.topic import TERMS
from focused.method.topic.counted import contributions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from focused.method.page.page import Link, Page
    from focused.method.scoring import Strategy
    from focused.method.topic import Topic
    from focused.method.topic.judge import Judge, PageRelevance

ADMITTED, DEFERRED, DROPPED, LEFT_OUT = "admitted", "deferred", "dropped", "nofollow"
"""What a crawl does with a link: requests it; requests it after all others; drops it; obeys the page's nofollow."""
FOLLOWS_ALL, OBEYS_PAGES, OBEYS_LINKS = range(3)
"""Which nofollow a crawl obeys: none; that of whole pages; that of single links, too."""


@dataclass(frozen=True, slots=True)
class TermShare:
    """A term of the vocabulary, its occurrences in the page, and its contribution to the classifier's decision."""

    term: str
    count: int
    contribution: float


@dataclass(frozen=True, slots=True)
class BlockShare:
    """A content block: its position in the document, its relevance in [0, 1], and its number of links."""

    number: int
    relevance: float
    is_relevant: bool
    n_links: int
    text: str


@dataclass(frozen=True, slots=True)
class LinkShare:
    """A link: its score in [0, 1], its status, its reason, and the evidence that strategies use."""

    url: str
    anchor_text: str
    score: float
    status: str
    reason: str
    #: Relevance of its block (of several, the best), and the number of that block.
    block: float
    block_number: int
    anchor: float
    context: float
    #: What the score rests on, in words; empty where the reason says it.
    words: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of one page."""

    url: str
    title: str
    encoding: str
    topic: str
    strategy: str
    similarity: str
    relevance: float
    is_relevant: bool
    #: The page's language, where that is why it is not relevant; else empty.
    other_language: str
    #: Relevance from which on a unit is relevant, by kind of unit.
    thresholds: Mapping[str, float]
    #: The classifier's decision: the sum of the intercept and the contributions of all terms.
    decision: float
    intercept: float
    #: Words of the page without stopwords; different terms among them; those that the topic knows.
    n_words: int
    n_terms: int
    n_known: int
    #: By contribution, largest first.
    terms_for: list[TermShare]
    terms_against: list[TermShare]
    #: In document order.
    blocks: list[BlockShare]
    #: In the order in which a crawl would request them.
    links: list[LinkShare]
    #: Counts of what was left out of the page or cut off.
    cuts: dict[str, int]
    #: Relevance from which on a crawl calls pages relevant until its first training; None: as ``thresholds`` say.
    first_threshold: float | None = None


def explain(
    page: Page,
    judge: Judge,
    strategy: Strategy,
    *,
    drops: bool = False,
    nofollow: int = FOLLOWS_ALL,
    first_threshold: float | None = None,
) -> Explanation:
    """Judge a page as a crawl does, and keep the evidence.

    ``judge``: holds the topic. ``strategy``: ready for the topic. It scores the links as if the page were a seed. ``drops``:
    whether links below the threshold are dropped instead of deferred. ``nofollow``: which nofollow is
    obeyed, FOLLOWS_ALL, OBEYS_PAGES or OBEYS_LINKS. ``first_threshold``: see `Explanation`.
    """
    relevance = judge.relevance(page, KINDS)
    shares = term_shares(page, judge.topic)
    known = [share for share in shares if share.contribution]
    return Explanation(
        url=page.url, title=page.title, encoding=page.encoding, topic=judge.topic.name, strategy=strategy.name,
        similarity=judge.similarity, relevance=relevance.page, is_relevant=relevance.is_relevant,
        other_language=relevance.other_language,
        thresholds={kind: relevance.thresholds[kind] for kind in (PAGE, BLOCK, ANCHOR, CONTEXT)},
        decision=judge.topic.model.intercept + math.fsum(share.contribution for share in shares),
        intercept=judge.topic.model.intercept, n_words=page.n_words,
        n_terms=len(np.unique(page.terms[: page.n_words])), n_known=len(shares),
        terms_for=sorted((s for s in known if s.contribution > 0), key=lambda s: (-s.contribution, s.term)),
        terms_against=sorted((s for s in known if s.contribution < 0), key=lambda s: (s.contribution, s.term)),
        blocks=_blocks(page, relevance), links=_links(page, relevance, strategy, drops, nofollow),
        cuts=dict(page.cuts), first_threshold=first_threshold,
    )  # fmt: skip


def term_shares(page: Page, topic: Topic) -> list[TermShare]:
    """Return the contribution of each known term of the page to the decision: see `contributions`."""
    numbers = Counter(page.judged_terms(topic.page_text).tolist())
    counts = {TERMS.term(number): count for number, count in numbers.items()}
    return [TermShare(term, counts[term], share) for term, share in contributions(topic, counts).items()]


def _blocks(page: Page, relevance: PageRelevance) -> list[BlockShare]:
    threshold = relevance.thresholds[BLOCK]
    n_links = Counter(page.anchor_blocks.tolist())
    return [
        BlockShare(number + 1, float(value), bool(value >= threshold), n_links[number], page.block_text(number))
        for number, value in enumerate(relevance.blocks)
    ]


def _links(page: Page, relevance: PageRelevance, strategy: Strategy, drops: bool, nofollow: int) -> list[LinkShare]:
    scores = checked(strategy.score(page, relevance, Visit()), strategy.name, page.n_links, page.url)
    words = strategy.why(page, relevance, Visit()) or [""] * page.n_links

    def share(number: int, link: Link) -> LinkShare:
        block = max((int(page.anchor_blocks[anchor]) for anchor in link.anchors), key=lambda b: relevance.blocks[b])
        status = ADMITTED if scores.admitted[number] else DROPPED if drops else DEFERRED
        if (nofollow and page.marked_text.nofollow) or (nofollow == OBEYS_LINKS and page.is_nofollow(link)):
            status = LEFT_OUT
        return LinkShare(
            url=link.url,
            anchor_text=" | ".join(dict.fromkeys(filter(None, map(page.anchor_text, link.anchors)))),
            score=float(scores.scores[number]),
            status=status,
            reason=REASONS[scores.reasons[number]],
            words=words[number],
            block=float(relevance.blocks[block]),
            block_number=block + 1,
            anchor=float(relevance.anchors[number]),
            context=float(relevance.contexts[number]),
        )

    rank = {ADMITTED: 0, DEFERRED: 1, DROPPED: 2, LEFT_OUT: 3}
    links = [share(number, link) for number, link in enumerate(page.links)]
    if strategy.order == "newest":
        links.reverse()
    # Sorting is stable: links of equal score keep their order, as in the frontier.
    return sorted(links, key=lambda link: (rank[link.status], -link.score))
