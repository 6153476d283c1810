"""What a host has answered to probes, and which of its pages are like these answers. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_ALIKE = 0.9
"""Share of the paths of two forms from which they are one form."""
_LONGER, _FEW_TERMS = 2, 10
"""Two texts differ in kind if one is so many times longer than the other, after so many terms are added to both. So an article
is no soft 404, even if both have one template."""
_SAME_TEXT = 0.8
"""Two answers have one text if the longer one holds this share of the terms of the shorter one. Not fitted: a page that says
"not found" differs only by the address that it names."""
_USUAL = 1 / 3
"""A form is a host's usual one if this share of the pages that pages of other forms link to have it."""


@dataclass(slots=True)
class HostAnswer:
    """What a host has answered to its two probes."""

    #: The first probe.
    url: str
    #: Pages of the host with which the answers are compared: URL, form, referrer. None once no further answer is expected.
    pages: list[tuple[str, bytes, str]] | None = None
    #: Form and terms of the answer that came first.
    first: tuple[bytes, frozenset[int]] | None = field(default=None, init=False)
    #: The form of soft 404s; empty if they cannot be recognised by their form.
    form: bytes = field(default=b"", init=False)
    #: Forms of other pages of the host.
    others: list[bytes] = field(default_factory=list, init=False)
    #: URLs of the pages of this form that were fetched before the answers came.
    met_before: list[str] = field(default_factory=list, init=False)
    #: Pages that were recognised as soft 404s.
    n_found: int = field(default=0, init=False)

    def add(self, form: bytes, terms: frozenset[int]) -> bool:
        """Add one of two answers, while ``pages`` is not None; tell whether soft 404s can now be recognised.

        ``form`` is empty if the answer is no page, or repeats an earlier page.
        """
        if form and self.first is None:
            self.first = form, terms
            return False
        pages, first = self.pages or [], self.first
        self.pages = self.first = None
        if not form or first is None or _is_same_text(first[1], terms):
            return False
        form, _ = first
        like = {page for page, own, _ in pages if is_alike(own, form)}
        outside = [page for page, _, referrer in pages if referrer not in like]
        if sum(page in like for page in outside) >= _USUAL * len(outside):
            return False
        self.form = form
        # One page of each form, whatever the length of its text.
        self.others = [*{own[4:]: own for page, own, _ in pages if page not in like}.values()]
        self.met_before = [page for page, own, _ in pages if self.is_like(own)]
        self.n_found = len(self.met_before)
        return True

    def is_like(self, form: bytes) -> bool:
        """Tell whether a form is like the answer's, and more so than like that of any other page, whatever its length."""
        closest = max((likeness(form, each) for each in self.others), default=0.0)
        return is_alike(form, self.form) and likeness(form, self.form) > closest

    def as_json(self) -> list[Any]:
        """Return the answer as JSON values."""
        first: Any = self.first and [self.first[0].hex(), sorted(self.first[1])]
        pages: Any = self.pages and [[url, form.hex(), referrer] for url, form, referrer in self.pages]
        return [self.url, self.form.hex(), [each.hex() for each in self.others], self.met_before, first, pages]

    @classmethod
    def of_json(
        cls, url: str, form: str, others: list[str], met_before: list[str], first: Any = None, pages: Any = None
    ) -> HostAnswer:
        """Return the answer from what ``as_json`` returned; earlier versions wrote nothing after ``met_before``."""
        answer = cls(url, pages and [(page, bytes.fromhex(own), referrer) for page, own, referrer in pages])
        if first is not None:
            answer.first = bytes.fromhex(first[0]), frozenset(first[1])
        answer.form, answer.met_before = bytes.fromhex(form), met_before
        answer.others = [bytes.fromhex(each) for each in others]
        return answer


def _is_same_text(one: frozenset[int], other: frozenset[int]) -> bool:
    """Tell whether two answers have one text, by their terms."""
    return len(one & other) >= _SAME_TEXT * min(len(one), len(other))


def is_alike(one: bytes, other: bytes) -> bool:
    """Tell whether two pages have one form: nearly the same paths, and texts of about the same length."""
    shorter, longer = sorted(int.from_bytes(form[:4], "little") + _FEW_TERMS for form in (one, other))
    return longer <= _LONGER * shorter and likeness(one, other) >= _ALIKE


def likeness(one: bytes, other: bytes) -> float:
    """Return which share of the paths of two forms they have in common, in [0, 1]; of two without paths 1.

    >>> likeness(b"1000aaaabbbb", b"2000aaaabbbb"), likeness(b"1000aaaabbbb", b"1000aaaacccc"), likeness(b"1000", b"1000")
    (1.0, 0.3333333333333333, 1.0)
    """
    if one[4:] == other[4:]:
        return 1.0
    mine, others = _paths(one), _paths(other)
    return len(mine & others) / len(mine | others)


def _paths(form: bytes) -> set[bytes]:
    return {form[place : place + 4] for place in range(4, len(form), 4)}
