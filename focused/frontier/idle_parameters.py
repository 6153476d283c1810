"""Learns from copies which query parameters of a host change nothing: session ids, where a visitor came from."""

from __future__ import annotations

from collections import OrderedDict
from urllib.parse import urlsplit

from focused.frontier.url_groups import MAX_PARAMETERS, parameters, without

TIMES = 3
"""Copies that differ from their originals by a parameter: with so many, it is taken to change nothing."""
_STRONGER = 4
"""There must be at least this many times as many such copies as new pages that differ by the parameter."""
_MAX_PARAMETERS, _MAX_STEMS = 20_000, 100_000


def _is_idle(counts: list[int]) -> bool:
    n_copies, n_new = counts
    return n_copies >= max(TIMES, _STRONGER * n_new)


class IdleParameters:
    """Counts, for each parameter of a host, copies and new pages that differ from other pages by nothing else.

    A parameter is idle from the third such copy on, unless new pages speak against it. Where they do, and all copies have
    less than three paths, it is idle at these paths only: a list that was asked for beyond its end, page after page, says
    nothing of other lists. Memory is bounded: the parameters and URLs that were met longest ago are forgotten; what is idle
    stays so.
    """

    def __init__(self) -> None:
        #: By host, path (empty: all) and parameter: copies and new pages.
        self._counts: OrderedDict[tuple[str, str, str], list[int]] = OrderedDict()
        self._stems: OrderedDict[int, None] = OrderedDict()
        #: Paths of copies, three of each host and parameter.
        self._paths: dict[tuple[str, str], set[str]] = {}
        #: By host, path and parameter: the page of another path that the last pages were copies of, and how many were.
        self._repeated: OrderedDict[tuple[str, str, str], tuple[str, int]] = OrderedDict()
        #: The idle parameters of each host that has some, and those of single paths.
        self.of_host: dict[str, frozenset[str]] = {}
        self.of_path: dict[tuple[str, str], frozenset[str]] = {}

    def __bool__(self) -> bool:
        """Tell whether there are idle parameters."""
        return bool(self.of_host or self.of_path)

    def note(self, url: str, copy_of: str) -> tuple[str, str, str] | None:
        """Note a page that was fetched; return host, path (empty: all) and parameter if one has proved idle by it.

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
                    for path in ("", split.path):
                        self._count(host, path, name)[1] += 1
        return None

    def form(self, url: str, host: str) -> str:
        """Return a URL without the idle parameters of its host."""
        idle = self.of_host.get(host, frozenset())
        if self.of_path and "?" in url:
            path = url.partition("?")[0].partition("//")[2]
            idle |= self.of_path.get((host, path[path.find("/") :] if "/" in path else ""), frozenset())
        return without(url, idle) if idle else url

    def _note_copy(self, url: str, copy_of: str) -> tuple[str, str, str] | None:
        one, other = urlsplit(url), urlsplit(copy_of)
        if one.hostname != other.hostname:
            return None
        if one.path != other.path:
            return self._note_repeated(url, copy_of)
        host, mine, others = one.hostname or "", parameters(one.query), parameters(other.query)
        differing = [name for name in mine.keys() | others.keys() if mine.get(name) != others.get(name)]
        if not 1 <= len(differing) <= 2:
            return None
        for name in sorted(differing):
            paths = self._paths.setdefault((host, name), set())
            if len(paths) < TIMES:
                paths.add(one.path)
            of_host, of_path = self._count(host, "", name), self._count(host, one.path, name)
            of_host[0] += 1
            of_path[0] += 1
            if _is_idle(of_host) and (not of_host[1] or len(paths) >= TIMES):
                if name not in self.of_host.get(host, ()):
                    self.of_host[host] = self.of_host.get(host, frozenset()) | {name}
                    return host, "", name
            elif of_host[1] and _is_idle(of_path) and self._ignore_at((host, one.path), name):
                return host, one.path, name
        return None

    def _ignore_at(self, place: tuple[str, str], name: str) -> bool:
        """Let a parameter be idle at a path of a host; return whether it was not before."""
        known = self.of_path.get(place, frozenset())
        self.of_path[place] = known | {name}
        return name not in known

    def _note_repeated(self, url: str, copy_of: str) -> tuple[str, str, str] | None:
        """Note a copy of a page of another path: lists may have the same last page, which is met again and again."""
        split = urlsplit(url)
        host, path = split.hostname or "", split.path
        for name in parameters(split.query):
            if hash((name, without(url, {name}))) not in self._stems:
                continue
            key = host, path, name
            original, n_copies = self._repeated.pop(key, ("", 0))
            n_copies = n_copies + 1 if original == copy_of else 1
            self._repeated[key] = copy_of, n_copies
            if len(self._repeated) > _MAX_PARAMETERS:
                self._repeated.popitem(last=False)
            n_new = self._count(*key)[1]
            if n_new and _is_idle([n_copies, n_new]) and self._ignore_at((host, path), name):
                return key
        return None

    def _count(self, host: str, path: str, name: str) -> list[int]:
        key = host, path, name
        found = self._counts.pop(key, None) or [0, 0]
        self._counts[key] = found
        if len(self._counts) > _MAX_PARAMETERS:
            (host, path, name), _ = self._counts.popitem(last=False)
            if not path:
                self._paths.pop((host, name), None)
        return found

    def _is_known(self, stem: int) -> bool:
        """Tell whether a URL was met with another value of a parameter, and remember it."""
        is_known = stem in self._stems
        self._stems[stem] = None
        self._stems.move_to_end(stem)
        if len(self._stems) > _MAX_STEMS:
            self._stems.popitem(last=False)
        return is_known
