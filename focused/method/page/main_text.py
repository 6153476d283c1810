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
    from focused.method.page.lines import Flags, Lines

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
    is_main = _with_neighbours(kinds.tolist(), lines, is_known)
    if lines.n_tokens[is_main].sum() < MIN_TOKENS:
        kinds[kinds == _LINKS] = _OWN
        is_main = _with_neighbours(kinds.tolist(), lines, is_known)
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


def _with_neighbours(kinds: list[int], lines: Lines, is_known: bool) -> Flags:
    n_tokens, levels = lines.n_tokens.tolist(), lines.level.tolist()
    own = [kind == _OWN for kind in kinds]
    _leave_out_teasers(own, kinds, n_tokens, lines.n_linked.tolist())
    _fill_gaps(own, kinds, n_tokens, levels, is_known)
    _leave_out_headings(own, kinds, n_tokens, levels)
    return np.array(own, dtype=np.bool_)


def _leave_out_teasers(own: list[bool], kinds: list[int], n_tokens: list[int], n_linked: list[int]) -> None:
    """Leave out what follows furniture at the end of a page and has links: other pages in a few words each."""
    furniture = -1
    for number in range(len(own) - 1, -1, -1):
        if own[number] and not n_linked[number] and n_tokens[number] > LABEL_TOKENS:
            break
        if kinds[number] >= _REPEATED:
            furniture = number
    else:
        return
    if furniture >= 0:
        for number in range(furniture, len(own)):
            own[number] = own[number] and not n_linked[number]


def _fill_gaps(own: list[bool], kinds: list[int], n_tokens: list[int], levels: list[int], is_known: bool) -> None:
    """Let what stands between two lines that stay belong to the text: a few words, link lists, headings that many pages have.

    A link list must be that of a known host.
    """
    last, n_before = -1, 0  # the last line that stays, and the tokens of all that do
    for number, is_own in enumerate(own):
        if not is_own:
            if last >= 0 and levels[number] and kinds[number] == _REPEATED:
                own[number] = True
            continue
        if last >= 0 and number > last + 1:
            gap = slice(last + 1, number)
            worst = max(kinds[gap])
            is_short = number - last - 1 <= GAP_LINES and sum(n_tokens[gap]) <= GAP_TOKENS and worst < _FURNITURE
            if is_short or (is_known and worst == _LINKS and n_before >= BEGUN_TOKENS):
                own[gap] = [True] * (number - last - 1)
        last = number
        n_before += n_tokens[number]


def _leave_out_headings(own: list[bool], kinds: list[int], n_tokens: list[int], levels: list[int]) -> None:
    """Leave out what heads lines that are left out, from the last line to the first."""
    text, left_out = 0, 0  # a bit for each level: whether there are such lines below a heading of it
    for number in range(len(own) - 1, -1, -1):
        level = levels[number]
        if not level:
            if own[number] and n_tokens[number] <= LABEL_TOKENS and _heads_a_list(number, own, kinds, n_tokens):
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


def _heads_a_list(number: int, own: list[bool], kinds: list[int], n_tokens: list[int]) -> bool:
    """Tell whether a short line is followed by a list that is left out."""
    stop = number + 1
    while stop < len(own) and not own[stop] and kinds[stop] == _LINKS:
        stop += 1
    return sum(n_tokens[number + 1 : stop]) > GAP_TOKENS
