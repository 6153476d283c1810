"""The lines of a PDF page to paragraphs and headings, by where the lines stand and how high their letters are."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_OTHER_HEIGHT = 0.15
"""Letters that differ by more than this share belong to another paragraph."""
_WIDE_GAP = 1.35
"""Lines of a paragraph are no farther apart than this many usual distances of the page."""
_SAME_LINE = 0.3
_INDENT = 0.8
"""In letter heights."""
_HEADING = 1.12
"""A heading's letters are at least so much higher than those of the text."""
_MOST_HEADING_CHARS = 200
_MOST_LEVELS = 3
_ENDS_SENTENCE = re.compile(r"[.!?:;\u3002\uff01\uff1f][\"'\u2019\u201d)\]]*$").search


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page: characters ``start`` to ``end`` of the page's text, and where it stands.

    In points from the left and from below; of lines that were joined, ``bottom`` of the first and ``end_bottom`` of the last.
    """

    start: int
    end: int
    text: str
    left: float
    bottom: float
    end_bottom: float
    height: float


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines that belong together. ``level``: 1 to 3 of a heading, 0 of other text."""

    lines: tuple[Line, ...]
    level: int = 0

    @property
    def n_chars(self) -> int:
        """How many characters its lines have."""
        return sum(line.end - line.start for line in self.lines)

    @property
    def height(self) -> float:
        """How high its letters are, in points."""
        return self.lines[0].height


def paragraphs(lines: Sequence[Line]) -> list[Paragraph]:
    """Return the paragraphs of a page, in the order of its lines.

    A line begins a new one if its letters are of another height, if it stands too far below the line before, is indented, or
    stands in another place (a new column) after the end of a sentence.
    """
    gaps = [gap for one, two in pairwise(lines) if (gap := one.end_bottom - two.bottom) > 1.0]
    usual = median(gaps) if gaps else 0.0
    found: list[list[Line]] = []
    for line in lines:
        if found and _goes_on(found[-1], line, usual):
            found[-1].append(line)
        else:
            found.append([line])
    return [Paragraph(tuple(each)) for each in found]


def _goes_on(paragraph: list[Line], line: Line, usual: float) -> bool:
    """Tell whether a line belongs to the paragraph of the line before."""
    last = paragraph[-1]
    if abs(line.height - last.height) > _OTHER_HEIGHT * max(line.height, last.height):
        return False
    gap = last.end_bottom - line.bottom
    if abs(gap) <= _SAME_LINE * line.height:
        return True
    if gap < 0:  # farther up: another column
        return not _ENDS_SENTENCE(last.text)
    # Where most lines stand close, the page is a table or a drawing.
    if gap > _WIDE_GAP * max(usual, line.height):
        return False
    return line.left - last.left <= _INDENT * line.height or len(paragraph) == 1


def with_headings(pages: Sequence[Sequence[Paragraph]]) -> list[list[Paragraph]]:
    """Return the paragraphs of all pages, those in higher letters than most of the text as headings.

    The highest letters are of level 1, the next of level 2, all others of level 3.
    """
    n_chars = Counter[float]()
    for each in (each for page in pages for each in page):
        n_chars[round(each.height, 1)] += each.n_chars
    usual = _weighted_median(n_chars.items())
    least = usual * _HEADING
    heights = sorted(
        {round(each.height, 1) for page in pages for each in page if _is_heading(each, least)}, reverse=True
    )
    level_of = {height: min(level, _MOST_LEVELS) for level, height in enumerate(heights, 1)}
    return [
        [Paragraph(each.lines, level_of[round(each.height, 1)]) if _is_heading(each, least) else each for each in page]
        for page in pages
    ]


def _is_heading(paragraph: Paragraph, least_height: float) -> bool:
    return (
        0 < least_height <= paragraph.height
        and paragraph.n_chars <= _MOST_HEADING_CHARS
        and any(character.isalpha() for character in paragraph.lines[0].text)
    )


def _weighted_median(weights: Iterable[tuple[float, int]]) -> float:
    """Return the value in the middle, each counted as often as its weight says; 0 where there is none.

    >>> _weighted_median([(10.0, 900), (18.0, 40), (8.0, 100)])
    10.0
    """
    ordered = sorted(weights)
    rest = sum(weight for _, weight in ordered) / 2
    for value, weight in ordered:
        rest -= weight
        if rest <= 0:
            return value
    return 0.0
