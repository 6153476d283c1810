"""Tells soft 404s by what their host answers when it is asked for an address that nobody made. Pure: no Scrapy, no file.

A host of which a crawl has many pages is asked once, for two such addresses. Where it answers with a page like any other,
pages of the same form are such answers, too: whoever follows their links gets more of them without end.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from focused.utils.origins import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LEAST_PAGES = 20
"""Of a host that is asked: the two requests for addresses that nobody made are one in ten, then."""
_MOST_PAGES = 40
"""Of a host whose forms are remembered until it is asked."""
_LEAST_SHARE = 0.1
"""Of all pages that a host has when it is asked: a few hosts are, however many there are."""
_ALIKE = 0.9
"""Share of the paths of two forms from which they are one form."""
_LONGER, _FEW_TERMS = 2, 10
"""A text that is so many times longer than another one, both with so many more terms, is none of its kind: an article is not
what the host says where it has none, even if both have one template."""
_USUAL = 1 / 3
"""A form is a host's usual one if so many of the pages have it that were found on pages of other forms."""
_MOST_HOSTS = 1_000
"""Hosts whose forms are remembered: some 10,000 bytes each at most."""
_N_LETTERS = 24


@dataclass(slots=True)
class _Host:
    """The pages of a host before it is asked."""

    n_pages: int = 0
    #: Of each page: URL, form, referrer.
    pages: list[tuple[str, bytes, str]] = field(default_factory=list)
    #: The page whose URL has most folders: what has no end lies deep.
    deepest: str = ""


@dataclass(slots=True)
class _Answer:
    """What a host has answered."""

    #: The address that it was asked for.
    url: str
    #: The form of the answer; empty: there is nothing by which other answers of its kind are told.
    form: bytes = b""
    #: Forms of other pages of the host.
    others: list[bytes] = field(default_factory=list)
    #: URLs of the pages of this form that were met before it came.
    met_before: list[str] = field(default_factory=list, init=False)
    #: Pages that were taken for soft 404s.
    n_found: int = field(default=0, init=False)


class Soft404s:
    """Decides which hosts are asked, and which pages are soft 404s. ``most_asked``: hosts that are asked; 0: none."""

    def __init__(self, most_asked: int = 0) -> None:
        self._most_asked = most_asked
        self._n_pages = 0
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._answers: dict[str, _Answer] = {}
        #: Of an earlier run: pages that proved soft 404s after they had ended, and the address of each.
        self._met_before: dict[str, str] = {}
        #: Whether there is more to keep than at the last commit.
        self.is_changed = False

    @property
    def asks(self) -> bool:
        """Whether hosts are asked."""
        return self._most_asked > 0

    # --- Pages

    def is_like_an_answer(self, url: str, form: Callable[[], bytes], referrer: str) -> str:
        """Note a page that was fetched; return the address whose answer it is like, and empty if it is none.

        ``form``: returns that of the page, of `focused.method.page.page_form`. Of most pages it is of no use.
        """
        host = host_of(url)
        answer, known = self._answers.get(host), self._hosts.get(host)
        if answer is not None and answer.form:
            return answer.url if url != answer.url and _is_of(answer, form()) else ""
        if known is None:
            if answer is not None:
                return ""
            known = self._hosts[host] = _Host()
        self._hosts.move_to_end(host)
        if len(self._hosts) > _MOST_HOSTS:
            self._hosts.popitem(last=False)
        if len(known.pages) < _MOST_PAGES:
            known.pages.append((url, form(), referrer))
        if _depth(url) > _depth(known.deepest):
            known.deepest = url
        known.n_pages += 1
        return ""

    def ended(self, copy_of: str) -> None:
        """Count a page that ended. ``copy_of``: URL of the page or the address whose answer it repeats."""
        self._n_pages += 1
        if copy_of and (answer := self._answers.get(host_of(copy_of))) is not None and answer.url == copy_of:
            answer.n_found += 1

    # --- Addresses that nobody made

    def to_ask(self, url: str) -> str:
        """Return the address to ask the host of a page for; empty: nothing is to be asked now. It is asked for once."""
        host = host_of(url)
        known = self._hosts.get(host)
        if known is None or host in self._answers or len(self._answers) >= self._most_asked:
            return ""
        if known.n_pages < max(_LEAST_PAGES, _LEAST_SHARE * self._n_pages):
            return ""
        self._answers[host] = _Answer(unknown_address(known.deepest or url))
        self.is_changed = True
        return self._answers[host].url

    def answered(self, url: str, form: bytes) -> list[str] | None:
        """Take in what came for an address; return the URLs of pages that prove soft 404s by it, None if none are told by it.

        ``form``: that of the answer; empty if it is no page, or one that was met before.
        """
        answer, known = self._answers.get(host_of(url)), self._hosts.pop(host_of(url), None)
        if answer is None or known is None or not form:
            return None
        like = {page for page, own, _ in known.pages if is_alike(own, form)}
        outside = [page for page, _, referrer in known.pages if referrer not in like]
        if sum(page in like for page in outside) >= _USUAL * len(outside):
            return None
        # One of each form, whatever its length is.
        answer.form, answer.others = (
            form,
            [*{own[4:]: own for page, own, _ in known.pages if page not in like}.values()],
        )
        answer.met_before = [page for page, own, _ in known.pages if _is_of(answer, own)]
        answer.n_found = len(answer.met_before)
        self.is_changed = True
        return answer.met_before

    def found(self) -> list[tuple[str, int]]:
        """Return each host with soft 404s, and how many of its pages were."""
        return [(host, answer.n_found) for host, answer in self._answers.items() if answer.n_found]

    # --- What is kept

    def state(self) -> dict[str, Any]:
        """Return what the hosts have answered, as JSON values."""
        return {
            host: [answer.url, answer.form.hex(), [each.hex() for each in answer.others], answer.met_before]
            for host, answer in self._answers.items()
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up what ``state`` returned. Hosts whose answer has not come yet are not asked again."""
        for host, (url, form, others, met_before) in state.items():
            others = [bytes.fromhex(each) for each in others]
            self._answers[host] = answer = _Answer(url, bytes.fromhex(form), others)
            answer.met_before = met_before
            self._met_before.update(dict.fromkeys(met_before, url))

    def proved(self, url: str) -> str:
        """Return the address whose answer a page of an earlier run proved to be like after it had ended; or empty."""
        return self._met_before.get(url, "")


def _is_of(answer: _Answer, form: bytes) -> bool:
    """Tell whether a form is that of an answer, and more so than of any other page of the host, however long that is."""
    closest = max((likeness(form, each) for each in answer.others), default=0.0)
    return is_alike(form, answer.form) and likeness(form, answer.form) > closest


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


def _depth(url: str) -> int:
    return url.partition("?")[0].count("/")


def unknown_address(url: str) -> str:
    """Return an address beside a page that nobody made: its last name, without what ends it, is another one.

    Of such an address another one is returned.

    >>> unknown_address("http://h.example/news/2024/sun.html?page=2")
    'http://h.example/news/2024/peutildbpvskykpqdyuaxqrh.html'
    >>> unknown_address("http://h.example/news/2024/peutildbpvskykpqdyuaxqrh.html")
    'http://h.example/news/2024/jacuxbwzjqpirppjhftybiph.html'
    """
    split = urlsplit(url)
    folder, _, name = split.path.rstrip("/").rpartition("/")
    letters = _letters(f"{split.hostname}{folder}")
    if name.startswith(letters):
        letters = _letters(letters)
    _, dot, ending = name.rpartition(".")
    end = f"{dot}{ending}" if ending.isalnum() and len(ending) <= 5 and dot else "/" * split.path.endswith("/")
    return urlunsplit((split.scheme, split.netloc, f"{folder}/{letters}{end}", "", ""))


def _letters(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "replace")).digest()
    return "".join(chr(ord("a") + byte % 26) for byte in digest[:_N_LETTERS])
