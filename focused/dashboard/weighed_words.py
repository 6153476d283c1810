"""Shows what made a page relevant, or not: the terms that weighed most, in a list and underlined in its text."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from focused.collection.page import unpack_terms
from focused.method.topic import Analyzer
from focused.method.topic.counted import contributions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from focused.method.topic import Topic

MARKED, FOR, AGAINST = "marked", "for", "against"
"""What a piece of a text is: a word that is sought for, a term that weighed for the topic, or one against it."""
N_TERMS = 8
_MAX_TERMS_BYTES, _MAX_COUNT = 1_000_000, 1_000_000
_TITLE = "title: "
_PAGE = "page"
# As the terms of a text are counted: what is no letter or digit separates words.
_WORD = re.compile(r"[^\W_]+")

Piece = tuple[str, str]


@dataclass(frozen=True, slots=True)
class WeighedTerm:
    """A term of a page."""

    #: As it stands in the text, as far as it was found there; else the term, which is the stem of words.
    word: str
    count: int
    #: What it adds to the decision: above 0 for the topic, below it against.
    weight: float
    in_title: bool
    term: str


@dataclass(frozen=True, slots=True)
class WeighedWords:
    """What a model made of a page's words."""

    words_for: list[WeighedTerm]
    words_against: list[WeighedTerm]
    #: Terms of the page that the model knows beside those, and what they add together.
    n_others: int
    others: float
    #: What the decision is without any term.
    start: float
    decision: float
    #: By the words alone, in [0, 1].
    relevance: float


def weighed_words(topic: Topic, data: Any) -> WeighedWords | None:
    """Return what the terms of a page weigh, as the collection keeps them; None if it kept none.

    Raises
    ------
    ValueError
        If they are damaged.
    """
    if data is not None and not isinstance(data, bytes):
        raise ValueError("The terms of a page cannot be read: they are no bytes")
    found = unpack_terms(data, _MAX_TERMS_BYTES)
    counts = {term: min(count, _MAX_COUNT) for term, count in found.items() if count > 0}
    if not counts:
        return None
    weights = contributions(topic, counts)
    ranked = sorted(weights.items(), key=lambda pair: (-abs(pair[1]), pair[0]))
    words_for = [_weighed(term, counts[term], weight) for term, weight in ranked if weight > 0][:N_TERMS]
    words_against = [_weighed(term, counts[term], weight) for term, weight in ranked if weight < 0][:N_TERMS]
    total = math.fsum(weights.values())
    shown = math.fsum(each.weight for each in (*words_for, *words_against))
    decision = topic.model.intercept + total
    return WeighedWords(
        words_for, words_against, len(weights) - len(words_for) - len(words_against), total - shown,
        topic.model.intercept, decision, float(topic.model.relevance(_PAGE, decision, len(weights))),
    )  # fmt: skip


def _weighed(term: str, count: int, weight: float) -> WeighedTerm:
    return WeighedTerm(term.removeprefix(_TITLE), count, weight, term.startswith(_TITLE), term)


def underlined(
    text: Iterable[Sequence[Piece]], title: str, found: WeighedWords, language: str
) -> tuple[list[list[Piece]], WeighedWords]:
    """Return a text whose words of these terms are pieces of their own, and the terms named by words of text or title."""
    signs = dict.fromkeys((each.term for each in found.words_for), FOR)
    signs |= dict.fromkeys((each.term for each in found.words_against), AGAINST)
    analyzer, term_of, word_of = Analyzer(language), dict[str, str](), dict[str, str]()

    def sign(word: str) -> str:
        term = term_of.get(word)
        if term is None:
            terms = analyzer.terms_of(word)
            term = term_of[word] = terms[0] if len(terms) == 1 else ""
            word_of.setdefault(term, word.lower())
        return signs.get(term, "")

    def split(piece: str) -> Iterator[Piece]:
        at = 0
        for each in _WORD.finditer(piece):
            if kind := sign(each[0]):
                if each.start() > at:
                    yield piece[at : each.start()], ""
                yield each[0], kind
                at = each.end()
        if at < len(piece):
            yield piece[at:], ""

    pieces = [[each for piece, kind in line for each in ([(piece, kind)] if kind else split(piece))] for line in text]
    for each in _WORD.findall(title):
        sign(each)
    return pieces, replace(
        found, words_for=_named(found.words_for, word_of), words_against=_named(found.words_against, word_of)
    )


def _named(words: Iterable[WeighedTerm], word_of: Mapping[str, str]) -> list[WeighedTerm]:
    return [replace(each, word=word_of.get(each.word, each.word)) for each in words]
