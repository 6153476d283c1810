"""Text to term ids: lower-case, tokenise, drop stopwords, stem [spec section 1, P13 6.1.2].

One table of terms serves the whole process, so that a page analysed once can be weighed by any topic. For speed, text is cut
at ASCII punctuation first. Everything slower (capitals beyond ASCII, other alphabets, typographic quotes, stopwords, stems)
is worked out once for each distinct token and remembered, see :mod:`focused.method.text.tokens`.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
import Stemmer

from focused.method.text import languages
from focused.method.text.languages import stopwords
from focused.method.text.tokens import SEPARATOR, TokenCodes

Ids = npt.NDArray[np.int32]

COUNTING = 2
"""Version of the counting. It rises whenever a page gives other terms than before: counts of two versions cannot be learnt
from together. Since 2, terms of the title are terms of their own, and personal pronouns are terms."""

MARK_CHAR = "\0"
"""Begins a mark in a text handed to :meth:`Analyzer.stream`; HTML cannot hold it."""

MARK_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
N_MARKS = len(MARK_DIGITS)
"""Ids below this are marks: places in a text."""
NOTHING = N_MARKS
"""The id of a token that holds no term: a stopword, a number, a sign."""
RARE = NOTHING + 1
"""The id of every term met after the table is full: it keeps its position in the text but names no term."""
FIRST_TERM = RARE + 1

TITLE_PREFIX = "title: "
"""Prefix of the terms of a page's title. No other term holds a blank."""

MAX_TERMS = 2_000_000  # of about 100 bytes each
MAX_WORD_CHARS = 64  # longer ones are keys and encoded data
MAX_REMEMBERED_TOKENS = 1_000_000  # of 48 bytes each

# ASCII letters and digits (in lower case) and the bytes of non-ASCII characters are kept; everything else separates tokens.
# MARK_CHAR becomes a byte of its own.
_MARK_BYTE = 1
_TABLE = bytes(
    _MARK_BYTE if b == ord(MARK_CHAR) else b if b >= 128 else ord(chr(b).lower()) if chr(b).isalnum() else SEPARATOR[0]
    for b in range(256)
)

_LAST_LETTER = 0x1F000  # above it are emoji and rare Chinese characters, and no combining marks


def _character_class(categories: tuple[str, ...]) -> str:
    """Return the inside of a regular expression class of all characters of the categories."""
    ranges: list[str] = []
    first = last = -2
    for code in [*(c for c in range(_LAST_LETTER) if unicodedata.category(chr(c)) in categories), -1]:
        if code == last + 1:
            last = code
            continue
        if first >= 0:
            ranges.append(f"{chr(first)}-{chr(last)}" if last > first else chr(first))
        first = last = code
    return "".join(ranges)


# Scripts written without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) become overlapping pairs of characters.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
# Vowel signs of Indic and other scripts are combining marks. \w leaves these out and would break up Hindi words.
_MARKS = _character_class(("Mn", "Mc"))
_WORD = re.compile(rf"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])[^\W\d_])(?:(?![{_UNSPACED}])(?:[^\W_]|[{_MARKS}]))+")
_UNSPACED_RUN = re.compile(rf"[{_UNSPACED}]")
# Within words: soft hyphen, zero-width joiner, word joiner, byte order mark; the dot that lower() leaves of Turkish İ.
_INVISIBLE = re.compile("[\u00ad\u200d\u2060\ufeff]|(?<=i)\u0307")


def words(text: str) -> list[str]:
    """Return the lower-case words of a text in any alphabet: a letter, then letters, digits or marks.

    Single letters and numbers are no words. Scripts without spaces give overlapping pairs of characters.

    >>> words("The “Milky Way” of 1998")
    ['the', 'milky', 'way', 'of']
    >>> words("天文学")
    ['天文', '文学']
    """
    text = text.lower()
    if text.isascii() and text.isalnum():  # nearly all tokens: the same result at a third of the cost
        word = text.lstrip("0123456789")
        return [word] if 1 < len(word) <= MAX_WORD_CHARS else []
    found: list[str] = []
    for word in _WORD.findall(_INVISIBLE.sub("", text)):
        if _UNSPACED_RUN.match(word):
            run = _normal(word)
            found.extend([run[i : i + 2] for i in range(len(run) - 1)] or [run])
        elif len(word) <= MAX_WORD_CHARS:
            found.append(_normal(word))
    return found


def _normal(word: str) -> str:
    """Return a word in compatibility normal form: one spelling of accents, ligatures and full-width letters."""
    if len(word) <= MAX_WORD_CHARS:
        return unicodedata.normalize("NFKC", word)
    # In pieces, because normalising is quadratic in a run of accents.
    return "".join(
        unicodedata.normalize("NFKC", word[i : i + MAX_WORD_CHARS]) for i in range(0, len(word), MAX_WORD_CHARS)
    )


def mark(number: int) -> str:
    """Return the text of a mark; its id is the number, from 0 to 35."""
    return f" {MARK_CHAR}{MARK_DIGITS[number]} "


class TermTable:
    """Numbers terms in the order in which they are first met. Ids below ``FIRST_TERM`` are reserved."""

    def __init__(self, max_terms: int = MAX_TERMS) -> None:
        self.max_terms = max_terms
        self._ids: dict[str, int] = {}
        self._terms: list[str] = []
        self._title_ids: dict[int, int] = {}
        # A strategy may be learning in a thread while pages are read.
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return one more than the largest id: the size of an array indexed by id."""
        return FIRST_TERM + len(self._terms)

    def intern(self, term: str, *, always: bool = False) -> int:
        """Return the id of a term, a new one if necessary; ``RARE`` if the table is full and not ``always``."""
        number = self._ids.get(term)
        if number is None:
            with self._lock:
                return self._new(term, always=always)
        return number

    def _new(self, term: str, *, always: bool) -> int:
        number = self._ids.get(term)
        if number is None:
            if len(self._terms) >= self.max_terms and not always:
                return RARE
            number = len(self)
            self._terms.append(term)
            self._ids[term] = number
        return number

    def title_ids(self, ids: Ids) -> Ids:
        """Return the ids of a title's terms as terms of their own: ``title: star`` beside ``star``.

        >>> table = TermTable()
        >>> [table.term(i) for i in table.title_ids(Analyzer("en", table).ids("The Stars"))]
        ['title: star']
        """
        found = []
        for number in ids.tolist():
            own = self._title_ids.get(number)
            if own is None:
                if number < FIRST_TERM:
                    continue
                own = self.intern(f"{TITLE_PREFIX}{self.term(number)}")
                if own >= FIRST_TERM:  # a topic may still add the term to a full table
                    self._title_ids[number] = own
            found.append(own)
        return np.fromiter(found, np.int32, len(found))

    def term(self, number: int) -> str:
        """Return the term of an id."""
        return self._terms[number - FIRST_TERM] if number >= FIRST_TERM else "?"

    def terms(self, ids: npt.NDArray[np.integer]) -> list[str]:
        """Return the terms of ids, in half of the time that they take one by one.

        >>> table = TermTable()
        >>> table.terms(Analyzer("en", table).ids("Stars of the sky"))
        ['star', 'sky']
        """
        table, places = self._terms, (ids - FIRST_TERM).tolist()
        if len(places) > 1 and min(places) >= 0:
            return list(itemgetter(*places)(table))
        return [table[at] if at >= 0 else "?" for at in places]


TERMS = TermTable()
"""The table of the whole process."""


class Analyzer:
    """Turns the text of one language into term ids.

    ``language``: ISO 639-1 code; it chooses stopwords and stemmer, not the alphabet: any text can be analysed. ``table``:
    where terms get their numbers.
    """

    def __init__(self, language: str = "en", table: TermTable = TERMS) -> None:
        self.language = language.lower()
        self.table = table
        self._stopwords = stopwords(self.language)
        algorithm = languages.language(self.language).stemmer
        # The codes are the only cache: PyStemmer's own would hold the same words twice.
        self._stem: Any = Stemmer.Stemmer(algorithm, 0).stemWord if algorithm else str
        self._codes = TokenCodes(self._code, MAX_REMEMBERED_TOKENS)
        self._several: list[Ids] = []  # ids of tokens that hold several words; their codes are -2, -3, ...

    def stream(self, text: str) -> Ids:
        """Return the ids of all tokens of a text in their order: terms, marks, ``NOTHING`` for tokens without a term.

        Marks are made by :func:`mark`. NULs of the text's own must be removed before.
        """
        if len(self._several) >= MAX_REMEMBERED_TOKENS:
            # A long crawl meets new tokens without end. A forgotten token only costs being worked out again.
            self._several.clear()
            self._codes.forget()
        ids = self._codes.of_text(text.encode("utf-8", "replace").translate(_TABLE))
        is_several = ids < 0
        if not is_several.any():
            return ids
        pieces = [self._several[-2 - code] for code in ids[is_several].tolist()]
        lengths = np.ones(len(ids), dtype=np.int64)
        lengths[is_several] = [len(piece) for piece in pieces]
        ids = ids.repeat(lengths)
        ids[ids < 0] = np.concatenate(pieces)
        return ids

    def _code(self, token: bytes) -> int:
        """Return the id of a token's term; a negative code if the token holds several terms."""
        if token[0] == _MARK_BYTE:
            return int(token[1:], len(MARK_DIGITS))
        ids = [self.table.intern(term) for term in self.terms_of(token.decode("utf-8", "replace"))]
        if len(ids) > 1:
            self._several.append(np.array(ids, dtype=np.int32))
            return -1 - len(self._several)
        return ids[0] if ids else NOTHING

    def terms_of(self, text: str) -> list[str]:
        """Return the terms of a word or two, which get no numbers and are not remembered.

        >>> Analyzer("en", TermTable()).terms_of("Stars")
        ['star']
        """
        return [self._stem(word) for word in words(text) if word not in self._stopwords]

    def ids(self, text: str) -> Ids:
        """Return the term ids of a text in their order.

        >>> table = TermTable()
        >>> [table.term(i) for i in Analyzer("en", table).ids("The stars and the Star of 1998")]
        ['star', 'star']
        """
        ids = self.stream(text.replace(MARK_CHAR, " "))
        return ids[ids > NOTHING]
