"""Recognises soft 404s by what their host answers to probes. Pure: no Scrapy, no file.

A probe is a request for a made-up address, so its answer shows what the host says of pages that it does not have. A host
with many fetched pages is probed once, with two addresses. If it answers with status 200, pages of the same form are
soft 404s, too; links of such pages may lead to more of them without end.
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
"""Pages that a host must have before it is probed: the two probes are then a tenth of its requests."""
_MOST_PAGES = 40
"""Pages of a host whose forms are remembered until it is probed."""
_LEAST_SHARE = 0.1
"""Share of all pages that a host must have before it is probed, so that only a few hosts are."""
_MOST_HOSTS = 1_000
"""Hosts whose forms are remembered: some 10,000 bytes each at most."""
_N_LETTERS = 24


@dataclass(slots=True)
class _Host:
    """The pages of a host before it is probed."""

    n_pages: int = 0
    #: Of each page: URL, form, referrer.
    pages: list[tuple[str, bytes, str]] = field(default_factory=list)
    #: The page whose URL has most folders: pages without end lie deep.
    deepest: str = ""


class Soft404s:
    """Decides which hosts are probed, and which pages are soft 404s. ``most_asked``: most hosts that are probed; 0: none."""

    def __init__(self, most_asked: int = 0) -> None:
        self._most_asked = most_asked
        self._n_pages = 0
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._answers: dict[str, HostAnswer] = {}
        #: Pages of an earlier run that were recognised after they had ended, each with the probe whose answer it repeats.
        self._met_before: dict[str, str] = {}
        #: Whether the state has changed since the last commit.
        self.is_changed = False

    @property
    def are_probed(self) -> bool:
        """Whether hosts are probed."""
        return self._most_asked > 0

    # --- Pages

    def note_page_like_answer(self, url: str, form: Callable[[], bytes], referrer: str) -> str:
        """Note a page that was fetched; return the probe whose answer it is like, or an empty text.

        ``form`` returns the form of the page (`focused.method.page.page_form`); it is not called for most pages.
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

    def count_ended(self, copy_of: str) -> None:
        """Count a page that ended. ``copy_of``: URL of the page, or of the probe, that it repeats."""
        self._n_pages += 1
        if copy_of and (answer := self._answers.get(host_of(copy_of))) is not None and answer.url == copy_of:
            answer.n_found += 1

    # --- Probes

    def next_probe(self, url: str) -> str:
        """Return the first of two probes for the host of a page, once; empty if the host is not to be probed now."""
        host = host_of(url)
        known = self._hosts.get(host)
        if known is None or host in self._answers or len(self._answers) >= self._most_asked:
            return ""
        if known.n_pages < max(_LEAST_PAGES, _LEAST_SHARE * self._n_pages):
            return ""
        self._answers[host] = HostAnswer(probe_address(known.deepest or url), self._hosts.pop(host).pages)
        self.is_changed = True
        return self._answers[host].url

    def answered(self, url: str, form: bytes, terms: Collection[int] = ()) -> list[str] | None:
        """Learn the answer to a probe; return the URLs of earlier pages that the two answers show to be soft 404s.

        None if soft 404s of the host cannot be recognised, or the other answer has not come. ``form`` and ``terms`` are those
        of the answer; the form is empty if the answer is no page, or repeats an earlier page.
        """
        answer = self._answers.get(host_of(url))
        if answer is None or answer.pages is None:
            return None
        self.is_changed = True
        return answer.met_before if answer.add(form, frozenset(terms)) else None

    def found(self) -> list[tuple[str, int]]:
        """Return each host with soft 404s, and their number."""
        return [(host, answer.n_found) for host, answer in self._answers.items() if answer.n_found]

    # --- What is kept

    def state(self) -> dict[str, Any]:
        """Return the answers of the hosts, as JSON values."""
        return {host: answer.as_json() for host, answer in self._answers.items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from what ``state`` returned, before any page. Hosts that have not answered yet are not probed again."""
        for host, kept in state.items():
            self._answers[host] = answer = HostAnswer.of_json(*kept)
            self._met_before.update(dict.fromkeys(answer.met_before, answer.url))

    def merge(self, state: Mapping[str, Any]) -> list[str]:
        """Add the ``state`` of other workers; return the URLs of earlier pages that it shows to be soft 404s."""
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
        """Return the probe whose answer a page of an earlier run repeats, if the page had ended before the answer came."""
        return self._met_before.get(url, "")


def _depth(url: str) -> int:
    return url.partition("?")[0].count("/")


def probe_address(url: str) -> str:
    """Return a made-up address beside a page: its last name is replaced, and its ending kept.

    Given a probe, it returns another one: the second of its host.

    >>> probe_address("http://h.example/news/2024/sun.html?page=2")
    'http://h.example/news/2024/peutildbpvskykpqdyuaxqrh.html'
    >>> probe_address("http://h.example/news/2024/peutildbpvskykpqdyuaxqrh.html")
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
