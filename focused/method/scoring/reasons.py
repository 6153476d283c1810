"""What a link's score rests on: a kind, which every strategy may declare, and sometimes words that say more.

Within a process a kind is a small number. Files and requests hold its name, so a kind that only one of many strategies
knows survives. Words come from strangers' pages: they are short, on one line, and never the beginning of a reason.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_KINDS = 256
MAX_KIND_CHARS = 24
MAX_REASON_CHARS = 120

REASONS: list[str] = []
"""The kinds that are known in this process, by number; `reason_kind` adds to them."""

_KIND = re.compile(r"[a-z][a-z0-9]*(?: [a-z][a-z0-9]*)*")
_numbers: dict[str, int] = {}


def reason_kind(kind: str) -> int:
    """Declare a kind of reason, and return its number in this process. A kind that is known keeps its number.

    Stats and reports count by kind, so there are few of them: ValueError if there are too many. One consists of small letters
    and digits, in one word or several.

    >>> REASONS[reason_kind("anchor")]
    'anchor'
    """
    number = _numbers.get(kind)
    if number is not None:
        return number
    if len(kind) > MAX_KIND_CHARS or not _KIND.fullmatch(kind):
        raise ValueError(
            f"A kind of reason must be words of small letters, {MAX_KIND_CHARS} characters at most. Got {kind[:100]!r}."
        )
    if len(REASONS) >= MAX_KINDS:
        raise ValueError(f"There may be {MAX_KINDS} kinds of reasons. {kind!r} is one too many: put details in words.")
    REASONS.append(kind)
    _numbers[kind] = len(REASONS) - 1
    return len(REASONS) - 1


def kind_of(reason: str) -> str:
    """Return the kind of a reason: what stands before its words.

    >>> kind_of('anchor "gravity assist", folder /space/, page 0.87'), kind_of("below threshold")
    ('anchor', 'below threshold')
    """
    found = _KIND.match(reason)
    return found[0] if found else "unknown"


def in_words(parts: Iterable[str]) -> str:
    """Return parts of a reason, strongest first, as one of `MAX_REASON_CHARS` characters at most; whole parts only.

    >>> in_words(["anchor " + quoted("gravity assist"), "page 0.87"])
    'anchor "gravity assist", page 0.87'
    """
    found = ""
    for part in parts:
        longer = f"{found}, {part}" if found else part[:MAX_REASON_CHARS]
        if len(longer) > MAX_REASON_CHARS:
            break
        found = longer
    return found


def quoted(text: str, most: int = 40) -> str:
    r"""Return a stranger's text in double quotes: on one line, without control characters or quotes of its own, cut off.

    >>> print(quoted('a "b"\n\x1b[31m c'), quoted("gravity assist", 8))
    "a 'b' [31m c" "gravity…"
    """
    return f'"{plain(text, most)}"'


def plain(text: str, most: int = 40) -> str:
    """Return a stranger's text on one line: what cannot be printed is a space, double quotes are single ones."""
    shown = text[: 10 * most]
    if not shown.isprintable():
        shown = "".join(char if char.isprintable() else " " for char in shown)
    words = " ".join(shown.split()).replace('"', "'")
    return words if len(words) <= most else words[: most - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"
