"""What is doubtful about the examples of a topic, in words: one text a warning, pages named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.examples.page_set import UNKNOWN
from focused.text.background import LANGUAGE as BACKGROUND_LANGUAGE
from focused.text.background import Background
from focused.text.languages import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from focused.examples.page_set import PageSet
    from focused.learning.diagnosis import Diagnosis
    from focused.train_keywords import Keywords

_N_NAMED = 3
_FEW, _FEW_WORDS = 10, 3
# So many pages in another language are no mistake of the detection; and this share of all.
_LEAST_PAGES, _LEAST_SHARE = 2, 0.1


def warnings_about(
    language: str, positive: PageSet, unlabeled: PageSet | Background, diagnosis: Diagnosis, terms: Sequence[str]
) -> list[str]:
    """Return what the user of a topic should know about its examples, the gravest first.

    Parameters
    ----------
    language : str
        ISO 639-1 code of the topic.
    positive : PageSet
    unlabeled : PageSet or Background
    diagnosis : Diagnosis
    terms : sequence of str
        The term of each column that `diagnosis` speaks of.
    """
    return [
        *language_of_the_others(language, unlabeled),
        *_few(positive),
        *_languages(language, positive),
        *_topics(positive, diagnosis, terms),
        *_duplicates(positive, diagnosis),
        *_outliers(positive, diagnosis),
    ]


def keyword_warnings(language: str, keywords: Keywords, unlabeled: PageSet | Background) -> list[str]:
    """Return what the user of a topic made from words should know, the gravest first."""
    found = language_of_the_others(language, unlabeled)
    unknown = keywords.unknown(unlabeled)
    if unknown:
        found.append(
            f"in no unlabelled page: {', '.join(unknown)}. Pages that hold such a word will count, but what belongs to it "
            "could not be learnt."
        )
    if keywords.ignored:
        found.append(
            f"ignored: {', '.join(keywords.ignored)}. Stopwords, numbers and single letters mean nothing by themselves."
        )
    if len(keywords.terms) < _FEW_WORDS:
        found.append(f"{len(keywords.terms)} word(s) say little; half a dozen different ones are better.")
    return found


def language_of_the_others(language: str, unlabeled: PageSet | Background) -> list[str]:
    """Warn of unlabelled pages in another language than the topic's."""
    if isinstance(unlabeled, Background):
        if language == BACKGROUND_LANGUAGE:
            return []
        return [
            f"the general background is English, the topic is in {language!r}: it does not fit. What was learnt tells "
            f"the language rather than the topic. Train again with --unlabeled PATH, pages of any topic in {language!r}."
        ]
    languages = unlabeled.languages
    main = max(sorted(languages), key=lambda code: languages[code], default=UNKNOWN)
    if main in (language, UNKNOWN):
        return []
    return [
        f"most unlabelled pages are in {main!r}, the topic is in {language!r}: what was learnt tells the language "
        f"rather than the topic. Train again with --unlabeled pages in {language!r}."
    ]


def _few(positive: PageSet) -> list[str]:
    if len(positive) >= _FEW:
        return []
    return [f"{_pages(len(positive))} of the topic are few; the figures below are rough. Thirty are enough."]


def _languages(language: str, positive: PageSet) -> list[str]:
    found = []
    for code, n in sorted(positive.languages.items()):
        # Languages without a stemmer of ours (Latin, Pidgin) are what tables and lists of names are taken for.
        if code != language and code in LANGUAGES and n >= max(_LEAST_PAGES, _LEAST_SHARE * len(positive)):
            names = [name for name, of in zip(positive.names, positive.language_of, strict=True) if of == code]
            found.append(
                f"{n} positives seem to be in {code!r}, the topic is in {language!r}: {_named(names)}. A topic has one "
                f"language; leave them out, or make two topics."
            )
    return found


def _topics(positive: PageSet, diagnosis: Diagnosis, terms: Sequence[str]) -> list[str]:
    if not diagnosis.groups:
        return []
    groups = [
        f"{_pages(len(group))} ({', '.join(terms[column] for column in columns)}), as {_named(_names(positive, group), 2)}"
        for group, columns in zip(diagnosis.groups, diagnosis.group_terms, strict=True)
    ]
    return [
        f"the positives look like several topics: {'; and '.join(groups)}. If that is not what you mean, make a topic of "
        "each."
    ]


def _duplicates(positive: PageSet, diagnosis: Diagnosis) -> list[str]:
    if not diagnosis.duplicates:
        return []
    groups = [" = ".join(_names(positive, group[:_N_NAMED])) for group in diagnosis.duplicates[:_N_NAMED]]
    n_groups = len(diagnosis.duplicates)
    n = sum(len(group) - 1 for group in diagnosis.duplicates)
    return [
        f"{_pages(n)} of the positives {'is a near-duplicate' if n == 1 else 'are near-duplicates'} of others and teach "
        f"nothing new: {'; '.join(groups)}{f'; and {n_groups - _N_NAMED} more groups' if n_groups > _N_NAMED else ''}. "
        "The figures below are too good by them."
    ]


def _outliers(positive: PageSet, diagnosis: Diagnosis) -> list[str]:
    n = len(diagnosis.outliers)
    if not n:
        return []
    return [
        f"{_pages(n)} {'has' if n == 1 else 'have'} hardly anything in common with the other positives: "
        f"{_named(_names(positive, diagnosis.outliers))}. See whether {'it belongs' if n == 1 else 'they belong'} to the "
        "topic."
    ]


def _names(pages: PageSet, rows: Iterable[int]) -> list[str]:
    return [pages.names[row] for row in rows]


def _named(names: Sequence[str], n: int = _N_NAMED) -> str:
    more = len(names) - n
    return ", ".join(names[:n]) + (f" and {more} more" if more > 0 else "")


def _pages(n: int) -> str:
    return f"{n:,} page{'s' if n != 1 else ''}"
