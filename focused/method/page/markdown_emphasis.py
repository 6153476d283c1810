"""Emphasis and code within a line, as Markdown's marks: ``**strong**``, ``*em*``, `` `code` ``.

A mark is written only where every parser reads it as one: between white space or punctuation and a text, or within a word, and
never beside another mark. Elsewhere the text stands without it, so that no mark becomes text. Emphasis around a link is not
known of a page: its element holds a node (`focused.method.page.marked_text`).
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

from focused.utils.markdown import escaped_inside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_MARKS = {"strong": "**", "em": "*", "em strong": "***", "code": "`"}
_PUNCTUATION = frozenset(string.punctuation)


def styled(text: str, spans: Iterable[tuple[int, int, str]]) -> Iterator[tuple[str, str]]:
    """Yield the parts of a text in order, each with its style: a key of `_MARKS`, or empty.

    ``spans``: begin, end and kind (``strong``, ``em``, ``code``); they may lie within each other.

    >>> list(styled("a bold word", [(2, 6, "strong")]))
    [('', 'a '), ('strong', 'bold'), ('', ' word')]
    """
    edges = sorted(
        (place, change, kind)
        for first, stop, kind in spans
        for place, change in ((first, 1), (stop, -1))
        if first < stop
    )
    open_ = dict.fromkeys(("code", "em", "strong"), 0)
    done = 0
    for place, change, kind in edges:
        if place > done:
            yield _style(open_), text[done:place]
            done = place
        open_[kind] += change
    if done < len(text):
        yield "", text[done:]


def _style(n_open: dict[str, int]) -> str:
    return "code" if n_open["code"] else " ".join(kind for kind in ("em", "strong") if n_open[kind])


def marked(before: str, runs: Sequence[tuple[str, str]]) -> str:
    r"""Return what is written of a line, and after it texts with their styles.

    >>> marked("", [("", "a "), ("strong", "bold "), ("", "word*, "), ("code", "x*y")])
    'a **bold** word\\*, `x*y`'
    """
    written = before
    for number, (style, text) in enumerate(runs):
        core = " ".join(text.split())
        if not core:
            written += " " if text else ""
            continue
        start, end = (" " if edge.isspace() else "" for edge in (text[0], text[-1]))
        after = end or (runs[number + 1][1][:1] if number + 1 < len(runs) else "")
        mark = _MARKS[style] if style and _fits(style, core, (written + start)[-1:], after) else ""
        written += f"{start}{mark}{core if mark == '`' else escaped_inside(core)}{mark}{end}"
    return written


def _fits(style: str, core: str, before: str, after: str) -> bool:
    """Whether marks around a text are read as such, between what is written before and the character after."""
    if before in ("*", "`") or after in ("*", "`"):
        return False
    if style == "code":
        return not {"`", "|", "\\"} & set(core)
    is_begun = core[0].isalnum() or not before or before.isspace() or before in _PUNCTUATION
    is_ended = core[-1].isalnum() or not after or after.isspace() or after in _PUNCTUATION
    return is_begun and is_ended and core[-1] != "\\"
