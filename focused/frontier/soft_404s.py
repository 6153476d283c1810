"""Recognises soft 404s by what their host answers to probes. Pure: no Scrapy, no file.

A probe is a request for a made-up address, so its answer shows what the host says of pages that it does not have. A host
with many fetched pages is probed with two addresses, and again beside a few places that have many pages: a host may answer
whatever it is asked for in one folder only. If it answers with status 200, pages of the same form are soft 404s, too; links
of such pages may lead to more of them without end.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from focused.frontier.pages_before_probes import PagesBeforeProbes, place_of
from focused.frontier.soft_404_answers import HostAnswer
from focused.utils.origins import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

_LEAST_PAGES, _LEAST_PAGES_OF_A_PLACE = 20, 10
"""Pages that a host must have before it is probed: the two probes are then a tenth of its requests. And pages of a place that
it must have before the host is probed beside them, too."""
_MOST_PLACES, _MOST_PLACES_OF_A_FOLDER = 4, 2
"""Places of a host that it is probed beside, after the first probes, in all and in one of its folders: eight requests."""
_MOST_PAGES = 40
"""Pages of a host with which its answers are compared."""
_LEAST_SHARE = 0.1
"""Share of all pages that a host or a place must have before it is probed, so that only a few are."""
_MOST_HOSTS = 1_000
"""Hosts whose forms are remembered: some 10,000 bytes each at most."""
_N_LETTERS = 24


class Soft404s:
    """Decides which hosts are probed, and which pages are soft 404s. ``most_asked``: most hosts that are probed; 0: none."""

    def __init__(self, most_asked: int = 0) -> None:
        self._most_asked = most_asked
        self._n_pages = 0
        self._hosts: OrderedDict[str, PagesBeforeProbes] = OrderedDict()
        #: Of each host that was probed: its answers, by the name of the host or of the place.
        self._answers: dict[str, dict[str, HostAnswer]] = {}
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
        for answer in self._answers.get(host, {}).values():
            if answer.form and url != answer.url and answer.is_like(form()):
                return answer.url
            if answer.pages is not None and len(answer.pages) < _MOST_PAGES:
                answer.pages.append((url, form(), referrer))
        known = self._hosts.setdefault(host, PagesBeforeProbes())
        self._hosts.move_to_end(host)
        if len(self._hosts) > _MOST_HOSTS:
            self._hosts.popitem(last=False)
        known.add(url, form, referrer)
        return ""

    def count_ended(self, copy_of: str) -> None:
        """Count a page that ended. ``copy_of``: URL of the page, or of the probe, that it repeats."""
        self._n_pages += 1
        for answer in self._answers.get(host_of(copy_of), {}).values() if copy_of else ():
            answer.n_found += answer.url == copy_of

    # --- Probes

    def next_probe(self, url: str) -> str:
        """Return the first of two probes beside a page of a host; empty if the host is not to be probed now."""
        host = host_of(url)
        known, answers = self._hosts.get(host), self._answers.get(host)
        if known is None or (answers is None and len(self._answers) >= self._most_asked):
            return ""
        if answers is None:
            if known.n_pages < max(_LEAST_PAGES, _LEAST_SHARE * self._n_pages):
                return ""
            return self._ask(host, host, known.deepest or url)
        if any(each.pages is not None for each in answers.values()):
            return ""  # one after the other
        place = place_of(url)
        is_due = known.n_pages_of(place) >= max(_LEAST_PAGES_OF_A_PLACE, _LEAST_SHARE * self._n_pages)
        is_refused = place in known.asked or known.n_asked_with(place) >= _MOST_PLACES_OF_A_FOLDER
        return "" if not is_due or is_refused or len(answers) > _MOST_PLACES else self._ask(host, place, url)

    def _ask(self, host: str, name: str, beside: str) -> str:
        """Return the first of two probes beside a page; what they say is kept under a name, of the host or of a place."""
        known, place = self._hosts[host], place_of(beside)
        known.asked.add(place)
        answer = HostAnswer(probe_address(beside), known.compared(place))
        self._answers.setdefault(host, {})[name] = answer
        self.is_changed = True
        return answer.url

    def answered(self, url: str, form: bytes, terms: Collection[int] = ()) -> list[str] | None:
        """Learn the answer to a probe; return the URLs of earlier pages that the two answers show to be soft 404s.

        None if soft 404s of the host cannot be recognised, or the other answer has not come. ``form`` and ``terms`` are those
        of the answer; the form is empty if the answer is no page, or repeats an earlier page.
        """
        for answer in self._answers.get(host_of(url), {}).values():
            if answer.pages is not None and url in (answer.url, probe_address(answer.url)):
                self.is_changed = True
                return answer.met_before if answer.add(form, frozenset(terms)) else None
        return None

    def found(self) -> list[tuple[str, int]]:
        """Return each host with soft 404s, and their number."""
        counts = {host: sum(each.n_found for each in answers.values()) for host, answers in self._answers.items()}
        return [(host, n_found) for host, n_found in counts.items() if n_found]

    # --- What is kept

    def state(self) -> dict[str, Any]:
        """Return the answers of hosts, by the name of the host or of the place that was probed beside, as JSON values."""
        return {name: answer.as_json() for name, answer in self._by_name()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from what ``state`` returned, before any page. Hosts that have not answered yet are not probed again."""
        for name, kept in state.items():
            answer = self._put(name, HostAnswer.of_json(*kept))
            self._met_before.update(dict.fromkeys(answer.met_before, answer.url))

    def merge(self, state: Mapping[str, Any]) -> list[str]:
        """Add the ``state`` of other workers; return the URLs of earlier pages that it shows to be soft 404s."""
        proved: list[str] = []
        by_name = dict(self._by_name())
        for name, kept in state.items():
            known, answer = by_name.get(name), HostAnswer.of_json(*kept)
            if known is None or not known.form:
                self._put(name, answer)
                answer.n_found = len(answer.met_before)
                proved += answer.met_before
        return proved

    def proved(self, url: str) -> str:
        """Return the probe whose answer a page of an earlier run repeats, if the page had ended before the answer came."""
        return self._met_before.get(url, "")

    def _by_name(self) -> Iterator[tuple[str, HostAnswer]]:
        for answers in self._answers.values():
            yield from answers.items()

    def _put(self, name: str, answer: HostAnswer) -> HostAnswer:
        host = name.partition("/")[0]
        self._answers.setdefault(host, {})[name] = answer
        self._hosts.setdefault(host, PagesBeforeProbes()).asked.add(place_of(answer.url))
        return answer


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
