"""Sentences for the demo web: patterns filled with the words of a topic and of everyday English."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from focused.webs.demo import templates
from focused.webs.demo.words import GENERAL, TOPICS, TOWNS, Lexicon

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focused.webs.demo.seeded_random import Dice

Pattern = tuple[tuple[str, str], ...]  # (literal text, slot or ""), ...
Words = dict[str, tuple[str, ...]]  # slot in capitals -> words, frequent ones repeated

_IRREGULAR = {"leaf": "leaves", "knife": "knives", "potato": "potatoes", "tomato": "tomatoes", "child": "children"}
_TABLE_SIZE = 512
_A_BEFORE_VOWEL = re.compile(r"\b([Aa]) (?=[aeioAEIO]|un|up|ul)")
_FAVOURITE_SHARE = 0.35


def plural(noun: str) -> str:
    """Make the plural of a noun of the word lists.

    >>> plural("galaxy"), plural("buoy"), plural("lens"), plural("black hole")
    ('galaxies', 'buoys', 'lenses', 'black holes')
    """
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    if noun.endswith("man"):
        return noun[:-2] + "en"
    if noun.endswith("y") and noun[-2] not in "aeou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def compile_patterns(patterns: Sequence[str]) -> tuple[Pattern, ...]:
    """Cut patterns into literals and slots once, so that a sentence is a single pass.

    >>> compile_patterns(["The {N} is {A}."])
    ((('The ', 'N'), (' is ', 'A'), ('.', '')),)
    """
    piece = re.compile(r"([^{]*)(?:\{(\w)\})?")
    return tuple(
        tuple((literal, slot) for literal, slot in piece.findall(pattern) if literal or slot) for pattern in patterns
    )


SENTENCES = compile_patterns(templates.SENTENCES)
GENERAL_SENTENCES = compile_patterns(templates.GENERAL_SENTENCES)
TEASERS = compile_patterns(templates.TEASERS)
TITLES = compile_patterns(templates.TITLES)
VAGUE_TITLES = compile_patterns(templates.VAGUE_TITLES)
ADVERTS = compile_patterns(templates.ADVERTS)
SECTION_NAMES = compile_patterns(templates.SECTION_NAMES)


def _zipf(words: Sequence[str], offset: float) -> tuple[str, ...]:
    weights = [1.0 / (rank + offset) for rank in range(len(words))]
    scale = _TABLE_SIZE / sum(weights)
    return tuple(
        word for word, weight in zip(words, weights, strict=True) for _ in range(max(1, round(weight * scale)))
    )


def _slots(lexicon: Lexicon, offset: float) -> Words:
    slots = {
        "N": lexicon.things,
        "M": tuple(map(plural, lexicon.things)),
        "S": lexicon.stuff,
        "V": lexicon.acts,
        "A": lexicon.kinds,
        "P": lexicon.names,
    }
    return {slot: _zipf(words, offset) for slot, words in slots.items()}


# A topic has a few words that nearly every page uses; everyday words are spread more evenly.
_TOPIC_WORDS = tuple(_slots(topic, 1.5) for topic in TOPICS)
_GENERAL_WORDS = _slots(GENERAL, 6.0)
_GENERAL_SLOTS = {slot.lower(): words for slot, words in _GENERAL_WORDS.items()} | {"t": tuple(TOWNS)}


class Writer:
    """Writes sentences about a topic (an index into ``TOPICS``, or None for everyday things).

    ``strength``: probability in [0, 1] that a topic slot takes a topic word. ``second`` and ``second_share``: another topic,
    and the share in [0, 1] of the topic words that it supplies. ``favourites``: whether to repeat a few words, so that the
    page differs from others of its topic.
    """

    __slots__ = ("_favourites", "_plain", "_random", "_second", "_second_share", "_strength", "_words")

    def __init__(
        self,
        dice: Dice,
        topic: int | None,
        strength: float = 1.0,
        *,
        second: int | None = None,
        second_share: float = 0.0,
        favourites: bool = False,
    ) -> None:
        self._random = dice.random
        self._plain = topic is None
        self._strength = strength
        self._words = _GENERAL_WORDS if topic is None else _TOPIC_WORDS[topic]
        self._second = self._words if second is None else _TOPIC_WORDS[second]
        self._second_share = second_share
        self._favourites = self._words
        if favourites:
            self._favourites = {slot: tuple(dice.pick(words) for _ in range(4)) for slot, words in self._words.items()}

    def write(self, pattern: Pattern) -> str:
        """Fill one pattern."""
        parts: list[str] = []
        random = self._random
        for literal, slot in pattern:
            if literal:
                parts.append(literal)
            if slot:
                words = self._choose(slot)
                parts.append(words[int(random() * len(words))] if words else _number(slot, random()))
        text = _A_BEFORE_VOWEL.sub(r"\1n ", "".join(parts))
        return text[0].upper() + text[1:]

    def _choose(self, slot: str) -> Sequence[str]:
        general = _GENERAL_SLOTS.get(slot)
        if general is not None or slot in "dy":
            return general or ()
        random = self._random
        if random() >= self._strength:
            return _GENERAL_WORDS[slot]
        if self._second_share and random() < self._second_share:
            return self._second[slot]
        return (self._favourites if random() < _FAVOURITE_SHARE else self._words)[slot]

    def one_of(self, patterns: Sequence[Pattern]) -> str:
        """Fill a pattern drawn at random."""
        return self.write(patterns[int(self._random() * len(patterns))])

    def paragraph(self, n_sentences: int) -> str:
        """Write a paragraph."""
        patterns = GENERAL_SENTENCES if self._plain else SENTENCES
        return " ".join([self.one_of(patterns) for _ in range(n_sentences)])


def _number(slot: str, chance: float) -> str:
    return str(2 + int(chance * 58)) if slot == "d" else str(1790 + int(chance * 234))
