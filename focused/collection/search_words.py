"""Quotes search words with characters that FTS5 would take for operators."""

from __future__ import annotations


def as_they_stand(words: str) -> str:
    r"""Return a query of FTS5 for pages that hold all words, and none of those behind a minus; empty if no word is left.

    >>> as_they_stand("x-ray c++ -o'brien")
    '"x-ray" "c++" NOT "o\'brien"'
    """
    wanted, unwanted = list[str](), list[str]()
    for word in words.replace('"', " ").split():
        name = word.removeprefix("-")
        if any(map(str.isalnum, name)):
            (unwanted if name != word else wanted).append(f'"{name}"')
    if not wanted:
        return ""
    return " NOT ".join([" ".join(wanted), *unwanted])
