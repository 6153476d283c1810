"""Make a first model from keywords, for users without example pages."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.method.learning.keywords import train_keywords
from focused.method.text.analyzer import TERMS, TITLE_PREFIX, Analyzer
from focused.method.text.background import Background
from focused.method.training.from_pages import LearntModel, linked
from focused.method.training.term_counting import Columns

if TYPE_CHECKING:
    from collections.abc import Callable

    from focused.method.text.word_vectors import WordVectors
    from focused.method.training.page_set import PageSet

N_NEAREST = 1_000
"""Stems near to the words that count beside them."""

NOTE = "A beginning, made from words alone:"


@dataclass(frozen=True)
class Keywords:
    """The words that a user wrote, and their terms."""

    text: str
    terms: dict[str, str]
    """Each term with the word as it was written."""
    ignored: tuple[str, ...]
    """Words without a term: stopwords, numbers, single letters."""

    @property
    def note(self) -> str:
        """The note for users of the topic."""
        return f"{NOTE} {self.text}. Retraining during a crawl, or example pages, sharpen it."

    @property
    def words(self) -> list[str]:
        """The words with terms, each once. A word with a hyphen, or in a script without blanks, may have several terms."""
        return list(dict.fromkeys(self.terms.values()))

    def unknown(self, unlabeled: PageSet | Background) -> list[str]:
        """Return the words none of whose terms occurs in any unlabelled page."""
        if isinstance(unlabeled, Background):
            known = set(unlabeled.terms)
        else:
            known = {TERMS.term(i) for page in unlabeled.pages for i in page.terms.ids.tolist()}
        met = {word for term, word in self.terms.items() if term in known}
        return [word for word in self.words if word not in met]


def read_keywords(text: str, language: str) -> Keywords:
    """Read the words that name a topic, separated by blanks, commas or semicolons.

    Raises ValueError if none of them is a term.

    >>> read_keywords("the moon, (stars) 3d.", "en")
    Keywords(text='the moon, (stars) 3d.', terms={'moon': 'moon', 'star': 'stars'}, ignored=('the', '3d'))
    """
    analyzer = Analyzer(language)
    terms: dict[str, str] = {}
    ignored = []
    for word in filter(None, map(_without_punctuation, re.split(r"[\s,;]+", text))):
        found = [TERMS.term(i) for i in analyzer.ids(word).tolist()]
        if not found:
            ignored.append(word)
        for term in found:
            terms.setdefault(term, word)
    if not terms:
        raise ValueError(
            f"--keywords must hold words that mean something; stopwords, numbers and single letters do not. Got {text!r}. "
            'Example: --keywords "star galaxy planet telescope"'
        )
    return Keywords(" ".join(text.split()), terms, tuple(ignored))


def _without_punctuation(word: str) -> str:
    """Return a word without what stands before and behind it in a sentence: commas, brackets, quotation marks.

    >>> [_without_punctuation(word) for word in ("«miel».", "well-known", "C#", "-")]
    ['miel', 'well-known', 'C#', '']
    """
    start, end = 0, len(word)
    while start < end and _is_punctuation(word[start]):
        start += 1
    while start < end and _is_punctuation(word[end - 1]):
        end -= 1
    return word[start:end]


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] == "P" and character != "#"


def learn_keywords(
    keywords: Keywords,
    unlabeled: PageSet | Background,
    *,
    vectors: WordVectors | None = None,
    random_state: int = 0,
    say: Callable[[str], None] = lambda _: None,
) -> LearntModel:
    """Make a topic's model from words and unlabelled pages. Words that none of the pages holds count by themselves.

    ``vectors``: those of the words of its language. With a background, the `N_NEAREST` stems nearest to the words count, too.
    """
    near: list[str] = []
    nearness: Any = ()
    if vectors is not None and isinstance(unlabeled, Background):
        near, nearness = vectors.nearest(list(keywords.terms), N_NEAREST)
    if isinstance(unlabeled, Background):
        columns = Columns([], [*unlabeled.terms, *keywords.terms, *near])
        # A background holds too few pages of a topic to learn from their titles.
        titles = [title for term in keywords.terms if (title := f"{TITLE_PREFIX}{term}") in columns.column_of]
        counts, links = columns.of_background(unlabeled), None
    else:
        titles = []
        columns = Columns(unlabeled.pages, keywords.terms)
        counts, links = columns.counts([page.terms for page in unlabeled.pages]), linked(columns, unlabeled.pages)
    say(f"Learning from {len(keywords.words)} words and {counts.shape[0]:,} unlabelled pages")
    model = train_keywords(
        counts,
        [columns.column_of[term] for term in keywords.terms],
        title_columns=[columns.column_of[term] for term in titles],
        is_background=isinstance(unlabeled, Background),
        near_columns=[columns.column_of[term] for term in near],
        nearness=nearness,
        link_examples=links,
        random_state=random_state,
    )
    return LearntModel(model, columns.terms, vectors=vectors if near else None)
