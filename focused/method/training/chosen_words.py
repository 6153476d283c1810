"""Choose the words that a user would type for a topic, by a fixed rule from its positives (docs/method/evaluation.md)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from math import log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from focused.method.text.analyzer import FIRST_TERM, TERMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from focused.method.page.page import Page
    from focused.method.text.analyzer import Analyzer
    from focused.method.text.background import Background

N_WORDS = 6
_LEAST_SHARE, _LEAST_PAGES = 0.1, 2
_EDGES = "\"'`.,;:!?()[]{}<>«»“”„\u2018\u2019…"


def choose_words(pages: Iterable[Page], label: str, analyzer: Analyzer, background: Background) -> list[str]:
    """Return the six words that tell the pages from the background best, the best first.

    Only whole words count that stand in the pages' own text: in no link, and in no piece of text that several of the pages
    share. They are written in lower case more often than not, so names of people and months are no words. No word is part of
    the label's text. Words that stand in a tenth of the pages come before all others. Raises ValueError if there is no word.
    """
    texts = _unshared([list(_own_pieces(page)) for page in pages])
    written: defaultdict[str, Counter[str]] = defaultdict(Counter)
    n_pages: Counter[str] = Counter()
    for text in texts:
        met = set()
        for word in (word for piece in text for word in _whole_words(piece)):
            found = analyzer.ids(word).tolist()
            if len(found) == 1 and found[0] >= FIRST_TERM:
                term = TERMS.term(found[0])
                written[term][word] += 1
                met.add(term)
        n_pages.update(met)
    forbidden = "".join(filter(str.isalpha, label.lower()))
    forbidden_terms = {TERMS.term(i) for i in analyzer.ids(label).tolist() if i >= FIRST_TERM}
    spelled = {term: word for term in n_pages if (word := _spelling(written[term], analyzer.language))}
    known = dict(
        zip(background.terms, np.bincount(background.counts.indices, minlength=len(background.terms)), strict=True)
    )
    least = max(_LEAST_PAGES, _LEAST_SHARE * len(texts))

    def rank(term: str) -> tuple[bool, float, str]:
        odds = _log_odds(n_pages[term], len(texts)) - _log_odds(int(known.get(term, 0)), background.n_pages)
        return n_pages[term] < least, -sqrt(n_pages[term] / len(texts)) * odds, term

    allowed = [
        term for term, word in spelled.items()
        if term not in forbidden_terms and term not in forbidden and word not in forbidden
    ]  # fmt: skip
    if not allowed:
        raise ValueError(f"The {len(texts)} positives hold no word to start from.")
    return [spelled[term] for term in sorted(allowed, key=rank)[:N_WORDS]]


def _own_pieces(page: Page) -> Iterator[str]:
    """Yield the pieces of a page's content blocks, without the texts of links."""
    chunks, in_anchor = page.marked_text.chunks, page.in_anchor
    for first, last, _ in page.blocks.segments:
        text = " ".join(" ".join(chunks[n] for n in range(first, last) if not in_anchor[n]).split())
        if text:
            yield text


def _unshared(texts: list[list[str]]) -> list[list[str]]:
    """Return the pieces of text that one page alone holds; all of them if there is none."""
    n_holding = Counter(template for text in texts for template in set(map(_template, text)))
    found = [[piece for piece in text if n_holding[_template(piece)] == 1] for text in texts]
    return found if any(found) else texts


def _template(piece: str) -> str:
    """Return a piece of text without its numbers: a counter or a date makes no new text."""
    return re.sub(r"\d+", "0", piece.lower())


def _whole_words(piece: str) -> Iterator[str]:
    """Yield the words between blanks, but no parts of addresses, file names and the like."""
    for word in piece.split():
        bare = word.strip(_EDGES)
        if len(bare) > 2 and bare.isalpha():
            yield bare


def _spelling(forms: Counter[str], language: str) -> str:
    """Return the most frequent form of a word; empty if it is mostly written with capitals. German nouns all are."""
    lower = {form: n for form, n in forms.items() if form == form.lower() or language == "de"}
    if 2 * sum(lower.values()) <= forms.total():
        return ""
    return min(lower, key=lambda form: (-lower[form], form))


def _log_odds(n: int, total: int) -> float:
    return log((n + 0.5) / (total - n + 0.5))
