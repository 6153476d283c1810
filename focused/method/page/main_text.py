"""The main text of a page: what its reader came for, without menus, link lists and furniture.

A line is left out if the page marks it as furniture, if links make up most of it, or if it stood on earlier pages of the same
host (`focused.method.page.repeated_lines`). Then each line is seen with its neighbours: a few words in links between two lines
that stay belong to the text, and a heading goes with the list that it heads.
"""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from focused.method.page.lines import Flags, Integers, Lines

MIN_TOKENS = 20
"""If fewer are left, link lists are text, too: the page may be an index."""
LINKED, SENTENCE_TOKENS = 0.5, 15
"""Share of a line's tokens in links from which it is a line of links, unless so many tokens stand outside of them."""
GAP_LINES, GAP_TOKENS = 2, 12
"""Lines and tokens of links, or of repeated lines, that belong to the text between two of its lines."""
LABEL_TOKENS = 8
"""Tokens of a line that may head a list without being a heading."""
BEGUN_TOKENS = 10
"""Tokens of the text before a link list that stands within it."""

MAX_HEADINGS, MAX_HEADING_CHARS = 100, 500

_OWN, _LINKS, _REPEATED, _FURNITURE = range(4)
_ALL_LEVELS = (1 << 7) - 1


def main_lines(lines: Lines, is_repeated: Flags | None = None) -> Flags:
    """Flag the lines that belong to the main text; shape (n_lines,).

    ``is_repeated`` of shape (n_lines,): which lines stood on earlier pages of the host; None if too few are known. On a host
    that is known a list of links between two lines of text belongs to the text: its menus are told by their repetition.
    """
    kinds = np.zeros(len(lines), dtype=np.int64)
    n_own = lines.n_tokens - lines.n_linked
    kinds[(lines.n_linked > LINKED * lines.n_tokens) & (n_own < SENTENCE_TOKENS)] = _LINKS
    if is_repeated is not None:
        kinds[is_repeated] = _REPEATED
    kinds[lines.is_furniture] = _FURNITURE
    is_known = is_repeated is not None
    is_main = _with_neighbours(kinds, lines, is_known)
    if lines.n_tokens.dot(is_main) < MIN_TOKENS:
        kinds[kinds == _LINKS] = _OWN
        is_main = _with_neighbours(kinds, lines, is_known)
    if not is_main.any():
        is_main = ~lines.is_furniture
    return is_main if is_main.any() else ~is_main


def headings_of(lines: Lines, is_main: Flags) -> list[tuple[int, str]]:
    """Return level and text of the headings among some lines, the first hundred."""
    numbers = (is_main & (lines.level > 0)).nonzero()[0][:MAX_HEADINGS].tolist()
    return [(int(lines.level[number]), lines.texts[number][:MAX_HEADING_CHARS]) for number in numbers]


def main_text(lines: Lines, is_main: Flags) -> str:
    """Return the text of some lines, one below the other."""
    return "\n".join(compress(lines.texts, is_main.tolist()))


def _with_neighbours(kinds: Integers, lines: Lines, is_known: bool) -> Flags:
    own: Flags = kinds == _OWN
    headings: Flags = lines.level > 0
    _leave_out_teasers(own, kinds, lines)
    _fill_gaps(own, kinds, lines, headings, is_known)
    _leave_out_headings(own, kinds, lines, headings)
    return own


def _leave_out_teasers(own: Flags, kinds: Integers, lines: Lines) -> None:
    """Leave out what follows furniture at the end of a page and has links: other pages in a few words each."""
    texts = (own & (lines.n_linked == 0) & (lines.n_tokens > LABEL_TOKENS)).nonzero()[0]
    if not len(texts):
        return
    end = int(texts[-1]) + 1
    furniture = (kinds[end:] >= _REPEATED).nonzero()[0]
    if len(furniture):
        own[end + furniture[0] :] &= lines.n_linked[end + furniture[0] :] == 0


def _fill_gaps(own: Flags, kinds: Integers, lines: Lines, headings: Flags, is_known: bool) -> None:
    """Let what stands between two lines that stay belong to the text: a few words, link lists, headings that many pages have.

    A link list must be that of a known host.
    """
    places = own.nonzero()[0]
    if not len(places) or len(places) == len(own):
        return
    n_before = (lines.n_tokens * own).cumsum()  # the tokens of all lines that stay
    gaps = (places[1:] - places[:-1] > 1).nonzero()[0]
    own[places[0] :] |= (headings & (kinds == _REPEATED))[places[0] :]
    for last, number in zip(places[gaps].tolist(), places[gaps + 1].tolist(), strict=True):
        gap = slice(last + 1, number)
        worst = kinds[gap].max()
        is_short = number - last - 1 <= GAP_LINES and lines.n_tokens[gap].sum() <= GAP_TOKENS and worst < _FURNITURE
        if is_short or (is_known and worst == _LINKS and n_before[last] >= BEGUN_TOKENS):
            own[gap] = True


def _leave_out_headings(own: Flags, kinds: Integers, lines: Lines, headings: Flags) -> None:
    """Leave out what heads lines that are left out, from the last line to the first."""
    may_head = own & ~headings & (lines.n_tokens <= LABEL_TOKENS)
    may_head[:-1] &= kinds[1:] == _LINKS
    may_head[-1:] = False
    numbers = (headings | may_head).nonzero()[0].tolist()
    if not numbers:
        return
    n_own = np.concatenate(([0], own.cumsum())).tolist()
    text, left_out = 0, 0  # a bit for each level: whether there are such lines below a heading of it
    stop = len(own)
    for number in reversed(numbers):
        n_text = n_own[stop] - n_own[number + 1]  # of the lines between this one and the next that was looked at
        if n_text:
            text = _ALL_LEVELS
        if n_text < stop - number - 1:
            left_out = _ALL_LEVELS
        stop = number
        level = int(lines.level[number])
        if not level:
            if _heads_a_list(number, own, kinds, lines):
                own[number] = False
            if own[number]:
                text = _ALL_LEVELS
            else:
                left_out = _ALL_LEVELS
            continue
        bit = 1 << level
        if left_out & bit and not text & bit:
            own[number] = False
        higher = bit - 1
        text, left_out = text & higher, left_out & higher
        if own[number]:
            text |= higher
        else:
            left_out |= higher


def _heads_a_list(number: int, own: Flags, kinds: Integers, lines: Lines) -> bool:
    """Tell whether a short line is followed by a list that is left out."""
    stop, n_tokens = number + 1, 0
    while stop < len(own) and not own[stop] and kinds[stop] == _LINKS:
        n_tokens += int(lines.n_tokens[stop])
        stop += 1
    return n_tokens > GAP_TOKENS
