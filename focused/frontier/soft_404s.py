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

from focused.frontier.soft_404_answers import HostAnswer
from focused.utils.origins import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

_LEAST_PAGES = 20
"""Of a host that is asked: the two requests for addresses that nobody made are one in ten, then."""
_MOST_PAGES = 40
"""Of a host whose forms are remembered until it is asked."""
_LEAST_SHARE = 0.1
"""Of all pages that a host has when it is asked: a few hosts are, however many there are."""
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


class Soft404s:
    """Decides which hosts are asked, and which pages are soft 404s. ``most_asked``: hosts that are asked; 0: none."""

    def __init__(self, most_asked: int = 0) -> None:
        self._most_asked = most_asked
        self._n_pages = 0
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._answers: dict[str, HostAnswer] = {}
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
        if (answer := self._answers.get(host)) is not None:
            if answer.form:
                return answer.url if url != answer.url and answer.is_like(form()) else ""
            if answer.pages is not None and len(answer.pages) < _MOST_PAGES:
                answer.pages.append((url, form(), referrer))
            return ""
        known = self._hosts.setdefault(host, _Host())
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
        self._answers[host] = HostAnswer(unknown_address(known.deepest or url), self._hosts.pop(host).pages)
        self.is_changed = True
        return self._answers[host].url

    def answered(self, url: str, form: bytes, terms: Collection[int] = ()) -> list[str] | None:
        """Take in what came for one of two addresses; return the URLs of pages that prove soft 404s by both.

        ``form`` and ``terms``: of the answer; an empty form if it is no page, or one that was met before. None: nothing is
        told by the answers, or the other one has not come.
        """
        answer = self._answers.get(host_of(url))
        if answer is None or answer.pages is None:
            return None
        self.is_changed = True
        return answer.met_before if answer.take(form, frozenset(terms)) else None

    def found(self) -> list[tuple[str, int]]:
        """Return each host with soft 404s, and how many of its pages were."""
        return [(host, answer.n_found) for host, answer in self._answers.items() if answer.n_found]

    # --- What is kept

    def state(self) -> dict[str, Any]:
        """Return what the hosts have answered, as JSON values."""
        return {host: answer.as_json() for host, answer in self._answers.items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up what ``state`` returned, before any page. Hosts whose answer has not come yet are not asked again."""
        for host, kept in state.items():
            self._answers[host] = answer = HostAnswer.of_json(*kept)
            self._met_before.update(dict.fromkeys(answer.met_before, answer.url))

    def hear(self, state: Mapping[str, Any]) -> list[str]:
        """Take up what other workers' ``state`` returned meanwhile; return the URLs of pages that prove soft 404s by it."""
        proved: list[str] = []
        for host, kept in state.items():
            known, answer = self._answers.get(host), HostAnswer.of_json(*kept)
            if known is None or not known.form:
                self._answers[host] = answer
                self._hosts.pop(host, None)
                answer.n_found = len(answer.met_before)
                proved += answer.met_before
        return proved

    def proved(self, url: str) -> str:
        """Return the address whose answer a page of an earlier run proved to be like after it had ended; or empty."""
        return self._met_before.get(url, "")


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
