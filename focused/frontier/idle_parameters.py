"""Learns from copies which query parameters of a host change nothing: session ids, where a visitor came from."""

from __future__ import annotations

from collections import OrderedDict
from urllib.parse import urlsplit

from focused.frontier.url_groups import MAX_PARAMETERS, parameters, without

TIMES = 3
"""So many copies that differ from their originals by a parameter show that it changes nothing."""
_STRONGER = 4
"""So many times as many copies there must be as new pages that differ by the parameter."""
_MAX_PARAMETERS, _MAX_STEMS = 20_000, 100_000


class IdleParameters:
    """Counts, for each parameter of a host, copies and new pages that differ from other pages by nothing else.

    A parameter is idle from the third such copy on, unless new pages speak against it. Memory is bounded: the parameters
    and URLs that were met longest ago are forgotten; what is idle stays so.
    """

    def __init__(self) -> None:
        self._counts: OrderedDict[tuple[str, str], list[int]] = OrderedDict()
        self._stems: OrderedDict[int, None] = OrderedDict()
        #: The idle parameters of each host that has some.
        self.of_host: dict[str, frozenset[str]] = {}

    def note(self, url: str, copy_of: str) -> tuple[str, str] | None:
        """Note a page that was fetched; return host and parameter if one has proved idle by it.

        ``copy_of``: URL of the page that it is a copy of; empty: it is new.
        """
        try:
            split = urlsplit(url)
        except ValueError:
            return None
        names = parameters(split.query)
        if copy_of:
            return self._note_copy(url, copy_of)
        if names and len(names) <= MAX_PARAMETERS:
            host = split.hostname or ""
            for name in names:
                if self._is_known(hash((name, without(url, {name})))):
                    self._count(host, name)[1] += 1
        return None

    def form(self, url: str, host: str) -> str:
        """Return a URL without the idle parameters of its host."""
        idle = self.of_host.get(host)
        return url if idle is None else without(url, idle)

    def _note_copy(self, url: str, copy_of: str) -> tuple[str, str] | None:
        one, other = urlsplit(url), urlsplit(copy_of)
        if (one.hostname, one.path) != (other.hostname, other.path):
            return None
        host, mine, others = one.hostname or "", parameters(one.query), parameters(other.query)
        differing = [name for name in mine.keys() | others.keys() if mine.get(name) != others.get(name)]
        if not 1 <= len(differing) <= 2:
            return None
        for name in sorted(differing):
            counts = self._count(host, name)
            counts[0] += 1
            if counts[0] >= max(TIMES, _STRONGER * counts[1]) and name not in self.of_host.get(host, ()):
                self.of_host[host] = self.of_host.get(host, frozenset()) | {name}
                return host, name
        return None

    def _count(self, host: str, name: str) -> list[int]:
        found = self._counts.pop((host, name), None) or [0, 0]
        self._counts[host, name] = found
        if len(self._counts) > _MAX_PARAMETERS:
            self._counts.popitem(last=False)
        return found

    def _is_known(self, stem: int) -> bool:
        """Tell whether a URL was met with another value of a parameter, and remember it."""
        is_known = stem in self._stems
        self._stems[stem] = None
        self._stems.move_to_end(stem)
        if len(self._stems) > _MAX_STEMS:
            self._stems.popitem(last=False)
        return is_known
