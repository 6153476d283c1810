"""Warnings about the examples of a topic: one text each, with the names of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.method.text.background import LANGUAGE as BACKGROUND_LANGUAGE
from focused.method.text.background import Background, load_background
from focused.method.text.languages import LANGUAGES
from focused.method.training.page_set import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from focused.method.learning.diagnosis import Diagnosis
    from focused.method.training.from_keywords import Keywords
    from focused.method.training.from_pages import LearntModel
    from focused.method.training.page_set import PageSet

_N_NAMED = 3
_FEW, _FEW_WORDS = 10, 3
# Least number of unlabelled pages, in all and per positive.
_FEW_UNLABELED, _PER_POSITIVE = 200, 3
# From this share of relevant pages among the unlabelled ones on, the estimate is too low and the ranking suffers.
_MUCH = 0.25
# With fewer unlabelled pages than this, the positives are not compared with them.
_LEAST_UNLABELED = 80
# From this number of pages, and this share of all, another language is no mistake of the detection.
_LEAST_PAGES, _LEAST_SHARE = 2, 0.1
_OF_BACKGROUND = (
    "the figures below compare the positives with the general background. A crawl meets pages that are nearer to the "
    "topic, and its precision will be lower. --unlabeled pages of the web to be crawled make a better topic and truer "
    "figures."
)


def warnings_about(language: str, positive: PageSet, unlabeled: PageSet | Background, learnt: LearntModel) -> list[str]:
    """Return the warnings about a topic's examples, the gravest first.

    ``language``: ISO 639-1 code of the topic. ``learnt``: what was learnt from these examples.
    """
    return list(_warnings(language, positive, unlabeled, learnt))


def _warnings(language: str, positive: PageSet, unlabeled: PageSet | Background, learnt: LearntModel) -> Iterator[str]:
    diagnosis, terms = learnt.diagnosis, learnt.terms
    prior, left_out = learnt.prior, learnt.model.left_out
    yield from language_of_unlabeled(language, unlabeled)
    # The unlabelled pages show what any pages have in common. They cannot if they are few, or mostly about the topic.
    enough = isinstance(unlabeled, Background) or len(unlabeled) >= _LEAST_UNLABELED
    if prior is not None and prior >= _MUCH:
        enough = False
        yield (
            f"{prior:.0%} or more of the unlabelled pages look like pages of the topic: they can hardly be told from the "
            "positives, and the figures below are too low. Bring unlabelled pages of other topics too, so that a tenth or "
            "less belongs to the topic."
        )
    if learnt.weakness:
        yield learnt.weakness
    if len(positive) < _FEW:
        yield f"{_pages(len(positive))} of the topic are few; the figures below are rough. Thirty are enough."
    if n := len(left_out):
        check = "it has text and belongs" if n == 1 else "they have text and belong"
        yield f"{no_known_word(n, _named(_names(positive, left_out)))}. Check that {check} to the topic."
    n = unlabeled.n_pages if isinstance(unlabeled, Background) else len(unlabeled)
    needed = max(_FEW_UNLABELED, _PER_POSITIVE * len(positive))
    if n < needed:
        yield (
            f"{_pages(n)} that are not positive are few beside {_pages(len(positive))} that are: they do not show what else "
            f"is on the web, and the figures below are rough. Bring at least {needed:,} unlabelled pages."
        )
    if isinstance(unlabeled, Background):
        yield _OF_BACKGROUND
    yield from _languages(language, positive)
    if enough and diagnosis.groups:
        groups = [
            f"{_pages(len(group))} ({', '.join(terms[column] for column in columns)}), as {_named(_names(positive, group), 2)}"
            for group, columns in zip(diagnosis.groups, diagnosis.group_terms, strict=True)
        ]
        several = "; and ".join(groups)
        yield f"the positives look like several topics: {several}. If you do not want that, make a topic of each."
    if diagnosis.duplicates:
        yield _duplicates(positive, diagnosis)
    # Pages without a known word have been named already.
    alone = [row for row in diagnosis.outliers if row not in left_out] if enough else []
    if n := len(alone):
        yield (
            f"{_pages(n)} {'has' if n == 1 else 'have'} hardly anything in common with the other positives: "
            f"{_named(_names(positive, alone))}. Check that {'it belongs' if n == 1 else 'they belong'} to the topic."
        )


def warnings_looked_at(language: str, warnings: Iterable[str], looked_at: PageSet) -> list[str]:
    """Return the warnings about a topic whose background was replaced by pages of its web, the gravest first.

    ``warnings``: those of the training against the background.
    """
    no_more = {*language_of_unlabeled(language, load_background()), _OF_BACKGROUND}
    return [
        *language_of_unlabeled(language, looked_at),
        *(each for each in warnings if each not in no_more),
        f"the figures below compare the positives with {_pages(len(looked_at))} around the seeds. Of so few they are rough; "
        "crawls look around further, and train the topic again.",
    ]


def few_looked_at(n: int, why: str) -> str:
    """Return the warning about a topic that is trained against the background, for too little was met around its seeds."""
    return (
        f"looking around from the seeds brought {_pages(n) if n else 'no page'}{f' ({why})' if why else ''}: nothing could be "
        "learnt of their web. The general background stands in until a crawl has looked around."
    )


def keyword_warnings(language: str, keywords: Keywords, unlabeled: PageSet | Background) -> list[str]:
    """Return the warnings about a topic made from words, the gravest first."""
    found = language_of_unlabeled(language, unlabeled)
    unknown = keywords.unknown(unlabeled)
    if unknown == keywords.words:
        is_background = isinstance(unlabeled, Background)
        found.append(
            f"none of the words stands in any {'page of the general background' if is_background else 'unlabelled page'}: "
            f"{', '.join(unknown)}. A page that holds one counts as relevant"
            + (
                ", until the crawl has looked up in the pages it meets what stands beside them."
                if is_background
                else "."
            )
        )
    elif unknown:
        found.append(
            f"in no unlabelled page: {', '.join(unknown)}. Pages that hold such a word will count, but its neighbours could "
            "not be learnt."
        )
    if keywords.ignored:
        found.append(f"ignored: {', '.join(keywords.ignored)}. Stopwords, numbers and single letters name no topic.")
    if len(keywords.terms) < _FEW_WORDS:
        n = len(keywords.terms)
        found.append(f"{n} word{'s are' if n != 1 else ' is'} few; half a dozen different ones are better.")
    return found


def language_of_unlabeled(language: str, unlabeled: PageSet | Background) -> list[str]:
    """Warn if the unlabelled pages are in another language than the topic."""
    if isinstance(unlabeled, Background):
        if language == BACKGROUND_LANGUAGE:
            return []
        return [
            f"the general background is English, but the topic is in {language!r}: the model tells languages apart rather "
            f"than topics. Train again with --unlabeled PATH, pages of any topic in {language!r}."
        ]
    languages = unlabeled.languages
    main = max(sorted(languages), key=lambda code: languages[code], default=UNKNOWN)
    if main in (language, UNKNOWN):
        return []
    return [
        f"{languages.get(language, 0):,} of {sum(languages.values()):,} unlabelled pages are in {language!r}, the topic's "
        f"language, {languages[main]:,} in {main!r}: the model partly tells languages apart rather than topics. Train "
        f"again with more --unlabeled pages in {language!r}."
    ]


def no_known_word(n: int, names: str) -> str:
    """Return the beginning of a warning about positives without a known word."""
    return (
        f"{_pages(n)} of the positives {'holds' if n == 1 else 'hold'} no known word (a word that several pages hold) "
        f"and {'is' if n == 1 else 'are'} left out: {names}"
    )


def _languages(language: str, positive: PageSet) -> Iterator[str]:
    for code, n in sorted(positive.languages.items()):
        # Tables and lists of names are often taken for languages without a stemmer (Latin, Pidgin).
        if code != language and code in LANGUAGES and n >= max(_LEAST_PAGES, _LEAST_SHARE * len(positive)):
            names = [name for name, of in zip(positive.names, positive.language_of, strict=True) if of == code]
            yield (
                f"{n} positives seem to be in {code!r}, the topic is in {language!r}: {_named(names)}. A topic has one "
                f"language; leave them out, or make two topics."
            )


def _duplicates(positive: PageSet, diagnosis: Diagnosis) -> str:
    groups = [" = ".join(_names(positive, group[:_N_NAMED])) for group in diagnosis.duplicates[:_N_NAMED]]
    n_groups = len(diagnosis.duplicates)
    n = sum(len(group) - 1 for group in diagnosis.duplicates)
    left = n_groups - _N_NAMED
    more = f"; and {left} more group{'s' if left > 1 else ''}" if left > 0 else ""
    are = "is a near-duplicate of others and teaches" if n == 1 else "are near-duplicates of others and teach"
    return f"{_pages(n)} of the positives {are} nothing new: {'; '.join(groups)}{more}. They make the figures below too good."


def _names(pages: PageSet, rows: Iterable[int]) -> list[str]:
    return [pages.names[row] for row in rows]


def _named(names: Sequence[str], n: int = _N_NAMED) -> str:
    more = len(names) - n
    return ", ".join(names[:n]) + (f" and {more} more" if more > 0 else "")


def _pages(n: int) -> str:
    return f"{n:,} page{'s' if n != 1 else ''}"
